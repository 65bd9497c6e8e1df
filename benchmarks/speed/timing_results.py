"""Timed fits -> a table, how time grows, and a plot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

#: One fit, or several of the same: what it took, and the scores of its map.
Row: TypeAlias = dict[str, Any]

#: Explains rows that stand for several fits.
SEVERAL = "Seconds with a range: median of several fits, by turns with other methods, least–most."


def join_fits(fits: Sequence[Row]) -> Row:
    """Join repeated fits into one row: median seconds, peak memory, and the rest from the first."""
    if len(fits) == 1:
        return fits[0]
    seconds = [fit["seconds"] for fit in fits]
    most = {key: max(fit[key] for fit in fits) for key in ("peak_gib", "above_start_gib")}
    return {**fits[0], "seconds": float(np.median(seconds)), "seconds_all": seconds, **most}


def add_rows(earlier: Sequence[Row], now: Sequence[Row], methods: Sequence[str]) -> list[Row]:
    """Add the rows of a run to earlier ones, sorted by size and method.

    New timings replace earlier ones of the same fit. If the peer, which is the first method, was
    timed again, all earlier rows of that size are dropped: ratios should compare fits of one run.
    """
    timed = {(row["n"], row["method"]) for row in now}
    kept = [
        row for row in earlier if not timed & {(row["n"], row["method"]), (row["n"], methods[0])}
    ]
    return sorted([*kept, *now], key=lambda row: (row["n"], methods.index(row["method"])))


def write(
    stem: Path,
    heading: Sequence[str],
    columns: Mapping[str, str],
    methods: Sequence[str],
    rows: Sequence[Row],
) -> None:
    """Write fits as .json, .md and .png; the first method is the peer of the others."""
    own = {method: [row for row in rows if row["method"] == method] for method in methods}
    own = {method: fits for method, fits in own.items() if fits}
    several = [SEVERAL] if any("seconds_all" in row for row in rows) else []
    lines = [*heading, *several, "", *table(rows, columns, peer=methods[0]), ""]
    lines += [
        f"- {method}: seconds grow as n^{exponent(fits):.2f} on {data}."
        for method in own
        for data, fits in _by_data(own[method]).items()
        if len(fits) > 1
    ]
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")
    stem.with_suffix(".md").write_text("\n".join(lines) + "\n")
    _plot(own, stem.with_suffix(".png"))


def table(rows: Sequence[Row], columns: Mapping[str, str], peer: str) -> list[str]:
    """Lines of a table.

    ``ratio`` is seconds over the peer's for the same number of samples, ``range`` the least and
    most seconds of several fits.
    """
    peers = {row["n"]: row["seconds"] for row in rows if row["method"] == peer}
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for row in rows:
        ratio = f"{row['seconds'] / peers[row['n']]:.2f}" if row["n"] in peers else "–"
        cells = [cell.format(**row, ratio=ratio, range=_range(row)) for cell in columns.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _range(row: Row) -> str:
    """Least and most seconds, if there are several."""
    seconds = row.get("seconds_all")
    return f" ({min(seconds):.0f}–{max(seconds):.0f})" if seconds else ""


def _by_data(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Group fits by their data: sizes of different data say nothing about growth."""
    names = dict.fromkeys(row["data"] for row in rows)
    return {name: [row for row in rows if row["data"] == name] for name in names}


def exponent(rows: Sequence[Row]) -> float:
    """Slope of log seconds over log n."""
    log_n, log_seconds = (np.log([row[key] for row in rows]) for key in ("n", "seconds"))
    return float(np.polyfit(log_n, log_seconds, 1)[0])


def _plot(own: Mapping[str, Sequence[Row]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4), layout="constrained")
    ax = figure.add_subplot(
        xscale="log", yscale="log", xlabel="samples", ylabel="seconds", title="Time of one fit"
    )
    for i, ((method, fits), marker) in enumerate(zip(own.items(), cycle("osdvP^X"), strict=False)):
        style = {"color": f"C{i}", "marker": marker, "label": method}
        for some in _by_data(fits).values():
            ax.plot([f["n"] for f in some], [f["seconds"] for f in some], **style)
            style.pop("label", None)
    ax.legend()
    figure.savefig(path, dpi=100)
