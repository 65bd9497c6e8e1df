import zipfile

import numpy as np
import pytest

from unprior.files import read_samples

X = np.arange(12.0).reshape(4, 3)


class Trap:
    """What a pickle could do: record that it was opened."""

    opened = False

    def __reduce__(self):
        return setattr, (Trap, "opened", True)


def test_an_array_has_numbered_columns(tmp_path):
    np.save(tmp_path / "a.npy", X)
    samples = read_samples(tmp_path / "a.npy")
    assert samples.data_names == ("0", "1", "2")
    assert samples["1"].tolist() == X[:, 1].tolist()
    assert samples.ids.tolist() == ["0", "1", "2", "3"]


def test_fields_are_columns(tmp_path):
    np.save(tmp_path / "a.npy", np.array([(1, "a"), (2, "b")], dtype=[("n", int), ("w", "U1")]))
    samples = read_samples(tmp_path / "a.npy")
    assert samples["w"].tolist() == ["a", "b"]


def test_an_archive_has_data_columns_and_matrices(tmp_path):
    np.savez(tmp_path / "a.npz", pcs=X[:, :2], X=X, batch=list("uvuv"), ids=list("abcd"), one=1)
    samples = read_samples(tmp_path / "a.npz")
    assert samples.data.shape == (4, 3)
    assert samples["pcs"].shape == (4, 2)
    assert samples["batch"].tolist() == ["u", "v", "u", "v"]
    assert samples.ids.tolist() == ["a", "b", "c", "d"]
    assert samples.remarks[1] == "Ignored arrays of other shapes: one."


def test_the_only_matrix_is_the_data(tmp_path):
    np.savez(tmp_path / "a.npz", pcs=X, batch=list("uvuv"))
    assert read_samples(tmp_path / "a.npz").remarks == ("The data are the array 'pcs'.",)
    np.savez(tmp_path / "a.npz", a=X, b=X)
    with pytest.raises(ValueError, match=r"holds 2 two-dimensional .*a, b.*name the one"):
        read_samples(tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_pickles_are_refused_and_never_opened(tmp_path, name):
    objects = np.array([Trap(), Trap()], dtype=object)
    if name == "a.npy":
        np.save(tmp_path / name, objects, allow_pickle=True)
    else:
        np.savez(tmp_path / name, X=X, meta=objects)
    with pytest.raises(ValueError, match=rf"^{name} holds Python objects \(a pickle\)"):
        read_samples(tmp_path / name)
    assert not Trap.opened
    np.load(tmp_path / name, allow_pickle=True)["meta" if name == "a.npz" else ...]
    assert Trap.opened, "the trap does not work"
    Trap.opened = False


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_broken_files(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"this is no array")
    with pytest.raises(ValueError, match=rf"^{name} is not a NumPy file"):
        read_samples(path)
    np.save(path, X) if name == "a.npy" else np.savez(path, X=X)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match=rf"^{name} is damaged or cut short"):
        read_samples(path)


@pytest.mark.parametrize("array", [np.zeros((2, 2, 2)), np.array([["a"]]), np.zeros((0, 3))])
def test_what_is_no_data_is_refused(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError, match="must be a two-dimensional array of numbers"):
        read_samples(tmp_path / "a.npy")


def test_the_ending_must_fit(tmp_path):
    with (tmp_path / "a.npy").open("wb") as file:
        np.savez(file, X=X)
    with pytest.raises(ValueError, match=r"rename it to end in \.npz"):
        read_samples(tmp_path / "a.npy")
    with (tmp_path / "a.npz").open("wb") as file:
        np.save(file, X)
    with pytest.raises(ValueError, match=r"rename it to end in \.npy"):
        read_samples(tmp_path / "a.npz")


def test_bytes_that_were_changed_in_an_archive(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, X=np.random.default_rng(0).normal(size=(50, 3)))
    content = bytearray(path.read_bytes())
    content[200:260] = bytes(60)
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"^a\.npz is damaged or cut short"):
        read_samples(path)


def test_other_files_in_an_archive_are_passed_over(tmp_path):
    np.savez(tmp_path / "a.npz", X=X)
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("readme.txt", "hello")
    assert read_samples(tmp_path / "a.npz").data.shape == (4, 3)
