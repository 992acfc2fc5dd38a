"""What exists as a caller may know it: the one look-up of names and ids for whoever is bounded by grants.

Invariant: what the caller has no right on is answered exactly as what does not exist. Who is not bounded sees everything.
"""

from __future__ import annotations

from collections.abc import Iterable

from waypost.identity.access import Access
from waypost.identity.credential_store import fellows
from waypost.identity.models import MailboxName, Project, Session, User
from waypost.identity.store import StoredDirectory, mailbox_names, near_names, user_named
from waypost.kernel.addresses import ProjectName
from waypost.store.interface import Transaction

__all__ = ["VisibleDirectory"]


class VisibleDirectory:
    """What exists, as one transaction and one access see it (`rules.Directory`)."""

    def __init__(self, tx: Transaction, access: Access) -> None:
        self._tx = tx
        self._access = access
        self._all = StoredDirectory(tx)

    def project_named(self, name: ProjectName) -> Project | None:
        """The project of that name."""
        return self._seen(self._all.project_named(name))

    def project_by_id(self, project_id: str) -> Project | None:
        """The project of that id."""
        return self._seen(self._all.project_by_id(project_id))

    def project_of_identity(self, identity: str) -> Project | None:
        """The project that checkouts of this identity use where no marker names another."""
        return self._seen(self._all.project_of_identity(identity))

    def allowed(self, project_id: str, identity: str) -> bool:
        """Whether a person allowed that identity to use the project."""
        return self._all.allowed(project_id, identity)

    def session(self, session_id: str) -> Session | None:
        """A registered session of a project that the caller knows."""
        session = self._all.session(session_id)
        return session if session is not None and self._access.knows(session.project_id) else None

    def last_active(self) -> Project | None:
        """The project whose session spoke last; nobody's for whom grants bound, because that would tell what others do."""
        return None if self._access.is_bounded else self._all.last_active()

    def only_project(self) -> Project | None:
        """The one project that the caller knows, where it is just one."""
        known = self._access.known
        if known is None:
            return self._all.only_project()
        return self._all.project_by_id(next(iter(known))) if len(known) == 1 else None

    def near(self, wanted: ProjectName) -> list[str]:
        """Up to three addresses of projects with a like name that the caller may read."""
        return near_names(self._tx, wanted, within=self._access.readable)

    def user(self, name: str) -> User | None:
        """The person of that name whom the caller may write to."""
        found = user_named(self._tx, name)
        return found if found is not None and found.id in self._fellows([found.id]) else None

    def names(self, ids: Iterable[str]) -> dict[str, MailboxName]:
        """The names of several mailboxes, without those that the caller may not know."""
        found = mailbox_names(self._tx, ids)
        if not self._access.is_bounded:
            return found
        users = self._fellows([mailbox for mailbox, name in found.items() if name.kind == "user"])
        return {mailbox: name for mailbox, name in found.items() if mailbox in users or self._access.knows(mailbox)}

    def _seen(self, project: Project | None) -> Project | None:
        return project if project is not None and self._access.knows(project.id) else None

    def _fellows(self, users: list[str]) -> frozenset[str]:
        """Those of the users whom the caller may know: itself, and who shares a project with it or is an operator."""
        access = self._access
        if not access.is_bounded:
            return frozenset(users)
        own = frozenset({access.user_id} & set(users)) if access.user_id is not None else frozenset[str]()
        if access.user_id is None or not set(users) - own:
            return own
        return own | fellows(self._tx, user_id=access.user_id, projects=access.known or (), of=set(users) - own)
