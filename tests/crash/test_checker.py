"""The checker finds each fault that is planted, and nothing where all is well."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.crash.checker import judge, read_records
from tests.crash.plan import FULL, FULL_NODES, SHORT, SHORT_NODES, Plan, kills_of
from tests.promises.marks import promise

Lines = list[dict[str, Any]]
SESSION = "c00-in-p00"


def words(number: int) -> str:
    return f"c00-{number:06d} please look"


def digest(number: int) -> str:
    return hashlib.sha256(words(number).encode()).hexdigest()[:16]


def message(number: int, status: str = "open", outcome: str | None = None, *receipts: str) -> dict[str, Any]:
    body = f"--- begin foreign text ---\nnote {words(number)} over.\n--- end ---"
    acked = [{"session": session, "acked_at": "2026-01-01T00:00:00Z"} for session in receipts]
    return {"id": f"m{number}", "status": status, "outcome": outcome, "body": body, "receipts": acked}


def asked(number: int) -> dict[str, Any]:
    fields = {"body": f"note {words(number)} over."}
    return {"kind": "ask", "operation": "message.send", "key": f"c00-{number:06d}", "fields": fields}


def sent(number: int) -> dict[str, Any]:
    return {"kind": "send", "key": f"c00-{number:06d}", "id": f"m{number}", "digest": digest(number)}


def popped(number: int, *, session: str = SESSION, replayed: bool = False) -> dict[str, Any]:
    return {"kind": "pop", "id": f"m{number}", "session": session, "replayed": replayed, "digest": digest(number)}


def sound() -> tuple[Lines, Lines]:
    """What clients wrote down and what the store holds after a run without a fault: 0 open, 1 popped and replayed, 2 cancelled, 3
    acked, 4 stored without an answer."""
    lines = [line for number in range(4) for line in (asked(number), sent(number))]
    lines += [asked(4), {"kind": "lost", "key": "c00-000004"}, popped(1), popped(1, replayed=True)]
    lines += [
        {"kind": "cancel", "id": "m2", "key": "k", "cancelled": 1},
        {"kind": "ack", "id": "m3", "session": SESSION},
    ]
    lines += [{"kind": "refused", "code": "inbox_full"}]
    listing = [message(0), message(1, "done", "popped"), message(2, "cancelled"), message(3, "open", None, SESSION)]
    return lines, [*listing, message(4)]


@promise("store.crash.nothing_lost")
def test_the_checker_finds_nothing_where_all_is_well_and_counts_what_no_client_knows() -> None:
    verdict = judge(*sound())
    assert verdict.violations == []
    assert verdict.counts["acknowledged sends"] == 4
    assert verdict.counts["unacknowledged but stored"] == 1
    assert verdict.counts["pops replayed"] == 1
    assert verdict.refusals == {"inbox_full": 1}


def forget(lines: Lines, listing: Lines) -> None:
    del listing[0]


def forget_an_unasked(lines: Lines, listing: Lines) -> None:
    lines.remove(asked(4))


def alter(lines: Lines, listing: Lines) -> None:
    listing[0]["body"] = listing[0]["body"].replace("please look", "please wait")


def swap(lines: Lines, listing: Lines) -> None:
    lines[lines.index(sent(0))] = {**sent(0), "id": "m3"}


def store_twice(lines: Lines, listing: Lines) -> None:
    listing.append({**message(0), "id": "m9"})


def answer_two_ids(lines: Lines, listing: Lines) -> None:
    lines.append({**sent(0), "id": "m3"})


def pop_by_two(lines: Lines, listing: Lines) -> None:
    lines.append(popped(1, session="c01-in-p00"))


def pop_by_two_as_replay(lines: Lines, listing: Lines) -> None:
    lines.append(popped(1, session="c01-in-p00", replayed=True))


def pop_again(lines: Lines, listing: Lines) -> None:
    lines.append(popped(1))


def undo_the_pop(lines: Lines, listing: Lines) -> None:
    listing[1].update(status="open", outcome=None)


def pop_another_body(lines: Lines, listing: Lines) -> None:
    lines[lines.index(popped(1))]["digest"] = "0" * 16


def undo_the_cancel(lines: Lines, listing: Lines) -> None:
    listing[2].update(status="open")


def pop_the_cancelled(lines: Lines, listing: Lines) -> None:
    lines.append(popped(2))


def lose_the_receipt(lines: Lines, listing: Lines) -> None:
    listing[3]["receipts"] = []


def list_twice(lines: Lines, listing: Lines) -> None:
    listing.append(copy.deepcopy(listing[0]))


@promise("store.crash.nothing_lost")
@pytest.mark.parametrize(
    ("plant", "kind"),
    [
        (forget, "lost"),
        (forget_an_unasked, "never asked for"),
        (alter, "altered"),
        (swap, "altered"),
        (store_twice, "stored twice"),
        (answer_two_ids, "stored twice"),
        (pop_by_two, "double pops"),
        (pop_by_two_as_replay, "double pops"),
        (pop_again, "double pops"),
        (undo_the_pop, "pop undone"),
        (pop_another_body, "altered"),
        (undo_the_cancel, "cancel undone"),
        (pop_the_cancelled, "cancel undone"),
        (lose_the_receipt, "ack lost"),
        (list_twice, "listed twice"),
    ],
)
def test_the_checker_finds_a_planted_fault(plant: Callable[[Lines, Lines], None], kind: str) -> None:
    lines, listing = sound()
    plant(lines, listing)
    verdict = judge(lines, listing)
    assert verdict.counts[kind] >= 1
    assert any(sentence.startswith(f"{kind}: ") for sentence in verdict.violations)


def test_a_line_that_a_kill_tore_says_nothing_and_the_whole_ones_count(tmp_path: Path) -> None:
    Path(tmp_path, "client-00.jsonl").write_bytes(b'{"kind": "send", "id": "m1"}\n{"kind": "se')
    Path(tmp_path, "client-01.jsonl").write_bytes(b"")
    assert read_records(tmp_path) == [{"kind": "send", "id": "m1"}]


@pytest.mark.parametrize("numbers", [FULL, SHORT, FULL | FULL_NODES, SHORT | SHORT_NODES])
def test_a_plan_makes_as_many_kills_as_were_asked_for_and_the_same_for_one_seed(numbers: dict[str, Any]) -> None:
    plan = Plan(seed=5, **numbers)
    first, second = kills_of(plan)
    servers = sum(1 + (kill.again is not None) for kill in first if kill.victim == "server")
    assert servers == plan.server_kills
    assert sum(kill.victim == "database" for kill in first) == plan.database_kills
    assert servers + sum(kill.victim in {"client", "database"} for kill in first) + len(second) == plan.kills
    assert (first, second) == kills_of(plan)
    assert all(kill.after_sends <= plan.sends - plan.command_sends for kill in first)
