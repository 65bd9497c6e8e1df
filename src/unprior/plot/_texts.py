"""Texts around a panel: shortened names, titles, notes and scores."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unprior.plot._axes import size_on_paper
from unprior.scores import Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

#: Most characters of a name in a legend or a line of scores.
MOST_LETTERS = 32
#: Width of a character relative to the font size.
LETTER = 0.55

#: Measures of how much is left or kept, whatever the kind, by map neighbours.
MEASURES = ("neighbor_purity", "neighbor_coherence", "neighbor_overlap")


def shorten(name: str) -> str:
    """Omit the middle of a long name, as names with the same beginning often differ at the end.

    Examples
    --------
    >>> shorten("batch"), shorten("measured in the laboratory upstairs")
    ('batch', 'measured in the…oratory upstairs')
    """
    half = MOST_LETTERS // 2
    return name if len(name) <= MOST_LETTERS else f"{name[: half - 1]}…{name[-half:]}"


def shorten_all(names: Sequence[str]) -> list[str]:
    """Shorten all names if they stay distinct, otherwise none.

    Examples
    --------
    >>> shorten_all(["lower left of the seventh vertebra", "lower left of the twelfth vertebra"])
    ['lower left of t…seventh vertebra', 'lower left of t…twelfth vertebra']
    """
    short = [shorten(name) for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def draw_texts(ax: Axes, *, title: str | None, lines: Sequence[Sequence[str | None]]) -> None:
    """Write the title above the panel and smaller lines below it, none wider than the panel.

    The parts of a line are written side by side if they fit, otherwise one below the other.
    """
    if title:
        _break_at_spaces(ax, ax.set_title(title, fontsize="medium"))
    below = ax.xaxis.label
    below.set_fontsize("small")
    most = _letters_across(ax, below)
    texts: list[str] = []
    for line in lines:
        parts = [part for part in line if part]
        together = ", ".join(parts)
        texts += [together] if len(together) <= most else parts
    below.set_text("\n".join(filter(None, texts)))
    _break_at_spaces(ax, below)


def _break_at_spaces(ax: Axes, text: Text) -> None:
    most = _letters_across(ax, text)
    lines = [textwrap.fill(line, most) for line in text.get_text().splitlines()]
    text.set_text("\n".join(lines))


def _letters_across(ax: Axes, text: Text) -> int:
    """Return how many characters of a text fit into the width of a panel."""
    return max(int(size_on_paper(ax)[0] / (LETTER * float(text.get_fontsize()))), 1)


def score_lines(
    who: str, scores: Any, maps: Sequence[str], titles: Sequence[str | None]
) -> dict[str, list[list[str]]]:
    """Return the texts of scores for each map and row; scores named like a row go to that row.

    Scores are a `Comparison`, or a dict of each map's `Report` or its ``to_dict``.
    """
    by_map = _plain({} if scores is None else scores)
    if not isinstance(by_map, Mapping) or not {*by_map} <= {*maps}:
        got = [*by_map] if isinstance(by_map, Mapping) else type(by_map).__name__
        message = (
            f"{who}: 'scores' takes what scores.compare returns for maps of these names, "
            f"{[*maps]}, or a dict of reports by name; got {got}."
        )
        raise ValueError(message)
    return {name: _by_row([*_scores(_plain(by_map.get(name, {})))], titles) for name in maps}


def _plain(scores: Any) -> Any:
    return scores.to_dict() if hasattr(scores, "to_dict") else scores


def _scores(report: Mapping[str, Any]) -> Iterator[Measurement]:
    """Yield what is left and kept according to a report's dict, which may come from a file."""
    for role in ("prior", "data", "hidden"):
        scores = report.get(role, {})
        for name, measures in ({"data": scores} if role == "data" else scores).items():
            for measure in MEASURES:
                if measure in measures:
                    yield Measurement(role, name, measure, float(measures[measure]), 0.0, 0.0)


def _by_row(scores: list[Measurement], titles: Sequence[str | None]) -> list[list[str]]:
    rows = [[_text(score) for score in scores if score.name == title] for title in titles]
    rows[-1] += [_text(score) for score in scores if score.name not in titles]
    return rows


def _text(row: Measurement) -> str:
    # Adding zero turns the -0.0 of a small negative number into 0.0.
    return f"{replace(row, name=shorten(row.name)).what} {round(row.score, 2) + 0.0:.2f}"
