"""pyproject.toml, the requirement files and the pins agree, and the package can be installed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version as installed_version
from pathlib import Path

import waypost
from tests.house.source import ROOT
from tests.promises.marks import promise


def requirements(name: str) -> set[str]:
    """The requirements of a `.in` file, without comments and references."""
    lines = (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith(("#", "-"))}


def pins(name: str) -> dict[str, str]:
    """Name and version of each pin of a compiled file."""
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^ \\;]+)", text, re.MULTILINE))


def project() -> dict[str, object]:
    """The project's table of pyproject.toml."""
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


@promise("house.packaging.ranges_agree")
def test_the_ranges_of_the_package_are_those_that_were_compiled() -> None:
    assert set(project()["dependencies"]) == requirements("base.in")  # type: ignore[call-overload] # a list in that file


@promise("house.packaging.ranges_agree")
def test_the_development_set_pins_what_the_runtime_set_pins() -> None:
    base, development = pins("base.txt"), pins("dev.txt")
    assert base.items() <= development.items()


@promise("house.packaging.ranges_agree")
def test_this_environment_holds_what_is_pinned() -> None:
    direct = [re.split(r"[<>=;\[ ]", line)[0] for line in requirements("base.in")]
    pinned = pins("base.txt")
    assert {name: installed_version(name) for name in direct} == {name: pinned[name] for name in direct}


@promise("house.packaging.installs")
def test_a_wheel_of_the_tree_holds_the_package_its_queries_and_its_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    wheel = zipfile.ZipFile(next(tmp_path.glob("*.whl")))
    names = set(wheel.namelist())
    info = f"waypost-{waypost.__version__}.dist-info"
    assert wheel.read(f"{info}/entry_points.txt").decode().split() == [
        "[console_scripts]",
        "waypost",
        "=",
        "waypost.__main__:main",
    ]
    source = ROOT / "src"
    wanted = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.suffix in {".py", ".sql"}}
    assert wanted <= names
    assert {f"waypost/{page.relative_to(ROOT).as_posix()}" for page in (ROOT / "docs").rglob("*.md")} <= names
    assert f"{info}/licenses/LICENSE" in names
