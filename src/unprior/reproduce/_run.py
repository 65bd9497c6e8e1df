"""Names of experiments → runs, one after the other, each with its results on file at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from unprior.reproduce._cells import run_cells
from unprior.reproduce._flowers import run_flowers
from unprior.reproduce._labels import run_labels
from unprior.reproduce._markers import run_markers
from unprior.reproduce._results import Section, write_page, write_section
from unprior.reproduce._search import searches
from unprior.reproduce._setting import Setting
from unprior.reproduce._synthetic import run_synthetic
from unprior.reproduce._times import run_times
from unprior.reproduce._tuning import run_tuning

EXPERIMENTS: Mapping[str, Callable[[Setting], Section]] = {
    "synthetic": run_synthetic,
    "labels": run_labels,
    "tuning": run_tuning,
    **dict(searches()),
    "flowers": run_flowers,
    "markers": run_markers,
    "cells": run_cells,
    "times": run_times,
}


def reproduce(names: Iterable[str], setting: Setting) -> None:
    """Redo experiments of the paper; runs into one folder add up to one page, ``results.md``.

    Parameters
    ----------
    names : iterable of str
        Which of the `EXPERIMENTS`.
    setting : Setting
        How much of them to redo, with which data, and where to.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unprior.reproduce import Setting, reproduce
    >>> with TemporaryDirectory() as folder:
    ...     reproduce(["cells"], Setting(Path(folder), quick=True))
    ...     print((Path(folder) / "results.md").read_text().splitlines()[-1])
    **Skipped**: there is no sc_ra_synovium.npz in the folder --data.
    """
    setting.out.mkdir(parents=True, exist_ok=True)
    for name in names:
        write_section(setting.out, name, EXPERIMENTS[name](setting))
        write_page(setting.out, EXPERIMENTS)
