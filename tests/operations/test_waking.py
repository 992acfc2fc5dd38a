"""wake: look, reserve, accepted, retry over both engines: one receiver, nothing read, and when to look again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.office import START, Office, refused
from tests.promises.marks import promise
from waypost.kernel.time import MINUTE, SECOND, parse_instant


@pytest.fixture
def receivers(office: Office) -> Office:
    """Project b with two sessions that are attached."""
    for session in ("B1", "B2"):
        office.run("session.put", project="b", session_id=session)
    return office


def reserve(office: Office, session: str = "B1", **fields: Any) -> Any:
    return office.run("wake.reserve", project="b", session=session, **fields)["wake"]


def report(office: Office, verb: str, wake: Any, session: str = "B1", **changes: Any) -> Any:
    said = {name: wake[name] for name in ("message_id", "occurrence", "token")} | changes
    return office.run(f"wake.{verb}", project="b", session=session, **said)


@promise(
    "wake.reserve.one_receiver",
    "wake.accepted.not_read",
    "wake.request.one_turn",
    "wake.host.deduplicates",
    "wake.occurrence.once",
)
def test_one_receiver_is_given_a_wake_and_accepting_it_reads_nothing(receivers: Office) -> None:
    sent = receivers.send(delivery="wake", body="melons")["message_id"]
    wake = reserve(receivers)
    assert (wake["message_id"], wake["occurrence"]) == (sent, 1)
    assert parse_instant(wake["until"], field="until") == START + MINUTE
    assert sent in wake["notice"]
    assert "default/b" in wake["notice"]
    assert "melons" not in wake["notice"]
    assert reserve(receivers, "B2") is None
    answer = report(receivers, "accepted", wake)
    assert (answer["accepted"], answer["status"]) == (True, "open")
    assert report(receivers, "accepted", wake) == answer, "a repeat is answered the same"
    assert receivers.ids(project="b", session="B1") == [sent], "an accepted wake is not a read message"
    kinds = [entry["kind"] for entry in receivers.run("activity.list", project="b")["items"]]
    assert kinds.count("message.woken") == 1
    shown = receivers.run("message.view", project="b", message_id=sent)["message"]["wake"]
    assert (shown["owner"], shown["accepted"], set(shown)) == ("B1", True, {"owner", "until", "accepted"})
    receivers.clock.pass_seconds(100_000)
    assert reserve(receivers) is reserve(receivers, "B2") is None
    assert receivers.run("wake.look", project="b", session="B2")["wake"] is None


@promise("wake.occurrence.once")
def test_a_lease_that_ran_out_unfinished_asks_for_another_turn_three_in_all(receivers: Office) -> None:
    sent = receivers.send(delivery="wake", actionable=True)["message_id"]
    for _ in range(3):
        report(receivers, "accepted", reserve(receivers))
        receivers.run("message.claim", project="b", session="B1", message_id=sent, occurrence=1)
        assert reserve(receivers, "B2") is None
        receivers.clock.pass_seconds(30 * 60)
    assert reserve(receivers) is None
    claimed = receivers.run("message.claim", project="b", session="B2", message_id=sent, occurrence=1)
    snoozed = {"message_id": sent, "occurrence": 1, "token": claimed["token"], "outcome": "later", "delay_seconds": 60}
    receivers.run("message.snooze", project="b", session="B2", **snoozed)
    assert reserve(receivers) is None
    receivers.clock.pass_seconds(60)
    assert reserve(receivers)["occurrence"] == 2, "the next occurrence wakes anew"


@promise("wake.reserve.one_receiver")
def test_a_receiver_that_could_start_no_turn_gives_it_back(receivers: Office) -> None:
    receivers.send(delivery="wake")
    wake = reserve(receivers)
    assert report(receivers, "retry", wake)["accepted"] is False
    looked = receivers.run("wake.look", project="b", session="B2")
    assert (looked["wake"], looked["retry"]) == (None, True)
    assert parse_instant(looked["next_due_at"], field="next_due_at") == START + 5 * SECOND
    receivers.clock.pass_seconds(5)
    other = reserve(receivers, "B2")
    assert other["message_id"] == wake["message_id"]
    with refused(receivers, "lease_lost"):
        report(receivers, "accepted", wake)


@promise("wake.occurrence.once", "wake.receiver.absent_stays_pending", "wake.receiver.polls_or_streams")
def test_a_look_says_what_asks_now_and_when_time_alone_makes_the_next_ask(receivers: Office) -> None:
    later = receivers.send(delivery="wake", delay_seconds=60)["message_id"]
    receivers.send()
    looked = receivers.run("wake.look", project="b", session="B1")
    assert (looked["wake"], parse_instant(looked["next_due_at"], field="n")) == (None, START + MINUTE)
    receivers.clock.pass_seconds(60)
    looked = receivers.run("wake.look", project="b", session="B1")
    assert (looked["wake"], looked["retry"]) == ({"message_id": later, "occurrence": 1}, False)
    receivers.run("message.ack", project="b", session="B1", message_id=later, occurrence=1)
    assert receivers.run("wake.look", project="b", session="B1")["wake"] is None, (
        "what a session has read wakes it no more"
    )
    assert receivers.run("wake.look", project="b", session="B2")["wake"] is not None


@promise("wake.reserve.one_receiver")
def test_only_a_known_recipient_session_is_given_a_wake(receivers: Office) -> None:
    sent = receivers.send(delivery="wake", to_session="B1")["message_id"]
    for operation in ("wake.reserve", "wake.look"):
        with refused(receivers, "session_required"):
            receivers.run(operation, project="b")
    assert reserve(receivers, "B2") is None
    with refused(receivers, "not_recipient"):
        reserve(receivers, "B2", message_id=sent)
    assert reserve(receivers, message_id=sent)["message_id"] == sent
    with refused(receivers, "already_claimed"):
        reserve(receivers, message_id=sent)
