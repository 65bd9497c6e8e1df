"""Line plots: neighbourhood overlap over its size, and scores over strengths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from unprior.plot._axes import fit_figure, panel_or_new
from unprior.plot._colors import HUES, MISSING, OTHERS
from unprior.plot._texts import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = ("-", "--", "-.", ":")

#: Red and other hues for what should be removed; green and blue for what should be kept.
LEFT_HUES, KEPT_HUES = (HUES[3], HUES[1], HUES[4], HUES[6]), (HUES[2], HUES[0])


def overlap(curves: Any, *, ax: Any = None, title: str | None = None) -> Axes:
    """Draw neighbourhood overlap over the size of the neighbourhood.

    The grey diagonal is the expected overlap of unrelated maps. A curve along it means that the map
    is unrelated to the other side; the area between the two is the score.

    Parameters
    ----------
    curves : OverlapCurve or dict of str to OverlapCurve
        The result of `unprior.scores.overlap_curve`, or several by name.
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
    for number, (name, curve) in enumerate(named.items()):
        panel.plot(
            curve.k / curve.k[-1],
            curve.score,
            color=HUES[number % len(HUES)],
            linestyle=LINES[number // len(HUES) % len(LINES)],
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
            f"{who}: 'curves' takes what scores.overlap_curve returns, or a dict of these by name; "
            f"got {type(curve).__name__}."
        )
        raise ValueError(message)


def path(path: Any, *, ax: Any = None, title: str | None = None) -> Axes:
    """Draw what is left of the prior and kept of the data over the strengths.

    The grey band shows what may be left of the prior by chance: where its curve enters the band,
    the prior is removed. A line marks the chosen strength, and the legend gives the scores there.

    Parameters
    ----------
    path : Path
        The result of `unprior.tune`.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    title : str, optional
        A line above the panel; by default the chosen strength.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(100, random_state=0)
    >>> path = up.tune(up.Residual(), data.X, prior=data.known, strengths=[0, 0.5, 1])
    >>> ax = up.plot.path(path, title="class means taken out")
    """
    who = "plot.path"
    _check_path(who, path)
    panel = panel_or_new(who, ax)
    noise, best = path.left_noise, path.strengths.tolist().index(path.best_strength)
    panel.fill_between(
        path.strengths, -noise, noise, color=MISSING, lw=0, label=f"chance (±{noise[best]:.2f})"
    )
    for hues, kind in ((LEFT_HUES, "left"), (KEPT_HUES, "kept")):
        for number, name in enumerate(getattr(path.steps[0], kind)):
            scores = [getattr(step, kind)[name] for step in path.steps]
            panel.plot(
                path.strengths,
                scores,
                color=hues[number % len(hues)],
                label=f"{shorten(name)} {kind} ({scores[best]:.2f})",
                marker="o",
                markersize=4,
            )
    panel.axvline(path.best_strength, color=OTHERS, linestyle="--", zorder=0)
    title = f"best strength {path.best_strength:g}" if title is None else title
    panel.set(xlabel="strength", ylabel="neighbourhood score", title=title)
    panel.legend(
        title="at the best strength",
        loc="upper left",
        bbox_to_anchor=(1, 1),
        frameon=False,
        fontsize="small",
        title_fontsize="small",
    )
    if ax is None:
        fit_figure(panel)
    return panel


def _check_path(who: str, path: Any) -> None:
    if not all(hasattr(path, part) for part in ("steps", "strengths", "best_strength")):
        message = f"{who}: 'path' takes what unprior.tune returns; got {type(path).__name__}."
        raise ValueError(message)
