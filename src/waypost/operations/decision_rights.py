"""Who may answer a question and who may see it: the one place where decisions look at the caller's rights."""

from __future__ import annotations

from waypost.identity.access import Right
from waypost.kernel.ids import parse_id
from waypost.mail.decision_models import Decision, Standing
from waypost.mail.decision_store import find_decision
from waypost.mail.errors import DecisionNotFound
from waypost.operations.call import Rights
from waypost.operations.registry import Unit

__all__ = ["readable_decision", "sees", "standing_of"]


def standing_of(unit: Unit, decision: Decision) -> Standing:
    """What the caller may do who wants to answer. Root is the operator's alone: a person signed in to the page or with the
    operator's token; no agent holds it, whatever door it came by."""
    readable = unit.readable
    return Standing(
        reads_mailbox=readable is None or decision.mailbox_id in readable,
        writes_asker=unit.may(Right.WRITE, decision.sender.project_id),
        is_root=unit.caller.rights >= Rights.OPERATOR,
    )


def sees(unit: Unit, decision: Decision) -> bool:
    """Whether the caller may know of the question: who reads the mailbox that was asked, or the asker's."""
    readable = unit.readable
    return readable is None or decision.mailbox_id in readable or decision.sender.project_id in readable


def readable_decision(unit: Unit, decision_id: str) -> Decision:
    """The question of that id. Refuses `not_found`, and `invalid_input` for what is no id."""
    found = find_decision(unit.tx, parse_id(decision_id, field="decision_id"))
    if found is None or not sees(unit, found):
        raise DecisionNotFound("There is no question of that id.")
    return found
