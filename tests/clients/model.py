"""A scripted model on loopback: answers the requests of real coding agents in their own dialects, and keeps every one of them.

    POST …/messages     Anthropic Messages, streamed
    POST …/responses    OpenAI Responses, streamed

The script is a list of steps, one for each turn of the model: a tool call (by the end of its name) or a text. A client that asks for
something small beside its work (a title, a topic) offers no tool and gets a text without using up a step.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

__all__ = ["Model", "Step"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One turn of the model: a text, or a call of the offered tool whose name ends with `tool`."""

    text: str = "Done."
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)


WAIT = Step(tool="exec_command", arguments={"cmd": "sleep 1"})
"""What a client is asked for that has not yet connected its servers: Codex does not wait for them before its first request."""
MOST_WAITS = 40


class Model:
    """The server, from `with` to its end."""

    def __init__(self, steps: Sequence[Step] = ()) -> None:
        self.requests: list[dict[str, Any]] = []
        self._steps = list(steps)
        self._waits = MOST_WAITS
        self._lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                body = json.loads(raw or b"{}")
                place = self.path.partition("?")[0]
                if place.endswith("/messages"):
                    self._stream(_anthropic(model.take(body), body))
                elif place.endswith("/responses"):
                    self._stream(_responses(model.take(body), body))
                else:
                    self._json({"input_tokens": 1})

            def do_GET(self) -> None:
                self._json({"data": [], "models": []})

            def do_HEAD(self) -> None:
                self._json({})

            def _json(self, value: object) -> None:
                content = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def _stream(self, events: Sequence[dict[str, Any]]) -> None:
                text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
                content = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, body: dict[str, Any]) -> Step:
        """The next step of the script; a text where it is over or nothing was offered to call."""
        with self._lock:
            self.requests.append(body)
            if not body.get("tools") or not self._steps:
                return Step()
            if self._steps[0].tool and not _is_offered(self._steps[0], body) and self._waits:
                self._waits -= 1
                return WAIT
            return self._steps.pop(0)

    def read(self) -> str:
        """All that the model would have read, tools left out."""
        return "\n".join(json.dumps({k: v for k, v in one.items() if k != "tools"}) for one in self.requests)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(30)


def _is_offered(step: Step, body: dict[str, Any]) -> bool:
    """Whether the step's tool can be called now. What is found by a search is not in the list, and is called all the same."""
    names = [str(tool.get("name")) for tool in body["tools"]]
    inner = [str(one.get("name")) for tool in body["tools"] for one in tool.get("tools", [])]
    return WAIT.tool not in names or any(name.endswith(step.tool) for name in (*names, *inner))


def _called(step: Step, body: dict[str, Any]) -> dict[str, str]:
    """The tool as it is called: Codex offers the tools of a server within a namespace of its own."""
    for tool in body.get("tools", []):
        for inner in tool.get("tools", []):
            if str(inner.get("name")).endswith(step.tool):
                return {"namespace": str(tool["name"]), "name": str(inner["name"])}
        if str(tool.get("name")).endswith(step.tool):
            return {"name": str(tool["name"])}
    return {"name": step.tool}


def _anthropic(step: Step, body: dict[str, Any]) -> list[dict[str, Any]]:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "m"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    if step.tool:
        block: dict[str, Any] = {
            "type": "tool_use",
            "id": f"toolu_{os.urandom(8).hex()}",
            **_called(step, body),
            "input": {},
        }
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": step.text}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use" if step.tool else "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    ]


def _responses(step: Step, body: dict[str, Any]) -> list[dict[str, Any]]:
    if step.tool:
        item: dict[str, Any] = {
            "type": "function_call",
            "id": f"fc_{os.urandom(8).hex()}",
            "call_id": f"call_{os.urandom(8).hex()}",
            **_called(step, body),
            "arguments": json.dumps(step.arguments),
            "status": "completed",
        }
    else:
        content = [{"type": "output_text", "text": step.text, "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    done = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": {**done, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": done},
    ]
