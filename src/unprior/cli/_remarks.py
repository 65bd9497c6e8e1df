"""Print warnings about data and priors that could make a map misleading."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from unprior._remarks import Advice, remarks_on_data
from unprior._typing import Floats
from unprior.cli._messages import say
from unprior.files import ChosenData, NamedPrior, list_names
from unprior.priors import Prior

#: What to do about a column, as command-line options.
SHELL = Advice(
    "--standardize gives all columns the same spread",
    "--drop leaves it out",
    "give it with --missing, and --drop-missing",
)

#: Data look like embeddings if they have at least this many columns, at most this fraction of
#: zeros, and row norms whose relative standard deviation is above this (else normalised already).
EMBEDDING_COLUMNS, FEW_ZEROS, SAME_LENGTH = 64, 0.05, 0.02


def warn_of_data(chosen: ChosenData, metric: str, *, standardize: bool) -> None:
    """Warn about columns that would make a map misleading."""
    if issparse(chosen.X):
        return
    named = chosen.names if len(chosen.names) == chosen.X.shape[1] else None
    if named and named == tuple(map(str, range(len(named)))):
        named = None  # an array without column names; its columns are of one kind
    X = np.asarray(chosen.X, dtype=np.float64)
    if not np.isfinite(X).all():
        return  # refused later
    constant = np.flatnonzero(np.ptp(X, axis=0) == 0) if len(X) else np.array([], dtype=int)
    if named and len(constant):
        say(f"Constant columns: {list_names(named[k] for k in constant)}.")
    for remark in remarks_on_data(X, named, SHELL, scales=not standardize):
        say(f"Warning: {remark}")
    if _are_embeddings(X) and metric == "euclidean":
        say("Rows look like embeddings of different norms; --metric cosine compares directions.")


def _are_embeddings(X: Floats) -> bool:
    """Whether rows look like embeddings by a language or image model, not normalised."""
    if X.shape[1] < EMBEDDING_COLUMNS or len(X) < 2 or (X == 0).mean() > FEW_ZEROS:
        return False
    lengths, spread = np.linalg.norm(X, axis=1), X.std(axis=0)
    mixed = bool((X.min(axis=0) < 0).all() and (X.max(axis=0) > 0).all())
    return mixed and lengths.std() > SAME_LENGTH * lengths.mean() and not _falls(spread)


def _falls(spread: Floats) -> bool:
    """Whether columns are sorted by decreasing spread, as principal components are."""
    return bool((np.diff(spread) <= 0).mean() > 0.9)


def warn_of_prior(part: NamedPrior, prior: Prior) -> None:
    """Warn if there is little to factor out, or if a prior seems to have missing values."""
    if part.option != "--prior" or prior.is_constant():
        return  # a constant prior is refused later
    for remark in prior.remarks(SHELL):
        say(f"Warning: {part.option} {part.name}: {remark}")
