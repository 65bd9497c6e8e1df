"""Maps and scores → matplotlib Axes; no function touches pyplot or the global settings.

Without ``ax`` a function makes a figure of its own, which ``ax.figure`` gives back: save it with
``ax.figure.savefig("map.png")``, or end a notebook cell with ``ax.figure``.
"""

from unprior.plot._compare import compare
from unprior.plot._curves import overlap
from unprior.plot._path import path
from unprior.plot._scatter import embedding

__all__ = ["compare", "embedding", "overlap", "path"]
