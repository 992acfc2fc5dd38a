"""The verbs on projects, awaited. Written by `python -m waypost.client.api.generate`; do not edit."""

from __future__ import annotations

from waypost.client.api.asked import Fields
from waypost.client.api.exchange_async import AsyncExchange
from waypost.client.api.listing import AsyncListing
from waypost.operations.project_records import AddOutput, ProjectOutput, ProjectRecord, ProjectsOutput, WhichOutput

__all__ = ["AsyncProjects"]


class AsyncProjects:
    """The verbs on projects."""

    def __init__(self, exchange: AsyncExchange) -> None:
        self._exchange = exchange

    def list(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        session: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> AsyncListing[ProjectsOutput, ProjectRecord]:
        """List projects by name, with what waits in each.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        limit: How many items one page holds at most; iterating goes on through all pages.
        cursor: Begin where the page before ended, instead of at the beginning.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "session": session,
            "limit": limit,
            "cursor": cursor,
        }
        return self._exchange.pages("project.list", ProjectsOutput, fields, lambda page: page.items)

    async def which(
        self, *, workspace: str | None = None, project: str | None = None, session: str | None = None
    ) -> WhichOutput:
        """Say which project the caller's own is and how it was found.

        workspace: The own project's workspace, where project is a bare name.
        project: The own project: a name, or workspace/project.
        session: The acting session, exactly as the client printed it.
        """
        fields: Fields = {"workspace": workspace, "project": project, "session": session}
        return await self._exchange.read("project.which", WhichOutput, fields)

    async def show(self, workspace: str, project: str) -> ProjectOutput:
        """Show one project.

        workspace: The project's workspace.
        project: The project's name.
        """
        fields: Fields = {"workspace": workspace, "project": project}
        return await self._exchange.read("project.show", ProjectOutput, fields)

    async def add(
        self,
        *,
        directory: str | None = None,
        workspace: str | None = None,
        project: str | None = None,
        idempotency_key: str | None = None,
    ) -> AddOutput:
        """Make the project of a directory, or answer the one that is there.

        directory: Absolute path; the caller's own directory where it is left out.
        workspace: The workspace of a new project, where project is a bare name.
        project: The name of a new project; a slug of the repository otherwise.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"directory": directory, "workspace": workspace, "project": project}
        return await self._exchange.write("project.add", AddOutput, fields, idempotency_key)

    async def put(
        self, workspace: str, project: str, *, directory: str | None = None, idempotency_key: str | None = None
    ) -> AddOutput:
        """Make a project by its names, or answer the one that is there.

        workspace: The project's workspace.
        project: The project's name.
        directory: The checkout that the project belongs to.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"workspace": workspace, "project": project, "directory": directory}
        return await self._exchange.write("project.put", AddOutput, fields, idempotency_key)

    async def rename(
        self, workspace: str, project: str, *, to_project: str, idempotency_key: str | None = None
    ) -> ProjectOutput:
        """Give a project another name; its mail goes with it.

        workspace: The project's workspace.
        project: The project's name.
        to_project: The new name.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"workspace": workspace, "project": project, "to_project": to_project}
        return await self._exchange.write("project.rename", ProjectOutput, fields, idempotency_key)

    async def move(
        self,
        workspace: str,
        project: str,
        *,
        to_workspace: str,
        to_project: str | None = None,
        idempotency_key: str | None = None,
    ) -> ProjectOutput:
        """Put a project into another workspace; its mail goes with it.

        workspace: The project's workspace.
        project: The project's name.
        to_workspace: The workspace to move to.
        to_project: The name there; the same where it is left out.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {
            "workspace": workspace,
            "project": project,
            "to_workspace": to_workspace,
            "to_project": to_project,
        }
        return await self._exchange.write("project.move", ProjectOutput, fields, idempotency_key)

    async def allow(
        self, workspace: str, project: str, *, directory: str | None = None, idempotency_key: str | None = None
    ) -> ProjectOutput:
        """Let a checkout use a project that belongs to another one.

        workspace: The project's workspace.
        project: The project's name.
        directory: Absolute path of the checkout; the caller's own otherwise.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"workspace": workspace, "project": project, "directory": directory}
        return await self._exchange.write("project.allow", ProjectOutput, fields, idempotency_key)

    async def delete(self, workspace: str, project: str, *, idempotency_key: str | None = None) -> ProjectOutput:
        """Take a project out of use.

        workspace: The project's workspace.
        project: The project's name.
        idempotency_key: Makes a repeat of the call answer what the first one did; made for each call where it is left out.
        """
        fields: Fields = {"workspace": workspace, "project": project}
        return await self._exchange.write("project.delete", ProjectOutput, fields, idempotency_key)
