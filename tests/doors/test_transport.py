"""The transport against servers that answer rightly, badly, late, or are not ours."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doors.fake_server import FakeServer, Handler, Recorded
from tests.promises.marks import promise
from waypost.client.errors import AnswerLost, AnswerTooLarge, ForeignServer, ServerAway, ServerSlow
from waypost.client.events import read_events
from waypost.client.percent import encode_header, encode_query, quote, unquote
from waypost.client.routes import ROUTES
from waypost.client.transport import Connection, request
from waypost.client.wire import encode_request

BOTH = pytest.mark.parametrize("unix", [True, False], ids=["socket", "port"])
SECONDS = 20.0


def soon() -> float:
    return time.monotonic() + SECONDS


def always(act: Callable[[Handler], object]) -> Callable[[Handler, Recorded], bool]:
    """Answers every request but the one that proves the store with `act`."""

    def before(handler: Handler, seen: Recorded) -> bool:
        if seen.path == "/v1/store":
            return False
        act(handler)
        handler.close_connection = True
        return True

    return before


@BOTH
def test_a_request_and_its_answer_pass_whole(database: str, unix: bool) -> None:
    with FakeServer(database, unix=unix) as server:
        big = b"x" * 1_000_000
        server.before = always(lambda handler: handler.send_json(418, big))
        status, headers, body = request(
            server.run,
            "POST",
            "/a/b",
            query={"q": "ü &", "n": None, "on": True},
            headers={"A": "1"},
            body=big,
            deadline=soon(),
        )
        seen = server.requests[-1]
    assert (status, body) == (418, big)
    assert headers["content-type"] == "application/json"
    assert (seen.method, seen.path, seen.body) == ("POST", "/a/b?q=%C3%BC%20%26&on=true", big)
    assert seen.headers["a"] == "1"
    assert seen.headers["waypost-key"] == server.run.key


@BOTH
def test_an_answer_in_chunks_is_put_together(database: str, unix: bool) -> None:
    def stream(handler: Handler) -> None:
        with handler.stream() as write:
            write(b"one ")
            write(b"two")

    with FakeServer(database, unix=unix) as server:
        server.before = always(stream)
        assert request(server.run, "GET", "/x", deadline=soon())[2] == b"one two"


@BOTH
@promise("store.runfile.foreign_server")
@pytest.mark.parametrize("sent", [None, "another-store"])
def test_an_answer_without_the_right_store_id_is_not_believed(database: str, unix: bool, sent: str | None) -> None:
    with FakeServer(database, unix=unix) as server:
        server.sent_store_id = sent
        with pytest.raises(ForeignServer):
            request(server.run, "GET", "/readyz", deadline=soon())


@promise("store.runfile.foreign_server")
def test_over_tcp_the_key_waits_until_the_store_is_proved_on_the_same_connection(database: str) -> None:
    with FakeServer(database, unix=False) as server:
        request(server.run, "POST", "/v1/projects", body=b"{}", deadline=soon())
        proof, real = server.requests
        assert (proof.path, "waypost-key" in proof.headers) == ("/v1/store", False)
        assert real.headers["waypost-key"] == server.run.key
        server.sent_store_id = "another-store"
        with pytest.raises(ForeignServer):
            request(server.run, "POST", "/v1/projects", body=b"{}", deadline=soon())
        assert server.requests[-1].path == "/v1/store"
        assert all(seen.headers.get("waypost-key") is None for seen in server.requests[2:])


@BOTH
def test_where_nobody_listens_the_server_is_away(database: str, unix: bool) -> None:
    with FakeServer(database, unix=unix) as server:
        run = server.run
        server.stop()
        with pytest.raises(ServerAway):
            request(run, "GET", "/x", deadline=soon())


def test_over_tcp_a_server_whose_process_has_ended_is_away_whoever_has_its_port(database: str) -> None:
    with FakeServer(database, unix=False) as server:
        server.run.pid = 2**22 + 1
        with pytest.raises(ServerAway):
            request(server.run, "GET", "/x", deadline=soon())
        assert server.requests == []


@BOTH
def test_a_silent_server_is_slow_at_the_deadline(database: str, unix: bool) -> None:
    with FakeServer(database, unix=unix) as server:
        server.before = always(lambda handler: server.release.wait(SECONDS))
        with pytest.raises(ServerSlow):
            request(server.run, "GET", "/x", deadline=time.monotonic() + 0.2)
        with pytest.raises(ServerSlow):
            request(server.run, "GET", "/x", deadline=time.monotonic() - 1)


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (b"", AnswerLost),
        (b"HTTP/1.1 200 OK\r\nWaypost-Store: {id}\r\nContent-Length: 10\r\n\r\nabc", AnswerLost),
        (b"HTTP/1.1 200 OK\r\nWaypost-Store: {id}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", AnswerLost),
        (b"HTTP/1.1 200 OK\r\nWaypost-Store: {id}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", AnswerLost),
        (b"HTTP/1.1 200 OK\r\nWaypost-Store: {id}\r\n\r\nabc", AnswerLost),
        (b"HTTP/1.1 200 OK\r\nWaypost-Store: {id}\r\nContent-Length: 2000\r\n\r\n" + b"x" * 2000, AnswerTooLarge),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 10 + b"\r\n", ForeignServer),
        (b"HTTP/1.1 200 OK\r\n" + b"".join(b"A%d: b\r\n" % n for n in range(200)) + b"\r\n", ForeignServer),
        (b"SSH-2.0-OpenSSH_9.2\r\n", ForeignServer),
        (b"x" * 100_000, ForeignServer),
        (b"HTTP/1.1 abc\r\n\r\n", ForeignServer),
    ],
    ids=[
        "nothing",
        "cut body",
        "cut chunks",
        "chunk without size",
        "no length",
        "too large",
        "no store",
        "many headers",
        "no http",
        "long line",
        "no status",
    ],
)
def test_an_answer_that_is_cut_broken_or_too_large_is_refused(
    database: str, raw: bytes, error: type[Exception]
) -> None:
    with FakeServer(database) as server:

        def write(handler: Handler) -> None:
            handler.wfile.write(raw.replace(b"{id}", server.store_id.encode()))

        server.before = always(write)
        with pytest.raises(error):
            request(server.run, "GET", "/x", deadline=soon(), most=1000)


def test_informational_answers_are_passed_over_and_an_empty_one_needs_no_length(database: str) -> None:
    with FakeServer(database) as server:
        head = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nWaypost-Store: %b\r\n\r\n"
        server.before = always(lambda handler: handler.wfile.write(head % server.store_id.encode()))
        assert request(server.run, "GET", "/x", deadline=soon())[::2] == (204, b"")


def test_a_server_that_refuses_a_long_request_early_is_still_heard(database: str) -> None:
    with FakeServer(database) as server:
        answered = threading.Event()
        run = server.run

        class Early(Handler):
            fake = server

            def _handle(self) -> None:
                self.send_json(413, {"code": "invalid_input"})
                self.close_connection = True
                answered.set()

        server._server.RequestHandlerClass = Early
        status, _, body = request(run, "POST", "/x", body=b"x" * 5_000_000, deadline=soon())
    assert (status, json.loads(body)["code"]) == (413, "invalid_input")


def test_another_thread_can_end_a_wait(database: str) -> None:
    with FakeServer(database) as server:
        server.before = always(lambda handler: server.release.wait(SECONDS))
        with Connection(server.run, soon()) as connection:

            def abort() -> None:
                server.wait_for(lambda seen: len(seen) == 1)
                connection.abort()

            waiter = threading.Thread(target=abort, daemon=True)
            waiter.start()
            with pytest.raises(AnswerLost):
                connection.ask("GET", "/x", {})
            waiter.join(SECONDS)


def test_a_header_cannot_bring_a_line_break_in() -> None:
    with pytest.raises(ValueError, match="line break"):
        encode_request("GET", "/", {"A": "b\r\nC: d"}, None)
    assert encode_header("a\r\nb é 100%\ud800") == "a%0D%0Ab %C3%A9 100%25%ED%A0%80"


def test_events_are_read_whatever_their_line_ends_and_wherever_they_are_cut() -> None:
    text = b": note\r\ndata: one\r\ndata:two\r\n\r\nevent: x\nid: 1\ndata\n\ndata: \xc3\xbc\r\rretry: 1\n\ndata: cut"
    expected = [b"one\ntwo", b"", b"\xc3\xbc"]
    assert list(read_events([text])) == expected
    assert list(read_events([text[place : place + 1] for place in range(len(text))])) == expected


@given(st.text())
def test_what_is_quoted_unquotes_to_the_same(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return
    assert unquote(quote(text)) == text
    assert quote(text).isascii()


def test_file_names_that_are_not_utf8_keep_their_bytes() -> None:
    assert quote("/a\udcff", keep="/") == "/a%FF"
    assert unquote("%FF%zz%4") == "\udcff%zz%4"


def test_lists_in_a_query_repeat_their_name() -> None:
    assert encode_query({"a": ["x", "y"], "b": False, "c": 0, "d": None}) == "a=x&a=y&b=false&c=0"


def test_a_route_takes_its_path_fields_and_leaves_the_others() -> None:
    route = ROUTES["project.rename"]
    assert route.path_fields == ("workspace", "project")
    path, rest = route.fill({"workspace": "default", "project": "a/b", "name": "c"})
    assert (path, rest, route.in_query) == ("/v1/projects/default/a%2Fb:rename", {"name": "c"}, False)
    assert ROUTES["session.show"].fill({"session_id": "s:1"})[0] == "/v1/sessions/s%3A1"
    with pytest.raises(KeyError):
        route.fill({"workspace": "default"})


def test_no_two_operations_share_method_and_path_and_fixed_paths_stand_first() -> None:
    pairs = [(route.method, route.path) for route in ROUTES.values()]
    assert len(set(pairs)) == len(pairs)
    for place, (method, path) in enumerate(pairs):
        hidden = [
            earlier
            for before, earlier in pairs[:place]
            if before == method and "{" in earlier and earlier.split("{")[0] == path.rpartition("/")[0] + "/"
            and earlier.count("/") == path.count("/") and "{" not in path and earlier.endswith("}")
        ]  # fmt: skip
        assert hidden == [], path


def test_the_folder_of_the_home_is_used(home: Path, database: str) -> None:
    assert Path(database).parent == (home / "data").resolve()
