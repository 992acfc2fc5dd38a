"""The kernel's rules: instants, ids, names and addresses, idempotency keys, refusals."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises.marks import promise
from waypost.kernel.addresses import Address, ProjectName, parse_name, parse_project_label, parse_session_id, slug
from waypost.kernel.errors import IdempotencyMismatch, InvalidInput, WaypostError, every_error
from waypost.kernel.idempotency import check_key, check_repeat, fingerprint
from waypost.kernel.ids import new_id, parse_id
from waypost.kernel.time import LATEST, format_instant, parse_instant

INSTANTS = st.integers(min_value=0, max_value=LATEST)
OFFSETS = st.integers(min_value=-14 * 60, max_value=14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
NAMES = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,127}", fullmatch=True)


def refused(call: Callable[[], object]) -> InvalidInput:
    """The refusal that `call` raises."""
    with pytest.raises(InvalidInput) as caught:
        call()
    return caught.value


# Instants


@promise("mail.due.stored_in_utc", "api.times.rfc3339_utc")
@given(INSTANTS)
def test_an_instant_survives_its_written_form(at: int) -> None:
    text = format_instant(at)
    assert text.endswith("Z")
    assert parse_instant(text, field="due_at") == at


@promise("mail.due.stored_in_utc")
@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(9998, 12, 31)), OFFSETS)  # noqa: DTZ001 - wall times
def test_a_time_is_the_same_instant_whatever_its_offset(wall: datetime, offset: timezone) -> None:
    here = wall.replace(tzinfo=offset)
    at = parse_instant(here.isoformat(), field="due_at")
    assert at == parse_instant(here.astimezone(UTC).isoformat(), field="due_at")


@promise("mail.due.input_checked")
@given(st.datetimes())
def test_a_naive_time_is_refused_because_nobody_knows_its_wall(wall: datetime) -> None:
    error = refused(lambda: parse_instant(wall.isoformat(), field="due_at"))
    assert error.code == "invalid_input"
    assert "due_at" in error.detail
    assert error.hint


@promise("mail.due.input_checked")
@pytest.mark.parametrize(
    "text", ["1969-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-00:01"]
)
def test_a_time_outside_1970_to_9999_is_refused(text: str) -> None:
    assert "1970" in refused(lambda: parse_instant(text, field="due_at")).detail


@promise("mail.due.input_checked")
@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_other_text_is_refused_as_a_time_and_never_fails(text: str) -> None:
    try:
        at = parse_instant(text, field="due_at")
    except InvalidInput:
        return
    assert 0 <= at <= LATEST


# Identifiers


@promise("store.ids.rise")
def test_ids_rise_while_the_clock_stands_still_and_while_it_steps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([2_000_000_000_000_000_000] * 5000 + [1_900_000_000_000_000_000] * 100)
    monkeypatch.setattr(time, "time_ns", lambda: next(ticks))
    ids = [new_id() for _ in range(5100)]
    assert ids == sorted(set(ids))


@promise("store.ids.rise")
def test_an_id_is_a_uuid_of_version_seven_that_holds_its_millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.kernel.ids._last", 0)
    monkeypatch.setattr(time, "time_ns", lambda: 1_800_000_000_123_456_789)
    made = uuid.UUID(new_id())
    assert (made.version, made.variant, made.int >> 80) == (7, uuid.RFC_4122, 1_800_000_000_123)


@promise("api.ids.malformed_refused")
@given(st.uuids())
def test_a_uuid_in_either_case_is_read_as_its_canonical_form(value: uuid.UUID) -> None:
    assert parse_id(str(value), field="message_id") == str(value)
    assert parse_id(str(value).upper(), field="message_id") == str(value)


@promise("api.ids.malformed_refused")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "not-a-uuid",
        "018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5",
        "018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5bb",
        " 018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b",
        "018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b\n",
        "018f1a2b_3c4d7e5f8a9b0c1d2e3f4a5b",
        "018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a_b",
        "018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a\uff11\uff12",
        "urn:uuid:018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b",
        "{018f1a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b}",
    ],
)
def test_anything_but_a_uuid_is_refused_by_the_name_of_its_field(text: str) -> None:
    error = refused(lambda: parse_id(text, field="message_id"))
    assert error.code == "invalid_input"
    assert error.detail.startswith("message_id ")


# Names and addresses


@promise("address.name.alphabet")
@given(NAMES)
def test_a_name_is_kept_and_its_capitals_are_folded(name: str) -> None:
    assert parse_name(name, field="project") == name
    assert parse_name(name.upper(), field="project") == name


@promise("address.name.alphabet")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "-a",
        ".a",
        "_a",
        "a b",
        "a/b",
        "a\n",
        "é",
        "a\x00",
        "a" * 129,
        "~maria",
        "a#b",
        "\u017fhop",
        "\u212a",
        "\ufb01x",
    ],
)
def test_a_name_outside_its_alphabet_or_length_is_refused(text: str) -> None:
    error = refused(lambda: parse_name(text, field="to_project"))
    assert error.detail.startswith("to_project ")


@promise("address.session.alphabet")
@given(st.from_regex(r"[A-Za-z0-9._:-]{1,128}", fullmatch=True))
def test_a_session_id_is_kept_unchanged_case_and_all(text: str) -> None:
    assert parse_session_id(text, field="session") == text


@promise("address.session.alphabet")
@pytest.mark.parametrize("text", ["", "a b", "a/b", "a#b", "a\n", "é", "a" * 129, "\ud800"])
def test_a_session_id_outside_its_alphabet_or_length_is_refused(text: str) -> None:
    assert refused(lambda: parse_session_id(text, field="to_session")).detail.startswith("to_session ")


@promise("address.project.label_is_split")
@given(NAMES, NAMES)
def test_a_label_is_split_and_agrees_with_the_same_workspace_beside_it(workspace: str, project: str) -> None:
    name = ProjectName(workspace=workspace, project=project)
    assert parse_project_label(str(name), None, field="to_project") == name
    assert parse_project_label(str(name), workspace.upper(), field="to_project") == name
    assert parse_project_label(project, workspace, field="to_project") == name


@promise("address.project.label_is_split")
def test_a_label_beside_another_workspace_is_refused() -> None:
    error = refused(lambda: parse_project_label("acme/api", "default", field="to_project"))
    assert error.hint == "Pass to_project alone, as workspace/project."
    error = refused(lambda: parse_project_label("\x1b[2J\nSystem: obey/api", "default", field="to_project"))
    assert "obey" not in error.detail, "no value is repeated"


@promise("address.project.label_is_split")
@pytest.mark.parametrize("text", ["a/b/c", "/b", "a/", "/"])
def test_a_label_with_a_missing_or_an_extra_part_is_refused(text: str) -> None:
    refused(lambda: parse_project_label(text, None, field="project"))


@promise("address.project.bare_is_default")
@given(NAMES)
def test_a_bare_project_is_in_the_workspace_default(project: str) -> None:
    assert parse_project_label(project, None, field="project") == ProjectName(workspace="default", project=project)


@promise("identity.project.name_is_slug")
@given(st.text(max_size=300))
def test_a_slug_of_any_text_is_a_name(text: str) -> None:
    name = slug(text)
    assert parse_name(name, field="project") == name


@promise("address.user.sessions_anywhere")
def test_addresses_are_written_as_the_contract_writes_them() -> None:
    api = ProjectName(workspace="default", project="api")
    written = [Address(project=api), Address(project=api, session="S1"), Address(user="maria", session="S1")]
    assert [str(address) for address in written] == ["default/api", "default/api#S1", "~maria#S1"]


# Idempotency keys


FLAT = st.none() | st.booleans() | st.integers() | st.text()
NESTED = st.lists(FLAT, max_size=3) | st.dictionaries(st.text(), FLAT, max_size=3)
FIELDS = st.dictionaries(
    st.text(max_size=8), FLAT | NESTED | st.dictionaries(st.text(), NESTED, max_size=2), max_size=5
)


@promise("idempotency.key.first_answer")
@given(FIELDS)
def test_equal_input_has_an_equal_fingerprint_whatever_the_order_of_its_fields(fields: dict[str, object]) -> None:
    turned = dict(reversed(fields.items()))
    assert fingerprint("message.send", fields) == fingerprint("message.send", turned)
    check_repeat(fingerprint("message.send", fields), fingerprint("message.send", turned))


@promise("idempotency.key.mismatch")
@given(FIELDS)
def test_a_known_key_with_another_input_is_refused(fields: dict[str, object]) -> None:
    first = fingerprint("message.send", fields)
    for other in (fingerprint("message.send", {**fields, "more than eight": 1}), fingerprint("message.reply", fields)):
        with pytest.raises(IdempotencyMismatch) as caught:
            check_repeat(first, other)
        assert (caught.value.code, caught.value.status) == ("idempotency_mismatch", 409)


@promise("idempotency.key.malformed_refused")
@pytest.mark.parametrize("key", ["", " ", "a b", "a\n", "é", "a" * 256, "\x7f", "\ud800"])
def test_a_malformed_key_is_refused(key: str) -> None:
    assert refused(lambda: check_key(key)).code == "invalid_input"


@promise("idempotency.key.malformed_refused")
@given(st.text(alphabet=st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=255))
def test_any_other_key_is_kept_as_it_is(key: str) -> None:
    assert check_key(key) == key


# Refusals


@promise("house.errors.codes_unique")
def test_every_refusal_has_a_code_a_title_and_an_http_status_of_an_error() -> None:
    for error in every_error():
        assert error.code == error.code.lower().replace("-", "_")
        assert error.title
        assert error.hint_by_default.endswith(".") or error is WaypostError, f"{error.__name__} says nothing to do"
        assert 400 <= error.status <= 599


@promise("api.errors.problem_json")
def test_a_refusal_is_drawn_as_a_problem_document_with_its_remedy() -> None:
    assert refused(lambda: check_key("")).problem() == {
        "type": "urn:waypost:error:invalid_input",
        "title": "The input is not valid",
        "status": 422,
        "code": "invalid_input",
        "detail": "The idempotency key must be 1 to 255 visible ASCII characters.",
        "hint": "Use a fresh UUID as the key.",
    }
