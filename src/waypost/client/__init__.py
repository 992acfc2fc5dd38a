"""How programs reach the server. `from waypost.client import Waypost` gives the Python client; the rest is the local transport.

The command line, the bridge and hooks import modules of this package at every start, so nothing is imported here: the Python client,
which needs third parties, is loaded when one of its names is asked for. What stands outside `api` knows the standard library only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from waypost.client.api.following import Follower
    from waypost.client.api.following_async import AsyncFollower
    from waypost.client.api.listing import AsyncListing, Listing
    from waypost.client.api.progress import ChangesGap
    from waypost.client.api.receiving import GivenWake, Receiver
    from waypost.client.api.receiving_async import AsyncGivenWake, AsyncReceiver
    from waypost.client.api.retries import Retries
    from waypost.client.api.waypost import Waypost
    from waypost.client.api.waypost_async import AsyncWaypost

__all__ = [
    "AsyncFollower",
    "AsyncGivenWake",
    "AsyncListing",
    "AsyncReceiver",
    "AsyncWaypost",
    "ChangesGap",
    "Follower",
    "GivenWake",
    "Listing",
    "Receiver",
    "Retries",
    "Waypost",
]

_HOMES = {
    "AsyncFollower": "following_async",
    "AsyncGivenWake": "receiving_async",
    "AsyncReceiver": "receiving_async",
    "ChangesGap": "progress",
    "Follower": "following",
    "AsyncListing": "listing",
    "AsyncWaypost": "waypost_async",
    "GivenWake": "receiving",
    "Listing": "listing",
    "Receiver": "receiving",
    "Retries": "retries",
    "Waypost": "waypost",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only where the Python client is used

    return getattr(import_module(f"{__name__}.api.{home}"), name)
