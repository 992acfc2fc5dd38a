"""send and reply: what is stored, for whom, and what a repeat gets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.operations.office import LOGIN, START, Office, refused
from tests.promises.marks import promise
from waypost.kernel.text import unframe
from waypost.kernel.time import format_instant
from waypost.operations.catalogue import OPERATIONS
from waypost.operations.inputs import _shapes


@promise("mail.send.confirms_no_reading", "mail.send.informational_default", "mail.delivery.next_activity_default")
def test_a_send_confirms_storage_and_claims_no_reading(office: Office) -> None:
    answer = office.send(subject="export endpoint")
    assert answer["status"] == "open"
    assert answer["version"] == 1
    assert answer["to"] == {"workspace": "default", "project": "b", "user": None, "session": None}
    record = office.run("message.view", project="b", message_id=answer["message_id"])["message"]
    assert (record["actionable"], record["delivery"], record["receipts"]) == (False, "next_activity", [])
    assert not {"read", "delivered", "seen"} & set(answer)


@promise("mail.send.unknown_recipient", "mail.send.unknown_recipient_near_names")
def test_an_unknown_recipient_is_refused_with_near_names_and_no_inbox_comes_into_being(office: Office) -> None:
    office.add("team/export-api")
    with refused(office, "unknown_recipient") as caught:
        office.send(to_project="export-apis")
    assert "team/export-api" in caught[0].hint
    with refused(office, "unknown_recipient"):
        office.send(to_project=None, to_user="nobody-here")


@promise("mail.scope.untargeted_send")
def test_a_send_without_destination_goes_to_the_own_project(office: Office) -> None:
    answer = office.send(to_project=None)
    assert answer["to"]["project"] == "a"
    assert office.ids(project="a") == [answer["message_id"]]


@promise("address.sender.workspace_needs_project")
@pytest.mark.parametrize("side", ["from", "to"])
def test_a_workspace_without_a_project_is_refused(office: Office, side: str) -> None:
    with refused(office, "invalid_input") as caught:
        fields: dict[str, Any] = {f"{side}_project": None, f"{side}_workspace": "default"}
        office.send(**fields)
    assert f"{side}_project" in caught[0].detail


@promise("mail.scope.untargeted_send", "api.ids.malformed_refused", "address.name.alphabet", "address.session.alphabet")
@pytest.mark.parametrize("empty", ["", " "])
@pytest.mark.parametrize(
    "field", ["to_project", "to_workspace", "to_session", "to_user", "from_project", "session", "about", "reply_to"]
)
def test_an_empty_name_is_refused_and_never_means_somebody_else(office: Office, field: str, empty: str) -> None:
    fields: dict[str, Any] = {"to_project": None} if field == "to_user" else {}
    with refused(office, "invalid_input") as caught:
        office.send(**{**fields, field: empty})
    assert caught[0].detail.startswith(field), "a script whose variable is not set would mail its own project"


@promise("address.project.bare_is_default", "address.project.label_is_split")
def test_a_label_given_as_the_project_is_split(office: Office) -> None:
    office.add("team/api")
    assert office.send(to_project="team/api")["to"] == {
        "workspace": "team",
        "project": "api",
        "user": None,
        "session": None,
    }
    assert office.send(to_workspace="team", to_project="api", body="other")["to"]["workspace"] == "team"
    assert office.send(to_project="b", body="bare")["to"]["workspace"] == "default"
    with refused(office, "invalid_input"):
        office.send(to_workspace="default", to_project="team/api")


@promise("address.name.alphabet", "api.ids.malformed_refused")
@pytest.mark.parametrize("name", ["../etc", "a b", "ümlaut", "-lead", "x" * 129, "a/b/c"])
def test_a_name_outside_its_alphabet_is_refused(office: Office, name: str) -> None:
    with refused(office, "invalid_input") as caught:
        office.send(to_project=name)
    assert "to_" in caught[0].detail


@promise("address.name.alphabet")
def test_capitals_in_a_name_are_folded(office: Office) -> None:
    assert office.send(to_project="Default/B")["to"]["project"] == "b"


@promise("address.session.alphabet", "address.session.need_not_exist")
def test_a_session_id_is_kept_as_the_client_gave_it(office: Office) -> None:
    assert office.send(to_session="Sess:ION_1.x-Y")["to"]["session"] == "Sess:ION_1.x-Y"
    for bad in ("", "a b", "x" * 129, "sé"):
        if bad:
            with refused(office, "invalid_input"):
                office.send(to_session=bad, body="again")


@promise("mail.send.dated_is_actionable", "mail.due.stored_in_utc")
def test_a_time_makes_a_message_actionable_and_is_stored_in_utc(office: Office) -> None:
    dated = office.send(due_at="2030-03-01T09:30:00+02:00")
    assert (dated["actionable"], dated["due_at"]) == (True, "2030-03-01T07:30:00.000000Z")
    delayed = office.send(delay_seconds=90, body="later")
    assert (delayed["actionable"], delayed["due_at"]) == (True, format_instant(START + 90_000_000))
    past = office.send(due_at=datetime(2001, 1, 1, tzinfo=UTC).isoformat(), body="long ago")
    assert office.ids(project="b", status="unread") == [past["message_id"]]


@promise("mail.due.input_checked", "mail.due.no_recurrence")
@pytest.mark.parametrize(
    ("timing", "field"),
    [
        ({"due_at": "2030-03-01T09:30:00"}, "due_at"),
        ({"due_at": "tomorrow"}, "due_at"),
        ({"due_at": "0 9 * * *"}, "due_at"),
        ({"due_at": "1969-12-31T00:00:00Z"}, "due_at"),
        ({"delay_seconds": 0}, "delay_seconds"),
        ({"delay_seconds": -5}, "delay_seconds"),
        ({"delay_seconds": 10**12}, "delay_seconds"),
        ({"delay_seconds": 5, "due_at": "2030-03-01T09:30:00Z"}, "due_at and delay_seconds"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"delay_seconds": 100, "expires_at": format_instant(START + 50_000_000)}, "expires_at"),
    ],
)
def test_a_time_that_says_nothing_certain_is_refused(office: Office, timing: dict[str, Any], field: str) -> None:
    with refused(office, "invalid_input") as caught:
        office.send(**timing)
    assert field in caught[0].detail


@promise("record.subject.one_line", "record.body.length", "text.too_long.refused")
def test_text_outside_its_bounds_is_refused(office: Office) -> None:
    with refused(office, "body_too_long") as caught:
        office.send(body="x" * 8_001)
    assert "8001" in caught[0].detail.replace(",", "")
    with refused(office, "body_too_long"):
        office.send(subject="x" * 201)
    for body in ("", "  \n "):
        with refused(office, "invalid_input"):
            office.send(body=body)
    with refused(office, "invalid_input"):
        office.send(subject="two\nlines")
    assert office.send(subject="s" * 200, body="x" * 8_000)["truncated"] is False


@promise("text.truncate.marked", "errors.nothing.silent")
def test_truncate_cuts_with_a_mark_and_says_so(office: Office) -> None:
    answer = office.send(body="word " * 3_000, truncate=True)
    assert (answer["truncated"], answer["original_length"]) == (True, 15_000)
    body = office.run("message.view", project="b", message_id=answer["message_id"])["message"]["body"]
    assert len(unframe(body)) <= 8_000
    assert "cut by Waypost" in body


@promise("text.invalid.refused_with_position", "text.invalid.repaired")
def test_invalid_text_is_refused_with_its_position_or_repaired(office: Office) -> None:
    for bad in ("ab\ud83d", "ab\0"):
        with refused(office, "invalid_text") as caught:
            office.send(body=bad)
        assert "2" in caught[0].detail
        office.send(body=bad, repair=True, repeat=True)
    bodies = [unframe(item["body"]) for item in office.run("message.list", project="b")["items"]]
    assert bodies == ["ab\N{REPLACEMENT CHARACTER}"] * 2


@promise("text.scrub.all_free_texts", "text.scrub.count_answered", "idempotency.secret.not_stored")
def test_secrets_are_removed_from_every_text_and_counted(office: Office) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    answer = office.send(subject=f"key {secret}", body=f"use {secret} please", key="k1")
    assert answer["scrubbed"] == 2
    assert secret not in str(office.everything())


@promise("text.scrub.all_free_texts", "text.scrub.count_answered", "text.too_long.refused", "text.truncate.marked")
@pytest.mark.parametrize("operation", ["message.cancel", "message.cancel_all"])
def test_an_outcome_is_a_free_text_like_any_other(office: Office, operation: str) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    sent = office.send()["message_id"]
    with refused(office, "body_too_long"):
        office.run(operation, project="a", message_id=sent, outcome="x" * 8_001)
    answer = office.run(operation, project="a", message_id=sent, outcome=f"{secret} " + "y " * 5_000, truncate=True)
    assert (answer["scrubbed"], answer["truncated"], answer["original_length"] > 8_000) == (1, True, True)
    assert secret not in str(office.everything())
    stored = office.run("message.view", project="a", message_id=sent)["message"]["outcome"]
    assert len(unframe(stored)) <= 8_000


@promise("text.scrub.all_free_texts")
def test_every_field_that_holds_free_text_is_marked_as_one() -> None:
    free = {"subject", "body", "outcome", "comment", "summary", "details", "question", "label", "description", "links"}
    marked = {
        operation.name: {name for name, shape in _shapes(operation.input).items() if shape.mark is not None}  # type: ignore[arg-type] # any operation
        for operation in OPERATIONS
    }
    assert marked["message.cancel"] == {"outcome"}
    for operation in OPERATIONS:
        assert free & set(operation.input.model_fields) <= marked[operation.name], operation.name


@promise("text.scrub.before_measure")
def test_a_secret_that_straddles_the_limit_leaves_no_half(office: Office) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    office.send(body="x" * 7_980 + " " + secret, truncate=True)
    assert secret[:14] not in str(office.everything())


@promise("mail.send.key_repeat", "idempotency.key.first_answer")
def test_a_key_makes_a_repeat_return_the_first_answer(office: Office) -> None:
    first = office.answer("message.send", from_project="a", to_project="b", body="once", key="k-1")
    again = office.answer("message.send", from_project="a", to_project="b", body="once", key="k-1")
    assert (again.json, again.replayed, first.replayed) == (first.json, True, False)
    assert len(office.ids(project="b")) == 1


@promise("idempotency.key.mismatch", "idempotency.key.malformed_refused")
def test_a_key_belongs_to_one_input(office: Office) -> None:
    office.send(key="k-1")
    with refused(office, "idempotency_mismatch"):
        office.send(key="k-1", body="something else")
    for key in ("", "with space", "é", "x" * 256):
        with refused(office, "invalid_input"):
            office.send(key=key, body="bad key")


@promise("idempotency.key.scoped", "idempotency.key.kept_a_day", "idempotency.refusal.not_stored")
def test_a_key_counts_for_one_project_and_operation_and_one_day(office: Office) -> None:
    first = office.send(key="k")["message_id"]
    assert office.send(key="k", from_project="c")["message_id"] != first
    office.clock.pass_seconds(86_399)
    assert office.send(key="k")["message_id"] == first
    office.clock.pass_seconds(2)
    assert office.send(key="k", body="a new day")["message_id"] != first
    with refused(office, "unknown_recipient"):
        office.send(key="later", to_project="d")
    office.add("d")
    assert office.send(key="later", to_project="d")["to"]["project"] == "d"


@promise("mail.send.derived_repeat")
def test_without_a_key_the_same_send_is_taken_for_a_retry(office: Office) -> None:
    first = office.send(session="S1")
    again = office.send(session="S1")
    assert (again["message_id"], again["already_sent"], first["already_sent"]) == (first["message_id"], True, False)
    other_session = office.send(session="S2")
    other_text = office.send(session="S1", body="different")
    assert len({first["message_id"], other_session["message_id"], other_text["message_id"]}) == 3
    office.clock.pass_seconds(601)
    assert office.send(session="S1")["already_sent"] is False


@promise("mail.send.repeat_forced")
def test_repeat_stores_the_same_text_again(office: Office) -> None:
    first, again = office.send(), office.send(repeat=True)
    assert first["message_id"] != again["message_id"]
    assert len(office.ids(project="b")) == 2


@promise("mail.send.derived_not_after_cancel")
def test_a_send_like_a_cancelled_or_an_old_read_one_is_new(office: Office) -> None:
    first = office.send()
    office.run("message.cancel", project="a", message_id=first["message_id"])
    second = office.send()
    assert second["message_id"] != first["message_id"]
    office.run("message.pop", project="b", message_id=second["message_id"])
    assert office.send()["message_id"] == second["message_id"], "popped, but under 60 s old"
    office.clock.pass_seconds(61)
    assert office.send()["message_id"] not in {first["message_id"], second["message_id"]}


@promise("mail.send.reach")
def test_a_send_says_how_many_sessions_can_be_told(office: Office) -> None:
    assert office.send()["reach"]["sessions"] == 0
    office.run("session.put", project="b", session_id="B1")
    assert office.send(body="two")["reach"]["sessions"] == 1
    assert office.send(body="three", to_session="B1")["reach"]["session_known"] is True
    assert office.send(body="four", to_session="B9")["reach"]["session_known"] is False


@promise("mail.reply.to_project", "mail.reply.thread", "mail.reply.to_session")
def test_a_reply_goes_back_in_the_same_thread(office: Office) -> None:
    sent = office.send(session="A1")
    office.run("message.pop", project="b", message_id=sent["message_id"])
    reply = office.run("message.reply", project="b", message_id=sent["message_id"], body="Done.")
    assert (reply["to"]["project"], reply["to"]["session"], reply["thread"]) == ("a", None, sent["thread"])
    record = office.run("message.view", project="a", message_id=reply["message_id"])["message"]
    assert record["reply_to"] == sent["message_id"]
    direct = office.run(
        "message.reply", project="b", message_id=sent["message_id"], body="For you.", to_sender_session=True
    )
    assert direct["to"]["session"] == "A1"


@promise("mail.reply.only_recipient")
def test_nobody_but_a_recipient_replies(office: Office) -> None:
    sent = office.send()
    with refused(office, "not_recipient"):
        office.run("message.reply", project="c", message_id=sent["message_id"], body="Me too.")
    with refused(office, "message_not_found"):
        office.run("message.reply", project="c", message_id="018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b", body="?")
    with refused(office, "not_recipient"):
        office.run("message.reply", project="b", message_id=sent["message_id"], body="No.", to_sender_session=True)
    with refused(office, "message_not_found"):
        office.send(from_project="c", to_project="a", reply_to=sent["message_id"])


@promise("address.user.sessions_anywhere")
def test_mail_to_a_user_reaches_the_users_sessions_wherever_they_work(office: Office) -> None:
    sent = office.send(to_project=None, to_user=LOGIN)["message_id"]
    one = office.send(to_project=None, to_user=f"~{LOGIN}", to_session="C1", body="one only")["message_id"]
    assert office.run("message.list", user=LOGIN)["items"][0]["to"]["user"] == LOGIN
    office.run("session.put", project="b", session_id="B1")
    office.run("session.put", project="c", session_id="C1")
    assert office.ids(session="B1") == [sent]
    assert office.ids(session="C1") == [sent, one]
    with refused(office, "not_recipient"):
        office.run("message.pop", session="B1", message_id=one)
    assert office.run("message.pop", session="C1", message_id=one)["message"]["id"] == one


@promise("record.declared.apart", "record.user.only_authenticated", "frame.provenance.outside")
def test_a_record_keeps_what_the_door_knows_apart_from_what_the_caller_says(office: Office) -> None:
    sent = office.send(session="A1")["message_id"]
    sender = office.run("message.view", project="b", message_id=sent)["message"]["from"]
    assert sender == {
        "workspace": "default",
        "project": "a",
        "session": "A1",
        "client": None,
        "user": None,
        "declared": ["project", "session"],
        "via": {"door": "rest", "scope_source": "explicit"},
    }
