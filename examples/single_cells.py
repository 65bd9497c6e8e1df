"""Single cells with scanpy, end to end: clusters that do not follow the cell cycle.

Run it from the root of the repository, or cell by cell in a notebook or an editor that knows
"# %%". Pictures go to docs/images, or to the folder named in UNPRIOR_IMAGES.
"""

# %% The data: 700 blood cells that come with scanpy, with scores for two phases of the cell cycle.
import os
import warnings
from pathlib import Path

import scanpy as sc
from sklearn.metrics import adjusted_rand_score

import unprior as up

images = Path(os.environ.get("UNPRIOR_IMAGES", "docs/images"))
with warnings.catch_warnings():
    warnings.filterwarnings("ignore")  # the file is in an older format, which anndata remarks on
    adata = sc.datasets.pbmc68k_reduced()
cycle = ["S_score", "G2M_score"]

# %% The plain way: principal components, neighbours, map, clusters.
sc.pp.pca(adata, n_comps=30)
sc.pp.neighbors(adata, use_rep="X_pca")
sc.tl.umap(adata, random_state=0)
leiden = {"flavor": "igraph", "n_iterations": 2, "directed": False, "random_state": 0}
sc.tl.leiden(adata, key_added="plain", **leiden)

# %% The same with the cell cycle factored out of the distances: two scores are two priors. Some
# types divide more than others, so use the quantile operator: it compares each distance with others
# across the same gap in the cycle. The map goes to obsm, the graph to obsp.
up.tl.confetti(adata, cycle, operator="quantile")
sc.tl.leiden(adata, neighbors_key="confetti", key_added="without cycle", **leiden)

# %% Both maps, coloured by cell type (top) and by the phase of the cell cycle (bottom).
axes = up.pl.compare(adata, ["umap", "confetti"], color=["bulk_labels", "phase"])
axes[0, 0].figure.savefig(images / "single_cells.png", dpi=100)

# %% How much of the cell cycle is left in either map, how much of the cell types is kept?
for basis in ("umap", "confetti"):
    print(f"\n{basis}\n{up.tl.score(adata, basis, prior=cycle, hidden='bulk_labels')}")

# %% Clusters: do they still follow the cell types, which no method was given?
for name in ("plain", "without cycle"):
    clusters = adata.obs[name]
    agreement = adjusted_rand_score(adata.obs["bulk_labels"], clusters)
    print(f"{name}: {clusters.nunique()} clusters, agreement with the types {agreement:.2f}")
