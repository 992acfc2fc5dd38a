"""The rules of leases, as a machine of random commands against a model, and each promise by itself at its very instant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from tests.promises.marks import promise
from tests.rules.lease_machine import LEASE_SECONDS, LINEAGE, LeaseMachine, Looked
from tests.rules.test_mail_rules import NOW, code, message
from waypost.kernel.errors import WaypostError
from waypost.kernel.time import MINUTE, SECOND
from waypost.mail.lease_rules import Held, claim, complete, release, renew, snooze
from waypost.mail.models import Lease, Limits, Message, Reader, Status, Wake
from waypost.mail.rules import ack, cancel, pop

LIMITS = Limits(lease=LEASE_SECONDS * SECOND)
HELD_UNTIL = NOW + 30 * MINUTE


class PureDesk:
    """The rules with no store: the message in one hand, the acks in the other."""

    def __init__(self) -> None:
        self.now = NOW
        self.count = 0

    def send(self, *, actionable: bool, to_session: str | None, due_in: int) -> int:
        self.mail = message(
            actionable=actionable or due_in > 0,
            to_session=to_session,
            created_at=self.now,
            due_at=self.now + due_in * SECOND,
        )
        self.acks: dict[str, int] = {}
        return self.now

    def pass_seconds(self, seconds: int) -> int:
        self.now += seconds * SECOND
        return self.now

    def do(self, verb: str, session: str, **fields: Any) -> tuple[str | None, dict[str, Any]]:
        try:
            return None, getattr(self, f"_{verb}")(session, **fields)
        except WaypostError as refusal:
            return refusal.code, {}

    def cancel(self) -> str | None:
        sender = Reader(project_id="A", user_id=None, session=None)
        try:
            self.mail = cancel(self.mail, sender, occurrence=None, now=self.now, outcome=None)
        except WaypostError as refusal:
            return refusal.code
        return None

    def look(self) -> Looked:
        lease = self.mail.lease_at(self.now)
        return Looked(
            status=self.mail.status.value,
            occurrence=self.mail.occurrence,
            version=self.mail.version,
            due_at=self.mail.due_at,
            outcome=self.mail.outcome,
            lease=(lease.holder, lease.until, self.mail.generation) if lease else None,
        )

    def unread(self, session: str | None) -> bool:
        if self.mail.status is not Status.OPEN or self.mail.due_at > self.now:
            return False
        if session is None:
            return not any(map(self._acked, self.acks))
        return reader(session).receives(self.mail) and not any(map(self._acked, LINEAGE[session]))

    def _acked(self, session: str) -> bool:
        at, lapsed = self.acks.get(session), self.mail.lapsed_at(self.now)
        return at is not None and (lapsed is None or at >= lapsed)

    def _claim(self, session: str, *, occurrence: int) -> dict[str, Any]:
        self.count += 1
        lapsed = self.mail.lapsed_at(self.now)
        found = claim(
            self.mail,
            reader(session),
            session=session,
            occurrence=occurrence,
            token=f"token {self.count}",
            now=self.now,
            limits=LIMITS,
        )
        if not found.repeated:
            self.acks = {who: at for who, at in self.acks.items() if lapsed is None or at >= lapsed}
            self.acks[session] = self.now
        self.mail = found.message
        return {"token": found.lease.token, "repeated": found.repeated}

    def _held(self, session: str, occurrence: int, token: str) -> Held:
        return Held(reader=reader(session), session=session, occurrence=occurrence, token=token)

    def _renew(self, session: str, *, occurrence: int, token: str) -> dict[str, Any]:
        self.mail = renew(self.mail, self._held(session, occurrence, token), now=self.now, limits=LIMITS)
        return {}

    def _release(self, session: str, *, occurrence: int, token: str) -> dict[str, Any]:
        self.mail = release(self.mail, self._held(session, occurrence, token), now=self.now)
        self.acks = {}
        return {}

    def _complete(self, session: str, *, occurrence: int, token: str, outcome: str) -> dict[str, Any]:
        self.mail = complete(self.mail, self._held(session, occurrence, token), outcome=outcome, now=self.now)
        return {"version": self.mail.version}

    def _snooze(self, session: str, *, occurrence: int, token: str, outcome: str, delay_seconds: int) -> dict[str, Any]:
        due = self.now + delay_seconds * SECOND
        self.mail = snooze(self.mail, self._held(session, occurrence, token), outcome=outcome, due_at=due, now=self.now)
        self.acks = {}
        return {}

    def _ack(self, session: str, *, occurrence: int) -> dict[str, Any]:
        open_before = self.mail.status is Status.OPEN
        self.mail = ack(self.mail, reader(session), occurrence=occurrence, now=self.now)
        if open_before and not self._acked(session):
            self.acks[session] = self.now
        return {}

    def _pop(self, session: str) -> dict[str, Any]:
        self.mail = pop(self.mail, reader(session), now=self.now)
        return {}


def reader(session: str) -> Reader:
    """The inbox of one of the machine's sessions."""
    return Reader(project_id="Q" if session == "X" else "P", user_id=None, session=session, lineage=LINEAGE[session])


@promise(
    "mail.claim.one_owner",
    "mail.claim.refused_while_held",
    "mail.claim.not_actionable",
    "mail.claim.not_due",
    "mail.claim.repeat_same_token",
    "mail.claim.generation_rises",
    "mail.claim.expired_is_free",
    "mail.complete.stale_token_refused",
    "mail.order.of_checks",
)
def test_no_order_of_commands_gives_a_message_two_owners_or_lets_an_old_token_finish_it() -> None:
    class Machine(LeaseMachine):
        desk = PureDesk()

    run_state_machine_as_test(Machine, settings=settings(max_examples=300, stateful_step_count=40, deadline=None))


def held(session: str = "S1", token: str = "t") -> Held:
    """A holder's words."""
    return Held(reader=reader(session), session=session, occurrence=1, token=token)


def claimed(**changes: Any) -> Message:
    """Actionable mail under a lease of S1 that lasts 30 minutes from now."""
    lease = Lease(holder="S1", token="t", until=HELD_UNTIL)
    return message(**{"actionable": True, "lease": lease, "generation": 1, "first_read_at": NOW} | changes)


ACTS: dict[str, Callable[[Message, Held, int], Message]] = {
    "renew": lambda mail, who, now: renew(mail, who, now=now, limits=LIMITS),
    "release": lambda mail, who, now: release(mail, who, now=now),
    "complete": lambda mail, who, now: complete(mail, who, outcome="done", now=now),
    "snooze": lambda mail, who, now: snooze(mail, who, outcome="later", due_at=now + 1, now=now),
}


@promise("mail.complete.stale_token_refused", "mail.claim.expired_is_free")
@pytest.mark.parametrize("verb", ACTS)
def test_a_lease_ends_at_its_very_instant(verb: str) -> None:
    act = ACTS[verb]
    assert code(lambda: act(claimed(), held(), HELD_UNTIL - 1)) is None
    assert code(lambda: act(claimed(), held(), HELD_UNTIL)) == "lease_lost"


@promise("mail.complete.needs_token_and_outcome", "mail.complete.stale_token_refused")
@pytest.mark.parametrize("verb", ACTS)
def test_only_the_session_that_claimed_finishes_and_only_with_its_token(verb: str) -> None:
    act = ACTS[verb]
    assert code(lambda: act(claimed(), held("S2"), NOW)) == "lease_lost", "another session with the right token"
    assert code(lambda: act(claimed(), held("S3"), NOW)) == "lease_lost", "a session that continues the holder"
    assert code(lambda: act(claimed(), held(token="T"), NOW)) == "lease_lost"
    assert code(lambda: act(claimed(lease=None), held(), NOW)) == "lease_lost"


@promise("mail.renew.extends", "mail.claim.repeat_same_token")
def test_a_renewed_lease_counts_from_now_and_a_repeated_claim_does_not() -> None:
    later = NOW + 10 * MINUTE
    assert renew(claimed(), held(), now=later, limits=Limits()).lease == Lease(
        holder="S1", token="t", until=later + 30 * MINUTE
    )
    again = claim(claimed(), reader("S1"), session="S1", occurrence=1, token="other", now=later, limits=Limits())
    assert (again.repeated, again.message, again.lease.token) == (True, claimed(), "t")


@promise("mail.release.frees", "mail.claim.generation_rises")
def test_a_released_message_is_unread_by_everybody_and_keeps_its_generation() -> None:
    freed = release(claimed(), held(), now=NOW + 5)
    assert (freed.lease, freed.first_read_at, freed.generation) == (None, None, 1)
    again = claim(freed, reader("S2"), session="S2", occurrence=1, token="u", now=NOW + 5, limits=LIMITS)
    assert again.message.generation == 2


@promise("mail.complete.idempotent")
@given(later=st.integers(0, 10**12), who=st.sampled_from(["S1", "S2", "S3"]), token=st.sampled_from(["t", "T"]))
def test_a_complete_is_answered_again_to_the_one_that_completed_however_late(later: int, who: str, token: str) -> None:
    done = complete(claimed(), held(), outcome="fixed", now=NOW)
    if (who, token) == ("S1", "t"):
        assert complete(done, held(), outcome="something else", now=NOW + later) is done
    else:
        assert code(lambda: complete(done, held(who, token), outcome="x", now=NOW + later)) == "already_closed"
    assert code(lambda: complete(done, replace(held(), occurrence=2), outcome="x", now=NOW)) == "stale_occurrence"


@promise("mail.snooze.next_occurrence", "mail.snooze.keeps_id_and_history")
def test_a_snooze_begins_the_next_occurrence_anew() -> None:
    mail = claimed(wake=Wake(owner="r", token="w", until=NOW + 9, accepted=True, count=1), outcome="first look")
    later = snooze(mail, held(), outcome="no fix yet", due_at=NOW + MINUTE, now=NOW)
    assert (later.id, later.occurrence, later.due_at, later.outcome) == ("M", 2, NOW + MINUTE, "no fix yet")
    assert (later.lease, later.first_read_at, later.wake) == (None, None, None)
    assert (later.reminder, later.status, later.generation) == (True, Status.OPEN, 1)


@promise("mail.snooze.needs_future_time")
@given(offset=st.integers(-(10**9), 10**9))
def test_a_snooze_goes_to_the_future_alone(offset: int) -> None:
    def act() -> Message:
        return snooze(claimed(), held(), outcome="later", due_at=NOW + offset, now=NOW)

    assert code(act) == (None if offset > 0 else "invalid_input")


@promise("mail.snooze.needs_future_time")
def test_a_snooze_beyond_the_expiry_is_refused_because_it_would_never_come() -> None:
    mail = claimed(expires_at=NOW + MINUTE)
    assert code(lambda: snooze(mail, held(), outcome="x", due_at=NOW + MINUTE, now=NOW)) == "invalid_input"
    assert code(lambda: snooze(mail, held(), outcome="x", due_at=NOW + MINUTE - 1, now=NOW)) is None


@promise("mail.cancel.claimed")
def test_the_sender_withdraws_claimed_work_and_its_lease_with_it() -> None:
    sender = Reader(project_id="A", user_id=None, session=None)
    gone = cancel(claimed(), sender, occurrence=None, now=NOW, outcome=None)
    assert (gone.status, gone.lease) == (Status.CANCELLED, None)
    assert code(lambda: complete(gone, held(), outcome="x", now=NOW)) == "already_closed"
    assert code(lambda: cancel(claimed(), reader("S1"), occurrence=None, now=NOW, outcome=None)) == "already_claimed"
    lapsed = cancel(claimed(), reader("S2"), occurrence=None, now=HELD_UNTIL, outcome=None)
    assert lapsed.status is Status.CANCELLED


@promise("mail.pop.leased_is_skipped")
def test_a_pop_takes_nothing_that_somebody_holds_and_anything_that_nobody_holds_any_more() -> None:
    assert code(lambda: pop(claimed(), reader("S2"), now=HELD_UNTIL - 1)) == "already_claimed"
    taken = pop(claimed(), reader("S2"), now=HELD_UNTIL)
    assert (taken.status, taken.lease) == (Status.DONE, None)


@promise("mail.send.derived_repeat", "mail.claim.expired_is_free")
@pytest.mark.parametrize(
    ("read", "now", "expected"), [(NOW, NOW, NOW), (NOW, HELD_UNTIL, None), (HELD_UNTIL, HELD_UNTIL, HELD_UNTIL)]
)
def test_what_was_read_before_a_lease_ran_out_is_unread_again(read: int, now: int, expected: int | None) -> None:
    assert claimed(first_read_at=read).read_at(now) == expected
