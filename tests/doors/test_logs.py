"""The log file: JSON lines for its owner alone, rotated, and never in the way of the mail."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.promises.marks import promise
from waypost.server.logs import KEPT_FILES, MOST_BYTES, LogFile, open_log


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "server.log"


@pytest.fixture
def file(place: Path) -> Iterator[LogFile]:
    file = LogFile(place, most_bytes=1_000, kept=3)
    yield file
    file.close()


@promise("day_one.logs.rotate")
def test_logs_are_five_files_of_ten_megabytes() -> None:
    assert (KEPT_FILES, MOST_BYTES) == (5, 10_000_000)


@promise("day_one.logs.rotate")
def test_the_file_gives_way_at_its_size_and_the_oldest_goes(file: LogFile, place: Path) -> None:
    for number in range(50):
        file.write(f"{number:099d}")
    names = sorted(path.name for path in place.parent.iterdir())
    assert names == ["server.log", "server.log.1", "server.log.2"]
    assert all(path.stat().st_size == 1_000 for path in place.parent.iterdir())
    lines = "".join(place.with_name(name).read_text(encoding="ascii") for name in reversed(names)).splitlines()
    assert [int(line) for line in lines] == list(range(20, 50))


@promise("day_one.logs.rotate")
def test_a_file_that_is_there_is_continued_and_counted(file: LogFile, place: Path) -> None:
    place.parent.mkdir()
    place.write_text("x" * 990 + "\n", encoding="ascii")
    file.write("a new line")
    assert place.read_text(encoding="ascii") == "a new line\n"
    assert len(place.with_name("server.log.1").read_text(encoding="ascii")) == 991


def test_the_file_is_for_its_owner_alone(file: LogFile, place: Path) -> None:
    file.write("a line")
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o077 == 0


def test_lines_of_the_event_loop_are_gathered_and_written_soon_and_at_the_end(file: LogFile, place: Path) -> None:
    def written() -> str:
        return place.read_text(encoding="ascii") if place.exists() else ""

    async def log() -> None:
        file.gather_on(asyncio.get_running_loop())
        file.write("gathered")
        assert written() == ""
        other = threading.Thread(target=file.write, args=("from another thread",))
        other.start()
        other.join(10)
        assert written() == "gathered\nfrom another thread\n"
        file.write("soon")
        while "soon" not in written():  # noqa: ASYNC110 - the file is what is waited for
            await asyncio.sleep(0.01)
        file.write("last")

    asyncio.run(asyncio.wait_for(log(), 20))
    file.close()
    assert written().endswith("soon\nlast\n")


def test_a_place_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be", encoding="ascii")
    file = LogFile(tmp_path / "logs" / "server.log")
    file.write("lost")
    file.close()


@promise("security.logs.no_bodies")
def test_what_libraries_log_goes_the_same_way_without_the_words_of_a_failure(place: Path) -> None:
    terminal = io.StringIO()
    log, end = open_log(LogFile(place), terminal)
    try:
        raise ValueError("a body")  # noqa: TRY301 - to have a traceback
    except ValueError:
        logging.getLogger("some.library").exception("it failed")
    logging.getLogger("uvicorn.error").info("chatter")
    log.info("started", port=7433)
    end()
    log.info("after the end")
    logging.getLogger("some.library").warning("after the end")
    failed, started = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()][:2]
    assert (failed["event"], failed["failure"], failed["logger"]) == ("it failed", "ValueError", "some.library")
    assert "a body" not in place.read_text(encoding="utf-8")
    assert list(started) == ["at", "level", "event", "port"]
    shown = terminal.getvalue().splitlines()
    assert shown[1].endswith("started port=7433")
    assert "a body" not in terminal.getvalue()
