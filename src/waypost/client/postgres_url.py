"""A database URL of Postgres, as far as those must know it who never open the database: where it is, without its secrets.

A place is the URL without passwords. It names the run file and stands in it, in logs and on command lines; the secret stays where it
was given (the environment, config.toml, or what libpq reads by itself) and is put back only where the database is opened.
"""

from __future__ import annotations

import re

from waypost.kernel.errors import InvalidInput

__all__ = ["SCHEMES", "holds_secret", "is_postgres", "place_of"]

SCHEMES = ("postgresql", "postgres")
PARTS = re.compile(r"(?:postgresql|postgres)://(?:([^/?#@\s]*)@)?([^/?#@\s]*)(/[^?#]*)?(?:\?([^#]*))?")
SECRETS = frozenset({"password", "sslpassword", "oauth_client_secret"})


def is_postgres(database: str) -> bool:
    """Whether a database is a URL of Postgres and not a file."""
    return database.partition("://")[0] in SCHEMES and "://" in database


def place_of(url: str) -> str:
    """The URL without its passwords. Refuses (`invalid_input`) one that cannot be taken apart, because a secret might stay in it."""
    user, hosts, path, query = _taken_apart(url)
    name = user.partition(":")[0]
    kept = "&".join(part for part in query.split("&") if part and part.partition("=")[0] not in SECRETS)
    return f"postgresql://{f'{name}@' if name else ''}{hosts}{path}{f'?{kept}' if kept else ''}"


def holds_secret(url: str) -> bool:
    """Whether a password stands in the URL."""
    user, _, _, query = _taken_apart(url)
    return ":" in user or any(part.partition("=")[0] in SECRETS for part in query.split("&"))


def _taken_apart(url: str) -> tuple[str, str, str, str]:
    found = PARTS.fullmatch(url)
    if found is None:
        raise InvalidInput(
            "The database URL is malformed.",
            hint="Write it like postgresql://user@host:5432/database; percent-encode signs like @ and / in its parts.",
        )
    user, hosts, path, query = (part or "" for part in found.groups())
    return user, hosts, path, query
