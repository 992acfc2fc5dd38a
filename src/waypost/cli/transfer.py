"""`waypost export` and `import`: a whole store as a file that every engine reads, through the server where one has the store."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile

from waypost.cli.asked import Asked
from waypost.cli.command import make_command
from waypost.cli.dispatch import find_server, through
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.client.errors import ServerAway
from waypost.client.folders import database_path
from waypost.kernel.errors import InvalidInput, StoreBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.client.run_file import RunFile

__all__ = ["export", "import_"]

STREAM = "-"
TURNS = 25
"""How often the lock is tried, a fifth of a second each time, before a store is said to be busy."""

Record = dict[str, object]


def _export(how: How, output: Output, params: dict[str, object]) -> int:
    target = str(params["path"])
    if target == STREAM:
        if how.as_json:
            raise InvalidInput(
                "--json and `-` both write to standard output. Nothing was written.", hint="Leave one of them out."
            )
        output.flush()
        record = _to_stream(how, output)
        output.note(f"Wrote {record['records']:,} records.")
        return 0
    path = os.path.abspath(os.path.expanduser(target))  # noqa: PTH100, PTH111 - as the shell's user meant it
    record = _to_file(how, output, path, overwrite=bool(params["overwrite"]))
    if how.as_json:
        output.json(json.dumps(record))
    else:
        output.line(f"Wrote {record['path']}: {record['records']:,} records.")
    return 0


def _to_file(how: How, output: Output, path: str, *, overwrite: bool) -> Record:
    """Written by the server that has the store, or by this process; what is said of it."""
    database = database_path(how.database)
    away = ""
    for turn in range(TURNS):
        run = _server(how, database, away)
        try:
            if run is not None:
                fields = {"path": path, "overwrite": overwrite}
                answer = through(run, Asked("store.export", fields, os.urandom(16).hex(), None, output.note))
                found: Record = json.loads(answer)
                return found
            return _here(database, path, overwrite=overwrite)
        except ServerAway:
            away = run.key if run is not None else ""
        except StoreBusy:
            if turn == TURNS - 1:
                raise
    raise AssertionError("unreachable")


def _server(how: How, database: str, away: str) -> RunFile | None:
    """The server that has the store's file open; a Postgres database is open to everybody. Not the one whose key is `away`."""
    run = None if "://" in database else find_server(how)
    return run if run is not None and run.key != away and run.process_lives() else None


def _here(database: str, path: str, *, overwrite: bool) -> Record:
    from pathlib import Path  # noqa: PLC0415 - only without a server

    from waypost.assembly.transfer import export_database  # noqa: PLC0415 - slow to import

    exported = export_database(database, Path(path), overwrite=overwrite, lock_timeout=0.2)
    header = exported.written.header
    return {
        "path": str(exported.path),
        "store_id": header.store_id,
        "epoch": header.epoch,
        "schema_version": header.schema,
        "records": exported.written.records,
        "counts": dict(exported.written.counts),
    }


def _to_stream(how: How, output: Output) -> Record:
    """A file of our own first, so that a slow reader holds up neither the store nor its server; then out with it."""
    with tempfile.TemporaryDirectory(prefix="waypost-") as folder:
        record = _to_file(how, output, os.path.join(folder, "export.jsonl"), overwrite=False)  # noqa: PTH118 - as above
        with open(str(record["path"]), "rb") as file:  # noqa: PTH123 - as above
            os.unlink(str(record["path"]))  # noqa: PTH108 - nothing is left, however this process ends
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
    return record


def _import(how: How, output: Output, params: dict[str, object]) -> int:
    from pathlib import Path  # noqa: PLC0415 - the engine takes paths

    from waypost.assembly.transfer import import_store  # noqa: PLC0415 - slow to import

    run = find_server(how)
    if run is not None and run.process_lives():
        raise StoreBusy(
            f"A server (process {run.pid}) has the store open. Nothing was imported.",
            hint="Stop it with `waypost stop`, import into a store that is empty, then start it again.",
        )
    source = str(params["path"])
    given = sys.stdin.buffer if source == STREAM else Path(source).expanduser()
    imported = import_store(given, database_path(how.database))
    facts, records = imported.facts, sum(imported.counts.values())
    if how.as_json:
        record = {
            "store_id": facts.store_id,
            "epoch": facts.epoch,
            "schema_version": facts.schema,
            "place": facts.place,
            "records": records,
            "counts": imported.counts,
        }
        output.json(json.dumps(record))
        return 0
    output.line(f"Imported {records:,} records into {facts.place}, as epoch {facts.epoch}.")
    return 0


export = make_command(
    "export",
    _export,
    summary="Write everything in the store to a file that every engine reads; `-` writes to standard output.",
    example="waypost export ~/waypost.jsonl",
    arguments=("path",),
    options=("overwrite",),
)
import_ = make_command(
    "import",
    _import,
    summary="Make an empty store of an export, on either engine; `-` reads standard input.",
    example="waypost import ~/waypost.jsonl --database postgresql://waypost@db.example/post",
    arguments=("path",),
)
