"""A process that dies at any step of a claim, complete or snooze has done it whole or not at all, and it can be asked again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.crash.home import Home
from tests.crash.office import ask, opened, prepare, whole
from tests.crash.test_points import COMMITTED, crash
from tests.promises.marks import promise
from waypost.assembly.waypost import Waypost
from waypost.mail.errors import StaleOccurrence

POINTS = ["wal:write:before:1", "wal:write:before:4", "wal:sync:after:1", "wal:sync:before:2", COMMITTED]
VERBS: dict[str, dict[str, Any]] = {
    "claim": {},
    "complete": {"outcome": "Fixed in 4f1c."},
    "snooze": {"outcome": "No fix yet.", "delay_seconds": 86_400},
}
EXPECTED: dict[str, tuple[str, int, bool]] = {
    "claim": ("open", 1, True),
    "complete": ("done", 1, False),
    "snooze": ("open", 2, False),
}
"""Status, occurrence and whether somebody holds it, once the verb has happened."""
KIND = {"claim": "message.claimed", "complete": "message.completed", "snooze": "message.snoozed"}


@pytest.fixture(scope="module")
def at_work(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """A store with two pieces of work, one claimed by S1 and one free, and how to name each."""
    database = tmp_path_factory.mktemp("office") / "waypost.db"
    prepare(database)
    waypost = opened(database)
    named = []
    for words in ("free", "held"):
        sent = ask(
            waypost,
            "message.send",
            from_project="a",
            to_project="b",
            body=f"Please do what is {words}.",
            actionable=True,
        )
        named.append({"project": "b", "session": "S1", "message_id": sent["message_id"], "occurrence": 1})
    free, held = named
    held["token"] = ask(waypost, "message.claim", **held)["token"]
    waypost.close()
    return database, free, held


def state(waypost: Waypost, message_id: str) -> tuple[str, int, bool]:
    """Status, occurrence and whether somebody holds it."""
    message = ask(waypost, "message.view", project="b", message_id=message_id)["message"]
    return message["status"], message["occurrence"], message["lease"] is not None


@promise("mail.lease.crash_whole", "store.crash.nothing_lost")
@pytest.mark.parametrize("keyed", [False, True], ids=["plain", "keyed"])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_of_a_lease_that_dies_around_its_commit_is_there_whole_or_not_and_can_be_asked_again(
    home: Home, at_work: tuple[Path, dict[str, Any], dict[str, Any]], verb: str, point: str, keyed: bool
) -> None:
    database, free, held = at_work
    shutil.copy(database, home.database)
    named = free if verb == "claim" else held
    asked = {"operation": f"message.{verb}", "key": "doomed" if keyed else None, **named, **VERBS[verb]}
    file = home.folder / "asked.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    waypost = opened(home.database)
    before = state(waypost, named["message_id"])
    waypost.close()

    assert crash(home, "ask", point, file) == ""

    waypost = opened(home.database)
    after = state(waypost, named["message_id"])
    happened = after == EXPECTED[verb]
    assert happened or after == before
    assert happened or point != COMMITTED
    assert whole(waypost)
    if (verb, happened, keyed) == ("snooze", True, False):
        # Without its key a snooze that has happened is known by its occurrence, and is not done twice.
        with pytest.raises(StaleOccurrence):
            ask(waypost, **asked)
    else:
        answer = ask(waypost, **asked)
        if verb == "claim":
            assert (answer["lease"]["generation"], answer["repeated"]) == (1, happened and not keyed)
    assert state(waypost, named["message_id"]) == EXPECTED[verb]
    history = ask(waypost, "message.view", project="b", message_id=named["message_id"])["history"]
    assert [past["change"] for past in history].count(KIND[verb]) == 1
    waypost.close()
