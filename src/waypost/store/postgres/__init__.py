"""The Postgres engine, the only place that speaks to Postgres: a pool, units that run again, one clock, a sequencer for the journal."""

from __future__ import annotations

from waypost.store.postgres.engine import PostgresStore

__all__ = ["PostgresStore"]
