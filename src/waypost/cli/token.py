"""`waypost token`: the verbs of tokens, as a table, and the question before an operator's token is made."""

from __future__ import annotations

import sys

import click

from waypost.cli.tree import VerbTree
from waypost.cli.verb import Ask, Fields, Verb

__all__ = ["group"]

QUESTION = "An operator's token may do everything in this store, on every project. Make one?"


def _created(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    """One kind of token. An operator's is made after a person said so, on a terminal or by --yes."""
    kinds = [kind for kind in ("operator", "agent") if fields.pop(kind, False)]
    if len(kinds) > 1:
        raise click.UsageError("--operator and --agent exclude each other.")
    kind = kinds[0] if kinds else "user"
    agreed = fields.pop("yes", False)
    if kind == "operator" and not agreed:
        if not (sys.stdin and sys.stdin.isatty()):
            raise click.UsageError("An operator's token is made after you said yes: on a terminal, or by --yes.")
        click.confirm(QUESTION, abort=True, err=True)
    if kind != "agent":
        # The common options name the own project, perhaps by the environment; only an agent's token has one.
        fields = {name: value for name, value in fields.items() if name not in {"project", "workspace"}}
    return {"name": f"made by the command line for {kind}", **fields, "kind": kind}


group = VerbTree(
    name="token",
    help="Tokens: how people, agents and programs come in to a shared server. A token is shown once, when it is made.",
    verbs={
        "create": Verb(
            operation="token.create",
            summary="Make a token: --operator, or for a --user, or for a user's --agent in one --project.",
            example="waypost token create --agent --user maria --project default/api --as-operator",
            show="access_text:created",
            options=("operator", "agent", "user", "name", "only", "expires_at", "yes"),
            session_field=False,
            prepare=_created,
        ),
        "list": Verb(
            operation="token.list",
            summary="List tokens, the newest first; never the tokens themselves.",
            example="waypost token list --user maria --as-operator",
            show="access_text:tokens",
            options=("user", "limit", "cursor"),
            session_field=False,
        ),
        "revoke": Verb(
            operation="token.revoke",
            summary="Take a token back, for good, by its id.",
            example="waypost token revoke 0198c0de-0000-7000-8000-000000000000 --as-operator",
            show="access_text:revoked",
            arguments=("token_id",),
            session_field=False,
        ),
    },
)
