"""Verbs on the process rather than on the mail: stop it, open its page, back its store up. For the owner of the store alone.

They are no operations, because nothing of them is a change in the store; their input is read as strictly.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from waypost.assembly.keeping import back_up
from waypost.assembly.transfer import export_store
from waypost.client.routes import ROUTES
from waypost.kernel.errors import Forbidden, InvalidInput
from waypost.kernel.time import format_instant
from waypost.operations.call import Rights
from waypost.operations.housekeeping import (
    HOUSEKEEPING,
    BackupOutput,
    ExportOutput,
    FileInput,
    OpenOutput,
    ProcessVerb,
    StopOutput,
)
from waypost.operations.inputs import Input, Output, read_input
from waypost.server.callers import caller_of
from waypost.server.context import ServerContext
from waypost.server.replies import Reply
from waypost.server.requests import Request
from waypost.server.router import Endpoint
from waypost.server.signin import CODE_LIVES

__all__ = ["administration_endpoints", "sign_in_link"]


def sign_in_link(context: ServerContext) -> str:
    """A single-use link that signs a person in to the page, good for a minute. Never log it."""
    return f"{context.base_url}/web/sign-in?code={context.signins.issue()}"


def stop(context: ServerContext, given: Input) -> StopOutput:  # noqa: ARG001 - there is nothing to ask
    """Asks the process to end; what is under way is answered first."""
    context.request_stop()
    return StopOutput(stopping=True, pid=os.getpid())


def open_page(context: ServerContext, given: Input) -> OpenOutput:  # noqa: ARG001 - there is nothing to ask
    """A new link to sign in by."""
    return OpenOutput(url=sign_in_link(context), expires_at=format_instant(context.clock.now() + CODE_LIVES))


def backup(context: ServerContext, given: Input) -> BackupOutput:
    """A whole copy of the store as it is now. Refuses `invalid_input`, `conflict`, `store_unavailable`."""
    assert isinstance(given, FileInput)
    return BackupOutput(path=str(back_up(context.waypost, _new_file(given), overwrite=given.overwrite)))


def export(context: ServerContext, given: Input) -> ExportOutput:
    """The whole store as it is now, as lines of JSON. Refuses `invalid_input`, `conflict`, `store_unavailable`."""
    assert isinstance(given, FileInput)
    exported = export_store(context.waypost, _new_file(given), overwrite=given.overwrite)
    written = exported.written
    return ExportOutput(
        path=str(exported.path),
        store_id=written.header.store_id,
        epoch=written.header.epoch,
        schema_version=written.header.schema,
        records=written.records,
        counts=dict(written.counts),
    )


def _new_file(given: FileInput) -> Path:
    if not Path(given.path).is_absolute():
        raise InvalidInput("path is not absolute. Nothing was written.", hint="Give the full path of a new file.")
    return Path(given.path)


RUNS: dict[str, Callable[[ServerContext, Input], Output]] = {
    "server.stop": stop,
    "server.open": open_page,
    "store.backup": backup,
    "store.export": export,
}
"""What does each verb. It may block; it runs in a worker thread."""


def administration_endpoints() -> list[Endpoint]:
    """The endpoints of these verbs, by the shared route table."""
    return [_endpoint(verb) for verb in HOUSEKEEPING]


def _endpoint(verb: ProcessVerb) -> Endpoint:
    route = ROUTES[verb.name]

    async def handle(request: Request) -> Reply:
        context = request.context
        fields = await request.json_fields()
        caller = await caller_of(request.scope, context, door="rest", needs=Rights.OWNER, headers=request.headers)
        if caller.rights < Rights.OWNER:
            raise Forbidden(
                f"{verb.name} needs the owner's rights. Nothing was changed.",
                hint="Run it as the account that owns the store, by the waypost command.",
            )
        given, _ = read_input(verb.input, fields, texts_only=False, limits=context.settings.limits.limits())
        loop = asyncio.get_running_loop()
        output = await loop.run_in_executor(context.threads, RUNS[verb.name], context, given)
        return Reply(body=output.model_dump_json(by_alias=True).encode("utf-8"))

    return Endpoint(method=route.method, path=route.path, handle=handle)
