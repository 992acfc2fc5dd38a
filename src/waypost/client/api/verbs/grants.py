"""The verbs on grants. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from collections.abc import Sequence

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.listing import Listing
from waypost.operations.grants import GrantOutput, GrantRecord, GrantsOutput

__all__ = ["Grants"]


class Grants:
    """The verbs on grants."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def list(
        self,
        *,
        user: str | None = None,
        workspace: str | None = None,
        project: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Listing[GrantsOutput, GrantRecord]:
        """List grants, of one user or project or of all.

        user: Only this user's.
        workspace: The project's workspace, where project is a bare name.
        project: Only on this project: a name, or workspace/project.
        limit: How many items one page holds at most; iterating goes on through all pages.
        cursor: Begin where the page before ended, instead of at the beginning.
        """
        fields: Fields = {"user": user, "workspace": workspace, "project": project, "limit": limit, "cursor": cursor}
        return self._exchange.pages("grant.list", GrantsOutput, fields, lambda page: page.items)

    def set(
        self,
        *,
        user: str,
        project: str,
        rights: Sequence[str],
        workspace: str | None = None,
        idempotency_key: str | None = None,
    ) -> GrantOutput:
        """Give a user exactly these rights on a project.

        user: The user's name, without '~'.
        project: The project: a name, or workspace/project.
        rights: Of read, write, review, admin. None includes another.
        workspace: The project's workspace, where project is a bare name.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"user": user, "project": project, "rights": rights, "workspace": workspace}
        return self._exchange.write("grant.set", GrantOutput, fields, idempotency_key)

    def remove(
        self, *, user: str, project: str, workspace: str | None = None, idempotency_key: str | None = None
    ) -> GrantOutput:
        """Take a user's grant on a project back.

        user: The user's name, without '~'.
        project: The project: a name, or workspace/project.
        workspace: The project's workspace, where project is a bare name.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"user": user, "project": project, "workspace": workspace}
        return self._exchange.write("grant.remove", GrantOutput, fields, idempotency_key)
