"""The verbs on the process rather than on the mail, as every door knows them: their names, input and output. The server runs them.

They are no operations, because nothing of them is a change in the store, and they take no idempotency key.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from waypost.operations.inputs import Input, Output

__all__ = [
    "HOUSEKEEPING",
    "BackupOutput",
    "ExportOutput",
    "FileInput",
    "NoInput",
    "OpenOutput",
    "ProcessVerb",
    "StopOutput",
]


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
    """One verb on the process."""

    name: str
    summary: str
    input: type[Input]
    output: type[Output]


HOUSEKEEPING = (
    ProcessVerb(name="server.stop", summary="Stop this server.", input=NoInput, output=StopOutput),
    ProcessVerb(
        name="server.open",
        summary="Make a link that signs a person in to the page, once, within a minute.",
        input=NoInput,
        output=OpenOutput,
    ),
    ProcessVerb(
        name="store.backup",
        summary="Write a whole copy of the store to a new file.",
        input=FileInput,
        output=BackupOutput,
    ),
    ProcessVerb(
        name="store.export",
        summary="Write everything in the store to a new file, as lines of JSON that any engine reads.",
        input=FileInput,
        output=ExportOutput,
    ),
)
