"""Read AnnData files: X as data, obs as columns, obsm as matrices."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from unprior._extras import import_extra
from unprior.files._limits import UnsafeFileError, check_hdf5, check_zarr
from unprior.files._samples import Samples
from unprior.files._tables import as_array
from unprior.tl._representation import FEW_VARIABLES

#: Default data if X is missing or has many variables, as in `unprior.tl`; a file with neither X
#: nor this uses its first embedding.
COMPONENTS = "X_pca"


def read_h5ad(path: Path) -> Samples:
    """Read an AnnData from an H5AD file or a Zarr store."""
    return _from_anndata(path, read_anndata(path))


def read_anndata(path: Path) -> Any:
    """Return the AnnData in an H5AD file or a Zarr store; refuse others in one sentence."""
    kind = "Zarr" if path.suffix.lower() == ".zarr" else "H5AD"
    anndata = import_extra("anndata", f"{path.name}: reading {kind}")
    read = anndata.read_zarr if kind == "Zarr" else anndata.read_h5ad
    try:
        if kind == "Zarr":
            check_zarr(path)
        else:  # anndata depends on h5py
            check_hdf5(path, importlib.import_module("h5py"))
        with warnings.catch_warnings():  # about old formats and duplicate names
            warnings.filterwarnings("ignore")
            return read(path)
    except UnsafeFileError:
        raise
    except (OSError, LookupError, ValueError, TypeError, AttributeError, RuntimeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        message = f"{path.name} is not valid {kind}, or it is damaged: {reason}."
        raise ValueError(message) from error


def _from_anndata(path: Path, adata: Any) -> Samples:
    """Turn an AnnData into samples."""
    matrices = {
        str(key): values.to_numpy() if hasattr(values, "to_numpy") else values
        for key, values in adata.obsm.items()
    }
    # Only here: text files have no categories, and Parquet keeps those of text only.
    types = adata.obs.dtypes.items()
    categories = frozenset(str(key) for key, dtype in types if hasattr(dtype, "categories"))
    data, names = adata.X, tuple(str(name) for name in adata.var_names)
    remarks: tuple[str, ...] = ()
    if data is None and matrices:
        name = COMPONENTS if COMPONENTS in matrices else next(iter(matrices))
        data, remarks = matrices[name], (f"There is no X; the data are {name!r} of obsm.",)
        names = tuple(str(k) for k in range(data.shape[1]))
    elif data is not None and data.shape[1] > FEW_VARIABLES and COMPONENTS not in matrices:
        n_variables = data.shape[1]
        remarks = (
            f"There is no {COMPONENTS!r} in obsm; the data are all {n_variables} variables.",
        )
    wide = adata.X is not None and adata.n_vars > FEW_VARIABLES
    return Samples(
        path.name,
        np.array([str(name) for name in adata.obs_names], dtype=object),
        "obs_names",
        None,
        {str(key): as_array(adata.obs[key]) for key in adata.obs},
        matrices,
        data if data is None or issparse(data) else np.asarray(data),
        () if data is None else names,
        remarks,
        categories,
        COMPONENTS if wide and COMPONENTS in matrices else None,
    )
