"""The arithmetic of the load model, on numbers that can be followed by hand."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from benchmarks.load_model import MEANINGS, Inputs, hour_of, main, table

EASY = Inputs(
    agents=3_600,
    messages_an_hour=10,
    looks_an_hour=80,
    waiting_share=0.5,
    peak_over_mean=2,
    kept_days=30,
    send_node_ms=2,
    send_database_ms=4,
    pop_node_ms=3,
    pop_database_ms=6,
    look_node_ms=1,
    look_database_ms=0.5,
    door_ms=1,
    message_bytes=1_000,
    connections_a_node=17,
    streams_a_node=600,
    used_share=0.5,
    core_hour_price=1,
    gb_month_price=72,
)


def test_rates_processors_and_disk_follow_from_the_inputs() -> None:
    hour = hour_of(EASY)
    assert (hour.requests, hour.writes, hour.waiting) == (100, 20, 1_800)
    assert hour.node_cores == pytest.approx((10 * 5 + 80 * 1 + 100 * 1) / 1_000 * 4)
    assert hour.database_cores == pytest.approx((10 * 10 + 80 * 0.5) / 1_000 * 4)
    assert hour.nodes == 3, "the open connections need more nodes than the work"
    assert hour.connections == 51
    assert hour.disk_gb == pytest.approx(0.036)
    assert hour.kept_gb == pytest.approx(0.036 * 720)
    assert hour.price == pytest.approx(3 + hour.database_cores + hour.kept_gb / 10)


def test_twice_the_agents_are_twice_the_work_and_nobody_needs_one_node() -> None:
    one, two = hour_of(EASY), hour_of(replace(EASY, agents=7_200))
    assert two.node_cores == pytest.approx(2 * one.node_cores)
    assert two.disk_gb == pytest.approx(2 * one.disk_gb)
    assert hour_of(replace(EASY, agents=0)).nodes == 1


def test_every_input_has_a_meaning_and_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(MEANINGS) == {field.name for field in fields(Inputs)}
    assert main(["--agents", "3600", "--messages-an-hour", "10"]) == 0
    printed = capsys.readouterr().out
    assert printed == table(Inputs(agents=3_600, messages_an_hour=10)) + "\n"
    assert all(name in printed for name in MEANINGS)
