"""The real server process, broken as its users would break it: killed while it starts, a full disk, no rights, damage, a second one."""

from __future__ import annotations

import json
import random
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.crash.home import Home, ServerProcess, ask
from tests.crash.office import bodies, opened, prepare, whole
from tests.promises.marks import promise
from waypost.client.errors import ForeignServer
from waypost.client.run_file import RunFile, read_run_file, write_run_file

PAGE = 4_096
MAIL = {"from_project": "a", "to_project": "b", "body": "The export is slow."}


def post(run: RunFile, key: str, **fields: object) -> tuple[int, dict[str, Any]]:
    """Sends one message under a key; status and answer."""
    body = json.dumps(MAIL | fields).encode("ascii")
    status, answer = ask(run, "POST", "/v1/messages", body, headers={"Idempotency-Key": key})
    return status, json.loads(answer)


def inbox(run: RunFile) -> list[str]:
    """The ids in the inbox of b."""
    status, answer = ask(run, "GET", "/v1/messages", query={"project": "b", "status": "all", "limit": 100})
    assert status == 200, answer
    return [item["id"] for item in json.loads(answer)["items"]]


def refusal(home: Home, *command: str) -> str:
    """What a server that must not start says, after it ended with 1."""
    status, words = home.run(*(command or ("-m", "waypost", "serve")), WAYPOST_PORT="0")
    assert status == 1, words
    assert "Traceback" not in words
    return words


@promise("store.crash.nothing_lost", "store.lock.released_by_death", "store.runfile.stale_ignored")
def test_a_server_killed_at_any_moment_of_its_start_leaves_a_store_that_the_next_one_serves(home: Home) -> None:
    rng = random.Random(7)
    ids = prepare(home.database)
    with ServerProcess(home) as server:
        for _ in range(6):
            process = server.spawn()
            threading.Event().wait(rng.uniform(0.05, 1.2))  # the moment of the kill
            assert process.poll() is None
            server.kill()
        run = server.start()
        assert sorted(inbox(run)) == sorted(ids)
        first = post(run, "k-1")
        server.kill()
        assert read_run_file(str(home.run_file)) is not None
        run = server.start()
        assert post(run, "k-1") == first
        assert inbox(run).count(first[1]["message_id"]) == 1
        assert server.stop() == 0


@promise("store.migrations.forward_only", "store.migrations.backup_first")
@pytest.mark.parametrize("point", ["partial:write:before:1", "wal:write:before:1", "wal:sync:before:1"])
def test_a_server_killed_while_it_migrates_starts_again_with_everything(home: Home, point: str) -> None:
    ids = prepare(home.database)
    status, words = home.run("-m", "tests.crash.serving_child", "die", point, WAYPOST_PORT="0")
    assert (status, words.splitlines()[-1]) == (-signal.SIGKILL, f"reached {point}")
    waypost = opened(home.database)
    assert sorted(bodies(waypost)) == sorted(ids)
    assert whole(waypost)
    waypost.close()


@promise(
    "store.full.clear_error", "mail.refusal.changes_nothing", "idempotency.refusal.not_stored", "rest.health.told_apart"
)
def test_a_full_disk_is_507_with_nothing_half_done_and_the_server_goes_on_once_there_is_space(home: Home) -> None:
    prepare(home.database)
    flag = home.folder / "full"
    with ServerProcess(home, command=("-m", "tests.crash.serving_child", "full", str(flag))) as server:
        run = server.start()
        before = inbox(run)
        flag.touch()
        for number in range(3):
            status, problem = post(run, f"k-{number}")
            assert (status, problem["code"]) == (507, "store_unavailable")
            assert "full" in problem["detail"]
            assert "Free space" in problem["hint"]
        assert inbox(run) == before
        assert ask(run, "GET", "/healthz")[0] == 200
        assert ask(run, "GET", "/readyz")[0] >= 500
        flag.unlink()
        sent = [post(run, f"k-{number}", repeat=True) for number in range(3)]
        assert [status for status, _ in sent] == [200, 200, 200]
        assert sorted(inbox(run)) == sorted(before + [answer["message_id"] for _, answer in sent])
        assert ask(run, "GET", "/readyz")[0] == 200
        assert server.stop() == 0
    waypost = opened(home.database)
    assert whole(waypost)
    waypost.close()


@promise("store.readonly.clear_error")
@pytest.mark.skipif(sys.platform != "linux", reason="root is bound by rights on Linux only")
def test_a_folder_that_cannot_be_written_stops_the_start_with_what_to_do_and_changes_nothing(home: Home) -> None:
    prepare(home.database)
    content = home.database.read_bytes()
    folder = home.database.parent
    folder.chmod(0o500)
    home.database.chmod(0o400)
    try:
        words = refusal(home, "-m", "tests.crash.serving_child", "bound")
    finally:
        folder.chmod(0o700)
    assert "store_unavailable" in words
    assert "cannot be written" in words
    assert home.database.read_bytes() == content


@promise("store.corrupt.clear_error")
def test_a_file_that_is_no_database_stops_the_start_and_is_left_as_it_is(home: Home) -> None:
    home.database.write_bytes(b"my diary " * 1_000)
    words = refusal(home)
    assert "is not an SQLite database" in words
    assert "store_unavailable" in words
    assert home.database.read_bytes() == b"my diary " * 1_000


def damage(database: Path, mark: bytes) -> bytes:
    """Overwrites every page that holds the mark, but not the first; answers the file's content."""
    content = bytearray(database.read_bytes())
    for start in range(PAGE, len(content), PAGE):
        if mark in content[start : start + PAGE]:
            content[start : start + PAGE] = b"\xa5" * PAGE
    with database.open("r+b") as file:  # in place, as a failing disk would
        file.write(content)
    return bytes(content)


@promise("store.corrupt.clear_error")
def test_damage_met_at_the_start_is_said_and_the_file_is_left_as_it_is(home: Home) -> None:
    prepare(home.database, messages=40)
    damaged = damage(home.database, b"message.sent")
    words = refusal(home)
    assert "damaged pages" in words
    assert "store_unavailable" in words
    assert home.database.read_bytes() == damaged


@promise("store.corrupt.clear_error")
def test_damage_met_while_serving_is_a_503_and_from_then_on_nothing_is_written(home: Home) -> None:
    prepare(home.database, messages=40)
    with ServerProcess(home) as server:
        run = server.start()
        damage(home.database, b"Please look at")
        status, answer = ask(run, "GET", "/v1/messages", query={"project": "b", "status": "all", "limit": 100})
        assert (status, json.loads(answer)["code"]) == (503, "store_unavailable")
        assert post(run, "k-after")[0] == 503
        assert ask(run, "GET", "/readyz")[0] == 503
        assert ask(run, "GET", "/healthz")[0] == 200
        assert "Traceback" not in server.words()


@promise("store.lock.second_server", "store.lock.one_process")
def test_a_second_server_is_refused_and_told_who_holds_the_store_with_or_without_its_run_file(home: Home) -> None:
    prepare(home.database)
    with ServerProcess(home) as server:
        run = server.start()
        assert f"process {server.pid}" in refusal(home)
        home.run_file.unlink()
        words = refusal(home)
        assert f"process {server.pid}" in words
        assert "store_busy" in words
        assert post(run, "k-1")[0] == 200


@promise("store.runfile.foreign_server")
def test_a_foreign_server_behind_the_run_file_is_refused_by_client_and_command(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    prepare(home.database)
    prepare_in(other)
    with ServerProcess(home) as ours, ServerProcess(other) as theirs:
        run, foreign = ours.start(), theirs.start()
        ours.kill()
        before = inbox(foreign)
        facts = {name: getattr(run, name) for name in RunFile.__slots__}
        false = RunFile(**(facts | {"pid": foreign.pid, "socket": None, "port": foreign.port}))
        write_run_file(str(home.run_file), false)
        with pytest.raises(ForeignServer):
            post(false, "k-1")
        status, words = home.command(
            "message", "send", "--from-project=a", "--to-project=b", "--json", "--", "The export is slow."
        )
        assert (status, json.loads(words)["code"]) == (1, "store_unavailable")
        assert inbox(foreign) == before
        asked = {"Waypost-Store": run.store_id}
        status, answer = ask(foreign, "GET", "/v1/messages", query={"project": "b"}, headers=asked)
        assert (status, json.loads(answer)["code"]) == (421, "store_unavailable")


def prepare_in(home: Home) -> None:
    """A store with mail in a home whose folders do not exist yet."""
    home.database.parent.mkdir(parents=True)
    prepare(home.database)


@promise("store.pipeline.without_server", "store.lock.released_by_death")
def test_after_a_kill_of_the_server_commands_go_on_without_it_and_a_later_server_sees_their_mail(home: Home) -> None:
    ids = prepare(home.database)
    with ServerProcess(home) as server:
        server.start()
        server.kill()
        status, words = home.command(
            "message", "send", "--from-project=a", "--to-project=b", "--json", "--", "The export is slow."
        )
        assert status == 0, words
        run = server.start()
        assert sorted(inbox(run)) == sorted([*ids, json.loads(words)["message_id"]])
