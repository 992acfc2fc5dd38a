"""`waypost serve`: opens the store, listens, says where to look, serves until it is told to stop, and leaves nothing behind.

Whatever prevents the start is one clear refusal with its code. The run file is there exactly while the server answers.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from socket import socket
from typing import TextIO

from waypost import __version__
from waypost.assembly.settings import Settings, load_settings
from waypost.assembly.waypost import open_waypost
from waypost.client.browser import open_link
from waypost.client.folders import database_path, find_folders, log_path, run_file_path, socket_path
from waypost.client.launch import ready_server
from waypost.client.postgres_url import is_postgres
from waypost.client.run_file import RunFile, new_key, remove_run_file, write_run_file
from waypost.kernel.errors import StoreBusy, WaypostError
from waypost.server.administration import sign_in_link
from waypost.server.app import build_app
from waypost.server.context import ServerContext, make_context
from waypost.server.exposure import EVERY_ADDRESS, addresses_of, is_exposed, refuse_exposure_without_tokens
from waypost.server.listening import bind_tcp, unix_socket
from waypost.server.logs import LogFile, open_log
from waypost.server.process import Process, raise_descriptor_limit

__all__ = ["serve"]

NOT_STARTED = "The server could not start; its log says why"


def serve(
    database: str | None = None,
    host: str | None = None,
    port: int | None = None,
    *,
    open_page: bool = False,
    environ: Mapping[str, str] | None = None,
) -> int:
    """Serves until SIGTERM, SIGINT or `waypost stop`, and answers the exit status: 0 after a good end, 1 for a refusal.

    In the background (WAYPOST_AUTOSTART=1) nothing is printed but refusals, and a taken port gives way to a free one.
    """
    environ = os.environ if environ is None else environ
    background = environ.get("WAYPOST_AUTOSTART") == "1"
    try:
        place = database_path(database, environ)
        settings = load_settings(
            Path(find_folders(environ).config, "config.toml"), environ, {"host": host, "port": port}
        )
        with ExitStack() as stack:
            _run(stack, place, settings, environ, open_page=open_page, background=background)
    except WaypostError as refusal:
        _say(f"waypost serve: {refusal.detail} ({refusal.code})\n{refusal.hint}".rstrip(), sys.stderr)
        return refusal.exit_code
    except SystemExit:  # uvicorn's word for an application that did not start
        _say(f"waypost serve: {NOT_STARTED}: {log_path('server.log', environ)}", sys.stderr)
        return 1
    return 0


def _run(
    stack: ExitStack, place: str, settings: Settings, environ: Mapping[str, str], *, open_page: bool, background: bool
) -> None:
    out = sys.stdout if sys.stdout.isatty() else sys.stderr
    talks = not background
    log_file = LogFile(Path(log_path("server.log", environ)))
    log, end_log = open_log(log_file, sys.stdout if talks and sys.stdout.isatty() else None)
    stack.callback(end_log)
    raise_descriptor_limit()
    _refuse_second(place)
    addresses_of(settings.server.host)  # whether it is one of this machine at all
    exposed = is_exposed(settings)
    tcp = None if exposed else _listen(stack, settings, background=background)
    if exposed and not is_postgres(place) and not Path(place).exists():
        refuse_exposure_without_tokens(settings, None)  # and no empty store is made for it
    waypost = open_waypost(place, settings)
    stack.callback(waypost.close)
    if tcp is None:  # nobody from elsewhere is even connected before there is a token
        refuse_exposure_without_tokens(settings, waypost.store)
        tcp = _listen(stack, settings, background=background)
    Path(run_file_path(place, environ)).unlink(missing_ok=True)  # a leftover: no server answers by it
    context = make_context(waypost, settings, key=new_key(), log=log)
    stack.callback(context.close)
    sockets = stack.enter_context(unix_socket(socket_path(place, environ)))
    address, bound_port = tcp.getsockname()[:2]
    context.base_url = _base_url(address, bound_port)
    run = RunFile(
        pid=os.getpid(),
        version=__version__,
        store_id=waypost.store.facts.store_id,
        database=place,
        socket=socket_path(place, environ),
        host=address,
        port=bound_port,
        key=context.key,
    )
    stack.callback(remove_run_file, run_file_path(place, environ), run)

    def ready() -> None:
        log_file.gather_on(asyncio.get_running_loop())
        write_run_file(run_file_path(place, environ), run)
        log.info("started", version=__version__, pid=run.pid, port=bound_port)
        if talks:
            _say(_welcome(context, place, log_path("server.log", environ)), out)
        if open_page:
            open_link(sign_in_link(context))

    _serve_app(context, ready, [tcp, *sockets])
    log_file.gather_on(None)  # its event loop has ended
    log.info("stopped", pid=run.pid)


def _listen(stack: ExitStack, settings: Settings, *, background: bool) -> socket:
    tcp = bind_tcp(settings.server.host, settings.server.port, else_any=background)
    stack.callback(tcp.close)
    return tcp


def _base_url(address: str, port: int) -> str:
    """Where this machine's people open the page."""
    if address in EVERY_ADDRESS:
        address = "::1" if ":" in address else "127.0.0.1"
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def _serve_app(context: ServerContext, ready: Callable[[], None], sockets: list[socket]) -> None:
    app = build_app(context)
    try:
        Process(context, app, ready=ready).run(sockets=sockets)
    except SystemExit:
        if app.refusal is not None:
            raise app.refusal from None
        raise


def _refuse_second(place: str) -> None:
    run = ready_server(place)
    if run is not None:
        raise StoreBusy(
            f"{place} is already served by process {run.pid}. Nothing was started.",
            hint="See it with `waypost status`; end it with `waypost stop`.",
        )


def _say(text: str, out: TextIO) -> None:
    with suppress(OSError):  # nobody reads any more; that stops no server
        out.write(f"{text}\n")
        out.flush()


def _welcome(context: ServerContext, place: str, log: str) -> str:
    return f"""Waypost {__version__} is running.

  page   {context.base_url}/web
  store  {place}
  log    {log}

Next, in another terminal:

  waypost project add             in a repository: gives its agents a mailbox
  waypost mcp                     what to register as an MCP server with a coding agent
  waypost message send --help     leaves mail from the command line
  waypost open                    signs you in to the page

Ctrl-C stops it."""
