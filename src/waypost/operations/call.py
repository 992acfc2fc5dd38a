"""What a door hands over: who calls, with which rights, and what they ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from waypost.identity.access import Credential
from waypost.identity.models import Workdir
from waypost.kernel.errors import Forbidden

__all__ = ["Answer", "Call", "Caller", "Rights", "refuse_lesser"]


class Rights(IntEnum):
    """What a caller may do, each including the ones before (contracts/api.md, Rights)."""

    AGENT = 1
    OWNER = 2
    OPERATOR = 3


REMEDY = {
    Rights.AGENT: "",
    Rights.OWNER: "Run it as the account that owns the store, by the waypost command.",
    Rights.OPERATOR: "Sign in to the page by `waypost open`, or use --as-operator with an operator token.",
}


def refuse_lesser(rights: Rights, needs: Rights, verb: str) -> None:
    """Refuses `forbidden` where the rights are less than a verb takes."""
    if rights < needs:
        raise Forbidden(f"{verb} needs the {needs.name.lower()}'s rights.", hint=REMEDY[needs])


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who calls. `user` is set only by a person's credential; `login` is the person whose mailbox tokenless callers share.
    `credential` says whose token came along; what it allows is looked up in each transaction. `client` is what the caller says of
    itself; the directory and the bound session come from the door."""

    door: str
    rights: Rights
    login: str
    user: str | None = None
    client: str | None = None
    workdir: Workdir | None = None
    bound_session: str | None = None
    credential: Credential | None = None

    @property
    def person(self) -> str:
        """The name of the person for whom the call is made, whose mailbox it may read."""
        return self.credential.user if self.credential else self.user or self.login

    @property
    def principal(self) -> str:
        """Whose idempotency keys these are: a person's, those of one agent's token, or everybody's who comes without any."""
        if self.credential is None:
            return self.user or "local"
        return self.credential.user_id if self.credential.is_person else self.credential.token_id


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
