"""Every verb, by what it is about. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.exchange import Exchange
from waypost.client.api.exchange_async import AsyncExchange
from waypost.client.api.verbs.briefing import Briefing
from waypost.client.api.verbs.briefing_async import AsyncBriefing
from waypost.client.api.verbs.changes import Changes
from waypost.client.api.verbs.changes_async import AsyncChanges
from waypost.client.api.verbs.consumers import Consumers
from waypost.client.api.verbs.consumers_async import AsyncConsumers
from waypost.client.api.verbs.decisions import Decisions
from waypost.client.api.verbs.decisions_async import AsyncDecisions
from waypost.client.api.verbs.grants import Grants
from waypost.client.api.verbs.grants_async import AsyncGrants
from waypost.client.api.verbs.handoffs import Handoffs
from waypost.client.api.verbs.handoffs_async import AsyncHandoffs
from waypost.client.api.verbs.messages import Messages
from waypost.client.api.verbs.messages_async import AsyncMessages
from waypost.client.api.verbs.projects import Projects
from waypost.client.api.verbs.projects_async import AsyncProjects
from waypost.client.api.verbs.server import Server
from waypost.client.api.verbs.server_async import AsyncServer
from waypost.client.api.verbs.sessions import Sessions
from waypost.client.api.verbs.sessions_async import AsyncSessions
from waypost.client.api.verbs.store import Store
from waypost.client.api.verbs.store_async import AsyncStore
from waypost.client.api.verbs.tokens import Tokens
from waypost.client.api.verbs.tokens_async import AsyncTokens
from waypost.client.api.verbs.users import Users
from waypost.client.api.verbs.users_async import AsyncUsers
from waypost.client.api.verbs.wakes import Wakes
from waypost.client.api.verbs.wakes_async import AsyncWakes

__all__ = ["AsyncVerbs", "Verbs"]


class Verbs:
    """Every verb, blocking."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.briefing = Briefing(exchange)
        self.changes = Changes(exchange)
        self.consumers = Consumers(exchange)
        self.decisions = Decisions(exchange)
        self.grants = Grants(exchange)
        self.handoffs = Handoffs(exchange)
        self.messages = Messages(exchange)
        self.projects = Projects(exchange)
        self.server = Server(exchange)
        self.sessions = Sessions(exchange)
        self.store = Store(exchange)
        self.tokens = Tokens(exchange)
        self.users = Users(exchange)
        self.wakes = Wakes(exchange)


class AsyncVerbs:
    """Every verb, awaited."""

    def __init__(self, exchange: AsyncExchange) -> None:
        self._exchange = exchange
        self.briefing = AsyncBriefing(exchange)
        self.changes = AsyncChanges(exchange)
        self.consumers = AsyncConsumers(exchange)
        self.decisions = AsyncDecisions(exchange)
        self.grants = AsyncGrants(exchange)
        self.handoffs = AsyncHandoffs(exchange)
        self.messages = AsyncMessages(exchange)
        self.projects = AsyncProjects(exchange)
        self.server = AsyncServer(exchange)
        self.sessions = AsyncSessions(exchange)
        self.store = AsyncStore(exchange)
        self.tokens = AsyncTokens(exchange)
        self.users = AsyncUsers(exchange)
        self.wakes = AsyncWakes(exchange)
