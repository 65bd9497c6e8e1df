"""The prior of a tree, given in Newick format or as a linkage matrix."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from unprior._typing import Floats, Indices
from unprior._validation import check_finite, check_numeric
from unprior.geometry import as_rows
from unprior.priors._base import Kind, Prior, Source
from unprior.priors._lineages import Lineages

# A branch length; the parser takes any other text after a colon for a name.
_LENGTH = re.compile(r": ?[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?(?=[\s,()\[;]|$)")
_QUOTED_OR_COMMENT = re.compile(r"'[^']*'|\[[^\]]*\]")


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Prior):
    """A tree as a prior: distances between the tips of samples along the branches.

    Attributes
    ----------
    tips : ndarray of shape (n_samples,)
        The tip of each sample, as its position in the drawing order of the tips.
    lineages : Lineages
        The tree.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.tree("((a,b),c);").pairs([0, 0], [1, 2])
    array([2., 3.])
    """

    kind: ClassVar[str] = "tree"

    tips: Indices
    lineages: Lineages

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.tips)

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        return self.lineages.distances(self.tips[as_rows(rows)][:, None], self.tips[as_rows(cols)])

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        return self.lineages.distances(self.tips[as_rows(i)], self.tips[as_rows(j)])

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        distances, tips = self.lineages.distances, np.unique(self.tips)
        # Along branches, the tip farthest from any other is an end of the longest path. In a
        # linkage, whose heights need not increase, every merge joins two adjacent tips.
        end = tips[distances(tips[0], tips).argmax()]
        neighbors = distances(tips[:-1], tips[1:])
        return float(max(distances(end, tips).max(), neighbors.max(initial=0)))

    def _take(self, rows: Indices) -> Tree:
        return Tree(self.tips[rows], self.lineages)


def tree(source: Any, *, tips: Any = None) -> Tree:
    """Make a prior from a tree.

    Parameters
    ----------
    source : str, Path or array of shape (n_leaves - 1, 4)
        Newick text, the path of a Newick file, or a linkage matrix as
        `scipy.cluster.hierarchy.linkage` returns it. Reading Newick needs Biopython
        (``pip install "unprior[tree]"``).
    tips : array-like of shape (n_samples,), default=None
        The tip of each sample; several samples may share one. Names for Newick, by default all tips
        in the order of the text; leaf indices for a linkage, by default all in order.

    Returns
    -------
    prior : Tree
        For Newick the length of the path between two tips, where each branch counts 1 if none has a
        length. For a linkage the height at which two leaves are merged, as
        `scipy.cluster.hierarchy.cophenet` returns it.

    Examples
    --------
    >>> from unprior import priors
    >>> apes = priors.tree("((human:6,chimp:6):2,gorilla:8);", tips=["human", "chimp", "gorilla"])
    >>> apes.to_array()
    array([[ 0., 12., 16.],
           [12.,  0., 16.],
           [16., 16.,  0.]])
    """
    if isinstance(source, str | Path):
        names, lineages = read_newick(source)
        if tips is None:
            return Tree(np.arange(lineages.n_tips), lineages)
        return Tree(_positions_of(tips, names), lineages)
    positions, lineages = _read_linkage(source)
    leaves = slice(None) if tips is None else _read_leaves(tips, len(positions))
    return Tree(positions[leaves], lineages)


def _positions_of(tips: Any, names: list[str | None]) -> Indices:
    """Return the position of each sample's tip, by name."""
    positions = {name: position for position, name in enumerate(names) if name is not None}
    n_named = sum(name is not None for name in names)
    if len(positions) < n_named:
        twice = next(name for name in positions if names.count(name) > 1)
        message = f"tree: two tips are called {twice!r}; 'tips' needs names that differ."
        raise ValueError(message)
    wanted = [str(tip) for tip in np.atleast_1d(tips).tolist()]
    for sample, tip in enumerate(wanted):
        if tip not in positions:
            close = difflib.get_close_matches(tip, [*positions], n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            message = f"tree: 'tips' takes names of tips; got {tip!r} for sample {sample}.{hint}"
            raise ValueError(message)
    return np.array([positions[tip] for tip in wanted], dtype=np.intp)


def _read_leaves(tips: Any, n_leaves: int) -> Indices:
    leaves = np.asarray(tips)
    whole = leaves.ndim == 1 and (leaves.dtype.kind in "iu" or not leaves.size)
    if not whole or (leaves < 0).any() or (leaves >= n_leaves).any():
        message = (
            f"tree: 'tips' takes the leaf of each sample, a whole number from 0 to {n_leaves - 1} "
            "for this linkage."
        )
        raise ValueError(message)
    return leaves.astype(np.intp, copy=False)


def _read_linkage(source: Any) -> tuple[Indices, Lineages]:
    """Return the position of each leaf in the drawing order of a linkage, and the lineages."""
    from scipy.cluster.hierarchy import is_valid_linkage

    Z = check_numeric("tree", "source", source).astype(np.float64, copy=False)
    try:
        is_valid_linkage(Z, throw=True)
    except (TypeError, ValueError) as error:
        message = (
            "tree: 'source' takes Newick text, the path of a Newick file or a linkage matrix; got "
            f"an array of shape {Z.shape} that is not a linkage ({str(error).rstrip('.')})."
        )
        raise ValueError(message) from error
    check_finite("tree", "source", Z)
    n_merges = len(Z)
    n_leaves = n_merges + 1
    children = Z[:, :2].astype(np.intp)
    sizes = np.concatenate((np.ones(n_leaves), Z[:, 3])).astype(np.intp)
    starts = np.zeros(n_leaves + n_merges, dtype=np.intp)
    meets = np.empty(n_merges, dtype=np.intp)
    # From the root down: each merge places its right subtree after its left one.
    for rank, (left, right) in enumerate(children[::-1]):
        start = starts[n_leaves + n_merges - 1 - rank]
        starts[left], starts[right] = start, start + sizes[left]
        meets[starts[right] - 1] = rank
    heights = Z[::-1, 2]
    return starts[:n_leaves], Lineages.from_neighbors(np.zeros(n_leaves), -heights, meets)


def is_newick(text: str) -> bool:
    """Whether a string is a tree rather than the path of a file."""
    return "(" in text and ";" in text


def read_newick(source: str | Path) -> tuple[list[str | None], Lineages]:
    """Return the names of the tips in the order of the text, and their lineages."""
    text = source if isinstance(source, str) and is_newick(source) else _read_file(source)
    _check_lengths(text)
    return _walk(_parse(text))


def _read_file(source: str | Path) -> str:
    try:
        text = Path(source).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        message = (
            "tree: 'source' takes Newick text (which ends in ';'), the path of a Newick file or a "
            f"linkage matrix; there is no file {str(source)[:60]!r} to read."
        )
        raise ValueError(message) from error
    if not is_newick(text) or text.lstrip().upper().startswith("#NEXUS"):
        message = (
            f"tree: {str(source)!r} is not a Newick file; convert it first, for example with "
            "Bio.Phylo.convert."
        )
        raise ValueError(message)
    return text


def _check_lengths(text: str) -> None:
    bare = _QUOTED_OR_COMMENT.sub("", text)
    for colon in re.finditer(":", bare):
        if not _LENGTH.match(bare, colon.start()):
            shown = bare[colon.start() : colon.start() + 20].split(",")[0]
            message = f"tree: 'source' takes numbers as branch lengths; got {shown!r}."
            raise ValueError(message)


def _parse(text: str) -> Any:
    try:
        from Bio.Phylo import NewickIO
    except ImportError as error:
        message = 'tree: reading Newick needs Biopython; run pip install "unprior[tree]".'
        raise ImportError(message) from error
    try:
        trees = list(NewickIO.parse(StringIO(text)))
    except NewickIO.NewickError as error:
        message = f"tree: 'source' is not valid Newick ({error})."
        raise ValueError(message) from error
    if len(trees) != 1:
        message = f"tree: 'source' takes one tree; got {len(trees)}."
        raise ValueError(message)
    return trees[0].root


def _walk(root: Any) -> tuple[list[str | None], Lineages]:
    """Traverse the tree in preorder, without recursion because trees can be very deep."""
    names: list[str | None] = []
    nodes: list[Any] = []
    parents, tips, meets = [], [], []
    meet, stack = 0, [(root, 0, True)]
    while stack:
        clade, parent, is_first = stack.pop()
        if not is_first:  # this parent is the common ancestor of the next tip and the one before
            meet = parent
        if not clade.clades:
            names.append(clade.name)
            tips.append(len(nodes))
            meets.append(meet)
        children = [(child, len(nodes), k == 0) for k, child in enumerate(clade.clades)]
        stack.extend(reversed(children))
        nodes.append(clade)
        parents.append(parent)
    depths = np.zeros(len(nodes))
    for node, length in enumerate(_branch_lengths(nodes[1:]), start=1):
        depths[node] = depths[parents[node]] + length
    return names, Lineages.from_neighbors(depths[tips], 2 * depths, np.array(meets[1:], dtype=int))


def _branch_lengths(clades: list[Any]) -> list[float]:
    """Return the branch lengths, all 1 if none is given."""
    lengths = [clade.branch_length for clade in clades]
    if all(length is None for length in lengths):
        return [1.0] * len(lengths)
    for clade, length in zip(clades, lengths, strict=True):
        if length is None or length < 0:
            whose = f"to {clade.name!r}" if clade.name else "to an unnamed node"
            message = (
                f"tree: the branch {whose} has "
                + ("no length" if length is None else f"the negative length {length:g}")
                + "; give every branch a length of at least 0, or none at all to count branches."
            )
            raise ValueError(message)
    return lengths


def _make(source: Source) -> Tree:
    return tree(source.matrix, tips=source.columns.get("tips"))


TREE = Kind("tree", "tree.nwk:tree", _make, takes="file", takes_value=True)
