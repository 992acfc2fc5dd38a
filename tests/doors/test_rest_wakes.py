"""Wakes over REST: a receiver's whole round by poll and by stream, refusals, and a stream that says nothing twice without need."""

from __future__ import annotations

from concurrent.futures import TimeoutError as StillWaiting
from typing import Any

import pytest

from tests.doors.feed_stream import FeedStream
from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from waypost.server import wakes

STREAM = "/v1/wakes/stream?project=b&session=B1"
WHO = {"project": "b", "session": "B1"}


@pytest.fixture
def attached(rest: RestDoor) -> RestDoor:
    """Project b with a known session."""
    rest.ok("PUT", "/v1/sessions/B1", {"project": "b"})
    return rest


@promise("rest.wakes.routes")
def test_a_receiver_reserves_reports_and_is_given_nothing_more(attached: RestDoor) -> None:
    sent = attached.send(delivery="wake")["message_id"]
    assert attached.ok("GET", "/v1/wakes?project=b&session=B1")["wake"] == {"message_id": sent, "occurrence": 1}
    wake = attached.ok("POST", "/v1/wakes/reserve", WHO)["wake"]
    said = {**WHO, "occurrence": 1, "token": wake["token"]}
    assert attached.ok("POST", f"/v1/wakes/{sent}/retry", said)["accepted"] is False
    assert attached.ok("POST", f"/v1/wakes/{sent}/accepted", said)["accepted"] is True
    assert attached.refused("POST", f"/v1/wakes/{sent}/retry", said)["code"] == "lease_lost"
    assert attached.ok("POST", "/v1/wakes/reserve", WHO)["wake"] is None


@promise("wake.receiver.polls_or_streams", "rest.wakes.routes")
def test_a_stream_tells_what_comes_while_it_is_open_and_what_was_there_before(attached: RestDoor) -> None:
    first = attached.send(delivery="wake")["message_id"]
    with FeedStream(attached, STREAM) as stream:
        told = stream.event()
        assert told is not None
        assert (told.name, told.id, told.data) == ("wake", f"{first}.1", {"message_id": first, "occurrence": 1})
        wake = attached.ok("POST", "/v1/wakes/reserve", WHO)["wake"]
        attached.ok("POST", f"/v1/wakes/{first}/accepted", {**WHO, "occurrence": 1, "token": wake["token"]})
        attached.send(body="plain mail wakes nobody")
        second = attached.send(body="another", delivery="wake")["message_id"]
        told = stream.event()
        assert told is not None
        assert told.data["message_id"] == second


@promise("wake.receiver.polls_or_streams")
def test_a_reminder_that_comes_due_by_time_alone_is_told(attached: RestDoor) -> None:
    with FeedStream(attached, STREAM) as stream:
        later = attached.send(delivery="wake", delay_seconds=1)["message_id"]
        told = stream.event()
        assert told is not None
        assert told.data["message_id"] == later


@promise("wake.receiver.polls_or_streams")
def test_what_nobody_reserves_is_told_again_and_not_with_every_change(
    attached: RestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    attached.send(delivery="wake")
    with FeedStream(attached, STREAM) as stream:
        assert stream.event() is not None
        attached.send(body="a change in between")
        again: Any = attached.start(_in_thread(stream))
        with pytest.raises(StillWaiting):
            again.result(0.3)
        monkeypatch.setattr(wakes, "TELL_AGAIN_SECONDS", 0.01)
        attached.send(body="and one more")
        assert again.result(30).name == "wake"


@promise("rest.wakes.routes")
@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("/v1/wakes/stream?project=b", "session_required"),
        ("/v1/wakes/stream?project=nowhere&session=B1", "not_found"),
        ("/v1/wakes/stream?project=b&session=B1&colour=red", "invalid_input"),
    ],
)
def test_a_stream_that_cannot_begin_is_refused_plainly(attached: RestDoor, target: str, code: str) -> None:
    assert attached.refused("GET", target)["code"] == code


async def _in_thread(stream: FeedStream) -> Any:
    import asyncio  # noqa: PLC0415 - only here

    return await asyncio.to_thread(stream.event)
