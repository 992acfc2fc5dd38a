"""`waypost serve`: the server in this process, in this terminal. Imports the server only when it runs."""

from __future__ import annotations

from waypost.cli.command import make_command
from waypost.cli.options import How
from waypost.cli.output import Output

__all__ = ["serve"]


def _serve(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - the server speaks for itself
    from waypost.server.main import serve as run  # noqa: PLC0415 - half a second of imports

    host, port = params["host"], params["port"]
    return run(
        how.database,
        host if isinstance(host, str) else None,
        port if isinstance(port, int) else None,
        open_page=bool(params["open"]),
    )


serve = make_command(
    "serve",
    _serve,
    summary="Start the post office in this terminal; Ctrl-C stops it.",
    example="waypost serve --open",
    options=("host", "port", "open"),
)
