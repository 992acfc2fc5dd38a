"""Guards in the kernel: times, ids, addresses and idempotency keys."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

TESTS = ("tests/rules/test_kernel.py",)

GUARDS = [
    Guard(
        promise="mail.due.input_checked",
        file="kernel/time.py",
        snippet="if moment.tzinfo is None:",
        replacement="if moment.tzinfo is None and (moment := moment.replace(tzinfo=UTC)) is None:",
        tests=TESTS,
    ),
    Guard(
        promise="idempotency.key.mismatch",
        file="kernel/idempotency.py",
        snippet="if stored != given:",
        replacement="if False:",
        tests=TESTS,
    ),
    Guard(
        promise="idempotency.key.malformed_refused",
        file="kernel/idempotency.py",
        snippet="if not KEY.fullmatch(key):",
        replacement="if not key:",
        tests=TESTS,
    ),
    Guard(
        promise="store.ids.rise",
        file="kernel/ids.py",
        snippet="stamp = max(stamp, _last + 1)",
        replacement="stamp = max(stamp, 0)",
        tests=TESTS,
    ),
    Guard(
        promise="address.name.alphabet",
        file="kernel/addresses.py",
        snippet="if not NAME.fullmatch(name):",
        replacement="if not name:",
        tests=TESTS,
    ),
    Guard(
        promise="address.session.alphabet",
        file="kernel/addresses.py",
        snippet="if not SESSION.fullmatch(text):",
        replacement="if not text:",
        tests=TESTS,
    ),
    Guard(
        promise="address.project.label_is_split",
        file="kernel/addresses.py",
        snippet="if workspace is not None and named.lower() != workspace.lower():",
        replacement="if False:",
        tests=TESTS,
    ),
]
