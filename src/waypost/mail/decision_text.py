"""The convention's text of a question and of its answer: printed and read, strictly, in one pass over the lines.

Invariant: reading what was printed gives what was printed, and no text makes reading fail in another way than `Malformed`. The
form is a small part of YAML: `key: value` lines, lists of `- `, values plain, quoted, or as an indented block after `|`. Knows
nothing of who may ask or answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from waypost.mail.decision_models import Option, Question, Reply

__all__ = [
    "QUESTION_PREFIX",
    "REPLY_PREFIX",
    "Malformed",
    "print_question",
    "print_reply",
    "read_question",
    "read_reply",
    "tidy",
]

QUESTION_PREFIX = "decision: "
REPLY_PREFIX = "decision-reply: "
FIELD = re.compile(r"([a-z_]{1,32}):(?: (.*))?", re.DOTALL)
BLOCK = frozenset({"|", "|-"})
QUOTES = ('"', "'")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
QUESTION_FIELDS = frozenset({"question", "requires_root", "reply_project", "options", "details", "links"})
OPTION_FIELDS = frozenset({"id", "label", "description", "recommended"})
REPLY_FIELDS = frozenset({"question_id", "option", "comment"})


class Malformed(ValueError):
    """The text is not of the convention's form; its words say why, in a clause, and repeat nothing of the text."""


def tidy(text: str) -> str:
    """A text as the convention carries it: line feeds alone between lines, and no blanks around it."""
    return "\n".join(line.rstrip("\r") for line in text.split("\n")).strip()


def print_question(question: Question) -> str:
    """The body of a question. Its texts must be tidy."""
    lines = [
        *_printed("question", question.question),
        f"requires_root: {'true' if question.requires_root else 'false'}",
        f"reply_project: {question.reply_project}",
        "options:",
    ]
    for option in question.options:
        lines += [f"- id: {option.id}", *_printed("label", option.label, indent="  ")]
        lines += _printed("description", option.description, indent="  ")
        if option.recommended:
            lines.append("  recommended: true")
    lines += _printed("details", question.details)
    if question.links:
        lines += ["links:", *(f"- {link}" for link in question.links)]
    return "\n".join(lines)


def print_reply(reply: Reply) -> str:
    """The body of an answer. Its comment must be tidy."""
    lines = [f"question_id: {reply.question_id}", f"option: {reply.option}", *_printed("comment", reply.comment)]
    return "\n".join(lines)


def read_question(body: str) -> Question:
    """The question that a body writes. Raises Malformed."""
    lines = _Lines(body)
    texts: dict[str, str] = {}
    options: list[Option] = []
    links: list[str] = []
    seen: set[str] = set()
    while lines.more():
        name, rest = lines.field(indent=0, known=QUESTION_FIELDS, seen=seen)
        if name == "options":
            options = _options(lines, rest)
        elif name == "links":
            links = _links(lines, rest)
        else:
            texts[name] = lines.value(rest, indent=0)
    return Question(
        question=_needed(texts, "question"),
        requires_root=_flag(texts, "requires_root"),
        reply_project=_needed(texts, "reply_project"),
        options=tuple(options),
        details=texts.get("details", ""),
        links=tuple(links),
    )


def read_reply(body: str) -> Reply:
    """The answer that a body writes; a plain comment goes on to the body's end. Raises Malformed."""
    lines = _Lines(body)
    texts: dict[str, str] = {}
    seen: set[str] = set()
    while lines.more():
        name, rest = lines.field(indent=0, known=REPLY_FIELDS, seen=seen)
        plain = name == "comment" and rest.strip() not in BLOCK and not rest.strip().startswith(QUOTES)
        texts[name] = tidy("\n".join([rest, *lines.rest()])) if plain else lines.value(rest, indent=0)
    return Reply(
        question_id=_needed(texts, "question_id"), option=_needed(texts, "option"), comment=texts.get("comment", "")
    )


class _Lines:
    """The lines of a text, each looked at once."""

    def __init__(self, text: str) -> None:
        self._lines = tidy(text).split("\n")
        self._at = 0

    def more(self) -> bool:
        """Whether a line is left that is not blank; blank ones before it are passed over."""
        while self._at < len(self._lines) and not self._lines[self._at].strip(" "):
            self._at += 1
        return self._at < len(self._lines)

    def indent(self) -> int:
        """How many blanks begin the next line."""
        line = self._lines[self._at]
        return len(line) - len(line.lstrip(" "))

    def dash(self) -> str | None:
        """What the next line holds behind its dash, taken; None where it has none."""
        found = self._lines[self._at].lstrip(" ")
        if not found.startswith("- "):
            return None
        self._at += 1
        return found[2:]

    def field(self, *, indent: int, known: Iterable[str], seen: set[str], first: str | None = None) -> tuple[str, str]:
        """The name and the rest of a `name: rest` line, the next one or `first`, whose name is added to those seen."""
        if first is None:
            if self.indent() != indent:
                raise Malformed("a line is indented otherwise than the fields around it")
            first = self._lines[self._at][indent:]
            self._at += 1
        found = FIELD.fullmatch(first)
        if found is None or found[1] not in known:
            raise Malformed("a line names none of the fields that may stand there")
        if found[1] in seen:
            raise Malformed(f"{found[1]} stands there twice")
        seen.add(found[1])
        return found[1], found[2] or ""

    def value(self, rest: str, *, indent: int) -> str:
        """The value that begins with `rest`, of a field that is indented so far."""
        plain = rest.strip()
        if plain in BLOCK:
            return self._block(indent)
        if plain.startswith(QUOTES):
            return tidy(_unquoted(plain))
        return plain

    def rest(self) -> list[str]:
        """All lines that are left, taken."""
        left = self._lines[self._at :]
        self._at = len(self._lines)
        return left

    def _block(self, indent: int) -> str:
        taken: list[str] = []
        deep = 0
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip(" "):
                here = self.indent()
                if here <= indent:
                    break
                deep = deep or here
                if here < deep:
                    raise Malformed("a line of a block is indented less than its first one")
            taken.append(line[deep:])
            self._at += 1
        return tidy("\n".join(taken))


def _options(lines: _Lines, rest: str) -> list[Option]:
    if rest.strip():
        raise Malformed("options is no list of `- ` lines")
    found: list[Option] = []
    while lines.more():
        column = lines.indent()
        first = lines.dash()
        if first is None:
            break
        inner = first.lstrip(" ")
        column += 2 + len(first) - len(inner)
        texts: dict[str, str] = {}
        seen: set[str] = set()
        name, value = lines.field(indent=column, known=OPTION_FIELDS, seen=seen, first=inner)
        texts[name] = lines.value(value, indent=column)
        while lines.more() and lines.indent() == column:
            name, value = lines.field(indent=column, known=OPTION_FIELDS, seen=seen)
            texts[name] = lines.value(value, indent=column)
        found.append(
            Option(
                id=_needed(texts, "id"),
                label=_needed(texts, "label"),
                description=texts.get("description", ""),
                recommended=_flag(texts, "recommended"),
            )
        )
    return found


def _links(lines: _Lines, rest: str) -> list[str]:
    if rest.strip() not in {"", "[]"}:
        raise Malformed("links is no list of `- ` lines")
    found: list[str] = []
    while lines.more():
        column = lines.indent()
        first = lines.dash()
        if first is None:
            break
        found.append(lines.value(first, indent=column))
    return found


def _printed(name: str, text: str, *, indent: str = "") -> list[str]:
    """The lines of a field; none where it is empty."""
    if not text:
        return []
    if "\n" not in text and text not in BLOCK and not text.startswith(QUOTES):
        return [f"{indent}{name}: {text}"]
    return [f"{indent}{name}: |", *(f"{indent}  {line}" if line else "" for line in text.split("\n"))]


def _unquoted(text: str) -> str:
    """The text between quotes, with what is escaped in it."""
    quote, inner = text[0], text[1:-1]
    if len(text) < 2 or text[-1] != quote:
        raise Malformed("a quoted value does not end with its quote")
    if quote == "'":
        if inner.replace("''", "").count("'"):
            raise Malformed("a quoted value holds its own quote")
        return inner.replace("''", "'")
    parts: list[str] = []
    letters = iter(inner)
    for letter in letters:
        if letter == '"':
            raise Malformed("a quoted value holds its own quote")
        if letter == "\\":
            escaped = ESCAPES.get(next(letters, ""))
            if escaped is None:
                raise Malformed("a quoted value holds an unknown escape")
            parts.append(escaped)
        else:
            parts.append(letter)
    return "".join(parts)


def _needed(texts: Mapping[str, str], name: str) -> str:
    if not texts.get(name):
        raise Malformed(f"{name} is missing")
    return texts[name]


def _flag(texts: Mapping[str, str], name: str) -> bool:
    given = texts.get(name, "false").lower()
    if given not in {"true", "false"}:
        raise Malformed(f"{name} is neither true nor false")
    return given == "true"
