"""Save maps and selections to the file that was chosen when the explorer was started."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._extras import import_extra
from unprior.explorer._data import ExplorerData
from unprior.explorer._maps import Map
from unprior.files import write_whole

#: Endings of files to which maps and selections can be saved.
ENDINGS = (".csv", ".h5ad")


def save_session(
    path: Path, data: ExplorerData, maps: Sequence[Map], selections: Mapping[str, NDArray[Any]]
) -> str:
    """Write maps and selections, and return a sentence that says so.

    AnnData gets maps in ``obsm`` and selections in ``obs``; a table gets two columns per map.
    """
    names = _names(maps)
    ids = data.ids if data.ids is not None else np.arange(data.n_samples).astype(str)
    write = _write_h5ad if path.suffix.lower() == ".h5ad" else _write_csv
    write_whole(path, lambda part: write(part, ids, maps, names, selections))
    return f"Saved {len(maps)} maps and {len(selections)} selections to {path.name}."


def _names(maps: Sequence[Map]) -> list[str]:
    """Return distinct names that are valid in files."""
    names: list[str] = []
    for each in maps:
        name = re.sub(r"\W+", "_", each.name).strip("_") or "map"
        names.append(f"{name}_{each.key}" if name in names else name)
    return names


def _write_csv(
    path: Path, ids: Any, maps: Sequence[Map], names: list[str], selections: Mapping[str, Any]
) -> None:
    axes = [f"{name}_{axis}" for name in names for axis in "xy"]
    columns = [column for each in maps for column in each.Y.T]
    columns += [chosen.astype(int) for chosen in selections.values()]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *axes, *selections])
        rows = zip(*[column.tolist() for column in columns], strict=True)
        writer.writerows([name, *row] for name, row in zip(ids.tolist(), rows, strict=True))


def _write_h5ad(
    path: Path, ids: Any, maps: Sequence[Map], names: list[str], selections: Mapping[str, Any]
) -> None:
    anndata = import_extra("anndata", f"writing {path.name}")
    pandas = import_extra("pandas", f"writing {path.name}")
    chosen = {
        name: pandas.Categorical(np.where(rows, "selected", "others"))
        for name, rows in selections.items()
    }
    obs = pandas.DataFrame(chosen, index=pandas.Index(ids.astype(str).tolist()))
    adata = anndata.AnnData(obs=obs)
    for each, name in zip(maps, names, strict=True):
        adata.obsm[f"X_{name}"] = each.Y
    adata.write_h5ad(path)
