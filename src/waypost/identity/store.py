"""Loads and saves projects and users. Decides nothing: `rules` does. Sessions are in `session_store`."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable

from waypost.identity.errors import NameTaken
from waypost.identity.models import MailboxName, Project, Session, User
from waypost.identity.session_store import find_session, last_active_project_id
from waypost.kernel.addresses import DEFAULT_WORKSPACE, ProjectName
from waypost.kernel.ids import new_id
from waypost.store.interface import Actor, Fields, Overtaken, Row, Transaction
from waypost.store.loader import load_queries
from waypost.store.rows import flag, maybe_text, number, text

__all__ = [
    "StoredDirectory",
    "add_project",
    "add_user",
    "allow_identity",
    "change_project",
    "list_projects",
    "lock_mailbox",
    "mailbox_names",
    "narrowed",
    "near_names",
    "user_named",
]

SQL = load_queries("waypost.identity")


class StoredDirectory:
    """What exists, as one transaction sees it (`rules.Directory`)."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def project_named(self, name: ProjectName) -> Project | None:
        """The project of that name."""
        row = self._tx.row(SQL.project_named, {"workspace": name.workspace, "name": name.project})
        return _project(row) if row else None

    def project_by_id(self, project_id: str) -> Project | None:
        """The project of that id."""
        row = self._tx.row(SQL.project_by_id, {"id": project_id})
        return _project(row) if row else None

    def project_of_identity(self, identity: str) -> Project | None:
        """The project that checkouts of this identity use where no marker names another."""
        row = self._tx.row(SQL.project_of_identity, {"identity": identity})
        return _project(row) if row else None

    def allowed(self, project_id: str, identity: str) -> bool:
        """Whether a person allowed that identity to use the project."""
        return self._tx.row(SQL.allowance, {"project_id": project_id, "identity": identity}) is not None

    def session(self, session_id: str) -> Session | None:
        """A registered session."""
        return find_session(self._tx, session_id)

    def last_active(self) -> Project | None:
        """The project whose session spoke last."""
        project_id = last_active_project_id(self._tx)
        return self.project_by_id(project_id) if project_id else None

    def only_project(self) -> Project | None:
        """The one project, where there is just one."""
        rows = self._tx.rows(SQL.two_projects, {})
        return _project(rows[0]) if len(rows) == 1 else None


def add_project(tx: Transaction, name: ProjectName, *, identity: str | None, by_marker: bool, actor: Actor) -> Project:
    """A new project with its mailbox. Refuses `conflict` where the name is taken."""
    if tx.row(SQL.project_named, {"workspace": name.workspace, "name": name.project}):
        raise NameTaken(f"There is already a project '{name}'. Nothing was changed.")
    project = Project(
        id=new_id(),
        workspace=name.workspace,
        name=name.project,
        identity=identity,
        by_marker=by_marker,
        created_at=tx.now,
        version=1,
    )
    tx.execute(SQL.insert_mailbox, {"id": project.id, "workspace": name.workspace, "kind": "project"})
    fields: Fields = {
        "id": project.id,
        "workspace": project.workspace,
        "name": project.name,
        "identity": identity,
        "by_marker": int(by_marker),
        "created_at": project.created_at,
    }
    tx.execute(SQL.insert_project, fields)
    tx.journal("project.added", project.id, version=1, actor=actor, scopes=[project.id])
    return project


def change_project(
    tx: Transaction, old: Project, *, to: ProjectName, kind: str, actor: Actor, deleted: bool = False
) -> Project:
    """Renames, moves or deletes a project; its mail goes with its id. Refuses `conflict` where the name is taken or somebody
    else changed the project first."""
    there = tx.row(SQL.project_named, {"workspace": to.workspace, "name": to.project})
    if there and there["id"] != old.id:
        raise NameTaken(f"There is already a project '{to}'. Nothing was changed.")
    before: Fields = {
        "project_id": old.id,
        "version": old.version,
        "workspace": old.workspace,
        "changed_at": tx.now,
        "kind": kind,
        "name": old.name,
        "identity": old.identity,
    }
    after: Fields = {
        "id": old.id,
        "version": old.version,
        "workspace": to.workspace,
        "name": to.project,
        "identity": old.identity,
        "deleted_at": tx.now if deleted else None,
    }
    if tx.execute(SQL.update_project, after) != 1:
        raise Overtaken(f"The project '{old.label}' was changed meanwhile. Nothing was changed.", hint="Repeat it.")
    tx.execute(SQL.insert_project_version, before)
    tx.journal(kind, old.id, version=old.version + 1, actor=actor, scopes=[old.id])
    return Project(
        id=old.id,
        workspace=to.workspace,
        name=to.project,
        identity=old.identity,
        by_marker=old.by_marker,
        created_at=old.created_at,
        version=old.version + 1,
    )


def allow_identity(tx: Transaction, project: Project, identity: str, *, actor: Actor) -> None:
    """Records that checkouts of `identity` may use the project. Harmless to repeat."""
    fields: Fields = {
        "project_id": project.id,
        "identity": identity,
        "workspace": project.workspace,
        "created_at": tx.now,
    }
    if tx.execute(SQL.insert_allowance, fields):
        tx.journal("project.allowed", project.id, version=project.version, actor=actor, scopes=[project.id])


def list_projects(
    tx: Transaction, *, after: ProjectName | None, limit: int, within: frozenset[str] | None = None
) -> list[Project]:
    """A page of projects in order of their names; with `within` only of those ids."""
    start: Fields = {"after_workspace": after.workspace if after else "", "after_name": after.project if after else ""}
    return [_project(row) for row in tx.rows(SQL.list_projects, {**start, **narrowed(within), "limit": limit})]


def narrowed(within: frozenset[str] | None) -> Fields:
    """The parameters of a query over all projects (None) or over those of some ids."""
    return {"every": int(within is None), "within": json.dumps(sorted(within or ()))}


def near_names(tx: Transaction, wanted: ProjectName, *, within: frozenset[str] | None = None) -> list[str]:
    """Up to three addresses whose project's name resembles the wanted one; the same name in another workspace comes first.
    Workspaces are not compared: a long one that is the same would make any two short names alike. With `within` only projects of
    those ids are looked at."""
    addresses: dict[str, list[str]] = {}
    for row in tx.rows(SQL.some_names, narrowed(within)):
        addresses.setdefault(text(row, "name"), []).append(f"{text(row, 'workspace')}/{text(row, 'name')}")
    near = difflib.get_close_matches(wanted.project, addresses, n=3, cutoff=0.6)
    return [address for name in near for address in addresses[name]][:3]


def mailbox_names(tx: Transaction, ids: Iterable[str]) -> dict[str, MailboxName]:
    """The names of several mailboxes; ids of none are left out. Deleted projects keep their last name."""
    wanted = sorted(set(ids))
    rows = tx.rows(SQL.mailbox_names, {"ids": json.dumps(wanted)}) if wanted else ()
    return {
        text(row, "id"): MailboxName(kind=text(row, "kind"), workspace=text(row, "workspace"), name=text(row, "name"))
        for row in rows
    }


def lock_mailbox(tx: Transaction, mailbox_id: str) -> None:
    """Holds the mailbox's row to the end of the unit, so that counts made under it are exact. Comes before the unit first asks for
    its `now`, so that everything sent there before is due by then."""
    tx.hold(SQL.lock_mailbox, {"id": mailbox_id})


def add_user(tx: Transaction, name: str) -> User:
    """The person of that name, made with a mailbox where there is none yet; one who was removed comes back to the same mailbox."""
    found = user_named(tx, name)
    if found:
        return found
    if tx.execute(SQL.revive_user, {"name": name}):
        return _user(tx.rows(SQL.user_named, {"name": name})[0])
    user_id = new_id()
    tx.execute(SQL.insert_mailbox, {"id": user_id, "workspace": DEFAULT_WORKSPACE, "kind": "user"})
    fields: Fields = {"id": user_id, "workspace": DEFAULT_WORKSPACE, "name": name, "created_at": tx.now}
    tx.execute(SQL.insert_user, fields)
    return User(id=user_id, name=name)


def user_named(tx: Transaction, name: str) -> User | None:
    """The person of that name."""
    row = tx.row(SQL.user_named, {"name": name})
    return _user(row) if row else None


def _user(row: Row) -> User:
    return User(id=text(row, "id"), name=text(row, "name"))


def _project(row: Row) -> Project:
    return Project(
        id=text(row, "id"),
        workspace=text(row, "workspace"),
        name=text(row, "name"),
        identity=maybe_text(row, "identity"),
        by_marker=flag(row, "by_marker"),
        created_at=number(row, "created_at"),
        version=number(row, "version"),
    )
