"""`waypost session`: the verbs of sessions, as a table."""

from __future__ import annotations

import click

from waypost.cli.tree import VerbTree
from waypost.cli.verb import Ask, Fields, Verb

__all__ = ["group"]


def _own_session(fields: Fields) -> object:
    own = fields.get("session")
    if own is None:
        raise click.UsageError("Name the session by --session or WAYPOST_SESSION.")
    return own


def _shown(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    return {**fields, "session_id": fields.get("session_id") or _own_session(fields)}


def _continued(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    return {**fields, "session_id": _own_session(fields)}


group = VerbTree(
    name="session",
    help="Sessions: runs of a coding agent, by the agent's own ids.",
    verbs={
        "list": Verb(
            operation="session.list",
            summary="List sessions, the latest first; with --project those of one project.",
            example="waypost session list --project web",
            show="session_text:listed",
            options=("limit", "cursor"),
        ),
        "show": Verb(
            operation="session.show",
            summary="Show one session, what it continues, and what was written about it or about one turn.",
            example="waypost session show 3f0c9a52 --turn 12",
            show="session_text:shown",
            arguments=("session_id?",),
            options=("turn", "limit", "cursor"),
            prepare=_shown,
        ),
        "continue": Verb(
            operation="session.continue",
            summary="Declare that the acting session continues an earlier one, so that its mail reaches it.",
            example="waypost session continue 3f0c9a52 --session 81ab77d0",
            show="session_text:continued",
            arguments=("continues",),
            prepare=_continued,
        ),
    },
)
