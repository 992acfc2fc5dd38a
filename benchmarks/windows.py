"""How the programs measure: windows that alternate within one run, and their medians with the lowest and highest beside them.

A busy neighbour then hits every side of a ratio alike. Only ratios are compared with limits; rates depend on the machine.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["Measured", "alternate", "show"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The windows of one side."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The value that counts."""
        return statistics.median(self.values)

    def against(self, other: Measured) -> float:
        """The median of the ratios of each round, in which both stood beside each other."""
        return statistics.median(own / its for own, its in zip(self.values, other.values, strict=True))

    def __str__(self) -> str:
        return f"{self.median:9.1f}  ({min(self.values):.1f} to {max(self.values):.1f})"


def alternate(sides: Mapping[str, Callable[[], float]], *, windows: int) -> dict[str, Measured]:
    """Runs every side once in each round, and answers what each measured."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(windows):
        for name, run in sides.items():
            found[name].append(run())
    return {name: Measured(values=tuple(values)) for name, values in found.items()}


def show(name: str, ratio: float, *, at_least: float | None = None, at_most: float | None = None) -> bool:
    """Prints a ratio beside its limit, and answers whether it is kept."""
    kept = (at_least is None or ratio >= at_least) and (at_most is None or ratio <= at_most)
    limit = f"at least {at_least}" if at_least is not None else f"at most {at_most}"
    print(f"{name:70} {ratio:6.2f}   {limit}   {'kept' if kept else 'MISSED'}")
    return kept
