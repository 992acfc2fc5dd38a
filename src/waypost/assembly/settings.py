"""Settings: an option beats the environment (`WAYPOST_*`), which beats `config.toml`, which beats the default.

One model says all there are, with their names, so that options, environment and file agree. Unknown names in the file are
refused, because a misspelt limit that silently does nothing is worse than an error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import MINUTE, SECOND
from waypost.mail.models import Limits

__all__ = [
    "AuthSettings",
    "Explained",
    "HandoffSettings",
    "HookSettings",
    "LimitSettings",
    "ServerSettings",
    "Settings",
    "explain_settings",
    "load_settings",
]

Count = Annotated[int, Field(ge=1, le=1_000_000)]


class Section(BaseModel):
    """A table of `config.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ServerSettings(Section):
    """`[server]`: where the server listens, by which further names it may be called (behind a proxy), and how much it takes in one
    request."""

    host: str = "127.0.0.1"
    allowed_hosts: tuple[str, ...] = ()
    port: Annotated[int, Field(ge=0, le=65535)] = 7433
    max_request_bytes: Annotated[int, Field(ge=64_000, le=64_000_000)] = 1_000_000


class AuthSettings(Section):
    """`[auth]`: whether a credential is required. Beyond loopback it always is."""

    required: bool = False


class HookSettings(Section):
    """`[hooks]`: how long a coding agent's hook may take, and whether one at session start starts a server that does not run. The hook
    reads them itself, without this module."""

    budget_ms: Annotated[int, Field(ge=50, le=60_000)] = 300
    start_server: bool = True


class LimitSettings(Section):
    """`[limits]`: the bounds of mail."""

    subject: Count = 200
    body: Count = 8_000
    inbox: Count = 256
    scheduled: Count = 1_000
    sends_a_minute: Count = 60
    loop_replies: Count = 10
    loop_minutes: Annotated[int, Field(ge=1, le=10_000)] = 10
    lease_seconds: Annotated[int, Field(ge=1, le=86_400)] = 1_800

    def limits(self) -> Limits:
        """The bounds as the rules take them."""
        return Limits(
            subject=self.subject,
            body=self.body,
            inbox=self.inbox,
            scheduled=self.scheduled,
            sends_a_minute=self.sends_a_minute,
            loop_replies=self.loop_replies,
            loop_window=self.loop_minutes * MINUTE,
            lease=self.lease_seconds * SECOND,
        )


class HandoffSettings(Section):
    """`[handoffs]`: whether a session's end may leave one."""

    automatic: bool = False


class Settings(Section):
    """All settings."""

    database: str | None = None
    server: ServerSettings = ServerSettings()
    auth: AuthSettings = AuthSettings()
    hooks: HookSettings = HookSettings()
    limits: LimitSettings = LimitSettings()
    handoffs: HandoffSettings = HandoffSettings()

    def mail(self) -> Limits:
        """What the rules of mail take from the settings."""
        return replace(self.limits.limits(), automatic_handoffs=self.handoffs.automatic)


ENVIRONMENT = {
    "WAYPOST_DATABASE": ("database",),
    "WAYPOST_HOST": ("server", "host"),
    "WAYPOST_PORT": ("server", "port"),
    "WAYPOST_HOOK_BUDGET_MS": ("hooks", "budget_ms"),
    "WAYPOST_HOOK_START_SERVER": ("hooks", "start_server"),
}


def load_settings(file: Path, environment: Mapping[str, str], options: Mapping[str, str | int | None]) -> Settings:
    """The settings from `config.toml` (which may be missing), the environment and the options (`database`, `host`, `port`).
    Refuses `invalid_input`, naming the file or variable and the field."""
    table = _read(file)
    for variable, path in ENVIRONMENT.items():
        if environment.get(variable):
            _put(table, path, environment[variable])
    for name, value in options.items():
        if value is not None:
            _put(table, ("database",) if name == "database" else ("server", name), value)
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"The setting {place} is wrong: {first['msg']}.",
            hint=f"Correct it in {file}, the environment or the option.",
        ) from None


@dataclass(frozen=True, kw_only=True, slots=True)
class Explained:
    """One setting by its name in `config.toml`, its value, and where that came from."""

    name: str
    value: str | int | bool | None
    origin: str


def explain_settings(
    file: Path, environment: Mapping[str, str], options: Mapping[str, str | int | None]
) -> list[Explained]:
    """Every setting with its value and origin. Refuses as `load_settings` does."""
    values = _leaves(load_settings(file, environment, options).model_dump())
    in_file = _leaves(_read(file))
    variables = {".".join(path): variable for variable, path in ENVIRONMENT.items()}
    explained: list[Explained] = []
    for name, value in values.items():
        option, variable = options.get(name.rpartition(".")[2]), variables.get(name, "")
        from_environment = environment.get(variable)
        if option is not None and str(option) != from_environment:
            origin = f"option --{name.rpartition('.')[2]}"
        elif from_environment:
            origin = f"environment {variable}"
        else:
            origin = str(file) if name in in_file else "default"
        explained.append(Explained(name=name, value=value, origin=origin))
    return explained


def _leaves(table: Mapping[str, object], prefix: str = "") -> dict[str, str | int | bool | None]:
    """A nested table as one level, by dotted names."""
    found: dict[str, str | int | bool | None] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            found.update(_leaves(value, f"{prefix}{name}."))
        elif isinstance(value, tuple | list):
            found[f"{prefix}{name}"] = ", ".join(map(str, value))
        elif value is None or isinstance(value, str | int | bool):
            found[f"{prefix}{name}"] = value
    return found


def _read(file: Path) -> dict[str, object]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read: {type(error).__name__}.", hint="Mend or remove the file.") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{file} is not valid TOML: {error}.", hint="Mend the line it names.") from None


def _put(table: dict[str, object], path: tuple[str, ...], value: str | int) -> None:
    inner = table
    for name in path[:-1]:
        below = inner.setdefault(name, {})
        if not isinstance(below, dict):
            return
        inner = below
    inner[path[-1]] = value
