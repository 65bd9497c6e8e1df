"""Files, model files and messages with bytes changed at random: read, or refused in a sentence."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unprior as up
from fuzz.cases import fuzzed
from fuzz.judge import Fault
from unprior.explorer._guard import Guard
from unprior.explorer._protocol import (
    Refused,
    number_of,
    priors_of,
    read_message,
    rows_of,
    text_of,
)
from unprior.files import read_samples

#: What a file may be refused with; anything else is a fault of the library.
OUR_OWN = (ValueError, MemoryError)

CELLS = (b"1", b"-2.5", b"1,5", b"1.234,5", b"a", b'"', b";", b",", b"\t", b"|", b"\n", b"\r\n")
CELLS += (b"", b" ", b"NA", b"[1, 2]", b"\xff", b"\xe9", b"#", b"sep=;", b"\x00", b"1e999", b"inf")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@st.composite
def spoilt(draw, whole):
    """Bytes of a file with some of them changed, left out or repeated."""
    held = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(held) - 1)))
        kind = draw(st.sampled_from(["flip", "cut", "drop", "repeat", "fill"]))
        if kind == "flip" and held:
            held[at] ^= draw(st.integers(1, 255))
        elif kind == "cut":
            del held[at:]
        elif kind == "drop":
            del held[at : at + draw(st.integers(1, 40))]
        elif kind == "repeat":
            held[at:at] = held[at : at + draw(st.integers(1, 40))]
        else:
            held[at : at + 4] = draw(
                st.sampled_from([b"\xff" * 4, b"\x00" * 4, b"\x7f\xff\xff\xff"])
            )
    return bytes(held)


def _check(error, is_clear):
    """Raise a fault unless an error says what it should."""
    if not is_clear:
        raise Fault(f"{type(error).__name__}: {error}") from error


def judge_file(path, held):
    """Read a corrupted file; the result must be samples, or an error in one sentence."""
    path.write_bytes(held)
    try:
        samples = read_samples(path)
    except OUR_OWN as error:
        _check(error, path.name in str(error) and "\n" not in str(error))
        return
    except Exception as error:
        raise Fault(f"{type(error).__name__}: {error}") from error
    assert samples.n_samples == len(samples.ids) > 0


@fuzzed(60)
@given(st.lists(st.sampled_from(CELLS), max_size=40))
def test_text(folder, cells):
    judge_file(folder / "a.csv", b"".join(cells))


X = np.arange(12.0).reshape(4, 3)


@fuzzed(60)
@given(st.data())
def test_tables(folder, draw):
    whole = b"id;size;mass\nann;1,5;2\nbob;2,5;3\ncid;;4\n"
    judge_file(folder / "a.csv", draw.draw(spoilt(whole)))


@fuzzed(60)
@given(st.data())
def test_arrays(folder, draw):
    name = draw.draw(st.sampled_from(["whole.npy", "whole.npz", "packed.npz"]))
    path = folder / name
    save = {"whole.npy": np.save, "whole.npz": np.savez, "packed.npz": np.savez_compressed}[name]
    save(path, X)
    judge_file(folder / f"spoilt{path.suffix}", draw.draw(spoilt(path.read_bytes())))


@fuzzed(12)
@given(st.data())
def test_parquet(folder, draw):
    pytest.importorskip("pyarrow")
    frame = pytest.importorskip("pandas").DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]})
    frame.to_parquet(folder / "whole.parquet")
    whole = (folder / "whole.parquet").read_bytes()
    judge_file(folder / "spoilt.parquet", draw.draw(spoilt(whole)))


@pytest.fixture(scope="module")
def model(folder):
    """The bytes of a small model, and samples for it."""
    data = up.datasets.make_two_factor(40, random_state=0)
    known = data.known.astype(str)
    fitted = up.ConfettiNeighbors(5, operator="balanced").fit(data.X[:30], prior=known[:30])
    up.save_model(fitted, folder / "model")
    return (folder / "model").read_bytes(), data.X[30:], known[30:]


@fuzzed(60)
@given(st.data())
def test_models(folder, model, draw):
    whole, new, known = model
    (folder / "spoilt").write_bytes(draw.draw(spoilt(whole)))
    try:
        again = up.load_model(folder / "spoilt")
    except OUR_OWN as error:
        _check(error, str(error).startswith("load_model: "))
        return
    try:
        again.transform(new, prior=known)
    except (ValueError, TypeError) as error:
        _check(error, ": " in str(error))


KEYS = st.sampled_from(["v", "id", "op", "rows", "priors", "name", "from", "strength", "known"])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**30)])
    | st.floats()
    | st.text(max_size=5),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(KEYS, part, max_size=4),
    max_leaves=8,
)


@fuzzed(200)
@given(st.dictionaries(KEYS, JSON, max_size=6), st.integers(0, 40))
def test_messages(sent, n_samples):
    text = json.dumps({"v": 1, "id": 1, "op": "hello", **sent})
    try:
        message = read_message(text)
        for read in (priors_of, lambda m: rows_of(m, "rows", n_samples)):
            read(message)
        text_of(message, "name")
        number_of(message, "strength", 0, 1)
    except Refused as error:
        _check(error, str(error).endswith("."))


@fuzzed(100)
@given(st.text(max_size=30))
def test_messages_that_are_no_messages(text):
    with pytest.raises(Refused):
        read_message(text)


TEXT = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["localhost:8000", "127.0.0.1:8000", "http://localhost:8000", "none"]),
    st.sampled_from(["Bearer secret", "Bearer ", "unprior.v1, token.secret", "token.secret"]),
)
HEADERS = ("host", "origin", "sec-fetch-site", "authorization", "sec-websocket-protocol")


@fuzzed(300)
@given(st.dictionaries(st.sampled_from(HEADERS), TEXT))
def test_guard(headers):
    guard = Guard(8000, "secret")
    here = {"localhost:8000", "127.0.0.1:8000"}
    if not guard.refusal(headers):
        assert headers["host"] in here
        assert headers.get("origin", "http://localhost:8000").removeprefix("http://") in here
    assert guard.may_read(headers) == (headers.get("authorization") == "Bearer secret")
    if guard.may_connect(headers):
        assert "token.secret" in headers["sec-websocket-protocol"]
        assert "origin" in headers
