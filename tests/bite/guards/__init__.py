"""The guards, one module for each area, each with a list `GUARDS`. A new module is found by itself."""

from __future__ import annotations

import importlib
import pkgutil

from tests.bite.model import Guard

__all__ = ["ALL"]


def _collect() -> list[Guard]:
    found: list[Guard] = []
    for module in pkgutil.iter_modules(__path__):
        found += importlib.import_module(f"{__name__}.{module.name}").GUARDS
    return found


ALL = _collect()
