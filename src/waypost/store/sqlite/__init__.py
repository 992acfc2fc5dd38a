"""The SQLite engine, the only place that speaks to SQLite: one writer that commits in groups, readers on snapshots, a lock."""

from __future__ import annotations

from waypost.store.sqlite.engine import SqliteStore

__all__ = ["SqliteStore"]
