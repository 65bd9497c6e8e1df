"""Import optional packages, or say how to install them."""

from __future__ import annotations

import importlib
from typing import Any

#: Package -> the extra of this library that installs it.
EXTRAS = {
    "pandas": "io",
    "pyarrow": "io",
    "openpyxl": "excel",
    "anndata": "anndata",
    "anywidget": "explore",
    "pooch": "data",
    "starlette": "explore",
    "uvicorn": "explore",
    "websockets": "explore",
}


def import_extra(package: str, purpose: str) -> Any:
    """Import an optional package; ``purpose`` begins the error if it is not installed.

    Examples
    --------
    >>> import_extra("pandas", "reading CSV").__name__
    'pandas'
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        message = (
            f"{purpose} needs the package {package}, which is not installed; "
            f'pip install "unprior[{EXTRAS[package]}]".'
        )
        raise ImportError(message) from error
