"""Pack samples and maps into the binary container that a page loads."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from unprior._version import __version__
from unprior.explorer._columns import Column, missing_color
from unprior.explorer._container import Blocks, pack
from unprior.explorer._data import ExplorerData
from unprior.explorer._maps import Map, Tree

#: Version of the header; a page of another version says so and stops.
VERSION = 1

#: Kind of column -> matplotlib colour map.
COLORMAPS = {"amounts": "viridis", "cyclic": "twilight_shifted"}


def pack_page(data: ExplorerData, tree: Tree, *, can_draw: bool, state: Mapping[str, Any]) -> bytes:
    """Return everything that a page needs to start.

    ``can_draw`` says whether a server answers requests; ``state`` is what the page shows first.
    """
    blocks = Blocks()
    header = {
        "op": "page",
        "version": VERSION,
        "made_by": f"unprior {__version__}",
        "title": data.title,
        "n": data.n_samples,
        "ids": None if data.ids is None else blocks.add_texts(data.ids.tolist()),
        "columns": [column.to_header(blocks) for column in data.sent_columns()],
        "on_demand": data.names_on_demand() if can_draw else [],
        "maps": [each.to_header(blocks) for each in tree],
        "paths": [path.to_header() for path in tree.paths.values()],
        "colormaps": {kind: blocks.add(_colormap(name)) for kind, name in COLORMAPS.items()},
        "missing": missing_color(),
        "can_draw": can_draw,
        **state,
    }
    return pack(header, blocks.parts)


def pack_map(new: Map, tree: Tree, *, before: str | None, show: bool) -> bytes:
    """Return a new map and all complete paths as a message.

    ``show`` says whether the page should switch to it, ``before`` which map to show next to it.
    """
    blocks = Blocks()
    header = {
        "op": "map",
        "map": new.to_header(blocks),
        "paths": [path.to_header() for path in tree.whole_paths()],
        "before": before,
        "show": show,
    }
    return pack(header, blocks.parts)


def pack_column(column: Column, request: int) -> bytes:
    """Return a column as the answer to a request, by its number."""
    blocks = Blocks()
    header = {"op": "answer", "id": request, "column": column.to_header(blocks)}
    return pack(header, blocks.parts)


@cache
def _colormap(name: str) -> bytes:
    """Return 256 colours as RGB bytes."""
    import matplotlib as mpl

    colors = mpl.colormaps[name](np.linspace(0, 1, 256))[:, :3]
    return bytes(np.rint(colors * 255).astype(np.uint8).tobytes())
