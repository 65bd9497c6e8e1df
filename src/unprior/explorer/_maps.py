"""The tree of maps, each with what was factored out, what was kept, and its scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from unprior._typing import Floats
from unprior.explorer._container import quantize
from unprior.explorer._protocol import write_rows

if TYPE_CHECKING:
    from unprior.explorer._container import Blocks


@dataclass(frozen=True)
class Factored:
    """A prior that was factored out of a map: its name, strength and source.

    ``source`` is "known" (given at the start), "column", "selection" or "map", and ``what`` the
    prior's name, the column's name, the sorted rows of the selection as a tuple, or the map's key.
    """

    name: str
    strength: float
    source: str
    what: Any

    def to_header(self, n_samples: int) -> dict[str, Any]:
        """Return it in the format of a page's requests, so that it can be requested again."""
        kept = Kept(self.name, self.source, self.what)
        return {**kept.to_header(n_samples), "strength": self.strength}


@dataclass(frozen=True)
class Kept:
    """Labels that were kept on a map: their name and source.

    ``source`` is "column" or "selection", and ``what`` the column's name or the sorted rows of the
    selection as a tuple.
    """

    name: str
    source: str
    what: Any

    def to_header(self, n_samples: int) -> dict[str, Any]:
        """Return it in the format of a page's requests, so that it can be requested again."""
        what = write_rows(self.what, n_samples) if self.source == "selection" else self.what
        return {"name": self.name, "from": self.source, "what": what}


@dataclass(frozen=True, eq=False)
class Map:
    """A map of the tree.

    Attributes
    ----------
    key : str
        Its identifier in messages; never shown.
    name : str
        Its name on the page.
    Y : ndarray of shape (n_samples, 2)
        Coordinates.
    parent : str or None
        Key of the map from which it was requested.
    factored : tuple of Factored
        What was factored out.
    keep : tuple of Kept
        The labels that were kept.
    left : dict of str to float
        How much of each prior map neighbours share; includes priors that were not factored out.
    within : dict of str to dict of str to float
        The same within the classes of kept labels, by the names of labels and prior.
    kept : float or None
        How much of the data's neighbours is kept among samples alike in the priors.
    state : {"given", "done", "stopped"}
        Given at the start, drawn to the end, or stopped early.
    note : str
        Warnings of the library.
    snippet : str
        Python code that draws it again.
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
        """Whether it is plain t-SNE, drawn here to the end."""
        return not self.factored and self.state == "done" and self.parent is None

    @property
    def requested(self) -> dict[str, Any]:
        """What was factored out and what was kept."""
        return {"factored": self.factored, "keep": self.keep}

    def scores(self) -> dict[str, Any]:
        """Return what is left of the priors, for JSON."""
        within = {name: plain_numbers(left) for name, left in self.within.items()}
        return {"left": plain_numbers(self.left), "within": within}

    def to_header(self, blocks: Blocks) -> dict[str, Any]:
        """Write the coordinates into blocks, and return the map's header."""
        quantized = quantize(self.Y)
        return {
            "key": self.key,
            "name": self.name,
            "parent": self.parent,
            "factored": [part.to_header(len(self.Y)) for part in self.factored],
            "keep": [part.to_header(len(self.Y)) for part in self.keep],
            **self.scores(),
            "kept": plain_number(self.kept),
            "state": self.state,
            "note": self.note,
            "snippet": self.snippet,
            "square": [*quantized.square],
            "block": blocks.add(quantized.points),
        }


@dataclass(frozen=True)
class Path:
    """Maps at growing strengths, from 0 to the strength of the map ``of``."""

    of: str
    maps: tuple[str, ...]
    strengths: tuple[float, ...]

    def to_header(self) -> dict[str, Any]:
        """Return the path's header."""
        return {"of": self.of, "maps": [*self.maps], "strengths": [*self.strengths]}


class Tree:
    """All maps by key, in the order in which they were added, and the paths."""

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
        """Return a new key."""
        self.count += 1
        return f"m{self.count}"

    def add(self, new: Map) -> None:
        """Add a map; its parent must be in the tree."""
        assert new.parent is None or new.parent in self._maps
        self._maps[new.key] = new

    def update(self, key: str, **changes: Any) -> Map:
        """Replace fields of a map."""
        self._maps[key] = replace(self._maps[key], **changes)
        return self._maps[key]

    def measured(
        self, key: str, left: Mapping[str, float], kept: str, within: Mapping[str, float]
    ) -> None:
        """Add scores for more priors, and within the kept labels of this name, if any."""
        old = self._maps[key]
        more = {kept: {**old.within.get(kept, {}), **within}} if within else {}
        self.update(key, left={**old.left, **left}, within={**old.within, **more})

    def on_paths(self) -> set[str]:
        """Return the keys of maps inside a path, which only the slider shows."""
        return {key for path in self.paths.values() for key in path.maps[1:-1]}

    def whole_paths(self) -> list[Path]:
        """Return the paths whose maps are all in the tree."""
        return [path for path in self.paths.values() if all(key in self for key in path.maps)]

    def drop(self, key: str) -> list[str]:
        """Remove a map and its descendants; return their keys. The root cannot be removed."""
        if self._maps[key].parent is None:
            message = "The first map cannot be removed: all others came from it."
            raise ValueError(message)
        gone = [key]
        for each in self:  # parents come before their children
            if each.parent in gone:
                gone.append(each.key)
        for each_key in gone:
            del self._maps[each_key]
        self.paths = {of: path for of, path in self.paths.items() if not {of, *path.maps} & {*gone}}
        return gone


def plain_numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return numbers by name for JSON."""
    return {name: plain_number(value) for name, value in values.items()}


def plain_number(value: float | None) -> float | None:
    """Return a number for JSON, None for NaN."""
    return None if value is None or math.isnan(value) else round(float(value), 6)
