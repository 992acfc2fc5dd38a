"""`POST /v1/hooks/{client}/{event}`: what a client's hook prints, and `POST /v1/hooks:told`: the word that it was printed.

Invariant: answers the client's exact form or nothing; nothing counts as told before the second word. Only the account that owns the
store is answered, because a hook's claims of session and directory are believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import unquote

from waypost.agents.client import Boundary, Client, Event
from waypost.agents.known import client_named, really_from
from waypost.agents.payload import Payload, read_payload
from waypost.identity.models import Workdir
from waypost.kernel.errors import Forbidden, InvalidInput, NotFound, WaypostError
from waypost.operations.boundaries import ReachOutput
from waypost.operations.call import Answer, Call, Caller, Rights
from waypost.operations.handoffs import OfferOutput
from waypost.server.callers import caller_of, from_browser, look_at_directory
from waypost.server.context import ServerContext
from waypost.server.hooks.offers import Offers
from waypost.server.hooks.telling import Part, Start, handoff_text, said, shaped, start_parts
from waypost.server.replies import Reply
from waypost.server.requests import Request
from waypost.server.router import Endpoint
from waypost.server.running import run_operation

__all__ = ["hook_endpoints"]

LONGEST_DIRECTORY = 4_096
TEXT = b"text/plain; charset=utf-8"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Hook:
    """One event of one session: whose hook it is, what it means, and the caller behind it."""

    client: Client
    event: Event
    payload: Payload
    caller: Caller

    @property
    def session(self) -> str | None:
        return self.caller.bound_session


def hook_endpoints(context: ServerContext) -> list[Endpoint]:
    """The endpoints of the hooks."""
    door = HookDoor(context)
    return [
        Endpoint(method="POST", path="/v1/hooks:told", handle=door.told),
        Endpoint(method="GET", path="/v1/hooks:events", handle=door.events),
        Endpoint(method="POST", path="/v1/hooks/{client}/{event}", handle=door.answer),
    ]


class HookDoor:
    """Answers hooks."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._offers = Offers()
        self._notes: set[Future[Answer]] = set()

    async def answer(self, request: Request) -> Reply:
        """What the hook prints, empty for nothing. Refuses `not_found` for a client or an event that nobody knows."""
        client = client_named(request.path_fields["client"])
        if client is None:
            raise NotFound("There is no coding agent of that name.", hint="See `waypost setup --help` for the names.")
        event = client.event(request.path_fields["event"])
        if event is None:
            raise NotFound(
                f"{client.title} has no such event that Waypost answers.", hint="Run `waypost setup --write`."
            )
        caller = await self._caller(request)
        hook = await self._hook(request, client, event, caller)
        if client.is_subagents(hook.payload):
            return _text(b"")
        match event.boundary:
            case Boundary.COMPACTED:
                await self._forget(hook)
                return _text(b"")
            case Boundary.END:
                self._note(hook, {})
                return _text(b"")
        return await self._tell(hook)

    async def told(self, request: Request) -> Reply:
        """Notes what a hook printed."""
        caller = await self._caller(request)
        fields = dict(await request.json_fields())
        session, boundary = fields.pop("session", None), fields.pop("boundary", None)
        if not isinstance(session, str):
            raise InvalidInput("session is missing. Nothing was changed.")
        workdir = await self._workdir(request, Payload({}), ())
        bound = replace(caller, workdir=workdir, bound_session=session, client=None)
        handoff = fields.get("handoff")
        if handoff is not None and boundary == Boundary.PROMPT:  # it was offered to a session that had spoken already
            with suppress(WaypostError):
                await run_operation(self._context, "handoff.accept", Call(caller=bound, fields={"handoff_id": handoff}))
            fields["claimed"] = True
        answer = await run_operation(self._context, "boundary.note", Call(caller=bound, fields=fields))
        self._offers.confirmed(session, str(fields.get("client")), str(boundary))
        return Reply(body=answer.json.encode("utf-8"))

    async def events(self, request: Request) -> Reply:
        """The last event of each client's hooks, for `waypost doctor`."""
        call = Call(caller=await self._caller(request), fields={})
        answer = await run_operation(self._context, "boundary.events", call)
        return Reply(body=answer.json.encode("utf-8"))

    async def _caller(self, request: Request) -> Caller:
        headers = {name: value for name, value in request.headers.items() if name != b"waypost-directory"}
        caller = await caller_of(request.scope, request.context, door="hook", needs=Rights.OWNER, headers=headers)
        if caller.rights < Rights.OWNER or from_browser(headers):
            raise Forbidden("Hooks are answered for the account that owns the store alone. Nothing was changed.")
        return caller

    async def _hook(self, request: Request, client: Client, event: Event, caller: Caller) -> _Hook:
        payload = read_payload(await request.body())
        sender = really_from(client, payload)
        workdir = await self._workdir(request, payload, sender.directory_fields)
        session = payload.session(sender.session_fields)
        bound = replace(caller, client=sender.name, workdir=workdir, bound_session=session)
        return _Hook(client=client, event=event, payload=payload, caller=bound)

    async def _workdir(self, request: Request, payload: Payload, names: tuple[str, ...]) -> Workdir | None:
        """The directory: as the client's own variable names it, else its payload, else where the hook runs."""
        for given in (
            _path(request.headers.get(b"waypost-directory")),
            payload.directory(names),
            _path(request.headers.get(b"waypost-working-directory")),
        ):
            if given is not None:
                with suppress(InvalidInput):
                    return await look_at_directory(given, self._context)
        return None

    async def _tell(self, hook: _Hook) -> Reply:
        boundary = hook.event.boundary
        lost = boundary is Boundary.START and (hook.payload.text("source") or "") in hook.client.lost_sources
        reached = None
        if boundary is Boundary.START:
            await self._enter(hook)
        else:
            reached = await self._reach(hook, forget=False)
            if hook.session is not None and not reached.briefing.session_known:
                await self._enter(hook)
                reached = None
        shape = hook.event.shape
        if shape is None or (hook.session and not self._offers.may_tell(hook.session, hook.client.name, boundary)):
            return self._silent(hook)
        reached = reached or await self._reach(hook, forget=lost)
        await self._claim(hook, reached)
        begins = self._begins(hook, reached)
        start = await self._start(hook, reached) if begins else Start()
        parts = start_parts(reached, start) if begins else said(boundary, reached)
        output = shaped(hook.client, shape, hook.event.name, parts)
        if not output:
            return self._silent(hook)
        if hook.session is None or not reached.briefing.session_known:
            return _text(output)
        self._offers.offered(hook.session)
        return _text(
            output, told=_told(hook, reached, parts, start, lost=lost) if begins else _told(hook, reached, parts, None)
        )

    def _begins(self, hook: _Hook, reached: ReachOutput) -> bool:
        """Whether the start block is due: at a start, and at the first prompt after one that nobody was shown."""
        if hook.event.boundary is Boundary.START:
            return True
        if hook.event.boundary is not Boundary.PROMPT or hook.session is None or reached.begun:
            return False
        return reached.certain or self._offers.first_hint(hook.session)

    async def _start(self, hook: _Hook, reached: ReachOutput) -> Start:
        """What comes once in a session. The memory brief has its place here."""
        if reached.begun or not reached.certain or not reached.briefing.session_known:
            return Start()
        with suppress(WaypostError):
            answer = await self._run(hook, "handoff.offer", {})
            handoff = OfferOutput.model_validate_json(answer.json).handoff
            if handoff is not None:
                return Start(handoff=handoff_text(handoff), handoff_id=None if handoff.foreign else handoff.id)
        return Start()

    async def _claim(self, hook: _Hook, reached: ReachOutput) -> None:
        """The first prompt after a start that offered a handoff takes it; another session may have been faster."""
        if hook.event.boundary is Boundary.PROMPT and reached.offered is not None:
            with suppress(WaypostError):
                await self._run(hook, "handoff.accept", {"handoff_id": reached.offered})
            self._note(hook, {"claimed": True})

    def _silent(self, hook: _Hook) -> Reply:
        """Nothing is printed; that the hook ran is noted now and then."""
        if hook.session is not None and self._offers.is_news(hook.session):
            self._note(hook, {})
        return _text(b"")

    async def _reach(self, hook: _Hook, *, forget: bool) -> ReachOutput:
        fields = {"boundary": hook.event.boundary.value, "forget": forget}
        answer = await self._run(hook, "boundary.reach", fields)
        return ReachOutput.model_validate_json(answer.json)

    async def _enter(self, hook: _Hook) -> None:
        """Makes project and session known. A refusal is no reason to say nothing of what waits."""
        try:
            if hook.caller.workdir is not None:
                await self._run(hook, "project.add", {})
            if hook.session is not None:
                earlier = hook.payload.session(hook.client.earlier_fields)
                await self._run(hook, "boundary.enter", {} if earlier is None else {"continues": earlier})
        except WaypostError as refusal:
            self._context.log.warning("a hook's session was not entered", client=hook.client.name, code=refusal.code)

    async def _forget(self, hook: _Hook) -> None:
        if hook.session is not None:
            with suppress(WaypostError):
                await self._run(hook, "boundary.note", {**_who(hook), "forget": True})

    def _note(self, hook: _Hook, fields: Mapping[str, object]) -> None:
        """Notes an event without making the hook wait for it; a refusal (the session is not known) is no loss."""
        if hook.session is None:
            return
        call = Call(caller=hook.caller, fields={**_who(hook), **fields})
        with suppress(WaypostError):
            future = self._context.waypost.pipeline.submit("boundary.note", call)
            self._notes.add(future)
            future.add_done_callback(self._noted)

    def _noted(self, future: Future[Answer]) -> None:
        self._notes.discard(future)
        if not future.cancelled():
            future.exception()

    async def _run(self, hook: _Hook, operation: str, fields: Mapping[str, object]) -> Answer:
        return await run_operation(self._context, operation, Call(caller=hook.caller, fields=fields))


def _told(hook: _Hook, reached: ReachOutput, parts: list[Part], start: Start | None, *, lost: bool = False) -> str:
    """What the hook hands back once it printed the parts."""
    names = {part.name for part in parts}
    briefing = reached.briefing
    record: dict[str, object] = {
        **_who(hook),
        "session": hook.session,
        "boundary": hook.event.boundary.value,
        "begun": start is not None and reached.certain,
        "forget": lost,
        "items": [item.model_dump() for item in briefing.shown] if "inbox" in names else [],
    }
    if "notice" in names:
        record["count"] = briefing.only_counted
        record["latest"] = reached.latest
    if start is not None and start.handoff_id is not None:
        record["handoff"] = start.handoff_id
    return json.dumps(record, ensure_ascii=True)


def _who(hook: _Hook) -> dict[str, object]:
    return {"client": hook.client.name, "event": hook.event.name}


def _path(header: bytes | None) -> str | None:
    if header is None:
        return None
    path = unquote(header.decode("latin-1"), errors="surrogateescape")
    return path if len(path) <= LONGEST_DIRECTORY and "\0" not in path else None


def _text(output: bytes, told: str = "") -> Reply:
    headers = ((b"waypost-told", told.encode("ascii")),) if told else ()
    return Reply(body=output, media_type=TEXT, headers=headers)
