"""What the pages know: everything is asked of operations, as the person who looks. Reads only.

One page is one `Look`, made in a worker thread; its reads are apart from each other, so a page may be a moment out of step and
the next event puts it right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from waypost.identity.errors import ProjectNotFound
from waypost.kernel.errors import InvalidInput, NotFound
from waypost.operations.call import Call, Caller
from waypost.operations.pipeline import Pipeline
from waypost.server.web.decision_shown import Matter, Said, decision_path, matter, said
from waypost.server.web.happenings import About, Happening, happening
from waypost.server.web.moments import Moment, moment
from waypost.server.web.shown import Card, Letter, card, letter, message_path, project_path, subject_of

__all__ = ["DecisionPage", "DecisionsPage", "HomePage", "Look", "Mark", "ProjectPage"]

PENDING_SHOWN = 5
REMINDERS_SHOWN = 5
CLAIMS_SHOWN = 10
HAPPENINGS_SHOWN = 12
DECISIONS_ON_HOME = 5
DECISIONS_SHOWN = 50
PAGE = 500
MOST_PROJECTS = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class HomePage:
    """Home: projects by workspace, and which of them hold mail. `mark` is the text of the mark that it was made at."""

    mark: str
    workspaces: list[tuple[str, list[Card]]]
    holding: list[Card]
    total: int
    is_cut: bool
    decisions: list[Matter]
    has_more_decisions: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionsPage:
    """A page of questions, the open ones first; `next` is the address of the page behind it."""

    mark: str
    matters: list[Matter]
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionPage:
    """One question, what was sent in answer to it, and whether the viewer may answer."""

    mark: str
    matter: Matter
    replies: list[Said]
    may_answer: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ProjectPage:
    """One project. An unknown one has nothing but its name and perhaps `near` ones with their addresses."""

    mark: str
    workspace: str
    project: str
    is_known: bool
    near: list[tuple[str, str]]
    pending: int
    letters: list[Letter]
    command: str
    late: list[Letter]
    has_more_late: bool
    reminders: list[Letter]
    scheduled: int
    claims: list[Letter]
    happenings: list[Happening]
    created: Moment | None
    identity: str | None

    @property
    def label(self) -> str:
        """Its address."""
        return f"{self.workspace}/{self.project}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """What tells whether a page is still true, and when it changes by time alone (microseconds)."""

    newest: int
    pending: int
    next_at: int | None

    @property
    def text(self) -> str:
        """The mark as a page and its stream tell it to each other."""
        return f"{self.newest}.{self.pending}.{self.next_at or 0}"


UNKNOWN = Mark(newest=0, pending=0, next_at=None)
"""The mark of a project that does not exist."""


class Look:
    """One person's look at one instant."""

    def __init__(self, pipeline: Pipeline, caller: Caller, now: int) -> None:
        self._pipeline = pipeline
        self._caller = caller
        self.now = now

    def home(self) -> HomePage:
        """Everything on Home."""
        mark = self.mark(None, None).text
        latest = {
            (item["workspace"], item["project"]): moment(item["at"], self.now) for item in self._all("activity.latest")
        }
        records = self._all("project.list")
        asked = self.ask("decision.list", all=True, state="open", limit=DECISIONS_ON_HOME)
        cards = [card(record, latest.get((record["workspace"], record["project"]))) for record in records]
        return HomePage(
            mark=mark,
            workspaces=[(name, list(members)) for name, members in groupby(cards, key=lambda one: one.workspace)],
            holding=[one for one in cards if one.pending],
            total=sum(one.pending for one in cards),
            is_cut=len(cards) >= MOST_PROJECTS,
            decisions=[matter(record, self.now) for record in asked["items"]],
            has_more_decisions=asked["next_cursor"] is not None,
        )

    def decisions(self, cursor: str | None) -> DecisionsPage:
        """A page of the questions that the viewer may read. Refuses `invalid_input` for a cursor that is none."""
        mark = self.mark(None, None).text
        more = {"cursor": cursor} if cursor else {}
        found = self.ask("decision.list", all=True, limit=DECISIONS_SHOWN, **more)
        behind = found["next_cursor"]
        return DecisionsPage(
            mark=mark,
            matters=[matter(record, self.now) for record in found["items"]],
            next=f"/web/decisions?{urlencode({'cursor': behind})}" if behind else None,
        )

    def decision(self, decision_id: str) -> DecisionPage:
        """Everything on a question's page. Refuses `not_found`, and `invalid_input` for what is no id."""
        mark = self.mark(None, None).text
        found = self.ask("decision.view", decision_id=decision_id)
        return DecisionPage(
            mark=mark,
            matter=matter(found["decision"], self.now),
            replies=[said(record, self.now) for record in found["replies"]],
            may_answer=found["may_answer"],
        )

    def project(self, workspace: str, project: str) -> ProjectPage:
        """Everything on a project's page; one without anything where no project has that name."""
        try:
            record = self.ask("project.show", workspace=workspace, project=project)["project"]
        except ProjectNotFound as error:
            return self._unknown(workspace, project, error.near)
        except InvalidInput:
            return self._unknown(workspace, project, ())
        names = {"workspace": record["workspace"], "project": record["project"]}
        mark = self.mark(**names).text
        happened = self.ask("activity.list", limit=HAPPENINGS_SHOWN, **names)
        unread = self.ask("message.list", limit=PENDING_SHOWN, **names)
        reminders = self.ask("activity.reminders", limit=REMINDERS_SHOWN, **names)
        claimed = self.ask("activity.claims", limit=CLAIMS_SHOWN, **names)
        return ProjectPage(
            mark=mark,
            **names,
            is_known=True,
            near=[],
            pending=max(record["pending"], len(unread["items"])),
            letters=self._letters(unread["items"]),
            command="waypost message list --workspace {workspace} --project {project} --limit 200".format(**names),
            late=self._letters(reminders["late"]),
            has_more_late=reminders["has_more_late"],
            reminders=self._letters(reminders["scheduled"]),
            scheduled=max(reminders["scheduled_count"], len(reminders["scheduled"])),
            claims=self._letters(claimed["items"]),
            happenings=self.happenings(happened["items"], "{workspace}/{project}".format(**names), **names),
            created=moment(record["created_at"], self.now),
            identity=record["identity"],
        )

    def mark(self, workspace: str | None, project: str | None) -> Mark:
        """What tells whether a page is still true. An unknown project's mark never changes until it is known."""
        names = {} if project is None else {"workspace": workspace, "project": project}
        try:
            found = self.ask("activity.mark", **names)
        except (NotFound, InvalidInput):
            return UNKNOWN
        next_at = found["next_at"]
        return Mark(
            newest=found["newest"],
            pending=found["pending"],
            next_at=moment(next_at, self.now).at if next_at is not None else None,
        )

    def _unknown(self, workspace: str, project: str, near: Sequence[str]) -> ProjectPage:
        return ProjectPage(
            mark=UNKNOWN.text,
            workspace=workspace,
            project=project,
            is_known=False,
            near=[(label, project_path(*label.split("/"))) for label in near],
            pending=0,
            letters=[],
            command="",
            late=[],
            has_more_late=False,
            reminders=[],
            scheduled=0,
            claims=[],
            happenings=[],
            created=None,
            identity=None,
        )

    def happenings(self, entries: Sequence[dict[str, Any]], own: str, **names: str) -> list[Happening]:
        """Entries of the journal with what they are about, seen from the project `own`, or from none."""
        ids = {entry["id"] for entry in entries if entry["kind"].startswith(("message.", "decision."))}
        subjects = {message_id: self._subject(message_id, **names) for message_id in ids}
        return [happening(entry, _mail(entry, subjects), own, self.now) for entry in entries]

    def _letters(self, records: list[dict[str, Any]]) -> list[Letter]:
        return [letter(record, self.now) for record in records]

    def _subject(self, message_id: str, **names: str) -> str | None:
        try:
            record = self.ask("message.view", message_id=message_id, **names)["message"]
        except NotFound:
            return None
        return subject_of(record) or "(no subject)"

    def _all(self, operation: str) -> list[dict[str, Any]]:
        """All items of a list, page by page, up to a bound that Home says it reached."""
        items: list[dict[str, Any]] = []
        cursor = None
        while len(items) < MOST_PROJECTS:
            answer = self.ask(operation, limit=PAGE, **({"cursor": cursor} if cursor else {}))
            items += answer["items"]
            cursor = answer["next_cursor"]
            if cursor is None:
                break
        return items

    def ask(self, operation: str, **fields: object) -> dict[str, Any]:
        """What an operation answers the person who looks."""
        answer: dict[str, Any] = json.loads(
            self._pipeline.run(operation, Call(caller=self._caller, fields=fields)).json
        )
        return answer


def _mail(entry: dict[str, Any], subjects: Mapping[str, str | None]) -> About | None:
    """The message or question of an entry; None where it is of neither."""
    kind, mail_id = entry["kind"], entry["id"]
    if mail_id not in subjects or not kind.startswith(("message.", "decision.")):
        return None
    subject = subjects[mail_id]
    if subject is None:
        return About(text="a message that is gone", href=None)
    return About(text=subject, href=decision_path(mail_id) if kind.startswith("decision.") else message_path(mail_id))
