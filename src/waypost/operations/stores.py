"""The store as a caller sees it: what names it, so that a wiped or foreign store is never taken for an empty one."""

from __future__ import annotations

from pydantic import Field

from waypost import __version__
from waypost.kernel.time import format_instant
from waypost.operations.inputs import Input, Output
from waypost.operations.registry import Operation, Unit

__all__ = ["SHOW"]


class StoreInput(Input):
    """Nothing."""


class StoreOutput(Output):
    """What names a store. Its place is the operator's business and is not told."""

    store_id: str
    created_at: str
    epoch: int
    engine: str
    engine_version: str
    schema_version: int = Field(description="The number of the last migration.")
    waypost_version: str


def show(unit: Unit, given: StoreInput) -> StoreOutput:  # noqa: ARG001 - there is nothing to ask
    """What names this store."""
    facts = unit.facts
    return StoreOutput(
        store_id=facts.store_id,
        created_at=format_instant(facts.created_at),
        epoch=facts.epoch,
        engine=facts.engine,
        engine_version=facts.engine_version,
        schema_version=facts.schema,
        waypost_version=__version__,
    )


SHOW = Operation(
    name="store.show",
    summary="Say which store this is: its id, creation, engine and schema.",
    input=StoreInput,
    output=StoreOutput,
    run=show,
    writes=False,
)
