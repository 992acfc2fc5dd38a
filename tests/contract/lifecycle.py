"""The life of a message, step by step, as seed 001 and docs/concepts.md promise it: each function is one part of the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.contract.command import Broken, Command

__all__ = ["STEPS"]


def _same(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise Broken(f"{what}: {found!r} instead of {wanted!r}")


def _sent(command: Command, *options: str) -> tuple[str, str, str]:
    """A message between two new projects: sender, recipient, id."""
    sender, recipient = command.project(), command.project()
    answer = command.ok("message", "send", "--to-project", recipient, *options, "Please stream it.", at=sender)
    return sender, recipient, answer["message_id"]


def _acting(project: str, session: str = "S1") -> tuple[str, ...]:
    return "--project", project, "--session", f"{session}-{project}"


def _claimed(command: Command) -> tuple[str, str, str]:
    """Actionable work that a session holds: the recipient, the id, the token."""
    _, recipient, message = _sent(command, "--actionable")
    claim = command.ok("message", "claim", "--id", message, "--occurrence", "1", *_acting(recipient), at=recipient)
    return recipient, message, claim["token"]


def sent_and_read(command: Command) -> None:
    """send stores once for a key; list, view and wait show it and mark nothing"""
    sender, recipient = command.project(), command.project()
    send = (
        "message",
        "send",
        "--to-project",
        recipient,
        "--subject",
        "Export",
        "--idempotency-key",
        "k1",
        "Stream it.",
    )
    first, second = command.ok(*send, at=sender), command.ok(*send, at=sender)
    _same(second["message_id"], first["message_id"], "the id under the same key")
    for _ in range(2):
        listed = command.ok("message", "list", at=recipient)["items"]
        _same([item["id"] for item in listed], [first["message_id"]], "the inbox")
    _same(command.ok("message", "view", "--id", first["message_id"], at=recipient)["history"], [], "the history")
    waited = command.ok("message", "wait", "--timeout-seconds", "5", at=recipient)
    _same(waited["retry"], False, "a wait for what is there")


def popped_once(command: Command) -> None:
    """pop takes a message once, and the same id again gets the lost answer"""
    sender, recipient, message = _sent(command)
    _same(command.ok("message", "pop", at=recipient)["message"]["id"], message, "the popped message")
    _same(command.ok("message", "pop", at=recipient)["message"], None, "a second pop")
    replayed = command.ok("message", "pop", "--id", message, at=recipient)
    _same((replayed["replayed"], replayed["message"]["id"]), (True, message), "a repeated pop")
    command.refused("already_closed", "message", "cancel", "--id", message, at=sender)


def acknowledged(command: Command) -> None:
    """ack is by session and occurrence, and harmless to repeat"""
    _, recipient, message = _sent(command)
    ack = ("message", "ack", "--id", message, "--occurrence")
    command.refused("stale_occurrence", *ack, "2", *_acting(recipient), at=recipient)
    command.refused("session_required", *ack, "1", at=recipient)
    for _ in range(2):
        command.ok(*ack, "1", *_acting(recipient), at=recipient)
    _same(command.ok("message", "list", *_acting(recipient), at=recipient)["items"], [], "the reader's inbox")
    others = command.ok("message", "list", *_acting(recipient, "S2"), at=recipient)["items"]
    _same([item["id"] for item in others], [message], "another session's inbox")


def owned_by_one(command: Command) -> None:
    """claim gives one session the work, renew and release need its token, and an old token never finishes it"""
    recipient, message, token = _claimed(command)
    acting = _acting(recipient)
    of_it = ("--id", message, "--occurrence", "1")
    again = command.ok("message", "claim", *of_it, *acting, at=recipient)
    _same((again["repeated"], again["token"]), (True, token), "a claim of the holder's own")
    command.refused("already_claimed", "message", "claim", *of_it, *_acting(recipient, "S2"), at=recipient)
    held = (*of_it, "--token", token)
    command.ok("message", "renew", *held, *acting, at=recipient)
    command.refused("lease_lost", "message", "renew", *of_it, "--token", "0" * 32, *acting, at=recipient)
    command.refused("lease_lost", "message", "renew", *held, *_acting(recipient, "S2"), at=recipient)
    command.ok("message", "release", *held, *acting, at=recipient)
    done = ("--outcome", "done")
    command.refused("lease_lost", "message", "complete", *held, *done, *acting, at=recipient)
    other = command.ok("message", "claim", *of_it, *_acting(recipient, "S2"), at=recipient)
    _same(other["lease"]["generation"], again["lease"]["generation"] + 1, "the generation")
    command.refused("lease_lost", "message", "complete", *held, *done, *acting, at=recipient)


def completed_once(command: Command) -> None:
    """complete is idempotent for the same session, token and occurrence, and refused to every other"""
    recipient, message, token = _claimed(command)
    complete = ("message", "complete", "--id", message, "--occurrence", "1", "--outcome", "Fixed.", "--token")
    first = command.ok(*complete, token, *_acting(recipient), at=recipient)
    second = command.ok(*complete, token, *_acting(recipient), at=recipient)
    _same((first["status"], second), ("done", first), "a repeated complete")
    command.refused("already_closed", *complete, "0" * 32, *_acting(recipient), at=recipient)
    command.refused("already_closed", *complete, token, *_acting(recipient, "S2"), at=recipient)


def put_off(command: Command) -> None:
    """snooze keeps id and findings and starts the next occurrence, and the one before is stale to every verb"""
    recipient, message, token = _claimed(command)
    acting = _acting(recipient)
    old = ("--id", message, "--occurrence", "1")
    finding = ("--token", token, "--outcome", "No fix yet.")
    past = ("--due-at", "2020-01-01T00:00:00Z")
    command.refused("invalid_input", "message", "snooze", *old, *finding, *past, *acting, at=recipient)
    later = command.ok("message", "snooze", *old, *finding, "--delay-seconds", "1", *acting, at=recipient)
    _same((later["message_id"], later["occurrence"]), (message, 2), "the next occurrence")
    for verb, more in (
        ("ack", ()),
        ("claim", ()),
        ("renew", finding[:2]),
        ("release", finding[:2]),
        ("complete", finding),
    ):
        command.refused("stale_occurrence", "message", verb, *old, *more, *acting, at=recipient)
    waited = command.ok("message", "wait", "--timeout-seconds", "60", *acting, at=recipient)
    _same([item["id"] for item in waited["items"]], [message], "what came due again")
    new = ("--id", message, "--occurrence", "2")
    claim = command.ok("message", "claim", *new, *acting, at=recipient)
    last = ("--token", claim["token"], "--outcome", "Fixed.")
    command.ok("message", "complete", *new, *last, *acting, at=recipient)
    history = command.ok("message", "view", "--id", message, at=recipient)["history"]
    _same(any("No fix yet." in (version["outcome"] or "") for version in history), True, "the finding in the history")


def cancelled(command: Command) -> None:
    """cancel is the sender's, also of what is claimed, idempotent, and final for the holder"""
    sender, recipient, message = _sent(command, "--actionable")
    acting, of_it = _acting(recipient), ("--id", message, "--occurrence", "1")
    token = command.ok("message", "claim", *of_it, *acting, at=recipient)["token"]
    command.refused("not_recipient", "message", "cancel", "--id", message, at=command.project())
    for count in (1, 0):
        _same(
            command.ok("message", "cancel", "--id", message, at=sender)["cancelled"], count, "how many were cancelled"
        )
    finished = ("--token", token, "--outcome", "done")
    command.refused("already_closed", "message", "complete", *of_it, *finished, *acting, at=recipient)


def answered(command: Command) -> None:
    """reply reaches the sender's project in the same thread, which is read in one piece"""
    sender, recipient, message = _sent(command)
    answer = command.ok("message", "reply", "--id", message, "It is done.", at=recipient)
    _same(answer["thread"], message, "the thread")
    [item] = command.ok("message", "list", at=sender)["items"]
    _same((item["id"], item["reply_to"]), (answer["message_id"], message), "the answer in the sender's inbox")
    whole: list[dict[str, Any]] = command.ok(
        "message", "list", "--thread", message, "--inbox", "--outbox", at=recipient
    )["items"]
    _same([item["id"] for item in whole], [message, answer["message_id"]], "the conversation")


STEPS: tuple[Callable[[Command], None], ...] = (
    sent_and_read,
    popped_once,
    acknowledged,
    owned_by_one,
    completed_once,
    put_off,
    cancelled,
    answered,
)
