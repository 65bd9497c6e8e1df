"""Marker genes → clusters by complete linkage, cut where there are as many as cell types."""

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
    """A dendrogram, the height of its cut, and the cluster of every sample below it."""

    tree: Floats
    cut: float
    labels: NDArray[np.intp]


def complete_clusters(values: Floats, n_clusters: int) -> Clusters:
    """Cluster samples, and cut the dendrogram halfway between two of its merges.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        Expression of marker genes.
    n_clusters : int
        Clusters below the cut. The paper cuts where there are as many as cell types.

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
    """Draw the dendrogram with its cut; samples are too many to be named."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(7, 3.5), layout="constrained")
    ax = drawn.subplots()
    dendrogram(clusters.tree, ax=ax, no_labels=True, color_threshold=clusters.cut)
    ax.axhline(clusters.cut, color="tab:blue", lw=1)
    ax.set(ylabel="distance of marker genes", xlabel=f"{len(clusters.labels)} cells")
    ax.set_title(f"complete linkage, cut at {clusters.cut:.2f}", fontsize="medium")
    ax.spines[["top", "right"]].set_visible(False)
    save(drawn, path)
