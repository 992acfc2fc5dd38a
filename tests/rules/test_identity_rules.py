"""How a project is found: the resolver over every combination of facts, and what a remote's address stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.identity.errors import ProjectNotFound, ScopeGuessed
from waypost.identity.models import Claim, Project, Scope, ScopeSource, Session, Workdir
from waypost.identity.remotes import identity_of_remote
from waypost.identity.rules import refuse_guess, resolve
from waypost.kernel.addresses import ProjectName, parse_project_label, slug
from waypost.kernel.errors import InvalidInput


def project(name: str, identity: str | None = None) -> Project:
    """A project whose id is its name."""
    return Project(id=name, workspace="default", name=name, identity=identity, by_marker=False, created_at=0, version=1)


NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")


@dataclass
class Town:
    """What exists, in memory."""

    projects: dict[str, Project] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    allowances: set[tuple[str, str]] = field(default_factory=set)
    active: str | None = None

    def project_named(self, name: ProjectName) -> Project | None:
        return self.projects.get(name.project)

    def project_by_id(self, project_id: str) -> Project | None:
        return self.projects.get(project_id)

    def project_of_identity(self, identity: str) -> Project | None:
        return next((found for found in self.projects.values() if found.identity == identity), None)

    def allowed(self, project_id: str, identity: str) -> bool:
        return (project_id, identity) in self.allowances

    def session(self, session_id: str) -> Session | None:
        found = self.sessions.get(session_id)
        if found is None:
            return None
        return Session(id=session_id, project_id=found, client=None, user=None, created_at=0, last_seen_at=0, version=1)

    def last_active(self) -> Project | None:
        return self.projects.get(self.active) if self.active else None

    def only_project(self) -> Project | None:
        return next(iter(self.projects.values())) if len(self.projects) == 1 else None


TOWN = Town(
    projects={name: project(name, f"git:/{name}") for name in ("a", "b", "c")},
    sessions={"SA": "a", "SB": "b"},
    active="c",
)
PLACES = {
    "nowhere": None,
    "in a": Workdir(root="/a", identity="git:/a", offered_name="a"),
    "unknown place": Workdir(root="/x", identity="git:/x", offered_name="x"),
    "marker of a in b": Workdir(
        root="/b", identity="git:/b", offered_name="b", marker=ProjectName(workspace="default", project="a")
    ),
}
claims = st.builds(
    Claim,
    explicit=st.sampled_from(
        [None, *(ProjectName(workspace="default", project=name) for name in ("a", "b", "missing"))]
    ),
    session=st.sampled_from([None, "SA", "SB", "new"]),
    bound_session=st.sampled_from([None, "SA", "new"]),
    workdir=st.sampled_from(list(PLACES.values())),
)


@promise("scope.resolver.one", "scope.source.labels", "scope.guess.every_write_refused")
@given(claims)
def test_what_changes_things_is_never_less_than_a_certain_word(claim: Claim) -> None:
    try:
        scope = resolve(claim, TOWN)
    except ProjectNotFound:
        assert claim.explicit is not None
        assert claim.explicit.project == "missing"
        return
    named = claim.explicit is not None
    acting = claim.session or claim.bound_session
    known = acting in TOWN.sessions
    if scope.source is ScopeSource.EXPLICIT:
        assert named
    elif scope.source is ScopeSource.SESSION:
        assert known
        assert claim.bound_session == acting
    elif scope.source is ScopeSource.WORKDIR:
        assert claim.workdir is not None
        assert scope.project is not None
        assert scope.project.identity == claim.workdir.identity
    elif scope.source is ScopeSource.DECLARED:
        assert known
    else:
        with pytest.raises(ScopeGuessed):
            refuse_guess(scope, verb="pop", fields=("workspace", "project"))
        assert scope.note, "a guess says why it is one"
    assert scope.session == acting
    assert scope.session_known == (known and not _lost(scope))


def _lost(scope: Scope) -> bool:
    return scope.source in {ScopeSource.LAST_ACTIVE, ScopeSource.ONLY_PROJECT, ScopeSource.DEFAULT}


@promise("identity.marker.unconfirmed", "identity.marker.allow")
def test_a_marker_of_another_repository_is_unconfirmed_until_allowed() -> None:
    claim = Claim(workdir=PLACES["marker of a in b"])
    scope = resolve(claim, TOWN)
    assert (scope.source, scope.project and scope.project.name) == (ScopeSource.UNCONFIRMED, "a")
    allowed = Town(projects=TOWN.projects, allowances={("a", "git:/b")})
    assert resolve(claim, allowed).source is ScopeSource.WORKDIR


@promise("identity.project.by_repository", "identity.remote.credentials_dropped", "identity.project.clones_share")
@pytest.mark.parametrize(
    ("url", "identity"),
    [
        ("git@github.com:Acme/API.git", "github.com/acme/api"),
        ("https://github.com/acme/api", "github.com/acme/api"),
        ("https://user:secret@github.com/acme/api.git/", "github.com/acme/api"),
        ("ssh://git@github.com:22/acme/api.git", "github.com/acme/api"),
        ("ssh://git@ssh.example.test:2222//Team/Deep/Repo.git", "ssh.example.test/Team/Deep/Repo"),
        ("git@git.example.test:Team/Repo", "git.example.test/Team/Repo"),
        ("https://GIT.example.test./Team/repo", "git.example.test/Team/repo"),
        ("git@[2001:db8::1]:a/b.git", "2001:db8::1/a/b"),
        ("/srv/git/api.git", None),
        ("../api", None),
        ("file:///srv/git/api.git", None),
        ("C:\\git\\api", None),
        ("https://", None),
        ("http://[broken", None),
    ],
)
def test_a_remotes_address_gives_host_owner_and_name(url: str, identity: str | None) -> None:
    assert identity_of_remote(url) == identity


@promise("identity.project.never_shared")
@given(
    st.sampled_from(["git.example.test", "forge.example.test"]),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,6}/[A-Za-z0-9][A-Za-z0-9_-]{0,6}", fullmatch=True),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,6}/[A-Za-z0-9][A-Za-z0-9_-]{0,6}", fullmatch=True),
)
def test_two_repositories_of_one_host_are_two_identities(host: str, one: str, other: str) -> None:
    first = identity_of_remote(f"https://{host}/{one}")
    second = identity_of_remote(f"git@{host}:{other}.git")
    assert (first == second) == (one == other)


@promise("identity.project.never_shared")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice@server.test:project.git", "bob@server.test:project.git"),
        ("ssh://alice@server.test/~/project.git", "ssh://bob@server.test/~/project.git"),
        ("alice@server.test:srv/project.git", "alice@server.test:/srv/project.git"),
        ("http://localhost:3000/team/api.git", "http://localhost:4000/team/api.git"),
        ("http://127.0.0.1:3000/team/api.git", "http://127.0.0.1:4000/team/api.git"),
    ],
)
def test_a_login_and_a_port_that_tell_two_repositories_apart_are_kept(one: str, other: str) -> None:
    assert identity_of_remote(one) != identity_of_remote(other)


@promise("identity.project.clones_share")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ssh://git@ssh.github.com:443/acme/api.git", "https://github.com/acme/api"),
        ("git@altssh.gitlab.com:acme/api.git", "https://gitlab.com/acme/api.git"),
        ("org-77@github.com:acme/api.git", "git@github.com:acme/api.git"),
        ("ssh://alice@server.test/~/project.git", "alice@server.test:project.git"),
        ("ssh://git@server.test:2222/team/api.git", "https://server.test:8443/team/api.git"),
    ],
)
def test_two_ways_to_one_repository_are_one_identity(one: str, other: str) -> None:
    assert identity_of_remote(one) == identity_of_remote(other)


@promise("address.project.label_is_split", "address.name.alphabet")
@given(st.text(max_size=12), st.text(max_size=12))
def test_a_label_is_two_names_or_a_clear_refusal(workspace: str, name: str) -> None:
    label = f"{workspace}/{name}"
    folded = label.lower()
    if not label.isascii() or not all(NAME.fullmatch(part) for part in (workspace.lower(), name.lower())):
        with pytest.raises(InvalidInput, match=r"project|workspace"):
            parse_project_label(label, None, field="project")
        return
    found = parse_project_label(label, None, field="project")
    assert str(found) == folded
    assert str(found) == f"{found.workspace}/{found.project}"
    assert parse_project_label(str(found), found.workspace, field="project") == found


@promise("identity.project.name_is_slug")
@given(st.text(max_size=200))
def test_a_slug_is_always_a_name(text: str) -> None:
    assert parse_project_label(slug(text), None, field="project").project == slug(text)
