"""`waypost demo`: a scratch store in a folder of its own, filled with a realistic example, served until Ctrl-C, then removed."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from pathlib import Path
from types import FrameType

import click

from waypost.cli.command import write_help
from waypost.cli.options import SPEECH, How, make_options, take_how
from waypost.cli.output import Output

__all__ = ["demo"]

OTHER_STORES = ("WAYPOST_DATABASE", "WAYPOST_URL", "WAYPOST_PROJECT", "WAYPOST_WORKSPACE", "WAYPOST_SESSION")


def _demo(**params: object) -> int:
    how = take_how(params)
    output = Output(how)
    signal.signal(signal.SIGTERM, _end)
    folder = Path(tempfile.mkdtemp(prefix="waypost-demo-"))
    try:
        # Everything below this folder, so that no other store, server or setting is touched.
        os.environ.update(WAYPOST_HOME=str(folder), WAYPOST_PORT="0", WAYPOST_HOST="127.0.0.1")
        for name in OTHER_STORES:
            os.environ.pop(name, None)
        return _serve(folder, how, output, open_page=bool(params["open"]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _serve(folder: Path, how: How, output: Output, *, open_page: bool) -> int:
    from waypost.cli.demo_mail import fill  # noqa: PLC0415 - slow to import
    from waypost.cli.server import stop_server  # noqa: PLC0415 - as above
    from waypost.client.folders import database_path  # noqa: PLC0415 - as above
    from waypost.client.launch import start_server  # noqa: PLC0415 - as above

    database = database_path()
    fill(database)
    try:
        run = start_server(database)
        page = f"http://{run.host}:{run.port}/web/"
        _say(page, folder, how, output)
        if open_page:
            from waypost.client.browser import open_link  # noqa: PLC0415 - only where a page is opened

            open_link(page)
        threading.Event().wait()
    finally:
        stop_server(how, output)
    return 0


def _say(page: str, folder: Path, how: How, output: Output) -> None:
    if how.as_json:
        import json  # noqa: PLC0415 - only here

        output.json(json.dumps({"page": page, "home": str(folder)}))
    else:
        output.line(f"A scratch post office with three projects runs at {page}")
        output.aside("\nLook into it from another terminal:\n")
        output.aside(f"  export WAYPOST_HOME={folder}")
        output.aside("  waypost project list")
        output.aside("  waypost message list --project shop/api")
        output.aside("\nCtrl-C ends it and removes everything.")
    output.flush()


def _end(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt


demo = click.Command(
    "demo",
    params=make_options(("open", *SPEECH)),
    callback=_demo,
    help=write_help(
        "Fill a scratch store with a realistic example and serve it; Ctrl-C removes it again.", "waypost demo --open"
    ),
    short_help="Try a realistic example in a scratch store.",
)
