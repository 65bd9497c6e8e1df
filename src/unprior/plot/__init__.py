"""Plots of maps and scores with matplotlib, without changing pyplot's global state.

Without ``ax`` a function makes its own figure, available as ``ax.figure``: save it with
``ax.figure.savefig("map.png")``, or end a notebook cell with ``ax.figure``.
"""

from unprior.plot._compare import compare
from unprior.plot._curves import overlap, path
from unprior.plot._scatter import embedding

__all__ = ["compare", "embedding", "overlap", "path"]
