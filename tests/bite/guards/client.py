"""Guards in the client's transport, the launch and the bridge: whose answer is believed, who gets the key, what is repeated."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard tried by one file of the doors' tests."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(tests,))


TRANSPORT = "tests/doors/test_transport.py"
RUN_FILE = "tests/doors/test_run_file.py"
LAUNCH = "tests/doors/test_launch.py"
BRIDGE = "tests/doors/test_bridge.py"
OUTAGE = "tests/doors/test_bridge_outage.py"

GUARDS = [
    guard(
        "store.runfile.foreign_server",
        "client/transport.py",
        TRANSPORT,
        'if found.get("waypost-store") != self._run.store_id:',
        "if False:",
    ),
    guard(
        "store.runfile.foreign_server",
        "client/transport.py",
        TRANSPORT,
        "        if not run.socket:\n            try:",
        "        if False:\n            try:",
    ),
    guard("store.runfile.private", "client/run_file.py", RUN_FILE, "os.O_EXCL, 0o600)", "os.O_EXCL, 0o644)"),
    guard(
        "store.runfile.private", "client/run_file.py", RUN_FILE, "os.chmod(folder, 0o700)", "os.chmod(folder, 0o755)"
    ),
    guard(
        "store.runfile.stale_ignored",
        "client/run_file.py",
        RUN_FILE,
        "except (OSError, ValueError, RecursionError):",
        "except OSError:",
    ),
    guard(
        "store.runfile.found_by_store",
        "client/folders.py",
        RUN_FILE,
        '"run", f"{_name(database)}.json"',
        '"run", "server.json"',
    ),
    guard("day_one.folders.one_home", "client/folders.py", RUN_FILE, "    if home:\n", "    if False:\n"),
    guard("day_one.server.detached", "client/launch.py", LAUNCH, "start_new_session=True", "start_new_session=False"),
    guard("day_one.server.detached", "client/launch.py", LAUNCH, "close_fds=True", "close_fds=False"),
    guard(
        "bridge.directory.carried", "bridge/relay.py", BRIDGE, 'headers["Waypost-Directory"] = self._directory', "pass"
    ),
    guard("bridge.directory.carried", "bridge/session.py", BRIDGE, "self._registration.wait()", "pass"),
    guard(
        "bridge.session.only_stated",
        "bridge/messages.py",
        BRIDGE,
        "session = self.meta.get(SESSION_META)",
        'session = self.meta.get(SESSION_META, "last")',
    ),
    guard("bridge.stdout.only_protocol", "bridge/lines.py", BRIDGE, '.replace(b"\\n", b" ")', ""),
    guard("bridge.stdout.only_protocol", "bridge/main.py", BRIDGE, "        os.dup2(2, 1)\n", "        pass\n"),
    guard(
        "bridge.call.once",
        "bridge/messages.py",
        OUTAGE,
        "        if KEY_META not in self.meta:\n",
        "        if False:\n",
    ),
    guard(
        "bridge.call.once",
        "bridge/relay.py",
        OUTAGE,
        "(ServerAway, ForeignServer, AnswerLost, _Busy)",
        "(ServerAway, _Busy)",
    ),
    guard(
        "bridge.restart.next_call",
        "bridge/relay.py",
        OUTAGE,
        "(ServerAway, ForeignServer, AnswerLost, _Busy)",
        "(ForeignServer, AnswerLost, _Busy)",
    ),
    guard("bridge.server.joined_or_started", "bridge/relay.py", OUTAGE, "self._starter.start()", "pass"),
    guard(
        "bridge.server.joined_or_started",
        "client/launch.py",
        LAUNCH,
        "        if run := ready_server(database):\n            return run\n        return _start_and_wait",
        "        return _start_and_wait",
    ),
    guard(
        "bridge.foreign_server.refused",
        "bridge/relay.py",
        OUTAGE,
        "if isinstance(failure, (ServerAway, ForeignServer)):",
        "if isinstance(failure, ServerAway):",
    ),
    guard(
        "bridge.start.light",
        "bridge/session.py",
        "tests/start/test_imports.py",
        "from _thread import allocate_lock\n",
        "from threading import Lock as allocate_lock\n",
    ),
]
