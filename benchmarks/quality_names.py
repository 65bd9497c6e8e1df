"""Points of a plot → their names, each where it covers nothing."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

#: Left, lower, right and upper edge, in points of 1/72 inch.
Box: TypeAlias = tuple[float, float, float, float]

SIZE = 8
#: The usual width of a letter and height of a line, in points.
LETTER, LINE = 0.55 * SIZE, 1.1 * SIZE
#: How far from its point the middle of a name's near edge may be; far ones get a line to it.
RINGS, NEAR = (6, 10, 16, 24, 34, 46, 60, 76), 12
ANGLES = np.linspace(0, 2 * np.pi, 16, endpoint=False)
#: What a name's distance costs beside the area that it covers: among free places, the nearest.
PULL = 0.05


def name_points(ax: Any, points: np.ndarray, names: list[str], bold: str) -> None:
    """Write names beside points, the most crowded ones first."""
    from matplotlib.patheffects import withStroke

    ax.figure.draw_without_rendering()
    places = ax.transData.transform(points) * 72 / ax.figure.dpi
    frame = tuple(np.ravel(ax.get_window_extent().get_points()) * 72 / ax.figure.dpi)
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    gaps = np.linalg.norm(places[:, None] - places, axis=2)
    for k in np.argsort(np.sort(gaps, axis=1)[:, : min(4, len(gaps))].sum(axis=1)):
        offset, box = _free_place(places[k], LETTER * len(names[k]), taken, frame)
        taken.append(box)
        far = np.hypot(*offset) > NEAR
        ax.annotate(
            names[k],
            points[k],
            offset,
            textcoords="offset points",
            fontsize=SIZE,
            ha="left" if offset[0] >= 0 else "right",
            va="center",
            fontweight="bold" if names[k] == bold else None,
            arrowprops={"arrowstyle": "-", "color": "0.5", "lw": 0.6} if far else None,
            path_effects=[withStroke(linewidth=2, foreground="white")],
        )


def _free_place(
    place: np.ndarray, width: float, taken: list[Box], frame: Box
) -> tuple[tuple[float, float], Box]:
    """Return where a name goes, from its point, and the box that it fills."""
    found = []
    for ring in RINGS:
        for angle in ANGLES:
            dx, dy = ring * np.cos(angle), ring * np.sin(angle)
            x, y = place[0] + dx, place[1] + dy
            start = x if dx >= 0 else x - width
            box = (start, y - LINE / 2, start + width, y + LINE / 2)
            covered = sum(_common(box, other) for other in taken)
            outside = width * LINE - _common(box, frame)
            found.append((covered + outside + PULL * ring, (dx, dy), box))
    return min(found, key=lambda one: one[0])[1:]


def _common(one: Box, other: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0) * max(height, 0)
