"""Draws of the two-factor data → maps, overlap curves, and areas next to the paper's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unprior import priors, scores
from unprior._progress import progress_bar
from unprior.datasets import TwoFactorData, make_two_factor
from unprior.reproduce import _methods as methods
from unprior.reproduce._figures import map_panels, overlap_panels, save
from unprior.reproduce._methods import Map, Task, draw
from unprior.reproduce._results import (
    NO_FIGURE,
    Section,
    area,
    figure,
    quotable,
    save_maps,
    spread,
    table,
)
from unprior.reproduce._rivals import rivals
from unprior.reproduce._setting import Setting

SAMPLES = 2000

#: What maps are compared with: first the structure to keep, then the prior.
HIDDEN_LABELS, HIDDEN_FEATURES = "the hidden labels", "the hidden columns"
PRIOR_LABELS, PRIOR_DISTANCES = "the prior labels", "the prior distances"

PAPER_KEPT = {"ct-SNE": ".237", "sLLE⁻¹": ".344", "JEDI": ".340", "CONFETTI": ".344"}
PAPER_LEFT = {"ct-SNE": ".037", "sLLE⁻¹": ".005", "JEDI": ".003", "CONFETTI": ".022"}
#: The paper's numbers, by what they are compared with: their name there, then by method.
PAPER = {
    HIDDEN_LABELS: ("kept", PAPER_KEPT),
    PRIOR_LABELS: ("prior labels", PAPER_LEFT),
    PRIOR_DISTANCES: ("Euclidean prior", {"CONFETTI": ".002"}),
}
#: The paper's methods, and t-SNE for comparison.
IN_PAPER = ("t-SNE", "ct-SNE", "sLLE⁻¹", "JEDI", "CONFETTI")

Tasks = Callable[[Setting, int, TwoFactorData], dict[str, Task]]


@dataclass(frozen=True, eq=False)
class Drawn:
    """One draw of the data, the map of every method, and overlap curves by what is compared."""

    data: TwoFactorData
    maps: dict[str, Map]
    curves: dict[str, dict[str, scores.OverlapCurve]]


def run_synthetic(setting: Setting) -> Section:
    """Reproduce the experiment on synthetic data: distances as prior."""
    draws = _run_draws(setting, _distance_tasks, "synthetic")
    others = [name for name in draws[0].maps if name not in IN_PAPER]
    blocks = [
        quotable(
            "synthetic-about",
            f"{len(draws[0].data.X)} samples; mean ± standard deviation over {len(draws)} draws "
            "of the data, each with its own cluster centres.",
        ),
        "An area is the mean absolute distance between the overlap curve and the diagonal, which "
        "is chance; in *signed* areas, parts below the diagonal count as negative.",
        quotable("synthetic-paper", _area_table(draws, IN_PAPER, PAPER)),
        quotable("synthetic-reading", _closest_reading(draws)),
        "Methods that are not in the paper. PARE and LEACE get the known columns, Harmony and "
        "BBKNN the labels; the last two are run if their packages are installed.",
        quotable("synthetic-others", _area_table(draws, others)),
        *_show_first_draw(setting, "synthetic", draws[0]),
    ]
    return Section("Synthetic data, distance prior", blocks)


def run_labels(setting: Setting) -> Section:
    """Reproduce the experiment on synthetic data: labels as prior."""
    draws = _run_draws(setting, _label_tasks, "labels")
    blocks = [
        quotable(
            "labels-about",
            f"{len(draws[0].data.X)} samples, {len(draws)} draws, with the true labels as prior.",
        ),
        "The paper shows the maps of JEDI and of CONFETTI at λ = 1 and gives no numbers.",
        quotable("labels-areas", _area_table(draws, [*draws[0].maps])),
        *_show_first_draw(setting, "labels", draws[0]),
    ]
    return Section("Synthetic data, label prior", blocks)


def _distance_tasks(setting: Setting, seed: int, data: TwoFactorData) -> dict[str, Task]:
    """Return the paper's methods, two of which take labels only, and others."""
    labels, distances = priors.labels(data.known), priors.features(data.known_features)
    return {
        "t-SNE": Task(methods.tsne(setting, seed), distances),
        "ct-SNE": Task(methods.conditional_tsne(setting, seed), labels),
        "sLLE⁻¹": Task(methods.inverse_slle(setting, seed), labels),
        "JEDI": Task(methods.jedi(setting, seed), distances),
        "CONFETTI": Task(methods.confetti(setting, seed, strength=2.0), distances),
        "CONFETTI, quantile": Task(methods.confetti(setting, seed, operator="quantile"), distances),
        "IndependentTSNE": Task(methods.independent_tsne(setting, seed), distances),
        **rivals(setting, seed, data.X, numbers=distances, labels=labels),
    }


def _label_tasks(setting: Setting, seed: int, data: TwoFactorData) -> dict[str, Task]:
    labels = priors.labels(data.known)
    return {
        "JEDI": Task(methods.jedi(setting, seed), labels),
        "CONFETTI, λ = 1": Task(methods.confetti(setting, seed, strength=1.0), labels),
        "CONFETTI, quantile": Task(methods.confetti(setting, seed, operator="quantile"), labels),
        "IndependentTSNE": Task(methods.independent_tsne(setting, seed), labels),
    }


def _run_draws(setting: Setting, tasks: Tasks, title: str) -> list[Drawn]:
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


def _curves(
    data: TwoFactorData, maps: Mapping[str, Map]
) -> dict[str, dict[str, scores.OverlapCurve]]:
    compared: dict[str, Any] = {
        HIDDEN_LABELS: priors.labels(data.hidden),
        HIDDEN_FEATURES: priors.features(data.hidden_features),
        PRIOR_LABELS: priors.labels(data.known),
        PRIOR_DISTANCES: priors.features(data.known_features),
    }
    return {
        what: {name: scores.overlap_curve(m.embedding, other) for name, m in maps.items()}
        for what, other in compared.items()
    }


def _area_table(
    draws: Sequence[Drawn],
    names: Sequence[str],
    paper: Mapping[str, tuple[str, Mapping[str, str]]] | None = None,
) -> str:
    """Return the areas of methods side by side, below the paper's numbers where it has any."""
    rows = []
    for what in draws[0].curves:
        if paper and what in paper:
            title, numbers = paper[what]
            quoted = [numbers.get(name, NO_FIGURE) for name in names]
            rows.append([f"*paper: {title}*", *(f"*{number}*" for number in quoted)])
        rows.append([f"area with {what}", *_row(draws, what, "absolute_area", names)])
        if what in (PRIOR_LABELS, PRIOR_DISTANCES):
            rows.append(["the same, signed", *_row(draws, what, "area", names)])
    seconds = [f"{np.median([d.maps[name].seconds for d in draws]):.1f}" for name in names]
    return table(["", *names], [*rows, ["CPU seconds, median", *seconds]])


def _row(draws: Sequence[Drawn], what: str, which: str, names: Sequence[str]) -> list[str]:
    return [spread([getattr(d.curves[what][name], which) for d in draws]) for name in names]


def _closest_reading(draws: Sequence[Drawn]) -> str:
    """Say which of two readings of "kept" is closer to the paper's numbers."""
    gap = {
        what: np.mean(
            [
                abs(np.mean([d.curves[what][name].absolute_area for d in draws]) - float(number))
                for name, number in PAPER_KEPT.items()
            ]
        )
        for what in (HIDDEN_LABELS, HIDDEN_FEATURES)
    }
    return (
        "The paper says that *kept* compares the map with the hidden columns. Read like that, our "
        f"areas differ from its four numbers by {gap[HIDDEN_FEATURES]:.3f} on average; compared "
        f"with the hidden labels, by {gap[HIDDEN_LABELS]:.3f}. The closer reading is "
        f"{min(gap, key=lambda what: gap[what])}."
    )


def _show_first_draw(setting: Setting, experiment: str, first: Drawn) -> list[str]:
    """Draw the maps and curves of the first draw, and save its maps."""
    maps = {name: found.embedding for name, found in first.maps.items()}
    kept, left = first.curves[HIDDEN_LABELS], first.curves[PRIOR_LABELS]
    notes = {
        name: f"hidden kept {area(kept[name].area)}, prior left {area(left[name].area)}"
        for name in maps
    }
    known, hidden = first.data.known, first.data.hidden
    panels = map_panels(maps, known, hidden, n_columns=4, notes=notes)
    save(panels, setting.out / f"{experiment}_maps.png")
    shown = [name for name in maps if name in (*IN_PAPER, "IndependentTSNE") or "CONFETTI" in name]
    curves = {what: {name: c[name] for name in shown} for what, c in first.curves.items()}
    save(overlap_panels(curves), setting.out / f"{experiment}_overlap.png")
    save_maps(setting.out, experiment, maps)
    return [
        figure(
            f"{experiment}_maps.png",
            "The first draw. Colour: the known clusters A, which should mix. Shape: the hidden "
            "clusters B, which should stay apart.",
        ),
        figure(f"{experiment}_overlap.png", "Overlap curves of the first draw, with signed areas."),
    ]
