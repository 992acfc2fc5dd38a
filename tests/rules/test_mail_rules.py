"""The rules of mail as properties, and as a machine of random commands against a small model that knows nothing of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.promises.marks import promise
from waypost.kernel.errors import WaypostError
from waypost.kernel.time import DAY, MINUTE, SECOND
from waypost.mail.models import Delivery, Lease, Limits, Message, Reader, Sender, Status
from waypost.mail.rules import ack, cancel, content_digest, is_repeat, is_replay, plan_timing, pop

NOW = 1_764_000_000 * SECOND
LIMITS = Limits()
READERS = {
    "session": Reader(project_id="P", user_id="U", session="S1", lineage=("S1",)),
    "other session": Reader(project_id="P", user_id="U", session="S2", lineage=("S2",)),
    "no session": Reader(project_id="P", user_id="U", session=None),
    "stranger": Reader(project_id="Q", user_id="V", session="S3", lineage=("S3",)),
}


def message(**changes: Any) -> Message:
    """Open, informational mail from project A to project P, due now."""
    plain = Message(
        id="M",
        workspace="default",
        mailbox_id="P",
        to_session=None,
        sender=Sender(project_id="A", session=None, client=None, user=None, door="rest", source="explicit"),
        subject="",
        body="hello",
        actionable=False,
        reminder=False,
        delivery=Delivery.NEXT_ACTIVITY,
        created_at=NOW,
        due_at=NOW,
        expires_at=None,
        occurrence=1,
        status=Status.OPEN,
        version=1,
        lease=None,
        generation=0,
        wake=None,
        outcome=None,
        closed_at=None,
        closed_by_session=None,
        closed_by_project=None,
        reply_to=None,
        thread="M",
        about_session=None,
        about_turn=None,
        first_read_at=None,
        digest="",
    )
    return replace(plain, **changes)


messages = st.builds(
    message,
    to_session=st.sampled_from([None, "S1", "S9"]),
    actionable=st.booleans(),
    due_at=st.sampled_from([NOW - 1, NOW, NOW + 1]),
    expires_at=st.sampled_from([None, NOW, NOW + 1]),
    occurrence=st.integers(1, 3),
    status=st.sampled_from(list(Status)),
    version=st.integers(1, 5),
    lease=st.sampled_from(
        [None, Lease(holder="S1", token="t", until=NOW), Lease(holder="S2", token="t", until=NOW + 1)]
    ),
    first_read_at=st.sampled_from([None, NOW - 5]),
)
readers = st.sampled_from(list(READERS.values()))


def code(call: Any) -> str | None:
    """The refusal's code, or None."""
    try:
        call()
    except WaypostError as error:
        return error.code
    return None


@promise("mail.order.of_checks", "mail.pop.only_due", "mail.pop.not_recipient")
@given(messages, readers)
def test_a_pop_is_refused_by_the_first_check_that_fails(mail: Message, reader: Reader) -> None:
    if not reader.receives(mail):
        expected: str | None = "not_recipient"
    elif mail.status_at(NOW) is not Status.OPEN:
        expected = "already_closed"
    elif mail.due_at > NOW:
        expected = "not_due"
    elif mail.lease is not None and mail.lease.until > NOW:
        expected = "already_claimed"
    else:
        expected = None
    assert code(lambda: pop(mail, reader, now=NOW)) == expected


@promise("record.version.rises", "mail.pop.closes")
@given(messages, readers, st.booleans())
def test_a_change_raises_the_version_by_one_and_never_reopens(mail: Message, reader: Reader, sender: bool) -> None:
    who = replace(reader, project_id="A") if sender else reader
    changes: tuple[Callable[[], Message], ...] = (
        lambda: pop(mail, reader, now=NOW),
        lambda: cancel(mail, who, occurrence=None, now=NOW, outcome=None),
        lambda: ack(mail, reader, occurrence=mail.occurrence, now=NOW),
    )
    for change in changes:
        try:
            after = change()
        except WaypostError:
            continue
        visible = replace(after, first_read_at=mail.first_read_at)
        assert visible == mail or (after.version == mail.version + 1 and after.status is not Status.OPEN)
        assert (after.body, after.sender, after.created_at, after.occurrence) == (
            mail.body,
            mail.sender,
            mail.created_at,
            mail.occurrence,
        )


@promise("mail.cancel.idempotent", "mail.cancel.who")
@given(messages, readers)
def test_cancelling_twice_is_cancelling_once_and_a_stranger_never_does(mail: Message, reader: Reader) -> None:
    own = replace(reader, project_id="A", user_id=None)
    if mail.status_at(NOW) in {Status.OPEN, Status.CANCELLED}:
        once = cancel(mail, own, occurrence=None, now=NOW, outcome=None)
        assert cancel(once, own, occurrence=None, now=NOW + DAY, outcome="again") == once
    stranger = READERS["stranger"]
    assert code(lambda: cancel(mail, stranger, occurrence=None, now=NOW, outcome=None)) == "not_recipient"


@promise("mail.ack.harmless_repeat")
@given(messages, readers)
def test_an_ack_twice_is_an_ack_once(mail: Message, reader: Reader) -> None:
    try:
        once = ack(mail, reader, occurrence=mail.occurrence, now=NOW)
    except WaypostError:
        return
    assert ack(once, reader, occurrence=mail.occurrence, now=NOW + 1) == once


@promise("mail.pop.replayed")
@given(readers, readers, st.integers(0, 2 * DAY))
def test_a_pop_is_replayed_to_the_one_that_popped_and_to_nobody_else(first: Reader, second: Reader, later: int) -> None:
    if not first.receives(message()):
        return
    popped = pop(message(), first, now=NOW)
    same = first == second
    assert is_replay(popped, second, now=NOW + later, limits=LIMITS) == (same and later <= DAY)


@promise("mail.send.derived_repeat", "mail.send.derived_not_after_cancel")
@given(
    st.sampled_from(list(Status)),
    st.sampled_from([None, NOW]),
    st.integers(0, 12 * MINUTE),
)
def test_a_repeat_is_recognised_in_its_window_and_no_longer(status: Status, read: int | None, age: int) -> None:
    earlier = message(status=status, first_read_at=read)
    unread = status is Status.OPEN and read is None
    expected = status is not Status.CANCELLED and age <= 10 * MINUTE and (unread or age < MINUTE)
    assert is_repeat(earlier, now=NOW + age, limits=LIMITS) == expected


@promise("mail.send.derived_repeat")
@given(st.dictionaries(st.sampled_from(["subject", "body", "due_at", "to_session"]), st.text(max_size=5), min_size=1))
def test_any_difference_in_content_makes_another_send(changes: dict[str, str]) -> None:
    plain: dict[str, str | int | bool | None] = {"subject": "", "body": "", "due_at": None, "to_session": None}
    changed = plain | changes
    same = plain == changed
    sender = message().sender
    assert (content_digest(sender, "P", plain) == content_digest(sender, "P", changed)) == same
    assert content_digest(sender, "P", plain) != content_digest(sender, "Q", plain)
    assert content_digest(sender, "P", plain) != content_digest(replace(sender, session="S"), "P", plain)


@promise("mail.due.input_checked")
@given(st.integers(-(10**12), 10**12))
def test_a_delay_is_positive_and_counts_from_now(seconds: int) -> None:
    def plan() -> Any:
        return plan_timing(due_at=None, delay_seconds=seconds, expires_at=None, now=NOW)

    if 0 < seconds <= 100 * 365 * 24 * 3600:
        assert plan().due_at == NOW + seconds * SECOND
        assert plan().reminder
    else:
        assert code(plan) == "invalid_input"


@dataclass
class Model:
    """What a person would keep in mind about one message, with nothing of the rules in it."""

    taken_by: str | None = None
    cancelled: bool = False
    read_by: set[str] = field(default_factory=set)


class MailMachine(RuleBasedStateMachine):
    """Random pops, acks and cancels of one message by several readers, in virtual time."""

    @initialize(actionable=st.booleans(), to_session=st.sampled_from([None, "S1"]), due=st.sampled_from([0, 5]))
    def send(self, actionable: bool, to_session: str | None, due: int) -> None:
        self.now = NOW
        self.mail = message(actionable=actionable, to_session=to_session, due_at=NOW + due)
        self.model = Model()

    @rule(seconds=st.integers(1, 4))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds

    @rule(name=st.sampled_from(sorted(READERS)))
    def pop(self, name: str) -> None:
        reader = READERS[name]
        allowed = self._may_take(name)
        try:
            self.mail = pop(self.mail, reader, now=self.now)
        except WaypostError:
            assert not allowed
            return
        assert allowed
        self.model.taken_by = name

    @rule(name=st.sampled_from(["session", "other session"]))
    def ack(self, name: str) -> None:
        reader = READERS[name]
        before = self.mail
        try:
            self.mail = ack(self.mail, reader, occurrence=1, now=self.now)
        except WaypostError:
            assert self.mail.due_at > self.now or not self._addressed(name)
            return
        if before.status is Status.OPEN:
            self.model.read_by.add(name)

    @rule()
    def cancel(self) -> None:
        sender = Reader(project_id="A", user_id=None, session=None)
        closed = self._finished()
        try:
            self.mail = cancel(self.mail, sender, occurrence=None, now=self.now, outcome=None)
        except WaypostError:
            assert closed
            return
        assert not closed
        self.model.cancelled = True

    def _addressed(self, name: str) -> bool:
        if name == "stranger":
            return False
        return self.mail.to_session is None or name == "session"

    def _closed_by_reading(self) -> bool:
        return bool(self.model.read_by) and not self.mail.actionable and self.mail.to_session is not None

    def _finished(self) -> bool:
        return self.model.taken_by is not None or self._closed_by_reading()

    def _may_take(self, name: str) -> bool:
        due = self.mail.due_at <= self.now
        return due and self._addressed(name) and not self._finished() and not self.model.cancelled

    @invariant()
    def status_follows_the_model(self) -> None:
        if not hasattr(self, "mail"):
            return
        if self.model.cancelled:
            expected = Status.CANCELLED
        elif self._finished():
            expected = Status.DONE
        else:
            expected = Status.OPEN
        assert self.mail.status is expected
        assert self.mail.version == 1 + (expected is not Status.OPEN)


@promise("mail.pop.exactly_once", "mail.cancel.after_pop_refused", "mail.ack.session_mail_closes")
def test_no_order_of_commands_takes_a_message_twice_or_reopens_it() -> None:

    run_state_machine_as_test(MailMachine, settings=settings(max_examples=150, stateful_step_count=15, deadline=None))


@promise("mail.expiry.by_sender")
@pytest.mark.parametrize(("offset", "status"), [(-1, Status.OPEN), (0, Status.EXPIRED), (1, Status.EXPIRED)])
def test_mail_is_expired_from_its_very_instant(offset: int, status: Status) -> None:
    assert message(expires_at=NOW).status_at(NOW + offset) is status
