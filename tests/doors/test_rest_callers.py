"""Who calls REST, and what follows from it: rights, door, directory, session and client."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from waypost.server.peer import uid_of_peer
from waypost.server.workdirs import Workdirs
from waypost.store.journal import entries_after

UNIX = ("/run/waypost.sock", None)
LOOPBACK = ("127.0.0.1", 50_000)
SEND = {"from_project": "a", "to_project": "b", "body": "hello"}
OWNERS = [
    ("PUT", "/v1/projects/default/new", {}),
    ("POST", "/v1/projects", {"project": "new"}),
    ("POST", "/v1/projects/default/a:rename", {"to_project": "c"}),
    ("POST", "/v1/projects/default/a:move", {"to_workspace": "other"}),
    ("POST", "/v1/server:open", {}),
    ("POST", "/v1/server:stop", {}),
    ("POST", "/v1/store:backup", {"path": "/nowhere/at/all"}),
    ("POST", "/v1/store:export", {"path": "/nowhere/at/all"}),
]


@contextmanager
def loopback_connection() -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
    """The two ends of a real connection of this process with itself: the client's address and the server's."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as mine:
        theirs, _ = listener.accept()
        with theirs:
            yield mine.getsockname(), theirs.getsockname()


@promise("rights.local.agents", "rights.refusal.names_missing", "rights.owner.may")
@pytest.mark.parametrize(("method", "target", "body"), OWNERS)
def test_what_is_the_owners_is_refused_to_an_agent(rest: RestDoor, method: str, target: str, body: object) -> None:
    before = rest.journal()
    problem = rest.refused(method, target, body)
    assert problem["code"] == "forbidden"
    assert "owner" in problem["detail"]
    assert rest.journal() == before


@promise("rights.owner.may")
@pytest.mark.parametrize(("method", "target", "body"), OWNERS[:-2])  # a copy needs a place of its own
def test_what_is_the_owners_is_done_for_the_owner(rest: RestDoor, method: str, target: str, body: object) -> None:
    assert rest.ask(method, target, body, owner=True).status == 200


@promise("rights.local.agents")
def test_an_agent_without_any_credential_sends_and_reads(rest: RestDoor) -> None:
    rest.send()
    assert len(rest.ok("GET", "/v1/messages?project=b")["items"]) == 1
    assert rest.ok("POST", "/v1/messages/pop", {"project": "b"})["message"]["status"] == "done"


@promise("rights.local.agents")
def test_what_is_the_operators_is_refused_even_to_the_owner(rest: RestDoor) -> None:
    problem = rest.refused("DELETE", "/v1/projects/default/a", owner=True)
    assert problem["code"] == "forbidden"
    assert "operator" in problem["detail"]


@promise("rights.owner.needs_the_key")
@pytest.mark.parametrize("key", ["", "wrong", "k\xe9y"])
def test_a_wrong_key_makes_nobody_the_owner(rest: RestDoor, key: str) -> None:
    headers = {"Waypost-Key": key, "Waypost-Door": "cli"}
    assert rest.ask("PUT", "/v1/projects/default/new", {}, headers=headers).code == "forbidden"


@promise("rights.owner.may")
def test_the_unix_socket_is_the_owners(rest: RestDoor) -> None:
    assert rest.ask("PUT", "/v1/projects/default/new", {}, client=None, server=UNIX).status == 200


@promise("rights.owner.needs_the_key")
def test_a_connection_whose_peer_is_not_known_is_no_owners(rest: RestDoor) -> None:
    assert rest.ask("PUT", "/v1/projects/default/new", {}, client=None).code == "forbidden"
    assert rest.ask("PUT", "/v1/projects/default/new", {}, client=LOOPBACK).code == "forbidden"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says whose a connection is")
@promise("rights.owner.may")
def test_a_loopback_connection_of_the_same_account_is_the_owners_but_not_a_browsers(rest: RestDoor) -> None:
    with loopback_connection() as (client, server):
        page = {"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:7433"}
        how = {"client": client, "server": server}
        assert rest.ask("PUT", "/v1/projects/default/new", {}, headers=page, **how).code == "forbidden"  # type: ignore[arg-type] # the parameters of a table
        assert rest.ask("PUT", "/v1/projects/default/new", {}, **how).status == 200  # type: ignore[arg-type] # as above


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says whose a connection is")
@promise("rights.owner.needs_the_key")
def test_the_account_behind_a_connection_is_read_from_the_system(tmp_path: Path) -> None:
    with loopback_connection() as (client, server):
        assert uid_of_peer(client, server) == os.geteuid()
        table = Path("/proc/net/tcp").read_text(encoding="ascii")
        head, *lines = table.splitlines()
        mine = next(line for line in lines if f":{client[1]:04X} " in line.split()[1] + " ")
        foreign = mine.replace(f" {os.geteuid():>5} ", "  4242 ", 1)
        (tmp_path / "tcp").write_text(f"{head}\n{foreign}\n", encoding="ascii")
        assert uid_of_peer(client, server, proc=tmp_path) == 4242
        assert uid_of_peer((client[0], client[1] ^ 1), server, proc=tmp_path) is None
    assert uid_of_peer(("192.0.2.1", 1), ("192.0.2.2", 2)) is None
    assert uid_of_peer(LOOPBACK, ("127.0.0.1", 1), proc=tmp_path / "missing") is None


@promise("rest.messages.redact")
def test_a_message_is_redacted_by_who_is_signed_in_and_by_nobody_else(rest: RestDoor) -> None:
    sent = rest.send(body="a secret")["message_id"]
    target = f"/v1/messages/{sent}/redact"
    assert rest.refused("POST", target, {}, owner=True)["code"] == "forbidden"
    session = rest.context.signins.redeem(rest.context.signins.issue())
    cookie = {"Cookie": f"{rest.context.signins.cookie}={session}"}
    done = rest.ok("POST", target, {}, headers=cookie)
    assert (done["message_id"], done["status"], done["repeated"]) == (sent, "cancelled", False)
    assert rest.ok("GET", f"/v1/messages/{sent}?project=b")["message"]["body"] == ""


@promise("rights.page.operator")
def test_a_page_session_is_the_operators_and_ends(rest: RestDoor) -> None:
    session = rest.context.signins.redeem(rest.context.signins.issue())
    cookie = {"Cookie": f"other=1; {rest.context.signins.cookie}={session}"}
    rest.ok("PUT", "/v1/projects/default/new", {}, owner=True)
    assert rest.ok("DELETE", "/v1/projects/default/new", headers=cookie)["project"]["project"] == "new"
    assert (
        rest.ask("DELETE", "/v1/projects/default/a", headers={"Cookie": f"{rest.context.signins.cookie}=guess"}).code
        == "forbidden"
    )
    rest.context.signins.end(session or "")
    assert rest.ask("DELETE", "/v1/projects/default/a", headers=cookie).code == "forbidden"


@promise("rights.owner.needs_the_key")
@pytest.mark.parametrize("door", ["cli", "bridge", "hook"])
def test_the_door_is_believed_only_with_the_key(rest: RestDoor, door: str) -> None:
    rest.ok("POST", "/v1/messages", SEND, headers={"Waypost-Door": door})
    rest.ok("POST", "/v1/messages", {**SEND, "repeat": True}, headers={"Waypost-Door": door}, owner=True)
    rest.ok("POST", "/v1/messages", {**SEND, "repeat": True}, headers={"Waypost-Door": "mcp"}, owner=True)
    entries = rest.waypost.store.read(lambda tx: entries_after(tx, 0, limit=100))
    assert [entry.actor.door for entry in entries if entry.kind == "message.sent"] == ["rest", door, "rest"]


@promise("scope.workdir.certain", "security.directory.needs_key")
def test_a_directory_of_this_machine_gives_the_project(rest: RestDoor, tmp_path: Path) -> None:
    place = tmp_path / "süß und 100%"
    place.mkdir()
    rest.ok("POST", "/v1/projects", {"directory": str(place), "project": "here"}, owner=True)
    directory = {"Waypost-Directory": quote(str(place))}
    for how in ({"owner": True}, {"client": None, "server": UNIX}, {"client": LOOPBACK}):
        found = rest.ok("GET", "/v1/projects:which", headers=directory, **how)
        assert (found["resolved_scope"]["project"], found["scope_source"]) == ("here", "workdir")


@promise("security.directory.needs_key")
def test_a_directory_header_from_elsewhere_is_refused(rest: RestDoor, tmp_path: Path) -> None:
    headers = {"Waypost-Directory": quote(str(tmp_path)), "Waypost-Key": "guess"}
    problem = rest.refused("GET", "/v1/projects:which", headers=headers)
    assert problem["code"] == "forbidden"
    assert "Waypost-Directory" in problem["detail"]


@promise("security.directory.needs_key")
@pytest.mark.parametrize("directory", ["relative", "/no/such/folder", "/etc/hostname", "%00", "/" + "x" * 5_000, ""])
def test_a_directory_that_is_none_is_refused_and_the_header_named(rest: RestDoor, directory: str) -> None:
    problem = rest.refused("GET", "/v1/projects:which", headers={"Waypost-Directory": directory}, owner=True)
    assert problem["code"] == "invalid_input"
    assert "Waypost-Directory" in problem["detail"]


def test_a_directory_is_looked_at_again_after_some_seconds(tmp_path: Path) -> None:
    now = [0.0]
    workdirs = Workdirs(clock=lambda: now[0])
    assert workdirs.remembered(str(tmp_path)) is None
    workdirs.remember(str(tmp_path), workdirs.look(str(tmp_path)))
    assert workdirs.remembered(str(tmp_path)) is not None
    now[0] = 5.0
    assert workdirs.remembered(str(tmp_path)) is None


@promise("scope.source.labels")
def test_a_bound_session_gives_its_project(rest: RestDoor) -> None:
    rest.ok("PUT", "/v1/sessions/S1", {"project": "b"})
    found = rest.ok("GET", "/v1/projects:which", headers={"Waypost-Session": "S1"})
    assert (found["resolved_scope"]["project"], found["scope_source"]) == ("b", "session")
    problem = rest.refused("GET", "/v1/projects:which", headers={"Waypost-Session": "no session"})
    assert (problem["code"], "Waypost-Session" in problem["detail"]) == ("invalid_input", True)


def test_a_client_names_itself_within_bounds(rest: RestDoor) -> None:
    sent = rest.ok("POST", "/v1/messages", SEND, headers={"Waypost-Client": "codex"})["message_id"]
    sender = rest.ok("GET", f"/v1/messages/{sent}?project=b")["message"]["from"]
    assert (sender["client"], sender["declared"]) == ("codex", ["project", "client"])
    for wrong in ("", "two words", "x" * 129, "\xe9"):
        problem = rest.refused("POST", "/v1/messages", SEND, headers={"Waypost-Client": wrong})
        assert (problem["code"], "Waypost-Client" in problem["detail"]) == ("invalid_input", True)
