"""Scores of several maps of the same samples in one table, with a column for each map."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unprior._params import Kind, check_value
from unprior.scores._distances import check_same_samples, read_map
from unprior.scores._measurement import Measurement, label_measure
from unprior.scores._report import Report, report_on, warn_of_over_removal
from unprior.scores._table import Table, make_frame, record
from unprior.scores._yardsticks import match_rows, read_settings, read_yardsticks, with_rest

if TYPE_CHECKING:
    from pandas import DataFrame

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

    def to_frame(self) -> DataFrame:
        """Return the scores as a pandas DataFrame, a row for each score of each map.

        Returns
        -------
        scores : pandas.DataFrame
            Column "map", and those of `Report.to_frame`.
        """
        records = [
            {"map": name, **record(row)}
            for name, report in self.reports.items()
            for row in report.rows
        ]
        return make_frame("Comparison.to_frame", records)

    def _table(self) -> Table:
        lines = self._lines()
        return Table(
            ("", "measure", *self.reports, "chance", "want"),
            [self._cells(line) for line in lines],
            "\n".join(self._notes(lines)),
        )

    def _lines(self) -> list[dict[str, Measurement]]:
        """Return the measurements of all maps for each line; a map may lack the unevenness."""
        lines: dict[tuple[str, str, str], dict[str, Measurement]] = {}
        for name, report in self.reports.items():
            for row in report.rows:
                lines.setdefault((row.role, row.name, row.measure), {})[name] = row
        return [*lines.values()]

    def _cells(self, line: dict[str, Measurement]) -> list[str | float]:
        first, *_ = line.values()
        label = label_measure(first.measure, next(iter(self.reports.values())).k, _detail(line))
        scores = (line[name].score if name in line else math.nan for name in self.reports)
        # The chance level of unevenness depends on the number of components of the map.
        chance = first.chance if len({row.chance for row in line.values()}) == 1 else math.nan
        return [first.what, label, *scores, chance, first.want]

    def _notes(self, lines: list[dict[str, Measurement]]) -> Iterator[str]:
        """Yield worst classes that differ between maps, and the largest standard error."""
        for line in lines:
            worst = [f"{row.detail} in {name}" for name, row in line.items() if row.detail]
            if worst and not _detail(line):
                first, *_ = line.values()
                yield f"(worst class of {first.name}: {', '.join(worst)})"
        report = next(iter(self.reports.values()))
        if report.n_rows < report.n_samples:
            largest = max(row.standard_error for line in lines for row in line.values())
            scored = f"{report.n_rows} of {report.n_samples} samples scored"
            yield f"({scored}; standard errors up to {largest:.3f})"

    def __repr__(self) -> str:
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()


def _detail(line: dict[str, Measurement]) -> str:
    """Return the worst class if it is the same in all maps, else an empty string."""
    details = {row.detail for row in line.values()}
    return details.pop() if len(details) == 1 else ""


def compare(
    maps: Mapping[str, Any],
    *,
    X: Any = None,
    prior: Any = None,
    hidden: Any = None,
    keep: Any = None,
    k: int = 15,
    metric: Metric = "euclidean",
    n_rows: int | str | None = "auto",
    random_state: Any = 0,
) -> Comparison:
    """Score several maps of the same samples side by side.

    The scores are those of `report`. An `OverRemovalWarning` names the maps that keep little of the
    data's structure among samples with similar priors.

    Parameters
    ----------
    maps : dict of str to array-like of shape (n_samples, n_components)
        Coordinates of each map, by its name.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples), or Prior, optional
        The data: features, distances if ``metric="precomputed"``, or a Prior.
    prior : Prior, array-like, or several of them in a list or dict, optional
        The priors that were factored out, as in `report`.
    hidden : Prior, array-like, or several of them in a list or dict, optional
        Structure that the maps should show, such as labels that were not used to draw them.
    keep : array-like of shape (n_samples,), or several of them in a list or dict, optional
        Labels that were protected while the maps were drawn, as in `report`.
    k : int, default=15
        Number of neighbours; with ``X``, below half the number of samples.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``.
    n_rows : int, None or "auto", default="auto"
        Number of samples to score, the same ones in all maps; see `report`.
    random_state : int or RandomState, default=0
        Seed of the draw.

    Returns
    -------
    comparison : Comparison
        Prints as a table; ``comparison.reports``, ``comparison.to_dict()`` and
        ``comparison.to_frame()`` hold the numbers.

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
                worst class           0.034  1.000   0.000  chance
                overlap area         -0.004  0.253   0.000  chance
    map         unevenness            0.388  0.379   0.235  low
    (worst class of batch: b in mixed, a in apart)
    """
    who = "compare"
    check_value(who, "maps", maps, MAPS)
    maps, X, prior, hidden, keep = match_rows(who, maps, X, metric, prior, hidden, keep)
    read = {str(name): read_map(who, Y) for name, Y in maps.items()}
    check_same_samples(who, read)
    first = next(iter(read.values()))
    yardsticks = read_yardsticks(
        who, first, X=X, metric=metric, prior=prior, hidden=hidden, keep=keep
    )
    settings = read_settings(who, first, yardsticks, k, n_rows, random_state)
    yardsticks = with_rest(yardsticks)
    reports = {name: report_on(Y, yardsticks, settings) for name, Y in read.items()}
    warn_of_over_removal(who, {repr(name): report for name, report in reports.items()})
    return Comparison(reports)
