"""Data, priors and maps of every shape and form that a caller might pass, good and bad."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from unprior import priors

SEEDS = st.integers(0, 2**16)

#: Whether an input is valid: three times out of four.
MOSTLY = st.sampled_from([True, True, True, False])
SAMPLES = st.one_of(st.integers(4, 24), st.integers(4, 24), st.integers(0, 3))
SCRATCH = Path(tempfile.mkdtemp(prefix="unprior-fuzz-"))

SPARSE = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
DTYPES = ("f8", "f8", "f4", "f2", "g", "i8", "i4", "u1", "?", "O", "U")
DENSE = ("C", "C", "F", "strided", "reversed", "read-only", "memmap", "list", "frame")
LAYOUTS = (*DENSE, *SPARSE)
SCALES = (1.0, 1.0, 1.0, 1e-30, 1e-8, 1e8, 1e30, 1e-200, 1e150)
SHAPES = ("normal", "normal", "clusters", "duplicates", "outlier", "constant column", "few values")
SPOILT = (None, None, np.nan, np.inf, "all equal")


def _values(rng, n, d, shape):
    X = rng.normal(size=(n, d))
    if not X.size:
        return X
    if shape == "clusters":
        X += 1e4 * rng.integers(0, 3, n)[:, None]
    elif shape == "duplicates":
        X = X[rng.integers(0, max(1, n // 4), n)]
    elif shape == "outlier":
        X[0] *= 1e12
    elif shape == "constant column":
        X[:, 0] = 3.0
    elif shape == "few values":
        X = np.round(X)
    return X


def _spoil(X, value):
    if X.size and isinstance(value, str):
        X[:] = X[0]
    elif X.size and value is not None:
        X[len(X) // 2, -1] = value
    return X


def _typed(X, dtype):
    with np.errstate(all="ignore"):
        return (
            np.nan_to_num(X).astype(dtype) if dtype in ("i8", "i4", "u1", "?") else X.astype(dtype)
        )


def _index(rng, n):
    kind = rng.integers(0, 5)
    if kind == 0:
        return [f"s{i}" for i in rng.permutation(n)]
    if kind == 1:
        return rng.integers(0, max(1, n // 2), n)  # not unique
    if kind == 2:
        return pd.MultiIndex.from_arrays([range(n), rng.permutation(n)])
    if kind == 3:
        return pd.date_range("2020-01-01", periods=n)[::-1]
    return None


def _laid_out(rng, X, layout):
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "strided":
        return np.repeat(X, 2, axis=0)[::2]
    if layout == "reversed":
        return X[::-1].copy()[::-1]
    if layout == "read-only":
        X.setflags(write=False)
        return X
    if layout == "memmap" and X.size and X.dtype.kind != "O":
        path = SCRATCH / f"{rng.integers(0, 8)}.npy"
        np.save(path, X)
        return np.load(path, mmap_mode="r")
    if layout == "list":
        return X.tolist()
    if layout == "frame":
        index = _index(rng, len(X))
        return pd.DataFrame(X, index=index, columns=[f"c{i}" for i in range(X.shape[1])])
    if layout in SPARSE and X.dtype.kind in "fiub" and X.dtype.str[1:] != "f2":
        return getattr(sparse, f"{layout}_{rng.choice(['array', 'matrix'])}")(X)
    return X


@st.composite
def data(draw, n=None, squares=False):
    """Features, or distances; most of them can be mapped, and some cannot."""
    good = draw(MOSTLY)
    n = draw(st.integers(4, 24) if good else SAMPLES) if n is None else n
    rng = np.random.default_rng(draw(SEEDS))
    d = draw(st.sampled_from([1, 2, 3, 5, 40] if good or squares else [0, 1, 2]))
    X = _values(rng, n, d, draw(st.sampled_from(SHAPES)))
    X = X * draw(st.sampled_from(SCALES if not good else SCALES[:7]))
    if squares:
        with np.errstate(all="ignore"):
            X = cdist(X, X)
    if not good:
        X = _spoil(X, draw(st.sampled_from(SPOILT)))
        X = _typed(X, draw(st.sampled_from(DTYPES)))
    layouts = DENSE if good and squares else LAYOUTS
    return _laid_out(rng, X, draw(st.sampled_from(layouts)))


def _labels(rng, n):
    k = int(rng.choice([1, 2, 3, max(1, n // 2), max(n, 1)]))
    codes = rng.integers(0, k, n)
    if rng.random() < 0.2:
        codes[1:] = 0  # one class but for a sample
    kind = rng.integers(0, 6)
    if kind == 0:
        return np.array([f"class {c}" for c in codes], dtype=object)
    if kind == 1:
        return pd.Categorical([f"{c}" for c in codes])
    if kind == 2:
        return (codes % 2).astype(bool)
    if kind == 3:
        return pd.Series([f"{c}" for c in codes], index=_index(rng, n))
    if kind == 4:
        return [str(c) for c in codes]
    return codes.astype(str)


def _tree(n):
    text = "s0"
    for i in range(1, n):
        text = f"({text}:1,s{i}:{1 + i % 3})"
    return priors.tree(f"{text};", tips=[f"s{i}" for i in range(n)])


def _graph(rng, n):
    A = (rng.random((n, n)) < 0.3).astype(float)
    A = np.triu(A, 1) + np.eye(n, k=1)
    return priors.graph(A + A.T)


def _square(rng, n):
    Z = rng.normal(size=(n, 2))
    return priors.distances(cdist(Z, Z)) if rng.random() < 0.5 else priors.kernel(Z @ Z.T)


KINDS = {
    "labels": _labels,
    "declared": lambda rng, n: priors.labels(rng.integers(0, 3, n)),
    "amounts": lambda rng, n: rng.normal(size=n) * rng.choice([1.0, 1e-30, 1e30]),
    "columns": lambda rng, n: rng.normal(size=(n, 2)).astype(rng.choice(["f4", "f8"])),
    "integers": lambda rng, n: rng.integers(0, 5, n),
    "geo": lambda rng, n: priors.geo(rng.uniform(-90, 90, n), rng.uniform(-180, 180, n)),
    "cyclic": lambda rng, n: priors.cyclic(rng.uniform(0, 24, n), 24),
    "square": _square,
    "tree": lambda rng, n: _tree(n),
    "graph": _graph,
    "table": lambda rng, n: pd.DataFrame({"a": rng.normal(size=n), "b": _labels(rng, n)}),
    "dates": lambda rng, n: pd.date_range("2020-01-01", periods=n).to_numpy(),
    "missing": lambda rng, n: [None, *["a", "b"] * n][:n],
    "nothing": lambda rng, n: None,
    "constant": lambda rng, n: np.ones(n),
    "text": lambda rng, n: "batch",
}


#: Kinds that are refused.
BAD = ("integers", "missing", "nothing", "constant", "text")


def _make(kind, rng, n):
    try:
        return KINDS[kind](rng, n)
    except ValueError:  # too few samples have no tree, no graph, ...
        return _labels(rng, n)


@st.composite
def known(draw, n, *, labels_alone=False):
    """A prior of any kind, or several of them, most of them valid."""
    rng, good = np.random.default_rng(draw(SEEDS)), draw(MOSTLY)
    n = n if good else max(0, n + draw(st.sampled_from([0, 0, -1, 1])))
    kinds = [*KINDS] if not good else [kind for kind in KINDS if kind not in BAD]
    if labels_alone and good:
        kinds = ["labels", "declared"]
    names = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3, unique=True))
    parts = [_make(name, rng, n) for name in names]
    if len(parts) == 1:
        return parts[0]
    return parts if draw(st.booleans()) else dict(zip(names, parts, strict=True))
