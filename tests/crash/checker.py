"""Judges a campaign by the clients' own files and a full listing of the store, and by nothing else.

Nothing acknowledged may be lost, nothing popped twice, nothing stored twice for one key, nothing cancelled come back, and what
no client knows must be a call that was not acknowledged. Imports nothing of Waypost: it must not share its mistakes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

__all__ = ["Verdict", "judge", "read_records"]

WORDS: Final = re.compile(r"note ((\S+) .*?) over\.", re.DOTALL)
Line = dict[str, Any]


@dataclass(kw_only=True, slots=True)
class Verdict:
    """What was found: counts to print, and one sentence for each violation."""

    counts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def wrong(self, kind: str, sentence: str) -> None:
        """Notes one violation and counts it under its kind."""
        self.counts[kind] += 1
        self.violations.append(f"{kind}: {sentence}")


def read_records(folder: Path) -> list[Line]:
    """All whole lines of all clients' files; a line that a kill tore ends without a line feed and says nothing."""
    lines: list[Line] = []
    for path in sorted(folder.glob("*.jsonl")):
        lines += [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    return lines


def judge(lines: Sequence[Line], listing: Sequence[Line]) -> Verdict:
    """The verdict on what the clients wrote down (`lines`) and what the store holds (`listing`, the records of REST)."""
    verdict = Verdict()
    kinds: defaultdict[str, list[Line]] = defaultdict(list)
    for line in lines:
        kinds[line["kind"]].append(line)
    stored = _by_id(listing, verdict)
    _sends(kinds["send"], stored, verdict)
    _keys(listing, kinds["send"], verdict)
    _pops(kinds["pop"], stored, verdict)
    _cancels(kinds["cancel"], kinds["pop"], stored, verdict)
    _acks(kinds["ack"], stored, verdict)
    _unknown(kinds, stored, verdict)
    verdict.counts["stored"] = len(stored)
    verdict.counts["answers lost"] = len(kinds["lost"])
    verdict.counts["asked again after a failure"] = len(kinds["again"])
    verdict.counts["pops that found nothing"] = len(kinds["nothing"])
    verdict.refusals.update(line["code"] for line in kinds["refused"])
    return verdict


def _by_id(listing: Iterable[Line], verdict: Verdict) -> dict[str, Line]:
    stored: dict[str, Line] = {}
    for message in listing:
        if message["id"] in stored:
            verdict.wrong("listed twice", f"{message['id']} stands twice in the listing")
        stored[message["id"]] = message
    return stored


def _sends(sends: Iterable[Line], stored: dict[str, Line], verdict: Verdict) -> None:
    ids: dict[str, str] = {}
    for send in sends:
        verdict.counts["acknowledged sends"] += 1
        message = stored.get(send["id"])
        if ids.setdefault(send["id"], send["key"]) != send["key"]:
            verdict.wrong("one id for two keys", f"{send['id']} answered {send['key']} and {ids[send['id']]}")
        if message is None:
            verdict.wrong("lost", f"{send['id']} was acknowledged for {send['key']} and is not there")
        elif _digest(message["body"]) != send["digest"]:
            verdict.wrong("altered", f"{send['id']} has another body than was acknowledged")
        elif _key(message["body"]) != send["key"]:
            verdict.wrong("altered", f"{send['id']} holds the body of {_key(message['body'])}, not of {send['key']}")


def _keys(listing: Iterable[Line], sends: Iterable[Line], verdict: Verdict) -> None:
    by_key: defaultdict[str, set[str]] = defaultdict(set)
    for message in listing:
        by_key[_key(message["body"])].add(message["id"])
    for send in sends:
        by_key[send["key"]].add(send["id"])
    for key, ids in by_key.items():
        if len(ids) > 1:
            verdict.wrong("stored twice", f"the key {key} stands for {len(ids)} messages: {sorted(ids)}")


def _pops(pops: Iterable[Line], stored: dict[str, Line], verdict: Verdict) -> None:
    sessions: defaultdict[str, set[str]] = defaultdict(set)
    first: Counter[str] = Counter()
    for pop in pops:
        verdict.counts["pops replayed" if pop["replayed"] else "acknowledged pops"] += 1
        sessions[pop["id"]].add(pop["session"])
        first[pop["id"]] += not pop["replayed"]
        message = stored.get(pop["id"])
        if message is None:
            verdict.wrong("lost", f"{pop['id']} was popped and is not there")
        elif (message["status"], message["outcome"]) != ("done", "popped"):
            verdict.wrong("pop undone", f"{pop['id']} was popped and is {message['status']} ({message['outcome']})")
        elif _digest(message["body"]) != pop["digest"]:
            verdict.wrong("altered", f"{pop['id']} has another body than was popped")
    for message_id, takers in sessions.items():
        if len(takers) > 1 or first[message_id] > 1:
            verdict.wrong("double pops", f"{message_id} was popped {first[message_id]} times, by {sorted(takers)}")


def _cancels(cancels: Iterable[Line], pops: Iterable[Line], stored: dict[str, Line], verdict: Verdict) -> None:
    popped = {pop["id"] for pop in pops}
    for cancel in cancels:
        verdict.counts["acknowledged cancels"] += 1
        status = stored[cancel["id"]]["status"] if cancel["id"] in stored else "missing"
        if status != "cancelled":
            verdict.wrong("cancel undone", f"{cancel['id']} was cancelled and is {status}")
        if cancel["id"] in popped:
            verdict.wrong("cancel undone", f"{cancel['id']} was cancelled and popped")


def _acks(acks: Iterable[Line], stored: dict[str, Line], verdict: Verdict) -> None:
    for ack in acks:
        verdict.counts["acknowledged acks"] += 1
        message = stored.get(ack["id"])
        if message is None:
            verdict.wrong("lost", f"{ack['id']} was acked and is not there")
        elif message["status"] == "open" and not any(
            receipt["session"] == ack["session"] and receipt["acked_at"] for receipt in message["receipts"]
        ):
            verdict.wrong("ack lost", f"{ack['id']} does not hold the receipt of {ack['session']}")


def _unknown(kinds: dict[str, list[Line]], stored: dict[str, Line], verdict: Verdict) -> None:
    """What no acknowledgement names must have been asked for in these very words, and not been acknowledged."""
    known = {send["id"] for send in kinds["send"]}
    asked = {ask["key"]: _digest(ask["fields"]["body"]) for ask in kinds["ask"] if ask["operation"] == "message.send"}
    for message_id in stored.keys() - known:
        body = stored[message_id]["body"]
        if asked.get(_key(body)) != _digest(body):
            verdict.wrong("never asked for", f"{message_id} is stored and no client asked for it")
        verdict.counts["unacknowledged but stored"] += 1
    popped = {pop["id"] for pop in kinds["pop"]}
    taken = [message for message in stored.values() if message["outcome"] == "popped" and message["id"] not in popped]
    verdict.counts["unacknowledged but popped"] = len(taken)


def _digest(body: str) -> str:
    found = WORDS.search(body)
    return hashlib.sha256(found.group(1).encode("utf-8")).hexdigest()[:16] if found else "no words"


def _key(body: str) -> str:
    found = WORDS.search(body)
    return found.group(2) if found else "no words"
