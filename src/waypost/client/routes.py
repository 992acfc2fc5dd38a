"""The one table of the REST paths: operation name -> method and path. The server, the command line and the client read it.

Names in braces are input fields that stand in the path; of the others, GET and DELETE carry theirs in the query, the rest
in a JSON body. Fixed paths stand before those with a field, so that a router that takes the first match is right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from waypost.client.percent import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ROUTES", "Route"]


class Route(NamedTuple):
    """How one operation is reached."""

    method: str
    path: str

    @property
    def path_fields(self) -> tuple[str, ...]:
        """The input fields in the path, in order."""
        return tuple(part.partition("}")[0] for part in self.path.split("{")[1:])

    @property
    def in_query(self) -> bool:
        """Whether the other fields travel in the query; otherwise they are the JSON body."""
        return self.method in {"GET", "DELETE"}

    def fill(self, fields: Mapping[str, object]) -> tuple[str, dict[str, object]]:
        """The path with its fields, encoded, and the fields that are left. A missing path field is KeyError."""
        path = self.path
        for name in self.path_fields:
            path = path.replace(f"{{{name}}}", quote(str(fields[name])))
        return path, {name: value for name, value in fields.items() if name not in self.path_fields}


ROUTES: dict[str, Route] = {
    "message.send": Route("POST", "/v1/messages"),
    "message.list": Route("GET", "/v1/messages"),
    "message.wait": Route("GET", "/v1/messages/wait"),
    "message.pop": Route("POST", "/v1/messages/pop"),
    "message.cancel_all": Route("POST", "/v1/messages/cancel"),
    "message.view": Route("GET", "/v1/messages/{message_id}"),
    "message.ack": Route("POST", "/v1/messages/{message_id}/ack"),
    "message.claim": Route("POST", "/v1/messages/{message_id}/claim"),
    "message.renew": Route("POST", "/v1/messages/{message_id}/renew"),
    "message.release": Route("POST", "/v1/messages/{message_id}/release"),
    "message.complete": Route("POST", "/v1/messages/{message_id}/complete"),
    "message.snooze": Route("POST", "/v1/messages/{message_id}/snooze"),
    "message.cancel": Route("POST", "/v1/messages/{message_id}/cancel"),
    "message.reply": Route("POST", "/v1/messages/{message_id}/reply"),
    "message.redact": Route("POST", "/v1/messages/{message_id}/redact"),
    "wake.look": Route("GET", "/v1/wakes"),
    "wake.reserve": Route("POST", "/v1/wakes/reserve"),
    "wake.accepted": Route("POST", "/v1/wakes/{message_id}/accepted"),
    "wake.retry": Route("POST", "/v1/wakes/{message_id}/retry"),
    "briefing.show": Route("GET", "/v1/briefing"),
    "briefing.begin": Route("POST", "/v1/briefing"),
    "briefing.shown": Route("POST", "/v1/briefing/shown"),
    "decision.ask": Route("POST", "/v1/decisions"),
    "decision.list": Route("GET", "/v1/decisions"),
    "decision.view": Route("GET", "/v1/decisions/{decision_id}"),
    "decision.answer": Route("POST", "/v1/decisions/{decision_id}/answer"),
    "decision.wait": Route("GET", "/v1/decisions/{decision_id}/wait"),
    "decision.cancel": Route("POST", "/v1/decisions/{decision_id}/cancel"),
    "handoff.begin": Route("POST", "/v1/handoffs"),
    "handoff.list": Route("GET", "/v1/handoffs"),
    "handoff.offer": Route("GET", "/v1/handoffs/offer"),
    "handoff.accept": Route("POST", "/v1/handoffs/{handoff_id}/accept"),
    "handoff.cancel": Route("POST", "/v1/handoffs/{handoff_id}/cancel"),
    "project.list": Route("GET", "/v1/projects"),
    "project.which": Route("GET", "/v1/projects:which"),
    "project.add": Route("POST", "/v1/projects"),
    "project.rename": Route("POST", "/v1/projects/{workspace}/{project}:rename"),
    "project.move": Route("POST", "/v1/projects/{workspace}/{project}:move"),
    "project.allow": Route("POST", "/v1/projects/{workspace}/{project}:allow"),
    "project.show": Route("GET", "/v1/projects/{workspace}/{project}"),
    "project.put": Route("PUT", "/v1/projects/{workspace}/{project}"),
    "project.delete": Route("DELETE", "/v1/projects/{workspace}/{project}"),
    "session.list": Route("GET", "/v1/sessions"),
    "session.continue": Route("POST", "/v1/sessions/{session_id}:continue"),
    "session.show": Route("GET", "/v1/sessions/{session_id}"),
    "session.put": Route("PUT", "/v1/sessions/{session_id}"),
    "changes.list": Route("GET", "/v1/changes"),
    "consumer.show": Route("GET", "/v1/changes/consumers/{name}"),
    "consumer.put": Route("PUT", "/v1/changes/consumers/{name}"),
    "consumer.delete": Route("DELETE", "/v1/changes/consumers/{name}"),
    "user.list": Route("GET", "/v1/users"),
    "user.me": Route("GET", "/v1/users:me"),
    "user.show": Route("GET", "/v1/users/{user}"),
    "user.add": Route("PUT", "/v1/users/{user}"),
    "user.remove": Route("DELETE", "/v1/users/{user}"),
    "token.list": Route("GET", "/v1/tokens"),
    "token.create": Route("POST", "/v1/tokens"),
    "token.revoke": Route("DELETE", "/v1/tokens/{token_id}"),
    "grant.list": Route("GET", "/v1/grants"),
    "grant.set": Route("PUT", "/v1/grants"),
    "grant.remove": Route("DELETE", "/v1/grants"),
    "store.show": Route("GET", "/v1/store"),
    "store.backup": Route("POST", "/v1/store:backup"),
    "store.export": Route("POST", "/v1/store:export"),
    "server.open": Route("POST", "/v1/server:open"),
    "server.stop": Route("POST", "/v1/server:stop"),
}
