"""The OpenAPI document is valid and whole, and no request made from it gets a server error."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.generation.case import Case
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.doors.rest_door import RestDoor
from tests.promises.marks import promise
from waypost.assembly.settings import LimitSettings, Settings
from waypost.client.routes import ROUTES
from waypost.operations.catalogue import OPERATIONS
from waypost.operations.housekeeping import HOUSEKEEPING
from waypost.server.feed import STREAM_PATH
from waypost.server.openapi import openapi_document
from waypost.server.wakes import WAKE_STREAM_PATH

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

document = openapi_document(OPERATIONS)
schema = schemathesis.openapi.from_dict(document)
operations = {
    found.ok().label: found.ok()  # type: ignore[union-attr] # an Ok, or the test fails here
    for found in schema.get_all_operations()
    if found.ok().path not in {STREAM_PATH, WAKE_STREAM_PATH}  # type: ignore[union-attr] # it does not end
}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RestDoor]:
    limits = LimitSettings(inbox=100_000, scheduled=100_000, sends_a_minute=100_000)
    with RestDoor(tmp_path_factory.mktemp("openapi"), settings=Settings(limits=limits)) as opened:
        opened.send(subject="something to find")
        yield opened


def ask(door: RestDoor, case: Case[Any]) -> httpx2.Response:
    """Asks the door what schemathesis made up."""
    request = requests.Request(**case.as_transport_kwargs(base_url="http://127.0.0.1:7433")).prepare()
    url = urlsplit(request.url or "")
    body = request.body.encode("utf-8") if isinstance(request.body, str) else request.body
    answer = door.ask(
        request.method or "GET",
        f"{url.path}?{url.query}" if url.query else url.path,
        body or b"",
        headers={name: str(value) for name, value in request.headers.items() if name.lower() != "host"},
        owner=True,
    )
    response = httpx2.Response(
        answer.status, headers=dict(answer.headers), content=answer.body, request=httpx2.Request("GET", url.geturl())
    )
    response.elapsed = timedelta(0)
    return response


@promise("rest.openapi.document")
def test_the_document_is_valid_openapi_3_1(door: RestDoor) -> None:
    assert door.ok("GET", "/openapi.json") == document
    OpenAPIV31SpecValidator(document).validate()


@promise("rest.openapi.document")
def test_every_operation_with_a_route_is_described_once_with_its_refusals() -> None:
    described: dict[str, Any] = {
        found["operationId"]: found for methods in document["paths"].values() for found in methods.values()
    }
    served = {one.name for one in OPERATIONS if one.name in ROUTES} | {one.name for one in HOUSEKEEPING}
    assert served == set(ROUTES)
    assert {name.replace(".", "_") for name in served} <= set(described)
    assert all({"200", "403", "422", "503", "default"} <= set(found["responses"]) for found in described.values())


def grounded(case: Case[Any], door: RestDoor, data: st.DataObject) -> Case[Any]:
    """The case with some of its names replaced by such as exist, so that it reaches what lies behind the names."""
    renames = case.operation.path.endswith((":rename", ":move"))
    known = {
        "workspace": "default",
        "project": "renamed" if renames else "a",
        "to_workspace": "default",
        "to_project": "b",
        "from_workspace": "default",
        "from_project": "a",
        "session": "S1",
        "session_id": "S1",
        "message_id": door.send(repeat=True)["message_id"] if "message" in case.operation.path else "",
        "timeout_seconds": 0,
        "wait": 0,
        "path": str(Path(door.waypost.store.facts.place).with_name(f"copy-{door.journal()}")),
    }
    if case.operation.path.endswith("/wait"):
        case.query = {**(case.query or {}), "timeout_seconds": 0}  # left out, it would be five minutes
    for fields in (case.path_parameters, case.query, case.body):
        if isinstance(fields, dict):
            for name in sorted(fields.keys() & known.keys()):
                if name in {"timeout_seconds", "wait", "path"} or data.draw(st.integers(0, 3)):
                    fields[name] = known[name]
    return case


def example(label: str, mode: GenerationMode) -> st.SearchStrategy[Case[Any]]:
    return operations[label].as_strategy(generation_mode=mode)


def fuzzing(examples: int) -> settings:
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.slow
@promise("rest.openapi.no_server_error")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("label", sorted(operations))
def test_no_request_made_from_the_document_gets_a_server_error(door: RestDoor, label: str) -> None:
    @fuzzing(15)
    @given(case=example(label, GenerationMode.POSITIVE), data=st.data())
    def ask_and_check(case: Case[Any], data: st.DataObject) -> None:
        case.validate_response(ask(door, grounded(case, door, data)), checks=CHECKS)

    ask_and_check()


@pytest.mark.slow
@promise("rest.openapi.no_server_error", "api.types.wrong_refused")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("label", sorted(name for name in operations if name.startswith(("POST", "PUT"))))
def test_no_request_that_breaks_the_document_gets_a_server_error(door: RestDoor, label: str) -> None:
    @fuzzing(15)
    @given(case=example(label, GenerationMode.NEGATIVE), data=st.data())
    def ask_and_check(case: Case[Any], data: st.DataObject) -> None:
        case.validate_response(ask(door, grounded(case, door, data)), checks=[not_a_server_error])

    ask_and_check()
