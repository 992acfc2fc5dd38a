"""A short run of the campaign: every client's renderer, the server's door and the real command on hostile payloads."""

from __future__ import annotations

from tests.agents.campaign import through_command, through_renderer
from tests.agents.desk import Desk
from tests.agents.fuzzing import broken_output, payloads
from tests.agents.payloads import EVENTS
from tests.doors.command_line import CommandLine
from tests.promises.marks import promise

SEED = 5


@promise("hook.output.exact_shape", "hook.output.controls_escaped", "hook.payload.bounded")
def test_hostile_payloads_never_break_a_clients_form() -> None:
    assert through_renderer(SEED, 400) == []


@promise("hook.output.exact_shape", "hook.failure.harmless")
def test_hostile_payloads_never_break_the_door(desk: Desk) -> None:
    desk.foreign()
    for client in EVENTS:
        for event, raw in payloads(SEED, client, 30):
            answer = desk.ask(client, event, raw, at=desk.here)
            assert (answer.status, broken_output(client, event, answer.body)) == (200, ""), (client, event, raw)


@promise("hook.exit.always_zero", "hook.output.exact_shape")
def test_hostile_payloads_never_break_the_command(shell: CommandLine) -> None:
    with shell.serving():
        assert through_command(shell, SEED, 12) == []
