"""Lists across pages. Iterating goes on where it stood after any disconnect: a page is fetched again until it came, then the next.

Invariant: an item is given once. An iterator that raised has lost nothing; asking it for the next item fetches the same page again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from waypost.client.api.answers import Readable

__all__ = ["AsyncListing", "Listing", "Page"]

I_co = TypeVar("I_co", covariant=True)
I = TypeVar("I")  # noqa: E741 - the customary letter for an item
P = TypeVar("P", bound="Page[object]")


class Page(Readable, Protocol[I_co]):
    """The answer of a list."""

    @property
    def items(self) -> Sequence[I_co]:
        """What this page holds."""
        ...

    @property
    def next_cursor(self) -> str | None:
        """Where the next page begins; None on the last one."""
        ...


class _Position(Generic[P]):
    """Where a run through the pages stands."""

    def __init__(self, cursor: str | None) -> None:
        self.cursor = cursor
        self.ended = False

    def after(self, page: P) -> P:
        """Moves behind a page."""
        self.cursor = page.next_cursor
        self.ended = page.next_cursor is None
        return page


class Listing(Generic[P, I]):
    """A list, fetched page by page as it is iterated. Each iteration begins anew."""

    def __init__(self, fetch: Callable[[str | None], P], items: Callable[[P], Sequence[I]], cursor: str | None) -> None:
        self._fetch = fetch
        self._items = items
        self._cursor = cursor

    def __iter__(self) -> Iterator[I]:
        return _Items(self.pages(), self._items)

    def pages(self) -> Iterator[P]:
        """The pages, with what each says beside its items."""
        return _Pages(self._fetch, self._cursor)

    def page(self) -> P:
        """The first page alone."""
        return self._fetch(self._cursor)


class _Pages(Iterator[P]):
    def __init__(self, fetch: Callable[[str | None], P], cursor: str | None) -> None:
        self._fetch = fetch
        self._at: _Position[P] = _Position(cursor)

    def __next__(self) -> P:
        if self._at.ended:
            raise StopIteration
        return self._at.after(self._fetch(self._at.cursor))


class _Items(Iterator[I], Generic[P, I]):
    def __init__(self, pages: Iterator[P], items: Callable[[P], Sequence[I]]) -> None:
        self._pages = pages
        self._items = items
        self._left: deque[I] = deque()

    def __next__(self) -> I:
        while not self._left:
            self._left.extend(self._items(next(self._pages)))
        return self._left.popleft()


class AsyncListing(Generic[P, I]):
    """As `Listing`, for `async for`."""

    def __init__(
        self, fetch: Callable[[str | None], Awaitable[P]], items: Callable[[P], Sequence[I]], cursor: str | None
    ) -> None:
        self._fetch = fetch
        self._items = items
        self._cursor = cursor

    def __aiter__(self) -> AsyncIterator[I]:
        return _AsyncItems(self.pages(), self._items)

    def pages(self) -> AsyncIterator[P]:
        """The pages, with what each says beside its items."""
        return _AsyncPages(self._fetch, self._cursor)

    async def page(self) -> P:
        """The first page alone."""
        return await self._fetch(self._cursor)


class _AsyncPages(AsyncIterator[P]):
    def __init__(self, fetch: Callable[[str | None], Awaitable[P]], cursor: str | None) -> None:
        self._fetch = fetch
        self._at: _Position[P] = _Position(cursor)

    async def __anext__(self) -> P:
        if self._at.ended:
            raise StopAsyncIteration
        return self._at.after(await self._fetch(self._at.cursor))


class _AsyncItems(AsyncIterator[I], Generic[P, I]):
    def __init__(self, pages: AsyncIterator[P], items: Callable[[P], Sequence[I]]) -> None:
        self._pages = pages
        self._items = items
        self._left: deque[I] = deque()

    async def __anext__(self) -> I:
        while not self._left:
            self._left.extend(self._items(await self._pages.__anext__()))
        return self._left.popleft()
