"""Tools for AnnData, in scanpy's conventions: maps, graphs, residuals and scores.

Data are read from ``adata.X`` or ``adata.obsm``; priors are named columns of ``obs``, genes, or
entries of ``obsm``. Sparse and backed data are supported, except by `transformer`, which takes the
dense data that scanpy passes on, such as principal components. anndata itself is never imported.
"""

from unprior.tl._estimators import confetti, embed, jedi, residual
from unprior.tl._graphs import transformer
from unprior.tl._score import score
from unprior.tl._transform import transform

__all__ = ["confetti", "embed", "jedi", "residual", "score", "transform", "transformer"]
