"""Work is claimed, finished and put off by the tools, and the text says what an agent must keep and do next."""

from __future__ import annotations

import pytest

from tests.doors.mcp.harness import HANDSHAKE, MODERN, Door
from tests.promises.marks import promise
from waypost.kernel.text import SECURITY_NOTICE

pytestmark = pytest.mark.anyio


@promise("mcp.tools.lease_set", "mcp.answer.claim_fields")
@pytest.mark.parametrize("version", [*HANDSHAKE, MODERN])
async def test_work_goes_its_whole_way_by_the_tools(door: Door, version: str) -> None:
    work = door.run("message.send", from_project="a", to_project="b", body="Please look.", actionable=True)
    acting = {"project": "b", "session": "S1", "message_id": work["message_id"], "occurrence": 1}
    claimed = await door.answer("message_claim", acting, version=version)
    assert {"token", "lease", "occurrence", "repeated"} <= claimed.keys()
    assert {"until", "generation"} <= claimed["lease"].keys()
    holding = {**acting, "token": claimed["token"]}
    assert (await door.answer("message_renew", holding, version=version))["lease"]["generation"] == 1
    assert (await door.answer("message_release", holding, version=version))["status"] == "open"
    holding["token"] = (await door.answer("message_claim", acting, version=version))["token"]
    later = {**holding, "outcome": "Not yet.", "delay_seconds": 1}
    assert (await door.answer("message_snooze", later, version=version))["occurrence"] == 2
    second = door.run("message.send", from_project="a", to_project="b", body="And this.", actionable=True)
    acting["message_id"] = second["message_id"]
    token = (await door.answer("message_claim", acting, version=version))["token"]
    done = await door.answer("message_complete", {**acting, "token": token, "outcome": "Fixed."}, version=version)
    assert done["status"] == "done"


@promise("mail.claim.repeat_same_token", "mail.claim.token_to_holder_only")
async def test_two_agents_of_one_session_notice_that_they_hold_the_same_work(door: Door) -> None:
    work = door.run("message.send", from_project="a", to_project="b", body="Please look.", actionable=True)
    acting = {"project": "b", "session": "S1", "message_id": work["message_id"], "occurrence": 1}

    async def words(tool: str, **more: object) -> str:
        (content,) = (await door.call(tool, {**acting, **more}))["content"]
        return str(content["text"])

    first = await words("message_claim")
    assert first.startswith("Claimed. Token ")
    token = first.split()[2].rstrip(",")
    assert SECURITY_NOTICE in first
    assert "Please look." in first
    second = await words("message_claim")
    assert second.startswith("Your session holds this already, perhaps by another of its agents")
    assert token in second
    listed = (await door.call("message_list", {"project": "b", "session": "S2"}))["content"][0]["text"]
    assert "held by S1 until" in listed
    assert token not in listed
    assert "Completed" in await words("message_complete", token=token, outcome="Fixed.")
