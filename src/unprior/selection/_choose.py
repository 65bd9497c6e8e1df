"""Data and prior -> the composition to draw, by trials on a part of the samples."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unprior._progress import progress_bar
from unprior._typing import Floats
from unprior._warnings import OverRemovalWarning
from unprior.priors import Prior
from unprior.scores._over_removal import LEAST_KEPT
from unprior.scores._yardsticks import MOST_DISTANCES
from unprior.selection._choice import Choice, Trial, rank_compromises, rank_removals
from unprior.selection._composition import Composition, Setting
from unprior.selection._trials import Part, draw_trial_part

#: A rest of which its map shows half holds structure; of less, too much was removed.
HOLDS_STRUCTURE = 0.5

#: A compromise that leaves a larger share of the prior than this is none.
MOST_LEFT = 0.75

PLAIN, STEERED = Composition(), Composition(strength="auto")
FIRST = Composition("aligned", "auto", beside=True)
COMPROMISES = (
    Composition(strength=0.5),
    Composition(strength=1.0),
    Composition(strength=2.0),
    Composition(contrast=0.5),
)

UNSEEN = "A plain map shows no more of the prior than luck would: there is nothing to take out."
REMOVED = (
    "What the prior does not explain holds structure of its own, and of the ways to draw it this "
    "one leaves least of the prior for what it keeps."
)
COMPROMISED = (
    "A map without the prior would show little of what the prior does not explain (the two are "
    "entangled, or the rest is noise), and this one keeps most of the data's neighbourhoods for "
    "what it leaves of the prior."
)
ENTANGLED = (
    "This map shows little of what the prior does not explain, but gentler ways keep too little "
    "more for what they leave of the prior."
)
UNTRIED = (
    "Nothing was taken out of the data before, since {why}; the strength was found while the map "
    "was drawn."
)
EXPLAINED = (
    "The prior explains the data but for a trace, so that there is nothing else to show; the "
    "strength was found while the map was drawn."
)


@dataclass(frozen=True, eq=False)
class Tried:
    """A choice, and the map that it was made by if that has all samples."""

    choice: Choice
    Y: Floats | None


def choose(X: Floats, priors: Mapping[str, Prior], setting: Setting) -> Tried:
    """Try compositions on a part of the samples and choose the best."""
    part = draw_trial_part(X, priors, setting)
    ranked, reason = _rank(part, _why_untried(part, setting, len(X)), setting.verbose)
    best = ranked[0].composition
    choice = Choice(best, tuple(ranked), len(part.X), reason)
    _warn_of_loss(choice)
    return Tried(choice, part.map_of(best))


def _rank(part: Part, why_untried: str, verbose: int) -> tuple[Sequence[Trial], str]:
    """Try what the data call for; return the trials, the best first, and why."""
    with progress_bar(3, "choosing", verbose=verbose) as bar:

        def try_out(composition: Composition) -> Trial:
            trial = part.try_out(composition)
            bar.update()
            return trial

        plain = try_out(PLAIN)
        if not part.sees(plain):
            return [plain], UNSEEN
        if why_untried:
            return [try_out(STEERED), plain], why_untried
        first = try_out(FIRST)
        if first.rest_kept >= HOLDS_STRUCTURE:
            return rank_removals([first, try_out(STEERED), plain]), REMOVED
        bar.total += len(COMPROMISES) - 1
        gentler = [*map(try_out, COMPROMISES)]
        most = MOST_LEFT * abs(plain.left)
        fit = [trial for trial in gentler if abs(trial.left) <= most]
        ranked = rank_compromises([first, *fit])
        reason = ENTANGLED if ranked[0] is first else COMPROMISED
        return [*ranked, *(trial for trial in gentler if trial not in fit), plain], reason


def _warn_of_loss(choice: Choice) -> None:
    """Warn if the best map has lost what the prior does not explain, and a plain map has not."""
    best = choice.trials[0].rest_kept
    plain = next(trial.rest_kept for trial in choice.trials if trial.composition == PLAIN)
    if best < LEAST_KEPT <= plain:
        message = (
            f"embed: the best map found shows little of what the prior does not explain "
            f"({best:.2f}, and a plain map {plain:.2f}; 0 is chance, 1 is all): the two are "
            "entangled, so look at the plain map as well, embed(..., method='tsne')."
        )
        warnings.warn(message, OverRemovalWarning, stacklevel=4)


def _why_untried(part: Part, setting: Setting, n_samples: int) -> str:
    """Return why no residual is tried, in a sentence; none if one is."""
    if not setting.has_residual:
        metric = getattr(setting.metric, "__name__", setting.metric)
        return UNTRIED.format(why=f"the metric is {metric!r}")
    if part.unexplained is None:
        message = (
            "embed: the prior explains all of the data but for a trace; whatever the map shows "
            "beside it is hardly there."
        )
        warnings.warn(message, OverRemovalWarning, stacklevel=4)
        return EXPLAINED
    if setting.metric == "precomputed" and n_samples > MOST_DISTANCES:
        why = f"that takes too long for {n_samples} × {n_samples} distances"
        return UNTRIED.format(why=why)
    return ""
