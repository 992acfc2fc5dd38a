"""Names and addresses: the alphabets, `workspace/project` labels, and the three forms of an address.

    workspace/project              the project's inbox
    workspace/project#session      one session and those that continue it
    ~user, ~user#session           a person's sessions, wherever they work

Source: contracts/mail.md, Addresses. Knows nothing of what exists; that is the store's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from waypost.kernel.errors import InvalidInput

__all__ = [
    "DEFAULT_WORKSPACE",
    "NAME_LIMIT",
    "Address",
    "ProjectName",
    "parse_client_name",
    "parse_name",
    "parse_project_label",
    "parse_session_id",
    "slug",
]

DEFAULT_WORKSPACE = "default"
NAME_LIMIT = 128
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")
CLIENT = re.compile(r"[\x21-\x7e]{1,128}")
SESSION = re.compile(r"[A-Za-z0-9._:-]{1,128}")


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectName:
    """A project's two names, which together are its address."""

    workspace: str
    project: str

    def __str__(self) -> str:
        return f"{self.workspace}/{self.project}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """Where a message goes: a project or a user, and perhaps one session there. Exactly one of `project` and `user` is set."""

    project: ProjectName | None = None
    user: str | None = None
    session: str | None = None

    def __str__(self) -> str:
        place = str(self.project) if self.project else f"~{self.user}"
        return f"{place}#{self.session}" if self.session else place


def parse_name(text: str, *, field: str) -> str:
    """A workspace, project or user name, case-folded. Refuses (`invalid_input`) other alphabets and lengths over 128."""
    name = text.lower() if text.isascii() else text  # folding more would make another name of one that nobody has
    if not NAME.fullmatch(name):
        raise InvalidInput(
            f"{field} is not a name: lower-case letters, digits, '.', '-' and '_', starting with a letter or digit, at most 128.",
            hint=f"Pass {field} as `waypost project list` shows it.",
        )
    return name


def parse_session_id(text: str, *, field: str) -> str:
    """A client's own session id, unchanged and case-sensitive. Refuses (`invalid_input`) other alphabets and lengths over 128."""
    if not SESSION.fullmatch(text):
        raise InvalidInput(
            f"{field} is not a session id: 1 to 128 letters, digits, '.', '_', ':' or '-'.",
            hint=f"Pass {field} as the client or the session's start block printed it.",
        )
    return text


def parse_client_name(text: str, *, field: str) -> str:
    """A client's name as it says it itself. Refuses (`invalid_input`) blanks, control characters, non-ASCII and lengths over 128:
    the name stands unframed beside mail, so it must not be a sentence nor steer a terminal."""
    if not CLIENT.fullmatch(text):
        raise InvalidInput(
            f"{field} is not 1 to 128 visible ASCII characters without blanks. Nothing was changed.",
            hint="Send the client's short name, such as codex.",
        )
    return text


def parse_project_label(project: str, workspace: str | None, *, field: str) -> ProjectName:
    """A project from its flat parameters: `project` may be a bare name or `workspace/project`.

    Refuses (`invalid_input`) a label whose workspace differs from the one given beside it. A bare project is in `default`.
    """
    text = project.strip()
    if "/" in text:
        named, _, text = text.partition("/")
        if workspace is not None and named.lower() != workspace.lower():
            raise InvalidInput(
                f"{field} names another workspace than the one given beside it.",
                hint=f"Pass {field} alone, as workspace/project.",
            )
        workspace = named
    return ProjectName(
        workspace=parse_name(
            DEFAULT_WORKSPACE if workspace is None else workspace, field=field.replace("project", "workspace")
        ),
        project=parse_name(text, field=field),
    )


def slug(text: str) -> str:
    """A name made of `text`: its letters and digits, others as '-'; `project` where nothing is left. Not unique by itself."""
    folded = re.sub(r"[^a-z0-9._-]+", "-", text.casefold()).strip("-._")
    return folded[:100].rstrip("-._") or "project"
