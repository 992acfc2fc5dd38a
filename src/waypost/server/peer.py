"""Which account stands behind a loopback connection. Linux says it in /proc/net/tcp; elsewhere it is not known.

An address is looked up as the peer's own end, so that the answer is the account of the program that connected.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

__all__ = ["is_loopback", "owns_peer", "uid_of_peer"]

PROC = Path("/proc/net")
ESTABLISHED = "01"


def owns_peer(client: Sequence[object], server: Sequence[object]) -> bool:
    """Whether the program at the other end of a loopback connection runs under this server's account. False where it cannot be
    known. Reads files, so it belongs into a worker thread."""
    if not hasattr(os, "geteuid"):
        return False
    return uid_of_peer((str(client[0]), _port(client[1])), (str(server[0]), _port(server[1]))) == os.geteuid()


@lru_cache(maxsize=1_024)
def is_loopback(address: str) -> bool:
    """Whether an address is one of this machine's own; False for what is none."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def uid_of_peer(client: tuple[str, int], server: tuple[str, int], *, proc: Path = PROC) -> int | None:
    """The uid of the socket whose own address is `client` and whose other end is `server`; None where there is none, or where
    the address is not a loopback one."""
    if not (is_loopback(client[0]) and is_loopback(server[0])):
        return None
    ends = ip_address(client[0]), ip_address(server[0])
    own, other = (_written(end, port) for end, port in zip(ends, (client[1], server[1]), strict=True))
    name = "tcp" if ends[0].version == 4 else "tcp6"
    try:
        lines = (proc / name).read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines[1:]:
        fields = line.split()
        if len(fields) > 7 and fields[1] == own and fields[2] == other and fields[3] == ESTABLISHED:
            return int(fields[7])
    return None


def _written(address: IPv4Address | IPv6Address, port: int) -> str:
    """An address as the kernel writes it: each four bytes as one number in the machine's order."""
    packed = address.packed
    words = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
    return f"{''.join(f'{word:08X}' for word in words)}:{port:04X}"


def _port(value: object) -> int:
    return value if isinstance(value, int) else 0
