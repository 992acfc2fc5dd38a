"""The manifest: every promise by its id. Importing it fails where an id is given twice.

A promise is added beside its source in `sources/`. It becomes live when `set_aside` goes, and then needs a test that names it.
"""

from __future__ import annotations

from tests.promises.model import Promise
from tests.promises.sources import (
    contract_api,
    contract_clients,
    contract_mail,
    contract_mail_agents,
    contract_web,
    design,
    message_seed,
    queue_seed,
)

__all__ = ["MANIFEST", "counts_by_reason", "live"]

SOURCES = (
    queue_seed,
    message_seed,
    contract_mail,
    contract_mail_agents,
    contract_api,
    contract_clients,
    contract_web,
    design,
)


def _collect() -> dict[str, Promise]:
    manifest: dict[str, Promise] = {}
    for source in SOURCES:
        for promise in source.PROMISES:
            if promise.id in manifest:
                raise ValueError(f"the promise {promise.id} stands twice in the manifest")
            manifest[promise.id] = promise
    return manifest


MANIFEST = _collect()


def live() -> list[Promise]:
    """The promises that hold today, each of which needs a test."""
    return [promise for promise in MANIFEST.values() if promise.set_aside is None]


def counts_by_reason() -> dict[str, int]:
    """How many promises are set aside for each reason, in the order of the manifest."""
    counts: dict[str, int] = {}
    for promise in MANIFEST.values():
        if promise.set_aside is not None:
            counts[promise.set_aside] = counts.get(promise.set_aside, 0) + 1
    return counts
