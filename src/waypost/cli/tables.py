"""Tables on a terminal, by rich. Imported only there."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

__all__ = ["print_table"]


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, colored: bool) -> None:
    """Prints rows under their columns; the first column, which holds ids, is never cut or broken."""
    console = Console(no_color=not colored, highlight=False, emoji=False, markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold" if colored else "")
    for place, column in enumerate(columns):
        table.add_column(column, no_wrap=place == 0, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
