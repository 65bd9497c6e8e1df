"""Tables of words and numbers as aligned text, HTML and pandas DataFrames."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from unprior._extras import import_extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame

    from unprior.scores._measurement import Measurement

Cell = str | float


@dataclass(frozen=True)
class Table:
    """A header, rows of cells and a note below; repeated first cells are shown once."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def to_text(self) -> str:
        """Return aligned text, with words on the left and numbers on the right of a column."""
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
        """Return an HTML table, with the cells escaped."""
        head = self._html_row("th", self.header)
        body = "".join(self._html_row("td", line) for line in self._shown())
        note = "<br>".join(html.escape(line) for line in self.note.splitlines())
        below = f"<p>{note}</p>" if note else ""
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{below}"

    def _html_row(self, tag: str, line: Sequence[str]) -> str:
        # Notebooks align all cells to the right by default.
        cells = (
            f'<{tag} style="text-align: {side}">{html.escape(cell)}</{tag}>'
            for cell, side in zip(line, self._sides(), strict=True)
        )
        return f"<tr>{''.join(cells)}</tr>"

    def _sides(self) -> list[str]:
        """Return the alignment of each column: words left, numbers right."""
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


#: Columns of a DataFrame of scores.
COLUMNS = ("role", "name", "measure", "score", "standard_error", "chance", "want", "detail")


def record(row: Measurement) -> dict[str, Any]:
    """Return a measurement as a row of a DataFrame."""
    return {column: getattr(row, column) for column in COLUMNS}


def make_frame(who: str, records: list[dict[str, Any]]) -> DataFrame:
    """Return records as a DataFrame; raise a clear error without pandas, an optional dependency."""
    return import_extra("pandas", who).DataFrame.from_records(records)
