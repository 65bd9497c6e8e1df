"""A map → files: the map itself, how it was made, a picture, a copy of an AnnData with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unprior.cli._messages import say
from unprior.cli._provenance import beside

if TYPE_CHECKING:
    from unprior.cli._methods import Drawn
    from unprior.cli._prepare import Prepared

#: Bytes of a row of a map in a file, at most, and of a picture.
ROW_BYTES, PICTURE_BYTES = 200, 2**22


def check_all_room(targets: list[Path], n_samples: int, source: Path | None) -> None:
    """Refuse, once the data are known, to begin what could not be written in the end."""
    from unprior.files import check_room

    for target in targets:
        copied = source.stat().st_size if source is not None else 0
        check_room(target, copied + ROW_BYTES * n_samples + PICTURE_BYTES)


def write_result(what: str, path: Path, write: Callable[[Path], object]) -> bool:
    """Write a result, elsewhere if it cannot be written there; say where; whether it is there."""
    from unprior.files import write_somewhere

    reasons: list[str] = []

    def attempt(place: Path) -> None:
        try:
            write(place)
        except OSError as error:
            reasons.append(error.strerror or str(error))
            raise

    place = write_somewhere(path, attempt)
    if place != path:
        say(f"Error: {path} could not be written ({reasons[0]}).")
    say(f"{what}: {place}")
    return place == path


def write_drawn(
    prepared: Prepared, drawn: Drawn, key: str, out: Path | None, note: Callable[[Path], object]
) -> bool:
    """Write a map to a file with a note beside it, or to stdout."""
    from unprior.files import as_csv, write_map

    if out is None:
        click.echo(as_csv(drawn.Y, prepared.ids, beside=prepared.beside), nl=False)
        return True

    def write(place: Path) -> None:
        write_map(place, drawn.Y, prepared.ids, method=key, beside=prepared.beside)
        note(place)

    is_there = write_result("Map", out, write)
    if is_there:
        say(f"How it was made: {beside(out)}")
    return is_there


def write_picture(path: Path, prepared: Prepared, drawn: Drawn, title: str) -> bool:
    """Draw the map in the colours that were asked for, or of every prior that is one column."""
    from unprior import plot
    from unprior.files import write_whole

    axes = plot.compare({title: drawn.Y}, color=prepared.colors or None)
    figure: Any = axes[0, 0].figure
    return write_result(
        "Picture", path, lambda place: write_whole(place, lambda p: figure.savefig(p, dpi=150))
    )


def write_copy(
    path: Path, source: Path, prepared: Prepared, drawn: Drawn, key: str, residual: Any = None
) -> bool:
    """Write a copy of an AnnData, obs, uns and all, with the map in it, and what is behind it."""
    import numpy as np

    from unprior.files import read_anndata, write_whole

    adata = read_anndata(source)
    if len(prepared.rows) < adata.n_obs:
        adata = adata[prepared.rows].copy()
        say(f"{path.name} holds the {adata.n_obs} samples of the map.")
    adata.obsm[f"X_{key}"] = np.asarray(drawn.Y, dtype=np.float32)
    told: dict[str, Any] = {"params": {"use_rep": prepared.source}}
    if drawn.report is not None:
        from unprior.tl._settings import held_by_files

        told["report"] = held_by_files(drawn.report.to_dict())
    if hasattr(drawn.estimator, "graph_"):
        _add_graph(adata, told, drawn.estimator, key)
    if residual is not None:
        adata.obsm["X_residual"] = residual.fit_transform(
            prepared.X, prior=prepared.priors, keep=prepared.keep or None
        )
    adata.uns[key] = told
    adata.uns["unprior"] = {"latest_map": key}
    return write_result(
        "Copy with the map", path, lambda place: write_whole(place, adata.write_h5ad)
    )


def _add_graph(adata: Any, told: dict[str, Any], estimator: Any, key: str) -> None:
    """Add the graph of neighbours behind a map, as scanpy takes it."""
    from unprior.tl._graphs import connectivities, distances, nearest

    neighbors = nearest(estimator.graph_, estimator.n_neighbors_)
    made = {"distances": distances(neighbors), "connectivities": connectivities(neighbors, 1)}
    for name, graph in made.items():
        adata.obsp[f"{key}_{name}"] = graph
        told[f"{name}_key"] = f"{key}_{name}"
    told["params"] |= {"method": "umap", "n_neighbors": int(estimator.n_neighbors_)}
