"""pop, ack and cancel: exactly once, for one session, or withdrawn."""

from __future__ import annotations

import threading

from tests.operations.office import Office, refused
from tests.promises.marks import promise
from waypost.kernel.time import format_instant

UNKNOWN = "018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b"


@promise("mail.pop.closes", "mail.pop.by_id", "mail.pop.oldest_first", "mail.project.any_session_pops")
def test_a_pop_takes_the_oldest_or_the_one_named(office: Office) -> None:
    sent = []
    for text in ("first", "second", "third"):
        sent.append(office.send(body=text)["message_id"])
        office.clock.pass_seconds(1)
    named = office.run("message.pop", project="b", session="B1", message_id=sent[1])["message"]
    assert (named["id"], named["status"], named["outcome"]) == (sent[1], "done", "popped")
    assert office.run("message.pop", project="b", session="B2")["message"]["id"] == sent[0]
    assert office.run("message.pop", project="b")["message"]["id"] == sent[2]


@promise("mail.pop.nothing_is_null")
def test_a_pop_of_nothing_or_of_somebody_elses_answers_null(office: Office) -> None:
    assert office.run("message.pop", project="b")["message"] is None
    sent = office.send()["message_id"]
    office.run("message.pop", project="b", session="B1", message_id=sent)
    assert office.run("message.pop", project="b", session="B2", message_id=sent)["message"] is None


@promise("mail.pop.exactly_once")
def test_one_message_is_popped_once_however_many_race(office: Office) -> None:
    sent = {office.send(body=f"number {number}")["message_id"] for number in range(20)}
    taken: list[str] = []
    start = threading.Barrier(8)

    def race(name: str) -> None:
        start.wait(10)
        while True:
            message = office.run("message.pop", project="b", session=name)["message"]
            if message is None:
                return
            taken.append(message["id"])

    threads = [threading.Thread(target=race, args=(f"B{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(taken) == sorted(sent)


@promise("mail.pop.replayed")
def test_a_lost_answer_of_a_pop_is_had_again_by_the_one_that_popped(office: Office) -> None:
    by_session, by_project = office.send(body="one")["message_id"], office.send(body="two")["message_id"]
    office.run("message.pop", project="b", session="B1", message_id=by_session)
    office.run("message.pop", project="b", message_id=by_project)
    again = office.run("message.pop", project="b", session="B1", message_id=by_session)
    assert (again["message"]["id"], again["replayed"]) == (by_session, True)
    assert office.run("message.pop", project="b", message_id=by_session)["message"] is None
    assert office.run("message.pop", project="b", message_id=by_project)["replayed"] is True
    assert office.run("message.pop", project="b", session="B2", message_id=by_project)["message"] is None
    office.clock.pass_seconds(24 * 3600 + 1)
    assert office.run("message.pop", project="b", session="B1", message_id=by_session)["message"] is None


@promise("mail.pop.recently_popped")
def test_a_pop_without_an_id_lists_what_was_popped_lately(office: Office) -> None:
    sent = office.send()["message_id"]
    office.run("message.pop", project="b")
    assert office.run("message.pop", project="b")["recently_popped"] == [sent]
    office.clock.pass_seconds(601)
    assert office.run("message.pop", project="b")["recently_popped"] == []


@promise("mail.pop.only_due", "mail.due.at_its_instant")
def test_a_message_is_due_at_its_very_instant_and_not_before(office: Office) -> None:
    sent = office.send(delay_seconds=60)["message_id"]
    office.clock.pass_seconds(59.999999)
    assert office.ids(project="b") == []
    with refused(office, "not_due") as caught:
        office.run("message.pop", project="b", message_id=sent)
    assert "due at" in caught[0].detail
    office.clock.pass_seconds(0.000001)
    assert office.ids(project="b") == [sent]
    assert office.run("message.pop", project="b", message_id=sent)["message"]["id"] == sent


@promise("mail.pop.skips_reminders")
def test_a_pop_without_an_id_skips_reminders(office: Office) -> None:
    reminder = office.send(delay_seconds=1)["message_id"]
    office.clock.pass_seconds(5)
    plain = office.send(body="plain", actionable=True)["message_id"]
    assert office.run("message.pop", project="b")["message"]["id"] == plain
    assert office.run("message.pop", project="b")["message"] is None
    assert office.run("message.pop", project="b", message_id=reminder)["message"]["id"] == reminder


@promise("mail.pop.sessionless_project_only", "address.session.itself", "mail.pop.not_recipient")
def test_mail_to_a_session_is_taken_by_that_session_alone(office: Office) -> None:
    sent = office.send(to_session="B1")["message_id"]
    assert office.run("message.pop", project="b")["message"] is None
    assert office.run("message.pop", project="b", session="B2")["message"] is None
    with refused(office, "not_recipient"):
        office.run("message.pop", project="b", message_id=sent)
    with refused(office, "not_recipient"):
        office.run("message.pop", project="b", session="B2", message_id=sent)
    with refused(office, "not_recipient"):
        office.run("message.pop", project="c", message_id=sent)
    assert office.run("message.pop", project="b", session="B1")["message"]["id"] == sent


@promise("address.session.continuations", "address.session.transitive", "identity.session.continues_declared")
def test_mail_to_a_session_reaches_those_that_continue_it_however_far(office: Office) -> None:
    office.run("session.put", project="b", session_id="B2", continues="B1")
    office.run("session.put", project="b", session_id="B3")
    office.run("session.continue", session_id="B3", continues="B2")
    office.run("session.put", project="b", session_id="B1", continues="B3")
    sent = office.send(to_session="B1")["message_id"]
    for session in ("B1", "B2", "B3"):
        assert office.ids(project="b", session=session) == [sent]
    assert office.ids(project="b", session="B4") == []
    assert office.run("session.show", session_id="B3")["session"]["continues"] == ["B2"]


@promise("mail.ack.for_this_session", "mail.ack.project_mail_stays", "receipt.rows.change_no_version")
def test_an_ack_makes_mail_read_for_one_session(office: Office) -> None:
    sent = office.send()["message_id"]
    answer = office.run("message.ack", project="b", session="B1", message_id=sent, occurrence=1)
    assert (answer["status"], answer["version"]) == ("open", 1)
    assert office.ids(project="b", session="B1") == []
    assert office.ids(project="b", session="B2") == [sent]
    assert office.ids(project="b", session="B1", status="open") == [sent]
    assert office.ids(project="b") == [], "without a session, unread is what nobody has read"


@promise("mail.ack.harmless_repeat")
def test_a_repeated_ack_changes_nothing(office: Office) -> None:
    for fields in ({"to_session": "B1"}, {"actionable": True}, {}):
        sent = office.send(repeat=True, **fields)["message_id"]
        first = office.run("message.ack", project="b", session="B1", message_id=sent, occurrence=1)
        before = office.everything()
        office.clock.pass_seconds(1)
        again = office.run("message.ack", project="b", session="B1", message_id=sent, occurrence=1)
        assert again == first
        assert office.everything() == before


@promise("mail.ack.session_mail_closes", "record.versions.kept", "record.version.rises", "mail.view.versions")
def test_informational_mail_to_a_session_closes_when_acked(office: Office) -> None:
    sent = office.send(to_session="B1")["message_id"]
    answer = office.run("message.ack", project="b", session="B1", message_id=sent, occurrence=1)
    assert (answer["status"], answer["version"]) == ("done", 2)
    view = office.run("message.view", project="b", message_id=sent)
    assert view["message"]["version"] == 2
    assert [(past["version"], past["status"], past["change"]) for past in view["history"]] == [
        (1, "open", "message.closed")
    ]


@promise("mail.ack.actionable_stays_open")
def test_actionable_mail_stays_open_when_acked(office: Office) -> None:
    sent = office.send(to_session="B1", actionable=True)["message_id"]
    assert office.run("message.ack", project="b", session="B1", message_id=sent, occurrence=1)["status"] == "open"
    assert office.ids(project="b", session="B1", status="open") == [sent]


@promise("mail.ack.needs_session", "mail.session.required", "mail.ack.not_recipient", "mail.ack.stale_occurrence")
def test_an_ack_is_refused_without_session_audience_or_the_current_occurrence(office: Office) -> None:
    sent = office.send(to_session="B1")["message_id"]
    office.run("session.put", project="b", session_id="B2")
    with refused(office, "session_required"):
        office.run("message.ack", project="b", message_id=sent, occurrence=1)
    with refused(office, "not_recipient"):
        office.run("message.ack", project="b", session="B2", message_id=sent, occurrence=1)
    office.run("session.put", project="b", session_id="B1")
    with refused(office, "stale_occurrence"):
        office.run("message.ack", project="b", session="B1", message_id=sent, occurrence=2)
    with refused(office, "invalid_input"):
        office.run("message.ack", project="b", session="B1", message_id=sent)
    with refused(office, "message_not_found"):
        office.run("message.ack", project="b", session="B1", message_id=UNKNOWN, occurrence=1)


@promise("mail.order.of_checks")
def test_refusals_come_in_one_order(office: Office) -> None:
    sent = office.send(to_session="B1", delay_seconds=60)["message_id"]
    office.run("session.put", project="b", session_id="B2")
    office.run("session.put", project="b", session_id="B1")

    def code(session: str, occurrence: int) -> str:
        with refused(office, expected) as caught:
            office.run("message.ack", project="b", session=session, message_id=sent, occurrence=occurrence)
        return caught[0].code

    for session, occurrence, expected in (
        ("B2", 7, "not_recipient"),
        ("B1", 7, "stale_occurrence"),
        ("B1", 1, "not_due"),
    ):
        assert code(session, occurrence) == expected
    office.run("message.cancel", project="a", message_id=sent)
    popped = office.send(to_session="B1", body="popped")["message_id"]
    office.run("message.pop", project="b", session="B1", message_id=popped)
    with refused(office, "already_closed"):
        office.run("message.cancel", project="b", session="B1", message_id=popped)


@promise("receipt.kinds.apart", "receipt.continuation.inherits")
def test_receipts_are_apart_and_a_continuing_session_inherits_them(office: Office) -> None:
    popped, acked = office.send(body="popped")["message_id"], office.send(body="acked")["message_id"]
    office.run("message.pop", project="b", session="B1", message_id=popped)
    office.run("message.ack", project="b", session="B1", message_id=acked, occurrence=1)

    def receipt(message_id: str) -> tuple[bool, bool, bool]:
        (only,) = office.run("message.view", project="b", message_id=message_id)["message"]["receipts"]
        return tuple(only[kind] is not None for kind in ("notified_at", "returned_at", "acked_at"))  # type: ignore[return-value] # three kinds

    assert receipt(popped) == (False, True, False)
    assert receipt(acked) == (False, False, True)
    office.run("session.put", project="b", session_id="B2", continues="B1")
    assert office.ids(project="b", session="B2") == []
    assert office.ids(project="b", session="B3") == [acked]


@promise("mail.cancel.one", "mail.cancel.idempotent", "mail.cancel.scheduled", "api.write.names_change_and_version")
def test_a_sender_withdraws_one_message_and_may_repeat_it(office: Office) -> None:
    kept = office.send(body="kept")["message_id"]
    gone = office.send(body="gone", delay_seconds=60)["message_id"]
    first = office.run("message.cancel", project="a", message_id=gone, outcome="not needed")
    assert (first["cancelled"], first["messages"]) == (1, [{"message_id": gone, "version": 2}])
    assert office.run("message.cancel", project="a", message_id=gone)["cancelled"] == 0
    office.clock.pass_seconds(61)
    assert office.run("message.pop", project="b", message_id=gone)["message"] is None
    assert office.ids(project="b") == [kept]


@promise("mail.cancel.after_pop_refused", "mail.cancel.occurrence_checked")
def test_a_popped_message_or_another_occurrence_cannot_be_cancelled(office: Office) -> None:
    sent = office.send()["message_id"]
    with refused(office, "stale_occurrence"):
        office.run("message.cancel", project="a", message_id=sent, occurrence=2)
    office.run("message.pop", project="b", message_id=sent)
    with refused(office, "already_closed"):
        office.run("message.cancel", project="a", message_id=sent)


@promise("mail.cancel.who", "mail.isolation.outbox_by_sender")
def test_nobody_but_sender_and_recipient_cancels(office: Office) -> None:
    sent = office.send()["message_id"]
    with refused(office, "not_recipient"):
        office.run("message.cancel", project="c", message_id=sent)
    assert office.run("message.cancel_all", project="c", all=True)["cancelled"] == 0
    assert office.run("message.list", project="c", box="outbox", status="all")["items"] == []
    assert office.run("message.cancel", project="b", message_id=sent)["cancelled"] == 1


@promise("mail.cancel.all", "mail.cancel.never_all_by_omission")
def test_all_withdraws_the_own_open_outbox_and_says_how_much(office: Office) -> None:
    office.send(body="one")
    office.send(body="two", delay_seconds=60)
    popped = office.send(body="three")["message_id"]
    office.run("message.pop", project="b", message_id=popped)
    other = office.send(from_project="c", body="not mine")["message_id"]
    with refused(office, "invalid_input"):
        office.run("message.cancel_all", project="a")
    with refused(office, "invalid_input"):
        office.run("message.cancel_all", project="a", all=True, message_id=other)
    assert office.run("message.cancel_all", project="a", all=True)["cancelled"] == 2
    assert office.run("message.cancel_all", project="a", all=True)["cancelled"] == 0
    assert office.ids(project="b") == [other]


@promise("mail.expiry.by_sender", "mail.expiry.unread_never")
def test_mail_expires_by_its_senders_word_and_not_by_itself(office: Office) -> None:

    expiring = office.send(body="soon useless", expires_at=format_instant(office.clock.at + 60_000_000))["message_id"]
    lasting = office.send(body="lasting")["message_id"]
    office.clock.pass_seconds(60)
    assert office.ids(project="b") == [lasting]
    assert office.run("message.pop", project="b", message_id=expiring)["message"] is None
    assert office.run("message.view", project="b", message_id=expiring)["message"]["status"] == "expired"
    office.clock.pass_seconds(400 * 24 * 3600)
    assert office.ids(project="b") == [lasting]
