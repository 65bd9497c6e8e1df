"""Methods and draws of the two-factor data → maps, overlap curves, and a table of their areas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unprior import priors, scores
from unprior._progress import progress_bar
from unprior.datasets import TwoFactorData, make_two_factor
from unprior.reproduce._figures import map_panels, overlap_panels, save
from unprior.reproduce._methods import Map, Task, draw
from unprior.reproduce._results import NO_FIGURE, area, save_maps, spread, table
from unprior.reproduce._setting import Setting

SAMPLES = 2000

#: What the maps are held against: the structure to keep, then what was known.
HIDDEN_LABELS, HIDDEN_FEATURES = "the hidden labels", "the hidden columns"
PRIOR_LABELS, PRIOR_DISTANCES = "the prior labels", "the prior distances"

Tasks = Callable[[Setting, int, TwoFactorData], dict[str, Task]]


@dataclass(frozen=True, eq=False)
class Drawn:
    """One draw of the data: every method's map, and its overlap by what it is held against."""

    data: TwoFactorData
    maps: dict[str, Map]
    curves: dict[str, dict[str, scores.OverlapCurve]]


@dataclass(frozen=True)
class Quoted:
    """Figures of the paper, by method; each stands above the row of ours it belongs to."""

    what: str
    areas: Mapping[str, str]


def run_draws(setting: Setting, tasks: Tasks, title: str) -> list[Drawn]:
    """Fit and score every method on every draw."""
    draws = []
    with progress_bar(len(setting.seeds), title, verbose=1) as bar:
        for seed in setting.seeds:
            data = make_two_factor(setting.samples(SAMPLES), random_state=seed)
            maps = {
                name: draw(task, data.X, setting.checkpoint)
                for name, task in tasks(setting, seed, data).items()
            }
            draws.append(Drawn(data, maps, _curves(data, maps)))
            bar.update()
    return draws


def write_first_draw(setting: Setting, experiment: str, first: Drawn, *, n_columns: int) -> None:
    """Draw the maps and curves of the first draw, and keep its maps."""
    maps = {name: found.embedding for name, found in first.maps.items()}
    kept, left = first.curves[HIDDEN_LABELS], first.curves[PRIOR_LABELS]
    notes = {
        name: f"hidden kept {area(kept[name].area)}, prior left {area(left[name].area)}"
        for name in maps
    }
    known, hidden = first.data.known, first.data.hidden
    panels = map_panels(maps, known, hidden, n_columns=n_columns, notes=notes)
    save(panels, setting.out / f"{experiment}_maps.png")
    save(overlap_panels(first.curves), setting.out / f"{experiment}_overlap.png")
    save_maps(setting.out, experiment, maps)


def area_table(
    draws: Sequence[Drawn], quoted: Mapping[str, Quoted], methods: Sequence[str] | None = None
) -> str:
    """Put the areas of methods side by side, below the paper's where it gives some."""
    methods = methods or [*draws[0].maps]
    rows = []
    for against in draws[0].curves:
        if against in quoted:
            paper = quoted[against]
            figures = [paper.areas.get(name, NO_FIGURE) for name in methods]
            rows.append([f"*paper: {paper.what}*", *(f"*{value}*" for value in figures)])
        rows.append([f"area with {against}", *_row(draws, against, "absolute_area", methods)])
        if against in (PRIOR_LABELS, PRIOR_DISTANCES):
            rows.append(["the same, signed", *_row(draws, against, "area", methods)])
    seconds = [f"{np.median([d.maps[name].seconds for d in draws]):.1f}" for name in methods]
    return table(["", *methods], [*rows, ["seconds, median", *seconds]])


def mean_area(draws: Sequence[Drawn], against: str, method: str) -> float:
    """Return the mean area between a method's curve and chance."""
    return float(np.mean([d.curves[against][method].absolute_area for d in draws]))


def _row(draws: Sequence[Drawn], against: str, which: str, methods: Sequence[str]) -> list[str]:
    return [spread([getattr(d.curves[against][name], which) for d in draws]) for name in methods]


def _curves(
    data: TwoFactorData, maps: Mapping[str, Map]
) -> dict[str, dict[str, scores.OverlapCurve]]:
    sides: dict[str, Any] = {
        HIDDEN_LABELS: priors.labels(data.hidden),
        HIDDEN_FEATURES: priors.features(data.hidden_features),
        PRIOR_LABELS: priors.labels(data.known),
        PRIOR_DISTANCES: priors.features(data.known_features),
    }
    return {
        against: {name: scores.overlap_curve(m.embedding, side) for name, m in maps.items()}
        for against, side in sides.items()
    }
