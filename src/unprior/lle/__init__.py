"""Data and labels -> a map by locally linear embedding: the steps of inverse supervised LLE."""

from unprior.lle._distances import push_classmates

__all__ = ["push_classmates"]
