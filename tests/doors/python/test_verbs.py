"""Every verb once, over the socket and over HTTP, blocking and awaited, from one table that holds each generated method."""

from __future__ import annotations

import asyncio
import inspect
import os
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from tests.doors.python.served import address, fresh_home, served
from tests.doors.python.test_generated import verbs
from tests.doors.server_process import ServerProcess
from tests.promises.marks import promise
from waypost.client import AsyncFollower, AsyncListing, AsyncWaypost, Listing, Waypost
from waypost.client.folders import database_path, run_file_path
from waypost.client.run_file import read_run_file
from waypost.kernel.errors import WaypostError
from waypost.operations.briefing import Occurrence
from waypost.operations.deciding import OptionInput

Post = Any
"""Either client: what a call answers is awaited or iterated where it asks for it."""


def name() -> str:
    """A name that no other test uses."""
    return f"n{uuid.uuid4().hex[:12]}"


def home() -> Path:
    """The folder of this module's server."""
    return Path(os.environ["WAYPOST_HOME"])


def settle(answer: object) -> Any:
    """What a call answers in the end, of either client."""
    if isinstance(answer, Listing):
        return list(answer)
    return answer


async def settle_async(answer: object) -> Any:
    if isinstance(answer, AsyncListing):
        return [item async for item in answer]
    return await cast("Awaitable[object]", answer) if inspect.isawaitable(answer) else answer


class Blocking:
    """Runs the table on `Waypost`."""

    def __init__(self, **options: Any) -> None:
        self.post = Waypost(**options)
        self.url = options.get("url")

    def do(self, call: Callable[[Post], object]) -> Any:
        return settle(call(self.post))

    def close(self) -> None:
        self.post.close()


class Awaited:
    """Runs the table on `AsyncWaypost`, in a loop of its own."""

    def __init__(self, **options: Any) -> None:
        self.runner = asyncio.Runner()
        self.post = AsyncWaypost(**options)
        self.url = options.get("url")

    def do(self, call: Callable[[Post], object]) -> Any:
        async def run() -> Any:
            return await settle_async(call(self.post))

        return self.runner.run(run())

    def close(self) -> None:
        self.runner.run(self.post.close())
        self.runner.close()


Client = Blocking | Awaited


def sent(on: Client, **fields: Any) -> str:
    """The id of a message from web to api."""
    made = on.do(lambda post: post.messages.send(body=name(), from_project="web", to_project="api", **fields))
    return str(made.message_id)


def send(on: Client) -> None:
    made = on.do(
        lambda post: post.messages.send(body=name(), subject="export", from_project="web", to_project="default/api")
    )
    assert (made.status, made.version, made.to.project) == ("open", 1, "api")


def list_(on: Client) -> None:
    ids = [sent(on) for _ in range(3)]
    found = on.do(lambda post: post.messages.list(project="api", limit=2))
    assert [item.id for item in found if item.id in ids] == ids


def view(on: Client) -> None:
    message = sent(on)
    assert on.do(lambda post: post.messages.view(message, project="api")).message.id == message


def wait(on: Client) -> None:
    message = sent(on)
    assert message in {
        item.id for item in on.do(lambda post: post.messages.wait(project="api", timeout_seconds=5)).items
    }


def pop(on: Client) -> None:
    message = sent(on)
    popped = on.do(lambda post: post.messages.pop(project="api", message_id=message))
    assert (popped.message.id, popped.message.status) == (message, "done")


def ack(on: Client) -> None:
    message = sent(on)
    done = on.do(lambda post: post.messages.ack(message, project="api", session=name(), occurrence=1))
    assert done.message_id == message


def claimed(on: Client) -> dict[str, Any]:
    """Work that a session of its own holds, and how the holder names it."""
    message = sent(on, actionable=True)
    acting: dict[str, Any] = {"message_id": message, "project": "api", "session": name(), "occurrence": 1}
    answer = on.do(lambda post: post.messages.claim(**acting))
    assert (answer.lease.holder, answer.lease.generation, answer.repeated) == (acting["session"], 1, False)
    return {**acting, "token": answer.token}


def claim(on: Client) -> None:
    claimed(on)


def renew(on: Client) -> None:
    held = claimed(on)
    assert on.do(lambda post: post.messages.renew(**held)).lease.generation == 1


def release(on: Client) -> None:
    held = claimed(on)
    assert on.do(lambda post: post.messages.release(**held)).status == "open"


def complete(on: Client) -> None:
    held = claimed(on)
    assert on.do(lambda post: post.messages.complete(**held, outcome="Done.")).status == "done"


def snooze(on: Client) -> None:
    held = claimed(on)
    later = on.do(
        lambda post: post.messages.snooze(**held, outcome="Later.", due_at="2031-01-01T09:00", timezone="Asia/Tokyo")
    )
    assert (later.occurrence, later.due_local) == (2, "2031-01-01T09:00:00+09:00[Asia/Tokyo]")


def reply(on: Client) -> None:
    message = sent(on)
    assert on.do(lambda post: post.messages.reply(message, project="api", body=name())).thread == message


def cancel(on: Client) -> None:
    message = sent(on)
    assert on.do(lambda post: post.messages.cancel(message, project="web", outcome="not needed")).cancelled == 1


def cancel_all(on: Client) -> None:
    message = sent(on)
    done = on.do(lambda post: post.messages.cancel_all(project="web", all=True))
    assert message in {item.message_id for item in done.messages}


def refused_redact(on: Client) -> None:
    """Only an operator redacts; the verb arrives and is refused by its right."""
    message = sent(on)
    with pytest.raises(Exception, match="operator") as refusal:
        on.do(lambda post: post.messages.redact(message, project="web"))
    assert vars(type(refusal.value))["code"] == "forbidden"


def asked(on: Client) -> str:
    """The id of a question from web to api."""
    options = [OptionInput(id="yes", label="Yes", recommended=True), OptionInput(id="no", label="No")]
    question = {"question": f"Ship {name()}?", "options": options, "from_project": "web", "to_project": "api"}
    return str(on.do(lambda post: post.decisions.ask(**question)).decision_id)


def ask(on: Client) -> None:
    asked(on)


def decisions_list(on: Client) -> None:
    decision = asked(on)
    assert decision in {item.id for item in on.do(lambda post: post.decisions.list(project="api", limit=2))}


def view_decision(on: Client) -> None:
    decision = asked(on)
    found = on.do(lambda post: post.decisions.view(decision, project="web"))
    assert [option.recommended for option in found.decision.options] == [True, False]


def answer(on: Client) -> None:
    decision = asked(on)
    done = on.do(lambda post: post.decisions.answer(decision, project="api", option="yes", comment="Go on."))
    assert done.decision.answer.option == "yes"


def wait_for_decision(on: Client) -> None:
    decision = asked(on)
    on.do(lambda post: post.decisions.answer(decision, project="api", option="no"))
    assert on.do(lambda post: post.decisions.wait(decision, project="web", timeout_seconds=5)).retry is False


def cancel_decision(on: Client) -> None:
    decision = asked(on)
    assert on.do(lambda post: post.decisions.cancel(decision, project="web")).decision.state == "cancelled"


def begun(on: Client) -> str:
    """The id of a handoff of web."""
    made = on.do(lambda post: post.handoffs.begin(project="web", summary=name(), next_steps=["Go on."]))
    return str(made.handoff_id)


def begin(on: Client) -> None:
    begun(on)


def offer(on: Client) -> None:
    begun(on)
    assert on.do(lambda post: post.handoffs.offer(project="web")).handoff.next_steps


def handoffs_list(on: Client) -> None:
    handoff = begun(on)
    assert handoff in {item.id for item in on.do(lambda post: post.handoffs.list(project="web", limit=2))}


def accept(on: Client) -> None:
    handoff = begun(on)
    assert on.do(lambda post: post.handoffs.accept(handoff, project="web")).handoff.state == "accepted"


def cancel_handoff(on: Client) -> None:
    handoff = begun(on)
    assert on.do(lambda post: post.handoffs.cancel(handoff, project="web")).handoff.state == "cancelled"


def made(on: Client) -> str:
    """A new project's name."""
    project = name()
    assert on.do(lambda post: post.projects.put("default", project)).created
    return project


def projects_list(on: Client) -> None:
    project = made(on)
    assert project in {item.project for item in on.do(lambda post: post.projects.list(limit=2))}


def which(on: Client) -> None:
    assert on.do(lambda post: post.projects.which(project="default/api")).scope_source == "explicit"


def show(on: Client) -> None:
    assert on.do(lambda post: post.projects.show("default", "api")).project.workspace == "default"


def add(on: Client) -> None:
    project = name()
    assert on.do(lambda post: post.projects.add(workspace="default", project=project)).project.project == project


def rename(on: Client) -> None:
    project, to = made(on), name()
    assert on.do(lambda post: post.projects.rename("default", project, to_project=to)).project.project == to


def move(on: Client) -> None:
    project = made(on)
    assert on.do(lambda post: post.projects.move("default", project, to_workspace="other")).project.workspace == "other"


def allow(on: Client) -> None:
    project = made(on)
    done = on.do(lambda post: post.projects.allow("default", project, directory=str(Path.cwd())))
    assert done.project.project == project


def refused_delete(on: Client) -> None:
    """Only an operator deletes; the verb arrives and is refused by its right."""
    project = made(on)
    with pytest.raises(Exception, match="operator") as refusal:
        on.do(lambda post: post.projects.delete("default", project))
    assert vars(type(refusal.value))["code"] == "forbidden"


def put_session(on: Client) -> str:
    session = name()
    assert on.do(lambda post: post.sessions.put(session, project="api", client="codex")).session.id == session
    return session


def put_session_once(on: Client) -> None:
    put_session(on)


def continue_(on: Client) -> None:
    session = put_session(on)
    assert on.do(lambda post: post.sessions.continue_(session, continues="earlier")).session.continues == ["earlier"]


def sessions_list(on: Client) -> None:
    session = put_session(on)
    assert session in {item.id for item in on.do(lambda post: post.sessions.list(limit=2))}


def sessions_show(on: Client) -> None:
    session = put_session(on)
    assert on.do(lambda post: post.sessions.show(session)).session.client == "codex"


def briefing_show(on: Client) -> None:
    sent(on)
    assert on.do(lambda post: post.briefing.show(project="api")).pending_message_count >= 1


def briefing_begin(on: Client) -> None:
    session = name()
    done = on.do(lambda post: post.briefing.begin(project="api", session=session, session_continue="earlier"))
    assert done.session == session


def briefing_shown(on: Client) -> None:
    items = [Occurrence(message_id=sent(on), occurrence=1)]
    assert on.do(lambda post: post.briefing.shown(project="api", session=name(), items=items)).noted == 1


def changes_list(on: Client) -> None:
    message = sent(on)
    begun = on.do(lambda post: post.changes.list(after="now"))
    assert begun.items == []
    sent(on)
    page = on.do(lambda post: post.changes.list(after=begun.next_cursor, project="api", wait=5))
    assert [(item.kind, item.cursor) for item in page.items] == [("message.sent", page.next_cursor)]
    assert page.items[0].id != message


def changes_follow(on: Client) -> None:
    begun = on.do(lambda post: post.changes.list(after="now")).next_cursor
    message = sent(on)
    follower = on.post.changes.follow(after=begun)
    change = on.do(lambda post: anext(follower) if isinstance(follower, AsyncFollower) else next(follower))
    assert (change.kind, change.id) == ("message.sent", message)


def consumer_put(on: Client) -> str:
    consumer = name()
    assert on.do(lambda post: post.consumers.put(consumer, cursor="now")).created
    return consumer


def consumer_put_once(on: Client) -> None:
    consumer_put(on)


def consumer_show(on: Client) -> None:
    consumer = consumer_put(on)
    assert on.do(lambda post: post.consumers.show(consumer)).consumer.name == consumer


def consumer_delete(on: Client) -> None:
    consumer = consumer_put(on)
    assert on.do(lambda post: post.consumers.delete(consumer)).name == consumer


def waking(on: Client) -> tuple[dict[str, str], str]:
    """A session of its own that mail asks for a turn, and the message."""
    session = put_session(on)
    return {"project": "api", "session": session}, sent(on, to_session=session, delivery="wake")


def reserved(on: Client) -> tuple[dict[str, str], Any]:
    who, _ = waking(on)
    return who, on.do(lambda post: post.wakes.reserve(**who)).wake


def wakes_look(on: Client) -> None:
    who, message = waking(on)
    assert on.do(lambda post: post.wakes.look(**who, timeout_seconds=5)).wake.message_id == message


def wakes_reserve(on: Client) -> None:
    _, wake = reserved(on)
    assert wake.token


def wakes_accepted(on: Client) -> None:
    who, wake = reserved(on)
    told = {**who, "occurrence": wake.occurrence, "token": wake.token}
    assert on.do(lambda post: post.wakes.accepted(wake.message_id, **told)).accepted


def wakes_retry(on: Client) -> None:
    who, wake = reserved(on)
    told = {**who, "occurrence": wake.occurrence, "token": wake.token}
    assert not on.do(lambda post: post.wakes.retry(wake.message_id, **told)).accepted


def wakes_receive(on: Client) -> None:
    who, message = waking(on)
    receiver = on.post.wakes.receive(session=who["session"], project=who["project"])
    given = on.do(lambda post: anext(receiver) if hasattr(receiver, "__anext__") else next(receiver))
    assert given.message_id == message


def store_backup(on: Client) -> None:
    copy = home() / f"{name()}.db"
    assert on.do(lambda post: post.store.backup(path=str(copy))).path == str(copy.resolve())
    assert copy.exists()


def store_export(on: Client) -> None:
    exported = home() / f"{name()}.jsonl"
    assert on.do(lambda post: post.store.export(path=str(exported))).records > 0


def server_open(on: Client) -> None:
    assert "/web/sign-in?code=" in on.do(lambda post: post.server.open()).url


def store_show(on: Client) -> None:
    assert on.do(lambda post: post.store.show()).engine == "sqlite"


@contextmanager
def operating(on: Client) -> Iterator[Client]:
    """A client of the same kind with an operator's token, which the store's owner makes over the socket."""
    run = read_run_file(run_file_path(database_path()))
    with Waypost(directory=os.sep) as owner:
        secret = owner.tokens.create(kind="operator", name="test").secret
    by_token = type(on)(url=address(run), token=secret)
    try:
        yield by_token
    finally:
        by_token.close()


def users(on: Client) -> None:
    person = name()
    with operating(on) as operator:
        assert operator.do(lambda post: post.users.add(person)).created
        assert person in {one.user for one in operator.do(lambda post: post.users.list(limit=2))}
        assert operator.do(lambda post: post.users.show(person)).grants == []
        assert operator.do(lambda post: post.users.me()).credential == "operator"
        assert operator.do(lambda post: post.users.remove(person)).user.user == person
    assert on.do(lambda post: post.users.me()).credential == "none"


def tokens(on: Client) -> None:
    person = name()
    with operating(on) as operator:
        operator.do(lambda post: post.users.add(person))
        made = operator.do(lambda post: post.tokens.create(kind="user", name="laptop", user=person))
        mine = type(on)(url=operator.url, token=made.secret)
        try:
            assert mine.do(lambda post: post.users.me()).user == person
            assert [one.id for one in mine.do(lambda post: post.tokens.list())] == [made.token.id]
            operator.do(lambda post: post.tokens.revoke(made.token.id))
            refusal(mine, lambda post: post.users.me(), "unauthenticated")
        finally:
            mine.close()


def grants(on: Client) -> None:
    person = name()
    with operating(on) as operator:
        operator.do(lambda post: post.users.add(person))
        granted = operator.do(lambda post: post.grants.set(user=person, project="api", rights=["read", "write"]))
        assert granted.grant.rights == ["read", "write"]
        held = operator.do(lambda post: post.grants.list(user=person))
        assert [one.project for one in held] == ["api"]
        assert operator.do(lambda post: post.grants.remove(user=person, project="api")).grant.rights == []


def refusal(on: Client, call: Callable[[Post], object], code: str) -> None:
    """Expects a refusal with this code."""
    with pytest.raises(WaypostError) as caught:
        on.do(call)
    assert caught.value.code == code


TABLE: dict[str, Callable[[Client], None]] = {
    "messages.send": send,
    "messages.list": list_,
    "messages.view": view,
    "messages.wait": wait,
    "messages.pop": pop,
    "messages.ack": ack,
    "messages.claim": claim,
    "messages.renew": renew,
    "messages.release": release,
    "messages.complete": complete,
    "messages.snooze": snooze,
    "messages.reply": reply,
    "messages.cancel": cancel,
    "messages.cancel_all": cancel_all,
    "messages.redact": refused_redact,
    "decisions.ask": ask,
    "decisions.list": decisions_list,
    "decisions.view": view_decision,
    "decisions.answer": answer,
    "decisions.wait": wait_for_decision,
    "decisions.cancel": cancel_decision,
    "handoffs.begin": begin,
    "handoffs.offer": offer,
    "handoffs.list": handoffs_list,
    "handoffs.accept": accept,
    "handoffs.cancel": cancel_handoff,
    "projects.list": projects_list,
    "projects.which": which,
    "projects.show": show,
    "projects.put": projects_list,
    "projects.add": add,
    "projects.rename": rename,
    "projects.move": move,
    "projects.allow": allow,
    "projects.delete": refused_delete,
    "sessions.put": put_session_once,
    "sessions.continue_": continue_,
    "sessions.list": sessions_list,
    "sessions.show": sessions_show,
    "briefing.show": briefing_show,
    "briefing.begin": briefing_begin,
    "briefing.shown": briefing_shown,
    "changes.list": changes_list,
    "changes.follow": changes_follow,
    "consumers.put": consumer_put_once,
    "consumers.show": consumer_show,
    "consumers.delete": consumer_delete,
    "wakes.look": wakes_look,
    "wakes.reserve": wakes_reserve,
    "wakes.accepted": wakes_accepted,
    "wakes.retry": wakes_retry,
    "wakes.receive": wakes_receive,
    **{f"users.{verb}": users for verb in ("add", "list", "show", "me", "remove")},
    **{f"tokens.{verb}": tokens for verb in ("create", "list", "revoke")},
    **{f"grants.{verb}": grants for verb in ("set", "list", "remove")},
    "store.backup": store_backup,
    "store.export": store_export,
    "store.show": store_show,
    "server.open": server_open,
}


@promise("client.python.every_verb")
@pytest.mark.parametrize("of", [Waypost, AsyncWaypost])
def test_the_table_holds_every_method(of: type[Waypost | AsyncWaypost]) -> None:
    assert {called for called, _ in verbs(of)} == {*TABLE, "server.stop"}


@promise("client.python.every_verb")
@pytest.mark.parametrize("verb", TABLE)
@pytest.mark.parametrize("way", ["socket", "http"])
@pytest.mark.parametrize("of", [Blocking, Awaited])
def test_the_verb_works(server: ServerProcess, verb: str, way: str, of: type[Client]) -> None:
    on = of(url=address(server.run)) if way == "http" else of()
    try:
        TABLE[verb](on)
    finally:
        on.close()


@promise("client.python.every_verb")
@pytest.mark.parametrize("of", [Blocking, Awaited])
def test_a_server_is_stopped(of: type[Client]) -> None:
    with fresh_home(), served() as server:
        on = of()
        try:
            assert on.do(lambda post: post.server.stop()).pid == server.process.pid
        finally:
            on.close()
        assert server.end()[0] == 0
