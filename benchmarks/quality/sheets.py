"""Kept maps → for each case one picture: methods side by side, by prior above, hidden below."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from quality.case import Case
from quality.methods import METHODS
from quality.run import Run, map_path, read_runs
from unprior.priors import Features, Labels, Prior

SHEETS = "sheets"
#: Methods of a sheet, as far as they have been run with seed 0.
SHOWN = (
    "tsne",
    "embed",
    "independent",
    "aligned-tsne",
    "balanced-umap",
    "harmony-tsne",
    "bbknn-umap",
    "leace-tsne",
)


def draw_sheets(cases: Iterable[Case], build: Path) -> None:
    """Draw a sheet for each case of which maps are kept."""
    runs = {run.key: run for run in read_runs(build) if not run.failure}
    for case in cases:
        keys = [(case.name, method, 0) for method in SHOWN if method in METHODS]
        own = [runs[key] for key in keys if key in runs and map_path(build, *key).exists()]
        if own:
            print(draw_sheet(case, own, build), flush=True)


def draw_sheet(case: Case, runs: list[Run], build: Path) -> Path:
    """Draw the maps of some runs of a case; return where the picture is."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.6 * len(runs), 6), layout="constrained")
    axes = figure.subplots(2, len(runs), squeeze=False)
    size = max(0.3, 60 / np.sqrt(len(case.X)) - 0.5)
    for column, run in zip(axes.T, runs, strict=True):
        with np.load(map_path(build, *run.key)) as kept:
            Y = kept["Y"]
        for panel, look in zip(
            column, (prior_colors(case.prior), classes(case.hidden)), strict=True
        ):
            panel.scatter(*Y.T, s=size, linewidths=0, rasterized=True, **look)
            panel.set(xticks=[], yticks=[], aspect="equal")
        column[0].set_title(run.method, fontsize=9)
        worst = "" if run.worst != run.worst else f", worst class {run.worst:.2f}"
        column[0].set_xlabel(f"left {run.left:.2f}{worst}", fontsize=8)
        told = f"kept {run.kept:.2f}, score {run.score:.2f}, unevenness {run.unevenness:.2f}"
        column[1].set_xlabel(told, fontsize=8)
    for panel, name in zip(axes[:, 0], ("by prior", "by hidden labels"), strict=True):
        panel.set_ylabel(name, fontsize=8)
    figure.suptitle(f"{case.name} ({case.family}, {case.split}, n = {len(case.X)})", fontsize=10)
    path = build / SHEETS / f"{case.name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path


def prior_colors(prior: Prior) -> dict:
    """Return colours of samples by a prior: classes, first feature, or distance to one sample."""
    if isinstance(prior, Labels):
        return classes(prior.codes)
    if isinstance(prior, Features):
        values = np.asarray(prior.values).reshape(prior.n_samples, -1)[:, 0]
    else:
        values = prior.block(np.array([0]), np.arange(prior.n_samples))[0]
    return {"c": np.argsort(np.argsort(values)), "cmap": "viridis"}


def classes(labels: np.ndarray) -> dict:
    """Return colours of classes; the hues of many are dealt at random."""
    present, codes = np.unique(labels, return_inverse=True)
    if len(present) <= 10:
        return {"c": codes, "cmap": "tab10", "vmin": 0, "vmax": 9}
    hues = np.random.default_rng(0).permutation(len(present))
    return {"c": hues[codes], "cmap": "gist_rainbow"}
