"""Tuning data → the paper's four panels of distances from one sample to all others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.hierarchy import dendrogram, linkage

from unprior import priors
from unprior._typing import Floats
from unprior.datasets import TwoFactorData
from unprior.plot._colors import HUES
from unprior.priors import Prior
from unprior.reproduce._figures import save

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def known_tree(data: TwoFactorData) -> Floats:
    """Return the dendrogram of the known columns, by average linkage as in the paper."""
    return np.asarray(linkage(data.known_features, method="average"))


def save_distances(data: TwoFactorData, path: Path) -> None:
    """Draw distances from the first sample: of the data, the known columns and their dendrogram."""
    from matplotlib.figure import Figure

    tree = known_tree(data)
    sides: dict[str, Prior] = {
        "all columns": priors.features(data.X),
        "known columns": priors.features(data.known_features),
        "dendrogram, scaled": priors.tree(tree),
    }
    drawn = Figure(figsize=(8, 6), layout="constrained")
    first, second, third, fourth = drawn.subplots(2, 2).ravel()
    for ax, (title, side) in zip((first, second, fourth), sides.items(), strict=True):
        _draw_distances(ax, distances_from_first(side), data.known)
        ax.set_title(title, fontsize="medium")
    dendrogram(tree, ax=third, no_labels=True, link_color_func=lambda _: "0.3")
    third.set_title("dendrogram of the known columns", fontsize="medium")
    first.legend(frameon=False, fontsize="small", markerscale=3, loc="lower right")
    save(drawn, path)


def distances_from_first(side: Prior) -> Floats:
    """Return the distances of the first sample to all, as shares of the largest of them."""
    distances = side.block(np.array([0]), np.arange(side.n_samples))[0]
    return np.asarray(distances / distances.max())


def _draw_distances(ax: Axes, distances: Floats, known: Any) -> None:
    """Draw a point for each sample, in the order of the known groups; a star is the first."""
    order = np.argsort(known, kind="stable")
    places = np.argsort(order)
    for hue, group in zip(HUES, np.unique(known), strict=False):
        rows = known == group
        ax.scatter(places[rows], distances[rows], color=hue, s=4, lw=0, label=str(group))
    ax.scatter(places[:1], distances[:1], color="black", marker="*", s=60)
    ax.set(xlabel="samples, by known group", ylabel="distance from the star", xticks=[])
    ax.spines[["top", "right"]].set_visible(False)
