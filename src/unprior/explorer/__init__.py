"""The explorer: a page with maps side by side, to select samples and factor out more.

`unprior.explore` opens it. The other names are used by the Python snippets that the page shows.
"""

from unprior.explorer._api import explore
from unprior.explorer._data import ExplorerData, from_arrays
from unprior.explorer._draw import strength_path
from unprior.explorer._files import read_file

__all__ = ["ExplorerData", "explore", "from_arrays", "read_file", "strength_path"]
