"""Judges what the consumers of a feed campaign wrote down against the feed itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Findings", "judge_checkpoint", "judge_own_cursor"]

Change = tuple[str, str, str]
"""Cursor, kind and id of one change."""


@dataclass(kw_only=True, slots=True)
class Findings:
    """What a consumer saw, and every sentence about what it should not have seen."""

    pages: int = 0
    seen: int = 0
    repeats: int = 0
    violations: list[str] = field(default_factory=list)


def judge_own_cursor(lines: Iterable[Mapping[str, Any]], feed: Sequence[Change]) -> Findings:
    """A consumer that keeps its cursor with its effect has each change once, in order, and no gap."""
    pages = [line for line in lines if line["kind"] == "page"]
    seen = [_change(one) for page in pages for one in page["seen"]]
    found = Findings(pages=len(pages), seen=len(seen), repeats=len(seen) - len(set(seen)))
    found.violations += _gaps(pages)
    if seen != list(feed):
        at = next((place for place, (one, two) in enumerate(zip(seen, feed, strict=False)) if one != two), len(seen))
        found.violations.append(
            f"saw {len(seen)} changes and not the {len(feed)} of the feed, each once and in order; first otherwise at {at}"
        )
    return found


def judge_checkpoint(lines: Iterable[Mapping[str, Any]], feed: Sequence[Change]) -> Findings:
    """A consumer that relies on the server's checkpoint misses nothing, sees it in order, and sees again only what lies behind a
    checkpoint: after each start it goes on where it last committed, or where the kill let it not note that it had."""
    places = {change: place for place, change in enumerate(feed)}
    found = Findings()
    at, committed, reached, done = 0, 0, 0, set[int]()
    fresh = True
    for line in lines:
        if line["kind"] == "began":
            fresh = True
        elif line["kind"] == "committed":
            committed = at
        else:
            found.pages += 1
            found.violations += _gaps([line])
            for change in map(_change, line["seen"]):
                place = places.get(change)
                if place is None:
                    found.violations.append(f"saw {change}, which the feed does not hold")
                    continue
                if fresh and place not in {committed, reached}:
                    found.violations.append(f"went on at {place} after a start, not at {committed} or {reached}")
                elif not fresh and place != at:
                    found.violations.append(f"saw {place} where {at} was next")
                committed = place if fresh else committed  # where the server's checkpoint stood, noted here or not
                fresh = False
                found.seen += 1
                found.repeats += place in done
                done.add(place)
                at = place + 1
            reached = at
    missed = len(feed) - len(done)
    if missed:
        found.violations.append(f"missed {missed} changes")
    return found


def _change(one: Sequence[str]) -> Change:
    cursor, kind, subject = one
    return cursor, kind, subject


def _gaps(pages: Iterable[Mapping[str, Any]]) -> list[str]:
    return [f"was told of a gap: {page['gap']}" for page in pages if page["gap"]]
