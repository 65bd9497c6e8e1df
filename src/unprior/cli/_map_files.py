"""Read map files: coordinates, matching rows of the data, and a record of how the map was made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from unprior._version import __version__
from unprior.cli._messages import say

if TYPE_CHECKING:
    from unprior._typing import Indices
    from unprior.files import Samples

#: Options about data and priors; scoring a map needs those it was drawn with.
RECORDED = (
    "prior",
    "keep",
    "features",
    "drop",
    "meta",
    "on",
    "missing",
    "drop_missing",
    "metric",
    "standardize",
    "pca",
)


def coordinates_in(map_samples: Samples) -> Any:
    """Return the columns x, y, z of a map file if it has them, else all numeric columns."""
    from unprior.files import AXES, choose_data

    axes = [axis for axis in AXES if axis in map_samples.columns]
    return choose_data(map_samples, features=axes).X


def matching_rows(map_samples: Samples, samples: Samples) -> Indices:
    """Return the row of the data for each row of the map, by ids if both files have them."""
    import numpy as np

    in_order = np.arange(samples.n_samples)
    if map_samples.ids_from and samples.ids.tolist() == map_samples.ids.tolist():
        return in_order  # valid even if ids are duplicated
    rows = samples.rows_of(map_samples.ids.tolist()) if map_samples.ids_from else None
    if rows is not None:
        return rows
    if map_samples.ids_from and samples.ids_from:
        message = (
            f"{samples.name} lacks ids of {map_samples.name}, or has duplicates, so rows cannot be "
            "matched; if both files have the same order, remove the ids from one of them."
        )
        raise ValueError(message)
    if map_samples.n_samples != samples.n_samples:
        message = (
            f"{map_samples.name} has {map_samples.n_samples} samples and {samples.name} has "
            f"{samples.n_samples}, and there are no ids in both to match them by."
        )
        raise ValueError(message)
    return in_order


def record_path(path: Path) -> Path:
    """Return the file that records how a map was made.

    Examples
    --------
    >>> record_path(Path("map.csv")).name
    'map.csv.json'
    """
    return path.with_name(f"{path.name}.json")


def write_record(path: Path, file: Path, options: Mapping[str, Any], **more: Any) -> None:
    """Record how a map was made: version, data file, method and options."""
    from unprior.files import write_whole

    recorded = {name: _plain(options[name]) for name in RECORDED if name in options}
    record = {"unprior": __version__, "data": _plain(file), **more, **recorded}
    text = json.dumps(record, indent=2)
    write_whole(record_path(path), lambda part: part.write_text(text + "\n", encoding="utf-8"))


def fill_from_record(
    path: Path, data: Path | None, options: dict[str, Any]
) -> tuple[Path, dict[str, Any]]:
    """Return the data file and options; those not given are taken from the map's record."""
    record = _read_record(path)
    context = click.get_current_context()
    filled = {}
    for name in RECORDED:
        given = context.get_parameter_source(name)
        value, default = record.get(name), _plain(options.get(name))
        if value and value != default and given in (None, ParameterSource.DEFAULT):
            filled[name] = Path(value) if name == "meta" else value
    if data is None:
        if "data" not in record or not Path(record["data"]).exists():
            message = "Give --data: the file that the map was drawn from."
            raise click.UsageError(message)
        data = filled["data"] = Path(record["data"])
    if filled:
        spelled = " ".join(_spell(name, value) for name, value in filled.items())
        say(f"From {record_path(path).name}: {spelled}.")
    return data, {**options, **{name: value for name, value in filled.items() if name != "data"}}


def recorded_data(path: Path) -> Path | None:
    """Return the file that a map was drawn from, if it is recorded and still exists."""
    data = _read_record(path).get("data")
    return Path(data) if data is not None and Path(data).exists() else None


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(record_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value if str(value) == "-" else value.resolve())
    return [*value] if isinstance(value, tuple) else value


def _spell(name: str, value: Any) -> str:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return option
    values = value if isinstance(value, list) else [value]
    return " ".join(f"{option} {each}" for each in values)
