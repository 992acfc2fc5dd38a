"""Waypost killed at any moment: the kill campaign with its own checker, named crash points, lost power, broken disks."""
