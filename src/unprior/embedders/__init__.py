"""Distances or a graph of neighbours -> map, by UMAP, t-SNE, PaCMAP or another estimator."""

from unprior.embedders._choose import (
    NAMED,
    add_callbacks,
    choose_embedder,
    takes_distances,
    with_checkpoint,
)

__all__ = ["NAMED", "add_callbacks", "choose_embedder", "takes_distances", "with_checkpoint"]
