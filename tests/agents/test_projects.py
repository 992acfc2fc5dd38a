"""Where a session's mail goes, by the directory that its hook stands in: one table."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agents.desk import Desk
from tests.promises.marks import promise

CLAUDE, START, PROMPT = "claude-code", "SessionStart", "UserPromptSubmit"
REMOTE = "https://git.example.org/maria/api.git"


def checkout(place: Path, remote: str | None = REMOTE) -> Path:
    """What git would make: a repository with a remote or none, without running it."""
    (place / ".git" / "objects").mkdir(parents=True)
    (place / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    section = f'[remote "origin"]\n\turl = {remote}\n' if remote else ""
    (place / ".git" / "config").write_text(f"[core]\n\tbare = false\n{section}")
    return place


def worktree(of: Path, place: Path) -> Path:
    inner = of / ".git" / "worktrees" / place.name
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n")
    (inner / "HEAD").write_text("ref: refs/heads/other\n")
    place.mkdir()
    (place / ".git").write_text(f"gitdir: {inner}\n")
    return place


def link(of: Path, place: Path) -> Path:
    place.symlink_to(of)
    return place


def renamed(of: Path, place: Path) -> Path:
    of.rename(place)
    return place


def inside(of: Path, place: Path) -> Path:
    deep = of / place.name / "deep"
    deep.mkdir(parents=True)
    return deep


def marked(of: Path, place: Path) -> Path:
    """A stranger's repository whose marker names this project."""
    checkout(place, "https://evil.example.org/x/y.git")
    (place / ".waypost.toml").write_text('project = "maria-api"\n')
    return place


def shouting(place: Path) -> Path:
    """The same repository with its host, and the project in its marker, in other letters."""
    checkout(place, "HTTPS://GIT.Example.org/maria/api.git")
    (place / ".waypost.toml").write_text('project = "MARIA-API"\nworkspace = "Default"\n')
    return place


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """From the first checkout to a second directory, and where a session there belongs: to the first's project (True), to one of
    its own (False), or to none that is certain (None)."""

    name: str
    second: Callable[[Path, Path], Path]
    same: bool | None
    remote: str | None = REMOTE


CASES = [
    Case(name="worktree", second=worktree, same=True, remote=None),
    Case(name="symbolic link", second=link, same=True, remote=None),
    Case(name="folder below", second=inside, same=True),
    Case(name="renamed folder", second=renamed, same=True),
    Case(name="two clones", second=lambda _of, place: checkout(place), same=True),
    Case(
        name="clone over ssh", second=lambda _of, place: checkout(place, "git@git.example.org:maria/api.git"), same=True
    ),
    Case(
        name="other letter case",
        second=lambda _of, place: shouting(place),
        same=True,
    ),
    Case(
        name="same-named folders",
        second=lambda _of, place: checkout(place / "first", None),
        same=False,
        remote=None,
    ),
    Case(name="hostile marker", second=marked, same=None),
]


@promise(
    "identity.project.by_repository",
    "identity.project.clones_share",
    "identity.project.never_shared",
    "identity.marker.unconfirmed",
)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_directory_leads_to_the_right_mailbox_or_is_refused_as_a_guess(desk: Desk, case: Case) -> None:
    first = checkout(desk.folder / "first", case.remote)
    desk.fire(CLAUDE, START, "F1", at=first)
    project = desk.rest.ok("GET", "/v1/sessions/F1")["session"]["project"]
    second = case.second(first, desk.folder / "second")
    desk.rest.ok(
        "POST", "/v1/messages", {"from_project": "other", "to_project": project, "body": "for the first project"}
    )
    said = desk.say(CLAUDE, START, "F2", at=second)
    if case.same is None:
        assert "waypost project allow" in said
        assert "unread" not in said
        assert desk.rest.ask("GET", "/v1/sessions/F2").status == 404
        return
    assert desk.rest.ok("GET", "/v1/sessions/F2")["session"]["project"] == (project if case.same else f"{project}-2")
    assert (f"the inbox of default/{project}." in said) is case.same


@promise("identity.session.keeps_project")
def test_a_session_that_walks_into_another_repository_keeps_its_mailbox(desk: Desk) -> None:
    desk.fire(CLAUDE, START, "W1", at=desk.here)
    desk.foreign()
    os.mkdir(desk.other / "deep")  # noqa: PTH102 - one folder
    assert "the inbox of default/here" in desk.say(CLAUDE, PROMPT, "W1", at=desk.other / "deep")
    assert desk.rest.ok("GET", "/v1/sessions/W1")["session"]["project"] == "here"
