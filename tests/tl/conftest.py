"""Small annotated data with a known and a hidden grouping."""

import anndata
import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def adata(two_groups):
    X, known, hidden = two_groups
    cells = [f"cell {i}" for i in range(len(X))]
    obs = pd.DataFrame(
        {
            "batch": pd.Categorical(known.astype(str)),
            "type": np.array(["T", "B"])[hidden],
            "age": X[:, 0] + X[:, 5],
            "plate": known,
        },
        index=cells,
    )
    var = pd.DataFrame(index=[f"gene {i}" for i in range(X.shape[1])])
    return anndata.AnnData(X.astype(np.float32), obs, var, obsm={"X_side": X[:, :3].copy()})
