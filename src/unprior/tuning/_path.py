"""The path: scores of an estimator at several strengths, and the chosen strength."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior.scores import Measurement, Report
from unprior.scores._measurement import label_measure
from unprior.scores._table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unprior._typing import Floats

#: Measures of how much of a prior is left, for labels and for other kinds; and of the data kept.
LEFT = ("neighbor_purity", "neighbor_coherence")
KEPT, AREA = "neighbor_overlap", "overlap_area"


@dataclass(frozen=True)
class Step:
    """The scores at one strength.

    Attributes
    ----------
    strength : float
        The strength.
    report : Report
        All scores.
    noise : dict of str to float
        For each prior, how much of it may be left by chance alone.

    Examples
    --------
    >>> from unprior import scores
    >>> from unprior.tuning import Step
    >>> batch = {"batch": ["a", "a", "b", "b"]}
    >>> report = scores.report([0.0, 1.0, 9.0, 11.0], prior=batch, k=1)
    >>> Step(1.0, report, {"batch": 0.5}).left
    {'batch': 1.0}
    """

    strength: float
    report: Report
    noise: dict[str, float]

    @property
    def left(self) -> dict[str, float]:
        """What is left of each prior: k-neighbour purity (labels) or coherence; 0 by chance."""
        return {row.name: row.score for row in self._rows("prior", *LEFT)}

    @property
    def kept(self) -> dict[str, float]:
        """What is kept of the "data", and of the "rest" that the prior does not explain.

        For the data, the fraction of neighbours that stay neighbours; for the rest, if it can be
        computed, `unprior.scores.rest_kept`.
        """
        rows = [*self._rows("data", KEPT), *self._rows("rest", *LEFT)]
        return {row.name: row.score for row in rows}

    @property
    def worst(self) -> str:
        """The prior with the most left above noise."""
        return max(self.left, key=lambda name: self.left[name] - self.noise[name])

    @property
    def excess(self) -> float:
        """How much more of this prior is left than by chance; negative if less."""
        return self.left[self.worst] - self.noise[self.worst]

    @property
    def columns(self) -> dict[str, float]:
        """The scores by their names in tables."""
        columns: dict[str, float] = {}
        for name, left in self.left.items():
            columns |= {f"{name} left": left, f"{name} noise": self.noise[name]}
        columns |= {f"{name} kept": kept for name, kept in self.kept.items()}
        areas = self._rows("prior", AREA) + self._rows("data", AREA)
        return columns | {f"{row.name} area": row.score for row in areas}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Step:
        """Return the step whose `dataclasses.asdict` was stored as JSON, without loss.

        Examples
        --------
        >>> from unprior import scores
        >>> report = scores.report([0.0, 1.0, 9.0, 11.0], prior=["a", "a", "b", "b"], k=1)
        >>> from dataclasses import asdict
        >>> step = Step(1.0, report, {"prior": 0.5})
        >>> Step.from_dict(asdict(step)) == step
        True
        """
        rows = tuple(Measurement(**row) for row in values["report"]["rows"])
        return cls(
            values["strength"], Report(**{**values["report"], "rows": rows}), values["noise"]
        )

    def _rows(self, role: str, *measures: str) -> list[Measurement]:
        return [row for row in self.report.rows if row.role == role and row.measure in measures]


@dataclass(frozen=True, repr=False)
class Path:
    """The trade-off between prior removed and data kept over strengths; prints as a table.

    Attributes
    ----------
    steps : tuple of Step
        The scores at each strength, in ascending order.
    best_strength : float
        The chosen strength.
    rule : str
        Why it was chosen.
    n_samples : int
        Total number of samples; ``steps[0].report.n_samples`` of them were fitted.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(100, random_state=0)
    >>> path = up.tune(up.Residual(), data.X, prior=data.known, strengths=[0.5, 1])
    >>> path.best_strength
    1.0
    >>> path.left > path.left_noise
    array([ True, False])
    """

    steps: tuple[Step, ...]
    best_strength: float
    rule: str
    n_samples: int

    @property
    def strengths(self) -> Floats:
        """The strengths in ascending order."""
        return np.array([step.strength for step in self.steps])

    @property
    def left(self) -> Floats:
        """What is left of the prior at each strength; of several priors, the largest."""
        return np.array([step.left[step.worst] for step in self.steps])

    @property
    def left_noise(self) -> Floats:
        """How much of this prior may be left by chance alone, at each strength."""
        return np.array([step.noise[step.worst] for step in self.steps])

    @property
    def kept(self) -> Floats:
        """Fraction of the data's neighbours that are kept at each strength."""
        return np.array([step.kept["data"] for step in self.steps])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and strings.

        Returns
        -------
        path : dict
            ``best_strength``, ``rule``, the lists ``strengths``, ``left``, ``left_noise`` and
            ``kept``, the result of `Report.to_dict` for each strength in ``scores``, and the
            numbers of neighbours ``k``, of samples and of fitted samples.
        """
        return {
            "best_strength": self.best_strength,
            "rule": self.rule,
            "strengths": self.strengths.tolist(),
            "left": self.left.tolist(),
            "left_noise": self.left_noise.tolist(),
            "kept": self.kept.tolist(),
            "scores": [step.report.to_dict() for step in self.steps],
            "k": self.steps[0].report.k,
            "n_samples": self.n_samples,
            "n_fitted": self.steps[0].report.n_samples,
        }

    def plot(self, ax: Any = None) -> Axes:
        """Draw prior left and data kept over the strengths: `unprior.plot.path`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        from unprior import plot

        return plot.path(self, ax=ax)

    def _table(self) -> Table:
        header = ["strength", *self.steps[0].columns, ""]
        rows = [
            [
                f"{step.strength:g}",
                *step.columns.values(),
                "<- best" if step.strength == self.best_strength else "",
            ]
            for step in self.steps
        ]
        return Table(header, rows, self._note())

    def _note(self) -> str:
        report = self.steps[0].report
        measures = {row.measure for row in report.rows if row.role == "prior"}
        left = " or ".join(label_measure(name, report.k) for name in LEFT if name in measures)
        subset = f"; {report.n_samples} of {self.n_samples} samples"
        sampled = subset if report.n_samples < self.n_samples else ""
        kept = label_measure(KEPT, report.k)
        return f"Best is {self.rule}.\n(left: {left}; data kept: {kept}{sampled})"

    def __repr__(self) -> str:
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()
