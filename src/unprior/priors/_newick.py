"""Reading trees in Newick format."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from unprior.priors._lineages import Lineages

# A branch length; the parser takes any other text after a colon for a name.
_LENGTH = re.compile(r": ?[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?(?=[\s,()\[;]|$)")
_QUOTED_OR_COMMENT = re.compile(r"'[^']*'|\[[^\]]*\]")


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
