"""What the server says about itself, and the verbs on its process."""

from __future__ import annotations

import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import open_waypost
from waypost.server.signin import SignIns


class SetClock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.time = 1_900_000_000_000_000

    def now(self) -> int:
        return self.time


@promise("rest.health.told_apart")
def test_a_server_whose_store_is_gone_lives_but_is_not_ready(rest: RestDoor) -> None:
    assert rest.ok("GET", "/readyz")["store_id"] == rest.waypost.store.facts.store_id
    rest.waypost.close()
    answer = rest.ask("GET", "/readyz")
    assert (answer.status, answer.code) == (503, "store_unavailable")
    assert rest.ok("GET", "/healthz")["status"] == "ok"


@promise("rest.health.told_apart")
def test_a_server_whose_writer_hangs_is_not_ready(rest: RestDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.server.service.WRITER_PATIENCE_SECONDS", 0.01)
    held = threading.Event()
    stuck = rest.waypost.store.submit(lambda tx: held.wait(20))
    try:
        assert rest.ask("GET", "/readyz").code == "store_unavailable"
    finally:
        held.set()
    assert stuck.result(10)


@promise("rest.metrics.prometheus")
def test_requests_are_counted_by_route_and_code_and_never_by_what_was_asked(rest: RestDoor) -> None:
    sent = rest.send()["message_id"]
    for _ in range(2):
        rest.ok("GET", f"/v1/messages/{sent}?project=b")
    rest.ask("GET", "/v1/messages/unheard-of")
    rest.ask("GET", "/no/such/path")
    answer = rest.ask("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    text = answer.body.decode()
    assert sent not in text
    assert "unheard-of" not in text
    samples = {
        (sample.labels.get("route"), sample.labels.get("status")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "waypost_requests_total"
    }
    assert samples["/v1/messages/{message_id}", "200"] == 2
    assert samples["/v1/messages/{message_id}", "422"] == 1
    assert samples["", "404"] == 1


@promise("rights.owner.may")
def test_the_owner_stops_the_server(rest: RestDoor) -> None:
    asked: list[bool] = []
    rest.context.request_stop = lambda: asked.append(True)
    assert rest.ok("POST", "/v1/server:stop", owner=True)["stopping"] is True
    assert asked == [True]


@promise("security.link.single_use")
def test_the_owner_gets_a_link_that_signs_in_once_and_is_never_logged(rest: RestDoor) -> None:
    link = rest.ok("POST", "/v1/server:open", owner=True)["url"]
    place = urlsplit(link)
    code = parse_qs(place.query)["code"][0]
    assert link.startswith(f"{rest.context.base_url}/web/")
    assert code not in repr(rest.events)
    assert rest.ask("GET", f"{place.path}?{place.query}").status == 200
    assert code not in repr(rest.events)
    session = rest.context.signins.redeem(code)
    assert session is not None
    assert rest.context.signins.holds(session)
    assert rest.context.signins.redeem(code) is None


@promise("security.link.single_use")
def test_a_link_is_good_for_a_minute_and_a_session_for_its_hours() -> None:
    clock = SetClock()
    signins = SignIns(clock, store_id="s")
    late, early = signins.issue(), signins.issue()
    clock.time += 59_999_999
    session = signins.redeem(early)
    clock.time += 1
    assert session is not None
    assert signins.redeem(late) is None
    assert signins.holds(session)
    clock.time += 12 * 3_600_000_000
    assert not signins.holds(session)


@promise("security.link.single_use")
def test_a_guess_signs_nobody_in() -> None:
    signins = SignIns(SetClock(), store_id="s")
    code = signins.issue()
    assert signins.redeem(code[:-1]) is None
    assert signins.redeem("") is None
    assert not signins.holds(code)
    assert not signins.holds("")


def test_codes_and_sessions_do_not_grow_without_end() -> None:
    signins = SignIns(SetClock(), store_id="s")
    codes = [signins.issue() for _ in range(1_000)]
    assert signins.redeem(codes[0]) is None
    assert signins.redeem(codes[-1]) is not None


@promise("rights.owner.may", "store.backup.whole")
def test_the_owner_backs_the_store_up_while_it_is_served(rest: RestDoor, tmp_path: Path) -> None:
    rest.send()
    copy = tmp_path / "copy.db"
    assert rest.ok("POST", "/v1/store:backup", {"path": str(copy)}, owner=True) == {"path": str(copy)}
    again = rest.refused("POST", "/v1/store:backup", {"path": str(copy)}, owner=True)
    assert again["code"] == "conflict"
    rest.ok("POST", "/v1/store:backup", {"path": str(copy), "overwrite": True}, owner=True)
    opened = open_waypost(copy, Settings())
    try:
        assert opened.store.facts.store_id == rest.waypost.store.facts.store_id
    finally:
        opened.close()


@pytest.mark.parametrize("path", ["relative.db", "", "a\0b"])
def test_a_backup_goes_to_an_absolute_path_only(rest: RestDoor, path: str) -> None:
    problem = rest.refused("POST", "/v1/store:backup", {"path": path}, owner=True)
    assert problem["code"] in {"invalid_input", "invalid_text"}
