"""Maps in an AnnData → matplotlib Axes, coloured by its columns and genes.

The maps are those of ``adata.obsm``: scanpy's as well as those of `unprior.tl`. Colours that scanpy
has given to groups, ``uns["<column>_colors"]``, are kept.
"""

from unprior.pl._compare import compare
from unprior.pl._embedding import embedding

__all__ = ["compare", "embedding"]
