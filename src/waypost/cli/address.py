"""The server that `--url` names. On this machine without a token it is asked as the own server is, which holds it to its store; any other
is asked by HTTP or HTTPS, with the token that is kept for its address.

The key of the run file goes along only to a server on this machine that serves the very store of the run file. Imported only with
`--url`.
"""

from __future__ import annotations

import os
import time

from waypost.cli.asked import Asked
from waypost.cli.dispatch import read_answer, request_of, through
from waypost.cli.logins import armed, token_for
from waypost.client.addresses import Address, read_address
from waypost.client.remote import request
from waypost.client.run_file import RunFile

__all__ = ["ask_address"]

SECONDS = 10.0


def ask_address(url: str, asked: Asked, own: RunFile | None) -> tuple[str, str]:
    """The answer of the server at `url`, and the place under which its tokens are kept. `own` is the run file of the chosen store,
    for its key. Refuses `invalid_input` for what is no address, `store_unavailable` where no Waypost answers."""
    address = read_address(url, with_token=False)
    asked = armed(asked, address.base)
    if asked.token is None:
        asked = asked._replace(token=token_for(address.base, operator=False))
    if asked.token is None and address.loopback and not address.secure:
        return through(_run_file(address, own), asked), address.base
    method, path, query, headers, body = request_of(asked, with_directory=False)
    status, found, raw = request(
        address.base,
        method,
        path,
        query=query,
        headers=headers,
        body=body,
        token=asked.token,
        deadline=time.monotonic() + asked.patience,
    )
    return read_answer(asked, status, found, raw), address.base


def _run_file(address: Address, own: RunFile | None) -> RunFile:
    """How to reach a server on this machine, in the shape of a run file."""
    _, headers, _ = request(address.base, "GET", "/healthz", deadline=time.monotonic() + SECONDS)
    store_id = headers["waypost-store"]
    same = own is not None and own.store_id == store_id
    return RunFile(
        pid=os.getpid(),  # the server's is not known; it only tells whether to try at all
        version="",
        store_id=store_id,
        database="",
        socket=None,
        host="127.0.0.1" if address.host == "localhost" else address.host,
        port=address.dialled,
        key=own.key if own is not None and same else "",
    )
