"""Map -> the N-body sum that every objective shares."""

from unprior.repulsion._exact import exact_field
from unprior.repulsion._field import Field

__all__ = ["Field", "exact_field"]
