"""Runs operations from the event loop without holding it up.

A write is read and checked here, then queued to the store's writer; its answer comes back once it is durable. A read, and a write
that must look at a disk or ask somebody first, runs in a worker thread.
"""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import replace

from waypost.kernel.time import SECOND, parse_instant
from waypost.operations.call import Answer, Call
from waypost.server.context import ServerContext

__all__ = ["run_operation", "seconds_until", "wait_for_changes", "wait_operation"]

LOOK_AGAIN_SECONDS = 0.05
"""A waiter looks at most this often, so that many waiters on a busy store do not read it all the time."""
LONGEST_EMPTY_PAGE = 2_000
"""Bytes: a page of the feed above this holds changes, and is not parsed to find out."""


async def run_operation(context: ServerContext, name: str, call: Call) -> Answer:
    """The answer of an operation. Refuses as the operation does."""
    pipeline = context.waypost.pipeline
    operation = pipeline.operation(name)
    if operation.writes and not pipeline.asks_first and "directory" not in operation.input.model_fields:
        return await context.answers.wait_for(pipeline.submit(name, call))
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(context.threads, pipeline.run, name, call)


async def wait_operation(
    context: ServerContext, call: Call, timeout_seconds: float, *, name: str = "message.wait"
) -> Answer:
    """`message.wait`, `decision.wait` or `wake.look`: looks, then looks again when the journal moved or time alone changes something, until
    something is there, the time is up or the server stops."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_seconds
    while True:
        seen = context.changes.position
        looked = loop.time()
        answer = await run_operation(context, name, call)
        found = json.loads(answer.json)
        left = deadline - loop.time()
        if not found["retry"] or left <= 0 or context.changes.closed:
            return answer
        left = min(left, seconds_until(context, found["next_due_at"]))
        await context.changes.wait(seen, left)
        pause = min(looked + LOOK_AGAIN_SECONDS, deadline) - loop.time()
        if pause > 0 and not context.changes.closed:
            await asyncio.sleep(pause)


def seconds_until(context: ServerContext, instant: str | None) -> float:
    """How long to wait for an instant that an answer named, never quite nothing; for ever where it named none. By the server's clock:
    whoever waits looks again, so that a clock which is off costs looks or time and loses nothing."""
    if instant is None:
        return math.inf
    return max((parse_instant(instant, field="next_due_at") - context.clock.now()) / SECOND, 0.001)


async def wait_for_changes(context: ServerContext, call: Call, timeout_seconds: float) -> Answer:
    """`changes.list` with `wait`: looks, then looks again when the journal moved, until there is a change that the caller may read, or
    a gap, the time is up or the server stops."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_seconds
    while True:
        seen = context.changes.position
        looked = loop.time()
        answer = await run_operation(context, "changes.list", call)
        if len(answer.json) > LONGEST_EMPTY_PAGE:
            return answer
        found = json.loads(answer.json)
        left = deadline - loop.time()
        if found["items"] or found["gap"] or left <= 0 or context.changes.closed:
            return answer
        if "consumer" not in call.fields:  # what was passed over is not looked at again
            call = replace(call, fields={**call.fields, "after": found["next_cursor"]})
        if found["next_cursor"] == found["head"]:
            await context.changes.wait(seen, left)
            pause = min(looked + LOOK_AGAIN_SECONDS, deadline) - loop.time()
            if pause > 0 and not context.changes.closed:
                await asyncio.sleep(pause)
        elif "consumer" in call.fields:
            return answer
