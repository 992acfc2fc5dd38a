"""What one client does, call after call: send, pop, ack and cancel in a random mix, and what it does after a lost answer.

It is written as a careful user of Waypost would write it, from the contract alone: a keyed call is repeated with its key; a pop by id is
repeated by that id; after an unkeyed pop whose answer was lost it looks at `recently_popped`. Before each call it writes down
what it asks, and each acknowledgement before the next call. Knows no door.
"""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from tests.crash.record import Record
from tests.crash.waiting import pass_moment

__all__ = ["Answer", "Door", "Lost", "Worker", "digest_of", "project_name"]

SENTENCE: Final = (
    "export endpoint review later branch parser window ticket margin copper violet harbor meadow lantern orchard"
    " please check whether this still holds and answer with two lines when it does"
)
WORDS: Final = tuple(SENTENCE.split())
TEXT: Final = re.compile(r"note (.*?) over\.", re.DOTALL)
LOOKED_AT: Final = 15
RETRYABLE: Final = frozenset({"store_busy", "store_unavailable"})
TRIES: Final = 600
PAUSE_SECONDS: Final = 0.05
"""Before a refused call is repeated: a database that restarts is away for seconds."""

MIX: Final = {"send": 46, "pop_keyed": 15, "pop_plain": 8, "pop_named": 11, "ack": 10, "cancel": 10}


class Lost(Exception):
    """The answer was lost: whether the call took effect is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """`code` is None for a success, else that of the refusal."""

    code: str | None
    body: dict[str, Any]


class Door(Protocol):
    """One way into Waypost."""

    def ask(self, operation: str, fields: dict[str, Any], *, key: str | None, session: str) -> Answer:
        """Asks once. Raises `Lost`."""
        ...


def project_name(number: int) -> str:
    """The name of one of the campaign's projects."""
    return f"p{number:02d}"


def digest_of(body: str) -> str:
    """The digest of a body's own words, whatever frame stands around them."""
    found = TEXT.search(body)
    return hashlib.sha256(found.group(1).encode("utf-8")).hexdigest()[:16] if found else "no words"


@dataclass(kw_only=True, slots=True)
class Worker:
    """One client. `name` stands in its keys and sessions; `first` is the first number of its keys, above those of whom it follows."""

    name: str
    door: Door
    record: Record
    rng: random.Random
    projects: int
    first: int = 0
    sent: list[tuple[str, str]] = field(default_factory=list)
    seen: list[tuple[str, str]] = field(default_factory=list)
    popped: set[str] = field(default_factory=set)

    def step(self) -> None:
        """One call, with its repeats."""
        kind = self.rng.choices(list(MIX), weights=list(MIX.values()))[0]
        if kind in {"pop_named", "ack"} and not self.seen:
            self._look()
        if kind in {"pop_named", "ack"} and self.seen:
            message_id, project = self.seen.pop()
            self._take_named(message_id, project) if kind == "pop_named" else self._ack(message_id, project)
        elif kind == "cancel" and self.sent:
            self._cancel(*self.sent.pop(self.rng.randrange(len(self.sent))))
        elif kind == "pop_keyed":
            self._pop(key=self._key())
        elif kind == "pop_plain":
            self._pop(key=None)
        else:
            self._send()

    def repeat(self, asked: dict[str, Any]) -> None:
        """Asks again what a killed predecessor asked and did not see answered, where that is safe."""
        if asked["key"] is not None or "message_id" in asked["fields"]:
            self._ask(asked["operation"], asked["fields"], key=asked["key"], again=True)

    # -- the calls -----------------------------------------------------------------------------------------------------

    def _send(self) -> None:
        key = self._key()
        source, target = self._project(), self._project()
        words = " ".join(self.rng.choices(WORDS, k=self.rng.randrange(3, 60)))
        fields = {"from_project": source, "to_project": target, "body": f"note {key} {words} over."}
        answer = self._ask("message.send", fields, key=key)
        if answer.code is None:
            self.sent.append((answer.body["message_id"], source))
            del self.sent[:-50]

    def _pop(self, *, key: str | None) -> None:
        project = self._project()
        answer = self._ask("message.pop", {"project": project}, key=key)
        if answer.code == "lost":
            again = self._ask("message.pop", {"project": project}, key=self._key())
            for message_id in again.body.get("recently_popped") or ():
                if message_id not in self.popped:
                    self._take_named(message_id, project)

    def _take_named(self, message_id: str, project: str) -> None:
        self._ask("message.pop", {"project": project, "message_id": message_id}, key=None)

    def _ack(self, message_id: str, project: str) -> None:
        self._ask("message.ack", {"project": project, "message_id": message_id, "occurrence": 1}, key=None)

    def _cancel(self, message_id: str, project: str) -> None:
        self._ask("message.cancel_all", {"project": project, "message_id": message_id}, key=self._key())

    def _look(self) -> None:
        project = self._project()
        fields = {"project": project, "limit": LOOKED_AT}
        try:
            answer = self.door.ask("message.list", fields, key=None, session=self._session(project))
        except Lost:
            return
        self.seen = [(item["id"], project) for item in answer.body.get("items", ())]
        self.rng.shuffle(self.seen)

    # -- asking and writing down ---------------------------------------------------------------------------------------

    def _ask(self, operation: str, fields: dict[str, Any], *, key: str | None, again: bool = False) -> Answer:
        session = self._session(fields.get("from_project") or fields["project"])
        if not again:
            self.record.write("ask", operation=operation, fields=fields, key=key, session=session)
        safe = key is not None or "message_id" in fields
        for _ in range(TRIES):
            try:
                answer = self.door.ask(operation, fields, key=key, session=session)
            except Lost:
                self.record.write("lost", operation=operation, key=key)
                if safe:
                    continue
                return Answer(code="lost", body={})
            if answer.code in RETRYABLE:
                self.record.write("again", operation=operation, key=key, code=answer.code)
                pass_moment(PAUSE_SECONDS)
                if safe:
                    continue
                return Answer(code="lost", body={})  # the refusal may say that nobody knows whether it was stored
            self._write_down(operation, fields, key, session, answer)
            return answer
        raise RuntimeError(f"{operation} got no answer in {TRIES} tries")

    def _write_down(
        self, operation: str, fields: dict[str, Any], key: str | None, session: str, answer: Answer
    ) -> None:
        body = answer.body
        if answer.code is not None:
            self.record.write("refused", operation=operation, key=key, code=answer.code)
        elif operation == "message.send":
            digest = digest_of(str(fields["body"]))
            self.record.write("send", key=key, id=body["message_id"], digest=digest, project=fields["from_project"])
        elif operation == "message.pop":
            message = body["message"]
            if message is None:
                self.record.write("nothing", operation=operation, key=key)
                return
            self.popped.add(message["id"])
            facts = {"id": message["id"], "digest": digest_of(message["body"]), "replayed": body["replayed"]}
            self.record.write("pop", key=key, session=session, **facts)
        elif operation == "message.ack":
            self.record.write("ack", id=body["message_id"], session=session)
        else:
            self.record.write("cancel", key=key, id=fields["message_id"], cancelled=body["cancelled"])

    def _key(self) -> str:
        self.first += 1
        return f"{self.name}-{self.first:06d}"

    def _project(self) -> str:
        return project_name(self.rng.randrange(self.projects))

    def _session(self, project: str) -> str:
        return f"{self.name}-in-{project}"
