"""How a map was made → a file beside it, and the words of a later command that leaves them out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from unprior._version import __version__
from unprior.cli._messages import say

#: What a command says about data and priors, and so must say again to score a map of them.
WORDS = (
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


def beside(path: Path) -> Path:
    """Return the file that says how a map was made.

    Examples
    --------
    >>> beside(Path("map.csv")).name
    'map.csv.json'
    """
    return path.with_name(f"{path.name}.json")


def note(path: Path, file: Path, asked: Mapping[str, Any], **more: Any) -> None:
    """Write down how a map was made."""
    from unprior.files import write_whole

    words = {name: _plain(asked[name]) for name in WORDS if name in asked}
    told = {"unprior": __version__, "data": _plain(file), **more, **words}
    text = json.dumps(told, indent=2)
    write_whole(beside(path), lambda part: part.write_text(text + "\n", encoding="utf-8"))


def recall(path: Path, data: Path | None, asked: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
    """Return what was said when a map was made, but for what this command says itself."""
    told = _read(beside(path))
    context = click.get_current_context()
    taken = {}
    for name in WORDS:
        given = context.get_parameter_source(name)
        value, usual = told.get(name), _plain(asked.get(name))
        if value and value != usual and given in (None, ParameterSource.DEFAULT):
            taken[name] = Path(value) if name == "meta" else value
    if data is None:
        if "data" not in told or not Path(told["data"]).exists():
            message = "Give --data: the file that the map was drawn from."
            raise click.UsageError(message)
        data = taken["data"] = Path(told["data"])
    if taken:
        words = " ".join(_spell(name, value) for name, value in taken.items())
        say(f"As {beside(path).name} has it: {words}.")
    return data, {**asked, **{name: value for name, value in taken.items() if name != "data"}}


def source_of(path: Path) -> Path | None:
    """Return the file that a map was drawn from, if that is known and it is still there."""
    data = _read(beside(path)).get("data")
    return Path(data) if data is not None and Path(data).exists() else None


def _read(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


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
