"""claim, renew, release, complete and snooze through the pipeline, on both engines: what is answered, shown, kept and refused."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.operations.office import Office, refused
from tests.promises.marks import promise
from waypost.kernel.text import SECURITY_NOTICE
from waypost.kernel.time import DAY, MINUTE, SECOND, format_instant
from waypost.mail.store import RESTORE_ENDINGS
from waypost.store.interface import Transaction

UNKNOWN = "018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b"
OUTCOME: dict[str, Any] = {"outcome": "Fixed in 4f1c."}
HELD_VERBS: dict[str, dict[str, Any]] = {
    "renew": {},
    "release": {},
    "complete": OUTCOME,
    "snooze": {**OUTCOME, "delay_seconds": 60},
}
CONSUMING: dict[str, dict[str, Any]] = {
    "ack": {},
    "claim": {},
    **{verb: {"token": "0" * 32, **fields} for verb, fields in HELD_VERBS.items()},
}


def work(office: Office, **fields: Any) -> str:
    """Actionable mail from a to b; its id."""
    message_id: str = office.send(actionable=True, **fields)["message_id"]
    return message_id


def claim(office: Office, message_id: str, session: str = "B1", occurrence: int = 1) -> Any:
    """The answer of a claim by a session of b."""
    return office.run("message.claim", project="b", session=session, message_id=message_id, occurrence=occurrence)


def act(office: Office, verb: str, claimed: Any, session: str = "B1", **fields: Any) -> Any:
    """The answer of a verb of the holder."""
    held = {name: claimed[name] for name in ("message_id", "occurrence", "token")}
    return office.run(f"message.{verb}", **{"project": "b", "session": session, **held, **fields})


def end_all(tx: Transaction) -> None:
    """What a restore does to leases."""
    for query in RESTORE_ENDINGS:
        tx.execute(query, {"generation_floor": 7})


def counts(office: Office, project: str = "b") -> int:
    """How much mail nobody has read, as every view of projects says it."""
    shown = office.run("project.show", workspace="default", project=project)["project"]["pending"]
    listed = {item["project"]: item["pending"] for item in office.run("project.list")["items"]}
    assert listed[project] == shown == len(office.ids(project=project))
    assert office.run("activity.mark", project=project)["pending"] == shown
    assert len(office.ids(project="a", box="outbox", status="unread")) == shown
    return int(shown)


@promise("mail.claim.one_owner", "mcp.answer.claim_fields", "api.write.names_change_and_version")
def test_a_claim_answers_token_lease_and_the_framed_message(office: Office) -> None:
    sent = work(office)
    answer = claim(office, sent)
    until = format_instant(office.clock.at + 30 * MINUTE)
    assert answer["lease"] == {"holder": "B1", "until": until, "generation": 1}
    assert (answer["message_id"], answer["occurrence"], answer["version"]) == (sent, 1, 2)
    assert (answer["status"], answer["repeated"], len(answer["token"])) == ("open", False, 32)
    assert answer["message"]["lease"] == answer["lease"]
    assert (answer["message"]["foreign"], answer["security_notice"]) == (True, SECURITY_NOTICE)
    assert "export endpoint" in answer["message"]["body"] != "Please look at the export endpoint."
    assert office.ids(project="b", session="B1") == [], "claiming is reading, for the one that claims"
    assert office.ids(project="b", session="B2") == [sent]
    assert office.run("activity.claims", project="b")["items"][0]["id"] == sent


@promise("mail.claim.token_to_holder_only")
def test_a_token_stands_in_the_answers_to_its_holder_and_nowhere_else(office: Office) -> None:
    sent = work(office)
    claimed = claim(office, sent)
    token = claimed["token"]
    assert claim(office, sent)["token"] == token
    act(office, "renew", claimed)
    act(office, "snooze", claimed, outcome="Not yet.", delay_seconds=1)
    office.clock.pass_seconds(1)
    again = claim(office, sent, occurrence=2)
    act(office, "complete", again, outcome="Done.")
    shown = [
        office.run("message.list", project="b", session="B1", status="all"),
        office.run("message.list", project="a", box="outbox", status="all"),
        office.run("message.view", project="b", session="B1", message_id=sent),
        office.run("activity.list"),
        office.run("activity.claims", project="b"),
        office.rows("select * from journal"),
        office.rows("select * from message_versions"),
    ]
    for secret in (token, again["token"]):
        assert secret not in str(shown)


@promise("mail.claim.refused_while_held", "mail.claim.not_actionable", "mail.claim.not_due", "api.codes.leases")
def test_what_cannot_be_claimed_is_refused(office: Office) -> None:
    sent, notice, later = (
        work(office),
        office.send(body="for your information")["message_id"],
        work(office, body="later", delay_seconds=60),
    )
    claim(office, sent)
    with refused(office, "already_claimed") as caught:
        claim(office, sent, "B2")
    assert "B1" in caught[0].detail
    assert caught[0].retryable
    with refused(office, "not_actionable"):
        claim(office, notice)
    with refused(office, "not_due"):
        claim(office, later)
    with refused(office, "message_not_found"):
        claim(office, UNKNOWN)
    with refused(office, "stale_occurrence"):
        claim(office, sent, occurrence=2)


@promise("mail.claim.one_owner", "postgres.claims.skip_locked")
def test_one_of_many_racing_sessions_gets_the_lease(office: Office) -> None:
    sent = work(office)
    won: list[Any] = []
    lost: list[str] = []
    start = threading.Barrier(6)

    def race(session: str) -> None:
        start.wait(10)
        try:
            won.append(claim(office, sent, session))
        except Exception as refusal:
            lost.append(getattr(refusal, "code", repr(refusal)))

    threads = [threading.Thread(target=race, args=(f"B{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(won) == 1
    assert lost == ["already_claimed"] * 5


@promise("mail.claim.expired_is_free", "mail.claim.generation_rises", "mail.complete.stale_token_refused")
def test_a_lease_that_ran_out_leaves_work_unread_and_its_old_holder_with_nothing(office: Office) -> None:
    sent = work(office)
    office.run("message.ack", project="b", session="B2", message_id=sent, occurrence=1)
    first = claim(office, sent)
    assert counts(office) == 0
    office.clock.pass_seconds(30 * 60)
    assert counts(office) == 1
    for session in ("B1", "B2", "B3"):
        assert office.ids(project="b", session=session) == [sent], session
    for verb, fields in HELD_VERBS.items():
        with refused(office, "lease_lost"):
            act(office, verb, first, **fields)
    office.run("message.ack", project="b", session="B2", message_id=sent, occurrence=1)
    assert office.ids(project="b", session="B2") == [], "an ack after the end makes it read again for that session"
    assert office.ids(project="b", session="B3") == [sent]
    assert counts(office) == 0
    second = claim(office, sent, "B3")
    assert (second["lease"]["generation"], second["repeated"]) == (2, False)
    assert second["token"] != first["token"]
    assert office.ids(project="b", session="B1") == [sent], "what B1 read, it read before the lease ran out"
    assert office.ids(project="b", session="B2") == []
    for verb, fields in HELD_VERBS.items():
        with refused(office, "lease_lost"):
            act(office, verb, first, **fields)
    assert act(office, "complete", second, "B3", **OUTCOME)["status"] == "done"


@promise("mail.claim.expired_is_free", "wait.due.returns")
def test_a_waiter_knows_when_the_next_lease_runs_out(office: Office) -> None:
    sent = work(office)
    office.run("message.ack", project="b", session="B2", message_id=sent, occurrence=1)
    until = claim(office, sent)["lease"]["until"]
    found = office.run("message.wait", project="b", session="B2", timeout_seconds=0)
    assert (found["items"], found["next_due_at"]) == ([], until)
    assert office.run("activity.mark", project="b")["next_at"] == until
    office.clock.pass_seconds(30 * 60)
    found = office.run("message.wait", project="b", session="B2", timeout_seconds=0)
    assert [item["id"] for item in found["items"]] == [sent]


@promise("mail.renew.extends")
def test_a_renewed_lease_lasts_its_full_length_from_then(office: Office) -> None:
    claimed = claim(office, work(office))
    office.clock.pass_seconds(29 * 60)
    renewed = act(office, "renew", claimed)
    assert renewed["lease"]["until"] == format_instant(office.clock.at + 30 * MINUTE)
    assert (renewed["lease"]["generation"], renewed["version"]) == (1, 3)
    office.clock.pass_seconds(29 * 60)
    assert act(office, "complete", claimed, **OUTCOME)["status"] == "done"


@promise("mail.release.frees")
def test_a_released_message_is_unread_for_everybody_and_claimable_at_once(office: Office) -> None:
    sent = work(office)
    office.run("message.ack", project="b", session="B2", message_id=sent, occurrence=1)
    claimed = claim(office, sent)
    assert act(office, "release", claimed)["status"] == "open"
    assert counts(office) == 1
    for session in ("B1", "B2"):
        assert office.ids(project="b", session=session) == [sent]
    with refused(office, "lease_lost"):
        act(office, "release", claimed)
    assert claim(office, sent, "B2")["lease"]["generation"] == 2


@promise("mail.complete.idempotent", "mail.complete.needs_token_and_outcome")
def test_a_completed_message_answers_its_holder_again_and_nobody_else(office: Office) -> None:
    sent = work(office)
    claimed = claim(office, sent)
    with refused(office, "invalid_input"):
        act(office, "complete", claimed)
    with refused(office, "invalid_input"):
        act(office, "complete", claimed, outcome="  ")
    with refused(office, "lease_lost"):
        act(office, "complete", claimed, token="0" * 32, **OUTCOME)
    first = act(office, "complete", claimed, **OUTCOME)
    before = office.everything()[:4]
    office.clock.pass_seconds(3600)
    assert act(office, "complete", claimed, **OUTCOME) == first
    assert office.everything()[:4] == before, "no message, version, receipt or journal entry"
    with refused(office, "already_closed"):
        act(office, "complete", claimed, "B2", **OUTCOME)
    with refused(office, "already_closed"):
        act(office, "complete", claimed, token="0" * 32, **OUTCOME)
    view = office.run("message.view", project="a", message_id=sent)
    assert view["message"]["status"] == "done"
    assert "Fixed in 4f1c." in view["message"]["outcome"] != "Fixed in 4f1c."
    assert view["security_notice"] == SECURITY_NOTICE


@promise("text.scrub.all_free_texts", "text.too_long.refused", "text.truncate.marked")
@pytest.mark.parametrize("verb", ["complete", "snooze"])
def test_an_outcome_is_scrubbed_and_measured(office: Office, verb: str) -> None:
    claimed = claim(office, work(office))
    extra: dict[str, Any] = {"delay_seconds": 60} if verb == "snooze" else {}
    with refused(office, "body_too_long"):
        act(office, verb, claimed, outcome="x" * 8_001, **extra)
    key = "ghp_" + "aB3dE6gH9j" * 3 + "Kl4mN7"
    answer = act(office, verb, claimed, outcome=f"The key was {key}. " + "x" * 9_000, truncate=True, **extra)
    assert (answer["scrubbed"], answer["truncated"]) == (1, True)
    assert key not in str(office.rows("select outcome from messages"))


@promise("mail.snooze.keeps_id_and_history", "mail.snooze.next_occurrence", "mail.snooze.late_ack_refused")
def test_a_snoozed_message_comes_due_again_and_keeps_what_was_found(office: Office) -> None:
    sent = work(office)
    claimed = claim(office, sent)
    snoozed = act(office, "snooze", claimed, outcome="No fix upstream.", delay_seconds=60)
    assert (snoozed["occurrence"], snoozed["due_at"]) == (2, format_instant(office.clock.at + MINUTE))
    assert office.ids(project="b", status="scheduled") == [sent]
    for verb in ("complete", "snooze"):
        with refused(office, "stale_occurrence"):
            act(office, verb, claimed, **HELD_VERBS[verb])
    with refused(office, "stale_occurrence"):
        office.run("message.ack", project="b", session="B1", message_id=sent, occurrence=1)
    with refused(office, "not_due"):
        claim(office, sent, occurrence=2)
    office.clock.pass_seconds(60)
    (item,) = office.run("message.list", project="b", session="B1")["items"]
    assert (item["id"], item["occurrence"], item["receipts"], item["lease"]) == (sent, 2, [], None)
    again = claim(office, sent, occurrence=2)
    assert again["lease"]["generation"] == 2
    act(office, "snooze", again, outcome="Still no fix.", delay_seconds=60)
    office.clock.pass_seconds(60)
    act(office, "complete", claim(office, sent, occurrence=3), outcome="It was fixed.")
    view = office.run("message.view", project="b", message_id=sent)
    found = [past["outcome"] for past in view["history"] if past["outcome"]]
    assert any("No fix upstream." in text for text in found)
    assert any("Still no fix." in text for text in found)
    assert "It was fixed." in view["message"]["outcome"]
    assert (view["message"]["id"], view["message"]["occurrence"]) == (sent, 3)


@promise("mail.snooze.needs_future_time", "mail.due.input_checked")
@pytest.mark.parametrize(
    "time",
    [
        {},
        {"delay_seconds": 0},
        {"delay_seconds": -5},
        {"due_at": "2020-01-01T00:00:00Z"},
        {"due_at": "2031-01-01T00:00:00"},
        {"due_at": "2031-01-01T00:00:00Z", "delay_seconds": 5},
        {"due_at": "2031-01-01T00:00:00Z", "timezone": "Europe/Berlin"},
        {"delay_seconds": 5, "timezone": "Europe/Berlin"},
    ],
)
def test_a_snooze_without_one_future_time_is_refused(office: Office, time: dict[str, Any]) -> None:
    claimed = claim(office, work(office))
    with refused(office, "invalid_input"):
        act(office, "snooze", claimed, outcome="Later.", **time)


@promise("mail.cancel.claimed", "mail.pop.leased_is_skipped")
def test_claimed_work_is_withdrawn_by_its_sender_alone_and_popped_by_nobody(office: Office) -> None:
    sent = work(office)
    claimed = claim(office, sent)
    with refused(office, "already_claimed"):
        office.run("message.cancel", project="b", session="B2", message_id=sent)
    with refused(office, "already_claimed"):
        office.run("message.pop", project="b", session="B2", message_id=sent)
    assert office.run("message.pop", project="b", session="B2")["message"] is None
    assert office.run("message.cancel", project="a", message_id=sent)["cancelled"] == 1
    shown = office.run("message.view", project="b", message_id=sent)["message"]
    assert (shown["status"], shown["lease"]) == ("cancelled", None)
    assert office.run("activity.claims", project="b")["items"] == []
    with refused(office, "already_closed"):
        act(office, "complete", claimed, **OUTCOME)


@promise("mail.verbs.never_by_others", "mail.session.required")
@pytest.mark.parametrize("verb", CONSUMING)
def test_who_is_no_recipient_may_read_and_consumes_nothing(office: Office, verb: str) -> None:
    sent = work(office, to_session="B1")
    office.run("session.put", project="b", session_id="B2")
    fields = {"message_id": sent, "occurrence": 1, **CONSUMING[verb]}
    with refused(office, "not_recipient"):
        office.run(f"message.{verb}", project="b", session="B2", **fields)
    office.run("session.put", project="c", session_id="C1")
    with refused(office, "not_recipient"):
        office.run(f"message.{verb}", project="c", session="C1", **fields)
    with refused(office, "session_required"):
        office.run(f"message.{verb}", project="b", **fields)
    assert office.run("message.view", project="b", session="B2", message_id=sent)["message"]["id"] == sent


@promise("address.session.continuations", "receipt.continuation.inherits", "mail.lease.not_inherited")
def test_a_continuing_session_may_claim_and_inherits_receipts_but_no_lease(office: Office) -> None:
    sent = work(office, to_session="B1")
    claimed = claim(office, sent)
    office.run("session.put", project="b", session_id="B2", continues="B1")
    office.run("session.put", project="b", session_id="B3", continues="B2")
    assert office.ids(project="b", session="B3") == [], "what B1 has read, B3 has read"
    with refused(office, "already_claimed"):
        claim(office, sent, "B3")
    with refused(office, "lease_lost"):
        act(office, "complete", claimed, "B3", **OUTCOME)
    act(office, "release", claimed)
    again = claim(office, sent, "B3")
    assert act(office, "complete", again, "B3", **OUTCOME)["status"] == "done"


@promise("mail.claim.one_owner", "address.user.sessions_anywhere")
def test_mail_to_a_person_is_claimed_by_one_of_their_sessions(office: Office) -> None:
    sent = office.send(to_project=None, to_user="maria", actionable=True)["message_id"]
    claimed = office.run("message.claim", project="c", session="C1", message_id=sent, occurrence=1)
    with refused(office, "already_claimed"):
        claim(office, sent)
    done = office.run(
        "message.complete", project="c", session="C1", message_id=sent, occurrence=1, token=claimed["token"], **OUTCOME
    )
    assert done["status"] == "done"


@promise("idempotency.key.first_answer")
def test_a_key_answers_a_repeated_claim_with_its_token_and_a_repeated_snooze_with_its_time(office: Office) -> None:
    sent = work(office)
    fields: dict[str, Any] = {"project": "b", "session": "B1", "message_id": sent, "occurrence": 1}
    first = office.run("message.claim", key="k1", **fields)
    assert office.run("message.claim", key="k1", **fields) == first
    snoozing = {**fields, "token": first["token"], "outcome": "Later.", "delay_seconds": 60}
    snoozed = office.run("message.snooze", key="k2", **snoozing)
    office.clock.pass_seconds(5)
    assert office.run("message.snooze", key="k2", **snoozing) == snoozed


@promise("store.restore.new_epoch", "mail.claim.generation_rises")
def test_what_was_in_work_when_a_store_is_restored_is_unread_and_has_a_higher_generation(office: Office) -> None:
    live, lapsed = work(office, body="live"), work(office, body="lapsed")
    claim(office, lapsed)
    office.clock.pass_seconds(30 * 60)
    old = claim(office, live)
    office.waypost.store.write(end_all)
    assert sorted(office.ids(project="b", session="B1")) == sorted([live, lapsed])
    assert counts(office) == 2
    with refused(office, "lease_lost"):
        act(office, "complete", old, **OUTCOME)
    assert claim(office, live, "B2")["lease"]["generation"] == 8


@promise("mail.due.while_down_once", "mail.due.at_its_instant")
def test_a_reminder_that_came_due_while_nothing_ran_is_delivered_once_and_says_how_late(office: Office) -> None:
    plain = office.send(body="plain")["message_id"]
    sent = office.send(body="reminder", delay_seconds=600)["message_id"]
    office.waypost.close()
    office.clock.pass_seconds(600 + 2 * 3600)
    office.reopen()
    late = {item["id"]: item["late_seconds"] for item in office.run("message.list", project="b", session="B1")["items"]}
    assert late == {plain: None, sent: 7_200}
    claimed = claim(office, sent)
    assert claimed["message"]["late_seconds"] == 7_200
    office.reopen()
    assert office.ids(project="b", session="B1") == [plain]
    act(office, "complete", claimed, **OUTCOME)
    office.clock.pass_seconds(DAY / SECOND)
    office.reopen()
    assert office.ids(project="b", session="B1", status="open") == [plain]
    assert office.run("message.view", project="b", message_id=sent)["message"]["late_seconds"] is None
