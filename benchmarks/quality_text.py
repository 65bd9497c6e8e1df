"""Numbers and rows → the text of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, [":--"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Return three digits, and no minus before a zero; a dash for what is not known."""
    return f"{round(value, 3) + 0.0:.3f}" if np.isfinite(value) else "–"


def signed(value: float) -> str:
    """Return a difference, with its sign."""
    return f"{round(value, 3) + 0.0:+.3f}" if np.isfinite(value) else "–"


def plus_minus(text: str, error: float) -> str:
    """Add an error to a number, if it is known."""
    return f"{text} ± {error:.3f}" if np.isfinite(error) else text
