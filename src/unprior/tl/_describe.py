"""What all tools take → their docstrings, said once."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

Tool = TypeVar("Tool", bound=Callable[..., Any])

PARAMETERS = """\
adata : AnnData
    Annotated data.
prior : str, list of str, dict, Prior or array-like
    What is known: the name of a column of ``obs``, of a gene or of an entry of ``obsm``; a list
    of names; a dict of names or values, where a list of names is one prior, such as the genes of
    the cell cycle; or anything `unprior.priors.as_prior` takes. Categories and words in ``obs``
    are labels, numbers are amounts; say what else they are as in the shell: "n_genes:labels",
    "hour:cyclic=24". What has an index is matched with ``obs_names``.
keep : str, list of str, dict or array-like, optional
    Labels to protect, such as cell types that some batches lack: columns of ``obs`` by name, or
    values. The prior is removed within their classes. Missing labels are allowed. Not every method
    takes them.
use_rep : str, optional
    The data: "X", "raw", an entry of ``obsm``, or of MuData such as "rna:X_pca". By default ``X``
    if it has at most 50 variables, and ``obsm["X_pca"]`` otherwise.
layer : str, optional
    An entry of ``layers`` that stands for ``X``.
n_pcs : int, optional
    Take so many of the components; 0 is ``X``.
key_added : str, optional
    Name of the result; by default that of the function.
copy : bool, default=False
    Write to a copy and return that."""


def describe(tool: Tool) -> Tool:
    """Write what all tools take into the docstring at ``{parameters}``."""
    if tool.__doc__:
        text = textwrap.indent(PARAMETERS, " " * 4).lstrip()
        tool.__doc__ = tool.__doc__.replace("{parameters}", text)
    return tool
