"""Removes secrets from text before it is stored, measured or shown, by the tables of rules.

Invariant: the result holds no secret that a rule knows, scrubbing it again changes nothing, and the time grows with the
length of the text alone. Knows nothing of fields, limits or of what happens to the text afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from waypost.kernel.text.scrub_rules import VENDOR_RULES, Rule, secret_span
from waypost.kernel.text.scrub_shapes import SHAPE_RULES, TRAILING, VALUE_END

__all__ = ["RULES", "Scrubbed", "mark", "scrub"]

# Earlier rules name what several rules found.
RULES: tuple[Rule, ...] = VENDOR_RULES + SHAPE_RULES

# A removal can uncover a neighbour that was no secret while the removed one stood beside it; a text that needs more
# rounds than this would have to be made for it, and each round is bounded.
ROUNDS = 4
OVERLAPPING_REFUSALS = 4  # of one rule, each within the one before it; what follows in the last one is not judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrubbed:
    """The text without its secrets, how many were removed, and the ids of the rules that found them, sorted."""

    text: str
    removed: int
    kinds: tuple[str, ...]


def mark(rule_id: str) -> str:
    """What stands in the place of a removed secret."""
    return f"[secret removed: {rule_id}]"


def scrub(text: str) -> Scrubbed:
    """`text` with each secret replaced by a mark that names its kind. Refuses nothing, raises nothing."""
    removed, kinds = 0, set[str]()
    for _ in range(ROUNDS):
        found = _found(text)
        if not found:
            break
        spans = _merged(found)
        pieces, done = [], 0
        for start, end, priority in spans:
            pieces += [text[done:start], mark(RULES[priority].id)]
            kinds.add(RULES[priority].id)
            done = end
        text = "".join([*pieces, text[done:]])
        removed += len(spans)
    return Scrubbed(text=text, removed=removed, kinds=tuple(sorted(kinds)))


Span = tuple[int, int, int]  # start, end, place of the rule in RULES


SEPARATORS = "_.:=~/-"
HEAD = re.compile(rf"[{SEPARATORS}](?<=(..)[{SEPARATORS}])", re.DOTALL)
# Each vendor's key is an unbroken run of at least this many characters; prose without one is spared their keywords.
SHORTEST_KEY = 20
VENDORS = len(VENDOR_RULES)
SHARED = ("key", "auth")  # words that several keywords hold: one search tells that none of them is there

Entry = tuple[str, tuple[int, ...]]  # a keyword, and the places of the anchored rules that it starts


class _Index:
    """Keywords by how they are looked for: the two characters before their first separator, or the whole of them.

    The first are found for all keywords in one scan of the text, the others by one search each.
    """

    def __init__(self) -> None:
        places: dict[str, list[int]] = {}
        for place, rule in enumerate(RULES):
            for keyword in rule.keywords if rule.anchored else ():
                places.setdefault(keyword, []).append(place)
        self.headed: dict[str, list[Entry]] = {}
        self.for_keys: list[Entry] = []
        self.for_all: dict[str, list[Entry]] = {}
        for keyword, found in places.items():
            entry = (keyword, tuple(found))
            first = min((at for at, char in enumerate(keyword) if char in SEPARATORS), default=0)
            if first >= 2:
                self.headed.setdefault(keyword[first - 2 : first], []).append(entry)
            elif found[-1] < VENDORS:
                self.for_keys.append(entry)
            else:
                shared = next((word for word in SHARED if word in keyword), keyword)
                self.for_all.setdefault(shared, []).append(entry)

    def present(self, lowered: str, *, keys: bool) -> list[Entry]:
        """The entries whose keyword may stand in the text; `keys` tells whether a run is long enough for a key."""
        entries: list[Entry] = []
        for shared in [word for word in self.for_all if word in lowered]:
            entries += self.for_all[shared]
        for head in set(HEAD.findall("  " + lowered)):
            entries += self.headed.get(head, ())
        if keys:
            entries += [entry for entry in self.for_keys if entry[0] in lowered]
        return entries


INDEX = _Index()
SEARCHING = tuple(place for place, rule in enumerate(RULES) if not rule.anchored)
TRIMMED = frozenset(place for place, rule in enumerate(RULES) if rule.id in {"assigned-secret", "assigned-key"})
MARK = re.compile("|".join(re.escape(mark(rule_id)) for rule_id in sorted({rule.id for rule in RULES})))
# What stands before a secret though it ends in a letter or digit: an escape of JSON or a URL, or a colour's end.
ESCAPED_EDGE = re.compile(r"(?:\\[nrtbfv0]|\\[ux][0-9a-fA-F]{2,4}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,5}m)\Z")
TOKEN_TAIL = re.compile(r"(?:[A-Za-z0-9_]|%(?:2[BFbf]|3[Dd])){0,65536}+")


def _found(text: str) -> list[Span]:
    # One character of Unicode grows when lowered; without it positions in both texts are the same.
    lowered = text.replace("\u0130", "i").lower()
    keys = max(map(len, text.split()), default=0) >= SHORTEST_KEY
    hits: dict[int, list[int]] = {}
    for keyword, places in INDEX.present(lowered, keys=keys):
        at = lowered.find(keyword)
        while at >= 0:
            for place in places:
                hits.setdefault(place, []).append(at)
            at = lowered.find(keyword, at + len(keyword))
    found: list[Span] = []
    for place, positions in hits.items():
        found.extend(_tried(place, text, sorted(positions)))
    for place in SEARCHING if keys else ():
        rule = RULES[place]
        if not rule.keywords or any(keyword in lowered for keyword in rule.keywords):
            found.extend(_searched(place, text))
    return found


def _tried(place: int, text: str, positions: list[int]) -> Iterator[Span]:
    """The rule's secrets at these positions. What overlaps is judged only a few times, so that a text made of nothing
    but names and signs costs no more than its length."""
    rule = RULES[place]
    resume, refused, refused_end = 0, 0, 0
    for at in positions:
        if at < resume or (rule.edge and not _at_edge(text, at)):
            continue
        match = _matched(place, text, at)
        if match is None:
            continue
        span = _accepted(rule, match)
        if span is not None:
            resume = span[1]
            yield (*span, place)
            continue
        refused = refused + 1 if at < refused_end else 1
        refused_end = match.end()
        if refused >= OVERLAPPING_REFUSALS:
            resume = refused_end


def _matched(place: int, text: str, at: int) -> re.Match[str] | None:
    pattern = RULES[place].pattern
    match = pattern.match(text, at)
    if match is not None and place in TRIMMED and match.group("quote") is None:
        return pattern.match(text, at, _value_end(match))
    return match


def _searched(place: int, text: str) -> Iterator[Span]:
    for match in RULES[place].pattern.finditer(text):
        span = _accepted(RULES[place], match)
        if span is not None:
            yield (*span, place)


def _accepted(rule: Rule, match: re.Match[str]) -> tuple[int, int] | None:
    span = secret_span(rule, match)
    if span is None or MARK.match(match.string, span[0]):
        return None
    # A token longer than its rule allows leaves no tail behind.
    tail = TOKEN_TAIL.match(match.string, span[1])
    return span[0], tail.end() if tail else span[1]


def _value_end(match: re.Match[str]) -> int:
    """Where a value without quotes ends: before the next pair of a list, an escaped line end, or a sentence's mark."""
    start, end = match.span("secret")
    stop = VALUE_END.search(match.string, start, end)
    end = stop.start() if stop else end
    while end > start and match.string[end - 1] in TRAILING:
        end -= 1
    return end


def _at_edge(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    if not (before.isascii() and (before.isalnum() or before == "_")):
        return True
    return ESCAPED_EDGE.search(text[max(0, at - 8) : at]) is not None


def _merged(found: list[Span]) -> list[Span]:
    """Overlapping spans as one, named by the earliest rule of the table."""
    merged: list[Span] = []
    for start, end, place in sorted(found):
        if merged and start < merged[-1][1]:
            last_start, last_end, last_place = merged[-1]
            merged[-1] = (last_start, max(last_end, end), min(last_place, place))
        else:
            merged.append((start, end, place))
    return merged
