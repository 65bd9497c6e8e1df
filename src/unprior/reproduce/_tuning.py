"""Tuning data and grids of options → figures of small maps, and a table for each grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.cluster.hierarchy import dendrogram

from unprior import priors, scores
from unprior._progress import progress_bar
from unprior._typing import Floats
from unprior.datasets import TwoFactorData, make_tuning
from unprior.plot._colors import HUES
from unprior.priors import Prior
from unprior.reproduce import _methods as methods
from unprior.reproduce._figures import map_panels, save
from unprior.reproduce._grids import appendix_grids, known_tree
from unprior.reproduce._methods import Task, draw
from unprior.reproduce._results import Section, area, figure, quotable, save_maps, table
from unprior.reproduce._setting import Setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SAMPLES = 1000
#: Standard deviations of the noise columns: first the recipe's, then quieter ones.
NOISES = (1.0, 0.3, 0.1)
#: Prefixes of the grids' figures, and the noise of their data.
SERIES = {"tuning": NOISES[0], "tuning_quiet": NOISES[-1]}


def run_tuning(setting: Setting) -> Section:
    """Reproduce the grids from which the paper chose its options."""
    data = make_tuning(setting.samples(SAMPLES), random_state=0)
    blocks = [
        f"{len(data.X)} samples of one draw, one map for each setting. Areas are signed and "
        "compare maps with labels. The paper shows such maps and gives no numbers. In the printed "
        "recipe the noise is louder than the hidden clusters, so the grids are drawn twice: with "
        f"the recipe, and with its noise columns multiplied by {NOISES[-1]:g}.",
        figure(
            "tuning_distances.png",
            "Distances from one sample to all others, relative to the largest: in all columns, in "
            "the known ones, and in the dendrogram of these by average linkage, also shown.",
        ),
        *_run_noises(setting, data),
    ]
    save_distances(data, setting.out / "tuning_distances.png")
    for series, noise in SERIES.items():
        blocks += _run_grids(setting, quieter(data, noise), series, f"noise {noise:g}")
    return Section("Options, on the tuning data", blocks)


def quieter(data: TwoFactorData, noise: float) -> TwoFactorData:
    """Multiply the noise columns, which come last."""
    X = data.X.copy()
    X[:, data.known_features.shape[1] + data.hidden_features.shape[1] :] *= noise
    return replace(data, X=X)


def _run_grids(setting: Setting, data: TwoFactorData, series: str, remark: str) -> list[str]:
    """Draw all maps of all grids; return a figure and a table for each grid."""
    grids = [(grid, grid.tasks(setting)) for grid in appendix_grids(data)]
    blocks = []
    with progress_bar(sum(len(tasks) for _, tasks in grids), series, verbose=1) as bar:
        for grid, tasks in grids:
            maps = {}
            for options, task in tasks.items():
                maps[options] = draw(task, data.X, setting.checkpoint).embedding
                bar.update()
            name, title = f"{series}_{grid.name}", f"{grid.title} ({remark})"
            shown, scored = _show(setting, data, name, title, maps, n_columns=grid.n_columns)
            blocks += [f"### {title}", shown, scored]
    return blocks


def _run_noises(setting: Setting, data: TwoFactorData) -> list[str]:
    """Draw maps with the paper's options while the noise columns are scaled down."""
    prior = priors.features(data.known_features)
    estimators = {
        "t-SNE": methods.tsne(setting, 0),
        "CONFETTI": methods.confetti(setting, 0, strength=2.0),
        "JEDI": methods.jedi(setting, 0),
    }
    maps = {}
    with progress_bar(len(NOISES) * len(estimators), "tuning_noise", verbose=1) as bar:
        for noise in NOISES:
            X = quieter(data, noise).X
            for name, estimator in estimators.items():
                maps[f"{name}, noise {noise:g}"] = draw(
                    Task(estimator, prior), X, setting.checkpoint
                ).embedding
                bar.update()
    title = "Standard deviation of the noise columns: 1 as in the recipe, and less"
    shown, scored = _show(setting, data, "tuning_noise", title, maps, n_columns=len(estimators))
    return [f"### {title}", shown, quotable("tuning-noise", scored)]


def _show(
    setting: Setting,
    data: TwoFactorData,
    name: str,
    title: str,
    maps: Mapping[str, Floats],
    *,
    n_columns: int,
) -> tuple[str, str]:
    """Draw maps; return their figure and the table of their areas."""
    known, hidden = priors.labels(data.known), priors.labels(data.hidden)
    kept = {at: area(scores.overlap_area(Y, hidden)) for at, Y in maps.items()}
    left = {at: area(scores.overlap_area(Y, known)) for at, Y in maps.items()}
    notes = {at: f"hidden kept {kept[at]}, prior left {left[at]}" for at in maps}
    panels = map_panels(maps, data.known, data.hidden, n_columns=n_columns, notes=notes)
    save(panels, setting.out / f"{name}.png")
    save_maps(setting.out, name, maps)
    return (
        figure(f"{name}.png", f"{title}. Colour: known. Shape: hidden."),
        table(["", "hidden kept", "prior left"], [[at, kept[at], left[at]] for at in maps]),
    )


def save_distances(data: TwoFactorData, path: Path) -> None:
    """Draw distances from the first sample: in the data, the known columns and the dendrogram."""
    from matplotlib.figure import Figure

    tree = known_tree(data)
    compared: dict[str, Prior] = {
        "all columns": priors.features(data.X),
        "known columns": priors.features(data.known_features),
        "dendrogram, scaled": priors.tree(tree),
    }
    drawn = Figure(figsize=(8, 6), layout="constrained")
    first, second, third, fourth = drawn.subplots(2, 2).ravel()
    for ax, (title, distances) in zip((first, second, fourth), compared.items(), strict=True):
        _draw_distances(ax, distances_from_first(distances), data.known)
        ax.set_title(title, fontsize="medium")
    dendrogram(tree, ax=third, no_labels=True, link_color_func=lambda _: "0.3")
    third.set_title("dendrogram of the known columns", fontsize="medium")
    third.set(xlabel="samples", ylabel="height of the merge")
    third.spines[["top", "right"]].set_visible(False)
    first.legend(frameon=False, fontsize="small", markerscale=3, loc="lower right")
    save(drawn, path)


def distances_from_first(distances: Prior) -> Floats:
    """Return the distances from the first sample to all, relative to the largest of them."""
    row = distances.block(np.array([0]), np.arange(distances.n_samples))[0]
    return np.asarray(row / row.max())


def _draw_distances(ax: Axes, distances: Floats, known: Any) -> None:
    """Draw a point for each sample, in the order of the known groups; a star is the first."""
    order = np.argsort(known, kind="stable")
    places = np.argsort(order)
    for hue, group in zip(HUES, np.unique(known), strict=False):
        rows = known == group
        ax.scatter(places[rows], distances[rows], color=hue, s=4, lw=0, label=str(group))
    ax.scatter(places[:1], distances[:1], color="black", marker="*", s=60)
    ax.set(xlabel="samples, by known group", ylabel="distance from the star", xticks=[])
    ax.spines[["top", "right"]].set_visible(False)
