"""Counts requests by route and code, and renders them for Prometheus. Counting is a few additions; the library is imported only
when somebody asks for the figures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from waypost.kernel.time import SECOND

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

__all__ = ["Metrics"]

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
"""Upper bounds of the latency buckets, in seconds."""


class Metrics:
    """The figures of one server. Counted on the event loop alone."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str, int, str], int] = {}
        self._seconds: dict[str, tuple[list[int], float]] = {}

    def count(self, method: str, route: str, status: int, code: str, seconds: float) -> None:
        """Notes one answered request. `route` is the template, so that the number of series is bounded."""
        key = (method, route, status, code)
        self._requests[key] = self._requests.get(key, 0) + 1
        buckets, total = self._seconds.get(route) or ([0] * (len(BOUNDS) + 1), 0.0)
        buckets[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] = (buckets, total + seconds)

    def render(self, *, position: int, uptime: int) -> tuple[bytes, str]:
        """The figures in the text format, and its media type: those counted, the journal's head, and the time since the start in
        microseconds."""
        from prometheus_client import CollectorRegistry, generate_latest  # noqa: PLC0415 - only where somebody asks
        from prometheus_client.exposition import CONTENT_TYPE_LATEST  # noqa: PLC0415 - slow

        registry = CollectorRegistry()
        registry.register(_Source(self._families(position, uptime)))
        return generate_latest(registry), CONTENT_TYPE_LATEST

    def _families(self, position: int, uptime: int) -> Iterator[Metric]:
        from prometheus_client.metrics_core import (  # noqa: PLC0415 - slow
            CounterMetricFamily,
            GaugeMetricFamily,
            HistogramMetricFamily,
        )

        requests = CounterMetricFamily(
            "waypost_requests", "Requests answered.", labels=["method", "route", "status", "code"]
        )
        for (method, route, status, code), count in sorted(self._requests.items()):
            requests.add_metric([method, route, str(status), code], count)
        yield requests
        seconds = HistogramMetricFamily("waypost_request_seconds", "Time to the end of the answer.", labels=["route"])
        for route, (counts, total) in sorted(self._seconds.items()):
            seconds.add_metric([route], _cumulative(counts), sum_value=total)
        yield seconds
        yield GaugeMetricFamily("waypost_journal_position", "Changes committed.", value=position)
        yield GaugeMetricFamily("waypost_uptime_seconds", "Since the start.", value=uptime / SECOND)


class _Source:
    """A collector over families that are made when it is asked."""

    def __init__(self, families: Iterator[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> list[Metric]:
        return self._families


def _cumulative(counts: list[int]) -> list[tuple[str, float]]:
    sums, total = [], 0
    for bound, count in zip([*map(str, BOUNDS), "+Inf"], counts, strict=True):
        total += count
        sums.append((bound, float(total)))
    return sums
