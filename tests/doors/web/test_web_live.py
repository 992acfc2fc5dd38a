"""The streams that tell a page to look again: when, and when not."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.doors.web.page_office import PageOffice
from tests.doors.web.reading import read
from tests.promises.marks import promise
from waypost.server.web import live


def stream_of(office: PageOffice, project: str) -> str:
    """The address of the stream that a project's page opens now."""
    page = read(office.page(f"/web/projects/default/{project}").text)
    return page.one(id="stream").attributes["hx-sse:connect"]


def mark(office: PageOffice, project: str) -> str:
    return parse_qs(urlsplit(stream_of(office, project)).query)["after"][0]


@promise("web.page.live")
def test_a_change_in_the_project_is_told_with_its_mark(office: PageOffice) -> None:
    with office.stream(stream_of(office, "b")) as stream:
        assert stream.start() == 200
        office.send()
        event = stream.event()
    assert event == {"event": "news", "id": mark(office, "b"), "data": mark(office, "b")}


@promise("web.page.live")
def test_what_happened_before_the_stream_began_is_told_at_once(office: PageOffice) -> None:
    address = stream_of(office, "b")
    office.send()
    with office.stream(address) as stream:
        assert stream.event() is not None


@promise("web.page.live")
def test_mail_that_came_due_before_the_stream_began_is_told_at_once(office: PageOffice) -> None:
    office.send(delay_seconds=60)
    address = stream_of(office, "b")
    office.clock.pass_seconds(60)
    with office.stream(address) as stream:
        assert stream.event() is not None


@promise("web.page.live")
def test_a_stream_that_comes_back_is_told_what_it_missed(office: PageOffice) -> None:
    address = stream_of(office, "b")
    office.send()
    told = mark(office, "b")
    with office.stream(address, {"last-event-id": told}) as stream:
        stream.start()
        office.send(body="meanwhile")
        event = stream.event()
    assert event is not None
    assert event["id"] == mark(office, "b") != told
    with office.stream(address, {"last-event-id": told}) as stream:
        assert stream.event() == event


@promise("web.page.live")
def test_another_projects_mail_is_not_told(office: PageOffice) -> None:
    with office.stream(stream_of(office, "c")) as stream:
        stream.start()
        office.send(to_project="b")
        office.do(office.context.changes.wait(office.run("activity.list")["head"] - 1, 10))
        office.send(to_project="c")
        event = stream.event()
    assert event is not None
    assert event["id"] == mark(office, "c")


@promise("web.page.live")
def test_home_is_told_of_every_project(office: PageOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "GATHER_ALL_SECONDS", 0.0)
    with office.stream("/web/events") as stream:
        stream.start()
        office.send(to_project="c")
        assert stream.event() is not None


@promise("web.page.live")
def test_mail_that_comes_due_is_told_without_any_change(office: PageOffice) -> None:
    office.send(delay_seconds=60)
    with office.stream(stream_of(office, "b")) as stream:
        stream.start()
        office.clock.pass_seconds(60)
        office.send(from_project="c", to_project="a")  # wakes the stream, as its own patience would later
        assert stream.event() is not None


@promise("web.page.live")
def test_a_project_that_appears_is_told(office: PageOffice) -> None:
    with office.stream("/web/events?project=default/new&after=0.0.0") as stream:
        stream.start()
        office.add("new")
        assert stream.event() is not None


@promise("web.page.live")
def test_streams_end_when_the_server_stops(office: PageOffice) -> None:
    with office.stream("/web/events") as stream:
        stream.start()
        office.loop.call_soon(office.context.changes.close)
        assert stream.event() is None


@promise("rights.page.operator")
def test_a_stream_ends_with_the_session_that_its_page_was_signed_in_by(office: PageOffice) -> None:
    signins = office.context.signins
    token = signins.redeem(signins.issue())
    assert token is not None
    with office.stream("/web/events", {"cookie": f"{signins.cookie}={token}"}) as stream:
        stream.start()
        signins.end(token)
        office.send()
        assert stream.event() is None, "who signed out is still told that something happened"


@promise("web.page.live")
def test_more_streams_than_there_may_be_are_refused_and_places_come_free(
    office: PageOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_STREAMS", 2)
    path = "/web/events?project=default/b&after=older"
    with office.stream(path) as first, office.stream(path) as second:
        assert first.event() is not None
        assert second.event() is not None
        refusal = office.request("GET", path)
        assert (refusal.status, refusal.json()["code"]) == (429, "rate_limited")
    with office.stream(path) as third:
        assert third.event() is not None


@promise("web.page.live")
@pytest.mark.parametrize(
    "query", ["project=a/b/c", "project=%00", "project=x", "after=-1", "after=many", "project=%F0%9F"]
)
def test_odd_queries_make_a_quiet_stream(office: PageOffice, query: str) -> None:
    with office.stream(f"/web/events?{query}") as stream:
        assert stream.start() == 200
