"""Long polls: they end at news, at a due time, at their own time, when the client goes away and when the server stops."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillWaiting
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest

from tests.doors.rest_door import Answer, RestDoor
from tests.promises.marks import promise

WAIT = "/v1/messages/wait?project=b&timeout_seconds=300"
"""Longer than any test here waits, so that only what the test does can end it."""


def waiting(rest: RestDoor, target: str = WAIT, **how: Any) -> Future[Answer]:
    """A long poll that has looked once and found nothing."""
    begun = rest.begin("GET", target, **how)
    rest.run(_sleeping(rest))
    assert not begun.done()
    return begun


async def _sleeping(rest: RestDoor) -> None:
    """Returns once somebody waits for changes."""
    while not rest.context.changes.waiting:  # noqa: ASYNC110 - what is waited for is that somebody waits
        await asyncio.sleep(0)


@promise("wait.due.returns")
def test_what_is_there_already_is_answered_at_once(rest: RestDoor) -> None:
    sent = rest.send()["message_id"]
    found = rest.ok("GET", WAIT)
    assert ([item["id"] for item in found["items"]], found["retry"]) == ([sent], False)


@promise("wait.due.returns")
def test_mail_sent_meanwhile_ends_the_wait(rest: RestDoor) -> None:
    begun = waiting(rest)
    sent = rest.send()["message_id"]
    assert [item["id"] for item in rest.answer_of(begun).json()["items"]] == [sent]


@promise("wait.due.returns")
def test_mail_for_somebody_else_does_not_end_the_wait(rest: RestDoor) -> None:
    begun = waiting(rest)
    rest.ok("POST", "/v1/messages", {"from_project": "b", "to_project": "a", "body": "not for b"})
    with pytest.raises(StillWaiting):
        begun.result(0.2)
    rest.send()
    assert len(rest.answer_of(begun).json()["items"]) == 1


@promise("wait.due.returns")
def test_a_reminder_that_comes_due_ends_the_wait(rest: RestDoor) -> None:
    due = datetime.now(UTC) + timedelta(seconds=0.5)
    sent = rest.send(due_at=due.isoformat())["message_id"]
    found = rest.answer_of(rest.begin("GET", WAIT)).json()
    assert [item["id"] for item in found["items"]] == [sent]
    assert datetime.now(UTC) >= due


@promise("wait.timeout.bounded")
def test_a_wait_whose_time_is_up_says_that_nothing_came(rest: RestDoor) -> None:
    found = rest.ok("GET", "/v1/messages/wait?project=b&timeout_seconds=1")
    assert (found["items"], found["retry"]) == ([], True)


@promise("wait.timeout.bounded")
@pytest.mark.parametrize("seconds", ["301", "-1", "1.5", "long", "", "\u0661"])
def test_a_time_out_of_bounds_is_refused(rest: RestDoor, seconds: str) -> None:
    assert rest.ask("GET", f"/v1/messages/wait?project=b&timeout_seconds={quote(seconds)}").code == "invalid_input"


def test_a_wait_whose_client_goes_away_ends_without_an_answer(rest: RestDoor) -> None:
    gone = rest.run(_new_event())
    begun = waiting(rest, gone=gone)
    rest.run(_set(gone))
    assert begun.result(10).status == 0
    assert rest.context.changes.waiting == 0
    assert rest.events[-1]["status"] == 499


def test_a_wait_ends_when_the_server_stops(rest: RestDoor) -> None:
    begun = waiting(rest)
    rest.run(_close(rest))
    assert rest.answer_of(begun).json()["retry"] is True


async def _new_event() -> asyncio.Event:
    return asyncio.Event()


async def _set(event: asyncio.Event) -> None:
    event.set()


async def _close(rest: RestDoor) -> None:
    rest.context.changes.close()
