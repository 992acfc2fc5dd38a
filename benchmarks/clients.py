"""HTTP clients that cost little: each process drives its share of keep-alive connections by one selector and prepared bytes.

`Clients` starts the processes and gives all of them the same order; each connection sends its next request when its answer came.
A child process (`python -m benchmarks.clients HOST PORT FIRST COUNT`) reads orders as JSON lines and answers each with one.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

__all__ = ["CONNECTIONS", "EMPTY", "PROJECTS", "SENDER", "Clients", "Tally", "project"]

CONNECTIONS = 32
PROCESSES = 2
PROJECTS = 64
"""So many mailboxes take the mail, two of each connection, so that none fills up within a window."""
SENDER = "sender"
PATIENCE_SECONDS = 30
STOCK = 60
"""So many pieces of work lie ready for each connection before a window of work."""
EMPTY = {"refused": ("/healthz", b"405"), "empty": ("/v1/messages", b"422")}
"""POSTs without a body, by kind: one that no endpoint takes, and one that the endpoint of sends takes and refuses."""
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
TEXT = "The export endpoint answers 500 for workspaces without a plan. Please look at it and say what you changed. " * 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """What a window brought: requests answered as asked, seconds, and other answers."""

    done: int
    seconds: float
    refused: int

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.done / self.seconds


class Clients:
    """The client processes, with all their connections open. `run` has them work for a while; `drain` empties the mailboxes."""

    def __init__(self, host: str, port: int, *, connections: int = CONNECTIONS, processes: int = PROCESSES) -> None:
        share = connections // processes
        self._children = [
            subprocess.Popen(
                [sys.executable, "-m", "benchmarks.clients", host, str(port), str(at * share), str(share)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for at in range(processes)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for child in self._children:
            child.communicate(timeout=PATIENCE_SECONDS)  # the end of its orders is its end

    def run(self, kind: str, seconds: float) -> Tally:
        """One window of `send`, `keyed` (a send with an idempotency key), or a kind of `EMPTY`."""
        return self._order({"kind": kind, "seconds": seconds})

    def work(self, seconds: float) -> Tally:
        """One window in which each connection claims work and completes it, one request after the other; the work is sent before."""
        self._order({"kind": "stock", "seconds": PATIENCE_SECONDS})
        return self._order({"kind": "work", "seconds": seconds})

    def drain(self) -> Tally:
        """Pops until every mailbox is empty."""
        return self._order({"kind": "pop", "seconds": PATIENCE_SECONDS})

    def _order(self, order: dict[str, object]) -> Tally:
        for child in self._children:
            assert child.stdin is not None
            child.stdin.write(json.dumps(order) + "\n")
            child.stdin.flush()
        answers = []
        for child in self._children:
            assert child.stdout is not None
            answers.append(json.loads(child.stdout.readline()))
        return Tally(
            done=sum(answer["done"] for answer in answers),
            seconds=max(answer["seconds"] for answer in answers),
            refused=sum(answer["refused"] for answer in answers),
        )


def project(number: int) -> str:
    """The name of one of the mailboxes."""
    return f"desk-{number:03d}"


class Connection:
    """One keep-alive connection with one request under way."""

    def __init__(self, host: str, port: int, place: int) -> None:
        self.socket = socket.create_connection((host, port), timeout=PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host = f"{host}:{port}"
        share = PROJECTS // CONNECTIONS
        self._projects = [project(place * share + at) for at in range(share)]
        self._place = place
        self._count = 0
        self._received = b""
        self._undrained: list[str] = []
        self._stock: list[dict[str, object]] = []
        self._held: dict[str, object] | None = None

    def begin(self, kind: str) -> None:
        """Sends the first request of a window."""
        self._undrained = list(self._projects)
        self._held = None
        self.socket.sendall(self._request(kind))

    def receive(self) -> tuple[bytes, bytes] | None:
        """Status line and body of the answer, once it is whole."""
        part = self.socket.recv(65_536)
        if not part:
            raise ConnectionError("the server closed a connection")
        self._received += part
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return None
        found = LENGTH.search(self._received, 0, end)
        size = end + 4 + (int(found.group(1)) if found else 0)
        if len(self._received) < size:
            return None
        head, body, self._received = self._received[:end], self._received[end + 4 : size], self._received[size:]
        return head[9:12], body

    def proceed(self, kind: str, body: bytes) -> bool:
        """Sends the next request, unless nothing is left to ask for."""
        if kind == "pop" and body.startswith(b'{"message":null'):
            self._undrained.pop()
            if not self._undrained:
                return False
        if kind in {"stock", "work"} and not self._take_note(kind, json.loads(body)):
            return False
        self.socket.sendall(self._request(kind))
        return True

    def _take_note(self, kind: str, answer: dict[str, object]) -> bool:
        """Remembers what was sent, or what is held now; answers whether there is more to ask for."""
        if kind == "stock":
            self._stock.append({**self._acting(), "message_id": answer["message_id"]})
            return len(self._stock) < STOCK
        self._held = {**self._stock.pop(), "token": answer["token"]} if "token" in answer else None
        return bool(self._held or self._stock)

    def _acting(self) -> dict[str, object]:
        return {"project": self._here(), "session": f"at-{self._here()}", "occurrence": 1}

    def _here(self) -> str:
        return self._projects[self._count % len(self._projects)]

    def _work(self) -> tuple[str, str]:
        verb, fields = "claim", dict(self._stock[-1])
        if self._held is not None:
            verb, fields = "complete", {**self._held, "outcome": "It streams since 4f1c."}
        return f"/v1/messages/{fields.pop('message_id')}/{verb}", json.dumps(fields)

    def _request(self, kind: str) -> bytes:
        self._count += 1
        extra = ""
        if kind == "work":
            path, body = self._work()
        elif kind in EMPTY:
            path, body = EMPTY[kind][0], ""
        elif kind == "pop":
            path, body = "/v1/messages/pop", json.dumps({"project": self._undrained[-1]})
        else:
            path = "/v1/messages"
            fields = {
                "from_project": SENDER,
                "to_project": self._here(),
                "subject": f"Export fails, case {self._count}",
                "body": f"Case {self._place} {self._count}. {TEXT}",
            }
            body = json.dumps({**fields, "actionable": True} if kind == "stock" else fields)
            if kind == "keyed":
                extra = f"Idempotency-Key: {self._place}-{self._count}\r\n"
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n{extra}"
        return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii")


def window(connections: Sequence[Connection], kind: str, seconds: float) -> dict[str, float]:
    """Drives the connections for so long, then waits for what is under way without counting it."""
    wanted = EMPTY[kind][1] if kind in EMPTY else b"200"
    selector = selectors.DefaultSelector()
    for connection in connections:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
    done = refused = 0
    begun = time.perf_counter()
    end = begun + seconds
    for connection in connections:
        connection.begin(kind)
    last = begun
    while selector.get_map():
        ready = selector.select(timeout=PATIENCE_SECONDS)
        if not ready:
            raise TimeoutError("the server does not answer")
        last = time.perf_counter()
        for key, _ in ready:
            connection = key.data
            answer = connection.receive()
            if answer is None:
                continue
            if last < end:
                done += answer[0] == wanted
                refused += answer[0] != wanted
            if last >= end or not connection.proceed(kind, answer[1]):
                selector.unregister(connection.socket)
    selector.close()
    return {"done": done, "refused": refused, "seconds": min(last, end) - begun}


def main() -> None:
    """Serves one order after the other."""
    host, port, first, count = sys.argv[1], *map(int, sys.argv[2:5])
    connections = [Connection(host, port, place) for place in range(first, first + count)]
    for line in sys.stdin:
        order = json.loads(line)
        sys.stdout.write(json.dumps(window(connections, order["kind"], order["seconds"])) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
