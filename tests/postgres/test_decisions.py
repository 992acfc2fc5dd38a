"""Decisions and handoffs through several nodes: one answer, one claim, however the nodes race."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.operations.office import Office
from tests.postgres.conftest import Raw
from tests.promises.marks import promise
from tests.store.stores import WAIT_SECONDS
from waypost.kernel.errors import WaypostError
from waypost.operations.call import Call

OPTIONS = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]


def offices(url: str) -> list[Office]:
    """Two nodes; the first adds the projects."""
    made = [Office(url) for _ in range(2)]
    made[0].add("a", "b")
    return made


def ask(office: Office, words: str) -> str:
    asked = office.run("decision.ask", from_project="a", to_project="b", question=words, options=OPTIONS)
    decision_id: str = asked["decision_id"]
    return decision_id


@promise("decision.answer.exactly_one")
def test_nodes_that_answer_at_once_give_one_answer_each_time(postgres_url: str) -> None:
    nodes = offices(postgres_url)
    for number in range(10):
        decision = ask(nodes[0], f"Number {number}?")

        def answer(office: Office, decision: str = decision) -> str:
            try:
                return str(office.run("decision.answer", project="b", decision_id=decision, option="yes")["message_id"])
            except WaypostError as error:
                return error.code

        with ThreadPoolExecutor(4) as threads:
            outcomes = Counter(threads.map(answer, nodes * 2))
        assert outcomes.pop("already_answered") == 3
        assert list(outcomes.values()) == [1]
    for office in nodes:
        office.waypost.close()


@promise("decision.answer.exactly_one")
def test_an_answer_waits_for_another_connection_that_holds_the_question_and_sees_what_it_did(
    postgres_url: str, raw: Raw
) -> None:
    nodes = offices(postgres_url)
    decision = ask(nodes[0], "Held?")
    other = raw()
    other.execute("select id from messages where id = %s for update", (decision,))
    fields = {"project": "b", "decision_id": decision, "option": "yes"}
    waiting = nodes[1].waypost.pipeline.submit("decision.answer", Call(caller=nodes[1].caller, fields=fields))
    other.execute(
        "update decisions set state = 'cancelled', version = 2, closed_at = 1 where id = %s and state = 'open'",
        (decision,),
    )
    other.execute("commit")
    refusal = waiting.exception(WAIT_SECONDS)
    assert isinstance(refusal, WaypostError)
    assert refusal.code == "already_closed"
    assert nodes[0].run("message.list", project="a")["items"] == []
    for office in nodes:
        office.waypost.close()


@promise("handoff.accept.single_use")
def test_nodes_that_claim_at_once_claim_a_handoff_once(postgres_url: str) -> None:
    nodes = offices(postgres_url)
    for number in range(10):
        handoff = nodes[0].run("handoff.begin", project="a", summary=f"number {number}")["handoff_id"]

        def claim(given: tuple[Office, str], handoff: str = handoff) -> str:
            office, session = given
            try:
                fields: dict[str, Any] = {"project": "a", "session": session, "handoff_id": handoff}
                return str(office.run("handoff.accept", **fields)["handoff"]["closed_by_session"])
            except WaypostError as error:
                return error.code

        with ThreadPoolExecutor(4) as threads:
            outcomes = Counter(threads.map(claim, zip(nodes * 2, ("S1", "S2", "S3", "S4"), strict=True)))
        assert outcomes.pop("already_closed") == 3
        assert list(outcomes.values()) == [1]
    for office in nodes:
        office.waypost.close()
