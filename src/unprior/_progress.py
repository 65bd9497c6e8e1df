"""Progress bars for long work: on a terminal or in a notebook, silent elsewhere."""

from __future__ import annotations

import sys
import warnings
from typing import Any

#: Work shorter than this many seconds shows no bar.
DELAY = 2.0


def progress_bar(total: int, title: str, *, verbose: int = 0) -> Any:
    """Make a tqdm bar; ``verbose`` shows it at once, and also where no person is watching."""
    with warnings.catch_warnings():
        # In a notebook without ipywidgets it draws its bar as text.
        warnings.filterwarnings("ignore", "IProgress not found")
        from tqdm.auto import tqdm

    watched = sys.stderr.isatty() or _in_notebook()
    return tqdm(
        total=total,
        desc=title,
        disable=not (verbose or watched),
        delay=0 if verbose else DELAY,
        leave=bool(verbose),
    )


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    active = shell.get_ipython() if shell is not None else None
    return type(active).__name__ == "ZMQInteractiveShell"
