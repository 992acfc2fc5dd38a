"""`waypost backup`, `restore` and `migrate`: keeping the store itself, through the server where one runs."""

from __future__ import annotations

import json
import os

from waypost.cli.asked import Asked
from waypost.cli.command import make_command
from waypost.cli.dispatch import ask, find_server, through
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.client.errors import ServerAway
from waypost.client.folders import database_path
from waypost.kernel.errors import StoreBusy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.assembly.keeping import Upgrade

__all__ = ["backup", "migrate", "restore"]


def _backup(how: How, output: Output, params: dict[str, object]) -> int:
    target = os.path.abspath(os.path.expanduser(str(params["path"])))  # noqa: PTH100, PTH111 - as the shell's user meant it
    answer = _backed_up(how, output, target, overwrite=bool(params["overwrite"]))
    if how.as_json:
        output.json(answer)
    else:
        output.line(f"Wrote {json.loads(answer)['path']}.")
    return 0


def _backed_up(how: How, output: Output, target: str, *, overwrite: bool) -> str:
    """The answer of the server, which has the store open, or of this process."""
    run = find_server(how)
    if run is not None:
        try:
            fields = {"path": target, "overwrite": overwrite}
            return through(run, Asked("store.backup", fields, os.urandom(16).hex(), None, output.note))
        except ServerAway:
            pass
    from pathlib import Path  # noqa: PLC0415 - only without a server

    from waypost.assembly.keeping import back_up  # noqa: PLC0415 - only without a server
    from waypost.assembly.waypost import Waypost  # noqa: PLC0415 - as above
    from waypost.cli.here import open_here  # noqa: PLC0415 - as above

    opened = open_here(database_path(how.database), away=run.key if run else "")
    if not isinstance(opened, Waypost):
        return _backed_up(how, output, target, overwrite=overwrite)
    try:
        return json.dumps({"path": str(back_up(opened, Path(target), overwrite=overwrite))})
    finally:
        opened.close()


def _restore(how: How, output: Output, params: dict[str, object]) -> int:
    from pathlib import Path  # noqa: PLC0415 - the engine takes paths

    from waypost.assembly.keeping import restore_store  # noqa: PLC0415 - slow to import

    run = find_server(how)
    if run is not None and run.process_lives():
        raise StoreBusy(
            f"A server (process {run.pid}) has the store open. Nothing was changed.",
            hint="Stop it with `waypost stop`, then restore, then start it again.",
        )
    restored = restore_store(Path(str(params["path"])).expanduser(), database_path(how.database))
    kept = str(restored.kept) if restored.kept else None
    if how.as_json:
        facts = restored.facts
        output.json(json.dumps({"store_id": facts.store_id, "epoch": facts.epoch, "place": facts.place, "kept": kept}))
        return 0
    output.line(f"Restored {restored.facts.place}, as epoch {restored.facts.epoch}.")
    if kept:
        output.aside(f"What was there before is kept as {kept}.")
    return 0


def _migrate(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    """A server has migrated its store when it started; a database is migrated beside its nodes, a file under its lock."""
    database = database_path(how.database)
    run = None if "://" in database else find_server(how)
    if run is not None and run.process_lives():
        shown = json.loads(ask("store.show", {}, how, note=output.note))
        record = {
            "schema_version": shown["schema_version"],
            "from_schema": shown["schema_version"],
            "steps": [],
            "kept": None,
        }
        said = f"The store's schema is {shown['schema_version']}: its server (process {run.pid}) saw to that when it started."
    else:
        from waypost.assembly.keeping import migrate_store  # noqa: PLC0415 - slow to import

        done = migrate_store(database)
        record = {"schema_version": done.after, "from_schema": done.before, "steps": [*done.steps], "kept": done.kept}
        said = _said(database, done)
    if how.as_json:
        output.json(json.dumps(record))
        return 0
    output.line(said)
    if record["kept"]:
        output.aside(f"What was there before is kept as {record['kept']}.")
    return 0


def _said(database: str, done: Upgrade) -> str:
    if not done.steps:
        return f"The store's schema is {done.after}, as this Waypost needs it. There was nothing to do."
    if not done.before:
        return f"Made a new store at {database}: its schema is {done.after}."
    return f"Migrated {database} from schema {done.before}: its schema is {done.after} now ({', '.join(done.steps)})."


backup = make_command(
    "backup",
    _backup,
    summary="Write a whole, consistent copy of the store to a new file.",
    example="waypost backup ~/waypost-monday.db",
    arguments=("path",),
    options=("overwrite",),
)
restore = make_command(
    "restore",
    _restore,
    summary="Put a backup in the place of the store; needs the server stopped, and keeps what it replaces.",
    example="waypost restore ~/waypost-monday.db",
    arguments=("path",),
)
migrate = make_command(
    "migrate",
    _migrate,
    summary="Bring the store's schema up to date; an older store is copied first.",
    example="waypost migrate",
)
