"""The verbs on changes. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange import Exchange
from waypost.client.api.following import Following
from waypost.operations.changes import ChangesOutput

__all__ = ["Changes"]


class Changes(Following):
    """The verbs on changes."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__(exchange)

    def list(
        self,
        *,
        after: str | None = None,
        consumer: str | None = None,
        workspace: str | None = None,
        project: str | None = None,
        limit: int = 100,
        wait: int = 0,
    ) -> ChangesOutput:
        """List what changed, in order, from a cursor or a consumer's checkpoint on. Entries carry no text.

        after: The next_cursor to go on from, or `now`; left out, the oldest change kept is the first.
        consumer: Go on from this consumer's checkpoint, instead of after.
        workspace: The project's workspace, where project is a bare name.
        project: Only what concerns this project: a name, or workspace/project.
        limit: How many changes at most.
        wait: How many seconds to wait for a change at most.
        """
        fields: Fields = {
            "after": after,
            "consumer": consumer,
            "workspace": workspace,
            "project": project,
            "limit": limit,
            "wait": wait,
        }
        return self._exchange.read("changes.list", ChangesOutput, fields)
