"""The pages' streams: each tells its page to look again when something that concerns it changed. Carries no content.

A stream looks for itself after each movement of the journal and when time alone changes something. What it tells is a mark, and a
page says which one it was made at, so that one that comes late or back is told what it missed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from waypost.kernel.errors import RateLimited, WaypostError
from waypost.kernel.time import SECOND
from waypost.operations.call import Caller
from waypost.server.callers import caller_of
from waypost.server.context import ServerContext
from waypost.server.web.looking import Look, Mark
from waypost.server.web.rendering import SECURITY

__all__ = ["MOST_STREAMS", "Streams"]

MOST_STREAMS = 100
GATHER_SECONDS = 0.2
"""What changes within this time is told at once."""
GATHER_ALL_SECONDS = 1.0
"""The same for Home, which every change concerns."""
LOOK_AGAIN_SECONDS = 15.0
"""Time alone makes mail due; a page without a known next instant looks this often."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Watch:
    """What one page watches: a project, or everything."""

    scope: Scope
    caller: Caller
    workspace: str | None
    project: str | None
    gather_seconds: float


class Streams:
    """The open streams of one server."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._open = 0

    async def answer(self, request: Request, caller: Caller) -> Response:
        """A stream for the page of `?project=workspace/name`, or of Home. Refuses `rate_limited` beyond the most streams."""
        from sse_starlette import EventSourceResponse  # noqa: PLC0415 - hooks are answered before it loads

        if self._open >= MOST_STREAMS:
            raise RateLimited(
                f"{MOST_STREAMS} pages are live already. This one stays as it is.", hint="Close some, then reload."
            )
        workspace, _, project = request.query_params.get("project", "").partition("/")
        watch = Watch(
            scope=request.scope,
            caller=caller,
            workspace=workspace or None,
            project=project or None,
            gather_seconds=GATHER_SECONDS if project else GATHER_ALL_SECONDS,
        )
        told = request.headers.get("last-event-id") or request.query_params.get("after", "")
        headers = {**SECURITY, "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return EventSourceResponse(self._events(watch, told), ping=15, headers=headers)

    async def _events(self, watch: Watch, told: str) -> AsyncIterator[dict[str, str]]:
        changes = self._context.changes
        self._open += 1
        try:
            seen = changes.position
            mark = await self._mark(watch)
            if told not in {"", mark.text}:
                yield _news(mark)
            while not changes.closed:
                await changes.wait(seen, self._patience(mark))
                if not changes.closed:
                    await asyncio.sleep(watch.gather_seconds)
                    seen, before = changes.position, mark
                    if not await self._still_reads(watch):
                        return
                    mark = await self._mark(watch)
                    if mark != before:
                        yield _news(mark)
        except WaypostError:
            return  # its page comes back and is led to the sign-in
        finally:
            self._open -= 1

    async def _still_reads(self, watch: Watch) -> bool:
        """Whether its reader has what the page was opened with: a session of a page ends by sign-out and by time."""
        now = await caller_of(watch.scope, self._context, door="web")
        return now.rights >= watch.caller.rights and now.user == watch.caller.user

    def _patience(self, mark: Mark) -> float:
        if mark.next_at is None:
            return LOOK_AGAIN_SECONDS
        return min(max((mark.next_at - self._context.clock.now()) / SECOND, 0.0), LOOK_AGAIN_SECONDS)

    async def _mark(self, watch: Watch) -> Mark:
        look = Look(self._context.waypost.pipeline, watch.caller, self._context.clock.now())
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._context.threads, look.mark, watch.workspace, watch.project)


def _news(mark: Mark) -> dict[str, str]:
    return {"event": "news", "id": mark.text, "data": mark.text}
