"""A folder -> what a long run keeps there, so that it goes on where it was killed.

``checkpoint.json`` says what the run is of: digests of data and priors, options, versions. Every
stage of the run has a file of its own: arrays, and all else as JSON, in one NPZ file. Files are
replaced as a whole, so that there is never half of one, and nothing is pickled.
"""

from __future__ import annotations

import io
import json
import time
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._warnings import CheckpointWarning, caller_level
from unprior._whole_files import remove_parts, write_bytes

#: Seconds between two saves, and the largest share of the time that they may take.
SECONDS, SHARE = 10.0, 0.05

#: The file that says what a run is of, and the array of a stage's file that holds JSON.
ABOUT, FACTS = "checkpoint.json", "facts"

#: Raised by one whenever a stage's file holds something else.
FORMAT = 1

#: What `Checkpoint.load` returns: all that is not an array, and the arrays by name.
Stage = tuple[dict[str, Any], dict[str, NDArray[Any]]]


@dataclass(eq=False)
class Checkpoint:
    """The folder of one run, for one process at a time.

    Attributes
    ----------
    who : str
        Who speaks in messages.
    folder : Path
        Where files go.
    about : dict
        What the run is of.
    """

    who: str
    folder: Path
    about: dict[str, Any]
    _saved: float = field(default_factory=time.monotonic, init=False)
    _took: float = field(default=0.0, init=False)

    @classmethod
    def open(cls, who: str, folder: Any, about: Mapping[str, Any], seed: int) -> Checkpoint:
        """Make a checkpoint, or open the one that is there; refuse one of another run.

        Parameters
        ----------
        who : str
            Who speaks in messages.
        folder : path-like
            A folder; it is made if it is not there.
        about : mapping
            What the run is of, in words: "data" -> digest, and so on.
        seed : int
            The seed of a new run that was given none; a run that goes on has that of its start.
        """
        folder, about = Path(folder), {"format": FORMAT, **about}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            remove_parts(folder)
            path = folder / ABOUT
            if not path.exists():
                write_bytes(path, json.dumps({**about, "seed": seed}, indent=2).encode())
            found = _read_about(who, path)
            write_bytes(path, json.dumps(found, indent=2).encode())  # can it be written to?
        except OSError as error:
            message = (
                f"{who}: 'checkpoint' cannot be written to {folder} "
                f"({error.strerror or error}); give another folder."
            )
            raise OSError(error.errno, message) from error
        _compare(who, folder, about, found)
        return cls(who, folder, found)

    @staticmethod
    def seed_in(folder: Any) -> int:
        """Return the seed of the run that a folder belongs to."""
        return int(_read_about("checkpoint", Path(folder) / ABOUT)["seed"])

    @property
    def seed(self) -> int:
        """The seed that the run started with, for one that was given none."""
        return int(self.about["seed"])

    def is_due(self) -> bool:
        """Whether it is time to save: seldom enough to cost next to nothing."""
        return time.monotonic() - self._saved >= max(SECONDS, self._took / SHARE)

    def load(self, stage: str) -> Stage | None:
        """Return what a stage has saved, or None."""
        path = self._path(stage)
        if not path.exists():
            return None
        try:
            # From memory: of a broken file, NumPy would leave the handle open.
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            facts = json.loads(arrays.pop(FACTS).tobytes())
        except (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile) as error:
            message = (
                f"{self.who}: 'checkpoint' cannot be read from {path} ({error}); delete the folder "
                "to begin anew, or give another one."
            )
            raise ValueError(message) from error
        return facts, arrays

    def save(self, stage: str, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Save a stage; if that fails, warn and keep what was saved before.

        A run is not given up because a disk is full: its result is worth more than its checkpoint.
        """
        begin, room = time.monotonic(), io.BytesIO()
        text: Any = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
        np.savez(room, **{**arrays, FACTS: text})
        try:
            write_bytes(self._path(stage), room.getvalue())
        except OSError as error:
            message = (
                f"{self.who}: 'checkpoint' cannot be written to {self.folder} "
                f"({error.strerror or error}); what was saved before is whole, and the run goes on."
            )
            warnings.warn(message, CheckpointWarning, stacklevel=caller_level())
        self._saved = time.monotonic()
        self._took = self._saved - begin

    def _path(self, stage: str) -> Path:
        return self.folder / f"{stage}.npz"


def _read_about(who: str, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("seed"), int):
        message = (
            f"{who}: 'checkpoint' takes a folder that this library made, or a new one; "
            f"{path} is something else."
        )
        raise ValueError(message)
    return found


def _compare(who: str, folder: Path, about: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse to go on with another run, and say in what it differs."""
    for name in [*about, *(name for name in found if name not in about)]:
        here, there = about.get(name), found.get(name)
        if name == "seed" or here == there:
            continue
        message = (
            f"{who}: 'checkpoint' {folder} is of {_difference(name, here, there)}; give another "
            "folder, or delete this one to begin anew."
        )
        raise ValueError(message)


#: What only a digest is kept of, in words.
GIVEN = {
    "data": "other data ('X')",
    "prior": "another prior ('prior')",
    "keep": "other kept labels ('keep')",
}


def _difference(name: str, here: Any, there: Any) -> str:
    """Say in what two runs differ: values where they can be read, else only that they do."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in [*here, *there]:
            if here.get(key) != there.get(key):
                return f"other {name} ({key} was {there.get(key)}, now {here.get(key)})"
    if name in GIVEN:
        return GIVEN[name]
    return f"another {name} ({there}, now {here})"
