"""The reference receiver: each wake once, over a killed server, given back where no turn starts, and reading nothing."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.python.served import fresh_home, served
from tests.doors.server_process import ServerProcess
from tests.promises.marks import promise
from waypost.client import AsyncWaypost, Retries, Waypost, errors


@pytest.fixture(autouse=True)
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        yield folder


def wake(server: ServerProcess, **fields: object) -> str:
    """The id of a message that asks project api for a turn, sent now."""
    sent = {"from_project": "web", "to_project": "api", "body": "melons", "delivery": "wake", **fields}
    return str(server.ask("POST", "/v1/messages", sent)[1]["message_id"])


def attach(post: Waypost) -> None:
    post.sessions.put("S1", project="default/api")


@promise("wake.receiver.polls_or_streams", "wake.request.one_turn", "client.python.every_verb")
def test_a_receiver_is_given_each_wake_once_over_a_killed_server() -> None:
    with served() as server, Waypost(start=False, retries=Retries(times=1)) as post:
        attach(post)
        first = wake(server)
        with post.wakes.receive(session="S1", project="default/api") as receiver:
            given = next(receiver)
            assert given.key == (first, 1)
            assert first in given.notice
            assert "melons" not in given.notice
            assert given.accepted().status == "open"
            server.stop(signal.SIGKILL)
            with served() as again:
                second = wake(again, body="another", delay_seconds=1)
                later = next(receiver)
                assert later.key == (second, 1)
                assert later.retry().accepted is False
                assert next(receiver).key == (second, 1), "what was given back is handed out again"


@promise("wake.receiver.polls_or_streams")
def test_a_receiver_for_asyncio_does_the_same() -> None:
    async def receive(sent: str) -> None:
        async with AsyncWaypost(start=False) as post, post.wakes.receive(session="S1", project="api") as receiver:
            given = await anext(receiver)
            assert given.key == (sent, 1)
            assert (await given.accepted()).accepted is True

    with served() as server:
        with Waypost(start=False) as post:
            attach(post)
        asyncio.run(asyncio.wait_for(receive(wake(server)), 60))


@promise("wake.receiver.nothing_started")
def test_a_session_that_nobody_registered_is_refused_and_none_is_woken_for_being_recorded() -> None:
    with served() as server, Waypost(start=False) as post:
        attach(post)
        sent = wake(server)
        with pytest.raises(errors.WaypostError) as refused:
            next(post.wakes.receive(project="default/api"))
        assert refused.value.code == "session_required"
        message = post.messages.view(sent, project="default/api").message
        assert message.wake is None, "a recorded session was woken although no receiver asked for it"
