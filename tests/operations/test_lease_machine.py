"""The machine of tests/rules/lease_machine.py through the operations, on both engines."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.operations.office import Office
from tests.promises.marks import promise
from tests.rules.lease_machine import LEASE_SECONDS, LeaseMachine, Looked
from waypost.assembly.settings import LimitSettings
from waypost.kernel.errors import WaypostError
from waypost.kernel.time import parse_instant

LIMITS = LimitSettings(lease_seconds=LEASE_SECONDS, inbox=100_000, scheduled=100_000)


class OfficeDesk:
    """A post office whose project b has the sessions of the machine; each example is another message there."""

    def __init__(self, database: str) -> None:
        self.office = Office(database, LIMITS)
        self.office.add("a", "b", "c")
        for session in ("S1", "S2", "S3"):
            self.office.run("session.put", project="b", session_id=session)
        self.office.run("session.continue", session_id="S3", continues="S1")
        self.count = 0

    def send(self, *, actionable: bool, to_session: str | None, due_in: int) -> int:
        self.count += 1
        sent = self.office.send(
            body=f"number {self.count}",
            actionable=actionable,
            to_session=to_session,
            delay_seconds=due_in or None,
        )
        self.id = sent["message_id"]
        return self.office.clock.now()

    def pass_seconds(self, seconds: int) -> int:
        self.office.clock.pass_seconds(seconds)
        return self.office.clock.now()

    def do(self, verb: str, session: str, **fields: Any) -> tuple[str | None, dict[str, Any]]:
        project = "c" if session == "X" else "b"
        try:
            answer = self.office.run(f"message.{verb}", project=project, session=session, message_id=self.id, **fields)
        except WaypostError as refusal:
            return refusal.code, {}
        if verb != "pop":
            return None, answer
        # A pop of what is closed answers null, and to the one that popped it, its first answer: no refusal, but nothing new.
        return ("already_closed" if answer["message"] is None or answer["replayed"] else None), answer

    def cancel(self) -> str | None:
        try:
            self.office.run("message.cancel", project="a", message_id=self.id)
        except WaypostError as refusal:
            return refusal.code
        return None

    def look(self) -> Looked:
        message = self.office.run("message.view", project="a", message_id=self.id)["message"]
        lease = message["lease"]
        instant = parse_instant
        return Looked(
            status=message["status"],
            occurrence=message["occurrence"],
            version=message["version"],
            due_at=instant(message["due_at"], field="due_at"),
            outcome=words(message["outcome"]),
            lease=(lease["holder"], instant(lease["until"], field="until"), lease["generation"]) if lease else None,
        )

    def unread(self, session: str | None) -> bool:
        scope: dict[str, Any] = {"project": "c" if session == "X" else "b", "limit": 500}
        if session is not None:
            scope["session"] = session
        thread = self.office.run("message.list", thread=self.id, **scope)
        return [item["id"] for item in thread["items"]] == [self.id]


def words(outcome: str | None) -> str | None:
    """An outcome out of its frame: the machine's are single lines."""
    return outcome if outcome is None or "\n" not in outcome else outcome.split("\n")[1]


@promise(
    "mail.claim.one_owner",
    "mail.claim.refused_while_held",
    "mail.claim.expired_is_free",
    "mail.release.frees",
    "mail.complete.stale_token_refused",
    "mail.complete.idempotent",
    "mail.snooze.next_occurrence",
    "mail.pop.leased_is_skipped",
)
def test_the_operations_do_with_leases_what_the_model_says(database: str) -> None:
    class Machine(LeaseMachine):
        desk = OfficeDesk(database)

    few = settings(max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
    try:
        run_state_machine_as_test(Machine, settings=few)
    finally:
        Machine.desk.office.waypost.close()
