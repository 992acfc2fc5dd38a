"""The pages of decisions: what they show, that foreign text stays text, and who may answer from a browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.doors.web.page_office import FROM_PAGE, PageOffice, Reply
from tests.doors.web.reading import read
from tests.doors.web.test_web_safety import HOSTILE
from tests.promises.marks import promise

OPTIONS = [{"id": "yes", "label": "Merge it", "recommended": True}, {"id": "no", "label": "Send it back"}]


def ask(office: PageOffice, **fields: Any) -> str:
    """A question from a in b's mailbox; its id."""
    given = {"from_project": "a", "to_project": "b", "question": "Merge it?", "options": OPTIONS, **fields}
    decision_id: str = office.run("decision.ask", **given)["decision_id"]
    return decision_id


def signed_in(office: PageOffice) -> dict[str, str]:
    """The headers of the page's script once a person signed in."""
    token = office.context.signins.redeem(office.context.signins.issue())
    return {**FROM_PAGE, "cookie": f"{office.context.signins.cookie}={token}"}


def answer(office: PageOffice, decision_id: str, headers: dict[str, str], **fields: Any) -> Reply:
    given = {"option": "yes", **fields}
    return office.request("POST", f"/web/decisions/{decision_id}/answer", headers, given)


@promise("web.decisions.form")
def test_a_questions_page_shows_all_of_it_and_who_may_answer(office: PageOffice) -> None:
    links = [
        "https://example.test/1",
        "javascript:alert(1)",
        "javascript://example.test/%0aalert(1)",
        "http://",
        "https://x.test/two words",
    ]
    asked = ask(office, details="Line one.\nLine two.", links=links, requires_root=True)
    headers = signed_in(office)
    page = read(office.page(f"/web/decisions/{asked}", {"cookie": headers["cookie"]}).text)
    assert page.one("h1").text == "Merge it?"
    buttons = [one for one in page.find("button") if one.attributes.get("name") == "option"]
    assert [(one.text, one.attributes["value"], "disabled" in one.attributes) for one in buttons] == [
        ("Merge it", "yes", False),
        ("Send it back", "no", False),
    ]
    linked = [one for one in page.find("a") if one.attributes.get("target") == "_blank"]
    assert [one.attributes["href"] for one in linked] == ["https://example.test/1"]
    assert "noopener" in linked[0].attributes["rel"]
    assert "Only the operator may answer" in page.one("section", "standing-of").text
    assert not page.find("img")
    looking = read(office.page(f"/web/decisions/{asked}").text)
    assert all("disabled" in one.attributes for one in looking.find("button") if one.attributes.get("name") == "option")


@promise("web.page.text_escaped", "web.decisions.form")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_of_a_question_and_of_its_answer_are_shown_as_text(office: PageOffice, text: str) -> None:
    options = [{"id": "yes", "label": text, "description": text}, OPTIONS[1]]
    asked = ask(office, question=text, details=text, options=options, links=[text])
    office.run("decision.answer", project="b", decision_id=asked, option="yes", comment=text)
    office.send(from_project="b", to_project="a", subject=f"decision-reply: {asked}", body=text)
    for path in (f"/web/decisions/{asked}", "/web/decisions", "/web/"):
        reply = office.page(path)
        page = read(reply.text)
        assert reply.status == 200
        assert all(one.attributes.get("src", "").startswith("/web/static/") for one in page.find("script"))
        assert not page.find("img")
        assert not any("javascript" in one.attributes.get("href", "") for one in page.find("a"))
        assert not {"\u200b", "\u202e", "\u2066"} & set(reply.text)
        if path.startswith("/web/decisions/"):
            assert (
                page.one("h1").text.replace("\\u{202e}", "").startswith(text.replace("\u202e", "").split("\u200b")[0])
            )


@promise("web.home.decisions_first")
def test_home_shows_open_questions_before_the_projects(office: PageOffice) -> None:
    assert not read(office.page("/web/").text).find("section", "open-decisions")
    asked = ask(office)
    done = ask(office, question="And that?")
    office.run("decision.answer", project="b", decision_id=done, option="no")
    text = office.page("/web/").text
    assert text.index("open-decisions") < text.index("workspace-default")
    assert f"/web/decisions/{asked}" in text
    assert f"/web/decisions/{done}" not in text
    every = read(office.page("/web/decisions").text)
    assert [one.attributes["id"] for one in every.find("li", "letter")] == [f"matter-{asked}", f"matter-{done}"]


@promise("web.decisions.form", "decision.answer.root_only", "web.writes.same_origin", "web.signin.reading_free")
def test_only_a_signed_in_persons_own_page_answers(office: PageOffice) -> None:
    asked, plain = ask(office, requires_root=True), ask(office, question="And that?")
    person = signed_in(office)
    assert answer(office, plain, FROM_PAGE).json()["code"] == "forbidden"
    assert office.run("decision.view", project="a", decision_id=plain)["decision"]["state"] == "open"
    foreign = {**person, "sec-fetch-site": "cross-site", "origin": "http://evil.test"}
    wrong = {
        "nobody": FROM_PAGE,
        "another page": foreign,
        "no metadata": {name: value for name, value in person.items() if name != "sec-fetch-site"},
        "a form": {**person, "content-type": "application/x-www-form-urlencoded"},
        "a wrong cookie": {**FROM_PAGE, "cookie": f"{office.context.signins.cookie}=made-up"},
    }
    for name, headers in wrong.items():
        refused = answer(office, asked, headers)
        assert refused.status in {403, 415}, name
        assert office.run("decision.view", project="a", decision_id=asked)["decision"]["state"] == "open", name
    assert answer(office, asked, person, option="maybe").status == 422
    assert answer(office, asked, person, project="a").status == 422
    done = answer(office, asked, person, comment="Go on.")
    assert (done.status, done.json()) == (200, {"state": "answered"})
    found = office.run("decision.view", project="a", decision_id=asked)["decision"]["answer"]
    assert (found["by"]["user"], found["by"]["via"]["door"]) == (office.waypost.login, "web")
    again = answer(office, asked, person)
    assert (again.status, again.json()["code"]) == (409, "already_answered")


@promise("web.decisions.form")
def test_a_closed_question_shows_its_answer_and_the_history_of_answers(office: PageOffice) -> None:
    asked = ask(office)
    answer(office, asked, signed_in(office), option="no", comment="Not yet.")
    office.send(
        from_project="b", to_project="a", subject=f"decision-reply: {asked}", body=f"question_id: {asked}\noption: yes"
    )
    page = read(office.page(f"/web/decisions/{asked}").text)
    standing = page.one("section", "standing-of").text
    assert "Send it back" in standing
    assert f"~{office.waypost.login}" in standing
    assert "Not yet." in standing
    marks = [one.one("span", "tag").text for one in page.find("li", "letter")]
    assert marks == ["the answer", "not the answer"]


@promise("web.refusal.code_and_remedy")
@pytest.mark.parametrize(("path", "status"), [("01a22d35-6e57-7048-9039-550ed9252b92", 404), ("17", 422)])
def test_a_question_that_there_is_not_is_a_page_that_says_so(office: PageOffice, path: str, status: int) -> None:
    reply = office.page(f"/web/decisions/{path}")
    assert reply.status == status
    assert read(reply.text).one("h1").text
