"""A worker of its own process: claims work over HTTP, has one side effect that a guard lets through or not, and completes.

`python -m tests.end_to_end.holder URL MESSAGE SESSION EFFECT`. It writes one JSON line a step and waits for a line before each:
`claim`, `effect`, `complete`. The guard is what docs/concepts.md tells whoever takes side effects: it keeps the highest generation
that it has seen and refuses a lower one.
"""

from __future__ import annotations

import fcntl
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

SECONDS = 60.0


def post(url: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The answer, or the problem document of a refusal."""
    request = Request(url, data=json.dumps(fields).encode(), headers={"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=SECONDS) as response:
            answer: dict[str, Any] = json.load(response)
    except HTTPError as refusal:
        answer = json.load(refusal)
    return answer


def take_effect(place: Path, generation: int, session: str) -> bool:
    """Writes to the place unless a later generation did before; one writer at a time."""
    with place.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        lines = file.read().splitlines()
        if any(json.loads(line)["generation"] > generation for line in lines):
            return False
        file.write(json.dumps({"generation": generation, "session": session}) + "\n")
        return True


def main(url: str, message_id: str, session: str, effect: str) -> None:
    """Serves one order after the other."""
    path = f"{url}/v1/messages/{message_id}"
    acting = {"project": "b", "session": session, "occurrence": 1}
    held: dict[str, Any] = {}
    for line in sys.stdin:
        order = line.strip()
        answer: dict[str, Any]
        if order == "claim":
            answer = held = post(f"{path}/claim", acting)
        elif order == "effect":
            answer = {"done": take_effect(Path(effect), held["lease"]["generation"], session)}
        else:
            answer = post(f"{path}/complete", {**acting, "token": held["token"], "outcome": f"Done by {session}."})
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
