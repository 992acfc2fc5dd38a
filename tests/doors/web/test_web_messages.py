"""A message's page: all that is known of it, foreign text as text, and no way to change anything from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.doors.web.page_office import FROM_PAGE, PageOffice
from tests.doors.web.reading import Element, read
from tests.doors.web.test_web_safety import HOSTILE
from tests.promises.marks import promise
from waypost.operations.call import Rights
from waypost.server.web.message_shown import piece, sheet

NOBODY = "01a22d35-6e57-7048-9039-550ed9252b92"


def shown(office: PageOffice, message_id: str, status: int = 200) -> Element:
    reply = office.page(f"/web/messages/{message_id}")
    assert reply.status == status
    return read(reply.text)


def facts(page: Element) -> dict[str, str]:
    """What stands beside the text, by its title."""
    section = page.one("section", "facts")
    titles, values = section.find("dt"), section.find("dd")
    return {title.text: value.text for title, value in zip(titles, values, strict=True)}


@promise("web.message.page")
def test_a_message_says_what_it_is_who_sent_it_and_where_it_stands(office: PageOffice) -> None:
    sent = office.send(subject="Look at it", body="Line one.\nLine two.", actionable=True, session="S1")["message_id"]
    page = shown(office, sent)
    assert page.one("h1").text == "Look at it"
    assert page.one("section", "reading").one("p", "words").inside == ["Line one.\nLine two."]
    assert page.one("h2", id="text").text == "Foreign text"
    assert "a request to weigh" in page.one("section", "reading").text
    assert page.one("header", "opening").one("p", "from").text.startswith("from default/a S1 declared by REST")
    known = facts(page)
    assert known["State"] == "waiting"
    assert (known["Occurrence"], known["Asks for"], known["Delivery"]) == ("1", "work", "at the next activity")
    assert known["Id"] == sent
    assert "No session has heard of it yet." in page.text
    assert not page.find("form")
    assert page.find("button") == []


@promise("web.message.page")
def test_what_a_project_left_for_itself_is_not_called_foreign(office: PageOffice) -> None:
    office.run("session.put", client="codex", session_id="S1", project="b")
    bound = replace(office.caller, door="bridge", rights=Rights.OWNER, bound_session="S1")
    own = office.send(caller=bound, from_project=None, to_project="b", body="A note.")["message_id"]
    assert shown(office, own).one("h2", id="text").text == "Own text"
    claimed = office.send(from_project="b", to_project="b", body="Says that it is b.")["message_id"]
    assert shown(office, claimed).one("h2", id="text").text == "Foreign text"


@promise("web.message.page", "web.project.reminders_and_claims")
def test_a_message_in_work_shows_its_holder_the_countdown_and_who_acknowledged_it(office: PageOffice) -> None:
    sent = office.send(actionable=True)["message_id"]
    office.run("message.claim", project="b", session="S7", message_id=sent, occurrence=1)
    page = shown(office, sent)
    assert facts(page)["State"] == "in work"
    assert facts(page)["Lease"].startswith("S7 lease ends in ")
    assert facts(page)["Lease"].endswith("generation 1")
    assert page.one("time", **{"data-show": "countdown"}).attributes["title"].endswith(" UTC")
    row = page.one("table", "receipts").one("tbody").one("tr")
    assert row.one("th").text == "S7"
    assert [cell.text for cell in row.find("td")] == ["not yet", "just now", "just now"]


@promise("web.message.page")
def test_the_history_tells_who_did_what_and_earlier_outcomes(office: PageOffice) -> None:
    sent = office.send(actionable=True)["message_id"]
    token = office.run("message.claim", project="b", session="S7", message_id=sent, occurrence=1)["token"]
    given = {"project": "b", "session": "S7", "message_id": sent, "occurrence": 1, "token": token}
    office.run("message.snooze", outcome="Found the cause.", delay_seconds=60, **given)
    office.clock.pass_seconds(61)
    token = office.run("message.claim", project="b", session="S8", message_id=sent, occurrence=2)["token"]
    office.run(
        "message.complete", project="b", session="S8", message_id=sent, occurrence=2, token=token, outcome="Mended."
    )
    page = shown(office, sent)
    steps = page.one("section", **{"aria-labelledby": "history"}).find("li")
    assert [step.one("span", "deed").text for step in steps] == ["completed", "claimed", "snoozed", "claimed", "sent"]
    assert [step.find("span", "session")[0].text for step in steps[:4]] == ["S8", "S8", "S7", "S7"]
    assert "Found the cause." in steps[0].one("p", "words").text
    assert "before: open, occurrence 1" in steps[2].text
    assert facts(page)["State"] == "done"
    assert "Mended." in page.one("section", "reading").text


@promise("web.message.page")
def test_the_thread_stands_below_and_links_to_its_other_messages(office: PageOffice) -> None:
    sent = office.send(subject="Question")["message_id"]
    assert not shown(office, sent).find("section", **{"aria-labelledby": "thread"})
    office.clock.pass_seconds(1)
    reply = office.run("message.reply", project="b", message_id=sent, body="An answer.")["message_id"]
    thread = shown(office, reply).one("section", **{"aria-labelledby": "thread"})
    first, second = thread.find("li", "letter")
    assert first.one("h3").one("a").attributes["href"] == f"/web/messages/{sent}"
    assert not second.one("h3").find("a")
    assert facts(shown(office, reply))["Answers"] == "Question"
    assert "from default/b" in second.one("p", "from").text


@promise("web.message.page")
def test_a_redacted_message_says_that_its_words_are_gone(office: PageOffice) -> None:
    sent = office.send(subject="Secret words", body="Secret words")["message_id"]
    operator = replace(office.caller, rights=Rights.OPERATOR, user="maria")
    office.run("message.redact", caller=operator, message_id=sent)
    page = shown(office, sent)
    assert page.one("h1").text == "(redacted)"
    assert "The operator has removed the words of this message." in page.one("section", "reading").text
    for path in (f"/web/messages/{sent}", "/web/activity", "/web/projects/default/b"):
        assert "Secret" not in office.page(path).text
        assert "(redacted)" in office.page(path).text


@promise("web.message.page")
def test_a_late_reminder_says_how_late_it_is(office: PageOffice) -> None:
    sent = office.send(subject="Renew it", delay_seconds=60)["message_id"]
    assert facts(shown(office, sent))["State"] == "scheduled"
    office.clock.pass_seconds(60 + 2 * 3_600)
    page = shown(office, sent)
    assert "reminder, 2 h late" in page.one("header", "opening").text
    assert facts(page)["Due"].endswith("2 h late")


@promise("web.message.page", "web.decisions.form")
def test_the_message_of_a_question_leads_to_the_questions_page(office: PageOffice) -> None:
    options = [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]
    asked = office.run("decision.ask", from_project="a", to_project="b", question="Go?", options=options)["decision_id"]
    assert shown(office, asked).one("p", "notice").one("a").attributes["href"] == f"/web/decisions/{asked}"
    assert not shown(office, office.send()["message_id"]).find("p", "notice")


@promise("web.page.text_escaped", "web.message.page")
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_subjects_bodies_and_outcomes_are_shown_as_text(office: PageOffice, text: str) -> None:
    sent = office.send(subject=text, body=text, actionable=True)["message_id"]
    token = office.run("message.claim", project="b", session="S7", message_id=sent, occurrence=1)["token"]
    given = {"project": "b", "session": "S7", "message_id": sent, "occurrence": 1, "token": token}
    office.run("message.snooze", outcome=text, delay_seconds=60, **given)
    office.run("message.reply", project="b", message_id=sent, subject=text, body=text)
    for path in (f"/web/messages/{sent}", "/web/projects/default/b", "/web/activity"):
        reply = office.page(path)
        page = read(reply.text)
        assert reply.status == 200
        assert all(one.attributes.get("src", "").startswith("/web/static/") for one in page.find("script"))
        assert not page.find("img")
        assert not any(one.attributes.get("href", "/").startswith("javascript") for one in page.find("a"))
        assert not {"\u200b", "\u202e", "\u2066"} & set(reply.text)
        for one in page.all():
            assert not any(name.startswith("on") or name == "style" for name in one.attributes), one
    page = shown(office, sent)
    words = [one.text.replace("\\u{202e}", "") for one in page.find("p", "words")]
    start = text.replace("\u202e", "").split("\u200b")[0]
    assert len(words) >= 2
    assert all(one.startswith(start) for one in [page.one("h1").text.replace("\\u{202e}", ""), *words])


@promise("web.sender.hidden", "web.message.page")
def test_ends_that_may_not_be_read_are_named_so_without_a_link(office: PageOffice) -> None:
    sent = office.send()["message_id"]
    record = office.run("message.view", message_id=sent)["message"]
    hidden = {"workspace": None, "project": "a project you cannot read", "session": None}
    record["from"] |= hidden
    record["to"] |= hidden | {"user": None}
    one = sheet(record, office.clock.now())
    assert (one.sender.label, one.sender.href) == ("a project you cannot read", None)
    assert (one.to, one.to_href, one.is_own) == ("a project you cannot read", None, False)
    assert piece(record, office.clock.now()).sender.href is None


@promise("web.refusal.code_and_remedy", "web.message.page")
@pytest.mark.parametrize(
    ("message_id", "status", "code"), [(NOBODY, 404, "message_not_found"), ("17", 422, "invalid_input")]
)
def test_a_message_that_there_is_not_is_a_page_that_says_so(
    office: PageOffice, message_id: str, status: int, code: str
) -> None:
    page = shown(office, message_id, status)
    assert page.one("p", "code").text == code
    assert page.one("h1").text
    assert page.one("p", "remedy").text


@promise("web.queue.showing_marks_nothing", "web.message.page")
def test_looking_at_a_message_and_the_journal_changes_nothing(office: PageOffice) -> None:
    sent = office.send()["message_id"]
    before = office.everything()
    shown(office, sent)
    office.page("/web/activity")
    office.page(f"/web/messages/{NOBODY}")
    assert office.everything() == before


@promise("web.queue.read_only", "web.message.page")
def test_no_change_is_reachable_below_a_messages_address_even_for_who_is_signed_in(office: PageOffice) -> None:
    sent = office.send(actionable=True)["message_id"]
    token = office.context.signins.redeem(office.context.signins.issue())
    headers = {**FROM_PAGE, "cookie": f"{office.context.signins.cookie}={token}"}
    before = office.everything()
    for verb in ("", "/pop", "/ack", "/claim", "/complete", "/cancel", "/reply", "/redact"):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            body = {"project": "b", "session": "S1", "occurrence": 1}
            assert office.request(method, f"/web/messages/{sent}{verb}", headers, body).status in {404, 405}
    assert office.everything() == before


@promise("web.page.live", "web.message.page")
def test_a_messages_page_is_told_of_what_happens_in_its_mailbox(office: PageOffice) -> None:
    sent = office.send(actionable=True)["message_id"]
    address = shown(office, sent).one(id="stream").attributes["hx-sse:connect"]
    with office.stream(address) as stream:
        stream.start()
        office.run("message.claim", project="b", session="S7", message_id=sent, occurrence=1)
        assert stream.event() is not None
