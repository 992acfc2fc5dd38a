"""A process that answers a question or claims a handoff and ends at a named point in the middle of it.

`python -m tests.crash.deciding_child answer|accept ID POINT DATABASE`; points are those of `disks`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.crash.disks import KillingDisk, point_of
from tests.crash.office import CALLER
from waypost.assembly.settings import Settings
from waypost.assembly.waypost import open_waypost
from waypost.operations.call import Call


def main(deed: str, subject: str, point: str, database: str) -> None:
    """Does the deed on a disk that ends the process at the point."""
    disk = KillingDisk()
    waypost = open_waypost(Path(database), Settings())
    disk.arm(point_of(point))
    if deed == "answer":
        fields = {"project": "b", "decision_id": subject, "option": "yes", "comment": "Go on."}
        waypost.run("decision.answer", Call(caller=CALLER, fields=fields, key="the-answer"))
    else:
        waypost.run("handoff.accept", Call(caller=CALLER, fields={"project": "a", "handoff_id": subject}))
    sys.stdout.write("survived\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
