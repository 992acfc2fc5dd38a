"""The two settings of a hook, read without the parser where config.toml does not speak of hooks.

`WAYPOST_HOOK_BUDGET_MS` and `WAYPOST_HOOK_START_SERVER` beat `[hooks]` of config.toml. A value that makes no sense counts as none:
a hook must not fail for a misspelt setting, which the server's start and `waypost doctor` name.
"""

from __future__ import annotations

import os

from waypost.client.folders import find_folders

__all__ = ["HookSettings", "hook_settings"]

BUDGET_MS = 300
BUDGETS_MS = range(50, 60_001)


class HookSettings:
    """How long a hook may take, and whether one at session start starts a server that does not run."""

    __slots__ = ("budget_seconds", "start_server")

    def __init__(self, budget_ms: int, *, start_server: bool) -> None:
        self.budget_seconds = budget_ms / 1_000
        self.start_server = start_server


def hook_settings() -> HookSettings:
    """The settings of this account."""
    table = _table()
    given = os.environ.get("WAYPOST_HOOK_BUDGET_MS", "")
    budget = int(given) if given.isdigit() else table.get("budget_ms")
    start = os.environ.get("WAYPOST_HOOK_START_SERVER", "") or table.get("start_server", True)
    return HookSettings(
        budget if isinstance(budget, int) and budget in BUDGETS_MS else BUDGET_MS,
        start_server=start not in {False, "0", "false", "no"},
    )


def _table() -> dict[str, object]:
    try:
        with open(os.path.join(find_folders().config, "config.toml"), "rb") as file:
            raw = file.read()
        if b"hooks" not in raw:
            return {}
        import tomllib  # noqa: PLC0415 - only where config.toml speaks of hooks

        table = tomllib.loads(raw.decode("utf-8")).get("hooks")
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}
