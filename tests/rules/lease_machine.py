"""One message, several sessions, random commands in virtual time, and a small model of what must come of them.

The model knows nothing of the rules: it keeps who holds the message and who has it read, and lets both go when the clock passes the
end of a lease. The same machine drives the pure rules and, through a `Desk` of another make, the operations on both engines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from waypost.kernel.time import SECOND

__all__ = ["LEASE_SECONDS", "LINEAGE", "Desk", "LeaseMachine", "Looked"]

LEASE_SECONDS = 100
LINEAGE = {"S1": ("S1",), "S2": ("S2",), "S3": ("S3", "S1"), "X": ("X",)}
"""Sessions of the recipient's project, S3 of which continues S1; and X, of another project."""
SESSIONS = st.sampled_from(sorted(LINEAGE))
STEPS = st.sampled_from([0, 0, 0, 0, 1, -1])
TOKENS = st.sampled_from(["latest", "latest", "latest", "first", "made up"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """What anybody sees of the message."""

    status: str
    occurrence: int
    version: int
    due_at: int
    outcome: str | None
    lease: tuple[str, int, int] | None


class Desk(Protocol):
    """One way to run the commands. `do` answers a refusal's code or None, and what was answered."""

    def send(self, *, actionable: bool, to_session: str | None, due_in: int) -> int:
        """Sends the message; answers the instant."""
        ...

    def pass_seconds(self, seconds: int) -> int:
        """Moves the clock; answers the instant."""
        ...

    def do(self, verb: str, session: str, **fields: Any) -> tuple[str | None, dict[str, Any]]:
        """Runs a verb for a session."""
        ...

    def cancel(self) -> str | None:
        """Cancels for the sender."""
        ...

    def look(self) -> Looked:
        """Looks."""
        ...

    def unread(self, session: str | None) -> bool:
        """Whether it stands in the list of unread mail."""
        ...


@dataclass
class Model:
    """What a person would keep in mind."""

    actionable: bool
    to_session: str | None
    now: int
    due_at: int
    occurrence: int = 1
    version: int = 1
    generation: int = 0
    status: str = "open"
    outcome: str | None = None
    holder: str | None = None
    token: str | None = None
    until: int = 0
    ever_held: bool = False
    finished: tuple[str, str] | None = None
    readers: set[str] = field(default_factory=set)

    def pass_to(self, now: int) -> None:
        """A lease that ran out leaves the message unread and nobody's."""
        self.now = now
        if self.holder is not None and now >= self.until:
            self.free()

    def free(self) -> None:
        """Nobody holds it, nobody has it read."""
        self.holder, self.token = None, None
        self.readers = set()

    def refusal(self, session: str, occurrence: int) -> str | None:
        """What every verb of a session is refused for, in the order of the contract, up to the due time."""
        if session == "X" or (self.to_session is not None and self.to_session not in LINEAGE[session]):
            return "not_recipient"
        if occurrence != self.occurrence:
            return "stale_occurrence"
        if self.status != "open":
            return "already_closed"
        return "not_due" if self.due_at > self.now else None


class LeaseMachine(RuleBasedStateMachine):
    """Random claims and all that may follow, by any session with any token, at any time."""

    desk: ClassVar[Desk]

    @initialize(
        actionable=st.sampled_from([True, True, True, False]),
        to_session=st.sampled_from([None, None, "S1"]),
        due_in=st.sampled_from([0, 0, 20]),
    )
    def send(self, actionable: bool, to_session: str | None, due_in: int) -> None:
        now = self.desk.send(actionable=actionable, to_session=to_session, due_in=due_in)
        self.model = Model(
            actionable=actionable or due_in > 0, to_session=to_session, now=now, due_at=now + due_in * SECOND
        )
        self.tokens: list[str] = []

    @rule(seconds=st.sampled_from([1, 20, 50, LEASE_SECONDS]))
    def pass_time(self, seconds: int) -> None:
        self.model.pass_to(self.desk.pass_seconds(seconds))

    @rule(session=SESSIONS, step=STEPS)
    def claim(self, session: str, step: int) -> None:
        model, occurrence = self.model, max(1, self.model.occurrence + step)
        expected = model.refusal(session, occurrence)
        if expected is None and not model.actionable:
            expected = "not_actionable"
        if expected is None and model.holder not in {None, session}:
            expected = "already_claimed"
        code, answer = self.desk.do("claim", session, occurrence=occurrence)
        assert code == expected
        if code is not None:
            return
        repeated = model.holder == session
        assert answer["repeated"] is repeated
        if not repeated:
            assert answer["token"] not in self.tokens, "a token was given twice"
            self.tokens.append(answer["token"])
            model.holder, model.token = session, answer["token"]
            model.until = model.now + LEASE_SECONDS * SECOND
            model.generation += 1
            model.version += 1
            model.readers.add(session)
        assert answer["token"] == model.token

    @rule(session=SESSIONS, step=STEPS, token=TOKENS)
    def renew(self, session: str, step: int, token: str) -> None:
        if self._held("renew", session, step, token):
            self.model.until = self.model.now + LEASE_SECONDS * SECOND

    @rule(session=SESSIONS, step=STEPS, token=TOKENS)
    def release(self, session: str, step: int, token: str) -> None:
        if self._held("release", session, step, token):
            self.model.free()

    @rule(session=SESSIONS, step=STEPS, token=TOKENS, outcome=st.sampled_from(["fixed", "found"]))
    def complete(self, session: str, step: int, token: str, outcome: str) -> None:
        model, given, occurrence = self.model, self._token(token), max(1, self.model.occurrence + step)
        if model.finished == (session, given) and occurrence == model.occurrence:
            code, answer = self.desk.do("complete", session, occurrence=occurrence, token=given, outcome=outcome)
            assert (code, answer["version"]) == (None, model.version)
        elif self._held("complete", session, step, token, outcome=outcome):
            assert model.token is not None
            model.status, model.outcome, model.finished = "done", outcome, (session, model.token)

    @rule(session=SESSIONS, step=STEPS, token=TOKENS, delay=st.sampled_from([1, 20, LEASE_SECONDS]))
    def snooze(self, session: str, step: int, token: str, delay: int) -> None:
        model = self.model
        if self._held("snooze", session, step, token, outcome="not yet", delay_seconds=delay):
            model.free()
            model.occurrence += 1
            model.due_at, model.outcome = model.now + delay * SECOND, "not yet"

    @rule(session=SESSIONS, step=STEPS)
    def ack(self, session: str, step: int) -> None:
        model, occurrence = self.model, max(1, self.model.occurrence + step)
        expected = model.refusal(session, occurrence)
        code, _ = self.desk.do("ack", session, occurrence=occurrence)
        if expected == "already_closed":
            assert code is None, "a late ack is harmless"
            return
        assert code == expected
        if code is None:
            closes = not model.actionable and model.to_session is not None
            if closes and not model.readers & set(LINEAGE[session]):
                model.status, model.outcome = "done", "read"
                model.version += 1
            model.readers.add(session)

    @rule(session=SESSIONS)
    def pop(self, session: str) -> None:
        model = self.model
        expected = model.refusal(session, model.occurrence)
        if expected is None and model.holder is not None:
            expected = "already_claimed"
        code, _ = self.desk.do("pop", session)
        assert code == expected
        if code is None:
            model.free()
            model.status, model.outcome = "done", "popped"
            model.version += 1

    @rule()
    def cancel(self) -> None:
        model = self.model
        code = self.desk.cancel()
        assert code == ("already_closed" if model.status == "done" else None)
        if model.status == "open":
            model.free()
            model.status, model.outcome = "cancelled", None
            model.version += 1

    def _token(self, which: str) -> str:
        if which == "made up" or not self.tokens:
            return "0" * 32
        return self.tokens[-1 if which == "latest" else 0]

    def _held(self, verb: str, session: str, step: int, token: str, **fields: Any) -> bool:
        """Runs a verb of the holder; answers whether it went through, which the model foretold."""
        model, given, occurrence = self.model, self._token(token), max(1, self.model.occurrence + step)
        expected = model.refusal(session, occurrence)
        if expected is None and (model.holder != session or model.token != given):
            expected = "lease_lost"
        code, _ = self.desk.do(verb, session, occurrence=occurrence, token=given, **fields)
        assert code == expected
        model.version += code is None
        return code is None

    @invariant()
    def all_see_what_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        model = self.model
        holds = model.status == "open" and model.holder is not None
        assert self.desk.look() == Looked(
            status=model.status,
            occurrence=model.occurrence,
            version=model.version,
            due_at=model.due_at,
            outcome=model.outcome,
            lease=(str(model.holder), model.until, model.generation) if holds else None,
        )

    @invariant()
    def it_is_unread_for_whom_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        model = self.model
        waits = model.status == "open" and model.due_at <= model.now
        for session, lineage in LINEAGE.items():
            theirs = session != "X" and (model.to_session is None or model.to_session in lineage)
            assert self.desk.unread(session) == (waits and theirs and not model.readers & set(lineage)), session
        assert self.desk.unread(None) == (waits and not model.readers)
