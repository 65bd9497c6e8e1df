import builtins
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from reference.priors import RandomTree
from unprior import priors

trees = st.builds(
    lambda n_tips, seed, lengths: RandomTree(
        n_tips, np.random.default_rng(seed), with_lengths=lengths
    ),
    st.integers(2, 40),
    st.integers(0, 2**32 - 1),
    st.booleans(),
)


@settings(max_examples=50)
@given(trees)
def test_distances_are_path_lengths(tree):
    prior = priors.tree(tree.newick)
    np.testing.assert_allclose(prior.to_array(), tree.distances, atol=1e-12)
    assert prior.largest() == pytest.approx(tree.distances.max(), abs=1e-12)
    named = priors.tree(tree.newick, tips=tree.tips[::-1])
    np.testing.assert_allclose(named.to_array(), tree.distances[::-1, ::-1], atol=1e-12)


@settings(max_examples=50)
@given(trees)
def test_distances_are_a_metric(tree):
    found = priors.tree(tree.newick).to_array()
    np.testing.assert_array_equal(np.diag(found), 0)
    np.testing.assert_array_equal(found, found.T)
    assert (found >= 0).all()
    detour = (found[:, :, None] + found[None, :, :]).min(axis=1)
    assert (found <= detour + 1e-12).all()


@pytest.mark.parametrize("n_tips", [2, 3, 4, 5, 8, 9, 64, 65])
@pytest.mark.parametrize("method", ["single", "average", "ward", "centroid", "median"])
def test_a_linkage_gives_cophenetic_distances(method, n_tips, rng):
    # Centroids and medians may merge lower than before.
    Z = linkage(rng.normal(size=(n_tips, 2)), method)
    expected = squareform(cophenet(Z))
    prior = priors.tree(Z)
    np.testing.assert_array_equal(prior.to_array(), expected)
    assert prior.largest() == expected.max()


def test_the_largest_distance_of_a_linkage_may_lie_below_its_root():
    falling = np.array([[0.0, 1, 2, 2], [2, 3, 3, 2], [4, 5, 1, 4]])
    prior = priors.tree(falling)
    np.testing.assert_array_equal(prior.to_array(), squareform(cophenet(falling)))
    assert prior.largest() == 3


def test_samples_may_share_tips(rng):
    tree = RandomTree(6, rng)
    tips = [4, 4, 0, 2, 4]
    prior = priors.tree(tree.newick, tips=np.array(tree.tips)[tips])
    np.testing.assert_allclose(prior.to_array(), tree.distances[np.ix_(tips, tips)], atol=1e-12)
    Z = linkage(rng.normal(size=(6, 2)), "average")
    expected = squareform(cophenet(Z))[np.ix_(tips, tips)]
    np.testing.assert_array_equal(priors.tree(Z, tips=tips).to_array(), expected)


def caterpillar(n_tips):
    """Tips t0, t1, ... that branch off one after the other, t0 and t1 last; all branches 1."""
    later = "".join(f":1,t{k}:1)" for k in range(1, n_tips))
    return "(" * (n_tips - 1) + "t0" + later + ";"


def test_a_tree_may_be_much_deeper_than_recursion_allows():
    n_tips = 5 * sys.getrecursionlimit()
    prior = priors.tree(caterpillar(n_tips))
    k = np.arange(1, n_tips)
    # Up from t0 one branch at a time, then down one to the tip.
    np.testing.assert_array_equal(prior.pairs(np.zeros(n_tips - 1, dtype=int), k), k + 1)
    assert prior.largest() == n_tips


def test_one_tip():
    assert priors.tree("(a:3);", tips=["a", "a"]).to_array().tolist() == [[0, 0], [0, 0]]


def test_the_memory_of_a_large_tree_is_far_below_a_matrix(rng):
    prior = priors.tree(caterpillar(20_000))
    held = sum(array.nbytes for array in (prior.tips, *vars(prior.lineages).values()))
    assert held < 20_000 * 20_000 / 100


@pytest.mark.parametrize(
    ("tips", "match"),
    [
        (["Homo", "Pam"], "names of tips; got 'Pam' for sample 1. Did you mean 'Pan'?"),
        (["Homo", "xyz"], "names of tips; got 'xyz' for sample 1.$"),
        ([3], "names of tips; got '3' for sample 0"),
    ],
)
def test_unknown_tips_are_refused(tips, match):
    with pytest.raises(ValueError, match=rf"^tree: 'tips' takes {match}"):
        priors.tree("((Homo:1,Pan:1):1,Gorilla:2);", tips=tips)


def test_tips_of_the_same_name_cannot_be_told_apart():
    assert priors.tree("(a:1,a:1,b:1);").n_samples == 3
    with pytest.raises(
        ValueError, match=r"^tree: two tips are called 'a'; 'tips' needs names that"
    ):
        priors.tree("(a:1,a:1,b:1);", tips=["b"])


@pytest.mark.parametrize("tips", [[0, 4], [-1], [0.5], ["a"], [[0, 1]]])
def test_leaves_a_linkage_does_not_have_are_refused(tips, rng):
    Z = linkage(rng.normal(size=(4, 2)))
    with pytest.raises(
        ValueError, match=r"^tree: 'tips' takes the leaf of .* from 0 to 3 for this"
    ):
        priors.tree(Z, tips=tips)


@pytest.mark.parametrize(
    ("source", "match"),
    [
        (np.ones((3, 4)), r"takes Newick .* got an array of shape \(3, 4\) that is not a linkage"),
        (np.ones((3, 2)), r"takes Newick .* got an array of shape \(3, 2\) that is not a linkage"),
        (None, r"takes Newick .* got an array of shape \(\) that is not a linkage"),
        (["a", "b"], "takes numbers; got"),
    ],
)
def test_what_is_no_tree_is_refused(source, match):
    with pytest.raises(ValueError, match=rf"^tree: 'source' {match}"):
        priors.tree(source)


def test_a_linkage_with_missing_heights_is_refused(rng):
    Z = linkage(rng.normal(size=(4, 2)))
    Z[1, 2] = np.nan
    with pytest.raises(ValueError, match=r"^tree: 'source' holds NaN .first in row 1, column 2"):
        priors.tree(Z)


APES = "((human:6,chimp:6.5):2,gorilla:8);"
EXPECTED = [[0, 12.5, 16], [12.5, 0, 16.5], [16, 16.5, 0]]


@pytest.mark.parametrize(
    "text",
    [
        APES,
        "((human:6,chimp:6.5):2,gorilla:8):99;",
        "((human:6,chimp:6.5)0.95:2,gorilla:8)root;",
        "[&R] ((human:6,chimp:6.5)[&prob=1:2]:2,\n  gorilla:8);\n",
        "((human: 6,chimp:65e-1):+2,'gorilla':8.0);",
        "((human:6,chimp:6.5):2,'a:b, (c)':8);",
    ],
    ids=["plain", "root length", "inner names", "comments, lines", "numbers, quotes", "odd name"],
)
def test_all_spellings_of_a_tree(text):
    np.testing.assert_allclose(priors.tree(text).to_array(), EXPECTED)


def test_without_lengths_each_branch_counts_one():
    D = priors.tree("((a,b),c);").to_array()
    np.testing.assert_array_equal(D, [[0, 2, 3], [2, 0, 3], [3, 3, 0]])


def test_quoted_names_are_found():
    prior = priors.tree("('it''s me':1,'a b':2);", tips=["a b", "it's me"])
    np.testing.assert_array_equal(prior.to_array(), [[0, 3], [3, 0]])


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_is_told_from_text(kind, tmp_path):
    path = tmp_path / "apes.nwk"
    path.write_text("\ufeff" + APES, encoding="utf-8")
    np.testing.assert_allclose(priors.tree(kind(path)).to_array(), EXPECTED)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("(a:1,b);", "the branch to 'b' has no length; give every branch"),
        ("((a:1,b:1),c:1);", "the branch to an unnamed node has no length"),
        ("(a:1,b:-0.5);", "the branch to 'b' has the negative length -0.5"),
        ("(a:1.,b:2);", "numbers as branch lengths; got ':1.'"),
        ("(a:1.e-5,b:2);", "numbers as branch lengths; got ':1.e-5'"),
        ("(a:nan,b:2);", "numbers as branch lengths; got ':nan'"),
        ("(a:  1,b:2);", "numbers as branch lengths; got ':  1'"),
        ("((a:1,b:2);", "'source' is not valid Newick .Mismatch, 2 open vs 1 close"),
        ("(a:1,b:2);\n(a:1,b:2);", "'source' takes one tree; got 2"),
        ("(a:1,b:2)", r"there is no file '\(a:1,b:2\)' to read"),
        ("no_such_file.nwk", "there is no file 'no_such_file.nwk' to read"),
    ],
)
def test_bad_trees_are_refused(text, match):
    with pytest.raises(ValueError, match=rf"^tree: .*{match}"):
        priors.tree(text)


@pytest.mark.parametrize(
    "text", ["sample,value\n", "#NEXUS\nbegin trees;\ntree t = (a,b);\nend;\n"]
)
def test_other_files_are_refused(text, tmp_path):
    path = tmp_path / "other.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"^tree: '.*other.txt' is not a Newick file; convert it"):
        priors.tree(path)


def test_without_biopython_the_install_command_is_shown(monkeypatch):
    real = builtins.__import__

    def without_bio(name, *args, **kwargs):
        if name.startswith("Bio"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_bio)
    with pytest.raises(ImportError, match=r'^tree: reading Newick needs .* "unprior\[tree\]"\.$'):
        priors.tree(APES)
