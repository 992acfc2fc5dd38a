"""Verbs on the process rather than on the mail: stop it, open its page, back its store up. For the owner of the store alone.

They are no operations, because nothing of them is a change in the store; their input is read as strictly.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from waypost.assembly.keeping import back_up
from waypost.assembly.transfer import export_store
from waypost.client.routes import ROUTES
from waypost.kernel.errors import Forbidden, InvalidInput
from waypost.kernel.time import format_instant
from waypost.operations.call import Rights
from waypost.operations.inputs import Input, Output, read_input
from waypost.server.callers import caller_of
from waypost.server.context import ServerContext
from waypost.server.replies import Reply
from waypost.server.requests import Request
from waypost.server.router import Endpoint
from waypost.server.signin import CODE_LIVES

__all__ = ["ADMINISTRATION", "ProcessVerb", "administration_endpoints", "sign_in_link"]


class NoInput(Input):
    """Nothing."""


class StopOutput(Output):
    """That the server stops, and which process that is."""

    stopping: bool
    pid: int


class OpenOutput(Output):
    """A link that signs a person in to the page, once. Whoever has it is that person."""

    url: str
    expires_at: str


class FileInput(Input):
    """Where a copy of the whole store goes, or an export of it."""

    path: str = Field(
        min_length=1, max_length=4_096, description="Absolute path of a new file on the server's machine."
    )
    overwrite: bool = Field(False, description="Replace a file of that name.")


class BackupOutput(Output):
    """The real path of the copy."""

    path: str


class ExportOutput(Output):
    """The real path of the export, which store it was, and how many records of each table."""

    path: str
    store_id: str
    epoch: int
    schema_version: int
    records: int
    counts: dict[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessVerb:
    """One verb on the process. `run` may block; it runs in a worker thread."""

    name: str
    summary: str
    input: type[Input]
    output: type[Output]
    run: Callable[[ServerContext, Input], Output]


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


ADMINISTRATION = (
    ProcessVerb(name="server.stop", summary="Stop this server.", input=NoInput, output=StopOutput, run=stop),
    ProcessVerb(
        name="server.open",
        summary="Make a link that signs a person in to the page, once, within a minute.",
        input=NoInput,
        output=OpenOutput,
        run=open_page,
    ),
    ProcessVerb(
        name="store.backup",
        summary="Write a whole copy of the store to a new file.",
        input=FileInput,
        output=BackupOutput,
        run=backup,
    ),
    ProcessVerb(
        name="store.export",
        summary="Write everything in the store to a new file, as lines of JSON that any engine reads.",
        input=FileInput,
        output=ExportOutput,
        run=export,
    ),
)


def administration_endpoints() -> list[Endpoint]:
    """The endpoints of these verbs, by the shared route table."""
    return [_endpoint(verb) for verb in ADMINISTRATION]


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
        output = await loop.run_in_executor(context.threads, verb.run, context, given)
        return Reply(body=output.model_dump_json(by_alias=True).encode("utf-8"))

    return Endpoint(method=route.method, path=route.path, handle=handle)
