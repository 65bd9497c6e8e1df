"""Tuning data and grids of options → a figure of small maps and a table for each grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from unprior import priors, scores
from unprior._progress import progress_bar
from unprior._typing import Floats
from unprior.datasets import TwoFactorData, make_tuning
from unprior.reproduce import _methods as methods
from unprior.reproduce._distances import save_distances
from unprior.reproduce._figures import map_panels, save
from unprior.reproduce._grids import appendix_grids
from unprior.reproduce._methods import Task, draw
from unprior.reproduce._results import Section, area, figure, save_maps, table
from unprior.reproduce._setting import Setting

SAMPLES = 1000
#: Standard deviations of the noise columns: the recipe's first, then quieter ones.
NOISES = (1.0, 0.3, 0.1)
#: Names of the grids' figures begin with one of these, which tells the noise of their data.
SERIES = {"tuning": NOISES[0], "tuning_quiet": NOISES[-1]}


def run_tuning(setting: Setting) -> Section:
    """Redo the grids on which the paper chose its options."""
    data = make_tuning(setting.samples(SAMPLES), random_state=0)
    blocks = [
        f"{len(data.X)} samples of one draw, one map for each setting. Areas are those with the "
        "labels, signed. The paper shows such maps and gives no figures. In the recipe as it is "
        "printed the noise is louder than the hidden clusters, so the grids are drawn twice: by "
        f"the recipe, and with its noise columns multiplied by {NOISES[-1]:g}.",
        figure(
            "tuning_distances.png",
            "Distances from one sample to all others, as shares of the largest: in all columns, in "
            "the known ones, and in their dendrogram by average linkage, which is shown as well.",
        ),
        *_run_noises(setting, data),
    ]
    save_distances(data, setting.out / "tuning_distances.png")
    for series, noise in SERIES.items():
        blocks += run_grids(setting, quieter(data, noise), series, f"noise {noise:g}")
    return Section("Options, on the tuning data", blocks)


def run_grids(setting: Setting, data: TwoFactorData, series: str, remark: str) -> list[str]:
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
            blocks += _show(setting, data, name, title, maps, n_columns=grid.n_columns)
    return blocks


def _run_noises(setting: Setting, data: TwoFactorData) -> list[str]:
    """Draw maps at the paper's settings while the noise columns are scaled down."""
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
    return _show(setting, data, "tuning_noise", title, maps, n_columns=len(estimators))


def quieter(data: TwoFactorData, noise: float) -> TwoFactorData:
    """Multiply the noise columns, which come last."""
    X = data.X.copy()
    X[:, data.known_features.shape[1] + data.hidden_features.shape[1] :] *= noise
    return replace(data, X=X)


def _show(
    setting: Setting,
    data: TwoFactorData,
    name: str,
    title: str,
    maps: Mapping[str, Floats],
    *,
    n_columns: int,
) -> list[str]:
    """Draw maps; return their figure and the table of their areas."""
    known, hidden = priors.labels(data.known), priors.labels(data.hidden)
    kept = {at: area(scores.overlap_area(Y, hidden)) for at, Y in maps.items()}
    left = {at: area(scores.overlap_area(Y, known)) for at, Y in maps.items()}
    notes = {at: f"hidden kept {kept[at]}, prior left {left[at]}" for at in maps}
    panels = map_panels(maps, data.known, data.hidden, n_columns=n_columns, notes=notes)
    save(panels, setting.out / f"{name}.png")
    save_maps(setting.out, name, maps)
    return [
        f"### {title}",
        figure(f"{name}.png", f"{title}. Colour: known. Shape: hidden."),
        table(["", "hidden kept", "prior left"], [[at, kept[at], left[at]] for at in maps]),
    ]
