"""Guards in the command line: what is asked for again, what a terminal may see, what is never read or told."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard tried by one file of the doors' tests."""
    return Guard(
        promise=promise, file=f"cli/{file}", snippet=snippet, replacement=replacement, tests=(f"tests/doors/{tests}",)
    )


GUARDS = [
    guard(
        "cli.exit.codes",
        "program.py",
        "test_cli_streams.py",
        "    except (click.Abort, KeyboardInterrupt):\n        return INTERRUPTED",
        "    except click.Abort:\n        return DONE",
    ),
    guard("cli.exit.codes", "program.py", "test_cli_streams.py", "return BAD_USAGE", "return REFUSED"),
    guard(
        "cli.json.one_object",
        "program.py",
        "test_cli_refusals.py",
        "    if as_json:\n        command",
        "    if False:\n        command",
    ),
    guard(
        "cli.message.body_sources",
        "body.py",
        "test_cli_streams.py",
        "if sys.stdin is not None and not sys.stdin.isatty():",
        "if sys.stdin is None:",
    ),
    guard(
        "cli.message.long_argument_warned",
        "body.py",
        "test_cli_body.py",
        "len(text) > LONG_ARGUMENT",
        "len(text) > MAX_BYTES",
    ),
    guard(
        "cli.output.plain",
        "output.py",
        "test_cli_streams.py",
        "    return visible(shown)",
        "    return visible and shown",
    ),
    guard(
        "cli.output.plain", "output.py", "test_cli_streams.py", "_escaped(text) if self.on_terminal else text", "text"
    ),
    guard("cli.output.plain", "output.py", "test_cli_streams.py", "not how.no_color and not", "not"),
    guard(
        "cli.scope.working_directory",
        "dispatch.py",
        "test_cli_verbs.py",
        "if directory is not None:",
        "if directory is None:",
    ),
    guard(
        "store.version.newer_cli",
        "dispatch.py",
        "test_cli_server.py",
        "if not server or server == __version__:",
        "if server:",
    ),
    guard(
        "store.lock.busy_after_wait",
        "here.py",
        "test_cli_refusals.py",
        "            if run is not None:\n                return run\n            if left <= 0:",
        "            if left <= 0:",
    ),
    guard("store.pipeline.without_server", "here.py", "test_cli_verbs.py", "        opened.close()", "        pass"),
    guard(
        "cli.server.verbs", "server.py", "test_cli_server.py", "if not opened and not output.on_terminal:", "if False:"
    ),
]
