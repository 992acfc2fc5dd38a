"""Editing other programs' configuration files: pure text edits, and the careful writing of what they answer."""
