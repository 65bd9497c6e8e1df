"""Write Python code that draws a map of the tree again with the library."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

import numpy as np

from unprior._embed import perplexity_of
from unprior.explorer._data import ExplorerData
from unprior.explorer._draw import DrawSettings
from unprior.explorer._maps import Factored, Kept, Map, Path, Tree

#: A selection of at most this many rows is listed; a larger one is stored as bits.
MOST_LISTED = 300


def write_snippet(new: Map, tree: Tree, data: ExplorerData, settings: DrawSettings) -> str:
    """Return the program for a map."""
    lines = ["import numpy as np", "import unprior as up", *data.origin.splitlines(), ""]
    return "\n".join([*lines, *_draw_lines(new, tree, data, settings, "Y"), ""])


def write_path_snippet(
    of: Map, path: Path, place: int, tree: Tree, data: ExplorerData, settings: DrawSettings
) -> str:
    """Return the program for a map of a path, which also draws those before it."""
    priors, lines = _prior_lines(of.factored, tree, data, settings)
    keep, more = _keep_lines(of.keep, data)
    top = ["import numpy as np", "import unprior as up", *data.origin.splitlines()]
    strengths = [{f.name: round(s * f.strength, 6) for f in of.factored} for s in path.strengths]
    return "\n".join(
        [
            *top,
            "from unprior.explorer import strength_path",
            "",
            *lines,
            *more,
            "# Each map starts from the previous one; the first, of strength 0, is plain t-SNE.",
            f"maps = strength_path(data.X, {priors}, {strengths!r}{keep},",
            f"                     metric={settings.metric!r}, random_state={settings.seed})",
            f"Y = maps[{place}]",
            "",
        ]
    )


def _draw_lines(
    drawn: Map, tree: Tree, data: ExplorerData, settings: DrawSettings, target: str
) -> list[str]:
    if drawn.state == "given":
        return [f"{target} = data.maps[{drawn.name!r}]"]
    priors, lines = _prior_lines(drawn.factored, tree, data, settings)
    keep, more = _keep_lines(drawn.keep, data)
    lines += more
    strengths = {f.name: f.strength for f in drawn.factored} or 0.0
    known = f", prior={priors}{keep}" if drawn.factored else ""
    before = tree[drawn.parent] if drawn.parent and drawn.parent in tree else None
    if before and before.state == "stopped" and before.requested == drawn.requested:
        lines.append("# On the page it continued a stopped map; this one starts from scratch.")
    if drawn.state == "stopped":
        lines.append("# The map on the page was stopped early; this one is drawn to the end.")
    lines += [
        f"tsne = up.IndependentTSNE(strength={strengths!r}, metric={settings.metric!r},",
        f"    perplexity={perplexity_of(data.n_samples)!r}, n_iter={settings.n_iter}, "
        f"random_state={settings.seed})",
        f"{target} = tsne.fit_transform(data.X{known})",
        "# The page rotates it to match the map from which it was requested.",
    ]
    return lines


def _prior_lines(
    factored: Sequence[Factored], tree: Tree, data: ExplorerData, settings: DrawSettings
) -> tuple[str, list[str]]:
    """Return the dict of priors as Python code, and the lines that must come before it."""
    lines, parts = [], []
    for part in factored:
        if part.source == "known":
            value = f"data.priors[{part.what!r}]"
        elif part.source == "column":
            value = f"data.column({part.what!r}).to_prior()"
        elif part.source == "map":
            name = f"map_{part.what}"
            if part.what in tree:
                lines += _draw_lines(tree[part.what], tree, data, settings, name)
            else:
                lines.append(f"{name} = ...  # a map that was removed from the page")
            value = f"up.priors.embedding({name})"
        else:
            name = f"selection_{len(lines)}"
            lines += _selection_lines(name, part.what, data.n_samples)
            value = f"up.priors.labels({name})"
        parts.append(f"{part.name!r}: {value}")
    return "{" + ", ".join(parts) + "}", lines


def _keep_lines(keep: Sequence[Kept], data: ExplorerData) -> tuple[str, list[str]]:
    """Return the argument ``keep`` as Python code, and the lines that must come before it."""
    lines, parts = [], []
    for place, part in enumerate(keep):
        value = f"data.column({part.what!r}).to_labels()"
        if part.source == "selection":
            value = f"kept_{place}"
            lines += _selection_lines(value, part.what, data.n_samples)
        parts.append(f"{part.name!r}: {value}")
    return f", keep={{{', '.join(parts)}}}" if parts else "", lines


def _selection_lines(name: str, rows: Sequence[int], n_samples: int) -> list[str]:
    if len(rows) <= MOST_LISTED:
        return [f"{name} = np.isin(np.arange(data.n_samples), {[*rows]!r})"]
    bits = np.zeros(n_samples, dtype=bool)
    bits[list(rows)] = True
    text = base64.b64encode(zlib.compress(np.packbits(bits).tobytes())).decode()
    return [
        "import base64, zlib",
        f"bits = np.frombuffer(zlib.decompress(base64.b64decode({text!r})), dtype=np.uint8)",
        f"{name} = np.unpackbits(bits)[: data.n_samples].astype(bool)",
    ]
