"""Git remotes as text: the URLs in a repository's config, and the `host/owner/name` that a URL stands for. Pure but for one read."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

__all__ = ["identity_of_remote", "read_remotes"]

CONFIG_LIMIT = 1024 * 1024
SECTION = re.compile(r'^\s*\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]', re.IGNORECASE)
ANY_SECTION = re.compile(r"^\s*\[")
URL = re.compile(r"^\s*url\s*=\s*(.+?)\s*$", re.IGNORECASE)
SCP = re.compile(r"^(?:([^@/\s]+)@)?(\[[0-9a-fA-F:]+\]|[^:/\s]+):(?!//)(.+)$")
LOOPBACK = re.compile(r"localhost|127(?:\.[0-9]+){3}|::1")
OTHER_NAMES = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
"""Hosts that are the same one by another name, for networks that let only port 443 through."""
SHARED_LOGINS = frozenset({None, "git"})
"""Logins whose home folder is the same for everybody; below any other, a path means that login's own folder."""
FOLDING_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""Hosts that treat owner and name without regard to case; on others two spellings may be two repositories."""


def read_remotes(config: Path) -> dict[str, str]:
    """The first URL of each remote in a git config; empty where it cannot be read."""
    try:
        if not config.is_file():  # a pipe would never answer
            return {}
        with config.open(encoding="utf-8", errors="replace") as file:
            text = file.read(CONFIG_LIMIT)
    except OSError:
        return {}
    remotes: dict[str, str] = {}
    current: str | None = None
    for line in text.splitlines():
        section = SECTION.match(line)
        if section:
            current = section.group(1)
        elif ANY_SECTION.match(line):
            current = None
        elif current is not None:
            url = URL.match(line)
            if url and current not in remotes:
                remotes[current] = url.group(1).strip('"')
    return remotes


def identity_of_remote(url: str) -> str | None:
    """`host/owner/name` of a remote's URL, without user, port, `.git` and scheme; None for a path on this disk.

    Two URLs of one repository give one identity; the case of owner and name is kept unless the host is known to ignore it. Two
    repositories never do: a login stays where the path starts in its home folder, and the port stays on this machine itself,
    where it tells one server from another.
    """
    host, path = _split(url)
    if host is None or not path:
        return None
    host = host.casefold().rstrip(".")
    host = OTHER_NAMES.get(host, host)
    path = path.strip("/").removesuffix(".git").rstrip("/")
    if not path:
        return None
    if host in FOLDING_HOSTS:
        path = path.casefold()
    return f"{host}/{path}"


def _split(url: str) -> tuple[str | None, str]:
    if "://" in url:
        if url.startswith("file://"):
            return None, url
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            return None, url
        if host and port and LOOPBACK.fullmatch(host):
            host = f"{host}:{port}"
        path = re.sub(r"/{2,}", "/", parts.path)
        return host, _below_login(parts.username, path) if path.startswith("/~/") else path
    scp = SCP.match(url)
    if scp and not re.match(r"^[A-Za-z]:[\\/]", url):
        login, host, path = scp.groups()
        return host.strip("[]"), path if path.startswith("/") or host in FOLDING_HOSTS else _below_login(login, path)
    return None, url


def _below_login(login: str | None, path: str) -> str:
    """A path that starts in a login's home folder, such as `project.git` in `maria@server:project.git`."""
    path = path.removeprefix("/").removeprefix("~/")
    return path if login in SHARED_LOGINS else f"~{login}/{path}"
