"""Samples and maps -> a page to look, select, factor out and look again.

`unprior.explore` opens it; this package also has what its snippets of Python call.
"""

from unprior.explorer._api import explore
from unprior.explorer._data import ExplorerData, from_arrays
from unprior.explorer._files import read_file
from unprior.explorer._path import strength_path

__all__ = ["ExplorerData", "explore", "from_arrays", "read_file", "strength_path"]
