"""The hook entry point, `waypost hook CLIENT EVENT`; nothing is imported here."""
