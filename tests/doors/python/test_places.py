"""Where the client goes: the local server by its run file, started where none runs; an address; and what it takes there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.doors.bridge_process import SOURCES
from tests.doors.python.dropping import DroppingProxy
from tests.doors.python.served import address, fresh_home, served
from tests.doors.server_process import ServerProcess
from tests.promises.marks import promise
from waypost.client import Retries, Waypost, errors
from waypost.client.api.asked import Acting
from waypost.client.api.places import GivenAddress
from waypost.client.api.waypost import Told
from waypost.client.folders import database_path, run_file_path
from waypost.client.run_file import read_run_file


@pytest.fixture
def alone() -> Iterator[Path]:
    """A home without a server; one that a client started is ended with the test."""
    with fresh_home() as folder:
        yield folder
        run = read_run_file(run_file_path(database_path()))
        if run is not None:
            with suppress(ProcessLookupError):
                os.kill(run.pid, signal.SIGKILL)


@promise("client.python.finds_server")
def test_without_a_server_one_is_started_and_the_next_client_finds_it(alone: Path) -> None:
    with Waypost() as post, Waypost(start=False) as other:
        assert post.store.show() == other.store.show()


@promise("client.python.finds_server", "client.python.says_if_run")
def test_a_client_that_may_not_start_a_server_says_that_none_runs(alone: Path) -> None:
    with Waypost(start=False, retries=Retries(times=0)) as post:
        with pytest.raises(errors.ServerAway) as away:
            post.store.show()
        assert not away.value.may_have_run


@promise("client.python.finds_server")
def test_a_client_goes_on_after_its_server_was_killed(alone: Path) -> None:
    with Waypost() as post:
        post.projects.put("default", "api")
        sent = post.messages.send(body="hello", from_project="api", to_project="api")
        run = read_run_file(run_file_path(database_path()))
        assert run is not None
        os.kill(run.pid, signal.SIGKILL)
        assert [item.id for item in post.messages.list(project="api")] == [sent.message_id]


@promise("client.python.store_checked")
def test_a_store_that_was_replaced_under_the_client_is_an_error(alone: Path) -> None:
    with served() as server, Waypost(start=False, retries=Retries(first_pause=0.0)) as post:
        post.store.show()
        server.stop()
        database = Path(database_path())
        for path in database.parent.glob(f"{database.name}*"):
            path.unlink()
        with served(), pytest.raises(errors.StoreChanged):
            post.store.show()


@promise("client.python.finds_server")
def test_the_working_directory_tells_the_project_on_this_machine(server: ServerProcess, tmp_path: Path) -> None:
    with Waypost(directory=tmp_path) as post:
        made = post.projects.add().project
        assert post.projects.which().resolved_scope.project == made.project


@promise("client.python.finds_server")
def test_the_clients_own_project_and_session_count_where_a_call_names_none(server: ServerProcess) -> None:
    with Waypost(project="default/web", session="S7") as post:
        assert post.projects.which().session == "S7"
        sent = post.messages.send(body="to the others", to_project="api").message_id
        message = post.messages.view(sent, project="api").message
        assert (message.from_.project, message.from_.session) == ("web", "S7")
    with Waypost(project="default/web") as post:
        assert post.messages.send(body="from the others", from_project="api", to_project="web").to.project == "web"


def told(**options: object) -> Told:
    """What a client was told, with nothing else said."""
    nothing = dict.fromkeys(("url", "token", "database", "project", "session", "directory"))
    return Told(**{**nothing, "start": False, "client": "test", "verify": True, **options})  # type: ignore[arg-type] # as a caller's


@promise("client.python.finds_server", "cli.options.agree")
def test_the_environment_counts_as_for_the_command_line_and_an_argument_goes_first() -> None:
    environ = {
        "WAYPOST_URL": "https://post.example",
        "WAYPOST_TOKEN": "t",
        "WAYPOST_PROJECT": "api",
        "WAYPOST_WORKSPACE": "acme",
        "WAYPOST_SESSION": "S1",
    }
    assert told().connecting(environ).place == GivenAddress(base="https://post.example", loopback=False)
    assert told().connecting(environ).token == "t"
    assert told().acting(environ) == Acting(project="acme/api", session="S1")
    assert told(project="web", session="S2").acting(environ) == Acting(project="web", session="S2")
    near = told(url="http://[::1]:7433/").connecting(environ)
    assert near.place == GivenAddress(base="http://[::1]:7433", loopback=True)
    assert not isinstance(told(database="/x/waypost.db").connecting(environ).place, GivenAddress)


@promise("client.python.token_kept")
@pytest.mark.parametrize("url", ["http://post.example", "http://192.0.2.7:7433", "http://[2001:db8::1]"])
def test_a_token_is_not_sent_in_the_clear_to_another_machine(url: str) -> None:
    with pytest.raises(errors.InvalidInput, match="in the clear"):
        Waypost(url=url, token="secret")
    assert told(url=url).connecting({}).token is None


@promise("client.python.token_kept")
def test_a_token_goes_to_its_address_and_stands_in_no_representation(
    server: ServerProcess, proxy: DroppingProxy
) -> None:
    with Waypost(url=proxy.url, token="secret-of-mine") as post:
        assert "secret-of-mine" not in repr(vars(post._exchange))
        with suppress(errors.Unauthenticated):
            post.store.show()
    assert proxy.seen[0].headers["authorization"] == "Bearer secret-of-mine"


@promise("client.python.token_kept")
def test_no_proxy_of_the_environment_sees_what_stays_on_this_machine(
    server: ServerProcess, proxy: DroppingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    for url in (address(server.run), None):
        with Waypost(url=url) as post:
            post.store.show()
    assert proxy.seen == []


@promise("client.python.finds_server")
@pytest.mark.parametrize(
    "url",
    ["", "post.example", "ftp://post.example", "http://post.example/under", "https://u:p@post.example", "http://[x"],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(errors.InvalidInput):
        GivenAddress.read(url, with_token=False)


@promise("client.python.loads_late")
def test_importing_the_package_loads_nothing_until_the_client_is_used() -> None:
    program = """
import sys
before = set(sys.modules)
import waypost.client
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
assert loaded <= {"waypost", "__future__"}, loaded
from waypost.client import Waypost
assert "httpx2" in sys.modules
assert "starlette" not in sys.modules
assert "apsw" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": SOURCES},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@promise("client.python.says_if_run")
def test_a_closed_client_is_not_used_again(server: ServerProcess) -> None:
    post = Waypost()
    post.close()
    with pytest.raises(RuntimeError, match="closed"):
        post.store.show()
