"""Whose project was read, and how sure that is: what every answer to a guess must say (contracts/mail.md, Naming the mailbox)."""

from __future__ import annotations

from waypost.identity.models import Scope
from waypost.operations.inputs import Output
from waypost.operations.registry import Unit

__all__ = ["ResolvedScope", "resolved", "scope_hint"]


class ResolvedScope(Output):
    """The project that was read; null names where none was found."""

    workspace: str | None
    project: str | None


def resolved(scope: Scope) -> ResolvedScope:
    """The project that a scope found, by name."""
    project = scope.project
    return ResolvedScope(workspace=project.workspace if project else None, project=project.name if project else None)


def scope_hint(unit: Unit) -> str | None:
    """What to do about a guessed scope, an unknown session or a broken marker, empty box or not; None where all is certain."""
    scope, workdir = unit.scope, unit.caller.workdir
    if workdir is not None and workdir.marker_problem is not None:
        return f"{workdir.marker_problem}; it names no project until it is mended."
    if scope.project is None or scope.source.guessed:
        found = f"'{scope.project.label}' was guessed ({scope.source})" if scope.project else "No project was found"
        return f"{found}, because {scope.note}. Pass project as workspace/project to be sure whose mailbox this is."
    if scope.session is not None and not scope.session_known:
        return (
            "The session given is not known here, so this is not yet its own view. Name project and session together."
        )
    return None
