"""Where Waypost keeps its files, and which file is the store. The rules of platformdirs, without its import.

`WAYPOST_HOME=/x` puts everything under /x. Otherwise the XDG variables count where they hold an absolute path (on macOS
too), then the platform's own folders. Nothing here creates a folder.
"""

from __future__ import annotations

import os
import sys

from waypost.client.percent import unquote
from waypost.kernel.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Folders",
    "database_path",
    "database_url",
    "find_folders",
    "lock_path",
    "log_path",
    "run_file_path",
    "socket_path",
]

# The shortest limit of the supported systems is 104 bytes with the closing NUL (macOS); Linux has 108.
MAX_SOCKET_PATH_BYTES = 99


class Folders:
    """The folders of one account: absolute paths, which need not exist."""

    __slots__ = ("config", "data", "log", "state")

    def __init__(self, *, data: str, state: str, config: str, log: str) -> None:
        self.data = data
        self.state = state
        self.config = config
        self.log = log


def find_folders(environ: Mapping[str, str] | None = None, *, platform: str = sys.platform) -> Folders:
    """The folders that this environment and platform lead to."""
    environ = os.environ if environ is None else environ
    home = environ.get("WAYPOST_HOME")
    if home:
        home = os.path.abspath(os.path.expanduser(home))
        return Folders(**{name: os.path.join(home, name) for name in Folders.__slots__})
    if platform == "darwin":
        support = os.path.expanduser("~/Library/Application Support")
        data = _xdg(environ, "XDG_DATA_HOME", support)
        state = _xdg(environ, "XDG_STATE_HOME", support)
        config = _xdg(environ, "XDG_CONFIG_HOME", support)
        log = os.path.join(os.path.expanduser("~/Library/Logs"), "waypost")
    elif platform == "win32":
        data = state = config = os.path.join(environ.get("LOCALAPPDATA") or os.path.expanduser("~"), "waypost")
        log = os.path.join(data, "Logs")
    else:
        data = _xdg(environ, "XDG_DATA_HOME", os.path.expanduser("~/.local/share"))
        state = _xdg(environ, "XDG_STATE_HOME", os.path.expanduser("~/.local/state"))
        config = _xdg(environ, "XDG_CONFIG_HOME", os.path.expanduser("~/.config"))
        log = os.path.join(state, "log")
    return Folders(data=data, state=state, config=config, log=log)


def _xdg(environ: Mapping[str, str], name: str, default: str) -> str:
    """`waypost` below the folder of an XDG variable, which the specification ignores unless it is absolute."""
    given = environ.get(name, "").strip()
    return os.path.join(given if os.path.isabs(given) else default, "waypost")


def database_path(given: str | None = None, environ: Mapping[str, str] | None = None) -> str:
    """The real path of the store's file, or the place of its Postgres database (a URL without secrets): `given` (an option), else
    WAYPOST_DATABASE, else config.toml, else the default file.

    A plain path may be relative to the working directory; `sqlite:///path` is always absolute, whatever number of slashes
    follows. Refuses (`invalid_input`) other URLs, stores that are neither, and a password in an option, where every account of
    the machine can read it.
    """
    environ = os.environ if environ is None else environ
    folders = find_folders(environ)
    text = given or environ.get("WAYPOST_DATABASE") or _configured(folders.config)
    if not text:
        return os.path.realpath(os.path.join(folders.data, "waypost.db"))
    if "\0" in text or text == ":memory:":
        raise InvalidInput("The database must be a file.", hint="Pass a path or sqlite:///path.")
    scheme, separator, rest = text.partition("://")
    if not separator:
        return os.path.realpath(os.path.expanduser(text))
    if scheme.startswith("postgres"):
        # An option's value may be the environment's, put in by the command line.
        return _postgres_place(text, by_option=given not in {None, environ.get("WAYPOST_DATABASE")})
    path = unquote(rest.lstrip("/"))
    if scheme != "sqlite" or not rest.startswith("/") or not path or "?" in rest:
        raise InvalidInput(
            f"The database URL of scheme {scheme!r} cannot be used here.",
            hint="Pass a path, sqlite:///path or postgresql://user@host/database.",
        )
    return os.path.realpath(path if os.path.isabs(path) else f"/{path}")


def database_url(place: str, environ: Mapping[str, str] | None = None) -> str:
    """The URL by which the database at `place` is opened: with the password, where WAYPOST_DATABASE or config.toml has one for
    this very place."""
    from waypost.client.postgres_url import is_postgres, place_of  # noqa: PLC0415 - only where the store is no file

    environ = os.environ if environ is None else environ
    for text in (environ.get("WAYPOST_DATABASE"), _configured(find_folders(environ).config)):
        if text and is_postgres(text) and place_of(text) == place:
            return text
    return place


def _postgres_place(text: str, *, by_option: bool) -> str:
    from waypost.client.postgres_url import holds_secret, place_of  # noqa: PLC0415 - as above

    if by_option and holds_secret(text):
        raise InvalidInput(
            "--database holds a password, and every account of this machine can read the arguments of a command.",
            hint="Leave it out and give it by PGPASSWORD, ~/.pgpass, or in WAYPOST_DATABASE or config.toml.",
        )
    return place_of(text)


def _configured(folder: str) -> str | None:
    """`database` of config.toml. The file is parsed only when it speaks of a database, because parsing is slow to import."""
    try:
        with open(os.path.join(folder, "config.toml"), "rb") as file:
            raw = file.read()
    except OSError:
        return None
    if b"database" not in raw:
        return None
    import tomllib  # noqa: PLC0415 - only where config.toml names a database

    try:
        value = tomllib.loads(raw.decode("utf-8")).get("database")
    except ValueError as error:
        raise InvalidInput(f"{folder}/config.toml is not valid TOML: {error}", hint="Mend the file.") from None
    return value if isinstance(value, str) else None


def run_file_path(database: str, environ: Mapping[str, str] | None = None) -> str:
    """Where this account's server of the store at `database` (a real path, or a place) writes its run file."""
    return os.path.join(find_folders(environ).state, "run", f"{_name(database)}.json")


def socket_path(database: str, environ: Mapping[str, str] | None = None) -> str | None:
    """Where that server listens; None where the path would be too long or the system has no Unix sockets: then TCP is used."""
    path = os.path.join(find_folders(environ).state, "run", f"{_name(database)}.sock")
    usable = sys.platform != "win32" and len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES
    return path if usable else None


def lock_path(database: str) -> str:
    """The file whose lock says which process has the store open."""
    return f"{database}.lock"


def log_path(name: str, environ: Mapping[str, str] | None = None) -> str:
    """The log file of that name, for example `server.log`."""
    return os.path.join(find_folders(environ).log, name)


def _name(database: str) -> str:
    """The first 16 hex digits of the SHA-256 of the path or place."""
    raw = os.fsencode(database)
    try:
        # The interpreter's own; hashlib would load OpenSSL first, which costs as much as half of the bridge.
        module = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    except ImportError:
        import hashlib as module  # noqa: PLC0415 - only on interpreters built without their own hashes
    return str(module.sha256(raw).hexdigest())[:16]
