"""A prior as the shell names it → its values, found among the samples or in a file of its own."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from unprior._typing import Indices
from unprior.files._read import READERS, ending, read_samples
from unprior.files._samples import Column, Matrix, Samples, gaps, list_names
from unprior.files._select import stack
from unprior.files._specs import PriorSpec, parse_spec, split_names, suggest
from unprior.priors._registry import KINDS


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of the samples, found but not yet read as a prior.

    Attributes
    ----------
    name : str
        What tables call it.
    spec : PriorSpec
        What the shell said.
    option : str
        The option that said it, which begins messages.
    columns : dict of str to ndarray
        The columns, by name; empty if it is a matrix.
    matrix : array, Path or None
        The matrix, or the path of a Newick file.
    taken : tuple of str
        Columns of the data's own file that it uses.
    rows : ndarray or None
        The samples that are asked for, of a square kind.
    n_samples : int or None
        Samples that a square kind must have in all; None if ids or tips say which is which.
    categories : frozenset of str
        Those of the columns that are labels by their type, whatever they hold.
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
        """Return for each sample whether a value is missing; False for what is square."""
        if self.is_square:
            return np.False_
        values = [*self.columns.values()] if self.matrix is None else [self.matrix]
        return np.logical_or.reduce([gaps(value) for value in values])

    def take(self, rows: Indices) -> Known:
        """Return what is known of some samples."""
        if self.is_square and "tips" not in self.columns:
            return replace(self, rows=rows if self.rows is None else self.rows[rows])
        columns = {name: column[rows] for name, column in self.columns.items()}
        whole = self.matrix is None or self.is_square
        return replace(self, columns=columns, matrix=self.matrix if whole else self.matrix[rows])

    @property
    def is_square(self) -> bool:
        """Whether it is told between all samples, so that rows are taken from the prior."""
        return self.spec.kind is not None and KINDS[self.spec.kind].between_samples


def find_known(option: str, text: str, samples: Samples) -> Known:
    """Find the columns, or the file, that ``--prior`` or ``--hidden`` names."""
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
        return Known(
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
        f"{suggest(missing, [*samples])} It has {list_names(samples)}."
    )
    raise ValueError(message)


def _find_file(option: str, spec: PriorSpec, samples: Samples) -> Known:
    """Read a prior from a file of its own, in the order of the samples."""
    other = read_samples(Path(spec.what))
    names = [name for name in other if name != other.ids_column]
    is_column = len(names) == 1 and other.data is None
    found = Known(
        other.name,
        spec,
        option,
        {other.name: other[names[0]]} if is_column else {},
        None if is_column else stack(other, names) if other.data is None else other.data,
    )
    if not (samples.ids_from and other.ids_from):
        return _in_given_order(found, samples, other)
    places = other.places_of(samples.ids.tolist())
    if places is None:
        message = (
            f"{option} {spec.text}: {other.name} does not name all samples of {samples.name}, or "
            "names some twice, so that its rows cannot be put in order."
        )
        raise ValueError(message)
    return found.take(places)


def _in_given_order(found: Known, samples: Samples, other: Samples) -> Known:
    """Take a file without ids for one of the same samples in the same order."""
    if not found.is_square and other.n_samples != samples.n_samples:
        message = (
            f"{found.option} {found.spec.text}: {other.name} has {other.n_samples} samples, "
            f"{samples.name} {samples.n_samples}; without ids it takes one row for each."
        )
        raise ValueError(message)
    return replace(found, n_samples=samples.n_samples)


def _find_tree(option: str, spec: PriorSpec, samples: Samples) -> Known:
    """Find the Newick file, and the tip of each sample: from a column, or the ids."""
    if not Path(spec.what).is_file():
        message = f"{option} {spec.text}: there is no file {spec.what!r}."
        raise ValueError(message)
    if spec.value and spec.value not in samples:
        message = (
            f"{option} {spec.text}: {samples.name} has no column {spec.value!r} to find the tips "
            f"by.{suggest(spec.value, [*samples])}"
        )
        raise ValueError(message)
    path = Path(spec.what)
    if spec.value:
        tips, taken = {"tips": samples[spec.value]}, [spec.value]
    else:
        tips, taken = ({"tips": samples.ids} if samples.ids_from else {}), []
    n_samples = None if tips else samples.n_samples
    return Known(path.name, spec, option, tips, path, tuple(taken), n_samples=n_samples)
