"""The page's files: what is vendored is what its maker published, and nothing else is served."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from tests.doors.web.page_office import PageOffice
from tests.doors.web.reading import read
from tests.promises.marks import promise
from waypost.server.web.files import FOLDER, static_files

VENDOR = FOLDER / "vendor"


def manifest() -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = json.loads((VENDOR / "manifest.json").read_text(encoding="utf-8"))["files"]
    return files


@promise("web.page.no_foreign_host")
def test_vendored_files_have_the_sums_of_the_manifest_and_their_licences_beside_them() -> None:
    named = {"manifest.json"}
    for entry in manifest():
        assert hashlib.sha256((VENDOR / entry["file"]).read_bytes()).hexdigest() == entry["sha256"], entry["file"]
        assert len((VENDOR / entry["licence_file"]).read_text(encoding="utf-8")) > 300
        assert entry["licence"] in {"0BSD", "MIT"}
        assert re.fullmatch(r"\d+\.\d+\.\d+", entry["version"])
        named |= {entry["file"], entry["licence_file"]}
    assert {path.name for path in VENDOR.iterdir()} == named


@promise("web.page.no_foreign_host")
def test_no_file_would_load_anything_from_another_host() -> None:
    for name, file in static_files().items():
        if not name.endswith((".LICENSE.txt", ".json")):
            text = file.content.decode("utf-8")
            found = set(re.findall(r"(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s\"')]*", text))
            assert found <= {"http://www.w3.org/2000/svg", "https://picocss.com"}, name
            assert "@import" not in text


@promise("web.page.strict_csp")
def test_the_own_script_evaluates_no_text_and_writes_no_markup() -> None:
    script = (FOLDER / "app.js").read_text(encoding="utf-8")
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "eval(", "Function(", "document.write", "localStorage"):
        assert word not in script


@promise("web.page.no_foreign_host")
def test_files_are_served_for_good_under_their_version_and_anew_without_it(office: PageOffice) -> None:
    page = read(office.page("/web/").text)
    addresses = [one.attributes["src"] for one in page.find("script")]
    addresses += [one.attributes["href"] for one in page.find("link")]
    assert len(addresses) == 6
    for address in addresses:
        reply = office.request("GET", address)
        assert reply.status == 200
        assert "immutable" in reply.headers["cache-control"]
        assert office.request("GET", address.partition("?")[0]).headers["cache-control"] == "no-cache"


@promise("web.page.no_foreign_host")
def test_only_the_packages_own_files_are_served(office: PageOffice) -> None:
    for path in ("/web/static/../pages.py", "/web/static/%2e%2e/pages.py", "/web/static/", "/web/static//etc/passwd"):
        assert office.page(path).status == 404
