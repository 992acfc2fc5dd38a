"""The routes under /web: pages, their files, their streams, signing in and out. No route here changes mail but the answer to a decision.

Refusals are shown as pages with their code and remedy, or as problem documents to the page's script.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from waypost.kernel.errors import NotFound, Unauthenticated, WaypostError
from waypost.operations.call import Caller, Rights
from waypost.server.callers import caller_of
from waypost.server.context import ServerContext
from waypost.server.web.activity_look import activity_page
from waypost.server.web.deciding import answer_question
from waypost.server.web.files import static_files
from waypost.server.web.live import Streams
from waypost.server.web.looking import Look
from waypost.server.web.message_look import message_page
from waypost.server.web.rendering import SECURITY, html
from waypost.server.web.shown import project_path
from waypost.server.web.signing_in import sign_in, sign_out

__all__ = ["web_routes"]

T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]
KEPT = "public, max-age=31536000, immutable"


def web_routes(context: ServerContext) -> list[BaseRoute]:
    """The routes of the page, for the server's app."""
    pages = Pages(context)
    return [
        Route("/web", _to_home),
        Route("/web/", pages.shown(pages.home)),
        Route("/web/projects/{workspace}/{project}", pages.shown(pages.project)),
        Route("/web/decisions", pages.shown(pages.decisions)),
        Route("/web/decisions/{decision_id}", pages.shown(pages.decision)),
        Route("/web/decisions/{decision_id}/answer", pages.answered(pages.answer), methods=["POST"]),
        Route("/web/messages/{message_id}", pages.shown(pages.message)),
        Route("/web/activity", pages.shown(pages.activity)),
        Route("/web/sign-in", pages.shown(pages.sign_in_page)),
        Route("/web/session", pages.answered(pages.sign_in), methods=["POST"]),
        Route("/web/session", pages.answered(pages.sign_out), methods=["DELETE"]),
        Route("/web/events", pages.answered(pages.events)),
        Route("/web/static/{name:path}", pages.shown(pages.static)),
        Route("/web/{rest:path}", pages.shown(pages.nothing)),
    ]


class Pages:
    """The endpoints over one server."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._streams = Streams(context)

    def shown(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint with its refusals shown as a page."""

        async def answer(request: Request) -> Response:
            try:
                return await endpoint(request)
            except WaypostError as error:
                viewer = await self._viewer(request)
                return await self._html("refusal.html", viewer, status=error.status, problem=error.problem())

        return answer

    def answered(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint with its refusals as problem documents, for the page's script."""

        async def answer(request: Request) -> Response:
            try:
                return await endpoint(request)
            except WaypostError as error:
                headers = {**SECURITY, "Cache-Control": "no-store"}
                return JSONResponse(
                    error.problem(), error.status, headers=headers, media_type="application/problem+json"
                )

        return answer

    async def home(self, request: Request) -> Response:
        """Home."""
        viewer = await self._caller(request)
        page = await self._in_thread(self._look(viewer).home)
        return await self._html("home.html", viewer, page=page)

    async def project(self, request: Request) -> Response:
        """A project's page; 404 where no project has the name, and still a page."""
        viewer = await self._caller(request)
        names = request.path_params["workspace"], request.path_params["project"]
        page = await self._in_thread(partial(self._look(viewer).project, *names))
        return await self._html(
            "project.html",
            viewer,
            status=200 if page.is_known else 404,
            page=page,
            here=project_path(page.workspace, page.project),
        )

    async def decisions(self, request: Request) -> Response:
        """The list of questions."""
        viewer = await self._caller(request)
        page = await self._in_thread(partial(self._look(viewer).decisions, request.query_params.get("cursor")))
        return await self._html("decisions.html", viewer, page=page)

    async def decision(self, request: Request) -> Response:
        """One question."""
        viewer = await self._caller(request)
        page = await self._in_thread(partial(self._look(viewer).decision, request.path_params["decision_id"]))
        return await self._html("decision.html", viewer, page=page)

    async def message(self, request: Request) -> Response:
        """One message."""
        viewer = await self._caller(request)
        page = await self._in_thread(partial(message_page, self._look(viewer), request.path_params["message_id"]))
        return await self._html("message.html", viewer, page=page)

    async def activity(self, request: Request) -> Response:
        """A page of the journal."""
        viewer = await self._caller(request)
        page = await self._in_thread(partial(activity_page, self._look(viewer), request.query_params))
        return await self._html("activity.html", viewer, page=page)

    async def answer(self, request: Request) -> Response:
        """Answers a question."""
        return await answer_question(request, self._context, await self._caller(request))

    async def sign_in_page(self, request: Request) -> Response:
        """The page behind the link of `waypost open`; its script sends the code."""
        return await self._html("sign_in.html", await self._viewer(request))

    async def sign_in(self, request: Request) -> Response:
        """Buys a page session with a code or a token."""
        return await sign_in(request, self._context)

    async def sign_out(self, request: Request) -> Response:
        """Ends the page session."""
        return await sign_out(request, self._context.signins)

    async def events(self, request: Request) -> Response:
        """The stream of one page."""
        return await self._streams.answer(request, await self._caller(request))

    async def static(self, request: Request) -> Response:
        """A file of the page."""
        file = (await self._in_thread(static_files)).get(request.path_params["name"])
        if file is None:
            raise NotFound("There is no such file.", hint="Reload the page.")
        kept = KEPT if request.query_params.get("v") == file.version else "no-cache"
        return Response(file.content, media_type=file.media_type, headers={**SECURITY, "Cache-Control": kept})

    async def nothing(self, request: Request) -> Response:  # noqa: ARG002 - every request gets the same answer
        """Every other address."""
        raise NotFound(
            "There is no page at this address.", hint="It may be mistyped, or from another version of Waypost."
        )

    async def _caller(self, request: Request) -> Caller:
        return await caller_of(request.scope, self._context, door="web")

    async def _viewer(self, request: Request) -> Caller | None:
        """Who looks at a page that is there for nobody too: None for who is not signed in where that is required."""
        try:
            return await self._caller(request)
        except Unauthenticated:
            return None

    def _look(self, viewer: Caller) -> Look:
        return Look(self._context.waypost.pipeline, viewer, self._context.clock.now())

    async def _html(self, template: str, viewer: Caller | None, *, status: int = 200, **values: object) -> Response:
        is_operator = viewer is not None and viewer.rights is Rights.OPERATOR
        who = "operator" if is_operator else viewer.user if viewer is not None else None
        return await self._in_thread(partial(html, template, status=status, who=who, **values))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._context.threads, work)


async def _to_home(request: Request) -> Response:  # noqa: ARG001 - every request gets the same answer
    return RedirectResponse("/web/", status_code=308, headers=SECURITY)
