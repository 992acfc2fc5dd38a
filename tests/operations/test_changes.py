"""The change feed on both engines: order, cursors, gaps, what a caller may not read, and named consumers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.operations.office import Office, refused
from tests.promises.marks import promise
from waypost.identity.store import StoredDirectory
from waypost.kernel.addresses import ProjectName
from waypost.kernel.time import DAY
from waypost.operations import changes, consumers
from waypost.operations.registry import Unit
from waypost.store.consumers import forget_consumers
from waypost.store.interface import Query
from waypost.store.journal import entries_after, prune


def read_on(office: Office, after: str | None = None, **fields: Any) -> list[dict[str, Any]]:
    """All changes from a cursor on, page by page."""
    seen: list[dict[str, Any]] = []
    while True:
        given: dict[str, Any] = fields | ({"after": after} if after else {})
        page = office.run("changes.list", **given)
        seen += page["items"]
        after = page["next_cursor"]
        if after == page["head"]:
            return seen


def project_id(office: Office, name: str) -> str:
    found = office.waypost.store.read(
        lambda tx: StoredDirectory(tx).project_named(ProjectName(workspace="default", project=name))
    )
    assert found is not None
    return found.id


def prune_all(office: Office) -> None:
    """Drops every entry but the newest."""
    office.settle()
    office.clock.pass_seconds(1)
    office.waypost.store.write(lambda tx: prune(tx, before=tx.now, limit=1_000))


def begin_epoch(office: Office, epoch: int) -> None:
    """What a restore or import leaves, as far as the feed can see it."""
    office.waypost.store.write(
        lambda tx: tx.execute(
            Query(name="test", text="update store_info set value = :epoch where key = 'epoch'"), {"epoch": str(epoch)}
        )
    )


@pytest.fixture
def reads_only(office: Office, monkeypatch: pytest.MonkeyPatch) -> Any:
    """From the call on, the caller may read only the projects named."""

    def restrict(*names: str) -> None:
        readable = frozenset(project_id(office, name) for name in names)
        monkeypatch.setattr(Unit, "readable", property(lambda unit: readable))

    return restrict


@promise("feed.cursor.epoch_and_position", "feed.entry.no_foreign_text")
def test_the_feed_tells_every_change_in_order_with_actor_and_version_and_without_text(office: Office) -> None:
    sent = office.send(subject="secret words", body="secret words")["message_id"]
    office.run("message.pop", project="b")
    page = office.run("changes.list")
    assert [item["kind"] for item in page["items"]] == [*["project.added"] * 3, "message.sent", "message.popped"]
    assert [item["cursor"] for item in page["items"]] == [f"1.{position}" for position in range(1, 6)]
    last = page["items"][-1]
    assert (last["id"], last["version"], last["actor"]["project"]) == (sent, 2, "b")
    assert [one["project"] for one in last["mailboxes"]] == ["b", "a"]
    assert (page["next_cursor"], page["head"], page["gap"]) == ("1.5", "1.5", None)
    assert "secret" not in json.dumps(page)


@promise("feed.cursor.always_goes_on")
def test_pages_go_on_where_they_ended_and_an_empty_page_says_where_to_go_on_too(office: Office) -> None:
    for number in range(5):
        office.send(body=f"number {number}")
    whole = read_on(office)
    assert read_on(office, limit=3) == whole
    end = office.run("changes.list", after="now")
    assert (end["items"], end["next_cursor"]) == ([], "1.8")
    office.send(body="one more")
    assert [item["cursor"] for item in read_on(office, end["next_cursor"])] == ["1.9"]


def test_the_feed_of_a_project_holds_what_concerns_it_and_goes_on_past_the_rest(office: Office) -> None:
    for start, to in (("a", "b"), ("c", "a"), ("b", "c"), ("b", "c")):
        office.send(from_project=start, to_project=to, repeat=True)
    page = office.run("changes.list", project="a", limit=2, after="1.3")
    assert [item["cursor"] for item in page["items"]] == ["1.4", "1.5"]
    rest = office.run("changes.list", project="a", after=page["next_cursor"])
    assert (rest["items"], rest["next_cursor"]) == ([], "1.7")


@promise("feed.entry.only_where_readable", "feed.cursor.always_goes_on")
def test_a_caller_sees_only_where_he_may_read_and_goes_on_past_what_he_may_not(office: Office, reads_only: Any) -> None:
    office.send(from_project="a", to_project="b")
    for number in range(7):
        office.send(from_project="b", to_project="c", body=f"foreign {number}")
    office.send(from_project="b", to_project="a", body="for a")
    reads_only("a")
    assert [item["kind"] for item in read_on(office)] == ["project.added", "message.sent", "message.sent"]
    assert read_on(office, limit=2) == read_on(office)
    last = read_on(office)[-1]
    assert [one["project"] for one in last["mailboxes"]] == ["a", "a project you cannot read"]
    assert last["actor"]["project"] == "a project you cannot read"
    with refused(office, "not_found"):
        office.run("changes.list", project="b")


@promise("feed.cursor.always_goes_on")
def test_a_page_that_passes_over_much_ends_early_and_still_goes_on(
    office: Office, reads_only: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_PASSED_OVER", 4)
    for number in range(9):
        office.send(from_project="b", to_project="c", body=f"foreign {number}")
    office.send(from_project="b", to_project="a", body="for a")
    reads_only("a")
    page = office.run("changes.list", after="1.3", limit=2)
    assert (page["items"], page["next_cursor"], page["head"]) == ([], "1.7", "1.13")
    assert [item["cursor"] for item in read_on(office, "1.3", limit=2)] == ["1.13"]


@promise("feed.cursor.always_goes_on")
def test_a_short_page_asks_in_batches_for_what_it_passes_over(
    office: Office, reads_only: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def counted(*arguments: Any, **named: Any) -> Any:
        asked.append(named["limit"])
        return entries_after(*arguments, **named)

    for number in range(9):
        office.send(from_project="b", to_project="c", body=f"foreign {number}")
    reads_only("a")
    monkeypatch.setattr(changes, "entries_after", counted)
    assert office.run("changes.list", after="1.3", limit=1)["items"] == []
    assert len(asked) == 1, "one question for each entry that is passed over"


@promise("feed.gap.explicit")
def test_a_cursor_older_than_what_is_kept_gets_a_gap_with_its_bounds_and_what_is_kept(office: Office) -> None:
    for number in range(3):
        office.send(body=f"number {number}")
    prune_all(office)
    page = office.run("changes.list", after="1.2")
    assert page["gap"] == {"reason": "pruned", "from": "1.2", "to": "1.5", "resumes_at": "1.5"}
    assert [item["cursor"] for item in page["items"]] == ["1.6"]
    assert office.run("changes.list", after=page["gap"]["resumes_at"])["gap"] is None
    assert office.run("changes.list")["gap"] is None


@promise("feed.gap.explicit")
def test_a_cursor_of_another_epoch_gets_a_gap_and_everything_that_is_kept(office: Office) -> None:
    begin_epoch(office, 4)
    page = office.run("changes.list", after="1.2")
    assert page["gap"] == {"reason": "epoch", "from": "1.2", "to": None, "resumes_at": "4.0"}
    assert [item["cursor"] for item in page["items"]] == ["4.1", "4.2", "4.3"]


def test_what_is_no_cursor_or_lies_above_the_newest_change_is_refused(office: Office) -> None:
    for cursor in ("", "7", "1.-1", "0.1", "1.02", "1.1 ", "one.two", "1." + "9" * 30, "\u0661.1"):
        with refused(office, "invalid_input"):
            office.run("changes.list", after=cursor)
    with refused(office, "conflict"):
        office.run("changes.list", after="1.4")
    with refused(office, "invalid_input"):
        office.run("changes.list", after="1.1", consumer="copier")


@promise("feed.consumer.durable", "feed.consumer.moved_only_by_commit")
def test_a_consumer_goes_on_at_its_checkpoint_which_only_a_commit_moves(office: Office) -> None:
    made = office.run("consumer.put", name="copier")
    assert (made["created"], made["consumer"]["cursor"], made["version"]) == (True, "1.0", 1)
    first = office.run("changes.list", consumer="copier", limit=2)
    assert office.run("changes.list", consumer="copier", limit=2) == first
    moved = office.run("consumer.put", name="copier", cursor=first["next_cursor"])
    assert (moved["created"], moved["version"]) == (False, 2)
    office.reopen()
    assert [item["cursor"] for item in office.run("changes.list", consumer="copier")["items"]] == ["1.3"]
    shown = office.run("consumer.show", name="copier")["consumer"]
    assert (shown["cursor"], shown["head"], shown["gap"]) == ("1.2", "1.3", None)


@promise("feed.consumer.never_back")
def test_a_checkpoint_goes_back_only_where_that_is_asked_for(office: Office) -> None:
    office.run("consumer.put", name="copier", cursor="now")
    with refused(office, "conflict"):
        office.run("consumer.put", name="copier", cursor="1.1")
    assert office.run("consumer.put", name="copier")["consumer"]["cursor"] == "1.3"
    assert office.run("consumer.put", name="copier", cursor="1.1", rewind=True)["consumer"]["cursor"] == "1.1"


@promise("feed.consumer.never_back")
def test_a_checkpoint_is_never_set_where_the_store_cannot_have_been(office: Office) -> None:
    for place in ("1.4", "2.1"):
        with refused(office, "conflict"):
            office.run("consumer.put", name="copier", cursor=place, rewind=True)
    with refused(office, "invalid_input"):
        office.run("consumer.put", name="copier", cursor="three")
    for name in ("", "two words", "x" * 129):
        with refused(office, "invalid_input"):
            office.run("consumer.put", name=name)


@promise("feed.gap.explicit", "feed.consumer.durable")
@pytest.mark.parametrize("reason", ["pruned", "epoch"])
def test_a_consumer_is_told_of_a_gap_until_it_commits_past_it(office: Office, reason: str) -> None:
    office.run("consumer.put", name="copier", cursor="1.1")
    if reason == "pruned":
        prune_all(office)
    else:
        begin_epoch(office, 2)
    for _ in range(2):
        page = office.run("changes.list", consumer="copier")
        assert page["gap"]["reason"] == reason
        assert office.run("consumer.show", name="copier")["consumer"]["gap"] == page["gap"]
    moved = office.run("consumer.put", name="copier", cursor=page["gap"]["resumes_at"])
    assert moved["consumer"]["gap"] is None
    assert office.run("changes.list", consumer="copier")["items"] == page["items"]


def test_consumers_of_different_people_are_different_and_deleted_by_name(office: Office) -> None:
    office.run("consumer.put", name="copier", cursor="now")
    with refused(office, "not_found"):
        office.run("consumer.show", name="other")
    deleted = office.run("consumer.delete", name="copier")
    assert deleted == {"name": "copier", "cursor": "1.3", "version": 1}
    for operation in ("consumer.show", "consumer.delete"):
        with refused(office, "not_found"):
            office.run(operation, name="copier")
    with refused(office, "not_found"):
        office.run("changes.list", consumer="copier")


def test_a_principal_has_so_many_consumers_and_no_more(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "MOST_CONSUMERS", 1)
    office.run("consumer.put", name="first")
    office.run("consumer.put", name="first", cursor="now")
    with refused(office, "conflict"):
        office.run("consumer.put", name="second")


@promise("feed.consumer.forgotten_unused")
def test_a_consumer_that_commits_nothing_for_ninety_days_may_be_forgotten(office: Office) -> None:
    office.run("consumer.put", name="idle")
    office.run("consumer.put", name="busy")
    office.clock.pass_seconds(90 * DAY / 1_000_000)
    office.run("consumer.put", name="busy")
    office.clock.pass_seconds(1)

    def forget() -> int:
        return office.waypost.store.write(
            lambda tx: forget_consumers(tx, before=tx.now - consumers.CONSUMERS_KEPT_FOR, limit=10)
        )

    assert (forget(), forget()) == (1, 0)
    assert office.run("consumer.show", name="busy")["version"] == 2


@promise("feed.consumer.moved_only_by_commit")
def test_consumers_are_not_journalled(office: Office) -> None:
    office.run("consumer.put", name="copier")
    office.run("consumer.put", name="copier", cursor="now")
    office.run("consumer.delete", name="copier")
    assert office.run("changes.list")["head"] == "1.3"
