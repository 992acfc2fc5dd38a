"""Guards in setup: what is shown first, what is never touched, and what comes out again."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]


def guard(promise: str, file: str, tests: str, snippet: str, replacement: str) -> Guard:
    """A guard tried by one file of the agents' tests."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(f"tests/agents/{tests}",))


GUARDS = [
    guard("setup.find.shows_first", "cli/setup.py", "test_setup.py", "    if writes or removes:\n", "    if files:\n"),
    guard(
        "setup.write.keeps_choices",
        "agents/files/edits.py",
        "test_files.py",
        "if wanted and program and program != wanted and not alive(program):",
        "if wanted and program and program != wanted:",
    ),
    guard(
        "setup.write.merges",
        "agents/files/jsonc.py",
        "test_files.py",
        'if "\\n" in inside and not last_line.strip():',
        'if "\\n" in inside:',
    ),
    guard(
        "setup.remove.byte_for_byte",
        "agents/plan.py",
        "test_setup.py",
        "if note is not None and note.digest == digest(plan.before):",
        "if False and note is not None:",
    ),
    guard(
        "setup.broken_file.untouched",
        "agents/files/edits.py",
        "test_setup.py",
        "    if not new and MARK not in done.text:",
        "    if False and new:",
    ),
    guard(
        "setup.write.one_level",
        "agents/plan.py",
        "test_setup.py",
        'if one.path not in here and not one.what.startswith("skill") and our_programs([one]):',
        "if False:",
    ),
    guard(
        "setup.write.backs_up_and_verifies",
        "agents/plan.py",
        "test_setup.py",
        "    plan.copy = None if plan.before is None else notes.copy(plan.path, plan.before)",
        "    plan.copy = None",
    ),
]
