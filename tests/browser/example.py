"""A believable post office for tests and pictures: projects of a small team, their mail, reminders, and work in hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from waypost.assembly.waypost import Waypost
from waypost.kernel.time import DAY, HOUR, MINUTE, SystemClock
from waypost.mail.models import Lease
from waypost.mail.store import acked, change, find_message
from waypost.operations.call import Call, Caller, Rights
from waypost.store.interface import Actor, Transaction

__all__ = ["Past", "Person", "fill"]


class Past:
    """A clock that stands some time in the past, until it is told to keep up with the machine's."""

    def __init__(self) -> None:
        self._behind = 0

    def now(self) -> int:
        return SystemClock().now() - self._behind

    def stand(self, *, days: int = 0, hours: int = 0, minutes: int = 0) -> None:
        """From here on that long ago. Never goes back further than it stood."""
        self._behind = days * DAY + hours * HOUR + minutes * MINUTE


class Person:
    """Somebody who sends mail at the door `rest`; from a session whose project is certain where one is named."""

    def __init__(self, waypost: Waypost) -> None:
        self._waypost = waypost

    def ask(
        self, operation: str, *, client: str | None = None, bound: str | None = None, **fields: object
    ) -> dict[str, Any]:
        """The answer of an operation; `from_` stands for `from`, `bound` is the session that the door knows."""
        caller = Caller(
            door="bridge" if bound else "rest",
            rights=Rights.OWNER,
            login=self._waypost.login,
            client=client,
            bound_session=bound,
        )
        answer: dict[str, Any] = json.loads(
            self._waypost.run(
                operation, Call(caller=caller, fields={name.rstrip("_"): value for name, value in fields.items()})
            ).json
        )
        return answer

    def add(self, *labels: str) -> None:
        """Projects by their labels."""
        for label in labels:
            workspace, _, project = label.partition("/")
            self.ask("project.put", workspace=workspace, project=project)

    def work(self, session: str, project: str, client: str) -> None:
        """A session of a client in a project."""
        self.ask("session.put", client=client, session_id=session, project=project)

    def write(self, session: str, to: str, subject: str, body: str, *, client: str, **more: Any) -> str:
        """A message from a session that the door is bound to; its id."""
        sent = self.ask("message.send", client=client, bound=session, to_project=to, subject=subject, body=body, **more)
        return str(sent["message_id"])

    def send(self, sender: str, to: str, subject: str, body: str, *, client: str | None = None, **more: Any) -> str:
        """A message from one project to another; its id."""
        sent = self.ask(
            "message.send", client=client, from_project=sender, to_project=to, subject=subject, body=body, **more
        )
        return str(sent["message_id"])

    def question(self, asker: str, to: str, words: str, *, requires_root: bool = True) -> str:
        """A question from one project in another's mailbox; its id."""
        options = [
            {"id": "accept", "label": "Accept the exception", "recommended": True},
            {"id": "reject", "label": "Send it back", "description": "The test has to be stable first."},
        ]
        asked = self.ask(
            "decision.ask",
            from_project=asker,
            to_project=to,
            question=words,
            options=options,
            details="Failed once in forty CI runs.\nThe flake is timed in the export suite.",
            links=["https://example.test/pull/12", "javascript:alert(1)"],
            requires_root=requires_root,
        )
        return str(asked["decision_id"])

    def answered(self) -> str:
        """A message that is in work and was answered; its id."""
        sent = self.send("default/web", "default/api", "Two headers", "The export sends two.", actionable=True)
        self.claim(sent, "5f0c1d2e-api", minutes=30)
        self.ask("message.reply", project="default/api", message_id=sent, body="Found it.")
        return sent

    def claim(self, message_id: str, session: str, *, minutes: int) -> None:
        """Puts a message under a lease, as a claim does."""

        def unit(tx: Transaction) -> None:
            message = find_message(tx, message_id)
            assert message is not None
            lease = Lease(holder=session, token="t" * 32, until=tx.now + minutes * MINUTE)
            after = replace(message, lease=lease, generation=1, first_read_at=tx.now, version=message.version + 1)
            actor = Actor(door="mcp", client="claude-code", project=message.mailbox_id, session=session)
            change(tx, message, after, kind="message.claimed", actor=actor)
            acked(tx, after, session, actor=actor)

        self._waypost.store.write(unit)


PROJECTS = (
    "default/api",
    "default/billing",
    "default/docs-site",
    "default/mobile-app",
    "default/web",
    "research/eval-harness",
    "research/notebooks",
)


def fill(waypost: Waypost, past: Past) -> None:
    """Fills an empty store, over some days that end now."""
    person = Person(waypost)
    web, api, docs = "default/web", "default/api", "default/docs-site"
    past.stand(days=12)
    person.add(*PROJECTS)
    past.stand(days=3, hours=4)
    person.work("3b7f9c52-6d1e-4f7a-9a55-0c4c2f1f8e11", web, "claude-code")
    person.work("01JD9V4Q7M", "default/mobile-app", "codex")
    person.work("docs-nightly", docs, "codex")
    person.work("5f0c1d2e-api", api, "claude-code")
    _old_mail(person, past, api)
    past.stand(hours=3)
    popped = person.write(
        "docs-nightly",
        api,
        "Which endpoints are public?",
        "The reference lists 41 endpoints; the router has 44.",
        client="codex",
    )
    for number in range(1, 5):
        past.stand(hours=2, minutes=50 - number * 4)
        person.write(
            "docs-nightly",
            api,
            f"Example {number} of the quickstart fails",
            f"Request {number} answers 422; the field it names is not in the schema.",
            client="codex",
        )
    past.stand(minutes=58)
    person.ask("message.pop", project=api, session="5f0c1d2e-api", message_id=popped, client="claude-code")
    past.stand(minutes=31)
    cursor = person.write(
        "3b7f9c52-6d1e-4f7a-9a55-0c4c2f1f8e11",
        api,
        "Pagination cursor repeats the last row",
        "Page two starts with the last row of page one.",
        client="claude-code",
        actionable=True,
    )
    past.stand(minutes=6)
    person.claim(cursor, "5f0c1d2e-api", minutes=30)
    _own_mail(person, past, api, web)
    past.stand()


def _old_mail(person: Person, past: Past, api: str) -> None:
    past.stand(days=2, hours=5)
    person.write(
        "3b7f9c52-6d1e-4f7a-9a55-0c4c2f1f8e11",
        api,
        "Export endpoint for the reports page",
        "Please add GET /v1/export that streams NDJSON, one row per report, newest first. Keep the existing auth middleware and"
        " the 60-second timeout. The page already sends Accept: application/x-ndjson. Tell us the final field names.",
        client="claude-code",
        actionable=True,
    )
    past.stand(days=1, hours=2)
    person.write(
        "01JD9V4Q7M",
        api,
        "401 after token refresh on slow networks",
        "About one in two hundred refreshes answers 401 although the new token is valid two seconds later. Traces are in the"
        " ticket; it looks like the replica that checks the token lags behind the one that wrote it.",
        client="codex",
    )
    past.stand(hours=9)
    person.send(
        "default/billing",
        api,
        "Rename of plan ids is live",
        "Plans are now starter, team and scale. Old ids are accepted until the end of March.",
    )
    past.stand(hours=5)
    person.send(
        "research/eval-harness",
        api,
        "",
        "Can you keep the v0 scoring route for one more week? We still compare against it.",
        client="gemini-cli",
    )


def _own_mail(person: Person, past: Past, api: str, web: str) -> None:
    session = "5f0c1d2e-api"
    past.stand(minutes=5)
    remind = "Ask billing whether old plan ids are gone"
    person.write(session, api, remind, "By the end of March.", client="claude-code", delay_seconds=3 * 86_400 + 7_200)
    certificate = "Check the certificate of the staging host"
    person.write(session, api, certificate, "It renews itself, but look.", client="claude-code", delay_seconds=5_400)
    past.stand(minutes=3)
    person.write(
        session, "default/billing", "Invoices of the old plan", "Do refunds use the old route?", client="claude-code"
    )
    past.stand(minutes=1)
    person.write(
        session,
        web,
        "Export endpoint: field names",
        "id, title, created_at, rows. Streaming starts within 200 ms.",
        client="claude-code",
    )
