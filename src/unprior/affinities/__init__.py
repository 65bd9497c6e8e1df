"""Distances -> affinities: how likely each sample is to pick each other one as its neighbour."""

from unprior.affinities._affinities import Affinities, mean_affinities
from unprior.affinities._bandwidths import Bandwidths, find_bandwidths, squared_block
from unprior.affinities._cells import Cells, class_cells, prior_cells
from unprior.affinities._conditional import balanced_neighbors, conditional_affinities
from unprior.affinities._entropic import data_affinities, dense_affinities, sparse_affinities
from unprior.affinities._known import label_affinities, prior_affinities
from unprior.affinities._pair_weights import PairWeights
from unprior.affinities._perplexity import resolve_perplexity

__all__ = [
    "Affinities",
    "Bandwidths",
    "Cells",
    "PairWeights",
    "balanced_neighbors",
    "class_cells",
    "conditional_affinities",
    "data_affinities",
    "dense_affinities",
    "find_bandwidths",
    "label_affinities",
    "mean_affinities",
    "prior_affinities",
    "prior_cells",
    "resolve_perplexity",
    "sparse_affinities",
    "squared_block",
]
