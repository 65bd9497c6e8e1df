"""An H5AD file → samples: genes as data, annotations as columns, embeddings as matrices."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from scipy.sparse import issparse

from unprior._extras import import_extra
from unprior.files._samples import Samples
from unprior.files._tables import as_array

#: Stands in for X where that is left out; else the first embedding does.
COMPONENTS = "X_pca"


def read_h5ad(path: Path) -> Samples:
    """Read AnnData: X is the data, obs are columns, obsm are matrices."""
    anndata = import_extra("anndata", f"{path.name}: reading H5AD")
    try:
        with warnings.catch_warnings():  # on the file's age and on names that repeat
            warnings.filterwarnings("ignore")
            adata = anndata.read_h5ad(path)
    except (OSError, KeyError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        message = f"{path.name} is no H5AD file, or only part of one: {reason}."
        raise ValueError(message) from error
    matrices = {
        str(key): values.to_numpy() if hasattr(values, "to_numpy") else values
        for key, values in adata.obsm.items()
    }
    # Text files know no categories, and Parquet keeps those of text only.
    types = adata.obs.dtypes.items()
    categories = frozenset(str(key) for key, dtype in types if hasattr(dtype, "categories"))
    data, names = adata.X, tuple(str(name) for name in adata.var_names)
    remarks: tuple[str, ...] = ()
    if data is None and matrices:
        name = COMPONENTS if COMPONENTS in matrices else next(iter(matrices))
        data, remarks = matrices[name], (f"There is no X; the data are {name!r} of obsm.",)
        names = tuple(str(k) for k in range(data.shape[1]))
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
    )
