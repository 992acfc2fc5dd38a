"""`waypost grant`: the verbs of grants, as a table."""

from __future__ import annotations

from waypost.cli.tree import VerbTree
from waypost.cli.verb import Ask, Fields, Verb

__all__ = ["group"]


def _granted(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    """The project as it was named, and the rights as a list."""
    named: Fields = {**fields, "project": fields.pop("label")}
    if "rights" in named:
        named["rights"] = [word for word in str(named["rights"]).split(",") if word]
    return {name: value for name, value in named.items() if name != "label"}


group = VerbTree(
    name="grant",
    help="Grants: what a user may do on a project. LABEL is a name, or workspace/project.",
    verbs={
        "list": Verb(
            operation="grant.list",
            summary="List grants; with --user or --project those of one.",
            example="waypost grant list --project default/api --as-operator",
            show="access_text:grants",
            options=("user", "limit", "cursor"),
            session_field=False,
        ),
        "set": Verb(
            operation="grant.set",
            summary="Give a user exactly these rights on a project: read, write, review, admin.",
            example="waypost grant set maria default/api read,write --as-operator",
            show="access_text:granted",
            arguments=("user", "label", "rights"),
            session_field=False,
            prepare=_granted,
        ),
        "remove": Verb(
            operation="grant.remove",
            summary="Take a user's grant on a project back.",
            example="waypost grant remove maria default/api --as-operator",
            show="access_text:granted",
            arguments=("user", "label"),
            session_field=False,
            prepare=_granted,
        ),
    },
)
