"""A town with people, tokens and grants: two projects that most may use, one that is hidden from all but the operator.

Callers come by `authenticate`, as at a door. What the hidden project holds is marked, so that a leak of any of it shows in an answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.operations.office import Office
from waypost.kernel.time import SECOND, format_instant
from waypost.operations.authority import authenticate, with_credential
from waypost.operations.call import Caller, Rights

__all__ = ["BOUNDED", "CALLERS", "MARK", "Town"]

CALLERS = ("none", "owner", "operator", "write", "read", "drop", "nothing", "agent")
"""No token; the store's owner; the operator's token; a person with read and write on a and b; one with read on both; one with write on
both, who may leave mail and read none; one without any grant; and the agents of the second in project a."""
BOUNDED = ("write", "read", "drop", "nothing", "agent")
MARK = "hidden"
"""Stands in every name and text of the hidden project."""


class Town:
    """An office with the projects a, b and hidden-vault, the people wendy, rita, dora and nora, and what each may do."""

    def __init__(self, office: Office) -> None:
        self.office = office
        office.add(f"{MARK}-vault")
        self.secrets: dict[str, str] = {}
        self.ids: dict[str, str] = {}
        self._make("operator", kind="operator")
        operator = self.caller("operator")
        for name in ("wendy", "rita", "dora", "nora", f"{MARK}-harriet"):
            office.run("user.add", caller=operator, user=name)
        for user, project, rights in (
            ("wendy", "a", ["read", "write"]),
            ("wendy", "b", ["read", "write"]),
            ("dora", "a", ["write"]),
            ("dora", "b", ["write"]),
            ("rita", "a", ["read"]),
            ("rita", "b", ["read"]),
            (f"{MARK}-harriet", f"{MARK}-vault", ["read", "write"]),
        ):
            office.run("grant.set", caller=operator, user=user, project=project, rights=rights)
        self._make("write", kind="user", user="wendy")
        self._make("read", kind="user", user="rita")
        self._make("drop", kind="user", user="dora")
        self._make("nothing", kind="user", user="nora")
        self._make("harriet", kind="user", user=f"{MARK}-harriet")
        self._make("agent", kind="agent", user="wendy", project="a")

    def _make(self, name: str, **fields: Any) -> None:
        caller = self.office.caller if name == "operator" else self.caller("operator")
        made = self.office.run("token.create", caller=caller, name=f"for {name}", **fields)
        self.secrets[name], self.ids[name] = made["secret"], made["token"]["id"]

    def caller(self, name: str) -> Caller:
        """The caller of that name, as a door makes it. Refuses `unauthenticated`."""
        if name in {"none", "owner"}:
            return replace(self.office.caller, rights=Rights.OWNER if name == "owner" else Rights.AGENT)
        secret = self.secrets[name]
        token = self.office.waypost.store.read(lambda tx: authenticate(tx, secret))
        return with_credential(self.office.caller, token.credential)

    def operator(self) -> Caller:
        """A page's operator, who has no token."""
        return replace(self.office.caller, rights=Rights.OPERATOR, user="maria")

    def expire(self, name: str) -> None:
        """Makes a token like that of `name` which is over, and puts it in its place."""
        soon = format_instant(self.office.clock.at + SECOND)
        shown = self.office.run("user.me", caller=self.caller(name))
        bound: dict[str, Any] = {"project": f"{shown['workspace']}/{shown['project']}"} if shown["project"] else {}
        self._make(name, kind=shown["credential"], user=shown["user"], expires_at=soon, **bound)

    def sent(self, sender: str = "b", to: str = "a", **fields: Any) -> str:
        """The id of a new message, sent without any token."""
        sent = self.office.send(from_project=sender, to_project=to, repeat=True, **fields)
        return str(sent["message_id"])

    def fill_hidden(self) -> None:
        """Mail, sessions and answers between the hidden project and the others."""
        vault = f"{MARK}-vault"
        for project in ("a", "b", vault):
            self.office.run("session.put", session_id=f"{project}-session", project=project)
        acting: dict[str, Any] = {"session": f"{vault}-session"}
        harriet = self.caller("harriet")
        own = self.sent(vault, vault, body=f"{MARK} words", subject=f"{MARK} subject", **acting)
        self.office.run("message.ack", message_id=own, occurrence=1, project=vault, caller=harriet, **acting)
        self.sent(vault, "a", body="for a", **acting)
        there = self.sent("a", vault, body="from a", session="a-session")
        self.office.run("message.pop", message_id=there, project=vault, **acting)
        self.office.run("message.send", from_project="a", to_user=f"{MARK}-harriet", body="to a person")
