"""Distances between images of flowers → maps with their colour factored out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.distance import squareform

from unprior import priors, scores
from unprior._typing import Floats
from unprior.datasets import Flowers102, fetch_flowers102
from unprior.geometry import principal_coordinates
from unprior.reproduce import _methods as methods
from unprior.reproduce._clusters import complete_clusters
from unprior.reproduce._figures import overlap_panels, save, save_compared
from unprior.reproduce._methods import Map, Task, draw_all
from unprior.reproduce._results import (
    NO_FIGURE,
    Section,
    area,
    figure,
    quotable,
    save_maps,
    table,
)
from unprior.reproduce._rivals import DATA_COORDINATES, PRIOR_COORDINATES, rivals
from unprior.reproduce._setting import Setting

FILE = "flowers102_dist.npz"
TITLE = "Flowers: everything but the colour"
VIEWS = ("hsv", "hog", "siftint", "siftbdy")
#: The first of the methods that are drawn in a second figure.
FIRST_OTHER = "ct-SNE"
#: Images of each class in a quick run.
QUICK_IMAGES = 7
NEIGHBORS = 15
PAPER_SECONDS = {"JEDI": "two minutes", "CONFETTI, λ = 2": "seconds"}


def run_flowers(setting: Setting) -> Section:
    """Reproduce the experiment on images of flowers, if their distances can be had."""
    try:
        flowers = _load(setting)
    except (ImportError, ConnectionError, FileNotFoundError) as error:
        return Section(TITLE, [f"**Skipped**: {error}"])
    color = flowers.distances["hsv"]
    rest = sum((flowers.distances[view] for view in VIEWS[1:]), np.zeros_like(color))
    n_species = len(np.unique(flowers.labels))
    clusters = complete_clusters(squareform(color, checks=False), n_species).labels
    found = draw_all(setting, "flowers", _tasks(setting, color, rest, clusters), color + rest)
    blocks = [
        quotable(
            "flowers-about",
            f"{len(flowers.labels)} images of {n_species} species. The data are the sum of four "
            "distance matrices, the prior is one of the four: colour (HSV). Areas are signed; "
            f"purity is among {NEIGHBORS} map neighbours, 0 by chance. Methods that take columns "
            f"get {DATA_COORDINATES} principal coordinates of the data and {PRIOR_COORDINATES} of "
            f"the colour (PARE needs only the latter); methods that take labels get {n_species} "
            "clusters of the colour by complete linkage.",
        ),
        *_show(setting, flowers, found, color, rest),
    ]
    return Section(TITLE, blocks)


def _load(setting: Setting) -> Flowers102:
    """Read the distances from the data folder, or fetch those of the whole collection."""
    names = [*(f"d_{view}" for view in VIEWS), "label", "image_index"]
    try:
        *condensed, species, images = setting.read(FILE, names)
    except FileNotFoundError:
        if setting.quick:  # a download takes too long
            raise
        return fetch_flowers102().subset(random_state=0)
    matrices = [squareform(values.astype(np.float32)) for values in condensed]
    flowers = Flowers102(dict(zip(VIEWS, matrices, strict=True)), species, images)
    return flowers.subset(per_class=QUICK_IMAGES, random_state=0) if setting.quick else flowers


def _tasks(setting: Setting, color: Floats, rest: Floats, clusters: Any) -> dict[str, Task]:
    given: dict[str, Any] = {"metric": "precomputed"}
    prior = priors.distances(color)
    estimators = {
        "t-SNE": methods.tsne(setting, 0, **given),
        "JEDI": methods.jedi(setting, 0, **given),
        "CONFETTI, λ = 2": methods.confetti(setting, 0, strength=2.0, **given),
        "CONFETTI, default": methods.confetti(setting, 0, operator="auto", **given),
        "IndependentTSNE": methods.independent_tsne(setting, 0, **given),
    }
    labels = priors.labels(clusters)
    return {
        **{name: Task(estimator, prior) for name, estimator in estimators.items()},
        FIRST_OTHER: Task(methods.conditional_tsne(setting, 0, **given), labels),
        "sLLE⁻¹": Task(methods.inverse_slle(setting, 0, **given), labels),
        **rivals(setting, 0, color + rest, numbers=prior, labels=labels, **given),
    }


def _show(
    setting: Setting, flowers: Flowers102, found: Mapping[str, Map], color: Floats, rest: Floats
) -> list[str]:
    """Draw maps and curves; return the table and the figures."""
    maps = {name: m.embedding for name, m in found.items()}
    compared = {"the colour (prior)": priors.distances(color), "the rest": priors.distances(rest)}
    curves = {
        what: {name: scores.overlap_curve(Y, distances) for name, Y in maps.items()}
        for what, distances in compared.items()
    }
    first_axes = [principal_coordinates(distances)[:, 0] for distances in compared.values()]
    titles = ("colour, first\naxis (prior)", "shape, first\naxis (rest)")
    n_ours = [*maps].index(FIRST_OTHER)
    coloring = dict(zip(titles, first_axes, strict=True))
    save_compared(setting.out, "flowers_maps", maps, coloring, n_first=n_ours)
    ours = {what: dict([*by_map.items()][:n_ours]) for what, by_map in curves.items()}
    save(overlap_panels(ours), setting.out / "flowers_overlap.png")
    save_maps(setting.out, "flowers", maps)
    k, species = min(NEIGHBORS, len(flowers.labels) - 1), priors.labels(flowers.labels)
    rows = [
        [
            name,
            *(area(by_map[name].area) for by_map in curves.values()),
            area(scores.neighbor_purity(m.embedding, species, k=k)),
            f"{m.seconds:.1f}",
            f"*{PAPER_SECONDS.get(name, NO_FIGURE)}*",
        ]
        for name, m in found.items()
    ]
    header = [*(f"area with {what}" for what in curves), "species purity", "CPU seconds"]
    return [
        quotable("flowers", table(["", *header, "*paper: time*"], rows)),
        figure(
            "flowers_maps.png",
            "Above, coloured by the first axis of the colour distances, which should mix; below, "
            "by the first axis of the other three, which should show.",
        ),
        figure("flowers_maps_others.png", "The same by other methods."),
        figure("flowers_overlap.png", "Overlap with the prior, and with the other three matrices."),
    ]
