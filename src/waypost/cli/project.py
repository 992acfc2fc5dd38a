"""`waypost project`: the verbs of projects, as a table."""

from __future__ import annotations

import os

import click

from waypost.cli.tree import VerbTree
from waypost.cli.verb import Ask, Fields, Verb

__all__ = ["group"]

DEFAULT_WORKSPACE = "default"  # the kernel's own, without its import
OF_A_DIRECTORY = {"workdir", "unconfirmed"}
"""How a project was found that the directory itself named."""


def _split(fields: Fields, label: str) -> Fields:
    """The project as two names."""
    workspace, slash, project = label.partition("/")
    if not slash:
        workspace, project = str(fields.get("workspace", DEFAULT_WORKSPACE)), label
    return {**fields, "workspace": workspace, "project": project}


def _named(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - it is named
    return _split(fields, str(fields.pop("label")))


def _named_or_here(fields: Fields, ask: Ask) -> Fields:
    """The project that was named, else the one that the working directory names."""
    label = fields.pop("label", None) or fields.get("project")
    if label is not None:
        return _split(fields, str(label))
    found = ask("project.which")
    scope = found["resolved_scope"]
    if not isinstance(scope, dict) or found["scope_source"] not in OF_A_DIRECTORY or fields.get("directory"):
        raise click.UsageError("This directory names no project: name one, as LABEL.")
    return {**fields, **scope}


def _allowed(fields: Fields, ask: Ask) -> Fields:
    return _placed(_named_or_here(fields, ask), ask)


def _placed(fields: Fields, ask: Ask) -> Fields:  # noqa: ARG001 - nothing is asked
    """The directory as an absolute path, because the server stands elsewhere."""
    directory = fields.get("directory")
    return fields if directory is None else {**fields, "directory": os.path.abspath(str(directory))}  # noqa: PTH100 - no pathlib at start


def _renamed(fields: Fields, ask: Ask) -> Fields:
    name = fields.pop("new_name")
    return {**_named(fields, ask), "to_project": name}


def _moved(fields: Fields, ask: Ask) -> Fields:
    workspace, slash, project = str(fields.pop("destination")).partition("/")
    target: Fields = {"to_workspace": workspace, "to_project": project} if slash else {"to_workspace": workspace}
    return {**_named(fields, ask), **target}


group = VerbTree(
    name="project",
    help="Projects: the mailboxes of your repositories. LABEL is a name, or workspace/project.",
    verbs={
        "list": Verb(
            operation="project.list",
            summary="List projects by name, with what waits in each.",
            example="waypost project list",
            show="project_text:listed",
            options=("limit", "cursor"),
        ),
        "which": Verb(
            operation="project.which",
            summary="Say which project is the own one here, and how it was found.",
            example="waypost project which",
            show="project_text:found",
        ),
        "show": Verb(
            operation="project.show",
            summary="Show one project; without a label the one of this directory.",
            example="waypost project show default/web",
            show="project_text:shown",
            arguments=("label?",),
            session_field=False,
            prepare=_named_or_here,
        ),
        "add": Verb(
            operation="project.add",
            summary="Make the project of a directory, or answer the one that is there.",
            example="waypost project add ~/src/web --project default/web",
            show="project_text:added",
            arguments=("directory?",),
            session_field=False,
            prepare=_placed,
        ),
        "allow": Verb(
            operation="project.allow",
            summary="Let a checkout use a project that belongs to another one.",
            example="waypost project allow default/web",
            show="project_text:allowed",
            arguments=("label?",),
            options=("directory",),
            session_field=False,
            prepare=_allowed,
        ),
        "rename": Verb(
            operation="project.rename",
            summary="Give a project another name; its mail goes with it.",
            example="waypost project rename default/web frontend",
            show="project_text:renamed",
            arguments=("label", "new_name"),
            session_field=False,
            prepare=_renamed,
        ),
        "move": Verb(
            operation="project.move",
            summary="Put a project into another workspace, perhaps under another name; its mail goes with it.",
            example="waypost project move web acme/frontend",
            show="project_text:renamed",
            arguments=("label", "destination"),
            session_field=False,
            prepare=_moved,
        ),
        "delete": Verb(
            operation="project.delete",
            summary="Take a project out of use.",
            example="waypost project delete default/old",
            show="project_text:deleted",
            arguments=("label",),
            session_field=False,
            prepare=_named,
        ),
    },
)
