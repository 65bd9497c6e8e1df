"""Rows of words and numbers to a table, as aligned text and as HTML."""

from __future__ import annotations

import html
import math
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
        text = [
            "  ".join(
                cell.rjust(width) if side == "right" else cell.ljust(width)
                for cell, width, side in zip(line, widths, self._sides(), strict=True)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([*text, self.note] if self.note else text)

    def to_html(self) -> str:
        """Return an HTML table; whatever the cells hold is shown as it is."""
        head = self._html_row("th", self.header)
        body = "".join(self._html_row("td", line) for line in self._shown())
        note = "<br>".join(html.escape(line) for line in self.note.splitlines())
        below = f"<p>{note}</p>" if note else ""
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{below}"

    def _html_row(self, tag: str, line: Sequence[str]) -> str:
        # Notebooks would put all cells to the right.
        cells = (
            f'<{tag} style="text-align: {side}">{html.escape(cell)}</{tag}>'
            for cell, side in zip(line, self._sides(), strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    def _sides(self) -> list[str]:
        """Return on which side the cells of each column stand: words left, numbers right."""
        return ["right" if isinstance(cell, float) else "left" for cell in self.rows[0]]

    def _shown(self) -> list[list[str]]:
        firsts = ["", *(row[0] for row in self.rows)]
        return [
            ["" if first == before else str(first), *(_show(cell) for cell in row[1:])]
            for (before, first), row in zip(pairwise(firsts), self.rows, strict=True)
        ]


def _show(cell: Cell) -> str:
    if isinstance(cell, float) and math.isnan(cell):
        return "–"
    # Adding zero turns the -0.0 of a small negative number into 0.0.
    return f"{round(cell, 3) + 0.0:.3f}" if isinstance(cell, float) else cell
