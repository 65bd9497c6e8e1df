"""Scores of maps → a few words each below a panel: what is left of the prior, what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from unprior.plot._texts import shorten
from unprior.scores import Measurement

#: The measure that priors, data and hidden structure share; it is 0 by chance.
MEASURE = "overlap_area"


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
    return {name: _by_row([*_areas(_plain(by_map.get(name, {})))], titles) for name in maps}


def _plain(scores: Any) -> Any:
    return scores.to_dict() if hasattr(scores, "to_dict") else scores


def _areas(report: Mapping[str, Any]) -> Iterator[Measurement]:
    """Yield the overlap areas of a report that may come from a file."""
    for role in ("prior", "data", "hidden"):
        found = report.get(role, {})
        for name, measures in ({"data": found} if role == "data" else found).items():
            if MEASURE in measures:
                yield Measurement(role, name, MEASURE, float(measures[MEASURE]), 0.0, 0.0)


def _by_row(areas: list[Measurement], titles: Sequence[str | None]) -> list[list[str]]:
    rows = [[_tell(area) for area in areas if area.name == title] for title in titles]
    rows[-1] += [_tell(area) for area in areas if area.name not in titles]
    return rows


def _tell(area: Measurement) -> str:
    # Adding zero turns the -0.0 of a small negative number into 0.0.
    return f"{replace(area, name=shorten(area.name)).what} {round(area.score, 2) + 0.0:.2f}"
