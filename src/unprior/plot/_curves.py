"""Overlap curves → lines above the id-line, with their areas in the legend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unprior.plot._axes import fit_figure, panel_or_new
from unprior.plot._colors import HUES, MISSING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = ("-", "--", "-.", ":")


def overlap(curves: Any, *, ax: Any = None, title: str | None = None) -> Axes:
    """Draw neighbourhood overlap against the size of the neighbourhood.

    The grey id-line is what a map without any relation would give. A curve along it means that the
    map says nothing of the other side; the area between the two is the score.

    Parameters
    ----------
    curves : OverlapCurve or dict of str to OverlapCurve
        What `unprior.scores.overlap_curve` returns, or several by name.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    title : str, optional
        A line above the panel.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_tuning(100, random_state=0)
    >>> curve = up.scores.overlap_curve(data.hidden_features, up.priors.labels(data.hidden))
    >>> ax = up.plot.overlap({"hidden": curve}, title="overlap with the hidden groups")
    """
    who = "plot.overlap"
    named = dict(curves) if isinstance(curves, Mapping) else {"overlap": curves}
    for curve in named.values():
        _check_curve(who, curve)
    panel = panel_or_new(who, ax)
    panel.plot([0, 1], [0, 1], color=MISSING, label="chance")
    for place, (name, curve) in enumerate(named.items()):
        panel.plot(
            curve.k / curve.k[-1],
            curve.score,
            color=HUES[place % len(HUES)],
            linestyle=LINES[place // len(HUES) % len(LINES)],
            label=f"{name} ({round(curve.area, 3) + 0.0:.3f})",
        )
    panel.set(xlabel="size of neighbourhoods, share of all samples", ylabel="overlap", title=title)
    panel.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    panel.legend(title="area to chance", frameon=False, fontsize="small", title_fontsize="small")
    if ax is None:
        fit_figure(panel)
    return panel


def _check_curve(who: str, curve: Any) -> None:
    if not all(hasattr(curve, part) for part in ("k", "score", "area")):
        message = (
            f"{who}: 'curves' takes what scores.overlap_curve returns, or a dict of such by name; "
            f"got {type(curve).__name__}."
        )
        raise ValueError(message)
