"""What bounds mail: room in an inbox, sends a minute, chains of replies. Exact, and settings."""

from __future__ import annotations

import threading
from dataclasses import replace

from tests.operations.office import LOGIN, Office, refused
from tests.promises.marks import promise
from waypost.assembly.settings import LimitSettings
from waypost.kernel.errors import WaypostError
from waypost.operations.call import Rights

SMALL = LimitSettings(inbox=5, scheduled=3, sends_a_minute=4, loop_replies=2, loop_minutes=10)


@promise("mail.bounds.unread_256")
def test_a_full_inbox_refuses_until_somebody_reads_or_pops(office: Office) -> None:
    sent = [office.send(body=f"number {number}")["message_id"] for number in range(256)]
    with refused(office, "inbox_full") as caught:
        office.send(body="one too many")
    assert "256" in caught[0].detail
    office.run("message.ack", project="b", session="B1", message_id=sent[0], occurrence=1)
    office.send(body="fits after an ack")
    with refused(office, "inbox_full"):
        office.send(body="full again")
    office.run("message.pop", project="b")
    office.run("message.pop", project="b")
    office.send(body="fits after a pop")


@promise("mail.bounds.scheduled_1000")
def test_a_recipient_takes_1000_scheduled_messages(office: Office) -> None:
    for number in range(1_000):
        office.send(body=f"number {number}", delay_seconds=3_600)
    with refused(office, "inbox_full") as caught:
        office.send(body="one too many", delay_seconds=3_600)
    assert "1000" in caught[0].detail
    office.send(body="due now still fits")


@promise("mail.bounds.time_may_exceed", "mail.bounds.settings")
def test_reminders_that_come_due_may_exceed_the_bound(database: str) -> None:
    office = Office(database, SMALL)
    office.add("a", "b")
    for number in range(5):
        office.send(body=f"now {number}")
    for number in range(3):
        office.send(body=f"later {number}", delay_seconds=60)
    with refused(office, "inbox_full"):
        office.send(body="later 4", delay_seconds=60)
    office.clock.pass_seconds(61)
    assert len(office.ids(project="b")) == 8
    with refused(office, "inbox_full"):
        office.send(body="now 6")
    office.waypost.close()


@promise("mail.bounds.exact_under_load")
def test_the_bound_is_exact_while_senders_race(database: str) -> None:
    office = Office(database, LimitSettings(inbox=50))
    office.add("a", "b")
    codes: list[str] = []
    start = threading.Barrier(8)

    def race(name: int) -> None:
        start.wait(10)
        for number in range(20):
            try:
                office.send(body=f"{name} {number}")
                codes.append("stored")
            except WaypostError as error:
                codes.append(error.code)

    threads = [threading.Thread(target=race, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert (codes.count("stored"), codes.count("inbox_full")) == (50, 110)
    assert len(office.ids(project="b", limit=500)) == 50
    office.waypost.close()


@promise("mail.bounds.rate", "mail.bounds.settings")
def test_a_session_sends_so_much_a_minute_and_a_caller_without_one_is_not_rated(office: Office) -> None:
    office.add(*(f"r{number}" for number in range(3)))
    for number in range(60):
        office.send(session="A1", body=f"number {number}", to_project=f"r{number % 3}")
    with refused(office, "rate_limited") as caught:
        office.send(session="A1", body="too fast")
    assert "60" in caught[0].detail
    office.send(body="no session, no rate")
    office.send(session="A2", body="another session")
    office.reopen()
    with refused(office, "rate_limited"):
        office.send(session="A1", body="still counted after a restart")
    office.clock.pass_seconds(60)
    office.send(session="A1", body="a minute later")


@promise("mail.bounds.loop_guard")
def test_a_chain_of_replies_between_agents_is_stopped(office: Office) -> None:
    last = office.send(body="ping")["message_id"]
    for number in range(10):
        who = "b" if number % 2 == 0 else "a"
        last = office.run("message.reply", project=who, message_id=last, body=f"reply {number}")["message_id"]
    with refused(office, "loop_guard") as caught:
        office.run("message.reply", project="b", message_id=last, body="and so on")
    assert "10" in caught[0].detail
    office.send(body="a new thread is free")
    office.clock.pass_seconds(601)
    office.run("message.reply", project="b", message_id=last, body="later it is no loop")


@promise("mail.bounds.loop_guard")
def test_a_person_in_the_thread_frees_the_chain(office: Office) -> None:
    person = replace(office.caller, rights=Rights.OPERATOR, user=LOGIN)
    last = office.send(body="ping")["message_id"]
    for number in range(10):
        who = "b" if number % 2 == 0 else "a"
        last = office.run("message.reply", project=who, message_id=last, body=f"reply {number}")["message_id"]
    with refused(office, "loop_guard"):
        office.run("message.reply", project="b", message_id=last, body="and so on")
    answer = office.run("message.reply", caller=person, project="b", message_id=last, body="Go on, please.")
    office.run("message.reply", project="a", message_id=answer["message_id"], body="We do.")
