"""A refusal as the server answered it, or as this process found it: a problem document, the same wherever the verb ran."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Refused"]


class Refused(Exception):
    """A verb was refused. Carries the problem document of contracts/api.md."""

    def __init__(self, problem: Mapping[str, object]) -> None:
        super().__init__(str(problem.get("detail", "")))
        self._problem = dict(problem)

    def problem(self) -> dict[str, object]:
        """The problem document."""
        return self._problem
