"""Options of the tools: types, shared documentation, and errors for scanpy's other options."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, TypeVar

from unprior._typing import Callback, Metric


class EmbedOptions(TypedDict, total=False):
    """Further options of `unprior.embed`."""

    strength: Any
    method: str
    metric: Metric
    n_components: int
    checkpoint: Any
    n_jobs: int | None
    verbose: int


class JEDIOptions(TypedDict, total=False):
    """Further options of `unprior.JEDI`."""

    n_components: int
    strength: Any
    symmetry: float
    skewness: float
    perplexity: Any
    prior_perplexity: Any
    metric: Metric
    solver: str
    init: Any
    learning_rate: Any
    n_iter: int
    min_grad_norm: float
    callbacks: Sequence[Callback] | None
    checkpoint: Any
    n_jobs: int | None
    verbose: int


class ConfettiOptions(TypedDict, total=False):
    """Further options of `unprior.Confetti`."""

    n_components: int
    strength: Any
    operator: str
    embedder: Any
    embedder_params: Mapping[str, Any] | None
    scale: str
    neighbors: str
    n_neighbors: Any
    metric: Metric
    callbacks: Sequence[Callback] | None
    checkpoint: Any
    n_jobs: int | None
    verbose: int


class NeighborsOptions(TypedDict, total=False):
    """Options of `unprior.ConfettiNeighbors`."""

    n_neighbors: int
    strength: Any
    operator: str
    scale: str
    neighbors: str
    metric: Metric
    n_jobs: int | None
    verbose: int


class ResidualOptions(TypedDict, total=False):
    """Options of `unprior.Residual`."""

    kind: str
    strength: float
    n_neighbors: int | str
    metric: str


#: Option of scanpy that is not supported -> what to do instead.
NOT_TAKEN = {
    "neighbors_key": "neighbours are computed from the data, with the prior factored out; choose "
    "the data with use_rep, and pass the graph of tl.confetti to scanpy as neighbors_key",
    "use_raw": "to use adata.raw, give use_rep='raw'",
    "obsp": "graphs are computed from the data; choose the data with use_rep",
    "adjacency": "graphs are computed from the data; choose the data with use_rep",
    "return_report": "the report is always in adata.uns",
    "inplace": "results are written to adata; give copy=True to leave it unchanged",
    "n_comps": "data are not reduced here; run sc.pp.pca(adata, n_comps=...), or give n_pcs",
    "groupby": "give the column to factor out as prior",
    "color": "colours are for up.pl.embedding(adata, color=...)",
}


def refuse_options(who: str, options: Mapping[str, Any]) -> None:
    """Refuse options of scanpy that are not supported, with advice."""
    for name, why in NOT_TAKEN.items():
        if name in options:
            message = f"{who}: {name!r} is not an option here ({why})."
            raise TypeError(message)


Tool = TypeVar("Tool", bound=Callable[..., Any])

PARAMETERS = """\
adata : AnnData
    Annotated data.
prior : str, list of str, dict, Prior or array-like
    What to factor out: the name of a column of ``obs``, of a gene or of an entry of ``obsm``; a
    list of names; a dict of names or values, where a list of names is one prior, such as the genes
    of the cell cycle; or anything `unprior.priors.as_prior` takes. Categories and text in ``obs``
    are labels, numbers are amounts; for anything else add the kind, as on the command line:
    "n_genes:labels", "hour:cyclic=24". Values with an index are matched with ``obs_names``.
keep : str, list of str, dict or array-like, optional
    Labels to protect, such as cell types that some batches lack: columns of ``obs`` by name, or
    values. The prior is removed within their classes. Missing labels are allowed. Refused by JEDI,
    and by CONFETTI's operators other than "balanced".
use_rep : str, optional
    The data: "X", "raw", an entry of ``obsm``, or of MuData such as "rna:X_pca". By default ``X``
    if it has at most 50 variables, and ``obsm["X_pca"]`` otherwise.
layer : str, optional
    An entry of ``layers`` to use instead of ``X``.
n_pcs : int, optional
    Number of principal components to use; 0 means ``X``.
key_added : str, optional
    Name of the result; by default the name of the function.
copy : bool, default=False
    Write to a copy and return it."""


def describe(tool: Tool) -> Tool:
    """Insert the shared parameters into the docstring at ``{parameters}``."""
    if tool.__doc__:
        text = textwrap.indent(PARAMETERS, " " * 4).lstrip()
        tool.__doc__ = tool.__doc__.replace("{parameters}", text)
    return tool
