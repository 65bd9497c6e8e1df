"""Make priors from command-line text: find the columns or file, then build the prior."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from unprior import priors
from unprior._params import suggest
from unprior._typing import Indices
from unprior.files._read import READERS, ending, read_samples
from unprior.files._samples import Column, Matrix, Samples, gaps, list_names
from unprior.files._select import stack
from unprior.files._specs import PriorSpec, parse_spec, split_names
from unprior.priors._base import Source
from unprior.priors._columns import as_dates, read_column
from unprior.priors._labels import read_labels
from unprior.priors._registry import KINDS


@dataclass(frozen=True, eq=False)
class NamedPrior:
    """The values of a prior, found but not yet turned into a `Prior`.

    Attributes
    ----------
    name : str
        Its name in tables.
    spec : PriorSpec
        The parsed text.
    option : str
        The command-line option, which begins messages.
    columns : dict of str to ndarray
        The columns, by name; empty if it is a matrix.
    matrix : array, Path or None
        The matrix, or the path of a Newick file.
    taken : tuple of str
        Columns of the data file that it uses.
    rows : ndarray or None
        For priors between pairs of samples: the selected samples.
    n_samples : int or None
        For the same: the required number of samples; None if they are matched by ids or tips.
    categories : frozenset of str
        Columns that are labels by their type, whatever their values.
    """

    name: str
    spec: PriorSpec
    option: str
    columns: dict[str, Column] = field(default_factory=dict)
    matrix: Matrix = None
    taken: tuple[str, ...] = ()
    rows: Indices | None = None
    n_samples: int | None = None
    categories: frozenset[str] = frozenset()

    def gaps(self) -> Any:
        """Return for each sample whether a value is missing; False for priors between pairs."""
        if self.is_square:
            return np.False_
        values = [*self.columns.values()] if self.matrix is None else [self.matrix]
        return np.logical_or.reduce([gaps(value) for value in values])

    def take(self, rows: Indices) -> NamedPrior:
        """Return the prior of some samples."""
        if self.is_square and "tips" not in self.columns:
            return replace(self, rows=rows if self.rows is None else self.rows[rows])
        columns = {name: column[rows] for name, column in self.columns.items()}
        whole = self.matrix is None or self.is_square
        return replace(self, columns=columns, matrix=self.matrix if whole else self.matrix[rows])

    @property
    def is_square(self) -> bool:
        """Whether it is given for pairs of samples, so that rows are selected when it is built."""
        return self.spec.kind is not None and KINDS[self.spec.kind].between_samples


def find_prior(option: str, text: str, samples: Samples) -> NamedPrior:
    """Find the columns or the file that ``--prior`` or ``--hidden`` names."""
    try:
        spec = parse_spec(text, [*samples])
    except ValueError as error:
        message = f"{option} {error}"
        raise ValueError(message) from error
    takes = KINDS[spec.kind].takes if spec.kind else "columns"
    if takes == "file" and ending(Path(spec.what)) not in READERS:
        return _find_tree(option, spec, samples)
    names = split_names(spec.what, [*samples])
    if all(name in samples for name in names) and names:
        values = {name: samples[name] for name in names}
        flat = all(value.ndim == 1 for value in values.values())
        return NamedPrior(
            spec.what,
            spec,
            option,
            values if flat else {},
            None if flat else stack(samples, names),
            taken=tuple(names),
            n_samples=samples.n_samples,
            categories=samples.categories,
        )
    if Path(spec.what).is_file():
        return _find_file(option, spec, samples)
    missing = next(name for name in names or [""] if name not in samples)
    message = (
        f"{option} {text}: {samples.name} has no column {missing!r}, and there is no such file."
        f"{suggest(missing, samples)} It has {list_names(samples)}."
    )
    raise ValueError(message)


def _find_file(option: str, spec: PriorSpec, samples: Samples) -> NamedPrior:
    """Read a prior from a file, its rows matched with the samples."""
    other = read_samples(Path(spec.what))
    names = [name for name in other if name != other.ids_column]
    is_column = len(names) == 1 and other.data is None
    found = NamedPrior(
        other.name,
        spec,
        option,
        {other.name: other[names[0]]} if is_column else {},
        None if is_column else stack(other, names) if other.data is None else other.data,
    )
    if not (samples.ids_from and other.ids_from):
        return _in_given_order(found, samples, other)
    rows = other.rows_of(samples.ids.tolist())
    if rows is None:
        message = (
            f"{option} {spec.text}: {other.name} lacks ids of {samples.name}, or has duplicates, "
            "so its rows cannot be matched."
        )
        raise ValueError(message)
    return found.take(rows)


def _in_given_order(found: NamedPrior, samples: Samples, other: Samples) -> NamedPrior:
    """Match a file without ids by order."""
    if not found.is_square and other.n_samples != samples.n_samples:
        message = (
            f"{found.option} {found.spec.text}: {other.name} has {other.n_samples} rows, but "
            f"{samples.name} has {samples.n_samples}; without ids it takes one row per sample."
        )
        raise ValueError(message)
    return replace(found, n_samples=samples.n_samples)


def _find_tree(option: str, spec: PriorSpec, samples: Samples) -> NamedPrior:
    """Find the Newick file, and the tip of each sample from a column or the ids."""
    if not Path(spec.what).is_file():
        message = f"{option} {spec.text}: there is no file {spec.what!r}."
        raise ValueError(message)
    if spec.value and spec.value not in samples:
        message = (
            f"{option} {spec.text}: {samples.name} has no column {spec.value!r} of tips."
            f"{suggest(spec.value, samples)}"
        )
        raise ValueError(message)
    path = Path(spec.what)
    if spec.value:
        tips, taken = {"tips": samples[spec.value]}, [spec.value]
    else:
        tips, taken = ({"tips": samples.ids} if samples.ids_from else {}), []
    n_samples = None if tips else samples.n_samples
    return NamedPrior(path.name, spec, option, tips, path, tuple(taken), n_samples=n_samples)


def make_prior(named: NamedPrior) -> priors.Prior:
    """Make the prior, of the given kind or else by the rule of `priors.as_prior`.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.files import Samples, find_prior
    >>> samples = Samples("a.csv", np.array(["0", "1"]), columns={"hour": np.array([23.0, 1.0])})
    >>> make_prior(find_prior("--prior", "hour:cyclic=24", samples)).largest()
    2.0
    """
    where, kind = f"{named.option} {named.spec.text}", named.spec.kind
    if kind is None:
        return _infer(where, named)
    source = Source(where, kind, named.columns, named.matrix, named.spec.value)
    prior = KINDS[kind].make(source)
    if named.rows is None:
        return prior
    if prior.n_samples != (named.n_samples or prior.n_samples):
        message = (
            f"{where} has {prior.n_samples} samples, but the data have {named.n_samples}; it takes "
            "the same samples in the same order."
        )
        raise ValueError(message)
    return prior[named.rows]


def _infer(where: str, named: NamedPrior) -> priors.Prior:
    """Apply the rule of `priors.as_prior`, with error messages about command-line options."""
    if named.matrix is not None:
        if named.matrix.shape[0] == named.matrix.shape[1]:
            ways = " or ".join(
                f"{named.option} {named.spec.what}:{kind.name}"
                for kind in KINDS.values()
                if kind.square_call
            )
            message = f"{where}: a square array is ambiguous; write {ways}."
            raise ValueError(message)
        return priors.as_prior(named.matrix, who=where)
    for name, column in named.columns.items():
        if name not in named.categories and read_column(column)[0] == "integers":
            message = (
                f"{where}: {name!r} holds whole numbers, which may be labels or amounts; write "
                f"{named.option} {name}:labels or {named.option} {name}:features."
            )
            raise ValueError(message)
    parts = {
        name: read_labels(f"{where}: {name!r}", column)
        if name in named.categories
        else priors.as_prior(as_dates(column), who=where)
        for name, column in named.columns.items()
    }
    return next(iter(parts.values())) if len(parts) == 1 else priors.combine(parts)
