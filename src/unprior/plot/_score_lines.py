"""Scores of maps → a few words each below a panel: what is left of the prior, what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unprior.plot._texts import shorten
from unprior.scores import Measurement

#: What tells how much is left or kept, whatever the kind: neighbours on the map.
MEASURES = ("neighbor_purity", "neighbor_coherence", "neighbor_overlap")


def score_lines(
    who: str, scores: Any, maps: Sequence[str], titles: Sequence[str | None]
) -> dict[str, list[list[str]]]:
    """Return the scores for each row of each map's column; a row's own stand below it.

    Scores are a `Comparison`, or reports by the map's name, each as a `Report` or what its
    ``to_dict`` returns.
    """
    by_map = _plain({} if scores is None else scores)
    if not isinstance(by_map, Mapping) or not {*by_map} <= {*maps}:
        got = [*by_map] if isinstance(by_map, Mapping) else type(by_map).__name__
        message = (
            f"{who}: 'scores' takes what scores.compare returns for maps of these names, "
            f"{[*maps]}, or a dict of reports by name; got {got}."
        )
        raise ValueError(message)
    return {name: _by_row([*_scores(_plain(by_map.get(name, {})))], titles) for name in maps}


def _plain(scores: Any) -> Any:
    return scores.to_dict() if hasattr(scores, "to_dict") else scores


def _scores(report: Mapping[str, Any]) -> Iterator[Measurement]:
    """Yield what is left and kept by a report that may come from a file."""
    for role in ("prior", "data", "hidden"):
        found = report.get(role, {})
        for name, measures in ({"data": found} if role == "data" else found).items():
            for measure in MEASURES:
                if measure in measures:
                    yield Measurement(role, name, measure, float(measures[measure]), 0.0, 0.0)


def _by_row(scores: list[Measurement], titles: Sequence[str | None]) -> list[list[str]]:
    rows = [[_tell(score) for score in scores if score.name == title] for title in titles]
    rows[-1] += [_tell(score) for score in scores if score.name not in titles]
    return rows


def _tell(row: Measurement) -> str:
    # Adding zero turns the -0.0 of a small negative number into 0.0.
    return f"{replace(row, name=shorten(row.name)).what} {round(row.score, 2) + 0.0:.2f}"
