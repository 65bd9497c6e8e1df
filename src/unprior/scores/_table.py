"""Rows of words and numbers to a table, as aligned text and as HTML."""

from __future__ import annotations

import html
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Cell = str | float


@dataclass(frozen=True)
class Table:
    """A header, rows of cells, and a note below; a first cell is shown once while it repeats."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def to_text(self) -> str:
        """Return columns of equal width, words to the left and numbers to the right."""
        lines = [self.header, *self._shown()]
        widths = [max(len(line[c]) for line in lines) for c in range(len(self.header))]
        right = [isinstance(cell, float) for cell in self.rows[0]]
        text = [
            "  ".join(
                cell.rjust(width) if is_right else cell.ljust(width)
                for cell, width, is_right in zip(line, widths, right, strict=True)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([*text, self.note] if self.note else text)

    def to_html(self) -> str:
        """Return an HTML table; whatever the cells hold is shown as it is."""
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in self.header)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self._shown()
        )
        note = f"<p>{html.escape(self.note)}</p>" if self.note else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    def _shown(self) -> list[list[str]]:
        firsts = ["", *(row[0] for row in self.rows)]
        return [
            ["" if first == before else str(first), *(_show(cell) for cell in row[1:])]
            for (before, first), row in zip(pairwise(firsts), self.rows, strict=True)
        ]


def _show(cell: Cell) -> str:
    # Adding zero turns the -0.0 of a small negative number into 0.0.
    return f"{round(cell, 3) + 0.0:.3f}" if isinstance(cell, float) else cell
