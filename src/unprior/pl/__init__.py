"""Plots of maps in an AnnData, coloured by its columns and genes.

Any map in ``adata.obsm`` can be drawn, scanpy's as well as those of `unprior.tl`. Colours that
scanpy assigned to groups, ``uns["<column>_colors"]``, are used.
"""

from unprior.pl._maps import compare, embedding

__all__ = ["compare", "embedding"]
