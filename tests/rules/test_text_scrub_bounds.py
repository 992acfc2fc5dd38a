"""The scrubber's time grows with the text alone: its patterns themselves are read, no clock is."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Iterator

import pytest

from tests.promises.marks import promise
from waypost.kernel.text import scrub, scrub_rules, scrub_shapes
from waypost.kernel.text.scrub import ROUNDS, RULES, SHORTEST_KEY

parser = importlib.import_module("re._parser")
codes = importlib.import_module("re._constants")

LONGEST_REPEAT = 65_536  # what one quantifier may take at most
MOST_WAYS = 50_000  # in which one attempt at one place may go back over its own choices
BACKTRACKING = {codes.MAX_REPEAT, codes.MIN_REPEAT}
REPEATS = BACKTRACKING | {codes.POSSESSIVE_REPEAT}


def compiled() -> dict[str, re.Pattern[str]]:
    """Every pattern of the rules, and every other one of the modules that look at text from elsewhere."""
    patterns = {f"{rule.id} {place}": rule.pattern for place, rule in enumerate(RULES)}
    for module in (scrub_rules, scrub_shapes, importlib.import_module("waypost.kernel.text.scrub")):
        patterns |= {f"{module.__name__}.{n}": v for n, v in vars(module).items() if isinstance(v, re.Pattern)}
    return patterns


def inside(arguments: object) -> Iterator[object]:
    """The parsed sequences within one operation's arguments."""
    if isinstance(arguments, parser.SubPattern):
        yield arguments
    elif isinstance(arguments, (tuple, list)):
        for one in arguments:
            yield from inside(one)


def repeats(parsed: object) -> Iterator[tuple[object, int, int]]:
    for operation, arguments in parsed:  # type: ignore[attr-defined] # the standard library's own parser of patterns
        if operation in REPEATS:
            yield operation, arguments[0], arguments[1]
        for part in inside(arguments):
            yield from repeats(part)


def ways(parsed: object) -> int:
    """How many ways one attempt may try to match: choices multiply in a row and in a backtracking repeat."""
    total = 1
    for operation, arguments in parsed:  # type: ignore[attr-defined] # as above
        within = [ways(part) for part in inside(arguments)]
        if operation in BACKTRACKING:
            least, most, _ = arguments
            inner = math.prod(within)
            total *= (most - least + 1) * (inner**most if inner > 1 else 1)
        elif operation is codes.POSSESSIVE_REPEAT or operation is codes.ATOMIC_GROUP:
            total *= 1  # what it took it never gives back
        elif operation is codes.BRANCH:
            total *= sum(within)
        else:
            total *= math.prod(within)
    return total


@promise("text.scrub.bounded_time")
@pytest.mark.parametrize("name", compiled())
def test_each_quantifier_of_a_pattern_is_bounded(name: str) -> None:
    pattern = compiled()[name]
    for operation, _, most in repeats(parser.parse(pattern.pattern, pattern.flags)):
        assert most is not codes.MAXREPEAT, operation
        assert int(most) <= LONGEST_REPEAT


@promise("text.scrub.bounded_time")
def test_the_audit_sees_an_unbounded_and_a_nested_quantifier() -> None:
    assert any(most is codes.MAXREPEAT for _, _, most in repeats(parser.parse(r"a(?:b|c(d*))")))
    assert any(most is codes.MAXREPEAT for _, _, most in repeats(parser.parse(r"(?=x\S+?)y")))
    assert ways(parser.parse(r"(?:a{1,20}){1,20}b")) > MOST_WAYS
    assert ways(parser.parse(r"(?:a{1,20}){1,20}+b")) == 1


@promise("text.scrub.bounded_time")
@pytest.mark.parametrize("place", range(len(RULES)), ids=[f"{rule.id} {place}" for place, rule in enumerate(RULES)])
def test_one_attempt_of_a_rule_can_go_back_only_so_often(place: int) -> None:
    assert ways(parser.parse(RULES[place].pattern.pattern, RULES[place].pattern.flags)) <= MOST_WAYS


@promise("text.scrub.bounded_time")
def test_a_rule_is_tried_only_where_one_of_its_keywords_stands() -> None:
    assert [rule.id for rule in RULES if rule.anchored and not rule.keywords] == []
    assert [rule.id for rule in RULES if not rule.keywords] == ["discord-bot"]
    assert all(keyword == keyword.lower() and keyword.strip() for rule in RULES for keyword in rule.keywords)


@promise("text.scrub.bounded_time")
def test_rules_skipped_in_texts_without_a_long_word_need_one() -> None:
    for rule in scrub_rules.VENDOR_RULES:
        assert parser.parse(rule.pattern.pattern, rule.pattern.flags).getwidth()[0] >= SHORTEST_KEY, rule.id


@promise("text.scrub.bounded_time")
def test_a_text_is_read_a_fixed_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("waypost.kernel.text.scrub")
    calls = 0

    def always_one(text: str) -> list[tuple[int, int, int]]:
        nonlocal calls
        calls += 1
        return [(0, 1, 0)]

    monkeypatch.setattr(module, "_found", always_one)
    scrub("x")
    assert calls == ROUNDS


@promise("text.scrub.bounded_time")
@pytest.mark.parametrize(
    "unit", ["tok" + "en=", "access-key=", "sec" + "ret=a1", "authorization=", "bearer aA1", "://a:b/"]
)
def test_a_text_of_names_and_signs_is_judged_in_proportion_to_its_length(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("waypost.kernel.text.scrub")
    judge, judged = module._accepted, 0

    def counted(rule: scrub_rules.Rule, match: re.Match[str]) -> tuple[int, int] | None:
        nonlocal judged
        judged += len(match.group())
        answer: tuple[int, int] | None = judge(rule, match)
        return answer

    monkeypatch.setattr(module, "_accepted", counted)
    for size in (8_192, 32_768):
        judged = 0
        scrub((unit * size)[:size])
        assert judged <= 16 * size
