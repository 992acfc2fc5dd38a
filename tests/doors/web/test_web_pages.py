"""What Home and a project's page say, from a store that the operations filled."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from tests.doors.web.page_office import PageOffice
from tests.doors.web.reading import Element, read
from tests.promises.marks import promise
from waypost.kernel.time import MINUTE, SECOND
from waypost.mail.models import Lease
from waypost.mail.store import acked, change, find_message
from waypost.server.web.shown import letter
from waypost.store.interface import Actor, Transaction


def home(office: PageOffice) -> Element:
    reply = office.page("/web/")
    assert reply.status == 200
    return read(reply.text)


def project(office: PageOffice, name: str = "b", status: int = 200) -> Element:
    reply = office.page(f"/web/projects/default/{name}")
    assert reply.status == status
    return read(reply.text)


@promise("web.home.badge")
def test_a_card_has_an_amber_badge_where_mail_is_pending_and_nothing_where_none_is(office: PageOffice) -> None:
    for number in range(3):
        office.send(body=f"number {number}")
    cards = {card.one("a").text: card for card in home(office).find("li", "card")}
    assert list(cards) == ["a", "b", "c"]
    assert cards["b"].one("span", "badge").text == "3 inbox"
    assert not cards["a"].find(class_="badge")
    assert not cards["c"].find(class_="badge")
    assert cards["b"].one("a").attributes["href"] == "/web/projects/default/b"


@promise("web.home.badge")
def test_read_popped_scheduled_and_cancelled_mail_has_no_badge(office: PageOffice) -> None:
    read_one = office.send(body="read")["message_id"]
    office.run("message.ack", project="b", session="S1", message_id=read_one, occurrence=1)
    office.run("message.pop", project="b", message_id=office.send(body="popped")["message_id"])
    office.send(body="scheduled", delay_seconds=60)
    office.run("message.cancel", project="a", message_id=office.send(body="cancelled")["message_id"])
    assert not home(office).find(class_="badge")
    office.clock.pass_seconds(61)
    assert home(office).one(class_="badge").text == "1 inbox"


@promise("web.home.total_line")
def test_one_line_says_the_total_and_links_to_the_projects_holding_mail(office: PageOffice) -> None:
    office.send(to_project="b", body="one")
    office.send(to_project="b", body="two")
    office.send(to_project="c", body="three")
    line = home(office).one("p", "total")
    assert line.text == "3 messages wait in default/b 2, default/c 1."
    assert [link.attributes["href"] for link in line.find("a")] == [
        "/web/projects/default/b",
        "/web/projects/default/c",
    ]


@promise("web.home.total_line")
def test_the_line_of_one_message_and_of_none(office: PageOffice) -> None:
    assert home(office).one("p", "total").text == "No mail is waiting."
    office.send()
    assert home(office).one("p", "total").text == "1 message waits in default/b."


@promise("web.page.server_rendered")
def test_an_empty_office_says_how_to_start_with_two_commands(tmp_path_factory: pytest.TempPathFactory) -> None:
    office = PageOffice(tmp_path_factory.mktemp("empty"))
    try:
        commands = [code.text for code in home(office).one("ol").find("code")]
    finally:
        office.close()
    assert commands == ["waypost project add", "waypost mcp"]


@promise("web.project.five_oldest", "web.page.server_rendered")
def test_a_project_shows_the_five_oldest_with_subject_sender_snippet_and_age(office: PageOffice) -> None:
    for number in range(7):
        office.send(subject=f"subject {number}", body=f"body {number} " + "word " * 60)
        office.clock.pass_seconds(60)
    letters = project(office).find("li", "letter")
    assert [one.one("h3").text for one in letters] == [f"subject {number}" for number in range(5)]
    first = letters[0]
    assert first.one(class_="from").one("a").attributes["href"] == "/web/projects/default/a"
    assert first.one(class_="from").text.startswith("from default/a")
    snippet = first.one(class_="snippet").text
    assert snippet.startswith("body 0 word word")
    assert snippet.endswith("…")
    assert 150 < len(snippet) <= 160
    assert first.one("time").text == "7 min ago"


@promise("web.project.of_n_and_command")
def test_more_than_five_say_of_how_many_and_how_to_list_them(office: PageOffice) -> None:
    for number in range(6):
        office.send(body=f"number {number}")
    page = project(office)
    assert page.one(id="mailbox-count").text == "5 of 6"
    assert page.one(id="command").text == "waypost message list --workspace default --project b --limit 200"


@promise("web.project.of_n_and_command", "web.project.none_says_so")
def test_five_need_no_command_and_none_says_so(office: PageOffice) -> None:
    for number in range(5):
        office.send(body=f"number {number}")
    page = project(office)
    assert page.one(id="mailbox-count").text == "5 waiting"
    assert not page.find(id="command")
    assert project(office, "a").one("section", "mailbox").one("p", "empty").text == "No mail is waiting here."


@promise("web.project.inbox_only")
def test_sent_mail_is_not_in_the_senders_mailbox(office: PageOffice) -> None:
    office.send(subject="to b")
    page = project(office, "a")
    assert not page.one("section", "mailbox").find("li")
    assert "to b" in page.one("section", "activity").text


@promise("web.project.unknown_is_empty")
@pytest.mark.parametrize("name", ["nobody", "Not%20a%20name", "%3Cscript%3E", "..%2e"])
def test_an_unknown_project_is_an_empty_mailbox_that_says_so_and_creates_nothing(office: PageOffice, name: str) -> None:
    before = office.everything()
    page = project(office, name, status=404)
    assert "No project has this name." in page.one("p", "notice").text
    assert page.one("section", "mailbox").one("p", "empty").text == "No mail is waiting here."
    assert office.everything() == before


@promise("web.project.unknown_is_empty")
def test_an_unknown_project_names_near_ones(office: PageOffice) -> None:
    office.add("payments")
    link = project(office, "payment", status=404).one("p", "notice").one("a")
    assert (link.text, link.attributes["href"]) == ("default/payments", "/web/projects/default/payments")


@promise("web.queue.showing_marks_nothing")
def test_showing_pages_changes_nothing_in_the_store(office: PageOffice) -> None:
    office.send(subject="look at me")
    before = office.everything()
    for _ in range(2):
        home(office)
        project(office)
    assert office.everything() == before


@promise("web.project.reminders_and_claims")
def test_reminders_and_claimed_work_stand_beside_the_mailbox(office: PageOffice) -> None:
    office.send(subject="look in an hour", delay_seconds=3_600)
    claimed = office.send(subject="in hand", actionable=True)["message_id"]

    def claim(tx: Transaction) -> None:
        message = find_message(tx, claimed)
        assert message is not None
        actor = Actor(door="mcp", session="S1", project=message.mailbox_id)
        lease = Lease(holder="S1", token="t" * 32, until=tx.now + 30 * MINUTE)
        after = replace(message, lease=lease, first_read_at=tx.now, version=message.version + 1)
        change(tx, message, after, kind="message.claimed", actor=actor)
        acked(tx, after, "S1", actor=actor)

    office.waypost.store.write(claim)
    page = project(office)
    reminder, work = page.find("ul", "small")
    assert reminder.one("h3").text == "look in an hour"
    assert [one.text for one in reminder.find("time")][1] == "in 1 h"
    assert work.one("h3").text == "in hand"
    assert work.one(class_="session").text == "S1"
    assert work.one("time").attributes["data-show"] == "countdown"
    assert work.one("time").text == "ends in 30 min"
    assert not page.one("section", "mailbox").find("li")


@promise("web.project.reminders_and_claims")
def test_reminders_stand_next_due_first_late_ones_before_them_with_the_command_for_all(office: PageOffice) -> None:
    assert "Nothing is scheduled." in project(office).one("section", "reminders").text
    late = office.send(subject="late", delay_seconds=60)["message_id"]
    office.clock.pass_seconds(60 + 5 * 60)
    for number in range(7, 0, -1):
        office.send(subject=f"in {number} h", delay_seconds=number * 3_600)
    section = project(office).one("section", "reminders")
    assert [one.one("h3").text for one in section.find("li")] == ["late", *(f"in {number} h" for number in range(1, 6))]
    assert section.find("li")[0].one("span", "tag").text == "5 min late"
    assert section.find("li")[0].one("a").attributes["href"] == f"/web/messages/{late}"
    assert section.one(id="reminder-count").text == "5 of 7"
    command = "waypost message list --workspace default --project b --limit 200 --status scheduled"
    assert section.one(id="reminders-command").text == command
    letter = project(office).one("section", "mailbox").one("li", "letter")
    assert "reminder, 5 min late" in letter.one("p", "from").text
    assert letter.one("h3").one("a").attributes["href"] == f"/web/messages/{late}"
    listed = office.run("message.list", project="b", status="scheduled", limit=200)["items"]
    assert len(listed) == 7


@promise("web.activity.journal")
def test_a_project_leads_to_its_mail_and_to_its_journal(office: PageOffice) -> None:
    sent = office.send(subject="hello")["message_id"]
    section = project(office).one("section", "activity")
    assert section.one("p", "count").one("a").attributes["href"] == "/web/activity?project=default%2Fb"
    assert section.find("li")[0].one("p", "what").one("a").attributes["href"] == f"/web/messages/{sent}"


@promise("web.page.server_rendered")
def test_activity_names_what_happened_to_which_mail_by_whom_and_through_which_door(office: PageOffice) -> None:
    message_id = office.send(subject="take this", from_project="c")["message_id"]
    office.run("message.pop", project="b", session="S7", message_id=message_id)
    entries = project(office).one("ol", "happenings").find("li")
    popped, session = entries[0], entries[1]
    assert popped.one(class_="deed").text == "popped"
    assert popped.one(class_="what").text == "take this from default/c"
    assert popped.one(class_="by").text == "default/b S7 by REST"
    assert session.one(class_="deed").text == "session began"
    assert session.one(class_="what").text == "S7"


@promise("web.sender.hidden")
def test_a_sender_whose_project_may_not_be_read_is_named_so_without_a_link(office: PageOffice) -> None:
    office.send()
    record = office.run("message.list", project="b")["items"][0]
    record["from"] |= {"workspace": None, "project": "a project you cannot read"}
    sender = letter(record, office.clock.now()).sender
    assert (sender.label, sender.href) == ("a project you cannot read", None)


@promise("web.times.viewers_zone")
def test_every_time_carries_its_utc_instant(office: PageOffice) -> None:
    office.send(subject="x", delay_seconds=3_600)
    office.send(subject="y")
    times = [one for page in (home(office), project(office)) for one in page.find("time")]
    assert len(times) > 5
    for one in times:
        assert one.attributes["datetime"].endswith("Z")
        assert one.attributes["title"].endswith(" UTC")


@promise("web.refusal.code_and_remedy")
def test_a_refusal_shows_its_code_and_what_to_do(office: PageOffice) -> None:
    reply = office.page("/web/no/such/page")
    page = read(reply.text).one(id="page")
    assert reply.status == 404
    assert page.one("code").text == "not_found"
    assert page.one("p", "remedy").text
    assert page.one("a").attributes["href"] == "/web/"


@promise("web.page.server_rendered")
def test_the_bare_address_leads_to_home(office: PageOffice) -> None:
    assert office.page("/").headers["location"] == "/web/"
    assert office.page("/web").headers["location"] == "/web/"


@promise("web.project.five_oldest")
def test_mail_that_waited_long_says_so_in_days(office: PageOffice) -> None:
    office.send(subject="old")
    office.clock.at += 5 * 86_400 * SECOND
    assert project(office).one("li", "letter").one("time").text == "5 days ago"


@promise("start.server.hooks_before_templates")
def test_the_application_loads_no_template_engine_before_the_first_page() -> None:
    program = (
        "import sys, waypost.server.app; print([name for name in ('jinja2', 'sse_starlette') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=True, encoding="utf-8"
    )
    assert done.stdout.strip() == "[]"
