"""A prior of distances → labels by complete linkage, for methods that take nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import dendrogram, fcluster, linkage

from unprior._typing import Floats
from unprior.reproduce._figures import save


@dataclass(frozen=True, eq=False)
class Clusters:
    """A dendrogram, the height at which it is cut, and the resulting cluster of every sample."""

    tree: Floats
    cut: float
    labels: NDArray[np.intp]


def complete_clusters(values: Floats, n_clusters: int) -> Clusters:
    """Cluster samples, and cut the dendrogram halfway between two merges.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features) or (n_pairs,)
        Features, or distances between all pairs of samples in condensed form.
    n_clusters : int
        Clusters below the cut. The paper takes as many as there are cell types.

    Examples
    --------
    >>> import numpy as np
    >>> found = complete_clusters(np.array([[0.0], [1.0], [10.0], [12.0]]), 2)
    >>> found.cut, found.labels.tolist()
    (7.0, [1, 1, 2, 2])
    """
    tree = linkage(values, method="complete")
    heights = tree[:, 2]
    cut = float(heights[-n_clusters : len(heights) - n_clusters + 2].mean())
    return Clusters(tree, cut, fcluster(tree, cut, criterion="distance").astype(np.intp))


def save_dendrogram(clusters: Clusters, path: Path) -> None:
    """Draw the dendrogram and its cut; there are too many samples to name them."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(7, 3.5), layout="constrained")
    ax = drawn.subplots()
    dendrogram(
        clusters.tree,
        ax=ax,
        no_labels=True,
        color_threshold=clusters.cut,
        above_threshold_color="0.6",
    )
    ax.axhline(clusters.cut, color="black", lw=1, ls="--")
    n_clusters = len(np.unique(clusters.labels))
    ax.set(ylabel="distance of marker genes", xlabel=f"{len(clusters.labels)} cells")
    title = f"complete linkage, cut at {clusters.cut:.2f} (dashed) into {n_clusters} clusters"
    ax.set_title(title, fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    save(drawn, path)
