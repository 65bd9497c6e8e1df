"""Names of experiments → runs, one after the other; each writes its results when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from unprior.reproduce._cells import run_cells
from unprior.reproduce._flowers import run_flowers
from unprior.reproduce._markers import run_markers
from unprior.reproduce._results import Section, write_page, write_section
from unprior.reproduce._search import searches
from unprior.reproduce._setting import Setting
from unprior.reproduce._synthetic import run_labels, run_synthetic
from unprior.reproduce._times import run_times
from unprior.reproduce._tuning import run_tuning
from unprior.reproduce._variants import run_variants

EXPERIMENTS: Mapping[str, Callable[[Setting], Section]] = {
    "synthetic": run_synthetic,
    "variants": run_variants,
    "labels": run_labels,
    "tuning": run_tuning,
    **dict(searches()),
    "flowers": run_flowers,
    "markers": run_markers,
    "cells": run_cells,
    "times": run_times,
}


def reproduce(names: Iterable[str], setting: Setting) -> None:
    """Run experiments of the paper; runs into the same folder add up to one ``results.md``.

    Parameters
    ----------
    names : iterable of str
        Names of `EXPERIMENTS`.
    setting : Setting
        The data, the size of the runs and the output folder.

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
