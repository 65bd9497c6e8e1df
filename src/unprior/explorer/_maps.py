"""Maps that were drawn one from another -> a tree, with what each was made of and what it shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unprior._typing import Floats
from unprior.explorer._protocol import write_rows
from unprior.explorer._quantize import quantize

if TYPE_CHECKING:
    from unprior.explorer._container import Blocks


@dataclass(frozen=True)
class Factored:
    """What was factored out of a map: its name, how strongly, and what it is made of.

    ``source`` is "known", "column", "selection" or "map", and ``what`` the name of the prior that
    was given, the column's name, the sorted rows of the selection as a tuple, or the map's key.
    """

    name: str
    strength: float
    source: str
    what: Any

    def to_header(self, n_samples: int) -> dict[str, Any]:
        """Return it as a page asks for it, so that it can be asked for again."""
        kept = Kept(self.name, self.source, self.what)
        return {**kept.to_header(n_samples), "strength": self.strength}


@dataclass(frozen=True)
class Kept:
    """Labels that were kept on a map: their name, and what they are made of.

    ``source`` is "column" or "selection", and ``what`` the column's name or the sorted rows of the
    selection as a tuple.
    """

    name: str
    source: str
    what: Any

    def to_header(self, n_samples: int) -> dict[str, Any]:
        """Return it as a page asks for it, so that it can be asked for again."""
        what = write_rows(self.what, n_samples) if self.source == "selection" else self.what
        return {"name": self.name, "from": self.source, "what": what}


@dataclass(frozen=True, eq=False)
class Map:
    """A map of the tree.

    Attributes
    ----------
    key : str
        Its name in messages; never shown.
    name : str
        What people call it.
    Y : ndarray of shape (n_samples, 2)
        Coordinates.
    parent : str or None
        Key of the map it was asked for at.
    factored : tuple of Factored
        What was factored out.
    keep : tuple of Kept
        The labels within whose classes that was done.
    left : dict of str to float
        By prior, how much map neighbours share of it; also of priors that were not factored out.
    within : dict of str to dict of str to float
        The same within the classes of kept labels, by the name of these and by prior.
    kept : float or None
        How much of the data's neighbours is kept among samples alike in the priors.
    state : {"given", "done", "stopped"}
        How it came to be.
    note : str
        What the library warned of.
    snippet : str
        Python that draws it again.
    """

    key: str
    name: str
    Y: Floats
    parent: str | None = None
    factored: tuple[Factored, ...] = ()
    keep: tuple[Kept, ...] = ()
    left: dict[str, float] = field(default_factory=dict)
    within: dict[str, dict[str, float]] = field(default_factory=dict)
    kept: float | None = None
    state: str = "given"
    note: str = ""
    snippet: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether it is plain t-SNE, drawn here from the start to the end."""
        return not self.factored and self.state == "done" and self.parent is None

    @property
    def asked(self) -> dict[str, Any]:
        """What it was asked to be without, and to keep."""
        return {"factored": self.factored, "keep": self.keep}

    def to_header(self, blocks: Blocks) -> dict[str, Any]:
        """Write the coordinates into blocks, and return what the header says of the map."""
        counted = quantize(self.Y)
        return {
            "key": self.key,
            "name": self.name,
            "parent": self.parent,
            "factored": [part.to_header(len(self.Y)) for part in self.factored],
            "keep": [part.to_header(len(self.Y)) for part in self.keep],
            "left": plain_numbers(self.left),
            "within": {name: plain_numbers(left) for name, left in self.within.items()},
            "kept": plain_number(self.kept),
            "state": self.state,
            "note": self.note,
            "snippet": self.snippet,
            "square": [*counted.square],
            "block": blocks.add(counted.points),
        }


@dataclass(frozen=True)
class Path:
    """Maps along strengths, each started from its neighbour, from 0 to the strength of ``of``."""

    of: str
    maps: tuple[str, ...]
    strengths: tuple[float, ...]

    def to_header(self) -> dict[str, Any]:
        """Return what a header says of the path."""
        return {"of": self.of, "maps": [*self.maps], "strengths": [*self.strengths]}


class Tree:
    """All maps by key, in the order in which they were added, and the paths between some."""

    def __init__(self) -> None:
        self._maps: dict[str, Map] = {}
        self.paths: dict[str, Path] = {}
        self.count = 0

    def __iter__(self) -> Iterator[Map]:
        return iter(self._maps.values())

    def __len__(self) -> int:
        return len(self._maps)

    def __contains__(self, key: object) -> bool:
        return key in self._maps

    def __getitem__(self, key: str) -> Map:
        return self._maps[key]

    def new_key(self) -> str:
        """Return a key that no map has had."""
        self.count += 1
        return f"m{self.count}"

    def add(self, new: Map) -> Map:
        """Add a map; its parent must be there."""
        assert new.parent is None or new.parent in self._maps
        self._maps[new.key] = new
        return new

    def update(self, key: str, **changes: Any) -> Map:
        """Change what is said of a map."""
        self._maps[key] = replace(self._maps[key], **changes)
        return self._maps[key]

    def measured(
        self, key: str, left: Mapping[str, float], kept: str, within: Mapping[str, float]
    ) -> None:
        """Add what a map shows of more priors, and within the kept labels of this name, if any."""
        old = self._maps[key]
        more = {kept: {**old.within.get(kept, {}), **within}} if within else {}
        self.update(key, left={**old.left, **left}, within={**old.within, **more})

    def on_paths(self) -> set[str]:
        """Return the keys of maps that only a slider shows: those within a path."""
        return {key for path in self.paths.values() for key in path.maps[1:-1]}

    def whole_paths(self) -> list[Path]:
        """Return the paths of which all maps are there."""
        return [path for path in self.paths.values() if all(key in self for key in path.maps)]

    def drop(self, key: str) -> list[str]:
        """Remove a map and all that came from it; return their keys. The root stays."""
        if self._maps[key].parent is None:
            message = "The first map stays: all others came from it."
            raise ValueError(message)
        gone = [key]
        for each in self:  # parents come before their children
            if each.parent in gone:
                gone.append(each.key)
        for each_key in gone:
            del self._maps[each_key]
        self.paths = {of: path for of, path in self.paths.items() if not {of, *path.maps} & {*gone}}
        return gone


def align(Y: Floats, target: Floats) -> Floats:
    """Turn a map about its centre, or flip it, to where samples are nearest to their targets."""
    from scipy.linalg import orthogonal_procrustes

    centre = Y.mean(axis=0)
    rotation, _ = orthogonal_procrustes(Y - centre, target - target.mean(axis=0))
    turned: Floats = np.asarray((Y - centre) @ rotation + centre)
    return turned


def plain_numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return numbers by name as JSON has them."""
    return {name: plain_number(value) for name, value in values.items()}


def plain_number(value: float | None) -> float | None:
    """Return a number as JSON has it: none for NaN."""
    return None if value is None or math.isnan(value) else round(float(value), 6)
