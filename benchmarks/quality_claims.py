"""Checks, runs and means → whether the library is right in what it says without hidden labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from quality_about import ABOUT
from quality_alarm import judge
from quality_checks import Check, rank
from quality_pairs import Means, middle, spread
from quality_run import Profile, Run
from quality_splits import PLAIN, SPLITS
from quality_text import number, signed, table

from unprior.scores._over_removal import LEAST_KEPT


def criterion_blocks(
    checks: Sequence[Check], runs: Sequence[Run], profiles: dict[str, Profile]
) -> list[str]:
    """Say whether the criterion that sees no hidden labels ranks maps as these do."""
    rows = []
    for split in SPLITS:
        own = _checked(split, checks, runs, profiles)
        if not own:
            continue
        found = rank(checks, own)
        within = [value for value in found.within if np.isfinite(value)]
        center = (np.mean(within), np.median(within)) if within else (np.nan, np.nan)
        texts = [f"{value:.2f}" for value in (found.pooled, *center)]
        rows.append([split, *texts, f"{sum(v > 0 for v in within)} of {len(within)}"])
    if not rows:
        return []
    return [
        "## Does `rest_kept` rank maps as hidden labels do",
        "`unprior.scores.rest_kept` sees no hidden label. Its rank correlation (Spearman) with "
        "*kept*: over all maps, and over the methods and seeds of each case.",
        table(["cases", "all maps", "mean within", "median within", "positive within"], rows),
    ]


def alarm_blocks(
    checks: Sequence[Check], runs: Sequence[Run], means: Means, profiles: dict[str, Profile]
) -> list[str]:
    """Say how many maps that lost structure are warned of, and how many warnings are right."""
    plain = {case: mean.kept for (case, name), mean in means.items() if name == PLAIN}
    could_keep = {
        p.case: float(np.fmax(p.within, plain.get(p.case, np.nan))) for p in profiles.values()
    }
    alarms = {
        split: judge(checks, own, could_keep)
        for split in SPLITS
        if (own := _checked(split, checks, runs, profiles))
    }
    if not alarms:
        return []
    lost, warned, found = (
        sum(getattr(alarm, what) for alarm in alarms.values())
        for what in ("lost", "warned", "found")
    )
    rows = []
    for split, a in alarms.items():
        counts = [str(count) for count in (a.n_maps, a.lost, a.warned, a.found)]
        rows.append([split, *counts, _share(a.found, a.lost), _share(a.found, a.warned)])
    header = ["cases", "maps", "lost", "warned of", "both", "recall", "precision"]
    return [
        f"Where `rest_kept` is below {LEAST_KEPT}, `unprior.scores.report` warns that more may be "
        "gone than the prior. Held against the hidden labels: a map has *lost* structure if it "
        f"keeps less than half of what `{PLAIN}` keeps, or of what shows *within* the prior if "
        "that is more. *Recall* is the share of the lost maps that are warned of, *precision* the "
        f"share of warnings that are of lost maps. In all, {found} of {lost} lost maps are warned "
        f"of, and {warned - found} of {warned} warnings are false alarms. So no warning is no "
        "proof: structure that goes with the prior is no part of the rest, and its loss is "
        "invisible to it.",
        table(header, rows),
    ]


def harmless_blocks(
    checks: Sequence[Check], means: Means, profiles: dict[str, Profile]
) -> list[str]:
    """Say what priors cost that the data hardly show."""
    cases = [p.case for p in profiles.values() if p.harmless and (p.case, PLAIN) in means]
    areas = {
        name: [
            [c.data_area for c in checks if (c.case, c.method) == (case, name)] for case in cases
        ]
        for name in ABOUT
    }
    areas = {name: own for name, own in areas.items() if cases and all(own)}
    if PLAIN not in areas:
        return []
    noise = middle(spread(own) for own in areas[PLAIN])
    varies = f"varies by {noise:.3f}" if np.isfinite(noise) else "was run once; nothing is known"
    shown = {name: middle(map(middle, own)) for name, own in areas.items()}
    rows = [[name, number(area), signed(area - shown[PLAIN])] for name, area in shown.items()]
    told = ", ".join(f"{case}: {number(means[case, PLAIN].left)}" for case in cases)
    return [
        "## What a prior costs that the data hardly show",
        f"Overlap of the map with the data (area above chance) where there is little to factor "
        f"out (left in the map of `{PLAIN}`: {told}), and its difference from `{PLAIN}`, which "
        f"{varies} from seed to seed.",
        table(["method", "overlap with the data", f"less that of {PLAIN}"], rows),
    ]


def _checked(
    split: str, checks: Sequence[Check], runs: Sequence[Run], profiles: dict[str, Profile]
) -> list[Run]:
    """Return the runs of a split whose maps were checked."""
    keys = {check.key for check in checks}
    return [run for run in runs if profiles[run.case].split == split and run.key in keys]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "–"
