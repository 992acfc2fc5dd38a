"""The rules of waking: one receiver at a time, one turn an occurrence, again after a lapsed lease, three in all, and nothing read by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.promises.marks import promise
from tests.rules.test_mail_rules import NOW, code, message
from waypost.kernel.errors import WaypostError
from waypost.kernel.time import MINUTE, SECOND
from waypost.mail.models import Delivery, Lease, Message, Reader, Status, Wake
from waypost.mail.wake_rules import MOST_WAKES, accept, asks_for_turn, give_back, reserve

READER = Reader(project_id="P", user_id=None, session="S1", lineage=("S1",))


def wake_mail(**changes: Any) -> Message:
    return message(delivery=Delivery.WAKE, **changes)


def reserved(**changes: Any) -> Message:
    return reserve(wake_mail(**changes), READER, session="S1", token="t", now=NOW)


@promise("wake.reserve.one_receiver")
def test_a_reservation_is_one_receivers_for_sixty_seconds() -> None:
    mail = reserved()
    assert not asks_for_turn(mail, NOW + MINUTE - 1)
    assert code(lambda: reserve(mail, READER, session="S2", token="u", now=NOW + MINUTE - 1)) == "already_claimed"
    again = reserve(mail, READER, session="S2", token="u", now=NOW + MINUTE)
    assert code(lambda: accept(again, occurrence=1, session="S1", token="t", now=NOW + MINUTE)) == "lease_lost"


@promise("wake.accepted.not_read")
def test_an_accepted_wake_reads_nothing_and_a_late_word_of_the_last_receiver_counts() -> None:
    mail = reserved()
    woken = accept(mail, occurrence=1, session="S1", token="t", now=NOW + 2 * MINUTE)
    assert woken.wake == Wake(owner="S1", token="t", until=NOW + 2 * MINUTE, accepted=True, count=1)
    assert replace(woken, wake=None, version=1) == replace(mail, wake=None), "more than the wake was changed"
    assert woken.version == mail.version + 1
    assert accept(woken, occurrence=1, session="S1", token="t", now=NOW + 3 * MINUTE) is woken


@promise("wake.occurrence.once")
def test_an_accepted_occurrence_asks_again_only_after_a_lease_ran_out_since() -> None:
    woken = accept(reserved(actionable=True), occurrence=1, session="S1", token="t", now=NOW + SECOND)
    assert not asks_for_turn(woken, NOW + 1_000 * MINUTE), "a missing ack must not start turn after turn"
    lease = Lease(holder="S1", token="l", until=NOW + 30 * MINUTE)
    held = replace(woken, lease=lease, generation=1)
    assert not asks_for_turn(held, NOW + 30 * MINUTE - 1)
    assert asks_for_turn(held, NOW + 30 * MINUTE)
    older = replace(woken, lease=replace(lease, until=NOW + SECOND))
    assert not asks_for_turn(older, NOW + MINUTE), "the lease had run out before the turn was started"


@promise("wake.occurrence.once")
def test_three_turns_are_started_for_an_occurrence_at_most() -> None:
    mail, now = wake_mail(actionable=True), NOW
    for _ in range(MOST_WAKES):
        mail = reserve(mail, READER, session="S1", token="t", now=now)
        mail = accept(mail, occurrence=1, session="S1", token="t", now=now)
        now += MINUTE
        mail = replace(mail, lease=Lease(holder="S1", token="l", until=now))
    assert not asks_for_turn(mail, now + MINUTE)


@promise("wake.occurrence.once")
@pytest.mark.parametrize(
    ("changes", "refused"),
    [
        ({"status": Status.DONE}, "already_closed"),
        ({"due_at": NOW + 1}, "not_due"),
        ({"to_session": "S9"}, "not_recipient"),
        ({"delivery": Delivery.NEXT_ACTIVITY}, "already_claimed"),
        ({"lease": Lease(holder="S2", token="l", until=NOW + 1)}, "already_claimed"),
    ],
)
def test_what_asks_for_no_turn_is_given_to_nobody(changes: dict[str, Any], refused: str) -> None:
    mail = message(**{"delivery": Delivery.WAKE, **changes})
    assert not asks_for_turn(mail, NOW) or refused == "not_recipient"
    assert code(lambda: reserve(mail, READER, session="S1", token="t", now=NOW)) == refused


@promise("wake.reserve.one_receiver")
@pytest.mark.parametrize(
    ("said", "refused"),
    [
        ({"occurrence": 2}, "stale_occurrence"),
        ({"session": "S2"}, "lease_lost"),
        ({"token": "other"}, "lease_lost"),
        ({"token": "tö"}, "lease_lost"),
    ],
)
@pytest.mark.parametrize("verb", [accept, give_back])
def test_only_who_was_given_the_wake_may_report_on_it(
    verb: Callable[..., Message], said: dict[str, Any], refused: str
) -> None:
    word = {"occurrence": 1, "session": "S1", "token": "t", **said}
    assert code(lambda: verb(reserved(), **word, now=NOW)) == refused


@promise("wake.reserve.one_receiver")
def test_a_wake_that_was_given_back_asks_again_after_five_seconds() -> None:
    back = give_back(reserved(), occurrence=1, session="S1", token="t", now=NOW)
    assert not asks_for_turn(back, NOW + 5 * SECOND - 1)
    assert asks_for_turn(back, NOW + 5 * SECOND)
    assert back.version == 1
    woken = accept(back, occurrence=1, session="S1", token="t", now=NOW + SECOND)
    assert code(lambda: give_back(woken, occurrence=1, session="S1", token="t", now=NOW + SECOND)) == "lease_lost"


class WakeMachine(RuleBasedStateMachine):
    """Random receivers and holders over one message, in virtual time, beside a count of what each occurrence may cost."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.mail = wake_mail(actionable=True)
        self.turns: list[int] = []
        self.lapses: list[int] = []
        self.tokens = 0

    def attempt(self, change: Callable[[], Message]) -> bool:
        try:
            self.mail = change()
        except WaypostError:
            return False
        return True

    @rule(seconds=st.sampled_from([1, 4, 5, 30, 59, 60, 61, 600]))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds * SECOND
        lease = self.mail.lease
        if lease is not None and lease.until <= self.now and lease.until not in self.lapses:
            self.lapses.append(lease.until)

    @rule(session=st.sampled_from(["S1", "S2"]))
    def reserve(self, session: str) -> None:
        reader = Reader(project_id="P", user_id=None, session=session, lineage=(session,))
        self.tokens += 1
        before = self.mail.wake
        if self.attempt(lambda: reserve(self.mail, reader, session=session, token=f"t{self.tokens}", now=self.now)):
            assert before is None or before.accepted or before.until <= self.now, "two receivers hold one wake"

    @rule(session=st.sampled_from(["S1", "S2"]), back=st.integers(0, 2), gives_back=st.booleans())
    def report(self, session: str, back: int, gives_back: bool) -> None:
        verb, before = (give_back if gives_back else accept), self.mail
        token = f"t{self.tokens - back}"
        if self.attempt(lambda: verb(self.mail, occurrence=1, session=session, token=token, now=self.now)):
            assert before.wake is not None
            assert (before.wake.owner, before.wake.token) == (session, token)
            if not gives_back and self.mail is not before:
                self.turns.append(self.now)

    @rule(seconds=st.sampled_from([1, 60, 120]))
    def claim(self, seconds: int) -> None:
        if self.mail.lease_at(self.now) is None:
            lease = Lease(holder="S1", token="l", until=self.now + seconds * SECOND)
            self.mail = replace(self.mail, lease=lease, generation=self.mail.generation + 1)

    @invariant()
    def turns_are_bounded(self) -> None:
        assert len(self.turns) <= min(MOST_WAKES, 1 + len(self.lapses))


@promise("wake.occurrence.once", "wake.reserve.one_receiver")
def test_whatever_receivers_and_holders_do_turns_stay_within_their_bounds() -> None:
    run_state_machine_as_test(WakeMachine, settings=settings(max_examples=150, stateful_step_count=40, deadline=None))
