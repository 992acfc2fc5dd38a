"""Names in the docs exist: codes, settings, links, tools and commands."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import waypost
from tests.promises.marks import promise
from waypost.assembly.settings import Settings
from waypost.client.routes import ROUTES
from waypost.kernel.errors import every_error

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def read(name: str) -> str:
    """A page of the docs."""
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@promise("house.errors.codes_unique")
def test_every_code_stands_in_the_table_of_refusals() -> None:
    for module in pkgutil.walk_packages(waypost.__path__, "waypost."):
        if module.name.endswith("errors"):
            importlib.import_module(module.name)
    table = read("concepts.md").partition("## Refusals")[2]
    documented = set(re.findall(r"`([a-z_]+)`", table))
    codes = {error.code for error in every_error()} - {"internal_error"}
    assert codes <= documented, f"not in docs/concepts.md: {sorted(codes - documented)}"


@promise("mail.bounds.settings", "cli.options.agree")
def test_every_setting_stands_in_the_operators_page() -> None:
    page = read("operations.md")
    for name, info in Settings.model_fields.items():
        section = info.annotation
        fields = getattr(section, "model_fields", {}) if isinstance(section, type) else {}
        for setting in [f"{name}.{inner}" for inner in fields] or [name]:
            assert f"`{setting}`" in page, f"docs/operations.md does not name {setting}"


@promise("rest.routes.live_verbs")
def test_every_path_stands_in_the_rest_page() -> None:
    page = read("rest.md")
    for route in ROUTES.values():
        place, _, last = route.path.rpartition("/")
        last = f":{last.partition(':')[2]}" if ":" in last else last
        assert place in page, f"docs/rest.md does not name {place}"
        assert last in page, f"docs/rest.md does not name {route.path}"


@promise("cli.docs.offline")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
