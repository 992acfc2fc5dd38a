"""The verbs on users. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.listing import Listing
from waypost.operations.people import AddedOutput, SelfOutput, UserOutput, UserRecord, UsersOutput

__all__ = ["Users"]


class Users:
    """The verbs on users."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def list(self, *, limit: int = 50, cursor: str | None = None) -> Listing[UsersOutput, UserRecord]:
        """List users by name.

        limit: How many items one page holds at most; iterating goes on through all pages.
        cursor: Begin where the page before ended, instead of at the beginning.
        """
        fields: Fields = {"limit": limit, "cursor": cursor}
        return self._exchange.pages("user.list", UsersOutput, fields, lambda page: page.items)

    def me(self) -> SelfOutput:
        """Say who the caller is and what it may do."""
        fields: Fields = {}
        return self._exchange.read("user.me", SelfOutput, fields)

    def show(self, user: str) -> UserOutput:
        """Show one user and its grants.

        user: The user's name, without '~'.
        """
        fields: Fields = {"user": user}
        return self._exchange.read("user.show", UserOutput, fields)

    def add(self, user: str, *, idempotency_key: str | None = None) -> AddedOutput:
        """Add a user, who gets a mailbox and may be given tokens and grants.

        user: The user's name, without '~'.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"user": user}
        return self._exchange.write("user.add", AddedOutput, fields, idempotency_key)

    def remove(self, user: str, *, idempotency_key: str | None = None) -> UserOutput:
        """Take a user out of use, with its tokens and grants; its mail stays.

        user: The user's name, without '~'.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"user": user}
        return self._exchange.write("user.remove", UserOutput, fields, idempotency_key)
