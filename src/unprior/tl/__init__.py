"""AnnData → maps, graphs, residuals and scores in its slots, by the conventions of scverse.

Data are read from ``adata.X`` or ``adata.obsm``, priors by the names of columns of ``obs``, of
genes or of entries of ``obsm``. Sparse and backed data will do, except for `transformer`, which
takes what scanpy hands it: dense data, such as principal components. anndata itself is never
imported.
"""

from unprior.tl._embed import embed
from unprior.tl._maps import confetti, jedi
from unprior.tl._residual import residual
from unprior.tl._score import score
from unprior.tl._transform import transform
from unprior.tl._transformer import transformer

__all__ = ["confetti", "embed", "jedi", "residual", "score", "transform", "transformer"]
