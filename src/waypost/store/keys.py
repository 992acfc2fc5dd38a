"""The stored answers of idempotency keys: find, keep, forget.

A key is one row for (principal, project, operation, key), kept in the transaction of the change that it answers; refusals are
never kept. The rule for repeats stands in `kernel.idempotency`; this file only stores. Knows no engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from waypost.kernel.idempotency import KEPT_FOR
from waypost.store.interface import Fields, Overtaken, Transaction
from waypost.store.loader import load_queries

__all__ = ["KeyScope", "StoredAnswer", "find_answer", "forget_answers", "keep_answer", "rewrite_answers"]

_queries = load_queries("waypost.store")


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyScope:
    """Whose key it is: a user's id or `local`, the id of the own project (empty for none), and the operation's name."""

    principal: str
    project: str
    operation: str
    key: str

    def parameters(self) -> dict[str, str | int | float | bytes | None]:
        """The scope as the parameters of a query."""
        return {
            "principal": self.principal,
            "project": self.project,
            "operation": self.operation,
            "key": self.key,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredAnswer:
    """The first answer under a key, as JSON text, and the fingerprint of the input that it answered; whether it repeats the words of
    mail."""

    fingerprint: str
    answer: str
    has_words: bool = False


def find_answer(tx: Transaction, scope: KeyScope) -> StoredAnswer | None:
    """The answer kept under the key, or None where there is none or it is older than 24 hours."""
    row = tx.row(_queries.find_key, scope.parameters())
    if row is None or int(row["created_at"] or 0) + KEPT_FOR <= tx.now:
        return None
    return StoredAnswer(
        fingerprint=str(row["fingerprint"]), answer=str(row["answer"]), has_words=row["holds"] is not None
    )


def keep_answer(tx: Transaction, scope: KeyScope, *, fingerprint: str, answer: str, holds: str | None = None) -> None:
    """Keeps the answer in this transaction; call `find_answer` first. `holds` names what it repeats the words of. Where another
    unit kept one under the key meanwhile, this one is overtaken: the store runs it again, and it finds that answer."""
    fields: Fields = {
        "fingerprint": fingerprint,
        "answer": answer,
        "holds": holds,
        "created_at": tx.now,
        "expired": tx.now - KEPT_FOR,
    }
    overtaken = Overtaken("The same request is being answered right now. Nothing was changed.")
    tx.put(_queries.keep_key, {**scope.parameters(), **fields}, otherwise=overtaken)


def forget_answers(tx: Transaction, *, limit: int) -> int:
    """Drops at most `limit` answers older than 24 hours and answers how many."""
    return tx.execute(_queries.forget_keys, {"before": tx.now - KEPT_FOR, "most": limit})


def rewrite_answers(tx: Transaction, holds: str, rewrite: Callable[[str], str | None]) -> None:
    """Rewrites each kept answer that repeats the words of `holds`; one that becomes None is forgotten, fingerprint and all."""
    for row in tx.rows(_queries.answers_holding, {"holds": holds}):
        key: Fields = {name: row[name] for name in ("principal", "project", "operation", "key")}
        answer = rewrite(str(row["answer"]))
        if answer is None:
            tx.execute(_queries.forget_key, key)
        else:
            tx.execute(_queries.rewrite_answer, {**key, "answer": answer})
