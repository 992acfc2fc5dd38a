"""The server that `--url` names: asks it which store it serves, so that the transport can hold it to that.

The key of the run file goes along only where that server serves the very store of the run file. Imported only with `--url`.
"""

from __future__ import annotations

import http.client
import json
import os
from urllib.parse import urlsplit

from waypost.client.errors import ForeignServer, ServerAway
from waypost.client.run_file import RunFile
from waypost.kernel.errors import InvalidInput

__all__ = ["server_at"]

SECONDS = 10.0
MOST_BYTES = 65_536


def server_at(url: str, own: RunFile | None) -> RunFile:
    """How to reach the server at `url`, in the shape of a run file. `own` is the run file of the chosen store, for its key.
    Refuses `invalid_input` for what is no plain http address, and `store_unavailable` where no Waypost answers."""
    host, port = _parts(url)
    store_id = _store_behind(host, port)
    same = own is not None and own.store_id == store_id
    return RunFile(
        pid=os.getpid(),  # the server's is not known; it only tells whether to try at all
        version="",
        store_id=store_id,
        database="",
        socket=None,
        host=host,
        port=port,
        key=own.key if own is not None and same else "",
    )


def _parts(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme != "http" or parts.path not in {"", "/"} or parts.query or parts.username:
        raise InvalidInput("--url is not the address of a server.", hint="Give it like http://127.0.0.1:7433.")
    return host, port or 80


def _store_behind(host: str, port: int) -> str:
    connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    try:
        connection.request("GET", "/v1/store")
        record = json.loads(connection.getresponse().read(MOST_BYTES))
    except ValueError:
        record = None
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise ServerAway(f"No server answers at http://{host}:{port}: {why}.") from None
    finally:
        connection.close()
    store_id = record.get("store_id") if isinstance(record, dict) else None
    if not isinstance(store_id, str) or not store_id.isascii() or not store_id.isprintable():
        raise ForeignServer(f"What answers at http://{host}:{port} is no Waypost.", hint="Check --url.")
    return store_id
