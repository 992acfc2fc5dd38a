"""The pages of the coding agents are those that the code writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.promises.marks import promise
from waypost.agents.known import INSTALLERS
from waypost.cli.agent_pages import write_index, write_page

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "agents"
HOW = "run python -m waypost.cli.agent_pages docs/agents"


@promise("client.pages.current")
@pytest.mark.parametrize("installer", INSTALLERS, ids=lambda one: one.name)
def test_each_client_has_its_page_as_the_code_writes_it(installer: object) -> None:
    one = next(known for known in INSTALLERS if known is installer)
    assert (FOLDER / f"{one.name}.md").read_text(encoding="utf-8") == write_page(one), HOW


@promise("client.pages.current")
def test_the_index_leads_to_every_page_and_there_is_no_other() -> None:
    assert (FOLDER / "index.md").read_text(encoding="utf-8") == write_index(), HOW
    assert {page.stem for page in FOLDER.glob("*.md")} == {"index", *(one.name for one in INSTALLERS)}
