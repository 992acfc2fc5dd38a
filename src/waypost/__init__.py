"""Waypost, the post office for coding agents. Empty but for the version, because hooks pay for every import."""

__version__ = "0.1.0"
