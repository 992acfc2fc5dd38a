"""`waypost user`: the verbs of users, as a table."""

from __future__ import annotations

from waypost.cli.tree import VerbTree
from waypost.cli.verb import Verb

__all__ = ["group"]

group = VerbTree(
    name="user",
    help="Users: the people of a shared server. All but `me` are the operator's: --as-operator.",
    verbs={
        "list": Verb(
            operation="user.list",
            summary="List users by name.",
            example="waypost user list --as-operator",
            show="access_text:users",
            options=("limit", "cursor"),
            session_field=False,
        ),
        "me": Verb(
            operation="user.me",
            summary="Say who you are there and what you may do.",
            example="waypost user me --url https://post.example",
            show="access_text:myself",
            session_field=False,
        ),
        "show": Verb(
            operation="user.show",
            summary="Show one user and its grants.",
            example="waypost user show maria --as-operator",
            show="access_text:user",
            arguments=("user",),
            session_field=False,
        ),
        "add": Verb(
            operation="user.add",
            summary="Add a user, who gets a mailbox and may be given tokens and grants.",
            example="waypost user add maria --as-operator",
            show="access_text:added",
            arguments=("user",),
            session_field=False,
        ),
        "remove": Verb(
            operation="user.remove",
            summary="Take a user out of use, with its tokens and grants; its mail stays.",
            example="waypost user remove maria --as-operator",
            show="access_text:removed",
            arguments=("user",),
            session_field=False,
        ),
    },
)
