"""How the command line speaks: the answer on standard output, notes and refusals on standard error, every character visible.

What an operation framed stays as it is; what is the reader's own text is made visible here, because a terminal obeys control
characters whoever wrote them.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from waypost.cli.options import How

__all__ = ["Output", "plain", "refuse"]


def plain(text: object) -> str:
    """`text` with every invisible or controlling character written out. The exact rule is the kernel's, which is imported only
    where there is something to show; most text has nothing."""
    shown = str(text)
    if shown.replace("\n", "").replace("\t", "").isprintable():
        return shown
    from waypost.kernel.text import visible  # noqa: PLC0415 - see above

    return visible(shown)


def refuse(problem: Mapping[str, object], *, as_json: bool) -> None:
    """Prints a refusal: its problem document on standard output with `--json`, else a sentence and a hint on standard error."""
    if as_json:
        import json  # noqa: PLC0415 - not on the way of what people read

        sys.stdout.write(json.dumps(problem) + "\n")
        return
    lines = [f"error: {plain(problem.get('detail', ''))} [{plain(problem.get('code', ''))}]"]
    if problem.get("hint"):
        lines.append(f"hint: {plain(problem['hint'])}")
    sys.stderr.write("\n".join(lines) + "\n")


class Output:
    """What a command says. `note` is for guidance, which `--quiet` leaves out."""

    def __init__(self, how: How) -> None:
        self.quiet = how.quiet
        self.on_terminal = sys.stdout is not None and sys.stdout.isatty()
        self.colored = self.on_terminal and not how.no_color and not os.environ.get("NO_COLOR")

    def line(self, text: object = "") -> None:
        """One line, or several, of the answer."""
        sys.stdout.write(f"{plain(text)}\n")

    def aside(self, text: object) -> None:
        """A line beside the answer, which `--quiet` leaves out."""
        if not self.quiet:
            self.line(text)

    def note(self, text: object) -> None:
        """Guidance on standard error, which `--quiet` leaves out."""
        if not self.quiet:
            sys.stderr.write(f"{plain(text)}\n")

    def flush(self) -> None:
        """Makes what was said visible now."""
        sys.stdout.flush()

    def json(self, text: str) -> None:
        """One JSON object, as it came. On a terminal what a terminal would obey is escaped as JSON allows."""
        sys.stdout.write(_escaped(text) if self.on_terminal else text)
        sys.stdout.write("\n")

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table: by rich on a terminal, else aligned text."""
        shown = [[" ".join(plain(cell).split()) for cell in row] for row in rows]
        if self.on_terminal:
            from waypost.cli.tables import print_table  # noqa: PLC0415 - rich is slow to import

            print_table(columns, shown, colored=self.colored)
            return
        widths = [max(len(row[place]) for row in [list(columns), *shown]) for place in range(len(columns))]
        for row in [[column.upper() for column in columns], *shown]:
            line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            sys.stdout.write(f"{line.rstrip()}\n")


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(ord(character)) for character in text)


def _escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
