"""Words of any length → words that fit their place beside, above and below a panel."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unprior.plot._axes import size_on_paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

#: Letters of a name that a legend or a line of scores shows.
MOST_LETTERS = 32
#: Width of a letter, as a share of the size of its font.
LETTER = 0.55


def shorten(name: str) -> str:
    """Leave out the middle of a long name: names that begin alike often differ at the end.

    Examples
    --------
    >>> shorten("batch"), shorten("measured in the laboratory upstairs")
    ('batch', 'measured in the…oratory upstairs')
    """
    half = MOST_LETTERS // 2
    return name if len(name) <= MOST_LETTERS else f"{name[: half - 1]}…{name[-half:]}"


def shorten_all(names: Sequence[str]) -> list[str]:
    """Shorten names that can still be told apart then, else none.

    Examples
    --------
    >>> shorten_all(["lower left of the seventh vertebra", "lower left of the twelfth vertebra"])
    ['lower left of t…seventh vertebra', 'lower left of t…twelfth vertebra']
    """
    short = [shorten(name) for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def draw_texts(ax: Axes, *, title: str | None, lines: Sequence[Sequence[str | None]]) -> None:
    """Write the title above the panel, and smaller lines below it, none wider than the panel.

    The parts of a line stand side by side if they fit, else one below the other.
    """
    if title:
        _break_at_spaces(ax, ax.set_title(title, fontsize="medium"))
    below = ax.xaxis.label
    below.set_fontsize("small")
    most = _letters_across(ax, below)
    told = []
    for line in lines:
        parts = [part for part in line if part]
        together = ", ".join(parts)
        told += [together] if len(together) <= most else parts
    below.set_text("\n".join(filter(None, told)))
    _break_at_spaces(ax, below)


def _break_at_spaces(ax: Axes, text: Text) -> None:
    most = _letters_across(ax, text)
    lines = [textwrap.fill(line, most) for line in text.get_text().splitlines()]
    text.set_text("\n".join(lines))


def _letters_across(ax: Axes, text: Text) -> int:
    """Return how many letters of a text's size stand side by side in a panel."""
    return max(int(size_on_paper(ax)[0] / (LETTER * float(text.get_fontsize()))), 1)
