"""The store's own promises, proved on the engine."""
