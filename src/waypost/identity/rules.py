"""How a caller's project is found: one resolver, which labels its answer and creates nothing.

Source: contracts/mail.md, Naming the mailbox; contracts/clients.md, Project of a session. Pure: what exists is asked through
`Directory`, which the store implements and tests imitate.
"""

from __future__ import annotations

from typing import Protocol

from waypost.identity.errors import BoundElsewhere, ProjectNotFound, ScopeGuessed
from waypost.identity.models import Claim, Project, Scope, ScopeSource, Session, Workdir
from waypost.kernel.addresses import DEFAULT_WORKSPACE, ProjectName

__all__ = ["Directory", "project_of_workdir", "refuse_guess", "resolve"]


class Directory(Protocol):
    """What the resolver may ask. Each answer is read only."""

    def project_named(self, name: ProjectName) -> Project | None:
        """The project of that name."""
        ...

    def project_by_id(self, project_id: str) -> Project | None:
        """The project of that id."""
        ...

    def project_of_identity(self, identity: str) -> Project | None:
        """The project that checkouts of this identity use where no marker names another."""
        ...

    def allowed(self, project_id: str, identity: str) -> bool:
        """Whether a person allowed that identity to use the project."""
        ...

    def session(self, session_id: str) -> Session | None:
        """A registered session."""
        ...

    def last_active(self) -> Project | None:
        """The project whose session spoke last."""
        ...

    def only_project(self) -> Project | None:
        """The one project, where there is just one."""
        ...


def resolve(claim: Claim, directory: Directory) -> Scope:
    """The scope of a call: the project that its token is bound to, else explicit, then the bound session, then the directory, then
    the session argument, then a guess.

    Refuses `not_found` for an explicit project that does not exist, and `forbidden` for another one than the token is bound to;
    everything else is answered and labelled.
    """
    acting = claim.session or claim.bound_session
    known = directory.session(acting) if acting else None
    if claim.bound_project is not None:
        return _bound(claim, claim.bound_project, acting, known, directory)
    if claim.explicit is not None:
        return _explicit(claim.explicit, acting, known, directory)
    kept = directory.project_by_id(known.project_id) if known else None
    if kept and claim.bound_session == acting:
        return Scope(project=kept, source=ScopeSource.SESSION, session=acting, session_known=True)
    if claim.workdir is not None:
        found = _workdir(claim.workdir, acting, kept, directory)
        if found is not None:
            return found
    if kept:
        return Scope(project=kept, source=ScopeSource.DECLARED, session=acting, session_known=True)
    return _guess(claim, acting, directory)


def _bound(claim: Claim, project_id: str, acting: str | None, known: Session | None, directory: Directory) -> Scope:
    """The scope of an agent's token, which is certain. Whether another project exists is not looked at before it is refused."""
    project = directory.project_by_id(project_id)
    if claim.explicit is not None and (project is None or claim.explicit != project.label):
        bound = f"bound to '{project.label}'" if project else "bound to a project that it may not use any more"
        raise BoundElsewhere(f"This token is {bound} and acts for no other project.")
    if project is None:
        note = "the project that the token is bound to is gone, or its grants were taken back"
        return Scope(project=None, source=ScopeSource.DEFAULT, session=acting, note=note)
    if known and known.project_id != project.id:
        note = f"the session given belongs to another project than '{project.label}'"
        return Scope(project=project, source=ScopeSource.MISMATCH, session=acting, session_known=True, note=note)
    return Scope(project=project, source=ScopeSource.TOKEN, session=acting, session_known=known is not None)


def _explicit(name: ProjectName, acting: str | None, known: Session | None, directory: Directory) -> Scope:
    project = directory.project_named(name)
    if project is None:
        raise ProjectNotFound(f"There is no project '{name}'.")
    if known and known.project_id != project.id:
        note = f"the session given belongs to another project than '{name}'"
        return Scope(project=project, source=ScopeSource.MISMATCH, session=acting, session_known=True, note=note)
    return Scope(project=project, source=ScopeSource.EXPLICIT, session=acting, session_known=known is not None)


def _workdir(workdir: Workdir, acting: str | None, kept: Project | None, directory: Directory) -> Scope | None:
    project, confirmed = project_of_workdir(workdir, directory)
    if project is None:
        return None
    if kept and kept.id != project.id:
        # A session whose directory changes keeps its project (contracts/clients.md).
        return Scope(project=kept, source=ScopeSource.DECLARED, session=acting, session_known=True)
    source = ScopeSource.WORKDIR if confirmed else ScopeSource.UNCONFIRMED
    note = (
        ""
        if confirmed
        else f"the marker {workdir.marker_path} names a project that belongs to another repository; "
        "`waypost project allow` there confirms it"
    )
    return Scope(project=project, source=source, session=acting, session_known=kept is not None, note=note)


def project_of_workdir(workdir: Workdir, directory: Directory) -> tuple[Project | None, bool]:
    """The project of a directory and whether it is confirmed. A marker may not claim a project that is bound to another identity
    until a person allowed it, because a hostile clone can carry any marker."""
    if workdir.marker is not None:
        project = directory.project_named(workdir.marker)
        if project is None:
            return None, False
        own = project.identity == workdir.identity
        return project, own or directory.allowed(project.id, workdir.identity)
    return directory.project_of_identity(workdir.identity), True


def _guess(claim: Claim, acting: str | None, directory: Directory) -> Scope:
    if claim.workdir is not None:
        note = f"the directory {claim.workdir.root} is not a project yet; `waypost project add` there makes it one"
    elif acting:
        note = "the session given is not registered"
    else:
        note = "the call named no project, session or directory"
    for source, look in (
        (ScopeSource.LAST_ACTIVE, directory.last_active),
        (ScopeSource.ONLY_PROJECT, directory.only_project),
    ):
        project = look()
        if project is not None:
            return Scope(project=project, source=source, session=acting, note=note)
    fallback = directory.project_named(ProjectName(workspace=DEFAULT_WORKSPACE, project="default"))
    return Scope(project=fallback, source=ScopeSource.DEFAULT, session=acting, note=note)


def refuse_guess(scope: Scope, *, verb: str, fields: tuple[str, str]) -> Project:
    """The project of a scope that may change things. Refuses `scope_guessed`, naming what would have been used, how it was found
    and which arguments to pass."""
    if scope.project is not None and not scope.source.guessed:
        return scope.project
    used = f"it would have used '{scope.project.label}', found by {scope.source}" if scope.project else "none was found"
    workspace, project = fields
    raise ScopeGuessed(
        f"Refusing to {verb}: the project is not certain; {used}, because {scope.note}. Nothing was changed.",
        hint="Leave session out, or name the project that the session belongs to; `waypost session show` tells it."
        if scope.source is ScopeSource.MISMATCH
        else f"Pass {workspace} and {project} (or {project} alone, as workspace/project), by the names that the inbox notice "
        "or `waypost project which` shows.",
    )
