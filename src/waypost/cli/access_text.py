"""Users, tokens and grants as people read them. A token stands on standard output alone, so that a script can keep it by itself."""

from __future__ import annotations

from typing import Any

from waypost.cli.moments import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.cli.output import Output

__all__ = [
    "added",
    "created",
    "granted",
    "grants",
    "myself",
    "removed",
    "revoked",
    "tokens",
    "user",
    "users",
]

Record = dict[str, Any]


def users(answer: Record, output: Output) -> None:
    """What `user list` answers."""
    output.table(("user", "added"), [(one["user"], moment(one["created_at"])) for one in answer["items"]])
    _more(answer, output)


def user(answer: Record, output: Output) -> None:
    """What `user show` answers."""
    output.line(f"{answer['user']['user']}, added {moment(answer['user']['created_at'])}.")
    _held(answer["grants"], output)


def myself(answer: Record, output: Output) -> None:
    """What `user me` answers."""
    if answer["credential"] == "none":
        output.line(f"You are {answer['user']} here, without a token, with the rights of {_role(answer['rights'])}.")
        return
    bound = f", bound to {answer['workspace']}/{answer['project']}" if answer["project"] else ""
    expires = f", until {moment(answer['expires_at'])}" if answer["expires_at"] else ""
    output.line(f"You are {answer['user']} here, by {_credential(answer['credential'])}{bound}{expires}.")
    if answer["grants"] is None:
        output.line("You may do everything.")
    else:
        _held(answer["grants"], output)


def added(answer: Record, output: Output) -> None:
    """What `user add` answers."""
    name = answer["user"]["user"]
    output.line(f"Added {name}." if answer["created"] else f"{name} is a user already.")
    output.aside(f"Next: waypost grant set {name} PROJECT read,write; waypost token create --user {name}")


def removed(answer: Record, output: Output) -> None:
    """What `user remove` answers."""
    output.line(f"Removed {answer['user']['user']}, with its tokens and grants. Its mail stays.")


def created(answer: Record, output: Output) -> None:
    """What `token create` answers: the token on a line of its own, and what to do with it beside the answer."""
    token = answer["token"]
    if answer["secret"] is None:
        output.line(f"This token was made before and shown then: {token['shown']}… ({token['id']}).")
        output.note("If nobody kept it, revoke it and make another.")
        return
    output.line(answer["secret"])
    whose = f"bound to {token['workspace']}/{token['project']}" if token["project"] else f"for {token['user']}"
    output.note(f"This is the {token['kind']} token {token['id']}, {whose}. It is not shown again.")
    output.note(
        "Keep it by `waypost login`, which asks for it; never in a command's arguments or a client's configuration."
    )


def tokens(answer: Record, output: Output) -> None:
    """What `token list` answers."""
    rows = [
        (
            one["id"],
            one["kind"],
            f"{one['user']}{' in ' + one['workspace'] + '/' + one['project'] if one['project'] else ''}",
            f"{one['shown']}…",
            one["name"],
            moment(one["last_used_at"]) if one["last_used_at"] else "never",
            _state(one),
        )
        for one in answer["items"]
    ]
    output.table(("id", "kind", "user", "token", "name", "last used", "state"), rows)
    _more(answer, output)


def revoked(answer: Record, output: Output) -> None:
    """What `token revoke` answers."""
    output.line(f"Revoked {answer['token']['id']}; it is good for nothing any more.")


def grants(answer: Record, output: Output) -> None:
    """What `grant list` answers."""
    rows = [(one["user"], f"{one['workspace']}/{one['project']}", ", ".join(one["rights"])) for one in answer["items"]]
    output.table(("user", "project", "rights"), rows)
    _more(answer, output)


def granted(answer: Record, output: Output) -> None:
    """What `grant set` and `grant remove` answer."""
    grant = answer["grant"]
    rights = " and ".join(grant["rights"]) or "do nothing on"
    output.line(f"{grant['user']} may now {rights} {grant['workspace']}/{grant['project']}.")


def _state(token: Record) -> str:
    if token["revoked_at"]:
        return f"revoked {moment(token['revoked_at'])}"
    return f"expires {moment(token['expires_at'])}" if token["expires_at"] else "good"


def _held(held: list[Record], output: Output) -> None:
    if not held:
        output.line("Nothing is granted.")
    for one in held:
        output.line(f"  {one['workspace']}/{one['project']}: {', '.join(one['rights'])}")


def _role(rights: str) -> str:
    return {"agent": "an agent", "owner": "the store's owner"}.get(rights, "the operator")


def _credential(kind: str) -> str:
    return {"page": "the page", "operator": "the operator's token", "agent": "an agent's token"}.get(
        kind, "your own token"
    )


def _more(answer: Record, output: Output) -> None:
    if answer["next_cursor"]:
        output.line(f"\nThere are more: --cursor {answer['next_cursor']}")
