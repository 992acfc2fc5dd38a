"""What is in the tree's files: no address of a package index, and pins with sums."""

from __future__ import annotations

import re

from tests.house.source import ROOT, tracked_files
from tests.promises.marks import promise

# Put together here, so that this file does not name them either.
HOSTS = re.compile(
    "|".join(
        re.escape(".".join(parts))
        for parts in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("registry", "npmjs", "org"),
            ("registry", "yarnpkg", "com"),
            ("npmmirror", "com"),
        )
    )
    + r"|--(?:extra-)?index-url[ =]|--find-links[ =]|"
    + '"'
    + r'resolved": '
)


@promise("house.files.no_index_address")
def test_no_tracked_file_names_the_address_of_a_package_index() -> None:
    found: list[str] = []
    for path in tracked_files():
        text = path.read_bytes().decode("utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in HOSTS.finditer(text)]
    assert found == []


@promise("house.files.no_index_address")
def test_every_pin_carries_its_sums() -> None:
    for path in sorted(ROOT.glob("requirements/*.txt")):
        pins = re.split(r"\n(?=[A-Za-z])", path.read_text(encoding="utf-8").strip())
        assert [pin.splitlines()[0] for pin in pins if "--hash=sha256:" not in pin] == []
