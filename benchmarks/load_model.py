"""What an hour of many agents costs: requests, processors, connections and disk, from measured figures and named assumptions.

    PYTHONPATH=src:. python -m benchmarks.load_model [--agents 1000000] [--messages-an-hour 4] ... (--help names all)

A model, no measurement: every input is an argument, and the defaults say where they come from. The measured ones are those of
`operation_cost`, `http_send` and docs/performance.md; the others are assumptions about agents and prices, to be replaced by one's own.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass, fields
from typing import Final

__all__ = ["Hour", "Inputs", "hour_of"]

SECONDS_AN_HOUR: Final = 3_600
GB: Final = 1e9


@dataclass(frozen=True, kw_only=True, slots=True)
class Inputs:
    """Every number that the model takes. The first block is assumed, the second measured, the third priced."""

    agents: float = 1_000_000
    messages_an_hour: float = 4.0
    looks_an_hour: float = 20.0
    waiting_share: float = 0.05
    peak_over_mean: float = 3.0
    kept_days: float = 90.0

    send_node_ms: float = 2.0
    send_database_ms: float = 2.5
    pop_node_ms: float = 2.0
    pop_database_ms: float = 2.5
    look_node_ms: float = 1.7
    look_database_ms: float = 1.0
    door_ms: float = 0.5
    message_bytes: float = 3_500
    connections_a_node: float = 17
    streams_a_node: float = 2_000

    used_share: float = 0.5
    core_hour_price: float = 0.04
    gb_month_price: float = 0.10


MEANINGS: Final = {
    "agents": "agents that work in that hour (assumed)",
    "messages_an_hour": "messages that each sends, all of which are popped (assumed)",
    "looks_an_hour": "times that each looks into its inbox: hooks, lists, ends of long polls (assumed)",
    "waiting_share": "share of agents that hold a long poll or a stream open at one time (assumed)",
    "peak_over_mean": "the busiest minute over the mean (assumed)",
    "kept_days": "days that messages and journal are kept (assumed)",
    "send_node_ms": "node's processor time of a send (operation_cost)",
    "send_database_ms": "database's processor time of a send (operation_cost)",
    "pop_node_ms": "node's processor time of a pop (operation_cost)",
    "pop_database_ms": "database's processor time of a pop (operation_cost)",
    "look_node_ms": "node's processor time of a look (operation_cost)",
    "look_database_ms": "database's processor time of a look (operation_cost)",
    "door_ms": "what HTTP adds to each request at the node (http_send: an empty POST)",
    "message_bytes": "bytes that a message leaves in tables and indexes, popped (operation_cost)",
    "connections_a_node": "connections of a node to the database (docs/operations.md)",
    "streams_a_node": "long polls and streams that a node holds open (assumed)",
    "used_share": "share of a processor that is planned for at the peak (assumed)",
    "core_hour_price": "price of a core for an hour (assumed)",
    "gb_month_price": "price of a gigabyte of database disk for a month (assumed)",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Hour:
    """What comes out. Rates are a second at the mean; cores, nodes and connections are those of the peak."""

    requests: float
    writes: float
    node_cores: float
    nodes: int
    database_cores: float
    connections: float
    waiting: float
    disk_gb: float
    kept_gb: float
    price: float


def hour_of(given: Inputs) -> Hour:
    """The model. A node is one process, which uses one core."""
    sends = given.agents * given.messages_an_hour / SECONDS_AN_HOUR
    looks = given.agents * given.looks_an_hour / SECONDS_AN_HOUR
    requests = 2 * sends + looks
    node_ms = (
        sends * given.send_node_ms + sends * given.pop_node_ms + looks * given.look_node_ms + requests * given.door_ms
    )
    database_ms = sends * (given.send_database_ms + given.pop_database_ms) + looks * given.look_database_ms
    scale = given.peak_over_mean / given.used_share / 1e3
    waiting = given.agents * given.waiting_share
    nodes = math.ceil(max(node_ms * scale, waiting / given.streams_a_node, 1.0))
    database_cores = database_ms * scale
    disk_gb = sends * SECONDS_AN_HOUR * given.message_bytes / GB
    kept_gb = disk_gb * 24 * given.kept_days
    cores = nodes + database_cores
    return Hour(
        requests=requests,
        writes=2 * sends,
        node_cores=node_ms * scale,
        nodes=nodes,
        database_cores=database_cores,
        connections=nodes * given.connections_a_node,
        waiting=waiting,
        disk_gb=disk_gb,
        kept_gb=kept_gb,
        price=cores * given.core_hour_price + kept_gb * given.gb_month_price / (30 * 24),
    )


def table(given: Inputs) -> str:
    """The inputs and what comes out, one a line."""
    hour = hour_of(given)
    lines = [f"{field.name:22} {getattr(given, field.name):>12,g}   {MEANINGS[field.name]}" for field in fields(given)]
    found = [
        ("requests a second", hour.requests),
        ("writes a second", hour.writes),
        ("nodes (one core each)", hour.nodes),
        ("database cores", hour.database_cores),
        ("database connections", hour.connections),
        ("waiting at one time", hour.waiting),
        ("disk, GB this hour", hour.disk_gb),
        ("disk, GB kept", hour.kept_gb),
        ("price of the hour", hour.price),
    ]
    return "\n".join([*lines, "", *(f"{name:22} {value:>12,.1f}" for name, value in found)])


def main(arguments: list[str]) -> int:
    """Prints the table for the arguments given."""
    parser = argparse.ArgumentParser(description="What an hour of many agents costs.")
    for field in fields(Inputs):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=float, default=field.default, help=f"{MEANINGS[field.name]} ({field.default})")
    print(table(Inputs(**vars(parser.parse_args(arguments)))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
