"""Runs and repeats → what a reader has to know of the states of the source that drew the maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from quality_about import ABOUT
from quality_repeat import EQUAL, Repeat
from quality_run import Run
from quality_text import table


def state_blocks(runs: Sequence[Run], repeats: Sequence[Repeat]) -> list[str]:
    """Name the states if there are several, and say whether they draw the same maps."""
    drawn = [run for run in runs if not run.failure]
    counts = Counter(run.library for run in drawn)
    if len(counts) <= 1:
        return []
    by_method = {name: {run.library for run in drawn if run.method == name} for name in ABOUT}
    mixed = any(len(found) > 1 for found in by_method.values())
    told = _mixed(counts) if mixed else _apart(by_method)
    tested = [repeat for repeat in repeats if repeat.old in counts]
    if tested:
        return [f"{told} {_explained(tested)}", _repeated(counts, tested)]
    if mixed:
        return [
            f"**{told} Whether these draw the same maps was not tested, so that the comparisons "
            "below are not fair; `--repeat` tests it, `--refresh` runs the older ones again.**"
        ]
    return [told]


def _mixed(counts: Counter[str]) -> str:
    named = ", ".join(f"{state} ({n})" for state, n in counts.items())
    return f"Runs of one method come from several states of the library's source: {named}."


def _apart(by_method: dict[str, set[str]]) -> str:
    groups: dict[str, list[str]] = {}
    for name, found in by_method.items():
        for state in found:
            groups.setdefault(state, []).append(f"`{name}`")
    told = "; ".join(f"{state}: {', '.join(names)}" for state, names in groups.items())
    return f"Each method was run with one state of the library's source: {told}."


def _explained(repeats: Sequence[Repeat]) -> str:
    equal = sum(repeat.difference <= EQUAL for repeat in repeats)
    return (
        f"To see whether these draw the same maps, {len(repeats)} of their runs, spread over the "
        f"methods, were drawn again with a later state, and {equal} came out equal: what is left "
        f"and what is kept differ by at most {EQUAL:g}."
    )


def _repeated(counts: Counter[str], repeats: Sequence[Repeat]) -> str:
    """Return what was drawn again of each state, by which other, and how far that differs."""
    pairs = dict.fromkeys((repeat.old, repeat.new) for repeat in repeats)
    told = {state for pair in pairs for state in pair}
    rows = []
    for old, new in [*pairs, *((state, "–") for state in counts if state not in told)]:
        own = [repeat for repeat in repeats if (repeat.old, repeat.new) == (old, new)]
        other = Counter(repeat.method for repeat in own if not repeat.difference <= EQUAL)
        largest = f"{max(repeat.difference for repeat in own):.1g}" if own else "–"
        differ = ", ".join(f"{method} ({n})" for method, n in other.items())
        again = [str(len(own)), new, str(len(own) - other.total())]
        rows.append([old, str(counts[old]), *again, largest, differ or "–"])
    header = ["state", "runs", "drawn again", "with", "equal", "largest difference", "not equal"]
    return table(header, rows)
