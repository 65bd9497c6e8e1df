"""The name of an optional package → the package, or one sentence with the command to install it."""

from __future__ import annotations

import importlib
from typing import Any

#: Package -> the extra of this library that brings it.
EXTRAS = {
    "pandas": "io",
    "pyarrow": "io",
    "openpyxl": "excel",
    "anndata": "anndata",
    "anywidget": "explore",
    "starlette": "explore",
    "uvicorn": "explore",
    "websockets": "explore",
}


def import_extra(package: str, purpose: str) -> Any:
    """Import a package that is not part of the core; ``purpose`` begins the sentence if it lacks.

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
