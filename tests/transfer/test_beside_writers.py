"""An export is of one moment, whatever is written beside it, and holds up nobody."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.operations.office import Office
from tests.promises.marks import promise
from tests.store.stores import WAIT_SECONDS
from tests.transfer.filling import rows_of
from waypost.assembly import transfer
from waypost.assembly.transfer import export_store
from waypost.store.transfer.writing import Source, Written, write_export


@pytest.fixture
def office(database: str) -> Iterator[Office]:
    office = Office(database)
    office.add("a", "b")
    yield office
    office.waypost.close()


@promise("store.export.one_moment")
def test_an_export_while_mail_is_sent_holds_each_message_with_its_journal_entry(office: Office, tmp_path: Path) -> None:
    stop, sent = threading.Event(), threading.Semaphore(0)

    def send() -> None:
        while not stop.is_set():
            office.send(repeat=True)
            sent.release()

    sender = threading.Thread(target=send)
    sender.start()
    try:
        for number in range(4):
            for _ in range(10):
                assert sent.acquire(timeout=WAIT_SECONDS)
            export = export_store(office.waypost, tmp_path / f"{number}.jsonl").path.read_bytes()
            messages = [json.loads(line)["id"] for line in rows_of(export, "messages")]
            entries = [json.loads(line) for line in rows_of(export, "journal")]
            assert len(messages) >= 10 * (number + 1)
            assert sorted(messages) == sorted(e["subject_id"] for e in entries if e["kind"] == "message.sent")
            assert [entry["position"] for entry in entries] == list(range(1, len(entries) + 1))
    finally:
        stop.set()
        sender.join(WAIT_SECONDS)


@promise("store.export.one_moment")
def test_a_message_is_sent_in_the_middle_of_an_export_which_does_not_hold_it(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = office.send(body="before")["message_id"]

    def write_slowly(source: Source, write: Callable[[bytes], object]) -> Written:
        def take(piece: bytes) -> None:
            office.send(
                body="meanwhile", repeat=True
            )  # with a writer that waited for the export this would not come back
            write(piece)

        return write_export(source, take)

    monkeypatch.setattr(transfer, "write_export", write_slowly)
    exported = export_store(office.waypost, tmp_path / "export.jsonl")
    assert [json.loads(line)["id"] for line in rows_of(exported.path.read_bytes(), "messages")] == [before]
    assert exported.written.counts["messages"] == 1
    assert len(office.ids(project="b")) > 3
