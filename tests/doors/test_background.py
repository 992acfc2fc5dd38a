"""Work in the background: what has expired is closed and journalled, what is old goes, and nothing is written otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from waypost.kernel.time import DAY, SECOND
from waypost.server.background import MESSAGES_AT_ONCE, Swept, close_expired, keep_house, sweep
from waypost.server.context import ServerContext
from waypost.store.interface import Transaction
from waypost.store.journal import bounds, entries_after

NOTHING = Swept(expired=0, answers=0, entries=0, consumers=0)


class SetClock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.time = 1_900_000_000 * SECOND

    def now(self) -> int:
        return self.time


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


async def keep_nothing(context: ServerContext) -> None:
    """In the place of the sweeps that the server itself would run beside those of the test."""


@pytest.fixture
def rest(door_place: str, clock: SetClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[RestDoor]:
    monkeypatch.setattr("waypost.server.app.keep_house", keep_nothing)
    with RestDoor(door_place, clock=clock) as door:
        yield door


def swept(rest: RestDoor) -> Swept:
    done = rest.run(sweep(rest.context))
    assert isinstance(done, Swept)
    return done


@promise("decision.answer.exactly_one")
def test_a_question_past_its_expiry_is_closed_and_takes_no_answer(rest: RestDoor, clock: SetClock) -> None:
    body = "question: Ship?\nreply_project: a\noptions:\n- id: yes\n  label: Yes\n- id: no\n  label: No"
    asked = rest.send(subject="decision: Ship?", body=body, expires_at="2030-03-17T18:00:00Z")["message_id"]
    clock.time += DAY
    given = {"project": "b", "option": "yes"}
    assert rest.refused("POST", f"/v1/decisions/{asked}/answer", given)["code"] == "already_closed"
    assert swept(rest).expired == 2, "the message and its question"
    decision = rest.ok("GET", f"/v1/decisions/{asked}?project=a")["decision"]
    assert (decision["state"], decision["version"]) == ("expired", 2)


@promise("mail.expiry.by_sender")
def test_mail_past_its_time_is_closed_as_a_change_of_the_servers(rest: RestDoor, clock: SetClock) -> None:
    sent = rest.send(expires_at="2030-03-17T18:00:00Z")["message_id"]
    clock.time += DAY
    assert swept(rest) == Swept(expired=1, answers=0, entries=0, consumers=0)
    viewed = rest.ok("GET", f"/v1/messages/{sent}?project=b")
    assert (viewed["message"]["status"], viewed["message"]["version"]) == ("expired", 2)
    last = rest.waypost.store.read(lambda tx: entries_after(tx, bounds(tx).head - 1, limit=1))[0]
    assert (last.kind, last.subject_id, last.version, last.actor.door) == ("message.expired", sent, 2, "server")
    assert swept(rest) == NOTHING


@promise("mail.expiry.read_information", "mail.expiry.unread_never")
def test_only_information_that_was_read_expires_by_itself_after_thirty_days(rest: RestDoor, clock: SetClock) -> None:
    texts = {"read": {}, "unread": {}, "actionable": {"actionable": True}}
    sent = {name: rest.send(body=name, **fields)["message_id"] for name, fields in texts.items()}
    for name in ("read", "actionable"):
        acting = {"project": "b", "session": "S1", "occurrence": 1}
        rest.ok("POST", f"/v1/messages/{sent[name]}/ack", acting)
    clock.time += 30 * DAY - 1
    assert swept(rest).expired == 0
    clock.time += 1
    assert swept(rest).expired == 1
    clock.time += 300 * DAY
    assert swept(rest).expired == 0
    status = {
        name: rest.ok("GET", f"/v1/messages/{message}?project=b")["message"]["status"] for name, message in sent.items()
    }
    assert status == {"read": "expired", "unread": "open", "actionable": "open"}


@promise("idempotency.key.kept_a_day")
def test_answers_of_keys_go_after_a_day(rest: RestDoor, clock: SetClock) -> None:
    body = {"from_project": "a", "to_project": "b", "body": "once", "repeat": True}
    rest.ok("POST", "/v1/messages", body, headers={"Idempotency-Key": "k"})
    clock.time += DAY - 1
    assert swept(rest) == NOTHING
    assert (
        rest.ask("POST", "/v1/messages", body, headers={"Idempotency-Key": "k"}).headers["idempotency-status"]
        == "replayed"
    )
    clock.time += 2
    assert swept(rest) == Swept(expired=0, answers=1, entries=0, consumers=0)


@promise("feed.retention.ninety_days")
def test_journal_entries_go_after_ninety_days_but_for_the_last(rest: RestDoor, clock: SetClock) -> None:
    head = rest.journal()
    clock.time += 90 * DAY
    assert swept(rest) == NOTHING
    clock.time += 1
    assert swept(rest).entries == head - 1
    assert rest.waypost.store.read(bounds).first == head


@promise("feed.consumer.forgotten_unused")
def test_consumers_that_committed_nothing_for_ninety_days_go(rest: RestDoor, clock: SetClock) -> None:
    rest.ok("PUT", "/v1/changes/consumers/copier", {})
    clock.time += 90 * DAY
    assert swept(rest).consumers == 0
    clock.time += 1
    assert swept(rest).consumers == 1
    assert rest.refused("GET", "/v1/changes/consumers/copier")["code"] == "not_found"


@promise("store.jobs.short_units")
def test_a_unit_closes_no_more_than_a_few_and_others_write_between_units(rest: RestDoor, clock: SetClock) -> None:
    many = 3 * MESSAGES_AT_ONCE + 1
    for number in range(many):
        rest.send(body=f"number {number}", expires_at="2030-03-17T18:00:00Z")
    clock.time += DAY
    sizes: list[int] = []

    def noted(tx: Transaction) -> int:
        sizes.append(close_expired(tx))
        return sizes[-1]

    store = rest.waypost.store
    while store.write(noted):
        pass
    assert sizes == [MESSAGES_AT_ONCE] * 3 + [1, 0]


def test_the_house_is_kept_from_the_start_and_again_after_each_pause(rest: RestDoor, clock: SetClock) -> None:
    rest.send(expires_at="2030-03-17T18:00:00Z")
    clock.time += DAY

    async def wait_for_sweep() -> None:
        house = asyncio.create_task(keep_house(rest.context, pause=0.0))
        while not any(event["event"] == "swept" for event in rest.events):  # noqa: ASYNC110 - a list sets no event
            await asyncio.sleep(0)
        house.cancel()

    rest.run(wait_for_sweep())
    noted = next(event for event in rest.events if event["event"] == "swept")
    assert noted["expired"] == 1


def test_a_store_that_fails_is_tried_again(rest: RestDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    rest.waypost.close()

    async def wait_for_failures() -> None:
        house = asyncio.create_task(keep_house(rest.context, pause=0.0))
        while [event["event"] for event in rest.events].count("sweep failed") < 2:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)
        house.cancel()

    rest.run(wait_for_failures())
    failed = next(event for event in rest.events if event["event"] == "sweep failed")
    assert failed["code"] == "store_unavailable"
