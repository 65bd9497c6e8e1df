"""Reading what maps are compared with (yardsticks): priors, data, hidden and kept labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scipy.sparse import issparse

from unprior._frames import align, index_of, is_square, split_frame
from unprior._params import Either, OneOf, Whole, check_value
from unprior._random import draw_seed
from unprior.geometry import SampleDistances
from unprior.priors import Distances, Keep, Labels, Prior, read_keep
from unprior.priors._coerce import name_parts, read_parts
from unprior.scores._confounding import confounding_of
from unprior.scores._distances import check_informative, check_same_samples, read_data
from unprior.scores._measurement import WITHIN, ScoreSettings, Yardstick
from unprior.scores._rest import find_rest, for_residual
from unprior.scores._rows import N_ROWS, auto_rows
from unprior.scores._trustworthiness import check_k
from unprior.scores._within import cut_strata, large_enough

if TYPE_CHECKING:
    from unprior._typing import Metric

#: Most samples given as distances for which the rest is computed; it takes O(n³) time.
MOST_DISTANCES = 3000

#: Most names of priors listed in a table's first column.
MOST_NAMES = 2


def match_rows(
    who: str, maps: Any, X: Any, metric: Metric, prior: Any, hidden: Any, keep: Any = None
) -> tuple[Any, ...]:
    """Align the rows of maps, priors, hidden and kept labels with those of the data by their index.

    If the data have no index, rows are aligned with the first map. Columns of the data named as
    prior, hidden or kept labels are removed from the data.
    """
    X, columns = split_frame(
        who, X, square=is_square(metric), prior=prior, hidden=hidden, keep=keep
    )
    index, whose = index_of(X), "X"
    if index is None:
        # A sparse map by keys is a mapping, too, and may be empty.
        several = isinstance(maps, Mapping) and not issparse(maps)
        first = next(iter(maps.values()), None) if several else maps
        index, whose = index_of(first), "Y"
    maps = align(who, "Y", maps, index, whose)
    return maps, X, *(align(who, role, columns[role], index, whose) for role in columns)


def read_yardsticks(
    who: str,
    Y: SampleDistances,
    *,
    X: Any,
    metric: Metric,
    prior: Any,
    hidden: Any,
    keep: Any = None,
) -> list[Yardstick]:
    """Check everything a map is to be compared with, and that there is something."""
    kept = read_keep(who, keep, Y.n_samples)
    yardsticks = _read_named(who, Y, "prior", prior)
    yardsticks += _within(yardsticks, [] if kept is None else [kept])
    if X is not None:
        data = read_data(who, "X", X, metric)
        check_same_samples(who, {"Y": Y, "X": data})
        yardsticks.append(Yardstick("data", "data", data))
    hidden = _read_named(who, Y, "hidden", hidden)
    yardsticks += hidden
    classes = [(each.name, each.distances) for each in hidden]
    labels = [Keep(y.codes, y.classes, name) for name, y in classes if isinstance(y, Labels)]
    yardsticks += _within(yardsticks, labels)
    if not yardsticks:
        message = f"{who}: takes at least one of 'X', 'prior' and 'hidden'; got none of them."
        raise ValueError(message)
    return yardsticks


def _within(yardsticks: list[Yardstick], labels: list[Keep]) -> list[Yardstick]:
    """Return a yardstick for every prior within the classes of kept or hidden labels."""
    return [
        Yardstick(
            "prior within",
            f"{name}{WITHIN}{keep.name}",
            prior,
            keep=keep,
            confounding=confounding_of((name, prior), (keep.name, keep)),
        )
        for keep in labels
        for name, prior in _priors(yardsticks).items()
    ]


def _priors(yardsticks: list[Yardstick]) -> dict[str, Prior]:
    """Return the priors among the yardsticks, by name."""
    known = [(each.name, each.distances) for each in yardsticks if each.role == "prior"]
    return {name: prior for name, prior in known if isinstance(prior, Prior)}


def with_rest(yardsticks: list[Yardstick]) -> list[Yardstick]:
    """Insert yardsticks for the data beyond the priors after the data, if both are given.

    These are the rest, which the priors do not explain, and the data within strata, in which the
    priors are (nearly) constant.
    """
    priors, result = _priors(yardsticks), []
    for each in yardsticks:
        result.append(each)
        if each.role == "data" and priors:
            result += _beyond(each.distances, priors)
    return result


def _beyond(data: SampleDistances, priors: dict[str, Prior]) -> list[Yardstick]:
    beyond = []
    if for_residual(data) is not None and not _is_slow(data):
        rest = find_rest(data, priors)
        if rest is None:
            return []  # the priors explain everything, also within strata
        beyond.append(Yardstick("rest", "rest", rest))
    strata = cut_strata(priors.values())
    if len(large_enough(strata)):
        name = " and ".join(priors) if len(priors) <= MOST_NAMES else "all priors"
        beyond.append(Yardstick("within", name, data, strata))
    return beyond


def read_settings(
    who: str,
    Y: SampleDistances,
    yardsticks: list[Yardstick],
    k: int,
    n_rows: int | str | None,
    random_state: Any,
) -> ScoreSettings:
    """Check the settings, and draw the seed so that every measure scores the same rows."""
    check_value(who, "n_rows", n_rows, Either(OneOf("auto"), N_ROWS))
    if any(yardstick.role == "data" for yardstick in yardsticks):
        check_k(who, k, Y.n_samples)
    else:
        check_value(who, "k", k, Whole(1, Y.n_samples - 1))
    n_scored = auto_rows(Y.n_samples) if isinstance(n_rows, str) else n_rows
    return ScoreSettings(who, k, n_scored, draw_seed(random_state))


def _is_slow(data: SampleDistances) -> bool:
    return isinstance(data, Distances) and data.n_samples > MOST_DISTANCES


def _read_named(who: str, Y: SampleDistances, role: str, values: Any) -> list[Yardstick]:
    """Check one prior or hidden structure, or several, which are named or numbered."""
    if values is None:
        return []
    parts = name_parts(who, role, values)
    if parts is None:
        parts = {role: values}
    elif isinstance(values, list | tuple):
        parts = {f"{role} {k}": part for k, part in enumerate(values, start=1)}
    read = read_parts(who, parts, Y.n_samples)
    for name, part in read.items():
        check_informative(who, name, part)
    return [Yardstick(role, name, part) for name, part in read.items()]
