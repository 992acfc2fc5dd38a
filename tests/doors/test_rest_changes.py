"""The feed over REST: pages, long polls, consumers, and the stream, which resumes, waits for slow clients, and ends cleanly."""

from __future__ import annotations

import asyncio
from concurrent.futures import TimeoutError as StillWaiting
from typing import Any

import pytest

from tests.doors.feed_stream import FeedStream
from tests.doors.rest_door import RestDoor
from tests.doors.test_rest_waiting import waiting
from tests.promises.marks import promise
from waypost.operations.call import Answer, Call
from waypost.operations.registry import Unit
from waypost.server import feed, streams
from waypost.store.journal import prune

CHANGES = "/v1/changes"
STREAM = "/v1/changes/stream"


@promise("rest.changes.routes")
def test_pages_are_read_to_their_end_by_their_cursors(rest: RestDoor) -> None:
    for number in range(3):
        rest.send(body=f"number {number}")
    first = rest.ok("GET", f"{CHANGES}?limit=2")
    rest_of_it = rest.ok("GET", f"{CHANGES}?after={first['next_cursor']}")
    seen = [item["cursor"] for page in (first, rest_of_it) for item in page["items"]]
    assert seen == [f"1.{position}" for position in range(1, 6)]
    assert rest_of_it["next_cursor"] == rest_of_it["head"] == "1.5"
    assert rest.refused("GET", f"{CHANGES}?limit=1001")["code"] == "invalid_input"


@promise("rest.changes.routes")
def test_a_consumer_is_made_moved_shown_and_deleted(rest: RestDoor) -> None:
    path = "/v1/changes/consumers/copier"
    assert rest.ok("PUT", path, {})["created"] is True
    page = rest.ok("GET", f"{CHANGES}?consumer=copier")
    assert rest.ok("PUT", path, {"cursor": page["next_cursor"]})["version"] == 2
    assert rest.ok("GET", path)["consumer"]["cursor"] == page["next_cursor"]
    assert rest.refused("PUT", path, {"cursor": "1.0"})["code"] == "conflict"
    assert rest.ok("PUT", path, {"cursor": "1.0", "rewind": True})["consumer"]["cursor"] == "1.0"
    assert rest.ok("DELETE", path)["name"] == "copier"
    assert rest.refused("GET", path)["code"] == "not_found"


@promise("feed.poll.and_stream")
def test_a_poll_ends_with_the_change_that_comes_meanwhile(rest: RestDoor) -> None:
    begun = waiting(rest, f"{CHANGES}?after=now&wait=300")
    sent = rest.send()["message_id"]
    page = rest.answer_of(begun).json()
    assert [(item["kind"], item["id"]) for item in page["items"]] == [("message.sent", sent)]


@promise("feed.poll.and_stream")
def test_a_poll_of_a_consumer_ends_with_a_change_and_moves_nothing(rest: RestDoor) -> None:
    rest.ok("PUT", "/v1/changes/consumers/copier", {"cursor": "now"})
    begun = waiting(rest, f"{CHANGES}?consumer=copier&wait=300")
    rest.send()
    page = rest.answer_of(begun).json()
    assert len(page["items"]) == 1
    assert rest.ok("GET", f"{CHANGES}?consumer=copier") == page


@promise("feed.poll.and_stream", "feed.cursor.always_goes_on")
def test_a_poll_waits_on_while_only_foreign_changes_come_and_passes_over_them(
    rest: RestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = rest.send()
    found = rest.ok("GET", f"{CHANGES}?project=a")["items"]
    assert found[-1]["id"] == mine["message_id"]
    begun = waiting(rest, f"{CHANGES}?project=a&after=now&wait=300")
    rest.ok("PUT", "/v1/projects/default/c", {}, owner=True)
    with pytest.raises(StillWaiting):
        begun.result(0.2)
    rest.send(body="for both")
    page = rest.answer_of(begun).json()
    assert [item["cursor"] for item in page["items"]] == ["1.5"]


@promise("feed.poll.and_stream")
def test_a_poll_ends_empty_when_its_time_is_up_and_says_where_to_go_on(rest: RestDoor) -> None:
    page = rest.ok("GET", f"{CHANGES}?after=now&wait=1")
    assert (page["items"], page["next_cursor"]) == ([], "1.2")
    for wait in ("301", "-1", "soon"):
        assert rest.refused("GET", f"{CHANGES}?after=now&wait={wait}")["code"] == "invalid_input"


def test_a_poll_ends_when_the_server_stops(rest: RestDoor) -> None:
    begun = waiting(rest, f"{CHANGES}?after=now&wait=300")
    rest.run(close(rest))
    assert rest.answer_of(begun).json()["items"] == []


async def close(rest: RestDoor) -> None:
    rest.context.changes.close()


@promise("feed.poll.and_stream", "feed.stream.resumes")
def test_a_stream_tells_what_was_and_what_comes_with_the_items_of_the_pages(rest: RestDoor) -> None:
    with FeedStream(rest, STREAM) as stream:
        assert (stream.status, stream.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
        assert stream.cursors(2) == ["1.1", "1.2"]
        rest.send()
        event = stream.event()
    assert event is not None
    assert (event.name, event.id) == ("change", "1.3")
    assert event.data == rest.ok("GET", f"{CHANGES}?after=1.2")["items"][0]


@promise("feed.stream.resumes")
def test_a_stream_goes_on_after_the_last_event_id_before_after_and_consumer(rest: RestDoor) -> None:
    rest.ok("PUT", "/v1/changes/consumers/copier", {"cursor": "1.1"})
    rest.send()
    for query in ("", "?after=1.0", "?consumer=copier"):
        with FeedStream(rest, STREAM + query, {"Last-Event-ID": "1.2"}) as stream:
            assert stream.cursors(1) == ["1.3"]
    with FeedStream(rest, f"{STREAM}?consumer=copier") as stream:
        assert stream.cursors(2) == ["1.2", "1.3"]
    with FeedStream(rest, f"{STREAM}?after=now") as stream:
        rest.send(body="new")
        assert stream.cursors(1) == ["1.4"]


@promise("feed.gap.explicit")
def test_a_stream_tells_a_gap_in_its_place_and_resumes_after_it(rest: RestDoor) -> None:
    rest.send()
    rest.settle()
    rest.waypost.store.write(lambda tx: prune(tx, before=tx.now, limit=100))
    with FeedStream(rest, STREAM, {"Last-Event-ID": "1.1"}) as stream:
        gap = stream.event()
        assert gap is not None
        assert (gap.name, gap.id) == ("gap", "1.2")
        assert gap.data == {"reason": "pruned", "from": "1.1", "to": "1.2", "resumes_at": "1.2"}
        assert stream.cursors(1) == ["1.3"]
    with FeedStream(rest, STREAM, {"Last-Event-ID": gap.id}) as stream:
        assert stream.cursors(1) == ["1.3"]


@promise("feed.entry.only_where_readable")
def test_a_stream_tells_only_what_its_caller_may_read_at_that_moment(
    rest: RestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = rest.send()["message_id"]
    readable: list[frozenset[str] | None] = [frozenset()]
    monkeypatch.setattr(Unit, "readable", property(lambda unit: readable[0]))
    with FeedStream(rest, STREAM) as stream:
        rest.send(body="another")
        rest.run(asyncio.sleep(0))
        readable[0] = None
        third = rest.send(body="a third")["message_id"]
        seen: list[Any] = []
        while not seen or seen[-1].data["id"] != third:
            seen.append(stream.event())
    assert sent not in [event.data["id"] for event in seen]


def noted_looks(rest: RestDoor, monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """Every look that a stream takes from now on."""
    looks: list[Call] = []
    run = rest.waypost.run

    def noted(name: str, call: Call) -> Answer:
        looks.append(call)
        return run(name, call)

    monkeypatch.setattr(rest.waypost, "run", noted)
    return looks


@promise("feed.stream.bounded")
def test_a_stream_reads_no_more_than_a_page_ahead_of_a_client_that_takes_nothing(
    rest: RestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "PAGE", 2)
    for number in range(9):
        rest.send(body=f"number {number}")
    looks = noted_looks(rest, monkeypatch)
    with FeedStream(rest, STREAM) as stream:
        rest.send(body="while the client takes nothing")
        rest.ok("GET", CHANGES)
        before = len(looks)
        assert before <= 2
        assert stream.cursors(12) == [f"1.{position}" for position in range(1, 13)]
        assert len(looks) > before


@promise("feed.stream.bounded")
def test_a_client_that_takes_nothing_is_let_go(rest: RestDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "TAKE_SECONDS", 0.05)
    stream = FeedStream(rest, STREAM)
    stream._answering.result(30)
    assert any(event["event"] == "stream let go" for event in rest.events)


@promise("feed.stream.bounded")
def test_a_stream_too_many_is_refused_and_room_comes_back_when_a_client_goes(
    rest: RestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MOST_STREAMS", 1)
    with FeedStream(rest, STREAM):
        assert rest.refused("GET", STREAM)["code"] == "rate_limited"
    with FeedStream(rest, STREAM) as stream:
        assert stream.status == 200


@promise("feed.stream.bounded")
def test_streams_of_one_reader_at_one_place_share_a_look(rest: RestDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = noted_looks(rest, monkeypatch)
    streams = [FeedStream(rest, f"{STREAM}?after=now") for _ in range(20)]
    looks.clear()
    rest.send()
    assert [stream.cursors(1) for stream in streams] == [["1.3"]] * 20
    assert len(looks) < 20
    for stream in streams:
        stream.leave()


@promise("feed.poll.and_stream")
def test_a_stream_ends_when_the_server_stops(rest: RestDoor) -> None:
    with FeedStream(rest, f"{STREAM}?after=now") as stream:
        rest.run(close(rest))
        assert stream.event() is None


def test_a_stream_says_that_it_lives_and_how_far_it_has_looked(rest: RestDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "PING_SECONDS", 0.01)
    with FeedStream(rest, f"{STREAM}?after=now") as stream:
        pieces = [stream.piece()["body"] for _ in range(2)]
    assert pieces == [b"retry: 1000\r\n\r\n", b": ping\r\nid: 1.2\r\n\r\n"]


@promise("rest.changes.routes")
@pytest.mark.parametrize(
    ("target", "code"),
    [
        (f"{STREAM}?after=nowhere", "invalid_input"),
        (f"{STREAM}?limit=5", "invalid_input"),
        (f"{STREAM}?after=1.99", "conflict"),
        (f"{STREAM}?consumer=nobody", "not_found"),
        (f"{STREAM}?project=nobody", "not_found"),
        (f"{STREAM}/more", "not_found"),
    ],
)
def test_what_a_stream_cannot_tell_is_refused_plainly_before_it_begins(rest: RestDoor, target: str, code: str) -> None:
    assert rest.refused("GET", target)["code"] == code


def test_a_stream_takes_no_other_method(rest: RestDoor) -> None:
    assert rest.ask("POST", STREAM, {}).status == 405
