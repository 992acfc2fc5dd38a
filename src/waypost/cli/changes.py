"""`waypost changes`: the change feed, a page or without end. A consumer's checkpoint moves only after what it stands for was written out.

While it follows, a server that goes away is waited for; reading goes on at the cursor that this process has, so that nothing is lost
or shown twice.
"""

from __future__ import annotations

import json
import time
from typing import Any

from waypost.cli.command import make_command
from waypost.cli.dispatch import ask
from waypost.cli.options import How
from waypost.cli.output import Output
from waypost.cli.refused import Refused

__all__ = ["changes"]

Record = dict[str, Any]
WAIT_SECONDS = 60
"""How long one request waits for a change while following."""
PAUSE_SECONDS = 0.3
"""Before the next try where the server is away or stops."""
COMMIT_AT_LEAST_SECONDS = 86_400.0
"""A consumer to whom nothing happens commits so often all the same, so that it is not forgotten."""
PASSING = frozenset({"store_unavailable", "store_busy"})
"""What is waited out while following: the server is away, or another process has the store for a moment."""
SCOPE = ("workspace", "project", "limit")


def _changes(how: How, output: Output, params: dict[str, object]) -> int:
    given: Record = {name: value for name, value in params.items() if value is not None}
    consumer, after = given.get("consumer"), given.get("after")
    fields: Record = {name: given[name] for name in SCOPE if name in given}
    if consumer is not None:
        place: Record = {"name": consumer} | ({"cursor": after} if after is not None else {})
        ask("consumer.put", place, how, note=output.note)
    reader = Reader(how, output, consumer, fields)
    if given["follow"]:
        reader.follow("now" if after is None else after)
    page = reader.read({} if after is None else {"after": after})
    if how.as_json:
        output.json(json.dumps(page))
    else:
        _text().listed(page, output)
    reader.done(page["next_cursor"])
    return 0


class Reader:
    """Reads on from where it stands, and commits for the consumer it reads for, if any."""

    def __init__(self, how: How, output: Output, consumer: object, fields: Record) -> None:
        self._how = how
        self._output = output
        self._consumer = consumer
        self._fields = fields
        self._committed = ""
        self._committed_at = 0.0

    def read(self, place: Record) -> Record:
        """A page from a place; of a consumer that has committed nothing here yet, from its checkpoint."""
        if self._consumer is not None and not self._committed:
            place = {**place, "consumer": self._consumer}
            place.pop("after", None)
        page: Record = json.loads(ask("changes.list", self._fields | place, self._how, note=self._output.note))
        return page

    def done(self, cursor: str) -> None:
        """What was read up to the cursor is written out, and committed."""
        self._output.flush()
        if self._consumer is None:
            return
        due = time.monotonic() - self._committed_at >= COMMIT_AT_LEAST_SECONDS
        if cursor != self._committed or due:
            ask("consumer.put", {"name": self._consumer, "cursor": cursor}, self._how, note=self._output.note)
            self._committed, self._committed_at = cursor, time.monotonic()

    def follow(self, after: object) -> None:
        """Shows changes as they come, until it is interrupted or refused."""
        place: Record = {"after": after}
        shown, has_read = "", False
        while True:
            began = time.monotonic()
            try:
                if shown:
                    self.done(shown)
                page = self.read({**place, "wait": WAIT_SECONDS})
            except Refused as refusal:
                if not has_read or refusal.problem().get("code") not in PASSING:
                    raise
                time.sleep(PAUSE_SECONDS)
                continue
            has_read = True
            self._show(page)
            shown = page["next_cursor"]
            place = {"after": shown}
            if not page["items"] and time.monotonic() - began < PAUSE_SECONDS:  # the server stops
                time.sleep(PAUSE_SECONDS)

    def _show(self, page: Record) -> None:
        if not self._how.as_json:
            _text().followed(page, self._output)
            return
        if page["gap"]:
            self._output.json(json.dumps({"gap": page["gap"]}))
        for item in page["items"]:
            self._output.json(json.dumps(item))


def _text() -> Any:
    from waypost.cli import changes_text  # noqa: PLC0415 - not where JSON is asked for

    return changes_text


changes = make_command(
    "changes",
    _changes,
    summary="Show what changed, in order; with --follow as it happens, from now on unless told otherwise.",
    example="waypost changes --follow --consumer copier --json",
    options=("follow", "consumer", "after", "limit", "workspace", "project", "url"),
)
