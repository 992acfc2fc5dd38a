"""What the pages know: everything is asked of operations, as the person who looks. Reads only.

One page is one `Look`, made in a worker thread; its reads are apart from each other, so a page may be a moment out of step and
the next event puts it right.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from waypost.identity.errors import ProjectNotFound
from waypost.kernel.errors import InvalidInput, NotFound
from waypost.operations.call import Call, Caller
from waypost.operations.pipeline import Pipeline
from waypost.server.web.decision_shown import Matter, Said, matter, said
from waypost.server.web.moments import Moment, moment
from waypost.server.web.shown import Card, Happening, Letter, card, happening, letter, project_path, subject_of

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
    reminders: list[Letter]
    has_more_reminders: bool
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
        self._now = now

    def home(self) -> HomePage:
        """Everything on Home."""
        mark = self.mark(None, None).text
        latest = {
            (item["workspace"], item["project"]): moment(item["at"], self._now) for item in self._all("activity.latest")
        }
        records = self._all("project.list")
        asked = self._ask("decision.list", all=True, state="open", limit=DECISIONS_ON_HOME)
        cards = [card(record, latest.get((record["workspace"], record["project"]))) for record in records]
        return HomePage(
            mark=mark,
            workspaces=[(name, list(members)) for name, members in groupby(cards, key=lambda one: one.workspace)],
            holding=[one for one in cards if one.pending],
            total=sum(one.pending for one in cards),
            is_cut=len(cards) >= MOST_PROJECTS,
            decisions=[matter(record, self._now) for record in asked["items"]],
            has_more_decisions=asked["next_cursor"] is not None,
        )

    def decisions(self, cursor: str | None) -> DecisionsPage:
        """A page of the questions that the viewer may read. Refuses `invalid_input` for a cursor that is none."""
        mark = self.mark(None, None).text
        more = {"cursor": cursor} if cursor else {}
        found = self._ask("decision.list", all=True, limit=DECISIONS_SHOWN, **more)
        behind = found["next_cursor"]
        return DecisionsPage(
            mark=mark,
            matters=[matter(record, self._now) for record in found["items"]],
            next=f"/web/decisions?{urlencode({'cursor': behind})}" if behind else None,
        )

    def decision(self, decision_id: str) -> DecisionPage:
        """Everything on a question's page. Refuses `not_found`, and `invalid_input` for what is no id."""
        mark = self.mark(None, None).text
        found = self._ask("decision.view", decision_id=decision_id)
        return DecisionPage(
            mark=mark,
            matter=matter(found["decision"], self._now),
            replies=[said(record, self._now) for record in found["replies"]],
            may_answer=found["may_answer"],
        )

    def project(self, workspace: str, project: str) -> ProjectPage:
        """Everything on a project's page; one without anything where no project has that name."""
        try:
            record = self._ask("project.show", workspace=workspace, project=project)["project"]
        except ProjectNotFound as error:
            return self._unknown(workspace, project, error.near)
        except InvalidInput:
            return self._unknown(workspace, project, ())
        names = {"workspace": record["workspace"], "project": record["project"]}
        mark = self.mark(**names).text
        happened = self._ask("activity.list", limit=HAPPENINGS_SHOWN, **names)
        unread = self._ask("message.list", limit=PENDING_SHOWN, **names)
        scheduled = self._ask("message.list", status="scheduled", limit=REMINDERS_SHOWN, **names)
        claimed = self._ask("activity.claims", limit=CLAIMS_SHOWN, **names)
        return ProjectPage(
            mark=mark,
            **names,
            is_known=True,
            near=[],
            pending=max(record["pending"], len(unread["items"])),
            letters=self._letters(unread),
            command="waypost message list --workspace {workspace} --project {project} --limit 200".format(**names),
            reminders=self._letters(scheduled),
            has_more_reminders=scheduled["next_cursor"] is not None,
            claims=self._letters(claimed),
            happenings=self._happenings(happened["items"], names),
            created=moment(record["created_at"], self._now),
            identity=record["identity"],
        )

    def mark(self, workspace: str | None, project: str | None) -> Mark:
        """What tells whether a page is still true. An unknown project's mark never changes until it is known."""
        names = {} if project is None else {"workspace": workspace, "project": project}
        try:
            found = self._ask("activity.mark", **names)
        except (NotFound, InvalidInput):
            return UNKNOWN
        next_at = found["next_at"]
        return Mark(
            newest=found["newest"],
            pending=found["pending"],
            next_at=moment(next_at, self._now).at if next_at is not None else None,
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
            reminders=[],
            has_more_reminders=False,
            claims=[],
            happenings=[],
            created=None,
            identity=None,
        )

    def _letters(self, answer: dict[str, Any]) -> list[Letter]:
        return [letter(record, self._now) for record in answer["items"]]

    def _happenings(self, entries: list[dict[str, Any]], names: dict[str, str]) -> list[Happening]:
        own = "{workspace}/{project}".format(**names)
        ids = {entry["id"] for entry in entries if entry["kind"].startswith(("message.", "decision."))}
        subjects = {message_id: self._subject(message_id, names) for message_id in ids}
        return [happening(entry, subjects.get(entry["id"]), own, self._now) for entry in entries]

    def _subject(self, message_id: str, names: dict[str, str]) -> str:
        try:
            record = self._ask("message.view", message_id=message_id, **names)["message"]
        except NotFound:
            return "a message that is gone"
        return "(redacted)" if record["redacted_at"] else subject_of(record) or "(no subject)"

    def _all(self, operation: str) -> list[dict[str, Any]]:
        """All items of a list, page by page, up to a bound that Home says it reached."""
        items: list[dict[str, Any]] = []
        cursor = None
        while len(items) < MOST_PROJECTS:
            answer = self._ask(operation, limit=PAGE, **({"cursor": cursor} if cursor else {}))
            items += answer["items"]
            cursor = answer["next_cursor"]
            if cursor is None:
                break
        return items

    def _ask(self, operation: str, **fields: object) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(
            self._pipeline.run(operation, Call(caller=self._caller, fields=fields)).json
        )
        return answer
