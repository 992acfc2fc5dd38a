"""Reads a page's HTML: elements by class, their text, their attributes; and complains of what a parser would mend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

__all__ = ["Element", "read"]

VOID = {"meta", "link", "br", "hr", "img", "input"}


@dataclass(kw_only=True)
class Element:
    """One element with what stands in it."""

    tag: str
    attributes: dict[str, str]
    inside: list[Element | str] = field(default_factory=list)

    def all(self) -> Iterator[Element]:
        """It and everything in it, in order."""
        yield self
        for part in self.inside:
            if isinstance(part, Element):
                yield from part.all()

    def find(self, tag: str = "", class_: str = "", **attributes: str) -> list[Element]:
        """The elements in it that match."""
        return [
            one
            for one in self.all()
            if (not tag or one.tag == tag)
            and (not class_ or class_ in one.attributes.get("class", "").split())
            and all(one.attributes.get(name) == value for name, value in attributes.items())
        ]

    def one(self, tag: str = "", class_: str = "", **attributes: str) -> Element:
        """The only element in it that matches."""
        found = self.find(tag, class_, **attributes)
        assert len(found) == 1, (tag, class_, attributes, len(found))
        return found[0]

    @property
    def text(self) -> str:
        """Its text with blanks folded."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for part in self.inside:
            if isinstance(part, Element):
                yield from part._texts()
            else:
                yield part


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.stack = [Element(tag="", attributes={})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        element = Element(tag=tag, attributes={name: value or "" for name, value in attrs})
        self.stack[-1].inside.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.stack[-1].tag == tag, f"</{tag}> closes <{self.stack[-1].tag}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].inside.append(data)


def read(html: str) -> Element:
    """The whole page. Fails where tags do not close what they opened, attributes or ids stand twice."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert len(builder.stack) == 1, f"<{builder.stack[-1].tag}> is never closed"
    ids = [one.attributes["id"] for one in builder.stack[0].all() if "id" in one.attributes]
    assert len(ids) == len(set(ids)), f"an id stands twice: {ids}"
    return builder.stack[0]
