"""Newick as people write it."""

import builtins
from pathlib import Path

import numpy as np
import pytest

from unprior import priors

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
