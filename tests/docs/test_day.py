"""The day of docs/day.md, lived again: the page is what the commands print, and what it claims holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.day import PAGE, Day, record
from tests.promises.marks import promise


@pytest.mark.timeout(300)
@promise("mail.due.no_recurrence", "mail.snooze.keeps_id_and_history")
def test_a_reminder_that_came_due_while_no_server_ran_is_delivered_once_snoozed_and_finished_by_another(
    tmp_path: Path,
) -> None:
    day = Day(tmp_path)
    lived = record(day)
    assert lived == PAGE.read_text(encoding="utf-8"), "write the page again: python -m tests.docs.day docs/day.md"
    (reminder,) = day.arrived
    assert reminder["late_seconds"] is not None, "what came due while nothing ran says how late it is"
    assert "Nothing here" in lived
