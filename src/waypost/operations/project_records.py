"""What the project verbs take, and how a project looks at every door."""

from __future__ import annotations

from pydantic import Field

from waypost.identity.models import Project
from waypost.kernel.time import format_instant
from waypost.mail.boxes import pending_count
from waypost.operations.inputs import Input, Output
from waypost.operations.registry import Unit
from waypost.operations.resolved import ResolvedScope

__all__ = [
    "AddInput",
    "AddOutput",
    "AllowInput",
    "MoveInput",
    "ProjectInput",
    "ProjectOutput",
    "ProjectsOutput",
    "PutInput",
    "RenameInput",
    "WhichOutput",
    "project_record",
    "project_with_pending",
]


class ProjectRecord(Output):
    """One project."""

    workspace: str
    project: str
    id: str
    identity: str | None
    created_at: str
    version: int
    pending: int = Field(description="Due, open messages that nobody has read.")


class ProjectsOutput(Output):
    """A page of projects, by name."""

    items: list[ProjectRecord]
    next_cursor: str | None


class WhichOutput(Output):
    """The caller's project, how it was found, and whether it may change things."""

    resolved_scope: ResolvedScope
    scope_source: str
    guessed: bool
    hint: str | None
    session: str | None


class ProjectInput(Input):
    """One project by its two names."""

    workspace: str = Field(description="The project's workspace.")
    project: str = Field(description="The project's name.")


class PutInput(ProjectInput):
    """A project by its two names, perhaps bound to a directory's checkout."""

    directory: str | None = Field(None, description="The checkout that the project belongs to.")


class AddInput(Input):
    """The project of a directory, made where there is none yet."""

    directory: str | None = Field(None, description="Absolute path; the caller's own directory where it is left out.")
    workspace: str | None = Field(None, description="The workspace of a new project, where project is a bare name.")
    project: str | None = Field(None, description="The name of a new project; a slug of the repository otherwise.")


class RenameInput(ProjectInput):
    """A new name in the same workspace."""

    to_project: str = Field(description="The new name.")


class MoveInput(ProjectInput):
    """Another workspace, and perhaps another name."""

    to_workspace: str = Field(description="The workspace to move to.")
    to_project: str | None = Field(None, description="The name there; the same where it is left out.")


class AllowInput(ProjectInput):
    """A person's word that a checkout may use a project bound to another one."""

    directory: str | None = Field(None, description="Absolute path of the checkout; the caller's own otherwise.")


class AddOutput(Output):
    """The project of the directory, and whether it was made just now."""

    project: ProjectRecord
    created: bool
    version: int


class ProjectOutput(Output):
    """The project as it is now, and its version."""

    project: ProjectRecord
    version: int


def project_with_pending(unit: Unit, project: Project) -> ProjectRecord:
    """A project with what waits in it, counted now."""
    return project_record(project, pending_count(unit.tx, project.id))


def project_record(project: Project, pending: int) -> ProjectRecord:
    """A project with what waits in it, as counted."""
    return ProjectRecord(
        workspace=project.workspace,
        project=project.name,
        id=project.id,
        identity=project.identity,
        created_at=format_instant(project.created_at),
        version=project.version,
        pending=pending,
    )
