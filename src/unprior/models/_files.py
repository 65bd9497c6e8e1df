"""Model files: a fitted estimator as arrays and JSON in a zip, without pickle."""

from __future__ import annotations

import json
import os
import struct
import zipfile
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from sklearn.utils.validation import check_is_fitted

from unprior._atomic_files import replacing
from unprior._memory import check_file_fits
from unprior._npy import count_bytes, read_header
from unprior._version import __version__
from unprior.models._checks import check_model
from unprior.models._records import ESTIMATORS, Arrays, decode, encode_estimator

#: The name of the format, and its number, which grows when the contents change.
FORMAT, NUMBER = "unprior model", 4

#: The zip's member that is JSON, and the most bytes it may have.
HEADER, MOST_HEADER = "model.json", 50_000_000

#: What reading an entry raises that `save_model` would not have written.
DAMAGED = (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError)

#: Bytes of memory for each byte of JSON, at most: an empty list is 64 bytes and takes 3.
GROWTH = 30


def save_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator into a file, for `load_model` and ``unprior transform``.

    Parameters
    ----------
    estimator : IndependentTSNE, JEDI, Confetti, ConfettiNeighbors or Residual
        A fitted one. The file holds what ``transform`` needs: the data in single precision, the
        map, and the prior of every fitted sample; not the initial map, callbacks or the embedder's
        own object.
    path : str or path
        The file to write, a zip of NumPy arrays and JSON. It holds the data, so share it only with
        people who may see them.

    Examples
    --------
    >>> import tempfile
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> tsne = up.IndependentTSNE(random_state=0).fit(data.X[:120], prior=data.known[:120])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     up.save_model(tsne, f"{folder}/map.unprior")
    ...     again = up.load_model(f"{folder}/map.unprior")
    >>> new, known = data.X[120:], data.known[120:]
    >>> bool((again.transform(new, prior=known) == tsne.transform(new, prior=known)).all())
    True
    """
    write_model(estimator, path, {})


def write_model(estimator: Any, path: str | os.PathLike[str], about: dict[str, Any]) -> None:
    """Write a model, with the names of its columns and priors."""
    name = type(estimator).__name__
    if name not in ESTIMATORS:
        message = f"save_model: 'estimator' takes one of {', '.join(ESTIMATORS)}; got {name}."
        raise TypeError(message)
    check_is_fitted(estimator)
    refused = getattr(estimator, "_new", getattr(estimator, "_finder", None))
    if isinstance(refused, str):
        message = f"save_model: such a {name} {refused}"
        raise ValueError(message)
    arrays: Arrays = {}
    header = {"format": FORMAT, "number": NUMBER, "version": __version__, "about": about}
    text = json.dumps({**header, "model": encode_estimator(estimator, arrays)})
    with replacing(Path(path)) as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_STORED) as file:
        file.writestr(HEADER, text)
        for key, array in arrays.items():
            with file.open(f"{key}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator from a file that `save_model` has written.

    No code in the file is run: it holds numbers and text, which are checked. Files of another
    format are refused.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator : IndependentTSNE, JEDI, Confetti, ConfettiNeighbors or Residual
        Fitted, for ``transform``.
    """
    return read_model(path)[0]


def read_model(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read a model, and the names of its columns and priors."""
    with Path(path).open("rb") as raw:  # outside of try: a missing file is another error
        size = raw.seek(0, os.SEEK_END)
        try:
            with zipfile.ZipFile(raw) as file:
                if sum(entry.file_size for entry in file.infolist()) > size:
                    _refuse(path, "parts of it overlap")
                header, arrays = _read_header(path, file), _read_arrays(path, file)
        except (
            zipfile.BadZipFile,
            EOFError,
            OSError,
            RuntimeError,
            struct.error,
            UnicodeDecodeError,  # names of members
        ):
            _refuse(path, "it is not a zip file, or it is incomplete")
    try:
        estimator = decode(header["model"], arrays)
        check_model(estimator)
    except RecursionError:
        _refuse(path, "it is nested too deeply")
    except DAMAGED as error:
        _refuse(path, f"it holds something that no model has ({error})")
    return estimator, _names(header)


def _read_header(path: Any, file: zipfile.ZipFile) -> Any:
    names = file.namelist()
    if names.count(HEADER) != 1 or file.getinfo(HEADER).file_size > MOST_HEADER:
        _refuse(path, "it has no description of a model")
    try:
        check_file_fits(os.fspath(path), GROWTH * file.getinfo(HEADER).file_size)
        header = json.loads(_stored(path, file, HEADER).decode())
    except (ValueError, RecursionError):
        _refuse(path, "its description cannot be read")
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        _refuse(path, "it is a file of something else")
    if header.get("number") != NUMBER:
        message = (
            f"load_model: {os.fspath(path)!r} was written by unprior {header.get('version')} in "
            f"format {header.get('number')}, and unprior {__version__} reads format {NUMBER}; fit "
            "again and save the model with this version, or install that one."
        )
        raise ValueError(message)
    if not isinstance(header.get("model"), dict) or "estimator" not in header["model"]:
        _refuse(path, "it has no description of a model")
    return header


def _names(header: dict[str, Any]) -> dict[str, Any]:
    """Return the names of columns and priors."""
    about = header.get("about")
    pairs = about.items() if isinstance(about, dict) else ()
    return {str(name): [*map(str, words)] for name, words in pairs if isinstance(words, list)}


def _read_arrays(path: Any, file: zipfile.ZipFile) -> Arrays:
    arrays: Arrays = {}
    for name in file.namelist():
        if name == HEADER:
            continue
        key = name.removesuffix(".npy")
        if not (name.endswith(".npy") and key[:1] == "a" and key[1:].isdecimal()) or key in arrays:
            _refuse(path, f"it holds {name!r}, which no model has")
        arrays[key] = _read_array(path, name, _stored(path, file, name))
    return arrays


def _stored(path: Any, file: zipfile.ZipFile, name: str) -> bytes:
    """Return a member; compressed ones, which could be larger than the file, are refused."""
    entry = file.getinfo(name)
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
        _refuse(path, f"{name!r} in it is compressed")
    return file.read(name)


def _read_array(path: Any, name: str, held: bytes) -> Any:
    """Read an array after a check that its size is that of the member."""
    from io import BytesIO

    stream = BytesIO(held)
    try:
        shape, fortran, dtype = read_header(stream)
    except ValueError:
        _refuse(path, f"{name!r} in it is not an array")
    if dtype.kind not in "biufU" or dtype.hasobject:
        _refuse(path, f"{name!r} in it is an array of {dtype}")
    if count_bytes(shape, dtype) != len(held) - stream.tell():
        _refuse(path, f"{name!r} in it claims a size that it does not have")
    flat = np.frombuffer(held, dtype=dtype, offset=stream.tell()).copy()
    return flat.reshape(shape, order="F" if fortran else "C")


def _refuse(path: Any, reason: str) -> NoReturn:
    message = (
        f"load_model: {os.fspath(path)!r} is not a model that save_model has written: {reason}."
    )
    raise ValueError(message) from None
