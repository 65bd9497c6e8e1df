"""Model files: the same bits in another process, and foreign content is refused."""

import io
import json
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import unprior as up
from unprior import priors

# Few steps leave more of a prior than requested.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")

CHILD = """
import sys, numpy as np, unprior as up
given = np.load(sys.argv[2])
model = up.load_model(sys.argv[1])
np.save(sys.argv[3], model.transform(given["X"], prior=given["prior"]))
"""


@pytest.fixture(scope="module")
def data():
    return up.datasets.make_two_factor(120, random_state=0)


@pytest.fixture(scope="module")
def saved(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "map.unprior"
    tsne = up.IndependentTSNE(perplexity=8, n_iter=60, random_state=0)
    up.save_model(tsne.fit(data.X[:100], prior=data.known[:100].astype(str)), path)
    return tsne, path


def test_the_same_bits_in_another_process(data, saved, tmp_path):
    tsne, path = saved
    new, known = data.X[100:], data.known[100:].astype(str)
    np.savez(tmp_path / "new.npz", X=new, prior=known)
    command = [sys.executable, "-c", CHILD, path, tmp_path / "new.npz", tmp_path / "out.npy"]
    subprocess.run(command, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), tsne.transform(new, prior=known))


def several(data):
    return {
        "place": priors.geo(data.X[:, 0], data.X[:, 1]),
        "hour": priors.cyclic(data.X[:, 2], period=3),
        "age": data.X[:, 3],
    }


@pytest.mark.parametrize(
    "estimator",
    [
        up.Confetti(operator="quantile", embedder_params={"n_epochs": 10}, metric="manhattan"),
        up.Confetti(embedder="tsne", embedder_params={"n_iter": 10}, strength=0.5),
        up.JEDI(n_iter=10),
        up.ConfettiNeighbors(6, operator="linear", metric="cosine"),
        up.IndependentTSNE(perplexity=8, n_iter=20, residual="smooth"),
        up.Residual("aligned"),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_every_estimator_comes_back(data, estimator, tmp_path):
    known = several(data)
    some, new = np.arange(100), np.arange(100, 120)
    fit, told = ({k: v[rows] for k, v in known.items()} for rows in (some, new))
    estimator.fit(data.X[some], prior=fit)
    up.save_model(estimator, tmp_path / "model")
    again = up.load_model(tmp_path / "model")
    before = estimator.transform(data.X[new], prior=told)
    after = again.transform(data.X[new], prior=told)
    if hasattr(before, "toarray"):
        before, after = before.toarray(), after.toarray()
    np.testing.assert_array_equal(after, before)
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def rewrite(path, target, change):
    """Copy a model with its members changed, by name."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(target, "w") as file:
        for name, held in change(members).items():
            file.writestr(name, held)


def header_of(members):
    return json.loads(members["model.json"])


def with_header(members, **changes):
    return {**members, "model.json": json.dumps({**header_of(members), **changes})}


def array(values, **options):
    stream = io.BytesIO()
    np.save(stream, values, **options)
    return stream.getvalue()


def huge(members):
    """The first array claims more than any machine has."""
    stream = io.BytesIO()
    head = {"descr": "<f4", "fortran_order": False, "shape": (10**9, 10**9)}
    np.lib.format.write_array_header_1_0(stream, head)
    return {**members, "a0.npy": stream.getvalue()}


def other_class(members):
    model = {**header_of(members)["model"], "estimator": "Popen"}
    return with_header(members, model=model)


def other_function(members):
    return {**members, "model.json": members["model.json"].replace(b"as_floats", b"os.system")}


def other_attribute(members):
    return {**members, "model.json": members["model.json"].replace(b'"left_"', b'"__class__"')}


def deep(members):
    return {**members, "model.json": b'{"list": [' * 100_000}


def codes_out_of_range(members):
    """Every array of whole numbers points far outside."""
    changed = dict(members)
    for name in members:
        if name.endswith(".npy"):
            values = np.load(io.BytesIO(members[name]))
            if values.dtype.kind in "iu" and values.size > 1:
                changed[name] = array(values + 10**6)
    return changed


HOSTILE = {
    "another format": (lambda m: with_header(m, number=99), "reads format 3"),
    "something else": (lambda m: with_header(m, format="zip"), "something else"),
    "no description": (lambda m: {k: v for k, v in m.items() if k != "model.json"}, "description"),
    "no JSON": (lambda m: {**m, "model.json": b"\xff"}, "cannot be read"),
    "a path": (lambda m: {**m, "../a9.npy": b""}, r"'\.\./a9\.npy'"),
    "a pickle": (
        lambda m: {**m, "a0.npy": array(np.array([print], dtype=object), allow_pickle=True)},
        "array of object",
    ),
    "an absurd shape": (huge, "claims a size"),
    "an array cut short": (lambda m: {**m, "a0.npy": m["a0.npy"][:-5]}, "claims a size"),
    "another class": (other_class, "no model has"),
    "another function": (other_function, "no model has"),
    "another attribute": (other_attribute, "no model has"),
    "nested": (deep, "cannot be read|too deeply"),
    "codes out of range": (codes_out_of_range, "out of range"),
    "an array missing": (lambda m: {k: v for k, v in m.items() if k != "a0.npy"}, "no model has"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(saved, tmp_path, name):
    change, message = HOSTILE[name]
    rewrite(saved[1], tmp_path / "bad", change)
    with pytest.raises(ValueError, match=f"^load_model: .*({message})"):
        up.load_model(tmp_path / "bad")


def test_files_of_other_kinds_are_refused(saved, tmp_path):
    (tmp_path / "pickle").write_bytes(pickle.dumps({"a": 1}))
    (tmp_path / "part").write_bytes(saved[1].read_bytes()[:1000])
    with zipfile.ZipFile(tmp_path / "packed", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("model.json", b" " * 10_000)
    for name in ("pickle", "part", "packed"):
        with pytest.raises(ValueError, match="is not a model that save_model has written"):
            up.load_model(tmp_path / name)


def test_what_cannot_be_saved(data, tmp_path):
    with pytest.raises(TypeError, match=r"takes one of IndependentTSNE, .*; got ConditionalTSNE"):
        up.save_model(up.ConditionalTSNE(), tmp_path / "model")
    own = up.ConfettiNeighbors(metric=lambda a, b: abs(a - b).sum())
    own.fit(data.X[:30], prior=data.known[:30].astype(str))
    with pytest.raises(TypeError, match="a metric of your own"):
        up.save_model(own, tmp_path / "model")
    assert not [*tmp_path.iterdir()]
