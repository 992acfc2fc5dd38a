"""Which handoff is offered, and that one is claimed once: rules in virtual time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.kernel.errors import BodyTooLong
from waypost.kernel.time import DAY, MINUTE
from waypost.mail.errors import AlreadyClosed
from waypost.mail.handoffs import (
    EXPIRES_AFTER,
    Handoff,
    HandoffState,
    accept_handoff,
    cancel_handoff,
    check_size,
    expire_handoff,
    is_offered,
    is_replay_of_accept,
)
from waypost.mail.models import Reader, Sender

NOW = 1_764_000_000_000_000


def handoff(**fields: Any) -> Handoff:
    sender = Sender(project_id="p", session="S1", client=None, user=None, door="mcp", source="session")
    made = Handoff(
        id="h",
        workspace="default",
        sender=sender,
        automatic=False,
        summary="Half done.",
        open_questions=(),
        next_steps=("Finish it.",),
        files_touched=(),
        created_at=NOW,
        expires_at=NOW + EXPIRES_AFTER,
    )
    return replace(made, **fields)


def reader(session: str | None) -> Reader:
    return Reader(project_id="p", user_id=None, session=session, lineage=(session,) if session else ())


def accepted(by: str | None, at: int = NOW) -> Handoff:
    return accept_handoff(handoff(), session=by, user=None, door="mcp", now=at)


@promise("handoff.offer.not_while_source_active", "handoff.expiry.thirty_days")
@given(
    quiet=st.integers(0, 20 * MINUTE),
    age=st.integers(0, 40 * DAY),
    session=st.sampled_from(["S1", "S2", None]),
    known=st.booleans(),
)
def test_one_is_offered_to_another_session_after_ten_quiet_minutes_and_for_thirty_days(
    quiet: int, age: int, session: str | None, known: bool
) -> None:
    now = NOW + age
    offered = is_offered(handoff(), session=session, source_seen_at=now - quiet if known else None, now=now)
    assert offered == (session != "S1" and age < 30 * DAY and (not known or quiet >= 10 * MINUTE))


@promise("handoff.accept.single_use")
@pytest.mark.parametrize(
    "closed",
    [
        accepted("S2"),
        cancel_handoff(handoff(), session="S2", user=None, door="cli", now=NOW),
        expire_handoff(handoff(), door="server", now=NOW),
        handoff(expires_at=NOW),
    ],
    ids=["accepted", "cancelled", "expired", "past its time"],
)
def test_one_that_is_closed_is_not_claimed_again(closed: Handoff) -> None:
    with pytest.raises(AlreadyClosed):
        accept_handoff(closed, session="S3", user=None, door="mcp", now=NOW)
    assert not is_offered(closed, session="S3", source_seen_at=None, now=NOW)


@promise("handoff.accept.single_use")
def test_a_lost_answer_is_had_again_by_who_accepted_and_by_nobody_else() -> None:
    assert is_replay_of_accept(accepted("S2"), reader("S2"), now=NOW + DAY)
    assert is_replay_of_accept(accepted(None), reader(None), now=NOW)
    assert not is_replay_of_accept(accepted("S2"), reader("S3"), now=NOW)
    assert not is_replay_of_accept(accepted("S2"), reader(None), now=NOW)
    assert not is_replay_of_accept(accepted(None), reader("S3"), now=NOW)
    assert not is_replay_of_accept(accepted("S2"), reader("S2"), now=NOW + DAY + 1)
    assert not is_replay_of_accept(handoff(), reader("S2"), now=NOW)


def test_withdrawing_twice_changes_nothing_more() -> None:
    cancelled = cancel_handoff(handoff(), session="S2", user=None, door="cli", now=NOW)
    assert (cancelled.state, cancelled.version) == (HandoffState.CANCELLED, 2)
    assert cancel_handoff(cancelled, session="S3", user=None, door="cli", now=NOW) is cancelled


@promise("handoff.begin.summary_required")
def test_all_its_texts_together_stay_within_one_messages_limit() -> None:
    check_size(handoff(summary="x" * 90), limit=100)
    with pytest.raises(BodyTooLong, match="101"):
        check_size(handoff(summary="x" * 91), limit=100)
