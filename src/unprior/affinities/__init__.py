"""Distances -> affinities: how likely each sample is to pick each other one as its neighbour."""

from unprior.affinities._affinities import Affinities
from unprior.affinities._entropic import data_affinities, dense_affinities, sparse_affinities
from unprior.affinities._known import label_affinities, prior_affinities
from unprior.affinities._perplexity import resolve_perplexity

__all__ = [
    "Affinities",
    "data_affinities",
    "dense_affinities",
    "label_affinities",
    "prior_affinities",
    "resolve_perplexity",
    "sparse_affinities",
]
