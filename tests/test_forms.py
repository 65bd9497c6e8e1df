"""Arrays and tables of other packages: each gives the same map as NumPy's."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import unprior as up
from unprior import priors
from unprior._forms import are_vectors, plain


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 5)).astype(np.float32)


class Tensor:
    """A stand-in for torch's: with a gradient, it is not an array until it is detached."""

    def __init__(self, array, dtype="torch.float32"):
        self.array, self.dtype, self.ndim = array, dtype, array.ndim

    def __array__(self, *_, **__):
        message = "Can't call numpy() on Tensor that requires grad."
        raise RuntimeError(message)

    def __len__(self):
        return len(self.array)

    def detach(self):
        return self

    def cpu(self):
        return self

    def float(self):
        return Tensor(self.array.astype(np.float32))

    def numpy(self):
        if self.dtype == "torch.bfloat16":
            message = "Got unsupported ScalarType BFloat16"
            raise TypeError(message)
        return self.array


class DLPack:
    """Supports only DLPack, like arrays of some packages."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __len__(self):
        return len(self.array)


class ArrowStream:
    """Supports only Arrow, like tables of polars, DuckDB and others."""

    def __init__(self, held):
        self.held = held

    def __arrow_c_stream__(self, requested_schema=None):
        return self.held.__arrow_c_stream__(requested_schema)


class ArrowArray:
    """Supports only Arrow, as a single array."""

    def __init__(self, held):
        self.held = held

    def __arrow_c_array__(self, requested_schema=None):
        return self.held.__arrow_c_array__(requested_schema)


class Interchange:
    """Supports only the interchange protocol of tables."""

    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, **options):
        return self.frame.__dataframe__(**options)


def frame_of(X):
    return pd.DataFrame(X, columns=list("abcde"))


FORMS = {
    "tensor": Tensor,
    "bfloat16": lambda X: Tensor(X, "torch.bfloat16"),
    "dlpack": DLPack,
    "arrow table": lambda X: pa.Table.from_pandas(frame_of(X)),
    "arrow stream": lambda X: ArrowStream(pa.Table.from_pandas(frame_of(X))),
    "interchange": lambda X: Interchange(frame_of(X)),
    "column of vectors": lambda X: pd.Series([*X]),
    "column of lists": lambda X: pd.Series(X.tolist()),
    "table of vectors": lambda X: pd.DataFrame({"embedding": [*X]}),
    "arrow list": lambda X: pa.array(X.tolist(), type=pa.list_(pa.float32())),
    "arrow fixed list": lambda X: pa.array(X.tolist(), type=pa.list_(pa.float32(), 5)),
    "arrow chunks": lambda X: pa.chunked_array(
        [pa.array(X[:9].tolist()), pa.array(X[9:].tolist())]
    ),
    "arrow array protocol": lambda X: ArrowArray(pa.array(X.tolist())),
    "arrow column stream": lambda X: ArrowStream(pa.chunked_array([pa.array(X.tolist())])),
    "arrow dtype": lambda X: pd.Series(
        pd.arrays.ArrowExtensionArray(pa.array(X.tolist(), type=pa.list_(pa.float32())))
    ),
    "objects": lambda X: np.array([*X, None], dtype=object)[:-1],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_map(X, form):
    prior = ["u", "v"] * 15
    want = up.embed(X, prior=prior, random_state=0)
    got = up.embed(FORMS[form](X), prior=prior, random_state=0)
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_by_priors_and_scores(X, form):
    value = FORMS[form](X)
    prior = priors.as_prior(value)
    assert prior.n_samples == 30
    if prior.kind == "features":  # of a table, columns are combined
        np.testing.assert_allclose(prior.values, X)
    report = up.scores.report(value, X=value, hidden=["u", "v"] * 15, k=5)
    assert report.to_dict()["data"]["trustworthiness"] > 0.99


def test_half_precision(X):
    Y = up.embed(X.astype(np.float16), prior=["u", "v"] * 15, random_state=0)
    want = up.embed(X.astype(np.float16).astype(float), prior=["u", "v"] * 15, random_state=0)
    np.testing.assert_array_equal(Y, want)
    halves = pd.Series([*X.astype(np.float16)])
    assert plain(halves).dtype == np.float32
    assert priors.features(X.astype(np.float16)).values.dtype == np.float64


def test_labels_of_arrow_are_labels():
    assert priors.as_prior(pa.array(["a", "b", "a"])).kind == "labels"
    assert priors.as_prior(pa.array(["a", "b", "a"]).dictionary_encode()).kind == "labels"
    assert priors.as_prior(ArrowStream(pa.chunked_array([["a", "b"], ["a"]]))).kind == "labels"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1.0, 2.0], [1.0]], "takes vectors of one length, 2 in its first row; got a vector of 1"),
        ([[1.0, 2.0], None], "got NoneType in row 1"),
    ],
)
def test_vectors_of_different_lengths_are_refused(rows, reason):
    with pytest.raises(ValueError, match=reason):
        up.embed(pd.Series(rows), prior=["a", "b"])


def test_words_are_no_vectors():
    assert not are_vectors(pd.Series(["a", "b"]))
    assert not are_vectors(np.array([1.0, 2.0]))
    assert not are_vectors(pd.Series([("a", "b"), ("c", "d")]))


def test_polars(X):
    pl = pytest.importorskip("polars")
    kind = ["u", "v"] * 15
    want = up.embed(X, prior=kind, random_state=0)
    table = pl.DataFrame({"embedding": X.tolist(), "kind": kind})
    np.testing.assert_allclose(up.embed(table, prior="kind", random_state=0), want, atol=1e-3)
    got = up.embed(table["embedding"], prior=table["kind"], random_state=0)
    np.testing.assert_allclose(got, want, atol=1e-3)
    wide = pl.DataFrame(X, schema=list("abcde"))
    np.testing.assert_allclose(up.embed(wide, prior=kind, random_state=0), want, atol=1e-3)
    assert priors.as_prior(table["kind"].cast(pl.Categorical)).kind == "labels"


def test_torch(X):
    torch = pytest.importorskip("torch")
    want = up.embed(X, prior=["u", "v"] * 15, random_state=0)
    tensor = torch.tensor(X, requires_grad=True)
    np.testing.assert_array_equal(up.embed(tensor, prior=["u", "v"] * 15, random_state=0), want)


def test_jax(X):
    jnp = pytest.importorskip("jax.numpy")
    want = up.embed(X, prior=["u", "v"] * 15, random_state=0)
    got = up.embed(jnp.asarray(X), prior=["u", "v"] * 15, random_state=0)
    np.testing.assert_array_equal(got, want)
