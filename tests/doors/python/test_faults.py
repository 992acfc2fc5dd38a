"""Connections that break at every stage: no write is done twice, none without a key is sent again, lists lose and repeat nothing."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.doors.python.dropping import STAGES, DroppingProxy, Given, Passed
from tests.doors.server_process import ServerProcess
from tests.promises.marks import promise
from waypost.client import AsyncWaypost, Retries, Waypost, errors
from waypost.operations.sending import SendOutput


class Paused:
    """A client through the proxy whose pauses are noted, not slept."""

    def __init__(self, url: str, *, retries: Retries | None = None, timeout: float = 30.0) -> None:
        self.post = Waypost(url=url, retries=retries, timeout=timeout)
        self.pauses: list[float] = []
        self.post._exchange.sleep = self.pauses.append


Make = Callable[..., Paused]


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes clients, which are closed with the test."""
    made: list[Paused] = []

    def one(url: str, **options: Any) -> Paused:
        made.append(Paused(url, **options))
        return made[-1]

    yield one
    for client in made:
        client.post.close()


@pytest.fixture
def paused(proxy: DroppingProxy, make: Make) -> Paused:
    return make(proxy.url)


def project(server: ServerProcess) -> str:
    """A new project for one test."""
    found = f"p{uuid.uuid4().hex[:12]}"
    server.ask("PUT", f"/v1/projects/default/{found}", {})
    return found


def bodies(server: ServerProcess, name: str) -> list[str]:
    """What lies in a project's inbox, asked past the proxy."""
    _, page = server.ask("GET", f"/v1/messages?project={name}&status=all&limit=500")
    return [item["subject"] for item in page["items"]]


@promise("client.python.retries_keyed")
@pytest.mark.parametrize("stages", [(stage,) for stage in STAGES] + [tuple(STAGES)])
def test_a_write_whose_connection_breaks_is_done_once(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused, stages: tuple[str, ...]
) -> None:
    box = project(server)
    proxy.drop(*stages)
    paused.post.messages.send(body="hello", from_project=box, to_project=box)
    assert len(bodies(server, box)) == 1
    assert len(proxy.seen) == len(stages) + 1
    assert len({request.headers["idempotency-key"] for request in proxy.seen}) == 1
    assert len(paused.pauses) == len(stages)


@promise("client.python.retries_keyed")
@pytest.mark.parametrize("stages", [(stage,) for stage in STAGES])
def test_an_awaited_write_whose_connection_breaks_is_done_once(
    server: ServerProcess, proxy: DroppingProxy, stages: tuple[str, ...]
) -> None:
    box = project(server)
    proxy.drop(*stages)

    async def program() -> None:
        async with AsyncWaypost(url=proxy.url, retries=Retries(first_pause=0.0)) as post:
            await post.messages.send(body="hello", from_project=box, to_project=box)

    asyncio.run(program())
    assert len(bodies(server, box)) == 1


@promise("client.python.retries_keyed")
def test_two_calls_have_keys_of_their_own_and_a_caller_may_give_one(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused
) -> None:
    box = project(server)
    for number in range(2):
        paused.post.messages.send(body=f"number {number}", from_project=box, to_project=box)
    assert len({request.headers["idempotency-key"] for request in proxy.seen}) == 2
    given = [
        paused.post.messages.send(body="once", from_project=box, to_project=box, idempotency_key="mine") for _ in "ab"
    ]
    assert given[0].message_id == given[1].message_id
    assert len(bodies(server, box)) == 3


@promise("client.python.unkeyed_once", "client.python.says_if_run")
@pytest.mark.parametrize("stage", STAGES)
def test_a_write_without_a_key_is_never_sent_again(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused, stage: str
) -> None:
    box = project(server)
    proxy.drop(stage)
    with pytest.raises(errors.AnswerLost) as lost:
        paused.post._exchange.write_once(
            "message.send", SendOutput, {"body": "hello", "from_project": box, "to_project": box}
        )
    assert lost.value.may_have_run
    assert len(proxy.seen) == 1
    assert paused.pauses == []


@promise("client.python.says_if_run")
def test_an_address_where_nobody_listens_says_that_nothing_was_sent(server: ServerProcess, make: Make) -> None:
    with DroppingProxy("http://127.0.0.1:1") as gone:
        url = gone.url
    made = make(url, retries=Retries(times=2))
    with pytest.raises(errors.ServerAway) as away:
        made.post.messages.send(body="hello")
    assert not away.value.may_have_run
    assert len(made.pauses) == 2


@promise("client.python.lists_resume")
@pytest.mark.parametrize("stage", STAGES)
def test_a_list_goes_on_over_broken_connections_without_loss_or_repeat(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused, stage: str
) -> None:
    box = project(server)
    for number in range(7):
        server.ask(
            "POST", "/v1/messages", {"body": "x", "subject": str(number), "from_project": box, "to_project": box}
        )
    proxy.drop(stage, "pass", stage, stage, "pass", "pass", stage)
    seen = [item.subject for item in paused.post.messages.list(project=box, limit=2)]
    assert seen == bodies(server, box)
    assert len(seen) == 7
    assert not proxy.plan


@promise("client.python.lists_resume")
def test_a_list_that_raised_goes_on_where_it_stood(server: ServerProcess, proxy: DroppingProxy, make: Make) -> None:
    box = project(server)
    for number in range(5):
        server.ask(
            "POST", "/v1/messages", {"body": "x", "subject": str(number), "from_project": box, "to_project": box}
        )
    made = make(proxy.url, retries=Retries(times=0))
    items = iter(made.post.messages.list(project=box, limit=2))
    seen = [next(items).subject for _ in range(2)]
    proxy.drop("after", "mid")
    for _ in range(2):
        with pytest.raises(errors.AnswerLost):
            next(items)
    seen += [item.subject for item in items]
    assert seen == bodies(server, box)


def refusing(code: str, status: int, **headers: str) -> Given:
    """A refusal as the server sends it."""
    problem = {"type": "", "title": "No", "status": status, "code": code, "detail": "No.", "hint": "Later."}
    return Given(
        status=status,
        headers={name.replace("_", "-"): text for name, text in headers.items()},
        body=json.dumps(problem).encode(),
    )


def marking(server: ServerProcess, given: Given) -> Given:
    assert server.run is not None
    given.headers["waypost-store"] = server.run.store_id
    return given


def once(given: Given) -> Iterator[Given | None]:
    return itertools.chain([given], itertools.repeat(None))


@promise("client.python.retries_asked")
@pytest.mark.parametrize(("code", "status"), [("store_busy", 503), ("store_unavailable", 503), ("rate_limited", 429)])
def test_a_refusal_that_asks_for_a_repeat_is_repeated_after_the_pause_it_names(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused, code: str, status: int
) -> None:
    answers = once(marking(server, refusing(code, status, retry_after="3")))
    proxy.instead = lambda request: next(answers)
    assert paused.post.store.show().engine == "sqlite"
    assert paused.pauses == [3.0]


@promise("client.python.retries_asked")
@pytest.mark.parametrize(
    ("code", "status", "headers"),
    [
        ("rate_limited", 429, {"retry_after": "60"}),
        ("schema_newer", 503, {}),
        ("store_unavailable", 507, {"retry_after": "1"}),
        ("internal_error", 500, {}),
        ("conflict", 409, {}),
    ],
)
def test_a_refusal_that_a_short_repeat_would_not_cure_is_raised_at_once(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused, *, code: str, status: int, headers: dict[str, str]
) -> None:
    proxy.instead = lambda request: marking(server, refusing(code, status, **headers))
    with pytest.raises(errors.WaypostError) as refusal:
        paused.post.messages.send(body="hello")
    assert (refusal.value.code, refusal.value.status) == (code, status)
    assert (refusal.value.detail, refusal.value.hint) == ("No.", "Later.")
    assert paused.pauses == []


@promise("client.python.retries_asked")
def test_a_refusal_of_a_newer_server_keeps_its_code(
    proxy: DroppingProxy, server: ServerProcess, paused: Paused
) -> None:
    proxy.instead = lambda request: marking(server, refusing("not_known_yet", 409))
    with pytest.raises(errors.Conflict) as refusal:
        paused.post.store.show()
    assert refusal.value.problem()["code"] == "not_known_yet"
    assert errors.Conflict.code == "conflict"


@promise("client.python.retries_asked")
@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_that_answers_for_an_absent_server_is_asked_again(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused, status: int
) -> None:
    answers = once(Given(status=status, headers={}, body=b"<h1>secret of the gateway</h1>"))
    proxy.instead = lambda request: next(answers)
    assert paused.post.store.show().engine == "sqlite"
    assert len(proxy.seen) == 2


@promise("client.python.store_checked")
def test_an_answer_of_another_store_is_an_error_and_nothing_of_it_is_believed(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused
) -> None:
    known = paused.post.store.show().store_id
    assert "waypost-store" not in proxy.seen[0].headers

    def change(given: Given) -> None:
        given.headers["waypost-store"] = "another"

    proxy.change = change
    with pytest.raises(errors.StoreChanged):
        paused.post.messages.send(body="hello")
    assert proxy.seen[-1].headers["waypost-store"] == known
    assert paused.pauses == []


@promise("client.python.store_checked")
@pytest.mark.parametrize("status", [200, 404])
def test_what_names_no_store_is_no_server(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused, status: int
) -> None:
    proxy.instead = lambda request: Given(status=status, headers={}, body=b'{"items": []}')
    with pytest.raises(errors.ForeignServer):
        paused.post.store.show()


@promise("client.python.says_if_run")
def test_an_answer_of_another_shape_names_both_versions(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused
) -> None:
    given = marking(server, Given(status=200, headers={"waypost-version": "9.9"}, body=b'{"store_id": 7}'))
    proxy.instead = lambda request: given
    with pytest.raises(errors.AnswerUnreadable, match=r"store\.show .*'store_id'.* 9\.9"):
        paused.post.store.show()


@promise("client.python.says_if_run")
def test_an_answer_that_does_not_come_in_time_may_have_run(
    server: ServerProcess, proxy: DroppingProxy, make: Make
) -> None:
    held = threading.Event()

    def hold(request: Passed) -> None:
        held.wait(30)

    proxy.instead = hold
    made = make(proxy.url, retries=Retries(times=0), timeout=0.2)
    with pytest.raises(errors.ServerSlow) as slow:
        made.post.store.show()
    held.set()
    assert slow.value.may_have_run


@promise("client.python.long_wait")
def test_a_wait_longer_than_one_request_is_asked_again_until_its_time_is_up(
    server: ServerProcess, proxy: DroppingProxy, paused: Paused
) -> None:
    box = project(server)
    times = itertools.count(0.0, 40.0)
    paused.post._exchange.clock = lambda: next(times)
    empty = server.ask("GET", f"/v1/messages/wait?project={box}&timeout_seconds=0")[1]
    proxy.instead = lambda request: marking(server, Given(status=200, headers={}, body=json.dumps(empty).encode()))
    answer = paused.post.messages.wait(project=box, timeout_seconds=600)
    assert answer.retry
    assert len(proxy.seen) > 1
    assert all("timeout_seconds=50" in request.target for request in proxy.seen[:-1])
