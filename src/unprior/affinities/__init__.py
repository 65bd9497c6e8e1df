"""Distances -> affinities: how likely each sample is to pick each other one as its neighbour."""

from unprior.affinities._affinities import Affinities, mean_affinities
from unprior.affinities._bandwidths import Bandwidths, find_bandwidths, squared_block
from unprior.affinities._conditional import balanced_neighbors, conditional_affinities
from unprior.affinities._entropic import (
    data_affinities,
    dense_affinities,
    label_affinities,
    prior_affinities,
    sparse_affinities,
)
from unprior.affinities._pair_weights import PairWeights
from unprior.affinities._perplexity import resolve_perplexity
from unprior.affinities._similarity import Similarity, similarity_of
from unprior.affinities._strata import Strata, affinity_strata

__all__ = [
    "Affinities",
    "Bandwidths",
    "PairWeights",
    "Similarity",
    "Strata",
    "affinity_strata",
    "balanced_neighbors",
    "conditional_affinities",
    "data_affinities",
    "dense_affinities",
    "find_bandwidths",
    "label_affinities",
    "mean_affinities",
    "prior_affinities",
    "resolve_perplexity",
    "similarity_of",
    "sparse_affinities",
    "squared_block",
]
