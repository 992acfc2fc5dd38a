"""`waypost decision`: the verbs of questions to a person, as a table."""

from __future__ import annotations

import click

from waypost.cli.tree import VerbTree
from waypost.cli.verb import Ask, Fields, Verb

__all__ = ["group"]

SHOWN_ID = "0197f0c2-6d1e-7c3a-9b1f-2f6f0d8a4e11"


def _options(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    """`--option ID=LABEL[:DESCRIPTION]` and `--recommended ID` as the operation's options."""
    recommended = fields.pop("recommended", None)
    given = fields.pop("options", ())
    options = [_option(str(text)) for text in given] if isinstance(given, list | tuple) else []
    ids = [option["id"] for option in options]
    if recommended is not None and recommended not in ids:
        raise click.UsageError("--recommended names no --option.")
    for option in options:
        if option["id"] == recommended:
            option["recommended"] = True
    if "links" in fields:
        fields["links"] = list(fields["links"])  # type: ignore[call-overload] # click's tuple of texts
    return {**fields, "options": options}


def _option(text: str) -> Fields:
    option_id, equals, rest = text.partition("=")
    label, _, description = rest.partition(":")
    if not equals or not option_id.strip() or not label.strip():
        raise click.UsageError("--option must be ID=LABEL or ID=LABEL:DESCRIPTION.")
    option: Fields = {"id": option_id.strip(), "label": label.strip()}
    return {**option, "description": description.strip()} if description.strip() else option


group = VerbTree(
    name="decision",
    help="Questions that a person decides, each with its one accepted answer.",
    verbs={
        "ask": Verb(
            operation="decision.ask",
            summary="Ask a person to decide between options. The answer comes to the own project.",
            example='waypost decision ask "Merge the export?" --option yes=Merge --option no="Send it back:Tests first."',
            show="decision_text:asked",
            arguments=("question",),
            options=(
                "options",
                "recommended",
                "requires_root",
                "details",
                "links",
                "to_workspace",
                "to_project",
                "to_user",
                "from_workspace",
                "from_project",
                "repeat",
                "truncate",
                "repair",
            ),
            prepare=_options,
        ),
        "list": Verb(
            operation="decision.list",
            summary="List questions, the open ones first. Marks nothing.",
            example="waypost decision list --state open",
            show="decision_text:listed",
            options=("box", "state", "everywhere", "limit", "cursor"),
            prepare=lambda fields, ask: _everywhere(fields),  # noqa: ARG005 - nothing is asked
        ),
        "view": Verb(
            operation="decision.view",
            summary="Show one question with its answer. Marks nothing.",
            example=f"waypost decision view --id {SHOWN_ID}",
            show="decision_text:viewed",
            options=("decision_id",),
            required=("decision_id",),
        ),
        "answer": Verb(
            operation="decision.answer",
            summary="Answer a question with one of its options. One answer is accepted.",
            example=f'waypost decision answer --id {SHOWN_ID} --option yes --comment "The flake is written down."',
            show="decision_text:decided",
            options=("decision_id", "option", "comment", "truncate", "repair"),
            required=("decision_id", "option"),
        ),
        "wait": Verb(
            operation="decision.wait",
            summary="Wait until a question is answered. Marks nothing.",
            example=f"waypost decision wait --id {SHOWN_ID} --timeout-seconds 60",
            show="decision_text:waited",
            options=("decision_id", "timeout_seconds"),
            required=("decision_id",),
        ),
        "cancel": Verb(
            operation="decision.cancel",
            summary="Withdraw a question that the own project asked.",
            example=f"waypost decision cancel --id {SHOWN_ID}",
            show="decision_text:decided",
            options=("decision_id", "outcome", "truncate", "repair"),
            required=("decision_id",),
        ),
    },
)


def _everywhere(fields: Fields) -> Fields:
    """`--everywhere` as the operation's `all`."""
    return {**fields, "all": True} if fields.pop("everywhere", False) else fields
