"""Following the feed: each change once and in order, over dropped connections, killed servers and gaps; checkpoints only behind work."""

from __future__ import annotations

import asyncio
import itertools
import signal
import threading
import uuid
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests.doors.python.dropping import STAGES, DroppingProxy
from tests.doors.python.served import fresh_home, served
from tests.doors.server_process import ServerProcess
from tests.promises.marks import promise
from waypost.client import AsyncWaypost, ChangesGap, Retries, Waypost, errors
from waypost.client.api.progress import ALIVE_SECONDS, Patience, Progress
from waypost.operations.changes import ChangeRecord, ChangesOutput
from waypost.operations.entries import ActorRecord
from waypost.operations.feed import GapRecord

SECONDS = 60.0


@pytest.fixture
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        yield folder


def head(server: ServerProcess) -> str:
    """The place behind everything that happened so far."""
    return str(server.ask("GET", "/v1/changes?after=now")[1]["next_cursor"])


def write(server: ServerProcess, count: int) -> list[str]:
    """The ids of messages that were sent now, in order."""
    fields = {"from_project": "web", "to_project": "api"}
    return [
        str(server.ask("POST", "/v1/messages", {**fields, "body": uuid.uuid4().hex})[1]["message_id"])
        for _ in range(count)
    ]


@pytest.fixture
def post(proxy: DroppingProxy) -> Iterator[Waypost]:
    """A client through the proxy, which sleeps nowhere."""
    with Waypost(url=proxy.url, retries=Retries(times=1)) as made:
        made._exchange.sleep = lambda seconds: None
        yield made


@promise("client.python.feed_resumes")
@pytest.mark.parametrize("limit", [1, 3, 500])
@pytest.mark.parametrize("stage", STAGES)
def test_each_change_comes_once_and_in_order_over_broken_connections(
    server: ServerProcess, proxy: DroppingProxy, post: Waypost, *, stage: str, limit: int
) -> None:
    begin = head(server)
    feed = post.changes.follow(after=begin, limit=limit)
    sent = write(server, 2)
    assert [change.id for change in islice(feed, 2)] == sent
    proxy.drop(*itertools.islice(itertools.cycle([stage, stage, stage, "pass"]), 24))
    sent += write(server, 7)
    seen = list(islice(feed, 7))
    assert [change.id for change in seen] == sent[2:]
    assert feed.cursor == seen[-1].cursor == head(server)


@promise("client.python.feed_resumes")
def test_an_awaited_follower_gives_each_change_once(server: ServerProcess, proxy: DroppingProxy) -> None:
    begin = head(server)
    sent = write(server, 6)
    proxy.drop("pass", *STAGES, "pass", *STAGES)

    async def program() -> list[str]:
        async with AsyncWaypost(url=proxy.url, retries=Retries(first_pause=0.0)) as post:
            seen: list[str] = []
            async with post.changes.follow(after=begin, limit=2) as feed:
                async for change in feed:
                    seen.append(change.id)
                    if len(seen) == 6:
                        break
            return seen

    assert asyncio.run(program()) == sent


@promise("client.python.feed_resumes")
def test_now_is_fixed_by_the_first_answer_so_that_nothing_after_it_is_lost(
    server: ServerProcess, proxy: DroppingProxy, post: Waypost
) -> None:
    feed = post.changes.follow(after="now")
    sent: list[str] = []

    def change(given: object) -> None:
        if len(proxy.seen) == 1:
            sent.extend(write(server, 1))  # while the first answer is on its way

    proxy.change = change
    proxy.drop("pass", "after", "mid")
    assert next(feed).id == sent[0]
    assert "wait" not in proxy.seen[0].target


@promise("client.python.feed_resumes")
def test_a_killed_and_restarted_server_loses_and_repeats_nothing_for_a_follower(home: Path) -> None:
    seen: list[str] = []
    ready = threading.Semaphore(0)

    def follow(post: Waypost, after: str) -> None:
        for change in post.changes.follow(after=after, limit=2):
            seen.append(change.id)
            ready.release()
            if len(seen) == 9:
                return

    with Waypost(start=False, retries=Retries(times=2)) as post:
        with served() as first:
            follower = threading.Thread(target=follow, args=(post, head(first)))
            follower.start()
            sent = write(first, 4)
            assert all(ready.acquire(timeout=SECONDS) for _ in range(2))
            first.process.send_signal(signal.SIGKILL)
            first.end()
        with ServerProcess("--port", "0") as second:
            second.ready()
            sent += write(second, 3)
            assert all(ready.acquire(timeout=SECONDS) for _ in range(5))
            second.process.send_signal(signal.SIGKILL)
            second.end()
        with ServerProcess("--port", "0") as third:
            third.ready()
            sent += write(third, 2)
            follower.join(SECONDS)
            assert seen == sent


@promise("client.python.feed_resumes")
def test_a_fault_before_the_first_answer_is_raised_and_a_later_one_when_patience_ends(
    server: ServerProcess, proxy: DroppingProxy, post: Waypost
) -> None:
    proxy.drop("before", "before")
    feed = post.changes.follow(after="now", patience=0.0)
    with pytest.raises(errors.AnswerLost):
        next(feed)
    write(server, 1)
    proxy.drop("pass", "before", "before")
    with pytest.raises(errors.AnswerLost):
        next(feed)
    sent = write(server, 1)
    assert next(feed).id == sent[0]


@promise("client.python.feed_gaps")
def test_a_gap_is_raised_with_its_bounds_and_then_gone_on_behind(server: ServerProcess, post: Waypost) -> None:
    write(server, 1)
    feed = post.changes.follow(after="7.3", limit=1)
    with pytest.raises(ChangesGap) as gap:
        next(feed)
    assert (gap.value.gap.reason, gap.value.gap.from_, gap.value.gap.to) == ("epoch", "7.3", None)
    assert feed.cursor == gap.value.gap.resumes_at
    assert [change.position for change in islice(feed, 3)] == [1, 2, 3]


@promise("client.python.checkpoints")
def test_a_consumer_goes_on_behind_what_was_worked_off_and_sees_the_rest_again(
    server: ServerProcess, post: Waypost
) -> None:
    name = f"c{uuid.uuid4().hex[:12]}"
    first = post.changes.follow(consumer=name, after="now", limit=2)
    sent: list[str] = []
    post._exchange.clock = lambda: 0.0
    post.consumers.put(name, cursor="now")
    sent += write(server, 5)
    assert [next(first).id for _ in range(3)] == sent[:3]
    # The program is killed while it works on the third: only what a next one was asked for, page by page, is committed.
    second = post.changes.follow(consumer=name, after="now", limit=2)
    assert next(second).id == sent[2]
    assert [next(second).id for _ in range(2)] == sent[3:]


@promise("client.python.checkpoints")
def test_a_consumer_that_commits_by_hand_moves_only_when_told(server: ServerProcess, post: Waypost) -> None:
    name = f"c{uuid.uuid4().hex[:12]}"
    post.consumers.put(name, cursor="now")
    sent = write(server, 3)
    first = post.changes.follow(consumer=name, commit=False, limit=1)
    assert [next(first).id for _ in range(2)] == sent[:2]
    again = post.changes.follow(consumer=name, commit=False)
    assert next(again).id == sent[0]
    first.commit()
    third = post.changes.follow(consumer=name, commit=False)
    assert next(third).id == sent[2]
    with pytest.raises(RuntimeError):
        post.changes.follow(after="now").commit()


@promise("client.python.checkpoints")
def test_a_consumer_is_made_where_there_is_none_and_one_that_another_moves_is_said_to_be(
    server: ServerProcess, post: Waypost
) -> None:
    name = f"c{uuid.uuid4().hex[:12]}"
    feed = post.changes.follow(consumer=name, after=head(server), limit=1)
    sent = write(server, 3)
    assert next(feed).id == sent[0]
    post.consumers.put(name, cursor="now")  # somebody else works under the same name
    with pytest.raises(errors.Conflict):
        next(feed)


@promise("client.python.checkpoints")
def test_a_closed_follower_ends_and_commits_nothing(server: ServerProcess, post: Waypost) -> None:
    name = f"c{uuid.uuid4().hex[:12]}"
    begin = head(server)
    sent = write(server, 1)
    with post.changes.follow(consumer=name, after=begin) as feed:
        assert next(feed).id == sent[0]
    assert list(feed) == []
    assert post.consumers.show(name).consumer.cursor == begin


def record(cursor: str) -> ChangeRecord:
    actor = ActorRecord(
        door="rest", user=None, client=None, workspace=None, project=None, session=None, scope_source=None
    )
    position = int(cursor.partition(".")[2])
    return ChangeRecord(
        position=position, at="", kind="message.sent", id="", version=1, mailboxes=[], actor=actor, cursor=cursor
    )


def page(*cursors: str, ends: str, gap: GapRecord | None = None) -> ChangesOutput:
    return ChangesOutput(items=[record(cursor) for cursor in cursors], next_cursor=ends, gap=gap, head=ends)


def begun(first: ChangesOutput) -> Progress:
    made = Progress(after=None, consumer="me", project=None, limit=2)
    made.arrived(first)
    return made


PRUNED = GapRecord.model_validate({"reason": "pruned", "from": "1.2", "to": "1.8", "resumes_at": "1.8"})


@promise("client.python.feed_gaps")
def test_a_gap_on_a_page_comes_before_its_changes_and_is_raised_once() -> None:
    progress = begun(page("1.9", ends="1.9", gap=PRUNED))
    with pytest.raises(ChangesGap, match=r"1\.2 to 1\.8 .*pruned"):
        progress.next()
    assert progress.cursor == "1.8"
    assert progress.next() == record("1.9")


@promise("client.python.checkpoints")
def test_a_checkpoint_moves_behind_a_page_within_one_at_most_each_second_and_is_confirmed_each_day() -> None:
    progress = begun(page("1.1", "1.2", "1.3", ends="1.5"))
    assert progress.due(100.0) is None
    progress.next()
    assert progress.due(100.0) == "1.1"
    progress.committed("1.1", 100.0)
    progress.next()
    assert progress.due(100.5) is None
    assert progress.due(101.0) == "1.2"
    progress.next()
    assert progress.due(100.5) == "1.5"
    progress.committed("1.5", 101.0)
    assert progress.due(102.0) is None
    assert progress.due(101.0 + ALIVE_SECONDS) == "1.5"


@promise("client.python.checkpoints")
def test_a_refused_commit_is_explained_by_a_gap_and_raised_without_one() -> None:
    refusal = errors.Conflict("no")
    for gap in (None, PRUNED):
        progress = begun(page("1.1", ends="1.1"))
        progress.next()
        progress.refused(refusal, 1.0)
        if gap is None:
            with pytest.raises(errors.Conflict):
                progress.arrived(page(ends="1.1"))
        else:
            progress.arrived(page(ends="2.0", gap=gap))
        assert progress.due(1.0) is None


@promise("client.python.feed_resumes")
def test_only_faults_that_pass_by_themselves_are_waited_for() -> None:
    lasting = [
        errors.StoreChanged("x"),
        errors.ForeignServer("x"),
        errors.NotFound("x"),
        errors.SchemaNewer("x"),
        errors.AnswerUnreadable("x"),
        errors.StoreReadOnly("x"),
    ]
    passing = [errors.ServerAway("x"), errors.AnswerLost("x"), errors.StoreBusy("x"), errors.StoreUnavailable("x")]
    assert [Patience(Retries(), None).pause(fault, 0.0) for fault in lasting] == [None] * len(lasting)
    assert all(Patience(Retries(), None).pause(fault, 0.0) for fault in passing)
