"""A record that a newer Waypost wrote stands in nobody's way: what works through open mail passes over it and leaves it as it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.office import Office
from tests.promises.marks import promise
from waypost.kernel.time import SECOND, format_instant
from waypost.mail.store import expired_messages
from waypost.store.interface import Query, Row

NEWER = Query(name="newer", text="update messages set format = 2 where id = :id")


def make_newer(office: Office, message_id: str) -> None:
    office.waypost.store.write(lambda tx: tx.execute(NEWER, {"id": message_id}))


def row_of(office: Office, message_id: str) -> list[Row]:
    return office.rows(f"select * from messages where id = '{message_id}'")


@pytest.fixture
def receiver(office: Office) -> Office:
    """Project b with a session that is attached."""
    office.run("session.put", project="b", session_id="B1")
    return office


@promise("record.format.newer_skipped")
def test_a_wake_that_cannot_be_read_does_not_hide_the_next_one(receiver: Office) -> None:
    first = receiver.send(delivery="wake", body="first")["message_id"]
    receiver.clock.pass_seconds(1)
    second = receiver.send(delivery="wake", body="second")["message_id"]
    make_newer(receiver, first)
    wake = receiver.run("wake.reserve", project="b", session="B1")["wake"]
    assert wake["message_id"] == second


@promise("record.format.newer_skipped")
def test_cancelling_everything_rewrites_nothing_that_cannot_be_read(office: Office) -> None:
    newer, known = office.send(body="newer")["message_id"], office.send(body="known")["message_id"]
    make_newer(office, newer)
    before = row_of(office, newer)
    cancelled = office.run("message.cancel_all", project="a", all=True)
    assert [message["message_id"] for message in cancelled["messages"]] == [known]
    assert row_of(office, newer) == before


@promise("record.format.newer_skipped")
def test_expired_mail_that_cannot_be_read_does_not_keep_the_rest_open(office: Office) -> None:
    soon = format_instant(office.clock.at + 10 * SECOND)
    for number in range(3):
        make_newer(office, office.send(body=f"newer {number}", expires_at=soon)["message_id"])
    known = office.send(body="known", expires_at=soon)["message_id"]
    office.clock.pass_seconds(10)
    found = office.waypost.store.write(lambda tx: [message.id for message in expired_messages(tx, limit=2)])
    assert found == [known]


@promise("record.format.newer_skipped", "agent.block.format")
def test_a_briefing_shows_what_can_be_read_beside_what_cannot(receiver: Office) -> None:
    bound: Any = {"project": "b", "session": "B1"}
    newer = receiver.run("message.send", **bound, body="newer")["message_id"]
    make_newer(receiver, newer)
    assert receiver.run("briefing.show", **bound)["inbox_block"] is None
    assert receiver.run("activity.claims", project="b")["items"] == []
