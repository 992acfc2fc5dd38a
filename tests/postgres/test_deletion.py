"""A project's deletion and a send to it on another node: whichever holds the mailbox first, no mail comes into a project that is gone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.operations.office import Office
from tests.postgres.conftest import Raw
from tests.postgres.row_waits import wait_until_one_waits
from tests.promises.marks import promise
from tests.store.stores import WAIT_SECONDS
from waypost.identity.store import change_project
from waypost.kernel.errors import Conflict
from waypost.mail.errors import UnknownRecipient
from waypost.operations.bounds import check_room
from waypost.operations.call import Rights


class Pause:
    """A step of an operation that stops where it is called until it is let go on."""

    def __init__(self, step: Callable[..., Any]) -> None:
        self._step = step
        self.reached, self.go_on = threading.Event(), threading.Event()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.reached.set()
        assert self.go_on.wait(WAIT_SECONDS)
        return self._step(*arguments, **named)


def delete(office: Office) -> None:
    """Deletes the project b, as the operator."""
    caller = replace(office.caller, rights=Rights.OPERATOR)
    office.run("project.delete", caller=caller, workspace="default", project="b")


@pytest.fixture
def nodes(postgres_url: str) -> Iterator[tuple[Office, Office]]:
    """Two nodes on one database, with the projects a and b."""
    made = Office(postgres_url), Office(postgres_url)
    made[0].add("a", "b")
    yield made
    for office in made:
        office.waypost.close()


@promise("postgres.delete.no_dead_inbox")
def test_a_send_that_waits_while_the_project_is_deleted_is_refused(
    nodes: tuple[Office, Office], raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause = Pause(change_project)
    monkeypatch.setattr("waypost.operations.projects.change_project", pause)
    with ThreadPoolExecutor(2) as threads:
        deletes = threads.submit(delete, nodes[0])
        assert pause.reached.wait(WAIT_SECONDS)
        sends = threads.submit(nodes[1].send)
        wait_until_one_waits(raw)
        pause.go_on.set()
        deletes.result(WAIT_SECONDS)
        with pytest.raises(UnknownRecipient, match="Nothing was sent"):
            sends.result(WAIT_SECONDS)
    assert nodes[0].rows("select id from messages") == []


@promise("postgres.delete.no_dead_inbox")
def test_a_deletion_that_waits_while_mail_is_sent_sees_it_and_is_refused(
    nodes: tuple[Office, Office], raw: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause = Pause(check_room)
    monkeypatch.setattr("waypost.operations.sending.check_room", pause)
    with ThreadPoolExecutor(2) as threads:
        sends = threads.submit(nodes[1].send)
        assert pause.reached.wait(WAIT_SECONDS)
        deletes = threads.submit(delete, nodes[0])
        wait_until_one_waits(raw)
        pause.go_on.set()
        sent = sends.result(WAIT_SECONDS)["message_id"]
        with pytest.raises(Conflict, match="unread"):
            deletes.result(WAIT_SECONDS)
    assert nodes[0].ids(project="b") == [sent]
