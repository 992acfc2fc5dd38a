"""The run file: its place, its mode, what of it is believed; and the folders that it stands in."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from pathlib import Path

import platformdirs
import platformdirs.macos
import pytest

from tests.promises.marks import promise
from waypost.client.folders import (
    MAX_SOCKET_PATH_BYTES,
    database_path,
    database_url,
    find_folders,
    log_path,
    run_file_path,
    socket_path,
)
from waypost.client.run_file import RunFile, new_key, read_run_file, remove_run_file, write_run_file
from waypost.kernel.errors import InvalidInput


def a_run_file(**changes: object) -> RunFile:
    fields: dict[str, object] = {
        "pid": os.getpid(),
        "version": "1.2.3",
        "store_id": "0198-store",
        "database": "/data/waypost.db",
        "socket": "/run/x.sock",
        "host": "127.0.0.1",
        "port": 7433,
        "key": new_key(),
    }
    return RunFile(**{**fields, **changes})  # type: ignore[arg-type] # fields of a table, some wrong on purpose


@promise("store.runfile.private")
def test_the_run_file_is_for_its_owner_alone_and_reads_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "state" / "run" / "x.json"
    run = a_run_file(socket=None)
    write_run_file(str(path), run)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]
    back = read_run_file(str(path))
    assert back is not None
    assert [getattr(back, name) for name in RunFile.__slots__] == [getattr(run, name) for name in RunFile.__slots__]
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == 1


def test_a_folder_that_others_could_enter_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o755)
    write_run_file(str(folder / "x.json"), a_run_file())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@promise("store.runfile.stale_ignored")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 20_000,
        "\x00\xff",
        "{}",
        json.dumps({"pid": 1}),
    ],
    ids=lambda text: repr(text)[:20],
)
def test_garbage_is_no_run_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="latin-1")
    assert read_run_file(str(path)) is None


@pytest.mark.parametrize(
    "change",
    [
        {"pid": "1"},
        {"pid": -1},
        {"key": ""},
        {"key": "a\r\nb"},
        {"store_id": ""},
        {"store_id": "a\nb"},
        {"port": 99_999, "socket": None},
        {"socket": None, "host": None},
        {"socket": 7},
        {"version": None},
    ],
    ids=repr,
)
def test_a_run_file_with_a_wrong_field_is_not_used(tmp_path: Path, change: dict[str, object]) -> None:
    write_run_file(str(tmp_path / "x.json"), a_run_file(**change))
    assert read_run_file(str(tmp_path / "x.json")) is None


def test_a_link_in_the_run_files_place_is_not_followed(tmp_path: Path) -> None:
    write_run_file(str(tmp_path / "real.json"), a_run_file())
    (tmp_path / "x.json").symlink_to(tmp_path / "real.json")
    assert read_run_file(str(tmp_path / "x.json")) is None


def test_a_server_removes_its_own_run_file_and_leaves_its_successors(tmp_path: Path) -> None:
    path = str(tmp_path / "x.json")
    first, second = a_run_file(), a_run_file()
    write_run_file(path, second)
    remove_run_file(path, first)
    assert read_run_file(path) is not None
    remove_run_file(path, second)
    remove_run_file(path, second)
    assert read_run_file(path) is None


@promise("store.runfile.stale_ignored")
def test_a_process_that_has_ended_is_known(tmp_path: Path) -> None:
    child = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", "pass"])
    os.waitpid(child, 0)
    assert not a_run_file(pid=child).process_lives()
    assert a_run_file().process_lives()
    assert a_run_file(pid=1).process_lives()


@promise("day_one.folders.one_home")
def test_one_variable_puts_everything_below_one_folder(tmp_path: Path) -> None:
    folders = find_folders({"WAYPOST_HOME": str(tmp_path)})
    assert [folders.data, folders.state, folders.config, folders.log] == [
        str(tmp_path / name) for name in ("data", "state", "config", "log")
    ]


@pytest.mark.parametrize("variables", [{}, {"XDG_DATA_HOME": "/xd", "XDG_STATE_HOME": "/xs", "XDG_CONFIG_HOME": "/xc"}])
@pytest.mark.skipif(sys.platform != "linux", reason="compares with this system's rules")
def test_the_folders_are_those_of_platformdirs(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    dirs = platformdirs.PlatformDirs("waypost", appauthor=False)
    folders = find_folders(dict(os.environ) | {"WAYPOST_HOME": ""})
    assert folders.data == dirs.user_data_dir
    assert folders.state == dirs.user_state_dir
    assert folders.config == dirs.user_config_dir
    assert folders.log == dirs.user_log_dir


def test_the_folders_of_macos_are_those_of_platformdirs() -> None:
    dirs = platformdirs.macos.MacOS("waypost", appauthor=False)
    folders = find_folders({}, platform="darwin")
    assert (folders.data, folders.state) == (dirs.user_data_dir, dirs.user_state_dir)
    assert (folders.config, folders.log) == (dirs.user_config_dir, dirs.user_log_dir)


def test_a_relative_xdg_variable_is_ignored_as_its_specification_says() -> None:
    assert find_folders({"XDG_DATA_HOME": "here"}, platform="linux").data == find_folders({}, platform="linux").data


def test_the_store_is_named_by_option_then_environment_then_configuration(tmp_path: Path) -> None:
    real = Path(os.path.realpath(tmp_path))
    environ = {"WAYPOST_HOME": str(tmp_path)}
    assert database_path(environ=environ) == str(real / "data" / "waypost.db")
    (tmp_path / "config").mkdir()
    configuration = tmp_path / "config" / "config.toml"
    configuration.write_text("[other]\nx = 1\n", encoding="utf-8")
    assert database_path(environ=environ) == str(real / "data" / "waypost.db")
    configuration.write_text(f'database = "{tmp_path}/c.db"\n', encoding="utf-8")
    assert database_path(environ=environ) == str(real / "c.db")
    environ["WAYPOST_DATABASE"] = f"sqlite:///{tmp_path}/e%20f.db"
    assert database_path(environ=environ) == str(real / "e f.db")
    assert database_path(f"{tmp_path}/o.db", environ) == str(real / "o.db")


def test_links_and_relative_paths_lead_to_the_real_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    expected = os.path.realpath(tmp_path / "real" / "x.db")
    assert database_path("link/x.db", {}) == expected
    assert database_path(f"sqlite:///{tmp_path}/link/x.db", {}) == expected
    assert database_path(f"sqlite:///{str(tmp_path)[1:]}/link/x.db", {}) == expected


@pytest.mark.parametrize(
    "text",
    [":memory:", "mysql://h/d", "postgresql://a b@h", "sqlite://host/x", "sqlite:///", "sqlite:///x?mode=ro", "a\0b"],
)
def test_a_store_that_is_neither_file_nor_postgres_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        database_path(text, {})


@promise("security.argv.no_secrets")
@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://h/d", "postgresql://h/d"),
        ("postgres://maria:hush@h:5433/d", "postgresql://maria@h:5433/d"),
        ("postgresql://maria:h%40sh@%2Frun%2Fpg/d?sslmode=require", "postgresql://maria@%2Frun%2Fpg/d?sslmode=require"),
        ("postgresql:///d?user=maria&password=hush&host=/run/pg", "postgresql:///d?user=maria&host=/run/pg"),
        ("postgresql://a,b:5433/d?sslpassword=hush", "postgresql://a,b:5433/d"),
        ("postgresql://:hush@h", "postgresql://h"),
    ],
)
def test_the_place_of_a_postgres_database_is_its_url_without_secrets(url: str, place: str, tmp_path: Path) -> None:
    environ = {"WAYPOST_HOME": str(tmp_path), "WAYPOST_DATABASE": url}
    assert database_path(environ=environ) == database_path(url, environ) == place
    assert database_url(place, environ) == url
    assert database_url("postgresql://other/d", environ) == "postgresql://other/d"
    del environ["WAYPOST_DATABASE"]
    assert database_url(place, environ) == place
    if "sh@" in url or "hush" in url:
        with pytest.raises(InvalidInput, match="every account"):
            database_path(url, environ)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(f'database = "{url}"\n', encoding="utf-8")
    assert (database_path(environ=environ), database_url(place, environ)) == (place, url)


def test_a_broken_configuration_is_refused_and_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("database = \n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        database_path(environ={"WAYPOST_HOME": str(tmp_path)})


@promise("store.runfile.found_by_store")
def test_each_store_has_its_own_run_file_and_socket() -> None:
    environ = {"WAYPOST_HOME": "/w"}
    one, two = run_file_path("/a.db", environ), run_file_path("/b.db", environ)
    assert one != two
    assert one == f"/w/state/run/{hashlib.sha256(b'/a.db').hexdigest()[:16]}.json"
    assert socket_path("/a.db", environ) == one.removesuffix(".json") + ".sock"
    assert log_path("server.log", environ) == "/w/log/server.log"


def test_where_the_sockets_path_would_be_too_long_there_is_none() -> None:
    fitting = "/" + "w" * (MAX_SOCKET_PATH_BYTES - len("//state/run/.sock") - 16)
    assert socket_path("/a.db", {"WAYPOST_HOME": fitting}) is not None
    assert socket_path("/a.db", {"WAYPOST_HOME": fitting + "w"}) is None
