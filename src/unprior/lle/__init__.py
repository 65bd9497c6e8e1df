"""The steps of inverse supervised LLE: distances, reconstruction weights, eigenvectors."""

from unprior.lle._distances import push_classmates
from unprior.lle._map import bottom_vectors, stays_sparse
from unprior.lle._weights import reconstruction_weights

__all__ = [
    "bottom_vectors",
    "push_classmates",
    "reconstruction_weights",
    "stays_sparse",
]
