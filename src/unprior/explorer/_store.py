"""The tree of maps and selections <-> a folder, so that a page is found again as it was left.

Every map has a NumPy file of its own, written once. ``session.json`` has all else: records of maps
and paths, selections, and digests of the data. It is replaced as a whole after the maps are there,
so that a crash leaves the session before or after a change, never half of one. Nothing is pickled.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unprior._digest import digest
from unprior._whole_files import remove_parts, write_bytes
from unprior.explorer._data import ExplorerData
from unprior.explorer._draw import DrawSettings
from unprior.explorer._maps import Factored, Kept, Map, Tree
from unprior.explorer._maps import Path as MapPath
from unprior.explorer._protocol import rows_of, write_rows

NAME = "session.json"

#: Raised by one whenever the file says something else.
FORMAT = 1


class Store:
    """The folder of one session.

    Parameters
    ----------
    folder : Path
        It is made if it is not there.
    data : ExplorerData
        What the maps are of; a session of other data is refused.
    setting : DrawSettings
        How they are drawn.
    """

    def __init__(self, folder: Path, data: ExplorerData, setting: DrawSettings) -> None:
        self.folder = folder
        self._about = describe(data, setting)
        self._priors, self._n = {*data.priors}, data.n_samples
        self._written: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            remove_parts(folder)
        except OSError as error:
            message = f"explore: 'session' cannot be written to {folder} ({error.strerror})."
            raise OSError(error.errno, message) from error

    def load(self, tree: Tree) -> dict[str, tuple[int, ...]]:
        """Fill a tree with what was saved, if anything was; return the selections by name."""
        path = self.folder / NAME
        if not path.exists():
            return {}
        try:
            told = json.loads(path.read_bytes())
            self._compare(told)
            for each in told["maps"]:
                tree.add(self._read_map(each))
            for each in told["paths"]:
                tree.paths[each["of"]] = MapPath(
                    each["of"], tuple(each["maps"]), tuple(each["strengths"])
                )
            tree.count = int(told["count"])
            return {name: self._rows(told["selections"], name) for name in told["selections"]}
        except (OSError, KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            message = (
                f"explore: 'session' cannot be read from {self.folder} ({error!r}); give another "
                "folder, or delete this one to begin anew."
            )
            raise ValueError(message) from error

    def save(self, tree: Tree, selections: Mapping[str, Sequence[int]]) -> None:
        """Write new maps, then all that is said of them; then remove those that are gone."""
        for each in tree:
            if each.key not in self._written:
                room = io.BytesIO()
                np.save(room, each.Y, allow_pickle=False)
                write_bytes(self._file(each.key), room.getvalue())
                self._written.add(each.key)
        told = {
            **self._about,
            "count": tree.count,
            "maps": [_record(each) for each in tree],
            "paths": [path.to_header() for path in tree.whole_paths()],
            "selections": {name: write_rows(rows, self._n) for name, rows in selections.items()},
        }
        write_bytes(self.folder / NAME, json.dumps(told, ensure_ascii=False).encode())
        for key in [key for key in self._written if key not in tree]:
            self._written.discard(key)
            with contextlib.suppress(OSError):
                self._file(key).unlink()

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.npy"

    def _read_map(self, told: dict[str, Any]) -> Map:
        key = str(told["key"])
        if not key.removeprefix("m").isdecimal():  # a name of a file is made of it
            message = f"the map {key!r}"
            raise KeyError(message)
        try:
            Y = np.load(io.BytesIO(self._file(key).read_bytes()), allow_pickle=False)
        except (ValueError, EOFError):
            Y = np.empty(0)
        if Y.shape != (self._n, 2):
            message = f"{key}.npy is no map"
            raise TypeError(message)
        self._written.add(key)
        factored = tuple(
            Factored(part["name"], float(part["strength"]), part["from"], self._what(part))
            for part in told.pop("factored")
        )
        keep = tuple(Kept(p["name"], p["from"], self._what(p)) for p in told.pop("keep"))
        return Map(Y=Y, factored=factored, keep=keep, **told)

    def _what(self, part: Mapping[str, Any]) -> Any:
        return self._rows(part, "what") if part["from"] == "selection" else part["what"]

    def _rows(self, told: Mapping[str, Any], name: str) -> tuple[int, ...]:
        return tuple(rows_of(told, name, self._n).tolist())

    def _compare(self, told: Mapping[str, Any]) -> None:
        """Refuse a session of other data, and say in what it differs."""
        for name, here in self._about.items():
            if told.get(name) != here:
                message = (
                    f"explore: 'session' {self.folder} is of "
                    f"{_difference(name, told.get(name), here)}; open it with the same data and "
                    "options, or give another folder."
                )
                raise ValueError(message)
        parts = [part for each in told["maps"] for part in each["factored"]]
        for part in parts:
            if part["from"] == "known" and part["what"] not in self._priors:
                message = (
                    f"explore: 'session' {self.folder} has a map without the prior "
                    f"{part['what']!r}, which is not given now; give it again."
                )
                raise ValueError(message)


def describe(data: ExplorerData, setting: DrawSettings) -> dict[str, Any]:
    """Return what tells a session from others: how maps are drawn, and digests of all they show."""
    columns = [(c.name, c.kind, c.values, c.categories, c.period) for c in data.columns.values()]
    return {
        "format": FORMAT,
        "samples": data.n_samples,
        "data": digest(data.X),
        "columns": digest(columns),
        "metric": setting.metric,
        "seed": setting.seed,
        "n_iter": setting.n_iter,
    }


def _difference(name: str, there: Any, here: Any) -> str:
    if name in ("data", "columns"):
        return {"data": "other data", "columns": "other columns of the samples"}[name]
    if name == "samples":
        return f"other data: it has {there} samples, not {here}"
    return f"another {name} ({there}, now {here})"


def _record(each: Map) -> dict[str, Any]:
    """Return all that is said of a map, but its coordinates."""
    told = {**vars(each)}
    del told["Y"]
    told["factored"] = [part.to_header(len(each.Y)) for part in each.factored]
    told["keep"] = [part.to_header(len(each.Y)) for part in each.keep]
    return told
