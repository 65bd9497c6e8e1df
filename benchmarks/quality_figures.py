"""Means by case and method → the figures of the quality page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from quality_about import ABOUT
from quality_names import name_points
from quality_own import OWN
from quality_pairs import TIE, Means, compare, pareto_front
from quality_run import Profile
from quality_splits import SPLITS


@dataclass(frozen=True, eq=False)
class Panel:
    """What methods leave and keep: arrays of a row for each case and a column for each method."""

    title: str
    methods: list[str]
    left: np.ndarray
    kept: np.ndarray

    @property
    def points(self) -> np.ndarray:
        """Means over cases, a row for each method."""
        return np.column_stack((self.left.mean(axis=0), self.kept.mean(axis=0)))


def draw_scatter(means: Means, profiles: dict[str, Profile], path: Path) -> None:
    """Draw left against kept: a row for each split, of all its cases and of those with labels."""
    from matplotlib.figure import Figure

    rows = [[panel for panel in _panels(s, means, profiles) if panel.methods] for s in SPLITS]
    rows = [row for row in rows if row]
    figure = Figure(figsize=(13, 6 * max(1, len(rows))), layout="constrained")
    figure.suptitle(
        "better maps are further up and to the left; bars: one standard error over cases"
    )
    axes = figure.subplots(max(1, len(rows)), 2, sharex=True, sharey="row", squeeze=False)
    for own, row in zip(axes, rows, strict=False):
        for ax, panel in zip(own, row, strict=False):
            _draw_panel(ax, panel)
        for ax in own[len(row) :]:
            ax.set_axis_off()
        start = own[0].get_ylim()[0]
        own[0].set_ylabel(f"hidden structure kept (want 1; the axis starts at {start:.2f})")
    # Names last: where they find room depends on the axes, which the panels share.
    for own, row in zip(axes, rows, strict=False):
        for ax, panel in zip(own, row, strict=False):
            ax.set_xlabel("prior left, by size (want 0)")
            name_points(ax, panel.points, panel.methods, OWN)
    figure.savefig(path, dpi=100)


def draw_pairs(means: Means, path: Path) -> None:
    """Draw in how many of their common cases each method beats each other one."""
    from matplotlib.figure import Figure

    methods = [name for name in ABOUT if any(method == name for _, method in means)]
    shares = np.full((len(methods), len(methods)), np.nan)
    for i, method in enumerate(methods):
        for j, other in enumerate(methods):
            gap = compare(means, method, other).gap
            if i != j and gap.higher + gap.lower:
                shares[i, j] = gap.higher / (gap.higher + gap.lower)
    figure = Figure(figsize=(9, 8), layout="constrained")
    title = f"% of cases the row's method wins against the column's\n(ties, within {TIE}, left out)"
    ax = figure.add_subplot(title=title)
    shown = ax.imshow(100 * shares, cmap="RdBu", vmin=0, vmax=100)
    ax.set_xticks(range(len(methods)), methods, rotation=90)
    ax.set_yticks(range(len(methods)), methods)
    for (i, j), share in np.ndenumerate(shares):
        if np.isfinite(share):
            color = "white" if abs(share - 0.5) > 0.35 else "black"
            ax.text(j, i, f"{100 * share:.0f}", ha="center", va="center", fontsize=7, color=color)
    figure.colorbar(shown, ax=ax, shrink=0.7)
    figure.savefig(path, dpi=100)


def _panels(split: str, means: Means, profiles: dict[str, Profile]) -> list[Panel]:
    own = [p for p in profiles.values() if p.split == split]
    return [
        _panel(f"{split} cases, all", means, [p.case for p in own]),
        _panel(
            f"{split} cases that every method takes",
            means,
            # Of features, with a prior that has classes.
            [p.case for p in own if p.has_classes and p.metric != "precomputed"],
        ),
    ]


def _panel(title: str, means: Means, cases: list[str]) -> Panel:
    """Take the methods that drew all of the cases."""
    methods = [name for name in ABOUT if cases and all((case, name) in means for case in cases)]
    left, kept = (
        np.array([[getattr(means[case, name], key) for name in methods] for case in cases])
        for key in ("left", "kept")
    )
    return Panel(f"{title} ({len(cases)})", methods, left, kept)


def _draw_panel(ax: Any, panel: Panel) -> None:
    left, kept = panel.points.T
    front = pareto_front(left, kept)
    ax.plot(left[front], kept[front], color="C3", alpha=0.4, zorder=0)
    errors = _error(panel.left), _error(panel.kept)
    ax.errorbar(left, kept, errors[1], errors[0], fmt="none", ecolor="0.85", elinewidth=1, zorder=0)
    for k, name in enumerate(panel.methods):
        color, own = "C3" if k in front else "C0", name == OWN
        ax.scatter(left[k], kept[k], color=color, s=110 if own else 22, marker="*" if own else "o")
    ax.set_title(panel.title)


def _error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of each method's mean, without what makes a case hard for all."""
    if len(values) < 2:
        return np.zeros(values.shape[1])
    own = values - values.mean(axis=1, keepdims=True)
    return own.std(axis=0, ddof=1) / np.sqrt(len(own))
