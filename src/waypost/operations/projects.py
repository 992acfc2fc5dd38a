"""Projects: list, show, which, add, allow, rename, move, delete. Only add creates one, and no lookup does."""

from __future__ import annotations

from typing import cast

from waypost.identity.errors import NameTaken
from waypost.identity.models import Workdir
from waypost.identity.rules import project_of_workdir
from waypost.identity.store import (
    StoredDirectory,
    add_project,
    allow_identity,
    change_project,
    list_projects,
    lock_mailbox,
)
from waypost.kernel.addresses import DEFAULT_WORKSPACE, ProjectName, parse_name
from waypost.kernel.errors import Conflict, InvalidInput
from waypost.mail.boxes import count_scheduled, pending_count, pending_counts
from waypost.operations.call import Rights
from waypost.operations.cursors import read_cursor, write_cursor
from waypost.operations.inputs import ActingInput, PageInput
from waypost.operations.project_records import (
    AddInput,
    AddOutput,
    AllowInput,
    MoveInput,
    ProjectInput,
    ProjectOutput,
    ProjectsOutput,
    PutInput,
    RenameInput,
    WhichOutput,
    project_record,
    project_with_pending,
)
from waypost.operations.registry import Operation, Unit
from waypost.operations.resolved import resolved, scope_hint
from waypost.operations.scope import named_project
from waypost.store.interface import Overtaken

__all__ = ["PROJECT_OPERATIONS"]

SUFFIXES = 1_000
"""How many suffixes are tried for a name that is taken."""


def list_(unit: Unit, given: PageInput) -> ProjectsOutput:
    """A page of projects by name, with what waits in each."""
    after = None
    if given.cursor:
        workspace, name = cast("tuple[str, str]", read_cursor("projects", given.cursor, (str, str)))
        after = ProjectName(workspace=workspace, project=name)
    found = list_projects(unit.tx, after=after, limit=given.limit + 1, within=unit.readable)
    page = found[: given.limit]
    counts = pending_counts(unit.tx)
    last = (page[-1].workspace, page[-1].name) if len(found) > given.limit else None
    return ProjectsOutput(
        items=[project_record(project, counts.get(project.id, 0)) for project in page],
        next_cursor=write_cursor("projects", last) if last else None,
    )


def which(unit: Unit, given: ActingInput) -> WhichOutput:  # noqa: ARG001 - the scope is the answer
    """Which project the caller's own is, and how it was found. Creates nothing."""
    return WhichOutput(
        resolved_scope=resolved(unit.scope),
        scope_source=unit.scope.source.value,
        guessed=unit.scope.source.guessed or unit.scope.project is None,
        hint=scope_hint(unit),
        session=unit.scope.session,
    )


def show(unit: Unit, given: ProjectInput) -> ProjectOutput:
    """One project. Refuses `not_found`, naming near ones."""
    project = unit.project(_name(given))
    return ProjectOutput(project=project_with_pending(unit, project), version=project.version)


def add(unit: Unit, given: AddInput) -> AddOutput:
    """The project of a directory, made where there is none yet. A marker's name is used as it is; otherwise a slug with a suffix
    where it is taken. Refuses `invalid_input` without a directory or name."""
    workdir = _directory(unit, given.directory, may_be_missing=given.project is not None)
    asked = named_project(given.workspace, given.project)
    if asked is not None:
        return _add_named(unit, asked, workdir)
    if workdir is None:
        raise InvalidInput("directory is missing, and so is project.", hint="Pass one of them.")
    found, _ = project_of_workdir(workdir, StoredDirectory(unit.tx))
    if found is not None:
        return AddOutput(project=project_with_pending(unit, found), created=False, version=found.version)
    if workdir.marker is not None:
        return _created(unit, workdir.marker, identity=workdir.identity, by_marker=True)
    return _created_as_free(unit, _free_name(unit, workdir), identity=workdir.identity, by_marker=False)


def put(unit: Unit, given: PutInput) -> AddOutput:
    """A project by its two names; answers the one that is there, unless it belongs to another checkout than the one given."""
    name = _name(given)
    return _add_named(unit, name, _directory(unit, given.directory, may_be_missing=True, own=False))


def rename(unit: Unit, given: RenameInput) -> ProjectOutput:
    """The project under another name; its mail goes with it, both directions. Refuses `conflict` where the name is taken."""
    to = ProjectName(workspace=_name(given).workspace, project=parse_name(given.to_project, field="to_project"))
    return _changed(unit, given, to, "project.renamed")


def move(unit: Unit, given: MoveInput) -> ProjectOutput:
    """The project in another workspace; its mail goes with it, both directions. Refuses `conflict` where the name is taken."""
    to = ProjectName(
        workspace=parse_name(given.to_workspace, field="to_workspace"),
        project=parse_name(given.to_project or given.project, field="to_project"),
    )
    return _changed(unit, given, to, "project.moved")


def allow(unit: Unit, given: AllowInput) -> ProjectOutput:
    """Lets the checkout of a directory use the project although a marker alone may not claim it. Kept in the store, never in the
    repository."""
    workdir = _directory(unit, given.directory, may_be_missing=False)
    project = unit.project(_name(given))
    if workdir is not None:
        allow_identity(unit.tx, project, workdir.identity, actor=unit.actor)
    return ProjectOutput(project=project_with_pending(unit, project), version=project.version)


def delete(unit: Unit, given: ProjectInput) -> ProjectOutput:
    """The project taken out of use; its name is free again. Refuses `conflict` while it holds unread or scheduled mail."""
    project = unit.project(_name(given))
    lock_mailbox(unit.tx, project.id)  # no other node sends here until this one has judged and committed
    if pending_count(unit.tx, project.id) or count_scheduled(unit.tx, project.id, most=1):
        raise Conflict(
            f"'{project.label}' holds unread or scheduled mail. Nothing was changed.",
            hint="Read, pop or cancel it first.",
        )
    deleted = change_project(unit.tx, project, to=project.label, kind="project.deleted", actor=unit.actor, deleted=True)
    return ProjectOutput(project=project_record(deleted, 0), version=deleted.version)


def _add_named(unit: Unit, name: ProjectName, workdir: Workdir | None) -> AddOutput:
    directory = StoredDirectory(unit.tx)
    found = directory.project_named(name)
    identity = workdir.identity if workdir else None
    if found is not None:
        if identity is not None and found.identity != identity:
            raise NameTaken(
                f"'{name}' exists and belongs to another checkout. Nothing was changed.",
                hint="Choose another name, or run `waypost project allow` in this directory.",
            )
        return AddOutput(project=project_with_pending(unit, found), created=False, version=found.version)
    taken = identity is not None and directory.project_of_identity(identity) is not None
    marked = taken or (workdir is not None and workdir.marker == name)
    return _created_as_free(unit, name, identity=identity, by_marker=marked)


def _created_as_free(unit: Unit, name: ProjectName, *, identity: str | None, by_marker: bool) -> AddOutput:
    """Adds a project of a name that this unit found free. Where another node took it meanwhile the unit runs again and finds it."""
    try:
        return _created(unit, name, identity=identity, by_marker=by_marker)
    except NameTaken as taken:
        raise Overtaken(taken.detail) from taken


def _created(unit: Unit, name: ProjectName, *, identity: str | None, by_marker: bool) -> AddOutput:
    project = add_project(unit.tx, name, identity=identity, by_marker=by_marker, actor=unit.actor)
    return AddOutput(project=project_record(project, 0), created=True, version=project.version)


def _free_name(unit: Unit, workdir: Workdir) -> ProjectName:
    directory = StoredDirectory(unit.tx)
    for number in range(1, SUFFIXES):
        text = workdir.offered_name if number == 1 else f"{workdir.offered_name}-{number}"
        name = ProjectName(workspace=DEFAULT_WORKSPACE, project=text)
        if directory.project_named(name) is None:
            return name
    raise NameTaken(f"All names like '{workdir.offered_name}' are taken.", hint="Pass project with a name of your own.")


def _directory(unit: Unit, given: str | None, *, may_be_missing: bool, own: bool = True) -> Workdir | None:
    if given is not None:
        return unit.named_workdir
    workdir = unit.caller.workdir if own else None
    if workdir is None and not may_be_missing:
        raise InvalidInput("directory is missing.", hint="Pass the absolute path of the checkout.")
    return workdir


def _changed(unit: Unit, given: ProjectInput, to: ProjectName, kind: str) -> ProjectOutput:
    project = change_project(unit.tx, unit.project(_name(given)), to=to, kind=kind, actor=unit.actor)
    return ProjectOutput(project=project_with_pending(unit, project), version=project.version)


def _name(given: ProjectInput) -> ProjectName:
    return ProjectName(
        workspace=parse_name(given.workspace, field="workspace"), project=parse_name(given.project, field="project")
    )


PROJECT_OPERATIONS = (
    Operation(
        name="project.list",
        summary="List projects by name, with what waits in each.",
        input=PageInput,
        output=ProjectsOutput,
        run=list_,
        writes=False,
    ),
    Operation(
        name="project.which",
        summary="Say which project the caller's own is and how it was found.",
        input=ActingInput,
        output=WhichOutput,
        run=which,
        writes=False,
    ),
    Operation(
        name="project.show",
        summary="Show one project.",
        input=ProjectInput,
        output=ProjectOutput,
        run=show,
        writes=False,
    ),
    Operation(
        name="project.add",
        summary="Make the project of a directory, or answer the one that is there.",
        input=AddInput,
        output=AddOutput,
        run=add,
        writes=True,
        needs=Rights.OWNER,
        idempotent=True,
    ),
    Operation(
        name="project.put",
        summary="Make a project by its names, or answer the one that is there.",
        input=PutInput,
        output=AddOutput,
        run=put,
        writes=True,
        needs=Rights.OWNER,
        idempotent=True,
    ),
    Operation(
        name="project.rename",
        summary="Give a project another name; its mail goes with it.",
        input=RenameInput,
        output=ProjectOutput,
        run=rename,
        writes=True,
        needs=Rights.OWNER,
    ),
    Operation(
        name="project.move",
        summary="Put a project into another workspace; its mail goes with it.",
        input=MoveInput,
        output=ProjectOutput,
        run=move,
        writes=True,
        needs=Rights.OWNER,
    ),
    Operation(
        name="project.allow",
        summary="Let a checkout use a project that belongs to another one.",
        input=AllowInput,
        output=ProjectOutput,
        run=allow,
        writes=True,
        needs=Rights.OWNER,
        idempotent=True,
    ),
    Operation(
        name="project.delete",
        summary="Take a project out of use.",
        input=ProjectInput,
        output=ProjectOutput,
        run=delete,
        writes=True,
        needs=Rights.OPERATOR,
        destructive=True,
    ),
)
