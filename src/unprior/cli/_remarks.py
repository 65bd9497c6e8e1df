"""Data and priors as they were chosen → what a person should know of them, in the shell's words."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from unprior._remarks import Advice, remarks_on_data
from unprior._typing import Floats
from unprior.cli._messages import say
from unprior.files import Chosen, NamedPrior, list_names
from unprior.priors import Prior
from unprior.priors._remarks import remarks_on_prior

#: What to do about columns, in the shell's words.
SHELL = Advice(
    "--standardize gives all columns the same spread",
    "--drop leaves it out",
    "give it with --missing, and --drop-missing",
)

#: Columns that embeddings have at least, the share of zeros they may hold, and how little the
#: lengths of rows differ where they were made the same.
EMBEDDING_COLUMNS, FEW_ZEROS, SAME_LENGTH = 64, 0.05, 0.02


def warn_of_data(chosen: Chosen, metric: str, *, standardize: bool) -> None:
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
    for remark in remarks_on_data(X, named, SHELL, scales=not standardize):
        say(f"Warning: {remark}")
    if _are_embeddings(X) and metric == "euclidean":
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


def warn_of_prior(part: NamedPrior, prior: Prior) -> None:
    """Say that there is little to factor out of a prior, or that it may have gaps."""
    if part.option != "--prior" or prior.is_constant():
        return  # what is constant will be refused
    for remark in remarks_on_prior(prior, SHELL):
        say(f"Warning: {part.option} {part.name}: {remark}")
