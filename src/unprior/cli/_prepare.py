"""Read a file and turn it into data, priors and colours as the command-line options say."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from unprior._projection import Projection
from unprior._sparse import CENTERED, DIRECTED, FEW_COLUMNS, reduce_data
from unprior._typing import Floats, Indices
from unprior._warnings import DataWarning
from unprior.cli._columns import colors_of, find_all, kept_columns, kept_labels
from unprior.cli._messages import say
from unprior.cli._remarks import warn_of_data, warn_of_prior
from unprior.files import (
    ChosenData,
    Column,
    NamedPrior,
    Samples,
    choose_data,
    explain_gaps,
    join_meta,
    keep_stdin,
    list_names,
    make_prior,
    named_columns,
    read_samples,
    scale_and_reduce,
)
from unprior.priors import Labels, Prior

#: The file name that means stdin.
STDIN = "-"

DROP_HINT, DROP_COLUMN = "leave such rows out with --drop-missing", ", or such columns with --drop"


@dataclass(frozen=True)
class DataOptions:
    """Command-line options about data and priors, or the ``columns`` of a model.

    With the latter the data are not scaled or reduced, which the model does itself.
    """

    prior: Sequence[str] = ()
    keep: Sequence[str] = ()
    hidden: Sequence[str] = ()
    color: Sequence[str] = ()
    along: Sequence[str] = ()
    features: Sequence[str] = ()
    columns: Sequence[str] = ()
    drop: Sequence[str] = ()
    meta: Path | None = None
    on: str | None = None
    missing: Sequence[float] = ()
    drop_missing: bool = False
    metric: str = "euclidean"
    standardize: bool = False
    pca: int | None = None


@dataclass(frozen=True, eq=False)
class PreparedData:
    """Data and priors of the samples without missing values.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data.
    ids : ndarray of shape (n_samples,)
        Ids of the samples.
    priors, hidden : dict of str to Prior
        Priors and hidden structure, by name.
    colors : dict of str to ndarray or Prior
        Values to colour the map by: those of ``--color``, or the single-column priors.
    kept : ndarray of shape (n_samples,)
        Indices of these samples among the selected ones.
    rows : ndarray of shape (n_samples,)
        Rows of these samples in the file.
    extra : dict of str to ndarray
        Further columns for the map file.
    source : str
        Name of the matrix the data come from, or "X".
    columns : tuple of str
        Names of the data's columns, or of the matrices they come from.
    keep : dict of str to ndarray
        Labels to keep, by column; None where a label is missing.
    projection : Projection or None
        How the data were scaled and reduced.
    """

    X: Floats
    ids: Column
    priors: dict[str, Prior]
    hidden: dict[str, Prior]
    colors: dict[str, Any]
    kept: Indices
    rows: Indices
    extra: dict[str, Column]
    source: str
    columns: tuple[str, ...]
    keep: dict[str, Any] = field(default_factory=dict)
    projection: Projection | None = None


def prepare(
    path: Path, options: DataOptions, select: Callable[[Samples], Indices] | None = None
) -> PreparedData:
    """Read a file, choose data and priors, and print what was chosen; ``select`` picks rows."""
    samples = read_all(path, options)
    priors, hidden = (
        find_all(option, texts, samples)
        for option, texts in (("--prior", options.prior), ("--hidden", options.hidden))
    )
    extra = named_columns("--with", samples, options.along, single=True)
    keep = kept_columns(samples, options.keep)
    named = [*priors, *hidden]
    roles = {name: f"the {_role(part)}" for part in named for name in part.taken}
    roles |= dict.fromkeys(keep, "kept labels")
    is_square = options.metric == "precomputed"
    chosen = choose_data(
        samples,
        features=options.features,
        columns=options.columns,
        drop=options.drop,
        roles=roles,
        reduces=options.pca is not None,
        square=is_square,
    )
    if is_square:
        _check_square(samples, chosen)
    elif _are_distances(chosen.X):
        say(f"{samples.name} looks like a distance matrix; if so, give --metric precomputed.")
    rows = np.arange(samples.n_samples) if select is None else select(samples)
    kept = _complete(samples, rows, chosen, named, options)
    _describe(samples, chosen, len(kept))
    rows = rows[kept]
    priors, hidden = ([part.take(rows) for part in parts] for parts in (priors, hidden))
    chosen = chosen.take(rows, both_axes=is_square)
    if not is_square and not options.columns:
        warn_of_data(chosen, options.metric, standardize=options.standardize)
    colors = colors_of(samples, options.color, rows)
    X, projection = (chosen.X, None) if options.columns else _finish(chosen.X, options)
    return PreparedData(
        X,
        samples.ids[rows],
        _make_all(priors),
        _make_all(hidden),
        colors or {part.name: c for part in priors for c in _single_column(part)},
        kept,
        rows,
        {name: samples[name][rows] for name in extra},
        chosen.names[0] if chosen.names[0] in samples.matrices else "X",
        chosen.names,
        kept_labels(samples, keep, rows),
        projection,
    )


def read_all(path: Path, options: DataOptions) -> Samples:
    """Read the file, or stdin, and join the columns of ``--meta``."""
    samples = read_samples(keep_stdin(sys.stdin.buffer) if str(path) == STDIN else path)
    if options.meta is not None:
        samples = join_meta(samples, read_samples(options.meta), options.on)
    elif options.on is not None:
        message = "--on names the column to match --meta by; there is no --meta."
        raise ValueError(message)
    return samples.without(options.missing) if options.missing else samples


def _check_square(samples: Samples, chosen: ChosenData) -> None:
    if chosen.X.shape[0] != chosen.X.shape[1]:
        message = (
            f"{samples.name}: --metric precomputed takes a square distance matrix; got "
            f"{chosen.X.shape[0]} rows and {chosen.X.shape[1]} columns. {' '.join(chosen.remarks)}"
        )
        raise ValueError(message)


def _are_distances(X: Any) -> bool:
    """Whether a table looks like a distance matrix: square, symmetric, zero on its diagonal."""
    if issparse(X) or X.shape[0] != X.shape[1] or X.shape[0] < 2:
        return False
    return not np.diagonal(X).any() and bool((X >= 0).all()) and np.array_equal(X, X.T)


def _complete(
    samples: Samples,
    rows: Indices,
    chosen: ChosenData,
    named: Sequence[NamedPrior],
    options: DataOptions,
) -> Indices:
    """Return the indices of rows without missing values; refuse others unless --drop-missing."""
    incomplete = np.zeros(len(rows), dtype=bool)
    checks: list[tuple[Any, str, str]] = [
        (part.gaps(), f"{part.option} {part.name}", DROP_HINT) for part in named
    ]
    if options.metric != "precomputed":  # a missing distance belongs to two samples
        missing, column = explain_gaps(chosen)
        what = f"column {column!r}" if column else "the data"
        checks.insert(0, (missing, what, DROP_HINT + DROP_COLUMN))
    for missing, what, hint in checks:
        here = np.broadcast_to(missing, (samples.n_samples,))[rows]
        if here.any() and not options.drop_missing:
            first = int(rows[int(here.argmax())])
            who = f" ({samples.ids[first]})" if samples.ids_from else ""
            message = (
                f"{samples.name}: {what} has no value in row {first}{who}, counted from 0 "
                f"({int(here.sum())} such rows in all); {hint}."
            )
            raise ValueError(message)
        incomplete |= here
    if incomplete.any():
        say(f"Left out {int(incomplete.sum())} rows with missing values.")
    return np.flatnonzero(~incomplete)


def _describe(samples: Samples, chosen: ChosenData, n_kept: int) -> None:
    for remark in samples.remarks:
        say(remark)
    ids = samples.ids_from and f"; ids from {samples.ids_from}"
    n_columns = chosen.X.shape[1]
    say(f"{samples.name}: {n_kept} samples, {n_columns} columns ({list_names(chosen.names)}){ids}.")
    if len({*samples.ids.tolist()}) < samples.n_samples:
        say("Warning: some ids are not unique.")
    for remark in chosen.remarks:
        say(remark)


def _single_column(part: NamedPrior) -> list[Column]:
    """Return the column of a single-column prior in a list; an empty list for others."""
    columns = [*part.columns.values()]
    return columns if len(columns) == 1 and not part.is_square else []


def _role(part: NamedPrior) -> str:
    """Return what messages call a ``--prior`` or ``--hidden``."""
    return {"--prior": "prior", "--hidden": "hidden structure"}[part.option]


def _make_all(named: Sequence[NamedPrior]) -> dict[str, Prior]:
    """Make the priors, and print the kind of each."""
    made = {}
    for part in named:
        prior = make_prior(part)
        classes = f", {len(prior.classes)} classes" if isinstance(prior, Labels) else ""
        say(f"{_role(part).capitalize()}: {part.name} ({prior.kind}{classes}).")
        warn_of_prior(part, prior)
        made[part.name] = prior
    return made


def _finish(X: Any, options: DataOptions) -> tuple[Floats, Projection | None]:
    """Standardise and reduce the data as the options say, and return how."""
    if options.metric == "precomputed" and (options.standardize or options.pca):
        message = "--standardize and --pca cannot be combined with --metric precomputed."
        raise ValueError(message)
    if options.pca and options.pca >= min(X.shape):
        say(f"--pca {options.pca} has no effect: there are only {X.shape[1]} columns.")
    X, projection = scale_and_reduce(X, standardize=options.standardize, pca=options.pca)
    if issparse(X) and not options.pca and options.metric != "precomputed":
        return _reduced(X, options.metric)
    return X.toarray() if issparse(X) else np.asarray(X), projection


def _reduced(X: Any, metric: str) -> tuple[Floats, Projection | None]:
    """Return the leading components of sparse data with many columns, and print that."""
    if X.shape[1] > FEW_COLUMNS and metric not in CENTERED + DIRECTED:
        message = (
            f"--metric {metric} takes dense data, and these are sparse with {X.shape[1]} columns; "
            "give --pca N, or --metric euclidean or cosine."
        )
        raise ValueError(message)
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=DataWarning)
        reduced, projection = reduce_data("--features", "X", X, metric)
    if caught:
        say(
            f"The data are sparse, with {X.shape[1]} columns; they are reduced to "
            f"{reduced.shape[1]} principal components. --pca N takes another number."
        )
    return reduced, projection
