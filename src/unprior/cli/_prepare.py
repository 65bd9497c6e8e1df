"""A file and what the shell asks of it → data and priors, ready for the library."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from unprior._remarks import Advice, remark_on_classes, remarks_on_data
from unprior._sparse import dense_data
from unprior._typing import Floats, Indices
from unprior._warnings import DataWarning
from unprior.cli._manners import say
from unprior.files import (
    Chosen,
    Column,
    Known,
    Samples,
    choose_data,
    explain_gaps,
    find_known,
    join_meta,
    keep_stdin,
    list_names,
    make_prior,
    read_samples,
)
from unprior.priors import Labels, Prior

#: The name of a file that stands for stdin.
STDIN = "-"

#: What to do about columns, in the shell's words.
SHELL = Advice(
    "--standardize gives all columns the same spread",
    "--drop leaves it out",
    "give it with --missing, and --drop-missing",
)

#: Columns that embeddings have at least, the share of zeros they may hold, and how little the
#: lengths of rows differ where they were made the same.
EMBEDDING_COLUMNS, FEW_ZEROS, SAME_LENGTH = 64, 0.05, 0.02

DROP_HINT, DROP_COLUMN = "leave such rows out with --drop-missing", ", or such columns with --drop"


@dataclass(frozen=True)
class Asked:
    """What the shell says about data and priors."""

    prior: Sequence[str] = ()
    hidden: Sequence[str] = ()
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
    colors : dict of str to ndarray
        The values of those priors that are a single column.
    kept : ndarray of shape (n_samples,)
        Places of these samples among those that were asked for.
    """

    X: Floats
    ids: Column
    priors: dict[str, Prior]
    hidden: dict[str, Prior]
    colors: dict[str, Column]
    kept: Indices


def prepare(
    path: Path, asked: Asked, among: Callable[[Samples], Indices] | None = None
) -> Prepared:
    """Read a file, choose data and priors, and say what was chosen; ``among`` picks samples."""
    samples = read_all(path, asked)
    known, hidden = (
        _find_all(option, texts, samples)
        for option, texts in (("--prior", asked.prior), ("--hidden", asked.hidden))
    )
    everything = [*known, *hidden]
    taken = {name: f"the {_role(part)}" for part in everything for name in part.taken}
    chosen = choose_data(
        samples,
        features=asked.features,
        drop=asked.drop,
        known=taken,
        reduces=asked.pca is not None,
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
        _warn_of_data(chosen, asked)
    return Prepared(
        _shape(chosen.X, asked),
        samples.ids[rows],
        _make_all(known),
        _make_all(hidden),
        {part.name: c for part in known for c in _single_column(part)},
        kept,
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


def _warn_of_data(chosen: Chosen, asked: Asked) -> None:
    """Say what in the data would make a map mislead."""
    if issparse(chosen.X):
        return
    named = chosen.names if len(chosen.names) == chosen.X.shape[1] else None
    if named and named == tuple(map(str, range(len(named)))):
        named = None  # columns of an array are of one kind, and have no names
    X = np.asarray(chosen.X, dtype=np.float64)
    if not np.isfinite(X).all():
        return  # it will be refused
    constant = np.flatnonzero(np.ptp(X, axis=0) == 0) if len(X) else np.array([], dtype=int)
    if named and len(constant):
        say(f"The same in all samples: {list_names(named[k] for k in constant)}.")
    for remark in remarks_on_data(X, named, SHELL, scales=not asked.standardize):
        say(f"Warning: {remark}")
    if _are_embeddings(X) and asked.metric == "euclidean":
        say("Rows look like embeddings of different lengths; --metric cosine compares directions.")


def _are_embeddings(X: Floats) -> bool:
    """Whether rows are vectors as language and image models give them, of no fixed length."""
    if X.shape[1] < EMBEDDING_COLUMNS or len(X) < 2 or (X == 0).mean() > FEW_ZEROS:
        return False
    lengths, spread = np.linalg.norm(X, axis=1), X.std(axis=0)
    mixed = bool((X.min(axis=0) < 0).all() and (X.max(axis=0) > 0).all())
    return mixed and lengths.std() > SAME_LENGTH * lengths.mean() and not _falls(spread)


def _falls(spread: Floats) -> bool:
    """Whether columns are in falling order of their spread, as principal components are."""
    return bool((np.diff(spread) <= 0).mean() > 0.9)


def _find_all(option: str, texts: Sequence[str], samples: Samples) -> list[Known]:
    found = [find_known(option, text, samples) for text in texts]
    names = [part.name for part in found]
    for name in names:
        if names.count(name) > 1:
            message = f"{option}: {name!r} is given twice."
            raise ValueError(message)
    return found


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
    samples: Samples, rows: Indices, chosen: Chosen, known: Sequence[Known], asked: Asked
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


def _single_column(part: Known) -> list[Column]:
    """Return the column that a prior is, in a list; nothing if it is more, or other, than that."""
    columns = [*part.columns.values()]
    return columns if len(columns) == 1 and not part.is_square else []


def _role(part: Known) -> str:
    """Return the word for what is told by ``--prior`` or ``--hidden``."""
    return {"--prior": "prior", "--hidden": "hidden structure"}[part.option]


def _make_all(known: Sequence[Known]) -> dict[str, Prior]:
    """Make the priors, and say of what kind each is."""
    made = {}
    for part in known:
        prior = make_prior(part)
        classes = f", {len(prior.classes)} classes" if isinstance(prior, Labels) else ""
        say(f"{_role(part).capitalize()}: {part.name} ({prior.kind}{classes}).")
        if isinstance(prior, Labels):
            _warn_of_classes(part, prior)
        made[part.name] = prior
    return made


def _warn_of_classes(part: Known, prior: Labels) -> None:
    counts = prior.counts
    remark = remark_on_classes(counts, prior.classes.tolist()[int(counts.argmax())])
    if remark and part.option == "--prior" and 1 < len(counts) < len(prior.codes):
        say(f"Warning: {part.option} {part.name}: {remark}")


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
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=DataWarning)
        reduced = dense_data("--pca", "N", X, metric)
    if caught:
        say(
            f"The data are sparse, with {X.shape[1]} columns; their {reduced.shape[1]} leading "
            "components stand for them. --pca N takes another number."
        )
    return reduced


def _dense(X: Any) -> Floats:
    return X.toarray() if issparse(X) else np.asarray(X)
