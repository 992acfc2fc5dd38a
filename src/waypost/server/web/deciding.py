"""The pages of decisions: the list, one question, and its answer, the only change that a page of mail makes.

An answer needs a person who is signed in, same-origin fetch metadata and a JSON content type; who may answer what, the operation says.
"""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from waypost.kernel.errors import Forbidden, InvalidInput, RequestTooLarge
from waypost.operations.call import Call, Caller
from waypost.server.context import ServerContext
from waypost.server.errors import Malformed
from waypost.server.running import run_operation
from waypost.server.web.rendering import SECURITY
from waypost.server.web.signing_in import check_origin

__all__ = ["answer_question"]

LARGEST_BODY = 64_000
FIELDS = frozenset({"option", "comment"})


async def answer_question(request: Request, context: ServerContext, viewer: Caller) -> Response:
    """Answers the question of the path as the person who is signed in. Refuses `forbidden` for anybody else and from another
    origin, and what the operation refuses."""
    check_origin(request)
    if viewer.user is None:
        raise Forbidden(
            "Only who is signed in answers from this page. Nothing was changed.",
            hint="Run `waypost open` and answer on the page that it opens.",
        )
    given = await _fields(request)
    decision_id = request.path_params["decision_id"]
    looked = Call(caller=viewer, fields={"decision_id": decision_id})
    found = json.loads((await run_operation(context, "decision.view", looked)).json)["decision"]
    fields = {**given, "decision_id": decision_id, "project": _mailbox(found)}
    answer = await run_operation(context, "decision.answer", Call(caller=viewer, fields=fields))
    state = json.loads(answer.json)["decision"]["state"]
    return JSONResponse({"state": state}, headers={**SECURITY, "Cache-Control": "no-store"})


def _mailbox(found: dict[str, Any]) -> str:
    """The project for which the person answers: the one that was asked, or where that is a person's mailbox the asker."""
    to, asker = found["to"], found["from"]
    place = to if to["workspace"] is not None else asker
    return f"{place['workspace']}/{place['project']}"


async def _fields(request: Request) -> dict[str, object]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise RequestTooLarge("The answer is too large. Nothing was changed.", hint="Write a shorter comment.")
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Malformed("The body is not JSON. Nothing was changed.", hint="Reload the page.") from None
    if not isinstance(given, dict) or not given.keys() <= FIELDS:
        raise InvalidInput(
            "An answer has an option and perhaps a comment. Nothing was changed.", hint="Reload the page."
        )
    return given
