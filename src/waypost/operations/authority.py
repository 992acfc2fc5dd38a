"""What a caller may do, looked up in the transaction that acts: the one place where tokens become access.

A door calls `authenticate` (or `recall`, for a page session) once, to know whom it speaks to and to refuse at once. The pipeline asks
again in its own transaction, so that a token or grant that was taken back meanwhile counts for nothing.
"""

from __future__ import annotations

from dataclasses import replace

from waypost.identity.access import EVERYTHING, Access, Credential, Token, access_of_token
from waypost.identity.credential_store import find_token, find_token_by_text, grants_of, limits_of
from waypost.identity.errors import TokenRefused
from waypost.identity.token_text import TokenKind, is_token
from waypost.operations.call import Caller, Rights
from waypost.store.interface import Transaction

__all__ = ["Authority", "authenticate", "authority_of", "recall", "with_credential"]

UNKNOWN = "This token is not known here."


class Authority:
    """A caller's access within one transaction, and the token behind it, where there is one."""

    __slots__ = ("_token", "access")

    def __init__(self, access: Access, token: Token | None) -> None:
        self.access = access
        self._token = token

    def refuse_expired(self, tx: Transaction) -> None:
        """Refuses (`unauthenticated`) where the token's time is over. Called behind the rule, because the first look at a unit's
        `now` belongs behind the locks that the rule takes."""
        if self._token is not None and self._token.expires_at is not None:
            self._token.refuse_expired(tx.now)


def authenticate(tx: Transaction, token_text: str) -> Token:
    """The token behind a text. Refuses `unauthenticated` for one that is unknown, revoked or expired; never repeats it."""
    token = find_token_by_text(tx, token_text) if is_token(token_text) else None
    return _usable(tx, token)


def recall(tx: Transaction, token_id: str) -> Token:
    """The token of a page session. Refuses as `authenticate` does."""
    return _usable(tx, find_token(tx, token_id))


def authority_of(tx: Transaction, caller: Caller) -> Authority:
    """What the caller may do as this transaction sees it. Refuses `unauthenticated` where its token was taken back meanwhile."""
    if caller.credential is None:
        return Authority(EVERYTHING, None)
    token = find_token(tx, caller.credential.token_id)
    if token is None:
        raise TokenRefused(UNKNOWN)
    token.refuse_revoked()
    grants = {} if token.kind is TokenKind.OPERATOR else grants_of(tx, token.user_id)
    limits = limits_of(tx, token.id) if token.kind is TokenKind.AGENT else {}
    return Authority(access_of_token(token, grants=grants, limits=limits), token)


def with_credential(caller: Caller, credential: Credential) -> Caller:
    """The caller as its token makes it: only a person's token names a user, and only an operator's has the operator's rights."""
    return replace(
        caller,
        rights=Rights.OPERATOR if credential.kind is TokenKind.OPERATOR else Rights.AGENT,
        user=credential.user if credential.is_person else None,
        credential=credential,
    )


def _usable(tx: Transaction, token: Token | None) -> Token:
    if token is None:
        raise TokenRefused(UNKNOWN)
    token.refuse_revoked()
    token.refuse_expired(tx.now)
    return token
