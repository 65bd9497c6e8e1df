"""Several maps of the same samples to one table, a column for each map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unprior._params import Kind, check_value
from unprior.scores._distances import check_same_samples, read_map
from unprior.scores._measurement import label_measure
from unprior.scores._over_removal import warn_of_loss
from unprior.scores._report import Report, report_on
from unprior.scores._table import Table
from unprior.scores._yardsticks import read_setting, read_yardsticks, with_rest

if TYPE_CHECKING:
    from unprior._typing import Metric

MAPS = Kind(
    "a dict from names to maps", lambda value: isinstance(value, Mapping) and len(value) > 0
)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Scores of several maps, side by side; prints as a table.

    Attributes
    ----------
    reports : dict of str to Report
        The report on each map, by its name.

    Examples
    --------
    >>> from unprior import scores
    >>> maps = {"apart": [0.0, 1.0, 9.0, 11.0], "mixed": [0.0, 9.0, 1.0, 11.0]}
    >>> comparison = scores.compare(maps, prior=["a", "a", "b", "b"], k=1)
    >>> comparison.to_dict()["apart"]["prior"]["prior"]["neighbor_purity"]
    1.0
    """

    reports: dict[str, Report]

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain floats: `Report.to_dict` for each map."""
        return {name: report.to_dict() for name, report in self.reports.items()}

    def _table(self) -> Table:
        reports = [*self.reports.values()]
        k, n_rows, n_samples = reports[0].k, reports[0].n_rows, reports[0].n_samples
        doubt = max(row.standard_error for report in reports for row in report.rows)
        note = f"({n_rows} of {n_samples} samples scored; standard errors up to {doubt:.3f})"
        return Table(
            ("", "measure", *self.reports, "chance", "want"),
            [
                (
                    rows[0].what,
                    label_measure(rows[0].measure, k),
                    *(row.score for row in rows),
                    rows[0].chance,
                    rows[0].want,
                )
                for rows in zip(*(report.rows for report in reports), strict=True)
            ],
            note if n_rows < n_samples else "",
        )

    def __repr__(self) -> str:
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()


def compare(
    maps: Mapping[str, Any],
    *,
    X: Any = None,
    prior: Any = None,
    hidden: Any = None,
    k: int = 15,
    metric: Metric = "euclidean",
    n_rows: int | str | None = "auto",
    random_state: Any = 0,
) -> Comparison:
    """Score several maps of the same samples side by side.

    The scores are those of `report`. So is the `OverRemovalWarning`, which names the maps that keep
    little of what the prior does not explain.

    Parameters
    ----------
    maps : dict of str to array-like of shape (n_samples, n_components)
        Coordinates of each map, by its name.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples), or Prior, optional
        The data: features, distances if ``metric="precomputed"``, or anything as a Prior.
    prior : Prior, array-like, or several of them in a list or dict, optional
        What was factored out; see `unprior.priors.as_prior`.
    hidden : Prior, array-like, or several of them in a list or dict, optional
        Structure that the maps should show, such as labels that no method has seen.
    k : int, default=15
        Number of neighbours; with ``X``, below half the number of samples.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``.
    n_rows : int, None or "auto", default="auto"
        Samples to score, the same in all maps; see `report`.
    random_state : int or RandomState, default=0
        Seed of the draw.

    Returns
    -------
    comparison : Comparison
        Prints as a table; ``comparison.reports`` and ``comparison.to_dict()`` hold the numbers.

    See Also
    --------
    report : The scores of one map, and what they mean.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior import scores
    >>> rng = np.random.RandomState(0)
    >>> batch, mixed = np.repeat(["a", "b"], 50), rng.normal(size=(100, 2))
    >>> apart = mixed + 10 * (batch == "b")[:, None]
    >>> scores.compare({"mixed": mixed, "apart": apart}, prior={"batch": batch})
                measure               mixed  apart  chance  want
    batch left  15-neighbour purity   0.006  1.000   0.000  chance
                overlap area         -0.004  0.253   0.000  chance
    """
    who = "compare"
    check_value(who, "maps", maps, MAPS)
    read = {str(name): read_map(who, Y) for name, Y in maps.items()}
    check_same_samples(who, read)
    first = next(iter(read.values()))
    yardsticks = read_yardsticks(who, first, X=X, metric=metric, prior=prior, hidden=hidden)
    setting = read_setting(who, first, yardsticks, k, n_rows, random_state)
    yardsticks = with_rest(yardsticks)
    reports = {name: report_on(Y, yardsticks, setting) for name, Y in read.items()}
    warn_of_loss(who, {repr(name): report for name, report in reports.items()})
    return Comparison(reports)
