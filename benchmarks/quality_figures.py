"""Means by case and method → the figures of the quality page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from quality_methods import ABOUT
from quality_pairs import Mean, Means, compare, pareto_front
from quality_run import Profile

#: The library's own choice, which stands out.
OWN = "embed"

#: Where a name may stand beside its point, and the usual width of a letter, in points.
OFFSETS = [(dx, dy) for dy in (2, -8, 9, -15, 16, -22) for dx in (4, -4)]
LETTER = 3.8


def draw_scatter(means: Means, profiles: dict[str, Profile], path: Path) -> None:
    """Draw left against kept: a panel for each split, of all its cases and of those with labels."""
    from matplotlib.figure import Figure

    panels = {
        f"{split} cases, {which}": [
            p.case
            for p in profiles.values()
            if p.split == split and (which == "all" or _takes_all(p))
        ]
        for split in ("open", "closed")
        for which in ("all", "labels and features")
    }
    panels = {title: cases for title, cases in panels.items() if _complete(means, cases)}
    figure = Figure(figsize=(11, 4.5 * max(1, (len(panels) + 1) // 2)), layout="constrained")
    for k, (title, cases) in enumerate(panels.items()):
        ax = figure.add_subplot((len(panels) + 1) // 2, 2, k + 1)
        _draw_panel(ax, f"{title} ({len(cases)})", _complete(means, cases))
    figure.savefig(path, dpi=100)


def draw_pairs(means: Means, path: Path) -> None:
    """Draw in how many of their common cases each method beats each other one."""
    from matplotlib.figure import Figure

    methods = [name for name in ABOUT if any(method == name for _, method in means)]
    shares = np.full((len(methods), len(methods)), np.nan)
    for i, method in enumerate(methods):
        for j, other in enumerate(methods):
            found = compare(means, method, other)
            if i != j and found.won + found.lost:
                shares[i, j] = found.won / (found.won + found.lost)
    figure = Figure(figsize=(9, 8), layout="constrained")
    ax = figure.add_subplot(title="How often the row's method beats the column's, ties aside")
    shown = ax.imshow(shares, cmap="RdBu", vmin=0, vmax=1)
    ax.set_xticks(range(len(methods)), methods, rotation=90)
    ax.set_yticks(range(len(methods)), methods)
    for (i, j), share in np.ndenumerate(shares):
        if np.isfinite(share):
            color = "white" if abs(share - 0.5) > 0.35 else "black"
            ax.text(j, i, f"{100 * share:.0f}", ha="center", va="center", fontsize=7, color=color)
    figure.colorbar(shown, ax=ax, shrink=0.7)
    figure.savefig(path, dpi=100)


def _takes_all(profile: Profile) -> bool:
    """Whether even the methods that take only labels and features could draw it."""
    return profile.has_classes and profile.metric != "precomputed"


def _complete(means: Means, cases: list[str]) -> dict[str, Mean]:
    """Average over cases the methods that drew all of them."""
    found = {}
    for name in ABOUT:
        own = [means[case, name] for case in cases if (case, name) in means]
        if own and len(own) == len(cases):
            columns = zip(*((m.left, m.kept, m.score, m.seconds) for m in own), strict=True)
            found[name] = Mean(*(float(np.mean(column)) for column in columns))
    return found


def _draw_panel(ax, title: str, found: dict[str, Mean]) -> None:
    left, kept = [m.left for m in found.values()], [m.kept for m in found.values()]
    front = pareto_front(left, kept)
    ax.plot([left[k] for k in front], [kept[k] for k in front], color="0.7", zorder=0)
    for k, name in enumerate(found):
        own = name == OWN
        color = "C3" if k in front else "C0"
        ax.scatter(left[k], kept[k], color=color, s=90 if own else 20, marker="*" if own else "o")
    ax.margins(x=0.2, y=0.08)
    ax.set(title=title, xlabel="prior left, by size (want 0)", ylabel="hidden kept (want 1)")
    _name_points(ax, [*found], np.column_stack((left, kept)))


def _name_points(ax, names: list[str], points: np.ndarray) -> None:
    """Write names beside points, each where it meets the fewest others."""
    ax.figure.draw_without_rendering()
    places = ax.transData.transform(points) * 72 / ax.figure.dpi
    taken = [(x - 3, y - 3, x + 3, y + 3) for x, y in places]
    for k in np.argsort(-points[:, 1]):
        boxes = []
        for dx, dy in OFFSETS:
            x, y = places[k] + (dx, dy)
            width = LETTER * len(names[k])
            start = x if dx > 0 else x - width
            boxes.append((start, y, start + width, y + 8))
        meets = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = int(np.argmin(meets))
        taken.append(boxes[best])
        ax.annotate(
            names[k],
            points[k],
            OFFSETS[best],
            textcoords="offset points",
            fontsize=7,
            ha="left" if OFFSETS[best][0] > 0 else "right",
            fontweight="bold" if names[k] == OWN else None,
        )


def _overlap(one: tuple, other: tuple) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0) * max(height, 0)
