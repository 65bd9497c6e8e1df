"""Maps form a tree that can be pruned."""

import numpy as np
import pytest

from unprior.explorer._maps import Map, Path, Tree
from unprior.plot._compare import rotate


def tree_of(*edges):
    tree = Tree()
    for key, parent in edges:
        tree.add(Map(key, key, np.zeros((3, 2)), parent))
    return tree


def test_a_map_goes_with_all_that_came_from_it():
    tree = tree_of(("a", None), ("b", "a"), ("c", "b"), ("d", "a"))
    tree.paths["b"] = Path("b", ("a", "c"), (0.0, 1.0))
    assert tree.drop("b") == ["b", "c"]
    assert [each.key for each in tree] == ["a", "d"]
    assert tree.paths == {}


def test_the_first_map_stays():
    with pytest.raises(ValueError, match="first map cannot be removed"):
        tree_of(("a", None)).drop("a")


def test_maps_within_a_path_are_for_the_slider():
    tree = tree_of(("a", None), ("b", "a"), ("c", "a"))
    tree.paths["x"] = Path("x", ("a", "b", "c"), (0.0, 0.5, 1.0))
    assert tree.on_paths() == {"b"}


def test_keys_are_never_used_again():
    tree = tree_of(("m0", None))
    first = tree.new_key()
    tree.add(Map(first, "x", np.zeros((3, 2)), "m0"))
    tree.drop(first)
    assert tree.new_key() != first


def test_align_undoes_turns_and_flips(rng):
    Y = rng.normal(size=(40, 2))
    turn = np.array([[0.6, -0.8], [0.8, 0.6]]) @ np.diag([1, -1])
    np.testing.assert_allclose(rotate((Y - Y.mean(0)) @ turn, Y), Y - Y.mean(0), atol=1e-12)
