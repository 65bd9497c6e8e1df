"""Scores over strengths → two sorts of curves, the noise of chance, and the chosen strength."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unprior.plot._axes import fit_figure, panel_or_new
from unprior.plot._colors import HUES, MISSING, OTHERS
from unprior.plot._texts import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Red, and then others, for what is to go; green and blue for what is to stay.
LEFT_HUES, KEPT_HUES = (HUES[3], HUES[1], HUES[4], HUES[6]), (HUES[2], HUES[0])


def path(path: Any, *, ax: Any = None, title: str | None = None) -> Axes:
    """Draw what is left of the prior and what is kept of the data over the strengths.

    The grey band holds what luck alone leaves of the prior: where its curve enters the band, the
    prior is gone. A line marks the chosen strength, and the legend tells the scores there.

    Parameters
    ----------
    path : Path
        What `unprior.tune` returns.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    title : str, optional
        A line above the panel; by default it tells the chosen strength.

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
        path.strengths, -noise, noise, color=MISSING, lw=0, label=f"luck (±{noise[best]:.2f})"
    )
    for hues, kind in ((LEFT_HUES, "left"), (KEPT_HUES, "kept")):
        for place, name in enumerate(getattr(path.steps[0], kind)):
            scores = [getattr(step, kind)[name] for step in path.steps]
            panel.plot(
                path.strengths,
                scores,
                color=hues[place % len(hues)],
                label=f"{shorten(name)} {kind} ({scores[best]:.2f})",
                marker="o",
                markersize=4,
            )
    panel.axvline(path.best_strength, color=OTHERS, linestyle="--", zorder=0)
    told = f"best strength {path.best_strength:g}" if title is None else title
    panel.set(xlabel="strength", ylabel="neighbourhood score", title=told)
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
