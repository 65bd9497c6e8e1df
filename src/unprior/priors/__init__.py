"""Priors: what is known about the samples, as distances between them computed on demand."""

from unprior.priors._base import Prior
from unprior.priors._coerce import as_prior, combine, parts_of
from unprior.priors._combined import Combined, Several
from unprior.priors._cyclic import Cyclic, cyclic
from unprior.priors._distances import Distances, distances
from unprior.priors._features import Embedding, Features, StoredFeatures, embedding, features
from unprior.priors._geo import Geo, geo
from unprior.priors._graph import Graph, graph
from unprior.priors._keep import Keep as Keep  # not public, as is read_keep
from unprior.priors._kernel import Kernel, kernel
from unprior.priors._labels import Labels, labels
from unprior.priors._read_keep import read_keep as read_keep
from unprior.priors._table import table
from unprior.priors._tree import Tree, tree

__all__ = [
    "Combined",
    "Cyclic",
    "Distances",
    "Embedding",
    "Features",
    "Geo",
    "Graph",
    "Kernel",
    "Labels",
    "Prior",
    "Several",
    "StoredFeatures",
    "Tree",
    "as_prior",
    "combine",
    "cyclic",
    "distances",
    "embedding",
    "features",
    "geo",
    "graph",
    "kernel",
    "labels",
    "parts_of",
    "table",
    "tree",
]
