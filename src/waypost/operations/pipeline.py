"""The one way through which every verb runs, at every door.

    scope, authority, stored answer of the key, deciders; then in one transaction scope, authority and key again, the rule, the
    rows, the journal; commit; answer

The first half runs apart only where a decider (a deciding webhook) wants to be asked before anything is written: everything it
looks at is looked at again inside the transaction, so without deciders it would be the same work twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from waypost.identity.access import Right
from waypost.identity.models import Claim, Scope, Workdir
from waypost.identity.workdir import look_at
from waypost.kernel.errors import Forbidden, NotFound, WaypostError
from waypost.kernel.idempotency import check_key, check_repeat, fingerprint
from waypost.mail.models import Limits
from waypost.operations.authority import Authority, authority_of
from waypost.operations.call import Answer, Call, refuse_lesser
from waypost.operations.inputs import ActingInput, Input, Output, TextReport, read_input
from waypost.operations.kept_words import words_in
from waypost.operations.registry import Operation, Unit
from waypost.operations.scope import actor_of, claim_of, resolve_scope
from waypost.store.interface import Store, Transaction
from waypost.store.keys import KeyScope, find_answer, keep_answer

__all__ = ["AnyOperation", "Decider", "Pipeline"]

AnyOperation = Operation[Any, Any]
Write = Callable[[Callable[[Transaction], Answer]], Future[Answer]]
SAYS_UNCHANGED = re.compile(r"\bNothing (?:of|was)\b|\bleft as it is\b")
"""How a sentence says by itself what was left unchanged."""


class Decider(Protocol):
    """Somebody who is asked before a change is made, and may refuse it."""

    def decide(self, operation: str, scope: Scope, fields: Input) -> None:
        """Refuses (`webhook_refused`) or returns."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class _Request:
    """A call that has been read: typed input, its claim, and the fingerprint of what it asks."""

    operation: AnyOperation
    call: Call
    input: Input
    claim: Claim
    report: TextReport
    fingerprint: str
    named_workdir: Workdir | None


class Pipeline:
    """Runs operations on a store."""

    def __init__(
        self, store: Store, operations: Sequence[AnyOperation], *, limits: Limits, deciders: Sequence[Decider] = ()
    ) -> None:
        self._store = store
        self._operations = {operation.name: operation for operation in operations}
        self._limits = limits
        self._deciders = tuple(deciders)

    @property
    def store(self) -> Store:
        """The store that it runs on."""
        return self._store

    @property
    def operations(self) -> Sequence[AnyOperation]:
        """Every operation."""
        return tuple(self._operations.values())

    @property
    def asks_first(self) -> bool:
        """Whether somebody is asked before each change, so that `submit` may block."""
        return bool(self._deciders)

    def operation(self, name: str) -> AnyOperation:
        """The operation of that name. Refuses `not_found`."""
        try:
            return self._operations[name]
        except KeyError:
            raise NotFound(f"There is no operation {name}.") from None

    def run(self, name: str, call: Call) -> Answer:
        """Runs an operation and waits for its answer. Refuses with whatever code the operation's refusal has."""
        return self._begin(name, call, self._write).result()

    def submit(self, name: str, call: Call) -> Future[Answer]:
        """Starts an operation; the future is done once its change is durable. A read is done when this returns. Refuses at once
        what can be refused without the store, through the future what cannot."""
        return self._begin(name, call, self._store.submit)

    def _begin(self, name: str, call: Call, write: Write) -> Future[Answer]:
        operation = self.operation(name)
        try:
            return self._start(operation, call, write)
        except WaypostError as refusal:
            _say_unchanged(operation, refusal)
            raise

    def _write(self, unit: Callable[[Transaction], Answer]) -> Future[Answer]:
        """Writes in the calling thread, which waits for the answer anyway."""
        return _done(self._store.write(unit))

    def _start(self, operation: AnyOperation, call: Call, write: Write) -> Future[Answer]:
        request = self._read(operation, call)
        if not operation.writes:
            return _done(self._store.read(self._work(request)))
        if self._deciders:
            early = self._ask(request)
            if early is not None:
                return _done(early)
        return write(self._work(request))

    def _read(self, operation: AnyOperation, call: Call) -> _Request:
        given, report = read_input(operation.input, call.fields, texts_only=call.texts_only, limits=self._limits)
        fields = vars(given)
        directory = fields.get("directory")
        if isinstance(directory, str):
            _check_rights(call, operation)  # before any disk is looked at for somebody
        return _Request(
            operation=operation,
            call=call,
            input=given,
            claim=claim_of(
                call.caller, fields if issubclass(operation.input, ActingInput) else {}, sender=operation.sender
            ),
            report=report,
            fingerprint=fingerprint(operation.name, given.model_dump(mode="json", by_alias=True)) if call.key else "",
            named_workdir=look_at(directory) if isinstance(directory, str) else None,
        )

    def _ask(self, request: _Request) -> Answer | None:
        """The first half of the pipeline, with the deciders at its end; a stored answer needs no decision."""

        def look(tx: Transaction) -> tuple[Scope, Answer | None]:
            unit = self._admit(tx, request)
            return unit.scope, self._stored(unit, request)

        scope, stored = self._store.read(look)
        if stored is None:
            for decider in self._deciders:
                decider.decide(request.operation.name, scope, request.input)
        return stored

    def _work(self, request: _Request) -> Callable[[Transaction], Answer]:
        def unit(tx: Transaction) -> Answer:
            try:
                return self._answer(tx, request)
            except WaypostError as refusal:
                _say_unchanged(request.operation, refusal)
                raise

        return unit

    def _answer(self, tx: Transaction, request: _Request) -> Answer:
        """The second half of the pipeline, within one transaction."""
        unit = self._admit(tx, request)
        try:
            answer = self._stored(unit, request) or self._done(unit, request)
        except (Forbidden, NotFound):  # an expired token learns nothing, not even of what is missing
            unit.authority.refuse_expired(tx)
            raise
        unit.authority.refuse_expired(tx)
        return answer

    @staticmethod
    def _done(unit: Unit, request: _Request) -> Answer:
        """The rule and the rows, and what is kept under the key, which is never a secret."""
        operation = request.operation
        output: Output = operation.run(unit, request.input)
        key = _key_scope(request, unit.scope)
        if key is not None and operation.writes:
            kept = operation.kept(output) if operation.kept else output
            text = kept.model_dump_json(by_alias=True)
            keep_answer(unit.tx, key, fingerprint=request.fingerprint, answer=text, holds=words_in(kept))
        return Answer(json=output.model_dump_json(by_alias=True))

    def _admit(self, tx: Transaction, request: _Request) -> Unit:
        authority = authority_of(tx, request.call.caller)
        _check_rights(request.call, request.operation)
        return self._unit(tx, request, authority, resolve_scope(tx, request.claim, authority.access))

    @staticmethod
    def _stored(unit: Unit, request: _Request) -> Answer | None:
        key = _key_scope(request, unit.scope)
        if key is None:
            return None
        stored = find_answer(unit.tx, key)
        if stored is None:
            return None
        check_repeat(stored.fingerprint, request.fingerprint)
        if unit.scope.project is not None:
            unit.need(Right.WRITE, unit.scope.project)  # the grants may be others by now
            if stored.has_words:
                unit.need(Right.READ, unit.scope.project)
        return Answer(json=stored.answer, replayed=True)

    def _unit(self, tx: Transaction, request: _Request, authority: Authority, scope: Scope) -> Unit:
        operation = request.operation
        return Unit(
            tx=tx,
            caller=request.call.caller,
            authority=authority,
            scope=scope,
            actor=actor_of(request.call.caller, scope),
            text=request.report,
            limits=self._limits,
            facts=self._store.facts,
            verb=operation.verb,
            named_workdir=request.named_workdir,
            scope_fields=("from_workspace", "from_project") if operation.sender else ("workspace", "project"),
        )


def _key_scope(request: _Request, scope: Scope) -> KeyScope | None:
    if request.call.key is None:
        return None
    return KeyScope(
        principal=request.call.caller.principal,
        project=scope.project.id if scope.project else "",
        operation=request.operation.name,
        key=check_key(request.call.key),
    )


def _say_unchanged(operation: AnyOperation, refusal: WaypostError) -> None:
    """Adds to the refusal of a write that nothing was changed. Whoever refuses (a name's alphabet, a time, an id) often serves
    reads too and cannot know; here it is known, because the unit is rolled back."""
    if operation.writes and not SAYS_UNCHANGED.search(refusal.detail):
        refusal.detail = f"{refusal.detail} Nothing was changed."


def _done(answer: Answer) -> Future[Answer]:
    future: Future[Answer] = Future()
    future.set_result(answer)
    return future


def _check_rights(call: Call, operation: AnyOperation) -> None:
    """Refuses `forbidden` where the caller has not the rights that the operation takes."""
    refuse_lesser(call.caller.rights, operation.needs, operation.verb)
