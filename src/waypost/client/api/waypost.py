"""The client over blocking sockets, and how it is told where the server is and for whom it acts."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from waypost.client.api.asked import Acting
from waypost.client.api.connecting import Connecting
from waypost.client.api.exchange import Exchange
from waypost.client.api.places import GivenAddress, LocalStore, Place
from waypost.client.api.retries import Retries
from waypost.client.api.verbs import Verbs
from waypost.kernel.errors import InvalidInput

__all__ = ["ANSWER_SECONDS", "NAME", "Told", "Waypost"]

ANSWER_SECONDS = 30.0
NAME = "python"
"""What the client says of itself where it is given no name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What a client was told, the environment's words included."""

    url: str | None
    token: str | None = field(repr=False)
    database: str | None
    start: bool
    project: str | None
    session: str | None
    directory: str | os.PathLike[str] | None
    client: str
    verify: ssl.SSLContext | bool

    def acting(self, environ: Mapping[str, str] = os.environ) -> Acting:
        """For whom the client acts."""
        project = self.project or environ.get("WAYPOST_PROJECT") or None
        workspace = environ.get("WAYPOST_WORKSPACE")
        if project and workspace and not self.project and "/" not in project:
            project = f"{workspace}/{project}"
        return Acting(project=project, session=self.session or environ.get("WAYPOST_SESSION") or None)

    def connecting(self, environ: Mapping[str, str] = os.environ) -> Connecting:
        """How the server is reached. Refuses `invalid_input`."""
        if self.url is not None and self.database is not None:
            raise InvalidInput("url and database name two places.", hint="Pass one of them.")
        url = self.url or (environ.get("WAYPOST_URL") if self.database is None else None) or None
        token = self.token or (environ.get("WAYPOST_TOKEN") if url else None) or None
        place: Place
        if url is None:
            place = LocalStore(self.database, start=self.start)
        else:
            place = GivenAddress.read(url, with_token=token is not None)
        directory = self.directory if self.directory is not None or url is not None else _working_directory()
        return Connecting(
            place=place,
            client=self.client,
            directory=None if directory is None else os.path.abspath(os.fspath(directory)),
            token=token,
            verify=self.verify,
        )


class Waypost(Verbs):
    """A client of one store. Safe for use by several threads; close it, or use it as a context.

    Without `url` it speaks to the server of this account's store (`database`, else as the command line finds it) over its socket, and
    starts one where none runs, unless `start` is false. With `url` it speaks to that server by HTTP or HTTPS, with `token`. The
    environment counts as for the command line: `WAYPOST_URL`, `WAYPOST_TOKEN`, `WAYPOST_DATABASE`, `WAYPOST_PROJECT`,
    `WAYPOST_WORKSPACE`, `WAYPOST_SESSION`; an argument goes first.

    `project` (`workspace/project`) and `session` are the caller's own where a call names none; otherwise `directory`, on this machine
    the working directory, tells the project. `timeout` is in seconds, for each request without the time that it waits by itself.
    Reads, and writes by their idempotency keys, are repeated as `retries` says. Refuses `invalid_input` for what is no address.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        token: str | None = None,
        database: str | None = None,
        start: bool = True,
        project: str | None = None,
        session: str | None = None,
        directory: str | os.PathLike[str] | None = None,
        client: str = NAME,
        timeout: float = ANSWER_SECONDS,
        retries: Retries | None = None,
        verify: ssl.SSLContext | bool = True,
    ) -> None:
        told = Told(
            url=url,
            token=token,
            database=database,
            start=start,
            project=project,
            session=session,
            directory=directory,
            client=client,
            verify=verify,
        )
        exchange = Exchange(told.connecting(), acting=told.acting(), seconds=timeout, retries=retries or Retries())
        super().__init__(exchange)

    def close(self) -> None:
        """Closes the connections. A closed client cannot be used again."""
        self._exchange.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _working_directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None
