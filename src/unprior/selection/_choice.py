"""Trials of several compositions -> the one to draw, and the reason in words."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

from unprior.scores._table import Table
from unprior.selection._composition import Composition

#: What the rest kept, or the data's neighbours kept, count against the prior left.
WEIGHT_OF_REST, WEIGHT_OF_DATA = 0.3, 1.5


@dataclass(frozen=True)
class Trial:
    """A composition, and the scores of its map of some samples.

    Attributes
    ----------
    composition : Composition
        How the map was drawn.
    each_left : tuple of float
        What the map's neighbourhoods show of each prior, 0 as by chance.
    rest_kept : float
        What they show of the data that the prior does not explain; see
        `unprior.scores.rest_kept`. NaN if that is not to be had.
    data_kept : float
        Share of the map's neighbours that are neighbours in the data.
    """

    composition: Composition
    each_left: tuple[float, ...]
    rest_kept: float
    data_kept: float

    @property
    def left(self) -> float:
        """What is left of that prior of which most is."""
        return max(self.each_left, key=abs)

    def __str__(self) -> str:
        rest = "" if math.isnan(self.rest_kept) else f"rest kept {self.rest_kept:.2f}, "
        return (
            f"{self.composition}: prior left {self.left:.2f}, {rest}"
            f"neighbours kept {self.data_kept:.2f}"
        )


@dataclass(frozen=True, repr=False)
class Choice:
    """The composition that was chosen, and why; prints as a few sentences.

    Attributes
    ----------
    chosen : Composition
        What was drawn.
    trials : tuple of Trial
        All that were tried, the best first, and last what was tried only for comparison; empty if
        nothing had to be chosen.
    n_samples : int
        Samples that they were tried on.
    reason : str
        Why it was chosen, in one sentence.
    """

    chosen: Composition
    trials: tuple[Trial, ...]
    n_samples: int
    reason: str

    def __repr__(self) -> str:
        lines = [f"{self.chosen}. {self.reason}"]
        if self.trials:
            lines.append(f"Tried on {self.n_samples} samples, the best first:")
            lines += [f"- {trial}." for trial in self.trials]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        told = f"<p><b>{html.escape(str(self.chosen))}.</b> {html.escape(self.reason)}</p>"
        if not self.trials:
            return told
        header = (
            f"tried on {self.n_samples} samples, the best first",
            "prior left",
            "rest kept",
            "neighbours kept",
        )
        rows = [(str(t.composition), t.left, t.rest_kept, t.data_kept) for t in self.trials]
        return told + Table(header, rows).to_html()


def rank_removals(trials: Sequence[Trial]) -> list[Trial]:
    """Order trials on data whose rest is kept: little of the prior, then much of the rest."""
    return sorted(trials, key=lambda t: abs(t.left) - WEIGHT_OF_REST * t.rest_kept)


def rank_compromises(trials: Sequence[Trial]) -> list[Trial]:
    """Order trials on data whose rest would be lost: the data as they are count all the more."""
    return sorted(trials, key=lambda t: abs(t.left) - WEIGHT_OF_DATA * t.data_kept)
