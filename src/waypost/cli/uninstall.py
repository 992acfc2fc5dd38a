"""`waypost uninstall`: takes back what setup wrote, stops the server, and with `--purge` removes every folder of this account's Waypost.

The program itself is removed by what installed it; the last line says how.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import cast

from waypost.cli.command import make_command
from waypost.cli.dispatch import ask, find_server
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.cli.refused import Refused
from waypost.cli.setup import take_all_back
from waypost.client.folders import find_folders
from waypost.kernel.errors import WaypostError

__all__ = ["uninstall"]

FOLDERS = ("data", "state", "config", "log")


def _uninstall(how: How, output: Output, params: dict[str, object]) -> int:
    clients = take_all_back()
    failed = [record for record in clients if record["state"] == "failed"]
    stopped = _stop(how)
    removed: list[str] = []
    if params.get("purge") and not failed:
        for name in FOLDERS:
            place = Path(getattr(find_folders(), name))
            if place.is_dir():
                shutil.rmtree(place)
                removed.append(str(place))
    if how.as_json:
        output.json(json.dumps({"ok": not failed, "clients": clients, "stopped": stopped, "removed": removed}))
        return 1 if failed else 0
    for record in clients:
        for file in cast("list[dict[str, object]]", record["files"]):
            words = f": {file['problem']}" if file["problem"] else ""
            output.line(f"{'COULD NOT CHANGE' if words else 'took out of'} {file['path']}{words}")
    if stopped:
        output.line("Stopped the server.")
    for folder in removed:
        output.line(f"Removed {folder}")
    if params.get("purge") and failed:
        output.line("Nothing was purged, because the notes are needed to take back the rest.")
    elif not removed:
        output.line(
            f"Mail and settings stay, in {find_folders().data} and {find_folders().config}; --purge removes them."
        )
    output.aside("The program itself: `pipx uninstall waypost` or `uv tool uninstall waypost`.")
    return 1 if failed else 0


def _stop(how: How) -> bool:
    """Whether a server ran and was told to stop."""
    if find_server(how) is None:
        return False
    try:
        ask("server.stop", {}, how)
    except (Refused, WaypostError):
        return False
    return True


uninstall = make_command(
    "uninstall",
    _uninstall,
    summary="Take back what setup wrote into coding agents' files and stop the server; --purge removes all data too.",
    example="waypost uninstall",
    options=("purge",),
)
