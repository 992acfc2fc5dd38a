"""The refusals of leases, from the table of the doors, on both engines: each with its code, and nothing changed."""

from __future__ import annotations

from tests.doors.refused_calls import refused_leases
from tests.operations.office import Office, refused
from tests.promises.marks import promise


@promise("api.codes.leases", "mail.refusal.changes_nothing", "errors.sentence.complete")
def test_each_refusal_of_a_lease_has_its_code_and_changes_nothing(office: Office) -> None:
    received, sent = office.send()["message_id"], office.send(from_project="b", to_project="a")["message_id"]
    later, popped = office.send(delay_seconds=3_600)["message_id"], office.send(body="popped")["message_id"]
    office.run("message.pop", project="b", message_id=popped)
    work = office.send(body="work", actionable=True)["message_id"]
    token = office.run("message.claim", project="b", session="S1", message_id=work, occurrence=1)["token"]
    office.run("session.put", project="b", session_id="S2")
    for code, operation, fields in refused_leases((received, sent, later, popped), work, token):
        with refused(office, code) as caught:
            office.run(operation, **fields)
        assert "Nothing was" in caught[0].detail, caught[0].detail
        assert caught[0].hint, caught[0].detail
