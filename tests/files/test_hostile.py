"""Files that declare more than fits into memory, or refer to other files, are refused unread."""

import gzip
import io
import json
import re
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import unprior
from unprior import _memory
from unprior.files import read_samples

#: Unpacked size of the files, and memory of the machine in these tests.
HUGE, ROOM = 2**26, 2**22


@pytest.fixture
def small_machine(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text(str(ROOM))
    (tmp_path / "cgroup").write_text("0::/")
    monkeypatch.setattr(_memory, "LIMITS", tmp_path)
    monkeypatch.setattr(_memory, "GROUPS", tmp_path / "cgroup")


def header(shape, dtype="<f8"):
    stream = io.BytesIO()
    head = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, head)
    return stream.getvalue()


def deflate(path, name, start, n_bytes):
    """Write zeros into an archive, piece by piece."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w", force_zip64=True) as member,
    ):
        member.write(start)
        for _ in range(n_bytes // 2**20):
            member.write(bytes(2**20))


def write_npz(path):
    deflate(path, "X.npy", header((HUGE // 80, 10)), HUGE)


def write_xlsx(path):
    pytest.importorskip("openpyxl")
    deflate(path, "xl/worksheets/sheet1.xml", b"", HUGE)


def write_csv_gz(path):
    with gzip.open(path, "wb") as file:
        file.write(b"a,b\n")
        for _ in range(HUGE // 2**20):
            file.write(b"0,0\n" * 2**18)


def write_h5ad(path):
    """Write an array without any stored chunk: all of it is zero."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.create_dataset("X", shape=(10**9, 10**4), dtype="f4", chunks=(1000, 100))


def write_linked_h5ad(path):
    """Write one array with a thousand names."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file["obsm/a"] = np.zeros((1000, 10))
        for k in range(1000):
            file[f"obsm/b{k}"] = file["obsm/a"]


def write_zarr(path):
    path.mkdir()
    about = {"zarr_format": 2, "shape": [10**9, 10**4], "chunks": [1000, 100], "dtype": "<f4"}
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    (path / "X").mkdir()
    (path / "X" / ".zarray").write_text(json.dumps(about))


def write_together_zarr(path):
    """Describe the array only in the consolidated metadata."""
    path.mkdir()
    about = {"node_type": "array", "shape": [10**9, 10**4], "data_type": "float32"}
    whole = {"zarr_format": 3, "node_type": "group"}
    whole["consolidated_metadata"] = {"metadata": {"X": about}}
    (path / "zarr.json").write_text(json.dumps(whole))


def write_parquet(path):
    """Write one repeated value, which takes hardly any space in the file."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    column = arrow.DictionaryArray.from_arrays(np.zeros(10**6, dtype=np.int8), ["a"])
    parquet.write_table(arrow.table({"a": column}), path)


def write_feather(path):
    arrow, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    table = arrow.table({"a": np.zeros(10**6, dtype=np.int8)})
    feather.write_feather(table, path, compression="zstd")


BOMBS = {
    "a.npz": write_npz,
    "a.xlsx": write_xlsx,
    "a.csv.gz": write_csv_gz,
    "a.h5ad": write_h5ad,
    "linked.h5ad": write_linked_h5ad,
    "a.zarr": write_zarr,
    "together.zarr": write_together_zarr,
    "a.parquet": write_parquet,
    "a.feather": write_feather,
}


@pytest.mark.parametrize("name", BOMBS)
def test_small_files_of_huge_data_are_refused(small_machine, tmp_path, name):
    path = tmp_path / name
    BOMBS[name](path)
    size = sum(f.stat().st_size for f in path.rglob("*")) if path.is_dir() else path.stat().st_size
    assert size < ROOM / 4
    _import_readers()
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError, match=rf"^{name}: its content, unpacked, needs .* GiB"):
            read_samples(path)
        assert tracemalloc.get_traced_memory()[1] < HUGE / 8
    finally:
        tracemalloc.stop()


def _import_readers():
    """Import what reads files, so that its own memory is not counted."""
    for name in ("pandas", "anndata", "pyarrow.parquet", "pyarrow.dataset", "zarr"):
        pytest.importorskip(name)


SHAPES = {
    "rows": ((10**12, 4), "<f8"),
    "overflowing": ((2**62, 2**62), "<f8"),
    "a column": ((10**12,), "<i8"),
    "of no size": ((10**12,), "<U0"),
    "negative": ((-1, 4), "<f8"),
}


@pytest.mark.parametrize("ending", ["npy", "npz"])
@pytest.mark.parametrize("which", SHAPES)
def test_absurd_shapes(tmp_path, ending, which):
    path, start = tmp_path / f"a.{ending}", header(*SHAPES[which])
    if ending == "npy":
        path.write_bytes(start + bytes(64))
    else:
        deflate(path, "X.npy", start, 0)
    with pytest.raises(
        ValueError, match=rf"^a.{ending} is damaged or cut short: .*(shape|dimension)"
    ):
        read_samples(path)


def test_a_locked_archive_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3))
    held = bytearray((tmp_path / "a.npz").read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        held[held.index(mark) + place] |= 1
    (tmp_path / "a.npz").write_bytes(held)
    with pytest.raises(ValueError, match=r"^a.npz is damaged or cut short: .*encrypted"):
        read_samples(tmp_path / "a.npz")


@pytest.mark.parametrize("kind", ["link", "raw", "virtual"])
def test_hdf5_that_is_kept_elsewhere_is_refused(tmp_path, kind):
    h5py = pytest.importorskip("h5py")
    pytest.importorskip("anndata")
    secret = tmp_path / "secret"
    with h5py.File(secret, "w") as file:
        file["X"] = np.eye(4)
    with h5py.File(tmp_path / "a.h5ad", "w") as file:
        if kind == "link":
            file["X"] = h5py.ExternalLink(str(secret), "X")
        elif kind == "raw":
            file.create_dataset("X", (4, 4), "f8", external=[(str(secret), 0, 128)])
        else:
            layout = h5py.VirtualLayout((4, 4), "f8")
            layout[:] = h5py.VirtualSource(str(secret), "X", shape=(4, 4))
            file.create_virtual_dataset("X", layout)
    with pytest.raises(ValueError, match=r"^a.h5ad: 'X' in it is stored in another file"):
        read_samples(tmp_path / "a.h5ad")


def test_hdf5_that_goes_round_in_circles_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py")
    pytest.importorskip("anndata")
    with h5py.File(tmp_path / "a.h5ad", "w") as file:
        group = file.create_group("obsm")
        group["again"] = group
    with pytest.raises(ValueError, match=r"^a.h5ad has too many objects, or circular links"):
        read_samples(tmp_path / "a.h5ad")


def test_a_pickle_in_zarr_is_refused(tmp_path):
    pytest.importorskip("anndata")
    write_zarr(tmp_path / "a.zarr")
    about = {"shape": [1], "dtype": "|O", "chunks": [1], "filters": [{"id": "pickle"}]}
    (tmp_path / "a.zarr" / "X" / ".zarray").write_text(json.dumps(about))
    with pytest.raises(ValueError, match=r"^a.zarr holds Python objects \(a pickle\)"):
        read_samples(tmp_path / "a.zarr")


def test_sources_read_no_pickle_from_files():
    """Find every call that could: the only one is the pipe between our own two processes."""
    calls = re.compile(
        r"pickle\.loads?\(|joblib\.load\(|read_pickle\(|allow_pickle=True|np\.load\("
    )
    root = Path(unprior.__file__).parent
    found = {
        (path.relative_to(root).as_posix(), line.strip())
        for path in root.rglob("*.py")
        for line in path.read_text().splitlines()
        if calls.search(line) and "allow_pickle=False" not in line and "mmap_mode=" not in line
    }
    assert found == {("explorer/_jobs.py", "return pickle.loads(self._read(length))")}
