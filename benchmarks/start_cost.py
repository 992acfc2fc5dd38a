"""What the programs that agents wait for cost to start, as multiples of a bare interpreter (`-c pass`), and what a command costs
through a server, as a multiple of a process that only imports click, socket and json.

Each case runs in pairs with a bare start, interleaved, and the median of the pairs' ratios counts, so that a busy machine
disturbs both sides alike. `python -m benchmarks.start_cost [PAIRS]` prints a table and ends with 1 where a limit is broken.
A case is added in `_cases`.
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from waypost.client.folders import database_path
from waypost.client.launch import ready_server

SOURCES = Path(__file__).resolve().parents[1]
PAIRS = 40
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One measurement: `run` answers its seconds, compared with those of `base` (bare unless given)."""

    name: str
    run: Callable[[], float]
    limit: float | None = None
    base: Callable[[], float] | None = None


def _process(*arguments: str) -> Callable[[], float]:
    """Seconds from the start of a process to its end."""

    def run() -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begin

    return run


def _first_answer(*command: str) -> Callable[[], float]:
    """Seconds from the start of a bridge to its answer to `initialize`."""

    def run() -> float:
        begin = time.perf_counter()
        process = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        seconds = time.perf_counter() - begin
        process.communicate(timeout=20)
        assert "result" in answer, answer
        return seconds

    return run


def _hook(payload: bytes, home: str = "") -> Callable[[], float]:
    """Seconds from the start of a prompt's hook to its end."""

    def run() -> float:
        environ = {**os.environ, **({"WAYPOST_HOME": home} if home else {})}
        command = [sys.executable, "-m", "waypost", "hook", "claude-code", "UserPromptSubmit"]
        begin = time.perf_counter()
        subprocess.run(command, check=True, input=payload, env=environ, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begin

    return run


def _most_memory() -> float:
    """The largest resident size, in MB, of the children so far; of a hook, where only hooks were started."""
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return most / (1_048_576 if sys.platform == "darwin" else 1_024)


@contextmanager
def _server() -> Iterator[None]:
    """A real server for the scratch home, as a process of its own, until the end."""
    process = subprocess.Popen([sys.executable, "-m", "waypost.server"], env={**os.environ, "WAYPOST_AUTOSTART": "1"})
    try:
        give_up = time.monotonic() + 30
        while ready_server(database_path()) is None:
            if process.poll() is not None or time.monotonic() > give_up:
                raise SystemExit("the server did not start")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(20)


bare = _process("-c", "pass")
PROMPT = {"session_id": "bench", "cwd": tempfile.gettempdir(), "hook_event_name": "UserPromptSubmit"}
SMALL = json.dumps({**PROMPT, "prompt": "hello"}).encode()
LARGE = json.dumps({**PROMPT, "prompt": "x" * 2_000_000}).encode()
HOOK_MB = 30.0
imports = _process("-c", "import click, socket, json")
# What the console script does, so that a command's case does not depend on an installed one.
SCRIPT = "import sys; sys.argv[0] = 'waypost'; from waypost.__main__ import main; sys.exit(main())"
COMMANDS = (
    ("message", "list"),
    ("message", "list", "--json"),
    ("message", "send", "--repeat", "hello"),
)


def _cases() -> list[Case]:
    cases = [
        Case(
            name="bridge, first answer (-m waypost mcp)",
            run=_first_answer(sys.executable, "-m", "waypost", "mcp"),
            limit=4.0,
        ),
        Case(
            name="command line through the server",
            run=_process("-m", "waypost", "project", "list", "--json"),
            base=_process("-c", "import click, socket, json"),
            limit=1.3,
        ),
        Case(name="prompt hook with a server, nothing to say", run=_hook(SMALL), limit=3.0),
        Case(name="prompt hook without a server", run=_hook(SMALL, home="/nowhere"), limit=3.0),
        Case(name="prompt hook of 2 MB, against a small one", run=_hook(LARGE), base=_hook(SMALL), limit=1.5),
        Case(name="import json, socket", run=_process("-c", "import json, socket")),
    ]
    if script := shutil.which("waypost", path=str(Path(sys.executable).parent)):
        cases.insert(1, Case(name="bridge, first answer (console script)", run=_first_answer(script, "mcp"), limit=4.0))
    return cases + [
        Case(name=f"waypost {' '.join(command)}", run=_process("-c", SCRIPT, *command), limit=1.3, base=imports)
        for command in COMMANDS
    ]


def measure(case: Case, pairs: int) -> tuple[float, float, float]:
    """Medians over the pairs: milliseconds of the base, of the case, and the ratio."""
    base = case.base or bare
    base()
    case.run()
    found = [(base(), case.run()) for _ in range(pairs)]
    ratio = statistics.median(seconds / bare_seconds for bare_seconds, seconds in found)
    return statistics.median(pair[0] for pair in found) * 1e3, statistics.median(pair[1] for pair in found) * 1e3, ratio


def main() -> int:
    """Measures every case before a running server in a scratch home."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    broken = 0
    _hook(LARGE, home="/nowhere")()
    memory = _most_memory()
    print(f"hook of 2 MB: {memory:.0f} MB at most (limit {HOOK_MB:.0f})")
    broken += memory > HOOK_MB
    # As an installed Waypost is; without it every start would compile the sources anew where writing bytecode is switched off.
    compileall.compile_dir(SOURCES / "src", quiet=1)
    with tempfile.TemporaryDirectory(prefix="wp-") as home:
        os.environ.update(WAYPOST_HOME=home, PYTHONPATH=str(SOURCES / "src"))
        with _server():
            subprocess.run([sys.executable, "-m", "waypost", "project", "add", home, "--project", "bench"], check=True)
            os.environ["WAYPOST_PROJECT"] = "bench"
            print(
                f"{'case':42} {'base ms':>8} {'ms':>8} {'ratio':>6} {'limit':>6}   ({pairs} interleaved pairs, medians)"
            )
            for case in _cases():
                base_ms, case_ms, ratio = measure(case, pairs)
                broken += case.limit is not None and ratio > case.limit
                print(f"{case.name:42} {base_ms:8.1f} {case_ms:8.1f} {ratio:6.2f} {case.limit or '':>6}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
