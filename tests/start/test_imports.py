"""What the fast entries load: module lists, not times, because a list does not depend on the machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.bridge_process import SOURCES
from tests.doors.fake_server import FakeServer
from tests.promises.marks import promise

# Each of these costs more than the bridge's own code.
TOO_HEAVY = {
    "asyncio",
    "click",
    "contextlib",
    "ctypes",
    "dataclasses",
    "email",
    "hashlib",
    "http",
    "importlib.metadata",
    "inspect",
    "logging",
    "mcp",
    "pathlib",
    "pydantic",
    "selectors",
    "shutil",
    "signal",
    "socket",
    "ssl",
    "starlette",
    "subprocess",
    "tempfile",
    "threading",
    "tomllib",
    "typing",
    "urllib",
    "uuid",
}
# What Waypost itself loads until the first answer is out.
BRIDGE = {
    "waypost",
    "waypost.bridge",
    "waypost.bridge.lines",
    "waypost.bridge.log",
    "waypost.bridge.main",
    "waypost.bridge.messages",
    "waypost.bridge.patience",
    "waypost.bridge.relay",
    "waypost.bridge.session",
    "waypost.client",
    "waypost.client.errors",
    "waypost.client.folders",
    "waypost.client.line_log",
    "waypost.client.percent",
    "waypost.client.run_file",
    "waypost.client.transport",
    "waypost.client.wire",
    "waypost.kernel",
    "waypost.kernel.errors",
}

HOOK = {
    "waypost",
    "waypost.client",
    "waypost.client.errors",
    "waypost.client.folders",
    "waypost.client.line_log",
    "waypost.client.percent",
    "waypost.client.run_file",
    "waypost.client.transport",
    "waypost.client.wire",
    "waypost.hook",
    "waypost.hook.alarm",
    "waypost.hook.log",
    "waypost.hook.main",
    "waypost.hook.payload",
    "waypost.hook.settings",
    "waypost.kernel",
    "waypost.kernel.errors",
}

# Runs the entry point and prints, on standard error, what was loaded more than by a bare start, when `moment` comes.
PROBE = """
import sys
before = set(sys.modules)
sys.argv = ["waypost", *{arguments!r}]
from waypost.__main__ import main
def tell():
    sys.stderr.write("LOADED " + " ".join(sorted(set(sys.modules) - before)) + "\\n")
{moment}
status = main()
tell()
raise SystemExit(status)
"""
# The moment the first answer is written: what was loaded until then is what the agent waited for.
FIRST_ANSWER = """
import waypost.bridge.lines as lines
write = lines.Output.write
def tell_and_write(self, message):
    write(self, message)
    lines.Output.write = write
    tell()
lines.Output.write = tell_and_write
"""


def loaded(arguments: list[str], moment: str = "", given: bytes = b"") -> list[set[str]]:
    """The modules that the entry point loaded, at each moment they were told."""
    probe = PROBE.format(arguments=arguments, moment=moment)
    environ = {**os.environ, "PYTHONPATH": SOURCES}
    done = subprocess.run(
        [sys.executable, "-c", probe], input=given, capture_output=True, env=environ, timeout=50, check=True
    )
    lines = done.stderr.decode().splitlines()
    return [set(line.split()[1:]) for line in lines if line.startswith("LOADED")]


def heavy(modules: set[str]) -> set[str]:
    return {module for module in modules if module in TOO_HEAVY or module.partition(".")[0] in TOO_HEAVY}


@promise("bridge.start.light", "start.entry.looks_first")
def test_the_bridge_answers_initialize_before_anything_heavy_is_loaded(home: Path, database: str) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": {"name": "x"}}}
    with FakeServer(database):
        first, last = loaded(["mcp"], FIRST_ANSWER, json.dumps(request).encode())
    assert {module for module in first if module.startswith("waypost")} == BRIDGE | {"waypost.__main__"}
    assert heavy(first) == set()
    assert not {"click", "starlette", "mcp", "pydantic", "asyncio", "http", "ssl"} & last


@promise("bridge.start.light")
def test_a_whole_session_of_the_bridge_loads_no_framework(home: Path, database: str) -> None:
    lines = [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "progress"}} for n in range(3)]
    with FakeServer(database):
        *_, last = loaded(["mcp"], "", b"\n".join(json.dumps(line).encode() for line in lines))
    assert heavy(last) <= {"signal", "threading"}


@promise("start.entry.looks_first", "hook.start.light")
@pytest.mark.parametrize("served", [True, False])
def test_a_hook_loads_its_own_few_modules_and_the_transport(
    home: Path, database: str, monkeypatch: pytest.MonkeyPatch, served: bool
) -> None:
    monkeypatch.setenv("WAYPOST_HOOK_BUDGET_MS", "30000")
    arguments = ["hook", "claude-code", "UserPromptSubmit"]
    if served:
        with FakeServer(database):
            (modules,) = loaded(arguments, given=b"{}")
    else:
        (modules,) = loaded(arguments, given=b"{}")
    assert {module for module in modules if module.startswith("waypost")} == HOOK | {"waypost.__main__"}
    assert heavy(modules) == set()
