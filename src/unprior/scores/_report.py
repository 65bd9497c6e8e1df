"""The report of a map: how much is left of the priors, and kept of everything else."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unprior._warnings import OverRemovalWarning, caller_level
from unprior.geometry import SampleDistances
from unprior.scores._distances import read_map
from unprior.scores._measurement import (
    Measurement,
    ScoreSettings,
    Yardstick,
    label_measure,
    measure,
    measure_map,
    search_for,
)
from unprior.scores._table import Table, make_frame, record
from unprior.scores._yardsticks import match_rows, read_settings, read_yardsticks, with_rest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame

    from unprior._typing import Metric

#: Roles that may occur several times, with different names.
NAMED = ("prior", "hidden", "prior within", "confounding")

#: Maps that keep less than this within strata of the prior raise an `OverRemovalWarning`. Among 882
#: maps of 18 cases (three draws each; good, bad and destroyed maps), 280 showed less than half of
#: the hidden labels that neighbours within strata show. The threshold caught 85 % of these, and
#: 90 % of its warnings were right. It was crossed by one of 162 t-SNE maps of data or residuals.
LEAST_WITHIN = 0.45


@dataclass(frozen=True, repr=False)
class Report:
    """Scores of one map; prints as a table.

    Attributes
    ----------
    rows : tuple of Measurement
        The scores, each with its name and chance level.
    k : int
        Number of neighbours.
    n_samples : int
        Number of samples.
    n_rows : int
        Number of samples scored.

    Examples
    --------
    >>> from unprior import scores
    >>> report = scores.report([0.0, 1.0, 9.0, 11.0], prior=["a", "a", "b", "b"], k=1)
    >>> report.rows[0].what, report.rows[0].score
    ('prior left', 1.0)
    """

    rows: tuple[Measurement, ...]
    k: int
    n_samples: int
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain floats.

        Returns
        -------
        scores : dict
            ``scores["prior"][name][measure]``, ``scores["data"][measure]``,
            ``scores["rest"][measure]``, ``scores["within"][measure]``,
            ``scores["hidden"][name][measure]`` and ``scores["map"][measure]``, as far as they were
            measured; with kept or hidden labels also ``scores["prior within"][name][measure]`` and
            ``scores["confounding"][name][measure]``.
        """
        result: dict[str, Any] = {}
        for row in self.rows:
            place = result.setdefault(row.role, {})
            if row.role in NAMED:
                place = place.setdefault(row.name, {})
            place[row.measure] = row.score
        return result

    def to_frame(self) -> DataFrame:
        """Return the scores as a pandas DataFrame, a row for each.

        Returns
        -------
        scores : pandas.DataFrame
            Columns "role", "name", "measure", "score", "standard_error", "chance", "want" and
            "detail", which names the worst class; see `Measurement`.
        """
        return make_frame("Report.to_frame", [record(row) for row in self.rows])

    def _table(self) -> Table:
        sampled = self.n_rows < self.n_samples
        note = f"({self.n_rows} of {self.n_samples} samples scored; ± is one standard error)"
        return Table(
            ("", "measure", "score", *(["±"] if sampled else []), "chance", "want"),
            [
                (
                    row.what,
                    label_measure(row.measure, self.k, row.detail),
                    row.score,
                    *([row.standard_error] if sampled else []),
                    row.chance,
                    row.want,
                )
                for row in self.rows
            ],
            note if sampled else "",
        )

    def __repr__(self) -> str:
        return self._table().to_text()

    def _repr_html_(self) -> str:
        return self._table().to_html()


def report(
    Y: Any,
    *,
    X: Any = None,
    prior: Any = None,
    hidden: Any = None,
    keep: Any = None,
    k: int = 15,
    metric: Metric = "euclidean",
    n_rows: int | str | None = "auto",
    random_state: Any = 0,
) -> Report:
    """Score a map: how much of a prior is left in it, how much of everything else is kept.

    A good map scores like chance on the prior and high on the rest.

    - Each prior and hidden structure: the purity (labels) or coherence of the map's neighbourhoods,
      of labels also the purity of the worst class (of a prior, the one farthest from chance), and
      the area between its neighbourhood overlap with the map and chance.
    - The data: that area, the fraction of the map's neighbours that are neighbours in the data, and
      the map's trustworthiness.
    - With both a prior and the data: `rest_kept`, how much is kept of what the prior does not
      explain, and `kept_within`, how much of the data's neighbourhoods is kept among samples with
      similar priors. If the latter is below 0.45, an `OverRemovalWarning` says that more than the
      prior may have been removed.
    - With both a prior and kept or hidden labels: what is left of the prior within their classes
      (`left_within`), and how strongly the two are associated (`confounding`).
    - The map alone: its `unevenness`.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        Coordinates of the map.
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples), or Prior, optional
        The data: features, distances if ``metric="precomputed"``, or a Prior.
    prior : Prior, array-like, or several of them in a list or dict, optional
        The priors that were factored out; see `unprior.priors.as_prior`. If ``X`` is a DataFrame,
        ``prior`` and ``hidden`` may also name its columns, as in `unprior.embed`.
    hidden : Prior, array-like, or several of them in a list or dict, optional
        Structure that the map should show, such as labels that were not used to draw it.
    keep : array-like of shape (n_samples,), or several of them in a list or dict, optional
        Labels that were protected while the map was drawn; missing ones are allowed.
    k : int, default=15
        Number of neighbours; with ``X``, below half the number of samples.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``.
    n_rows : int, None or "auto", default="auto"
        Score this many samples, drawn at random, relative to all; None scores every sample, and
        "auto" scores as many as give 20 million pairs, but at least 1000. Unless every sample is
        scored, overlap areas use at most 20 000 samples, drawn at random.
    random_state : int or RandomState, default=0
        Seed of the draw.

    Returns
    -------
    report : Report
        Prints as a table; ``report.rows``, ``report.to_dict()`` and ``report.to_frame()`` hold the
        numbers.

    See Also
    --------
    compare : Several maps side by side.
    overlap_curve : The overlap at every neighbourhood size.
    class_purity : The purity of every class.
    rest_kept : How much is kept of what the prior does not explain.
    kept_within : How much is kept among samples with similar priors.
    unevenness : Whether samples form small clumps.

    Notes
    -----
    The map's neighbours are found once for all measures but the areas, which need all ranks.

    The worst class is one with at least ten scored samples; if there is none, the row is missing.

    The rest is not scored if `unprior.Residual` cannot compute it (metrics other than Euclidean,
    cosine and "precomputed") or would take minutes (distances of more than 3000 samples). If the
    prior explains everything, neither the rest nor the structure within the prior is scored.
    Unevenness is scored for maps of up to three components.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior import scores
    >>> rng = np.random.RandomState(0)
    >>> batch, cell = np.repeat(["a", "b"], 50), np.tile(["x", "y"], 50)
    >>> X = rng.normal(size=(100, 4))
    >>> X[:, 0] += 8 * (batch == "b")
    >>> X[:, 1] += 8 * (cell == "y")
    >>> Y = X[:, 1:3]  # a map without the batch
    >>> scores.report(Y, X=X, prior={"batch": batch}, hidden={"cell": cell})
                            measure                  score  chance  want
    batch left              15-neighbour purity     -0.015   0.000  chance
                            worst class: a          -0.067   0.000  chance
                            overlap area            -0.003   0.000  chance
    data kept               overlap area             0.180   0.000  high
                            15-neighbour overlap     0.404   0.152  high
                            trustworthiness          0.779   0.532  high
    rest kept               15-neighbour coherence   0.893   0.000  high
    kept within batch       15-neighbour coherence   0.950   0.000  high
    cell kept               15-neighbour purity      1.000   0.000  high
                            worst class: x           1.000   0.000  high
                            overlap area             0.253   0.000  high
    batch left within cell  15-neighbour purity     -0.005   0.000  chance
    batch and cell          Cramér's V               0.000   0.038  low
    map                     unevenness               0.452   0.235  low
    """
    who = "report"
    Y, X, prior, hidden, keep = match_rows(who, Y, X, metric, prior, hidden, keep)
    Y = read_map(who, Y)
    yardsticks = read_yardsticks(who, Y, X=X, metric=metric, prior=prior, hidden=hidden, keep=keep)
    settings = read_settings(who, Y, yardsticks, k, n_rows, random_state)
    result = report_on(Y, with_rest(yardsticks), settings)
    warn_of_over_removal(who, {"the map": result})
    return result


def report_on(Y: SampleDistances, yardsticks: list[Yardstick], settings: ScoreSettings) -> Report:
    """Score a map that was checked before, relative to all yardsticks."""
    n, map_neighbors = Y.n_samples, search_for(Y, settings)
    rows = [
        row for yardstick in yardsticks for row in measure(Y, map_neighbors, yardstick, settings)
    ]
    return Report((*rows, *measure_map(Y, map_neighbors)), settings.k, n, len(map_neighbors.rows))


def warn_of_over_removal(who: str, reports: Mapping[str, Report]) -> None:
    """Warn about maps, given by name, that keep little of the data within strata of the prior."""
    lost = {
        name: row.score
        for name, report in reports.items()
        for row in report.rows
        if row.role == "within" and row.score < LEAST_WITHIN
    }
    if not lost:
        return
    scores = " and ".join(f"{score:.2f} in {name}" for name, score in lost.items())
    message = (
        f"{who}: little is kept of the data's neighbours among samples with similar priors "
        f"({scores}; 0 is chance, 1 is all): unless that is noise, more than the prior was "
        "removed; try a lower strength, and compare with a plain map of the data."
    )
    warnings.warn(message, OverRemovalWarning, stacklevel=caller_level())
