"""Checks of the house itself: sizes, imports, packaging, files."""
