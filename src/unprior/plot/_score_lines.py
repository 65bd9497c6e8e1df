"""Scores of maps → one line below each panel: what is left of the prior, what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unprior.scores import Measurement

#: The measure that priors, data and hidden structure share; it is 0 by chance.
MEASURE = "overlap_area"


def score_lines(
    who: str, scores: Any, maps: Sequence[str], titles: Sequence[str | None]
) -> dict[str, list[str]]:
    """Return a line for each row of each map's column; a row's own scores stand below it.

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
    return {name: _lines([*_areas(_plain(by_map.get(name, {})))], titles) for name in maps}


def _plain(scores: Any) -> Any:
    return scores.to_dict() if hasattr(scores, "to_dict") else scores


def _areas(report: Mapping[str, Any]) -> Iterator[Measurement]:
    """Yield the overlap areas of a report that may come from a file."""
    for role in ("prior", "data", "hidden"):
        found = report.get(role, {})
        for name, measures in ({"data": found} if role == "data" else found).items():
            if MEASURE in measures:
                yield Measurement(role, name, MEASURE, float(measures[MEASURE]), 0.0, 0.0)


def _lines(areas: list[Measurement], titles: Sequence[str | None]) -> list[str]:
    lines = [_join([area for area in areas if area.name == title]) for title in titles]
    rest = _join([area for area in areas if area.name not in titles])
    lines[-1] = ", ".join(filter(None, [lines[-1], rest]))
    return lines


def _join(areas: list[Measurement]) -> str:
    return ", ".join(f"{area.what} {area.score:.2f}" for area in areas)
