"""Distances -> affinities, and a prior -> the similarity of pairs."""

from unprior.affinities._affinities import Affinities, mean_affinities
from unprior.affinities._conditional import (
    PairWeights,
    balanced_neighbors,
    conditional_affinities,
)
from unprior.affinities._entropic import (
    data_affinities,
    dense_affinities,
    label_affinities,
    prior_affinities,
    resolve_perplexity,
    sparse_affinities,
)
from unprior.affinities._sampled import (
    Bandwidths,
    Strata,
    affinity_strata,
    estimate_bandwidths,
    squared_block,
)
from unprior.affinities._similarity import Similarity, similarity_of
from unprior.affinities._within import similarity_within

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
    "estimate_bandwidths",
    "label_affinities",
    "mean_affinities",
    "prior_affinities",
    "resolve_perplexity",
    "similarity_of",
    "similarity_within",
    "sparse_affinities",
    "squared_block",
]
