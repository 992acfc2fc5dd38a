"""What a door hands over: who calls, with which rights, and what they ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from waypost.identity.models import Workdir

__all__ = ["Answer", "Call", "Caller", "Rights"]


class Rights(IntEnum):
    """What a caller may do, each including the ones before (contracts/api.md, Rights)."""

    AGENT = 1
    OWNER = 2
    OPERATOR = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who calls. `user` is set only by an authenticated credential; `login` is the person whose mailbox tokenless callers share.
    `client` is what the caller says of itself; the directory and the bound session come from the door."""

    door: str
    rights: Rights
    login: str
    user: str | None = None
    client: str | None = None
    workdir: Workdir | None = None
    bound_session: str | None = None

    @property
    def person(self) -> str:
        """The name of the person for whom the call is made, whose mailbox it may read."""
        return self.user or self.login

    @property
    def principal(self) -> str:
        """Whose idempotency keys these are."""
        return self.user or "local"


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One request: the fields as they came, whether they are all text (a query string), and the key that makes a repeat safe."""

    caller: Caller
    fields: Mapping[str, object]
    texts_only: bool = False
    key: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The answer as JSON text, the same at every door, and whether it is the stored answer of an earlier request."""

    json: str
    replayed: bool = False
