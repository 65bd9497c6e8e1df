"""Read samples and priors from files of many formats, and write maps."""

from unprior.files._h5ad import read_anndata
from unprior.files._meta import join_meta
from unprior.files._priors import NamedPrior, find_prior, make_prior
from unprior.files._read import keep_stdin, read_samples
from unprior.files._samples import Column, Samples, gaps, list_names
from unprior.files._select import (
    ChosenData,
    choose_data,
    explain_gaps,
    named_columns,
    scale_and_reduce,
)
from unprior.files._tables import as_array
from unprior.files._write import (
    AXES,
    WRITERS,
    as_csv,
    check_room,
    check_target,
    check_writer,
    write_map,
    write_somewhere,
    write_whole,
)

__all__ = [
    "AXES",
    "WRITERS",
    "ChosenData",
    "Column",
    "NamedPrior",
    "Samples",
    "as_array",
    "as_csv",
    "check_room",
    "check_target",
    "check_writer",
    "choose_data",
    "explain_gaps",
    "find_prior",
    "gaps",
    "join_meta",
    "keep_stdin",
    "list_names",
    "make_prior",
    "named_columns",
    "read_anndata",
    "read_samples",
    "scale_and_reduce",
    "write_map",
    "write_somewhere",
    "write_whole",
]
