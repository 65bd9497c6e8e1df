"""Priors, data and hidden structure to yardsticks: read once, then any map is held against them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unprior._frames import align, index_of, is_square, split_frame
from unprior._params import Either, OneOf, Whole, check_value
from unprior._random import draw_seed
from unprior.geometry import SampleDistances
from unprior.priors import Distances, Labels, Prior
from unprior.priors._coerce import name_parts, read_parts
from unprior.priors._keep import Keep
from unprior.priors._read_keep import read_keep
from unprior.scores._confounding import confounding_of
from unprior.scores._distances import check_informative, check_same_samples, read_data
from unprior.scores._measurement import WITHIN, Setting, Yardstick
from unprior.scores._rest import find_rest, for_residual
from unprior.scores._rows import N_ROWS, auto_rows
from unprior.scores._strata import cut_strata
from unprior.scores._trustworthiness import check_k
from unprior.scores._within import large_enough

if TYPE_CHECKING:
    from unprior._typing import Metric

#: Of more samples that come as distances, finding the rest would take longer than all scores.
MOST_DISTANCES = 3000

#: Names of more priors would not fit into a table's first column.
MOST_NAMES = 2


def match_rows(
    who: str, maps: Any, X: Any, metric: Metric, prior: Any, hidden: Any, keep: Any = None
) -> tuple[Any, ...]:
    """Put maps, data and what is known in the order of the data's rows, where rows have names.

    Without names in the data, the order is that of the first map. Columns of the data that are
    named as prior, hidden structure or kept labels are taken out of it.
    """
    X, known = split_frame(who, X, square=is_square(metric), prior=prior, hidden=hidden, keep=keep)
    index, whose = index_of(X), "X"
    if index is None:
        first = next(iter(maps.values())) if isinstance(maps, Mapping) else maps
        index, whose = index_of(first), "Y"
    maps = align(who, "Y", maps, index, whose)
    return maps, X, *(align(who, role, known[role], index, whose) for role in known)


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
    """Check all that a map is to be held against, at least one thing."""
    kept = read_keep(who, keep, Y.n_samples)
    yardsticks = _read_known(who, Y, "prior", prior)
    yardsticks += _within(yardsticks, [] if kept is None else [kept])
    if X is not None:
        data = read_data(who, "X", X, metric)
        check_same_samples(who, {"Y": Y, "X": data})
        yardsticks.append(Yardstick("data", "data", data))
    known = _read_known(who, Y, "hidden", hidden)
    yardsticks += known
    classes = [(each.name, each.distances) for each in known]
    labels = [Keep(y.codes, y.classes, name) for name, y in classes if isinstance(y, Labels)]
    yardsticks += _within(yardsticks, labels)
    if not yardsticks:
        message = f"{who}: takes at least one of 'X', 'prior' and 'hidden'; got none of them."
        raise ValueError(message)
    return yardsticks


def _within(yardsticks: list[Yardstick], labels: list[Keep]) -> list[Yardstick]:
    """Return every prior as it is seen within the classes of kept or hidden labels."""
    return [
        Yardstick(
            "prior within",
            f"{each.name}{WITHIN}{keep.name}",
            each.distances,
            keep=keep,
            confounding=confounding_of((each.name, each.distances), (keep.name, keep)),
        )
        for keep in labels
        for each in yardsticks
        if each.role == "prior" and isinstance(each.distances, Prior)
    ]


def with_rest(yardsticks: list[Yardstick]) -> list[Yardstick]:
    """Add what the data hold beyond the priors, after the data, if both are there to find it.

    The rest is what the priors do not explain in the data. Within strata the priors are (nearly)
    the same for all samples, so that they explain nothing of what the data hold there.
    """
    priors = {each.name: each.distances for each in yardsticks if each.role == "prior"}
    found = list(yardsticks)
    for place, each in enumerate(yardsticks, start=1):
        if each.role == "data" and priors:
            found[place:place] = _beyond(each.distances, priors)
    return found


def _beyond(data: SampleDistances, priors: dict[str, SampleDistances]) -> list[Yardstick]:
    beyond = []
    if for_residual(data) is not None and not _takes_long(data):
        rest = find_rest(data, priors)
        if rest is None:
            return []  # the priors explain everything, so within strata, too
        beyond.append(Yardstick("rest", "rest", rest))
    strata = cut_strata(priors.values())
    if len(large_enough(strata)):
        name = " and ".join(priors) if len(priors) <= MOST_NAMES else "all priors"
        beyond.append(Yardstick("within", name, data, strata))
    return beyond


def read_setting(
    who: str,
    Y: SampleDistances,
    yardsticks: list[Yardstick],
    k: int,
    n_rows: int | str | None,
    random_state: Any,
) -> Setting:
    """Check the numbers, and draw the seed with which every measure scores the same rows."""
    check_value(who, "n_rows", n_rows, Either(OneOf("auto"), N_ROWS))
    if any(yardstick.role == "data" for yardstick in yardsticks):
        check_k(who, k, Y.n_samples)
    else:
        check_value(who, "k", k, Whole(1, Y.n_samples - 1))
    n_scored = auto_rows(Y.n_samples) if isinstance(n_rows, str) else n_rows
    return Setting(who, k, n_scored, draw_seed(random_state))


def _takes_long(data: SampleDistances) -> bool:
    return isinstance(data, Distances) and data.n_samples > MOST_DISTANCES


def _read_known(who: str, Y: SampleDistances, role: str, known: Any) -> list[Yardstick]:
    """Check one prior or hidden structure, or several: by name, or numbered."""
    if known is None:
        return []
    parts = name_parts(who, role, known)
    if parts is None:
        parts = {role: known}
    elif isinstance(known, list | tuple):
        parts = {f"{role} {k}": part for k, part in enumerate(known, start=1)}
    read = read_parts(who, parts, Y.n_samples)
    for name, part in read.items():
        check_informative(who, name, part)
    return [Yardstick(role, name, part) for name, part in read.items()]
