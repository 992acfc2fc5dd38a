"""The page of the journal: what happened, newest first, by project, kind, door and actor. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from waypost.kernel.errors import InvalidInput
from waypost.server.web.happenings import DEEDS, FAMILIES, Happening
from waypost.server.web.looking import Look
from waypost.server.web.shown import DOORS

__all__ = ["ActivityPage", "activity_page"]

SHOWN = 30
MOST_NEW = 100
FILTERS = ("project", "kind", "door", "actor")
PROJECTS_OFFERED = 200
KINDS = [(name, title, [kind for kind in DEEDS if kind.startswith(f"{name}.")]) for name, title in FAMILIES.items()]


@dataclass(frozen=True, kw_only=True, slots=True)
class ActivityPage:
    """A page of the journal. An older one says how many entries are `newer` than the first page was, at most `MOST_NEW`; the first one
    follows what happens by itself. `here` is its own address, `newest` that of the first page with the same filters."""

    stream: str
    here: str
    newest: str
    filters: Mapping[str, str]
    projects: list[str]
    happenings: list[Happening]
    older: str | None
    is_first: bool
    newer: int

    @property
    def is_filtered(self) -> bool:
        """Whether any filter is set."""
        return any(self.filters.values())

    @property
    def kinds(self) -> list[tuple[str, str, list[str]]]:
        """The families of kinds with their kinds."""
        return KINDS

    @property
    def deeds(self) -> Mapping[str, str]:
        """What people call each kind."""
        return DEEDS

    @property
    def doors(self) -> Mapping[str, str]:
        """What people call each door."""
        return DOORS


def activity_page(look: Look, query: Mapping[str, str]) -> ActivityPage:
    """Everything on the page for the query of its address. Refuses `not_found` for an unknown project, and `invalid_input` for a cursor
    that is none."""
    filters = {name: query.get(name, "").strip() for name in FILTERS}
    given = {name: value for name, value in filters.items() if value}
    workspace, _, project = given.get("project", "").rpartition("/")
    names = (workspace or "default", project) if project else (None, None)
    cursor, since = query.get("cursor", ""), query.get("since", "")
    after = look.mark(*names).text
    found = look.ask("activity.list", limit=SHOWN, **given, **({"cursor": cursor} if cursor else {}))
    seen = _position(since) if cursor and since else found["head"]
    behind = found["next_cursor"]
    return ActivityPage(
        stream="/web/events?"
        + urlencode({**({"project": "/".join(map(str, names))} if project else {}), "after": after}),
        here=_address(given | ({"cursor": cursor, "since": str(seen)} if cursor else {})),
        newest=_address(given),
        filters=filters,
        projects=[
            f"{one['workspace']}/{one['project']}" for one in look.ask("project.list", limit=PROJECTS_OFFERED)["items"]
        ],
        happenings=look.happenings(found["items"], ""),
        older=_address({**given, "cursor": behind, "since": str(seen)}) if behind else None,
        is_first=not cursor,
        newer=_newer(look, given, seen) if cursor else 0,
    )


def _newer(look: Look, given: Mapping[str, str], seen: int) -> int:
    """How many entries came since, as far as it matters."""
    latest = look.ask("activity.list", limit=MOST_NEW, **given)["items"]
    return sum(1 for entry in latest if entry["position"] > seen)


def _position(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise InvalidInput("since is no position of the journal.", hint="Go back to the newest entries.")
    return int(text)


def _address(query: Mapping[str, str]) -> str:
    return f"/web/activity?{urlencode(query)}" if query else "/web/activity"
