"""Typed access to the columns of a row, so that no domain casts by itself. A wrong type is a fault of the schema, not of a user."""

from __future__ import annotations

from waypost.store.interface import Row

__all__ = ["flag", "maybe_number", "maybe_text", "number", "text"]


def text(row: Row, column: str) -> str:
    """A text column that is never null."""
    value = row[column]
    if not isinstance(value, str):
        raise TypeError(f"column {column} should hold text")
    return value


def number(row: Row, column: str) -> int:
    """An integer column that is never null."""
    value = row[column]
    if not isinstance(value, int):
        raise TypeError(f"column {column} should hold an integer")
    return value


def maybe_text(row: Row, column: str) -> str | None:
    """A text column."""
    return None if row[column] is None else text(row, column)


def maybe_number(row: Row, column: str) -> int | None:
    """An integer column."""
    return None if row[column] is None else number(row, column)


def flag(row: Row, column: str) -> bool:
    """A column of 0 or 1."""
    return number(row, column) == 1
