"""`waypost config show`: each setting, its value, and where it came from."""

from __future__ import annotations

import json
import os

import click

from waypost.cli.command import make_command
from waypost.cli.options import How
from waypost.cli.output import Output

__all__ = ["group"]


def _show(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    from waypost.assembly.settings import explain_settings  # noqa: PLC0415 - pydantic is slow to import
    from waypost.cli.here import config_file  # noqa: PLC0415 - as above
    from waypost.client.folders import database_path  # noqa: PLC0415 - as above

    file = config_file()
    explained = explain_settings(file, os.environ, {"database": how.database})
    rows = [
        {
            "name": one.name,
            "value": database_path(how.database) if one.name == "database" else one.value,
            "from": one.origin,
        }
        for one in explained
    ]
    if how.as_json:
        output.json(json.dumps({"file": str(file), "settings": rows}))
        return 0
    output.table(("setting", "value", "from"), [tuple(row.values()) for row in rows])
    output.aside(f"\nThe file is {file}{'' if file.exists() else ' (not there yet)'}.")
    return 0


group = click.Group(
    "config",
    commands=[
        make_command(
            "show", _show, summary="Show each setting, its value and where it came from.", example="waypost config show"
        )
    ],
    help="Settings: an option beats the environment, which beats config.toml, which beats the default.",
)
