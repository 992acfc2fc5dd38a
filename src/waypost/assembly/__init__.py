"""Builds a running Waypost from configuration. The only importer of the engines."""
