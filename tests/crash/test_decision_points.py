"""An answer that dies at any step is there whole or not at all, and its repeat gives the one answer; so is the claim of a handoff."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from tests.crash.home import Home
from tests.crash.office import CALLER, opened, prepare, whole
from tests.promises.marks import promise
from waypost.assembly.waypost import Waypost
from waypost.operations.call import Call
from waypost.store.interface import Query

POINTS = [
    "wal:write:before:1",
    "wal:write:before:3",
    "wal:write:after:6",
    "wal:sync:after:1",
    "wal:sync:before:2",
    "wal:sync:after:2",
]
COMMITTED = POINTS[-1]


def run(waypost: Waypost, operation: str, *, key: str | None = None, **fields: object) -> Any:
    return json.loads(waypost.run(operation, Call(caller=CALLER, fields=fields, key=key)).json)


def crash(home: Home, deed: str, subject: str, point: str) -> None:
    """Runs the deed on `subject` until it ends at the point."""
    status, words = home.run("-m", "tests.crash.deciding_child", deed, subject, point, str(home.database))
    assert (status, words.rstrip("\n").rpartition("\n")[2]) == (-signal.SIGKILL, f"reached {point}"), words


def kinds(waypost: Waypost, subject: str) -> list[str]:
    rows = waypost.store.read(
        lambda tx: tx.rows(Query(name="kinds", text="select subject_id, kind from journal order by position"))
    )
    return [str(row["kind"]) for row in rows if row["subject_id"] == subject]


@promise("store.crash.nothing_lost", "decision.answer.exactly_one", "decision.answer.effects")
@pytest.mark.parametrize("point", POINTS)
def test_an_answer_that_dies_is_there_whole_or_not_and_its_repeat_is_the_one_answer(home: Home, point: str) -> None:
    prepare(home.database)
    waypost = opened(home.database)
    options = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    asked = run(waypost, "decision.ask", from_project="a", to_project="b", question="Ship it?", options=options)
    decision = asked["decision_id"]
    waypost.close()
    crash(home, "answer", decision, point)

    waypost = opened(home.database)
    assert whole(waypost)
    found = run(waypost, "decision.view", project="a", decision_id=decision)
    question = run(waypost, "message.view", project="b", message_id=decision)["message"]
    replies = [item for item in run(waypost, "message.list", project="a")["items"] if item["reply_to"] == decision]
    is_answered = found["decision"]["state"] == "answered"
    assert (len(replies), question["status"]) == ((1, "done") if is_answered else (0, "open"))
    assert (kinds(waypost, decision).count("decision.answered") == 1) is is_answered
    assert is_answered or point != COMMITTED

    fields = {"project": "b", "decision_id": decision, "option": "yes", "comment": "Go on."}
    repeated = run(waypost, "decision.answer", key="the-answer", **fields)
    replies = [item for item in run(waypost, "message.list", project="a")["items"] if item["reply_to"] == decision]
    assert [item["id"] for item in replies] == [repeated["message_id"]]
    assert kinds(waypost, decision).count("decision.answered") == 1
    waypost.close()


@promise("store.crash.nothing_lost", "handoff.accept.single_use")
@pytest.mark.parametrize("point", POINTS[::2])
def test_a_claim_of_a_handoff_that_dies_is_there_or_not_and_can_be_repeated(home: Home, point: str) -> None:
    prepare(home.database)
    waypost = opened(home.database)
    handoff = run(waypost, "handoff.begin", project="a", summary="Half done.")["handoff_id"]
    waypost.close()
    crash(home, "accept", handoff, point)

    waypost = opened(home.database)
    assert whole(waypost)
    repeated = run(waypost, "handoff.accept", project="a", handoff_id=handoff)
    assert repeated["handoff"]["state"] == "accepted"
    assert kinds(waypost, handoff) == ["handoff.begun", "handoff.accepted"]
    waypost.close()
