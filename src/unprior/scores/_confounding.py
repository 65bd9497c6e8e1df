"""Confounding: how strongly a prior is associated with other labels or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._frames import match
from unprior.priors import Features, Keep, Labels, Prior, read_keep
from unprior.priors._coerce import name_parts, read_parts
from unprior.priors._columns import read_column
from unprior.scores._association import (
    ASSOCIATIONS,
    Association,
    correlation_ratio,
    cramers_v,
    distance_correlation,
)
from unprior.scores._table import Table

if TYPE_CHECKING:
    from unprior._typing import Floats

#: Most classes of either label set for which a table is printed.
MOST_SHOWN = 10

#: Value from which an association is called strong.
STRONG = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Confounding:
    """How strongly two label sets or columns are associated; prints as a sentence and a table.

    Attributes
    ----------
    names : tuple of str
        Names of the two.
    measure : str
        "cramers_v" (bias-corrected) for two label sets, "correlation_ratio" for a number and
        labels, "distance_correlation" for anything else.
    value : float
        0 if they are independent, 1 if one determines the other.
    chance : float
        Mean value over random permutations of one of them.
    chance_high : float
        95 % quantile of the values over random permutations.
    design : str
        For two label sets: "same" if each determines the other, "first in second" or "second in
        first" if one is nested in the other, "partly crossed" if some combinations are missing, and
        "crossed". Otherwise "numbers".
    shares : ndarray of shape (n_first, n_second) or None
        For two label sets: the fraction of each class of the first within each class of the second.
    classes : tuple of two lists
        Their classes; empty without shares.
    n_samples : int
        Number of samples in which neither is missing.
    """

    names: tuple[str, str]
    measure: str
    value: float
    chance: float
    chance_high: float
    design: str
    shares: Floats | None
    classes: tuple[list[Any], list[Any]]
    n_samples: int

    @property
    def is_strong(self) -> bool:
        """Whether the value is at least 0.5 and above chance."""
        return self.value >= STRONG and self.value > self.chance_high

    def to_dict(self) -> dict[str, Any]:
        """Return all attributes as plain Python types."""
        return {
            "names": [*self.names],
            "measure": self.measure,
            "value": self.value,
            "chance": self.chance,
            "chance_high": self.chance_high,
            "design": self.design,
            "shares": None if self.shares is None else self.shares.tolist(),
            "classes": [[str(name) for name in names] for names in self.classes],
            "n_samples": self.n_samples,
        }

    def sentence(self) -> str:
        """Describe the association in a sentence."""
        first, second = map(repr, self.names)
        number = f"{ASSOCIATIONS[self.measure]} {self.value:z.2f}; chance {self.chance:z.2f}"
        nested = {
            "same": f"{first} and {second} are fully confounded: each determines the other",
            "first in second": f"{first} is nested in {second}: each of its classes lies in one "
            "of the other's",
            "second in first": f"{second} is nested in {first}: each of its classes lies in one "
            "of the other's",
        }
        usual = f"{first} and {second} go together {self._how_far()}"
        return f"{nested.get(self.design, usual)} ({number})."

    def _how_far(self) -> str:
        if self.value <= self.chance_high:
            return "no more than by chance"
        return "strongly" if self.is_strong else "in part"

    def __repr__(self) -> str:
        if self.shares is None or max(self.shares.shape) > MOST_SHOWN:
            return self.sentence()
        first, second = self.classes
        header = (f"share of {self.names[0]} in", *map(str, first))
        rows: list[tuple[str | float, ...]] = [
            (str(name), *map(float, column))
            for name, column in zip(second, self.shares.T, strict=True)
        ]
        return f"{self.sentence()}\n{Table(header, rows).to_text()}"


def confounding(prior: Any, other: Any, *, random_state: Any = 0) -> Confounding:
    """Measure how strongly a prior is associated with other labels or numbers.

    If it is, a map without the prior cannot show the other in full: what they share is removed with
    the prior, or stays with ``keep=other``.

    Parameters
    ----------
    prior, other : array-like of shape (n_samples,), Prior, or a dict of one of them by its name
        Labels or numbers, or any prior. Samples whose label is missing are left out.
    random_state : int or RandomState, default=0
        Seed of the permutations for the chance level.

    Returns
    -------
    confounding : Confounding
        Prints as a sentence, with a table of fractions for two label sets.

    See Also
    --------
    report : With ``keep`` or ``hidden``, scores within their classes.

    Notes
    -----
    The measure is the bias-corrected Cramér's V for two label sets, the correlation ratio for one
    column of numbers and labels, and the distance correlation of at most 1000 samples for anything
    else.

    References
    ----------
    Bergsma, "A bias-correction for Cramér's V and Tschuprow's T", 2013.

    Székely, Rizzo and Bakirov, "Measuring and testing dependence by correlation of distances",
    2007.

    Examples
    --------
    >>> from unprior import scores
    >>> batch = ["a"] * 40 + ["b"] * 40
    >>> cell = ["T", "B"] * 20 + ["T", "B", "B", "B"] * 10
    >>> scores.confounding({"batch": batch}, {"cell": cell})
    'batch' and 'cell' go together in part (Cramér's V 0.23; chance 0.03).
    share of batch in      a      b
    B                  0.400  0.600
    T                  0.667  0.333
    """
    who = "confounding"
    prior, other = match(who, prior=prior, other=other)
    (first, one), (second, two) = _read(who, "prior", prior), _read(who, "other", other)
    n = one.n_samples
    if two.n_samples != n:
        message = (
            f"{who}: {second!r} has {two.n_samples} samples, {first!r} has {n}; give both for the "
            "same samples."
        )
        raise ValueError(message)
    _check_overlap(who, [(first, one), (second, two)])
    return confounding_of((first, one), (second, two), random_state)


def _check_overlap(who: str, known: Sequence[tuple[str, Prior | Keep]]) -> None:
    """Refuse label sets of which a single class is left where no label is missing."""
    rows = np.flatnonzero(np.all([_present(one) for _, one in known], axis=0))
    for name, one in known:
        if isinstance(one, Keep | Labels) and len(np.unique(one.codes[rows])) < 2:
            message = (
                f"{who}: {name!r} says nothing: of the {len(rows)} samples in which no label is "
                "missing, all are in one class."
            )
            raise ValueError(message)


def confounding_of(
    prior: tuple[str, Prior | Keep], other: tuple[str, Prior | Keep], random_state: Any = 0
) -> Confounding:
    """Measure the association of two named priors or label sets that were checked before."""
    (first, one), (second, two) = prior, other
    rows = np.flatnonzero(_present(one) & _present(two))
    one, two = _some(one, rows), _some(two, rows)
    names = (first, second)
    if isinstance(one, Labels) and isinstance(two, Labels):
        counts = np.zeros((len(one.classes), len(two.classes)))
        np.add.at(counts, (one.codes, two.codes), 1)
        found = cramers_v(one.codes, two.codes, random_state)
        classes = (one.classes.tolist(), two.classes.tolist())
        return _make(names, found, len(rows), _design(counts), counts / counts.sum(axis=0), classes)
    number, labels = (one, two) if isinstance(two, Labels) else (two, one)
    if isinstance(labels, Labels) and isinstance(number, Features) and number.values.shape[1] == 1:
        found = correlation_ratio(number.values[:, 0], labels.codes, random_state)
    else:
        found = distance_correlation(one, two, random_state)
    return _make(names, found, len(rows))


def _make(
    names: tuple[str, str],
    found: Association,
    n_samples: int,
    design: str = "numbers",
    shares: Floats | None = None,
    classes: tuple[list[Any], list[Any]] = ([], []),
) -> Confounding:
    return Confounding(names, *found, design, shares, classes, n_samples)


def _design(counts: Floats) -> str:
    """Return whether two label sets are the same, nested or crossed, by their joint counts."""
    there = counts > 0
    first_nested, second_nested = bool((there.sum(1) == 1).all()), bool((there.sum(0) == 1).all())
    if first_nested and second_nested:
        return "same"
    if first_nested:
        return "first in second"
    if second_nested:
        return "second in first"
    return "crossed" if there.all() else "partly crossed"


def _read(who: str, name: str, value: Any) -> tuple[str, Prior | Keep]:
    parts = name_parts(who, name, value)
    if parts is not None:
        if len(parts) != 1:
            message = f"{who}: {name!r} takes one label set or column; got {len(parts)}."
            raise ValueError(message)
        ((name, value),) = parts.items()
    elif not isinstance(value, Prior) and isinstance(getattr(value, "name", None), str):
        name = value.name
    if isinstance(value, Prior | Keep):
        return str(name), value
    if np.ndim(value) == 1 and read_column(value)[0] == "labels":
        found = read_keep(who, {str(name): value})
        if found is None:
            message = f"{who}: {name!r} says nothing: it has one class only. Leave it out."
            raise ValueError(message)
        return str(name), found
    return str(name), read_parts(who, {str(name): value}, None)[str(name)]


def _present(known: Prior | Keep) -> Any:
    return known.labeled if isinstance(known, Keep) else np.ones(known.n_samples, dtype=bool)


def _some(known: Prior | Keep, rows: Any) -> Prior:
    """Return the given rows as a prior, with the classes they contain."""
    return (Labels(known.codes, known.classes) if isinstance(known, Keep) else known)[rows]
