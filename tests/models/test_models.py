"""Model files: the same bits in another process, and foreign content is refused."""

import errno
import io
import json
import math
import pickle
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import unprior as up
from unprior import _memory, priors

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


def other_type(members):
    """A number where a record is expected."""
    header = header_of(members)
    header["model"]["attributes"]["_new"]["fields"]["map"]["fields"]["views"] = 2
    return {**members, "model.json": json.dumps(header)}


def endless(members):
    header = header_of(members)
    header["model"]["attributes"]["_new"]["fields"]["reach"]["fields"]["distance"] = math.inf
    return {**members, "model.json": json.dumps(header)}


def text_for_numbers(members):
    values = np.load(io.BytesIO(members["a1.npy"]))
    return {**members, "a1.npy": array(values.astype("U5"))}


HOSTILE = {
    "another type": (other_type, "'views' of transform._tsne.TSNEMap is of another type"),
    "no number": (endless, "'distance' of transform._place.Reach is of another type"),
    "text for numbers": (text_for_numbers, "another type"),
    "another format": (lambda m: with_header(m, number=99), "reads format 4"),
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


def test_rows_that_do_not_fit_the_fitted_ones_are_not_compared(data, tmp_path):
    """Compiled loops check no bounds: they would read what lies behind the array."""
    finder = up.ConfettiNeighbors(3).fit(data.X[:30], prior=data.known[:30].astype(str))
    points = finder._finder.data
    narrow = replace(points, values=points.values[:, :1].copy(), center=points.center[:1])
    finder._finder = replace(finder._finder, data=narrow)
    up.save_model(finder, tmp_path / "model")
    with pytest.raises(ValueError, match=r"^transform: 'X' takes rows of 1 numbers, "):
        up.load_model(tmp_path / "model").transform(data.X[:2], prior=data.known[:2].astype(str))


def test_names_that_are_no_text(saved, tmp_path):
    held = saved[1].read_bytes().replace(b"a0.npy", b"a\xff.npy")
    entry = held.rindex(b"PK\x01\x02", 0, held.index(b"a\xff.npy", held.index(b"PK\x01\x02")))
    flags = entry + 8
    held = held[:flags] + b"\x00\x08" + held[flags + 2 :]  # names are UTF-8
    (tmp_path / "bad").write_bytes(held)
    with pytest.raises(ValueError, match=r"^load_model: .* it is not a zip file"):
        up.load_model(tmp_path / "bad")


def test_a_description_larger_than_memory(saved, monkeypatch):
    monkeypatch.setattr(_memory, "_usable_memory", lambda: 10_000)
    with pytest.raises(MemoryError, match="GiB are free"):
        up.load_model(saved[1])


def test_a_full_disk_leaves_the_previous_model(saved, tmp_path, monkeypatch):
    target = tmp_path / "model"
    up.save_model(saved[0], target)
    held = target.read_bytes()

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(OSError, match="No space left"):
        up.save_model(saved[0], target)
    assert target.read_bytes() == held
    assert [*tmp_path.iterdir()] == [target]


def test_what_cannot_be_saved(data, tmp_path):
    with pytest.raises(TypeError, match=r"takes one of IndependentTSNE, .*; got ConditionalTSNE"):
        up.save_model(up.ConditionalTSNE(), tmp_path / "model")
    own = up.ConfettiNeighbors(metric=lambda a, b: abs(a - b).sum())
    own.fit(data.X[:30], prior=data.known[:30].astype(str))
    with pytest.raises(TypeError, match="takes metrics by name"):
        up.save_model(own, tmp_path / "model")
    assert not [*tmp_path.iterdir()]
