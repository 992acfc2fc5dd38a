"""The page of the journal: newest first, filtered, page by page, each entry with its actor, door and link."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from tests.doors.web.page_office import PageOffice
from tests.doors.web.reading import Element, read
from tests.promises.marks import promise
from waypost.operations import activity


def journal(office: PageOffice, **query: str) -> Element:
    reply = office.page("/web/activity" + (f"?{urlencode(query)}" if query else ""))
    assert reply.status == 200
    return read(reply.text)


def deeds(page: Element) -> list[str]:
    return [one.one("span", "deed").text for one in page.one(id="entries").find("li")]


@promise("web.activity.journal")
def test_the_journal_names_deed_mail_both_ends_actor_and_door_newest_first(office: PageOffice) -> None:
    sent = office.send(subject="Take this", session="S1")["message_id"]
    office.run("message.pop", project="b", session="S7", message_id=sent)
    page = journal(office)
    assert deeds(page) == [
        "popped",
        "session began",
        "sent",
        "session began",
        "project added",
        "project added",
        "project added",
    ]
    entry = page.one(id="entries").find("li")[0]
    assert entry.one("p", "what").text == "Take this from default/a to default/b"
    assert entry.one("p", "what").one("a").attributes["href"] == f"/web/messages/{sent}"
    assert entry.one("p", "by").text == "default/b S7 by REST"
    added = page.one(id="entries").find("li")[-1]
    assert added.one("p", "what").one("a").attributes["href"] == "/web/projects/default/a"


@promise("web.activity.journal")
def test_decisions_lead_to_their_own_page(office: PageOffice) -> None:
    options = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    asked = office.run("decision.ask", from_project="a", to_project="b", question="Go?", options=options)["decision_id"]
    links = [one.attributes["href"] for one in journal(office, kind="decision").one(id="entries").find("a")]
    assert f"/web/decisions/{asked}" in links


@promise("web.activity.journal")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"project": "c"}, ["sent", "project added"]),
        ({"project": "default/b", "kind": "message"}, ["popped", "sent"]),
        ({"kind": "message.popped"}, ["popped"]),
        ({"kind": "message.popped", "door": "mcp"}, []),
        ({"door": "mcp"}, []),
        ({"actor": "S7"}, ["popped", "session began"]),
        ({"actor": "nobody"}, []),
        ({"kind": "", "actor": " S7 ", "door": "rest", "project": ""}, ["popped", "session began"]),
    ],
)
def test_filters_narrow_the_journal_and_stand_in_their_form(
    office: PageOffice, query: dict[str, str], expected: list[str]
) -> None:
    sent = office.send()["message_id"]
    office.send(to_project="c", body="another")
    office.run("message.pop", project="b", session="S7", message_id=sent)
    page = journal(office, **query)
    assert deeds(page) == expected
    form = page.one("form", "filters")
    assert (form.attributes["method"], form.attributes["action"]) == ("get", "/web/activity")
    assert form.one("input", name="actor").attributes["value"] == query.get("actor", "").strip()
    chosen = [one.attributes["value"] for one in form.find("option") if "selected" in one.attributes]
    assert chosen == [query[name] for name in ("kind", "door") if query.get(name)]
    if not expected:
        assert "Nothing of this kind has happened." in page.text


@promise("web.activity.journal")
def test_older_entries_follow_page_by_page_and_say_how_many_are_new(office: PageOffice) -> None:
    for number in range(40):
        office.send(body=f"number {number}")
    first = journal(office, kind="message")
    assert len(deeds(first)) == 30
    assert first.one(id="entries").attributes["hx-get"] == "/web/activity?kind=message"
    older = first.one(id="entries").one("p", "hint").one("a").attributes["href"]
    second = read(office.page(older).text)
    assert len(deeds(second)) == 10
    assert not second.one(id="entries").find("p", "hint")
    assert "hx-get" not in second.one(id="entries").attributes
    positions = [one.attributes["id"] for page in (first, second) for one in page.one(id="entries").find("li")]
    assert len(set(positions)) == 40
    assert "These are older entries." in second.one(id="newer").text
    office.send(body="meanwhile")
    office.run("session.put", client="codex", session_id="S1", project="b")
    again = read(office.page(older).text)
    assert again.one(id="newer").text.startswith("1 new since you began to look.")
    assert again.one(id="newer").one("a").attributes["href"] == "/web/activity?kind=message"
    assert again.one(id="newer").attributes["hx-select"] == "#newer"
    assert deeds(again) == deeds(second)


@promise("web.activity.journal")
def test_a_rare_kind_is_looked_for_part_by_part(office: PageOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "STRIDE", 5)
    monkeypatch.setattr(activity, "MOST_LOOKED_AT", 10)
    for number in range(20):
        office.send(body=f"number {number}")
    page = journal(office, kind="project")
    looked = 1
    while not deeds(page):
        assert "in this part of the journal" in page.text
        page = read(office.page(page.one(id="entries").one("p", "hint").one("a").attributes["href"]).text)
        looked += 1
    assert looked == 3
    assert deeds(page) == ["project added"] * 3


@promise("web.page.live", "web.activity.journal")
def test_the_journals_page_is_told_of_every_change(office: PageOffice) -> None:
    with office.stream(journal(office).one(id="stream").attributes["hx-sse:connect"]) as stream:
        stream.start()
        office.send()
        assert stream.event() is not None


@promise("web.refusal.code_and_remedy", "web.activity.journal")
@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("project=nobody", 404),
        ("project=%00", 422),
        ("cursor=made-up", 422),
        ("cursor=made-up&since=x", 422),
        ("kind=%F0%9F", 200),
        ("since=-1", 200),
    ],
)
def test_odd_queries_get_a_page_with_code_and_remedy(office: PageOffice, query: str, status: int) -> None:
    reply = office.page(f"/web/activity?{query}")
    assert reply.status == status
    page = read(reply.text)
    if status != 200:
        assert page.one("p", "code").text in {"not_found", "invalid_input", "invalid_text"}
        assert page.one("p", "remedy").text
