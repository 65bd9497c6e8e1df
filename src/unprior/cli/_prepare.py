"""A file and what the shell asks of it → data and priors, ready for the library."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from unprior._sparse import CENTERED, DIRECTED, FEW_COLUMNS, dense_data
from unprior._typing import Floats, Indices
from unprior._warnings import DataWarning
from unprior.cli._colors import colors_of, find_all, kept_columns, kept_labels, names_along
from unprior.cli._messages import say
from unprior.cli._remarks import warn_of_data, warn_of_prior
from unprior.files import (
    Chosen,
    Column,
    NamedPrior,
    Samples,
    choose_data,
    explain_gaps,
    join_meta,
    keep_stdin,
    list_names,
    make_prior,
    read_samples,
)
from unprior.priors import Labels, Prior

#: The name of a file that stands for stdin.
STDIN = "-"

DROP_HINT, DROP_COLUMN = "leave such rows out with --drop-missing", ", or such columns with --drop"


@dataclass(frozen=True)
class Asked:
    """What the shell says about data and priors."""

    prior: Sequence[str] = ()
    keep: Sequence[str] = ()
    hidden: Sequence[str] = ()
    color: Sequence[str] = ()
    along: Sequence[str] = ()
    features: Sequence[str] = ()
    drop: Sequence[str] = ()
    meta: Path | None = None
    on: str | None = None
    missing: Sequence[float] = ()
    drop_missing: bool = False
    metric: str = "euclidean"
    standardize: bool = False
    pca: int | None = None


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data and priors of the samples that were kept.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data.
    ids : ndarray of shape (n_samples,)
        What the samples are called.
    priors, hidden : dict of str to Prior
        By the names the shell gave them.
    colors : dict of str to ndarray or Prior
        What to colour the map by: what was asked for, or those priors that are a single column.
    kept : ndarray of shape (n_samples,)
        Places of these samples among those that were asked for.
    rows : ndarray of shape (n_samples,)
        Places of these samples in the file.
    beside : dict of str to ndarray
        Other columns that go along with the map.
    source : str
        The name of the data, if they are one matrix of several.
    keep : dict of str to ndarray
        Labels to protect, None where one is missing; empty if there are none.
    columns : tuple of str
        The names of the data's columns, or of the matrices they come from.
    """

    X: Floats
    ids: Column
    priors: dict[str, Prior]
    hidden: dict[str, Prior]
    colors: dict[str, Any]
    kept: Indices
    rows: Indices
    beside: dict[str, Column]
    source: str
    columns: tuple[str, ...]
    keep: dict[str, Any] = field(default_factory=dict)


def prepare(
    path: Path, asked: Asked, among: Callable[[Samples], Indices] | None = None
) -> Prepared:
    """Read a file, choose data and priors, and say what was chosen; ``among`` picks samples."""
    samples = read_all(path, asked)
    known, hidden = (
        find_all(option, texts, samples)
        for option, texts in (("--prior", asked.prior), ("--hidden", asked.hidden))
    )
    along, protected = names_along(samples, asked.along), kept_columns(samples, asked.keep)
    everything = [*known, *hidden]
    taken = {name: f"the {_role(part)}" for part in everything for name in part.taken}
    taken |= dict.fromkeys(protected, "kept labels")
    chosen = choose_data(
        samples,
        features=asked.features,
        drop=asked.drop,
        known=taken,
        reduces=asked.pca is not None,
        square=asked.metric == "precomputed",
    )
    if asked.metric == "precomputed":
        _check_square(samples, chosen)
    elif _are_distances(chosen.X):
        say(f"{samples.name} looks like distances; --metric precomputed takes it for such.")
    rows = np.arange(samples.n_samples) if among is None else among(samples)
    kept = _complete(samples, rows, chosen, everything, asked)
    _say_what(samples, chosen, len(kept))
    rows = rows[kept]
    known, hidden = ([part.take(rows) for part in parts] for parts in (known, hidden))
    chosen = chosen.take(rows, both_axes=asked.metric == "precomputed")
    if asked.metric != "precomputed":
        warn_of_data(chosen, asked.metric, standardize=asked.standardize)
    colors = colors_of(samples, asked.color, rows)
    return Prepared(
        _shape(chosen.X, asked),
        samples.ids[rows],
        _make_all(known),
        _make_all(hidden),
        colors or {part.name: c for part in known for c in _single_column(part)},
        kept,
        rows,
        {name: samples[name][rows] for name in along},
        chosen.names[0] if chosen.names[0] in samples.matrices else "X",
        chosen.names,
        kept_labels(samples, protected, rows),
    )


def read_all(path: Path, asked: Asked) -> Samples:
    """Read the file, or stdin, and what a second file tells of its samples."""
    samples = read_samples(keep_stdin(sys.stdin.buffer) if str(path) == STDIN else path)
    if asked.meta is not None:
        samples = join_meta(samples, read_samples(asked.meta), asked.on)
    elif asked.on is not None:
        message = "--on names the column to match --meta by; there is no --meta."
        raise ValueError(message)
    return samples.without(asked.missing) if asked.missing else samples


def _check_square(samples: Samples, chosen: Chosen) -> None:
    if chosen.X.shape[0] != chosen.X.shape[1]:
        message = (
            f"{samples.name}: --metric precomputed takes a square distance matrix; got "
            f"{chosen.X.shape[0]} rows and {chosen.X.shape[1]} columns. {' '.join(chosen.remarks)}"
        )
        raise ValueError(message)


def _are_distances(X: Any) -> bool:
    """Whether a table could well be a distance matrix: square, symmetric, zero on its diagonal."""
    if issparse(X) or X.shape[0] != X.shape[1] or X.shape[0] < 2:
        return False
    return not np.diagonal(X).any() and bool((X >= 0).all()) and np.array_equal(X, X.T)


def _complete(
    samples: Samples, rows: Indices, chosen: Chosen, known: Sequence[NamedPrior], asked: Asked
) -> Indices:
    """Return the places of the rows without gaps; refuse gaps unless they are to be dropped."""
    incomplete = np.zeros(len(rows), dtype=bool)
    lacks: list[tuple[Any, str, str]] = [
        (part.gaps(), f"{part.option} {part.name}", DROP_HINT) for part in known
    ]
    if asked.metric != "precomputed":  # a gap in a distance belongs to two samples
        missing, column = explain_gaps(chosen)
        what = f"column {column!r}" if column else "the data"
        lacks.insert(0, (missing, what, DROP_HINT + DROP_COLUMN))
    for missing, what, hint in lacks:
        here = np.broadcast_to(missing, (samples.n_samples,))[rows]
        if here.any() and not asked.drop_missing:
            first = int(rows[int(here.argmax())])
            who = f" ({samples.ids[first]})" if samples.ids_from else ""
            message = (
                f"{samples.name}: {what} has no value in row {first}{who}, counted from 0, and "
                f"{int(here.sum())} in all; {hint}."
            )
            raise ValueError(message)
        incomplete |= here
    if incomplete.any():
        say(f"{int(incomplete.sum())} rows with missing values left out.")
    return np.flatnonzero(~incomplete)


def _say_what(samples: Samples, chosen: Chosen, n_kept: int) -> None:
    for remark in samples.remarks:
        say(remark)
    ids = samples.ids_from and f"; ids from {samples.ids_from}"
    n_columns = chosen.X.shape[1]
    say(f"{samples.name}: {n_kept} samples, {n_columns} columns ({list_names(chosen.names)}){ids}.")
    if len({*samples.ids.tolist()}) < samples.n_samples:
        say("Warning: some ids stand for several samples.")
    for remark in chosen.remarks:
        say(remark)


def _single_column(part: NamedPrior) -> list[Column]:
    """Return the column that a prior is, in a list; nothing if it is more, or other, than that."""
    columns = [*part.columns.values()]
    return columns if len(columns) == 1 and not part.is_square else []


def _role(part: NamedPrior) -> str:
    """Return the word for what is told by ``--prior`` or ``--hidden``."""
    return {"--prior": "prior", "--hidden": "hidden structure"}[part.option]


def _make_all(known: Sequence[NamedPrior]) -> dict[str, Prior]:
    """Make the priors, and say of what kind each is."""
    made = {}
    for part in known:
        prior = make_prior(part)
        classes = f", {len(prior.classes)} classes" if isinstance(prior, Labels) else ""
        say(f"{_role(part).capitalize()}: {part.name} ({prior.kind}{classes}).")
        warn_of_prior(part, prior)
        made[part.name] = prior
    return made


def _shape(X: Any, asked: Asked) -> Floats:
    """Standardise and reduce the data, as far as that is asked for."""
    if asked.metric == "precomputed" and (asked.standardize or asked.pca):
        message = "--standardize and --pca take columns; with --metric precomputed there are none."
        raise ValueError(message)
    if asked.standardize:
        from sklearn.preprocessing import StandardScaler

        X = StandardScaler().fit_transform(_dense(X))
    if asked.pca and asked.pca >= min(X.shape):
        say(f"--pca {asked.pca} changes nothing: there are {X.shape[1]} columns.")
    elif asked.pca:
        from sklearn.decomposition import PCA

        solver = "arpack" if issparse(X) else "auto"
        return PCA(asked.pca, svd_solver=solver, random_state=0).fit_transform(X)
    elif issparse(X) and asked.metric != "precomputed":
        return _reduced(X, asked.metric)
    return _dense(X)


def _reduced(X: Any, metric: str) -> Floats:
    """Return the leading components of sparse data with many columns, and say so."""
    if X.shape[1] > FEW_COLUMNS and metric not in CENTERED + DIRECTED:
        message = (
            f"--metric {metric} takes dense data, and these are sparse with {X.shape[1]} columns; "
            "give --pca N, or --metric euclidean or cosine."
        )
        raise ValueError(message)
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=DataWarning)
        reduced = dense_data("--features", "X", X, metric)
    if caught:
        say(
            f"The data are sparse, with {X.shape[1]} columns; their {reduced.shape[1]} leading "
            "components stand for them. --pca N takes another number."
        )
    return reduced


def _dense(X: Any) -> Floats:
    return X.toarray() if issparse(X) else np.asarray(X)
