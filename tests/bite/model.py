"""What a guard is: a few lines of the source that keep one promise, and what to put in their place to take them out."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Guard"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Guard:
    """One guard. `snippet` stands exactly once in `file` (below src/waypost); `tests` is what pytest is given to run."""

    promise: str
    file: str
    snippet: str
    replacement: str
    tests: tuple[str, ...]

    def take_out(self, text: str) -> str:
        """The file's text without the guard. Raises ValueError where the snippet does not stand there exactly once."""
        count = text.count(self.snippet)
        if count != 1:
            raise ValueError(f"{self.file}: the snippet of {self.promise} stands there {count} times, not once")
        return text.replace(self.snippet, self.replacement)
