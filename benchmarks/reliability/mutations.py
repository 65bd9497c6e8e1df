"""List the possible mutations of a source file, and apply one of them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: Operators, and what each is turned into.
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True)
class Change:
    """One fault: where it is, and the code before and after it.

    Attributes
    ----------
    file : str
        Of the module, within the sources.
    number : int
        Of the node among those of the file, in the order in which they are visited.
    line : int
        In the file.
    within : str
        The function or class it is in.
    was, now : str
        The expression.
    """

    file: str
    number: int
    line: int
    within: str
    was: str
    now: str

    @property
    def key(self) -> str:
        """Identifies the change while its line keeps its place."""
        return f"{self.file}:{self.line} {self.within}: {self.was} -> {self.now}"

    @property
    def place(self) -> str:
        """Identifies the change even if other lines of its file change."""
        return f"{self.file} {self.within}: {self.was} -> {self.now}"


def changes_of(file: str, text: str) -> list[Change]:
    r"""Return every change that could be made to a file.

    Examples
    --------
    >>> [change.now for change in changes_of("a.py", "def f(x):\n    return x < 2")]
    ['return None', 'x <= 2', '3']
    """
    found = []
    for number, (node, within) in enumerate(_places(ast.parse(text))):
        now = mutated(node)
        if now is not None:
            words = (ast.unparse(node), ast.unparse(now))
            found.append(Change(file, number, node.lineno, within, *words))
    return found


def changed(text: str, change: Change) -> str:
    """Return a file with one change made."""
    tree = ast.parse(text)
    places = list(_places(tree))
    node = places[change.number][0]
    _Replace(node, mutated(node)).visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree))


def mutated(node: Any) -> Any:
    """Return a node with its fault, or None if none is known for it."""
    other = copy.deepcopy(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
        other.ops = [SWAPS[type(node.ops[0])]()]
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in SWAPS:
        other.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        other = other.operand
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        other.value = ast.Constant(None)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        is_bool = isinstance(node.value, bool)
        whole = isinstance(node.value, int)
        other.value = not node.value if is_bool else node.value + 1 if whole else 2 * node.value
        if other.value == node.value:  # nought, and infinity
            other.value = 1.0
    else:
        return None
    return other


def _is_none(value: Any) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _places(node: Any, within: str = "") -> Iterator[tuple[Any, str]]:
    """Go through what is computed: no types, no text, no messages."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if not isinstance(
                part, ast.expr | ast.stmt | ast.comprehension | ast.arguments | ast.keyword
            ):
                continue
            if isinstance(part, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom):
                continue
            if _is_message(part) or (isinstance(node, ast.Module) and _is_type(part)):
                continue
            inside = within
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                inside = f"{within}.{part.name}" if within else part.name
            if hasattr(part, "lineno"):
                yield part, inside
            yield from _places(part, inside)


def _is_message(part: Any) -> bool:
    return isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "message"


def _is_type(part: Any) -> bool:
    """Whether a line of a module names a type, such as ``Rows = A | B``."""
    return isinstance(part, ast.Assign) and isinstance(part.value, ast.BinOp | ast.Subscript)


class _Replace(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: Any, new: Any) -> None:
        self.old, self.new = old, new

    def visit(self, node: Any) -> Any:
        return self.new if node is self.old else super().generic_visit(node)
