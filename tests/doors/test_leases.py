"""Work is claimed, renewed, given back, finished and put off through REST, the command line and MCP, with one meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.command_line import CommandLine
from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from waypost.assembly.settings import LimitSettings, Settings
from waypost.kernel.text import SECURITY_NOTICE
from waypost.kernel.time import SECOND, parse_instant


@promise("rest.messages.lease_verbs", "mcp.answer.claim_fields")
def test_work_goes_its_whole_way_over_rest(rest: RestDoor) -> None:
    work = rest.send(actionable=True)["message_id"]
    path, acting = f"/v1/messages/{work}", {"project": "b", "session": "S1", "occurrence": 1}
    claimed = rest.ok("POST", f"{path}/claim", acting)
    assert {"token", "lease", "occurrence", "message", "security_notice", "repeated", "version"} <= set(claimed)
    assert claimed["security_notice"] == SECURITY_NOTICE
    holding = {**acting, "token": claimed["token"]}
    assert rest.ok("POST", f"{path}/renew", holding)["lease"]["generation"] == 1
    assert rest.ok("POST", f"{path}/release", holding)["status"] == "open"
    holding["token"] = rest.ok("POST", f"{path}/claim", acting)["token"]
    later = {**holding, "outcome": "No fix yet.", "due_at": "2031-01-01T09:00", "timezone": "Europe/Berlin"}
    snoozed = rest.ok("POST", f"{path}/snooze", later)
    assert (snoozed["occurrence"], snoozed["due_local"]) == (2, "2031-01-01T09:00:00+01:00[Europe/Berlin]")
    second = rest.send(subject="second", actionable=True)["message_id"]
    holding["token"] = rest.ok("POST", f"/v1/messages/{second}/claim", acting)["token"]
    done = rest.ok("POST", f"/v1/messages/{second}/complete", {**holding, "outcome": "Fixed."})
    assert (done["status"], done["message_id"], done["scrubbed"]) == ("done", second, 0)


@promise("mail.lease.length_is_a_setting")
def test_a_lease_lasts_as_long_as_the_settings_say(tmp_path: Path) -> None:
    with RestDoor(tmp_path, settings=Settings(limits=LimitSettings(lease_seconds=90))) as rest:
        work = rest.send(actionable=True)["message_id"]
        acting = {"project": "b", "session": "S1", "occurrence": 1}
        claimed = rest.ok("POST", f"/v1/messages/{work}/claim", acting)
        view = rest.ok("GET", f"/v1/messages/{work}?project=b")
        (change,) = view["history"]
        length = parse_instant(claimed["lease"]["until"], field="until") - parse_instant(
            change["changed_at"], field="changed_at"
        )
        assert length == 90 * SECOND


@promise("cli.message.lease_verbs")
def test_work_goes_its_whole_way_by_the_command_line(either: CommandLine) -> None:
    web, api = either.project("web"), either.project("api")
    work = either.send(web, api, "--actionable", body="Please make the export stream.")
    acting = ("--id", work, "--occurrence", "1", "--project", api, "--session", f"S-{api}")
    claimed = either.json("message", "claim", *acting)
    holding = (*acting, "--token", claimed["token"])
    again = either.run("message", "claim", *acting)
    assert claimed["token"] in again.out
    assert "Please make the export stream." in again.out
    assert "was not extended" in again.out
    assert either.json("message", "renew", *holding)["lease"]["generation"] == 1
    assert "can be claimed" in either.run("message", "release", *holding).out
    holding = (*acting, "--token", either.json("message", "claim", *acting)["token"])
    done = either.run("message", "complete", *holding, "--outcome", "It streams since 4f1c.")
    assert (done.status, done.out) == (0, f"Completed: {work}, occurrence 1.\n")
    assert either.run("message", "complete", *holding, "--outcome", "It streams since 4f1c.").out == done.out
    seen = either.run("message", "view", "--id", work, "--project", web)
    assert "It streams since 4f1c." in seen.out
    assert claimed["token"] not in seen.out


@promise("cli.message.lease_verbs", "mail.due.timezone")
def test_a_snooze_says_when_it_comes_due_and_on_which_clock(either: CommandLine) -> None:
    web = either.project("web")
    work = either.send(web, web, "--actionable")
    acting = ("--id", work, "--occurrence", "1", "--project", web, "--session", f"S-{web}")
    token = either.json("message", "claim", *acting)["token"]
    time = ("--due-at", "2031-03-01T09:00", "--timezone", "Asia/Tokyo")
    snoozed = either.run("message", "snooze", *acting, "--token", token, "--outcome", "Waits for them.", *time)
    assert "2031-03-01T09:00:00+09:00[Asia/Tokyo]" in snoozed.out
    assert [item["id"] for item in either.json("message", "list", "--status", "scheduled", at=web)["items"]] == [work]


@pytest.mark.parametrize("missing", ["--token", "--outcome", "--occurrence", "--id"])
def test_a_complete_without_what_it_needs_is_bad_usage(shell: CommandLine, missing: str) -> None:
    options = {"--id": "x", "--occurrence": "1", "--token": "t", "--outcome": "done"}
    given = [part for name, value in options.items() if name != missing for part in (name, value)]
    refused = shell.run("message", "complete", *given)
    assert refused.status == 2
    assert missing in refused.err
