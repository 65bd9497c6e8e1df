"""Tuning data and grids of options → a figure of small maps and a table for each grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unprior import priors, scores
from unprior._progress import progress_bar
from unprior._typing import Floats
from unprior.datasets import TwoFactorData, make_tuning
from unprior.reproduce import _methods as methods
from unprior.reproduce._figures import map_panels, save
from unprior.reproduce._grids import Grid, appendix_grids
from unprior.reproduce._methods import Task, draw
from unprior.reproduce._results import Section, area, figure, save_maps, table
from unprior.reproduce._setting import Setting

SAMPLES = 1000
#: Standard deviations of the noise columns: the recipe's first, then quieter ones.
NOISES = (1.0, 0.3, 0.1)


def run_tuning(setting: Setting) -> Section:
    """Redo the grids on which the paper chose its options."""
    data = make_tuning(setting.samples(SAMPLES), random_state=0)
    grids = [*appendix_grids(data)]
    blocks = [
        f"{len(data.X)} samples of one draw, one map for each setting. Areas are those with the "
        "labels, signed. The paper shows such maps and gives no figures."
    ]
    n_maps = sum(len(grid.tasks(setting)) for grid in grids)
    with progress_bar(n_maps, "tuning", verbose=1) as bar:
        for grid in grids:
            blocks += _run_grid(setting, data, grid, bar)
    blocks += run_noises(setting, data)
    return Section("Options, on the tuning data", blocks)


def run_noises(setting: Setting, data: TwoFactorData) -> list[str]:
    """Draw maps at the paper's settings while the noise columns are scaled down."""
    prior, X = priors.features(data.known_features), data.X
    first_noise = data.known_features.shape[1] + data.hidden_features.shape[1]
    estimators = {
        "t-SNE": methods.tsne(setting, 0),
        "CONFETTI": methods.confetti(setting, 0, strength=2.0),
        "JEDI": methods.jedi(setting, 0),
    }
    maps = {}
    with progress_bar(len(NOISES) * len(estimators), "noise", verbose=1) as bar:
        for noise in NOISES:
            quieter = X.copy()
            quieter[:, first_noise:] *= noise
            for name, estimator in estimators.items():
                task = Task(estimator, prior)
                maps[f"{name}, noise {noise:g}"] = draw(task, quieter).embedding
                bar.update()
    title = "Standard deviation of the noise columns: 1 as in the recipe, and less"
    return _show(setting, data, "tuning_noise", title, maps, n_columns=len(estimators))


def _run_grid(setting: Setting, data: TwoFactorData, grid: Grid, bar: Any) -> list[str]:
    maps = {}
    for options, task in grid.tasks(setting).items():
        maps[options] = draw(task, data.X).embedding
        bar.update()
    name = f"tuning_{grid.name}"
    return _show(setting, data, name, grid.title, maps, n_columns=grid.n_columns)


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
