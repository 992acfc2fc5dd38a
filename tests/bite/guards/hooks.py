"""Guards in the hook command and in the door that answers it."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard tried by one file of the agents' tests."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(f"tests/agents/{tests}",))


GUARDS = [
    guard(
        "hook.output.exact_shape",
        "hook/main.py",
        "test_hook_command.py",
        'if answer.status != 200:\n            log(self._client, self._event, f"the server answered',
        'if False:\n            log(self._client, self._event, f"the server answered',
    ),
    guard(
        "hook.exit.always_zero",
        "hook/main.py",
        "test_hook_command.py",
        "    if client is None:\n        _usage()\n        return 0",
        "    if client is None:\n        _usage()\n        return 2",
    ),
    guard(
        "hook.budget.300ms",
        "hook/payload.py",
        "test_hook_command.py",
        "    except Late:\n        return head, False\n",
        "",
    ),
    guard(
        "hook.start.starts_server",
        "hook/main.py",
        "test_hook_command.py",
        "if not (starts and settings.start_server):",
        "if not starts:",
    ),
    guard(
        "hook.output.controls_escaped",
        "server/hooks/telling.py",
        "test_fuzz.py",
        'text = visible("\\n\\n".join(part.text for part in kept))',
        'text = "\\n\\n".join(part.text for part in kept)\n        visible("")',
    ),
    guard(
        "hook.told.once",
        "server/hooks/offers.py",
        "test_boundaries.py",
        "return not (by and by != client and at_boundary == boundary and now - at < ONCE_SECONDS)",
        "return bool(by) or True",
    ),
    guard(
        "hook.start.unchanged_is_one_line",
        "operations/boundaries.py",
        "test_boundaries.py",
        "(told.count, told.latest) == (waiting.only_counted, waiting.latest)",
        "told.count == waiting.only_counted",
    ),
    guard(
        "hook.start.late_clients",
        "server/hooks/door.py",
        "test_shapes.py",
        "return reached.certain or self._offers.first_hint(hook.session)",
        "return bool(self._offers.first_hint(hook.session)) and False",
    ),
    guard(
        "client.delivery.boundaries",
        "operations/boundaries.py",
        "test_boundaries.py",
        'boundary = "session_start" if given.boundary == "prompt" and not begun else given.boundary',
        "boundary = given.boundary",
    ),
    guard(
        "client.delivery.cheap",
        "server/hooks/telling.py",
        "test_shapes.py",
        "if boundary is Boundary.AFTER_TOOL and reached.unchanged:",
        "if boundary is Boundary.END and reached.unchanged:",
    ),
    guard(
        "hook.failure.harmless",
        "server/hooks/door.py",
        "test_boundaries.py",
        "if caller.rights < Rights.OWNER or from_browser(headers):",
        "if from_browser(headers):",
    ),
    guard(
        "hook.payload.bounded",
        "agents/payload.py",
        "test_hook_command.py",
        "        return Payload(_members(text))",
        "        return Payload({})",
    ),
]
