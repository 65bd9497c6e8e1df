"""Distances between images of flowers → maps with their colour factored out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import squareform

from unprior import plot, priors, scores
from unprior._typing import Floats
from unprior.datasets import Flowers102, fetch_flowers102
from unprior.geometry import principal_coordinates
from unprior.reproduce import _methods as methods
from unprior.reproduce._figures import overlap_panels, save
from unprior.reproduce._files import read_arrays
from unprior.reproduce._methods import Task, draw_all
from unprior.reproduce._results import NO_FIGURE, Section, figure, save_maps, table
from unprior.reproduce._rivals import rivals
from unprior.reproduce._setting import Setting

FILE = "flowers102_dist.npz"
TITLE = "Flowers: everything but the colour"
VIEWS = ("hsv", "hog", "siftint", "siftbdy")
#: Images of each class in a quick run.
QUICK_IMAGES = 7
PAPER_SECONDS = {"JEDI": "two minutes", "CONFETTI, λ = 2": "seconds"}


def run_flowers(setting: Setting) -> Section:
    """Redo the experiment on images of flowers, if their distances are to be had."""
    try:
        flowers = _load(setting)
    except (ImportError, ConnectionError, FileNotFoundError) as error:
        return Section(TITLE, [f"**Skipped**: {error}"])
    color = flowers.distances["hsv"]
    rest = sum((flowers.distances[view] for view in VIEWS[1:]), np.zeros_like(color))
    maps = _draw_maps(setting, color + rest, priors.distances(color))
    return Section(TITLE, _show(setting, flowers, maps, color, rest))


def _load(setting: Setting) -> Flowers102:
    """Read the distances from the data folder, or fetch those of the whole collection."""
    names = [*(f"d_{view}" for view in VIEWS), "label", "image_index"]
    try:
        arrays = read_arrays(setting.data, FILE, names)
    except FileNotFoundError:
        if setting.quick:  # too quick for a download
            raise
        return fetch_flowers102().subset(random_state=0)
    distances = {view: squareform(arrays[f"d_{view}"].astype(np.float32)) for view in VIEWS}
    flowers = Flowers102(distances, arrays["label"], arrays["image_index"])
    return flowers.subset(per_class=QUICK_IMAGES, random_state=0) if setting.quick else flowers


def _draw_maps(setting: Setting, X: Floats, color: priors.Prior) -> dict[str, methods.Map]:
    given: dict[str, Any] = {"metric": "precomputed"}
    estimators = {
        "t-SNE": methods.tsne(setting, 0, **given),
        "JEDI": methods.jedi(setting, 0, **given),
        "CONFETTI, λ = 2": methods.confetti(setting, 0, strength=2.0, **given),
        "CONFETTI, quantile": methods.confetti(setting, 0, operator="quantile", **given),
        "IndependentTSNE": methods.independent_tsne(setting, 0, **given),
    }
    tasks = {name: Task(estimator, color) for name, estimator in estimators.items()}
    tasks.update(rivals(setting, 0, X, numbers=color, labels=None, **given))
    return draw_all(setting, "flowers", tasks, X)


def _show(
    setting: Setting,
    flowers: Flowers102,
    found: dict[str, methods.Map],
    color: Floats,
    rest: Floats,
) -> list[str]:
    """Draw maps and curves, and return the section."""
    maps = {name: m.embedding for name, m in found.items()}
    sides = {"the colour (prior)": priors.distances(color), "the rest": priors.distances(rest)}
    curves = {
        against: {name: scores.overlap_curve(Y, side) for name, Y in maps.items()}
        for against, side in sides.items()
    }
    axes = plot.compare(
        maps,
        color={
            "colour, first\naxis (prior)": principal_coordinates(sides["the colour (prior)"])[:, 0],
            "shape, first\naxis (rest)": principal_coordinates(sides["the rest"])[:, 0],
        },
    )
    save(axes[0, 0].figure, setting.out / "flowers_maps.png")
    save(overlap_panels(curves), setting.out / "flowers_overlap.png")
    save_maps(setting.out, "flowers", maps)
    species = priors.labels(flowers.labels)
    rows = [
        *(
            [f"area with {against}", *(f"{curve.area:.3f}" for curve in by_map.values())]
            for against, by_map in curves.items()
        ),
        ["species, 15-neighbour purity", *(f"{_purity(Y, species):.3f}" for Y in maps.values())],
        ["seconds", *(f"{m.seconds:.1f}" for m in found.values())],
        ["*paper: seconds*", *(f"*{PAPER_SECONDS.get(name, NO_FIGURE)}*" for name in maps)],
    ]
    return [
        f"{len(flowers.labels)} images of {len(np.unique(flowers.labels))} species. The data are "
        "the sum of four distance matrices, the prior is one of the four, that of colour (HSV). "
        "Areas are signed; purity is 0 by chance. The paper judges by looking at the images on the "
        "maps.",
        table(["", *maps], rows),
        figure(
            "flowers_maps.png",
            "Above, coloured by the main axis of the colour distances, which should mix; below, "
            "by that of the other three, which should show.",
        ),
        figure("flowers_overlap.png", "Overlap with the prior, and with the other three matrices."),
    ]


def _purity(Y: Floats, species: priors.Labels) -> float:
    return scores.neighbor_purity(Y, species, k=min(15, len(Y) - 1))
