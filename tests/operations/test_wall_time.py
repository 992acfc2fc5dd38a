"""Due times as people say them, over zones and years, against the standard library's own reckoning of zones."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.operations.office import Office, refused
from tests.promises.marks import promise
from waypost.kernel.errors import InvalidInput
from waypost.kernel.time import MINUTE, format_instant, parse_instant
from waypost.operations.wall_time import local_time, read_due

ZONES = (
    "Africa/Cairo",
    "Africa/Casablanca",
    "America/New_York",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Antarctica/Troll",
    "Asia/Kathmandu",
    "Asia/Tehran",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/Dublin",
    "Pacific/Apia",
    "Pacific/Chatham",
    "UTC",
)
"""Offsets of halves and quarters of an hour, changes of half an hour and of two hours, a skipped day, and a negative summer time."""


def naive(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    """What a clock on a wall shows, wherever it hangs."""
    return datetime(year, month, day, hour, minute)  # noqa: DTZ001 - that it has no zone is the point


walls = st.datetimes(min_value=naive(1975, 1, 2), max_value=naive(2037, 12, 30))
near_changes = st.builds(
    naive,
    st.integers(1975, 2037),
    st.sampled_from([3, 4, 9, 10, 11, 12]),
    st.integers(1, 30),
    st.integers(0, 4),
    st.integers(0, 59),
)


def shown(at: int, zone: str) -> datetime:
    """What the zone's clocks show at an instant."""
    return datetime.fromisoformat(format_instant(at)).astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


@promise("mail.due.timezone")
@given(zone=st.sampled_from(ZONES), wall=st.one_of(walls, near_changes))
def test_a_wall_time_is_the_first_instant_that_shows_it_or_the_first_minute_after_its_gap(
    zone: str, wall: datetime
) -> None:
    at = read_due(wall.isoformat(), zone)
    assert at is not None
    earliest = parse_instant(wall.replace(tzinfo=ZoneInfo(zone), fold=0).isoformat(), field="due_at")
    if shown(earliest, zone) == wall:
        assert at == earliest
        return
    # A gap: the clocks never show the wall time, and the minute that is answered is the first that they show after it.
    assert shown(at, zone) > wall
    assert shown(at, zone).second == shown(at, zone).microsecond == 0
    assert shown(at - MINUTE, zone) < wall


@promise("mail.due.timezone")
@given(zone=st.sampled_from(ZONES), wall=walls)
def test_the_wall_time_that_is_answered_is_the_stored_instant(zone: str, wall: datetime) -> None:
    at = read_due(wall.isoformat(), zone)
    assert at is not None
    local = local_time(at, zone)
    assert local is not None
    moment, _, name = local.rstrip("]").partition("[")
    assert name == zone
    assert datetime.fromisoformat(moment) - datetime.fromisoformat(format_instant(at)) == timedelta(0)


@promise("mail.due.timezone")
@pytest.mark.parametrize(
    ("wall", "zone", "instant", "local"),
    [
        ("2026-12-04T09:00", "Europe/Berlin", "2026-12-04T08:00:00.000000Z", "2026-12-04T09:00:00+01:00[Europe/Berlin]"),
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:00:00.000000Z", "2026-03-29T03:00:00+02:00[Europe/Berlin]"),
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000000Z", "2026-10-25T02:30:00+02:00[Europe/Berlin]"),
        ("2011-12-30T10:00", "Pacific/Apia", "2011-12-30T10:00:00.000000Z", "2011-12-31T00:00:00+14:00[Pacific/Apia]"),
        ("2026-10-04T02:10", "Australia/Lord_Howe", "2026-10-03T15:30:00.000000Z", "2026-10-04T02:30:00+11:00[Australia/Lord_Howe]"),
        ("1972-01-07T00:20", "Africa/Monrovia", "1972-01-07T00:45:00.000000Z", "1972-01-07T00:45:00+00:00[Africa/Monrovia]"),
        ("2026-12-04", "europe/berlin", "2026-12-03T23:00:00.000000Z", "2026-12-04T00:00:00+01:00[Europe/Berlin]"),
    ],
)  # fmt: skip
def test_gaps_and_overlaps_are_resolved_as_written(wall: str, zone: str, instant: str, local: str) -> None:
    at = read_due(wall, zone)
    assert at is not None
    assert format_instant(at) == instant
    assert local_time(at, zone) == local


@promise("mail.due.timezone", "mail.due.input_checked")
@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"due_at": "2031-01-01T09:00"}, "offset"),
        ({"due_at": "2031-01-01T09:00Z", "timezone": "Europe/Berlin"}, "Leave one"),
        ({"due_at": "2031-01-01T09:00+01:00", "timezone": "Europe/Berlin"}, "Leave one"),
        ({"due_at": "2031-01-01T09:00", "timezone": "Europe/Berlim"}, "Europe/Berlin"),
        ({"due_at": "2031-01-01T09:00", "timezone": "Amerca/New_York"}, "America/New_York"),
        ({"due_at": "2031-01-01T09:00", "timezone": "../../etc/passwd"}, ""),
        ({"due_at": "2031-01-01T09:00", "timezone": "x" * 10_000}, ""),
        ({"due_at": "2031-01-01T09:00", "timezone": ""}, ""),
        ({"due_at": "2031-01-01T09:00", "timezone": "localtime"}, ""),
        ({"due_at": "Friday", "timezone": "Europe/Berlin"}, "2026-12-04T09:00"),
        ({"due_at": "1969-12-31T09:00", "timezone": "Europe/Berlin"}, "years"),
        ({"due_at": "0001-01-01T00:00", "timezone": "Asia/Tokyo"}, "years"),
        ({"due_at": "9999-12-31T23:59:59", "timezone": "America/New_York"}, "years"),
        ({"timezone": "Europe/Berlin"}, "due_at"),
        ({"timezone": "Europe/Berlin", "delay_seconds": 60}, "due_at"),
    ],
)
def test_a_due_time_is_one_instant_or_is_refused(office: Office, fields: dict[str, Any], hint: str) -> None:
    with refused(office, "invalid_input") as caught:
        office.send(**fields)
    assert hint in caught[0].hint


@promise("mail.due.timezone", "mail.due.stored_in_utc")
def test_a_send_and_a_snooze_answer_the_instant_and_the_wall_time(office: Office) -> None:
    sent = office.send(due_at="2031-01-01T09:00", timezone="Europe/Berlin")
    assert sent["due_at"] == "2031-01-01T08:00:00.000000Z"
    assert sent["due_local"] == "2031-01-01T09:00:00+01:00[Europe/Berlin]"
    assert sent["actionable"] is True
    again = office.send(due_at="2031-01-01T09:00", timezone="Europe/Berlin")
    assert (again["message_id"], again["already_sent"]) == (sent["message_id"], True)
    assert office.send(due_at="2031-01-01T09:00", timezone="Europe/Dublin")["already_sent"] is False
    assert office.send(body="plain")["due_local"] is None
    work = office.send(body="work", actionable=True)["message_id"]
    held = {"project": "b", "session": "B1", "message_id": work, "occurrence": 1}
    token = office.run("message.claim", **held)["token"]
    snoozed = office.run(
        "message.snooze", **held, token=token, outcome="Later.", due_at="2031-07-01 09:00", timezone="Asia/Kathmandu"
    )
    assert snoozed["due_at"] == "2031-07-01T03:15:00.000000Z"
    assert snoozed["due_local"] == "2031-07-01T09:00:00+05:45[Asia/Kathmandu]"


@promise("mail.due.timezone")
def test_a_machine_without_zones_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.operations.wall_time._zones", dict)
    with pytest.raises(InvalidInput, match="no database of time zones"):
        read_due("2031-01-01T09:00", "Europe/Berlin")
