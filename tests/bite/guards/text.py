"""Guards in the kernel's text: what is refused, removed, cut and framed."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

SCRUB = ("tests/rules/test_text_scrub.py",)
BOUNDS = ("tests/rules/test_text_scrub_bounds.py",)
VALIDITY = ("tests/rules/test_text_validity.py",)
MEASURE = ("tests/rules/test_text_measure.py",)
FRAME = ("tests/rules/test_text_frame.py",)

GUARDS = [
    Guard(
        promise="text.scrub.recall",
        file="kernel/text/scrub.py",
        snippet="return ESCAPED_EDGE.search(text[max(0, at - 8) : at]) is not None",
        replacement="return False",
        tests=SCRUB,
    ),
    Guard(
        promise="text.scrub.recall",
        file="kernel/text/scrub.py",
        snippet="return span[0], tail.end() if tail else span[1]",
        replacement="return span if tail else span",
        tests=SCRUB,
    ),
    Guard(
        promise="text.scrub.recall",
        file="kernel/text/scrub.py",
        snippet="    for _ in range(ROUNDS):\n        found = _found(text)",
        replacement="    for _ in range(ROUNDS):\n        found = _found(text[:200])",
        tests=SCRUB,
    ),
    Guard(
        promise="text.scrub.false_alarms",
        file="kernel/text/scrub_rules.py",
        snippet="if rule.allow_placeholders and is_placeholder(value):",
        replacement="if False:",
        tests=SCRUB,
    ),
    Guard(
        promise="text.scrub.false_alarms",
        file="kernel/text/scrub_shapes.py",
        snippet='if ABOUT.fullmatch(match.group("rest")):',
        replacement="if False:",
        tests=SCRUB,
    ),
    Guard(
        promise="text.scrub.false_alarms",
        file="kernel/text/scrub_shapes.py",
        snippet="if all(WORD_PIECE.fullmatch(piece)",
        replacement="if value and not all(WORD_PIECE.fullmatch(piece)",
        tests=SCRUB,
    ),
    Guard(
        promise="text.scrub.bounded_time",
        file="kernel/text/scrub_rules.py",
        snippet='r"npm_[A-Za-z0-9]{36,80}"',
        replacement='r"npm_[A-Za-z0-9]{36,}"',
        tests=BOUNDS,
    ),
    Guard(
        promise="text.scrub.bounded_time",
        file="kernel/text/scrub.py",
        snippet="if refused >= OVERLAPPING_REFUSALS:",
        replacement="if refused < 0:",
        tests=BOUNDS,
    ),
    Guard(
        promise="text.scrub.before_measure",
        file="kernel/text/measure.py",
        snippet="    scrubbed = scrub(checked)\n",
        replacement="    scrubbed = scrub(measure(checked, field=field, limit=limit, truncate=truncate).text)\n",
        tests=SCRUB,
    ),
    Guard(
        promise="text.invalid.refused_with_position",
        file="kernel/text/validity.py",
        snippet=r'UNSTORABLE = re.compile("[\x00\ud800-\udfff]")',
        replacement=r'UNSTORABLE = re.compile("[\x00]")',
        tests=VALIDITY,
    ),
    Guard(
        promise="text.invalid.repaired",
        file="kernel/text/validity.py",
        snippet="return UNSTORABLE.sub(REPLACEMENT, text)",
        replacement="return text",
        tests=VALIDITY,
    ),
    Guard(
        promise="text.too_long.refused",
        file="kernel/text/measure.py",
        snippet="    if not truncate:\n",
        replacement="    if False:\n",
        tests=MEASURE,
    ),
    Guard(
        promise="text.truncate.marked",
        file="kernel/text/measure.py",
        snippet="return text[:kept] + note",
        replacement="return text[:limit]",
        tests=MEASURE,
    ),
    Guard(
        promise="text.truncate.marked",
        file="kernel/text/measure.py",
        snippet="if not _joined(text, at - back):",
        replacement="if True:",
        tests=MEASURE,
    ),
    Guard(
        promise="text.frame.cannot_close",
        file="kernel/text/frame.py",
        snippet="if tag not in occupied:",
        replacement="if tag:",
        tests=FRAME,
    ),
    Guard(
        promise="text.frame.no_controls",
        file="kernel/text/frame.py",
        snippet="    body = visible(text)\n",
        replacement="    body = text\n",
        tests=FRAME,
    ),
    Guard(
        promise="text.frame.no_controls",
        file="kernel/text/frame.py",
        snippet='label = UNSAFE_ORIGIN.sub("?", origin)',
        replacement="label = origin",
        tests=FRAME,
    ),
]
