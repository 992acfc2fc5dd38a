"""`waypost docs`: the pages that ship with the package, or those of the tree it runs from. Needs no network."""

from __future__ import annotations

import json
from pathlib import Path

from waypost.cli.command import make_command
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.kernel.errors import NotFound

__all__ = ["docs", "docs_folder"]


def docs_folder() -> Path:
    """Where the pages are: in the installed package, else beside the sources."""
    package = Path(__file__).resolve().parent.parent
    shipped = package / "docs"
    return shipped if shipped.is_dir() else package.parent.parent / "docs"


def _pages() -> dict[str, Path]:
    folder = docs_folder()
    return {page.relative_to(folder).with_suffix("").as_posix(): page for page in sorted(folder.rglob("*.md"))}


def _docs(how: How, output: Output, params: dict[str, object]) -> int:
    pages = _pages()
    topic = params["topic"]
    if topic is None:
        titles = {name: _title(page) for name, page in pages.items()}
        if how.as_json:
            output.json(json.dumps({"topics": titles}))
        else:
            output.table(("topic", "about"), list(titles.items()))
        return 0
    found = pages.get(str(topic)) or next((page for name, page in pages.items() if Path(name).name == topic), None)
    if found is None:
        raise NotFound(f"There is no page '{str(topic)[:64]}'.", hint=f"Topics: {', '.join(pages)}.")
    text = found.read_text(encoding="utf-8")
    if how.as_json:
        output.json(json.dumps({"topic": topic, "text": text}))
    else:
        output.line(text.rstrip("\n"))
    return 0


def _title(page: Path) -> str:
    with page.open(encoding="utf-8") as file:
        return next((line.lstrip("# ").strip() for line in file if line.startswith("# ")), page.stem)


docs = make_command(
    "docs",
    _docs,
    summary="Read the docs offline; without a topic, list the topics.",
    example="waypost docs architecture",
    arguments=("topic?",),
)
