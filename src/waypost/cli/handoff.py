"""`waypost handoff`: the verbs of notes to the next session, as a table."""

from __future__ import annotations

import click

from waypost.cli.tree import VerbTree
from waypost.cli.verb import Ask, Fields, Verb

__all__ = ["group"]

SHOWN_ID = "0197f0c2-6d1e-7c3a-9b1f-2f6f0d8a4e11"
LISTS = ("open_questions", "next_steps", "files_touched")


def _begun(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    """What was given several times, as lists."""
    return {
        name: list(value) if name in LISTS and isinstance(value, tuple) else value for name, value in fields.items()
    }


def _filtered(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    """`--handoff-state` as the operation's `state`."""
    state = fields.pop("handoff_state", None)
    return fields if state is None else {**fields, "state": state}


def _accepted(fields: Fields, ask: Ask) -> Fields:
    """The handoff that was named, else the one that is offered."""
    if "handoff_id" in fields:
        return fields
    offered = ask("handoff.offer")["handoff"]
    if not isinstance(offered, dict):
        raise click.UsageError("No handoff is offered here; name one by --id, as `waypost handoff list` shows it.")
    return {**fields, "handoff_id": offered["id"]}


group = VerbTree(
    name="handoff",
    help="Single-use notes from one session to the next one of the same project.",
    verbs={
        "begin": Verb(
            operation="handoff.begin",
            summary="Leave a note for the next session of the own project.",
            example='waypost handoff begin "The export streams; its test is flaky." --next-step "Make the test stable."',
            show="handoff_text:begun",
            arguments=("summary",),
            options=(*LISTS, "automatic", "truncate", "repair"),
            prepare=_begun,
        ),
        "list": Verb(
            operation="handoff.list",
            summary="List the own project's handoffs, the latest first. Marks nothing.",
            example="waypost handoff list --state all",
            show="handoff_text:listed",
            options=("handoff_state", "limit", "cursor"),
            prepare=_filtered,
        ),
        "accept": Verb(
            operation="handoff.accept",
            summary="Claim the handoff that is offered, or the one named, exactly once.",
            example="waypost handoff accept",
            show="handoff_text:accepted",
            options=("handoff_id",),
            prepare=_accepted,
        ),
        "cancel": Verb(
            operation="handoff.cancel",
            summary="Withdraw a handoff.",
            example=f"waypost handoff cancel --id {SHOWN_ID}",
            show="handoff_text:cancelled",
            options=("handoff_id",),
            required=("handoff_id",),
        ),
    },
)
