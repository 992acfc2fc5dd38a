"""Every operation of Waypost, in one tuple."""

from __future__ import annotations

from waypost.operations.activity import ACTIVITY_OPERATIONS
from waypost.operations.boundaries import BOUNDARY_OPERATIONS
from waypost.operations.briefing import BRIEFING_OPERATIONS
from waypost.operations.changes import CHANGES
from waypost.operations.consumers import CONSUMER_OPERATIONS
from waypost.operations.deciding import DECIDING_OPERATIONS
from waypost.operations.decisions import DECISION_OPERATIONS
from waypost.operations.grants import GRANT_OPERATIONS
from waypost.operations.handoffs import HANDOFF_OPERATIONS
from waypost.operations.leasing import LEASE_OPERATIONS
from waypost.operations.people import PEOPLE_OPERATIONS
from waypost.operations.pipeline import AnyOperation
from waypost.operations.projects import PROJECT_OPERATIONS
from waypost.operations.reading import LIST, VIEW
from waypost.operations.redacting import REDACT
from waypost.operations.sending import REPLY, SEND
from waypost.operations.sessions import SESSION_OPERATIONS
from waypost.operations.stores import SHOW
from waypost.operations.taking import ACK, CANCEL, CANCEL_ALL, POP
from waypost.operations.tokens import TOKEN_OPERATIONS
from waypost.operations.waiting import WAIT
from waypost.operations.waking import WAKE_OPERATIONS
from waypost.operations.watching import WATCHING_OPERATIONS

__all__ = ["OPERATIONS"]

OPERATIONS: tuple[AnyOperation, ...] = (
    SEND,
    LIST,
    VIEW,
    POP,
    ACK,
    *LEASE_OPERATIONS,
    CANCEL,
    CANCEL_ALL,
    REPLY,
    WAIT,
    REDACT,
    *BRIEFING_OPERATIONS,
    *WAKE_OPERATIONS,
    *DECIDING_OPERATIONS,
    *DECISION_OPERATIONS,
    *BOUNDARY_OPERATIONS,
    *HANDOFF_OPERATIONS,
    *PROJECT_OPERATIONS,
    *SESSION_OPERATIONS,
    *ACTIVITY_OPERATIONS,
    *WATCHING_OPERATIONS,
    CHANGES,
    *CONSUMER_OPERATIONS,
    *PEOPLE_OPERATIONS,
    *TOKEN_OPERATIONS,
    *GRANT_OPERATIONS,
    SHOW,
)
