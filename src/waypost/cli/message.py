"""`waypost message`: the verbs of mail, as a table."""

from __future__ import annotations

import click

from waypost.cli.tree import VerbTree
from waypost.cli.verb import Ask, Fields, Verb

__all__ = ["group"]

CONTENT = (
    "subject",
    "actionable",
    "delivery",
    "due_at",
    "delay_seconds",
    "timezone",
    "expires_at",
    "repeat",
    "truncate",
    "repair",
)
HELD = ("message_id", "occurrence", "token")
FINDING = (*HELD, "outcome")
ID = "--id 0197f0c2-6d1e-7c3a-9b1f-2f6f0d8a4e11 --occurrence 1"


def _box(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    """`--inbox` and `--outbox` as the operation's `box`."""
    inbox, outbox = fields.pop("inbox", False), fields.pop("outbox", False)
    if inbox and outbox and "thread" not in fields:
        raise click.UsageError("--inbox and --outbox exclude each other, unless --thread names one conversation.")
    if inbox and outbox:
        return {**fields, "box": "both"}
    return {**fields, "box": "outbox"} if outbox else fields


group = VerbTree(
    name="message",
    help="Mail between projects, sessions and people.",
    verbs={
        "send": Verb(
            operation="message.send",
            summary="Leave a message. Confirms that it is stored, not that it was read.",
            example='waypost message send --to-project web --subject "Export" "Please stream the export as NDJSON."',
            show="message_text:sent",
            options=(
                "to_workspace",
                "to_project",
                "to_session",
                "to_user",
                "from_workspace",
                "from_project",
                *CONTENT,
                "reply_to",
                "about",
                "about_turn",
            ),
            body=True,
        ),
        "list": Verb(
            operation="message.list",
            summary="List the inbox or the outbox. Marks nothing.",
            example="waypost message list --status all --limit 20",
            show="message_text:listed",
            options=("inbox", "outbox", "status", "thread", "from", "query", "limit", "cursor"),
            prepare=_box,
        ),
        "view": Verb(
            operation="message.view",
            summary="Show one message with its history. Marks nothing.",
            example="waypost message view --id 0197f0c2-6d1e-7c3a-9b1f-2f6f0d8a4e11",
            show="message_text:viewed",
            options=("message_id",),
            required=("message_id",),
        ),
        "pop": Verb(
            operation="message.pop",
            summary="Take the oldest due message, or the one named, off the queue exactly once.",
            example="waypost message pop",
            show="message_text:popped",
            options=("message_id",),
        ),
        "ack": Verb(
            operation="message.ack",
            summary="Say that the acting session has read this occurrence. Harmless to repeat.",
            example="waypost message ack --id 0197f0c2-6d1e-7c3a-9b1f-2f6f0d8a4e11 --occurrence 1 --session S1",
            show="message_text:acked",
            options=("message_id", "occurrence"),
            required=("message_id", "occurrence"),
        ),
        "claim": Verb(
            operation="message.claim",
            summary="Own an actionable message for a time; answers the token that finishes it.",
            example=f"waypost message claim {ID} --session S1",
            show="lease_text:claimed",
            options=("message_id", "occurrence"),
            required=("message_id", "occurrence"),
        ),
        "renew": Verb(
            operation="message.renew",
            summary="Count the lease of a claimed message anew from now.",
            example=f"waypost message renew {ID} --token TOKEN --session S1",
            show="lease_text:renewed",
            options=HELD,
            required=HELD,
        ),
        "release": Verb(
            operation="message.release",
            summary="Give a claimed message back, unread and claimable at once.",
            example=f"waypost message release {ID} --token TOKEN --session S1",
            show="lease_text:released",
            options=HELD,
            required=HELD,
        ),
        "complete": Verb(
            operation="message.complete",
            summary="Finish a claimed message with its outcome. Harmless to repeat.",
            example=f'waypost message complete {ID} --token TOKEN --outcome "Fixed in 4f1c." --session S1',
            show="lease_text:completed",
            options=(*FINDING, "truncate", "repair"),
            required=FINDING,
        ),
        "snooze": Verb(
            operation="message.snooze",
            summary="Let a claimed message come due again later, with what was found so far.",
            example=f'waypost message snooze {ID} --token TOKEN --outcome "No fix yet." --delay-seconds 86400 --session S1',
            show="lease_text:snoozed",
            options=(*FINDING, "due_at", "delay_seconds", "timezone", "truncate", "repair"),
            required=FINDING,
        ),
        "cancel": Verb(
            operation="message.cancel_all",
            summary="Withdraw one message, or with --all every open one that the own project sent.",
            example="waypost message cancel --id 0197f0c2-6d1e-7c3a-9b1f-2f6f0d8a4e11",
            show="message_text:cancelled",
            options=("message_id", "all", "occurrence"),
        ),
        "reply": Verb(
            operation="message.reply",
            summary="Answer a received message; the answer goes to the sender's project.",
            example='waypost message reply --id 0197f0c2-6d1e-7c3a-9b1f-2f6f0d8a4e11 "Done in 4f1c."',
            show="message_text:sent",
            options=("message_id", "to_sender_session", *CONTENT),
            required=("message_id",),
            body=True,
        ),
        "wait": Verb(
            operation="message.wait",
            summary="Wait until something unread is due. Marks nothing.",
            example="waypost message wait --timeout-seconds 60",
            show="message_text:waited",
            options=("timeout_seconds",),
        ),
        "redact": Verb(
            operation="message.redact",
            summary="Blank the words of a message, in every version. Needs the operator's rights; cannot be taken back.",
            example="waypost message redact --id 0197f0c2-6d1e-7c3a-9b1f-2f6f0d8a4e11",
            show="message_text:redacted",
            options=("message_id",),
            required=("message_id",),
        ),
    },
)
