"""Save maps and selections to a folder, and restore them.

Every map has its own NumPy file, written once. ``session.json`` has everything else: records of
maps and paths, selections, and digests of the data. It is replaced atomically after the maps are
written, so that a crash leaves the session as before or after a change. Nothing is pickled.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unprior._atomic_files import remove_parts, write_bytes
from unprior._digest import digest
from unprior.explorer._data import ExplorerData
from unprior.explorer._draw import DrawSettings
from unprior.explorer._maps import Factored, Kept, Map, Tree
from unprior.explorer._maps import Path as MapPath
from unprior.explorer._protocol import rows_of, write_rows

NAME = "session.json"

#: Version of the file format.
FORMAT = 1


class Store:
    """The folder of one session.

    Parameters
    ----------
    folder : Path
        Created if necessary.
    data : ExplorerData
        The samples; a session of other data is refused.
    settings : DrawSettings
        How maps are drawn.
    """

    def __init__(self, folder: Path, data: ExplorerData, settings: DrawSettings) -> None:
        self.folder = folder
        self._about = describe(data, settings)
        self._priors, self._n = {*data.priors}, data.n_samples
        self._written: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            remove_parts(folder)
        except OSError as error:
            message = f"explore: 'session' cannot be written to {folder} ({error.strerror})."
            raise OSError(error.errno, message) from error

    def load(self, tree: Tree) -> dict[str, tuple[int, ...]]:
        """Fill a tree with the saved maps, if any; return the selections by name."""
        path = self.folder / NAME
        if not path.exists():
            return {}
        try:
            saved = json.loads(path.read_bytes())
            self._compare(saved)
            for each in saved["maps"]:
                tree.add(self._read_map(each))
            for each in saved["paths"]:
                tree.paths[each["of"]] = MapPath(
                    each["of"], tuple(each["maps"]), tuple(each["strengths"])
                )
            tree.count = int(saved["count"])
            return {name: self._rows(saved["selections"], name) for name in saved["selections"]}
        except (OSError, KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            message = (
                f"explore: 'session' cannot be read from {self.folder} ({error!r}); give another "
                "folder, or delete this one to start over."
            )
            raise ValueError(message) from error

    def save(self, tree: Tree, selections: Mapping[str, Sequence[int]]) -> None:
        """Write new maps, then the session file; then delete removed maps."""
        for each in tree:
            if each.key not in self._written:
                buffer = io.BytesIO()
                np.save(buffer, each.Y, allow_pickle=False)
                write_bytes(self._file(each.key), buffer.getvalue())
                self._written.add(each.key)
        session = {
            **self._about,
            "count": tree.count,
            "maps": [_record(each) for each in tree],
            "paths": [path.to_header() for path in tree.whole_paths()],
            "selections": {name: write_rows(rows, self._n) for name, rows in selections.items()},
        }
        write_bytes(self.folder / NAME, json.dumps(session, ensure_ascii=False).encode())
        for key in [key for key in self._written if key not in tree]:
            self._written.discard(key)
            with contextlib.suppress(OSError):
                self._file(key).unlink()

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.npy"

    def _read_map(self, record: dict[str, Any]) -> Map:
        key = str(record["key"])
        if not key.removeprefix("m").isdecimal():  # it becomes part of a file name
            message = f"the map {key!r}"
            raise KeyError(message)
        try:
            Y = np.load(io.BytesIO(self._file(key).read_bytes()), allow_pickle=False)
        except (ValueError, EOFError):
            Y = np.empty(0)
        if Y.shape != (self._n, 2):
            message = f"{key}.npy is not a map"
            raise TypeError(message)
        self._written.add(key)
        factored = tuple(
            Factored(part["name"], float(part["strength"]), part["from"], self._what(part))
            for part in record.pop("factored")
        )
        keep = tuple(Kept(p["name"], p["from"], self._what(p)) for p in record.pop("keep"))
        return Map(Y=Y, factored=factored, keep=keep, **record)

    def _what(self, part: Mapping[str, Any]) -> Any:
        return self._rows(part, "what") if part["from"] == "selection" else part["what"]

    def _rows(self, record: Mapping[str, Any], name: str) -> tuple[int, ...]:
        return tuple(rows_of(record, name, self._n).tolist())

    def _compare(self, saved: Mapping[str, Any]) -> None:
        """Refuse a session of other data or settings, and say what differs."""
        for name, here in self._about.items():
            if saved.get(name) != here:
                message = (
                    f"explore: 'session' {self.folder} belongs to "
                    f"{_difference(name, saved.get(name), here)}; open it with the same data and "
                    "options, or give another folder."
                )
                raise ValueError(message)
        parts = [part for each in saved["maps"] for part in each["factored"]]
        for part in parts:
            if part["from"] == "known" and part["what"] not in self._priors:
                message = (
                    f"explore: 'session' {self.folder} has a map without the prior "
                    f"{part['what']!r}, which is not given now; give it again."
                )
                raise ValueError(message)


def describe(data: ExplorerData, settings: DrawSettings) -> dict[str, Any]:
    """Return what identifies a session: the drawing settings and digests of data and columns."""
    columns = [(c.name, c.kind, c.values, c.categories, c.period) for c in data.columns.values()]
    return {
        "format": FORMAT,
        "samples": data.n_samples,
        "data": digest(data.X),
        "columns": digest(columns),
        "metric": settings.metric,
        "seed": settings.seed,
        "n_iter": settings.n_iter,
    }


def _difference(name: str, there: Any, here: Any) -> str:
    if name in ("data", "columns"):
        return {"data": "other data", "columns": "other columns of the samples"}[name]
    if name == "samples":
        return f"other data: it has {there} samples, not {here}"
    return f"another {name} ({there}, now {here})"


def _record(each: Map) -> dict[str, Any]:
    """Return all fields of a map except its coordinates."""
    record = {**vars(each)}
    del record["Y"]
    record["factored"] = [part.to_header(len(each.Y)) for part in each.factored]
    record["keep"] = [part.to_header(len(each.Y)) for part in each.keep]
    return record
