"""The verbs on tokens. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.listing import Listing
from waypost.operations.tokens import CreatedOutput, TokenOutput, TokenRecord, TokensOutput

__all__ = ["Tokens"]


class Tokens:
    """The verbs on tokens."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def create(
        self,
        *,
        kind: Literal["operator", "user", "agent"],
        name: str,
        user: str | None = None,
        workspace: str | None = None,
        project: str | None = None,
        only: Sequence[str] | None = None,
        expires_at: str | datetime | None = None,
        idempotency_key: str | None = None,
    ) -> CreatedOutput:
        """Make a token for the operator, a user, or a user's agents in one project. It is shown once.

        kind: operator, user, or agent.
        name: What it is for, for people: at most 200 characters.
        user: Whose it is; without it the caller's own name.
        workspace: The project's workspace, where project is a bare name.
        project: For agent: the one project that it is bound to.
        only: For agent: all that it may do, as workspace/project=read,write; else what its user may.
        expires_at: ISO 8601 time with offset, from when it is good for nothing.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "kind": kind,
            "name": name,
            "user": user,
            "workspace": workspace,
            "project": project,
            "only": only,
            "expires_at": expires_at,
        }
        return self._exchange.write("token.create", CreatedOutput, fields, idempotency_key)

    def list(
        self, *, user: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> Listing[TokensOutput, TokenRecord]:
        """List tokens, the newest first; never the tokens themselves.

        user: Only this user's.
        limit: How many items one page holds at most; iterating goes on through all pages.
        cursor: Begin where the page before ended, instead of at the beginning.
        """
        fields: Fields = {"user": user, "limit": limit, "cursor": cursor}
        return self._exchange.pages("token.list", TokensOutput, fields, lambda page: page.items)

    def revoke(self, token_id: str, *, idempotency_key: str | None = None) -> TokenOutput:
        """Take a token back, for good.

        token_id: The token's id, as list shows it; never the token.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"token_id": token_id}
        return self._exchange.write("token.revoke", TokenOutput, fields, idempotency_key)
