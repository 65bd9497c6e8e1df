"""Checkpoints of a long run in a folder, from which a killed run resumes to the same result.

``checkpoint.json`` identifies the run: digests of data and priors, options, versions. Each stage of
the run has one NPZ file with its arrays, and everything else as JSON. Files are replaced
atomically, and nothing is pickled.

A descent saves a `Snapshot` of all that its next step depends on. Maps, velocities and gains are
never changed in place, so that taking a snapshot copies nothing.
"""

from __future__ import annotations

import io
import json
import struct
import time
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from unprior._atomic_files import remove_parts, write_bytes
from unprior._typing import Floats
from unprior._warnings import CheckpointWarning, caller_level
from unprior.optimize._schedule import Motion

#: Least number of seconds between two saves, and the largest fraction of the run time spent on
#: them.
SECONDS, SHARE = 10.0, 0.05

#: Name of the file that identifies the run, and of the array with JSON in the file of a stage.
ABOUT, FACTS = "checkpoint.json", "facts"

#: Version of the file format.
FORMAT = 1

#: What reading a file raises if it is damaged.
UNREADABLE = (
    *(OSError, ValueError, TypeError, KeyError, EOFError, MemoryError, RuntimeError),
    *(zipfile.BadZipFile, struct.error),
)

#: A saved stage: the JSON part, and the arrays by name.
Stage = tuple[dict[str, Any], dict[str, NDArray[Any]]]


@dataclass(eq=False)
class Checkpoint:
    """The folder of one run, for one process at a time.

    Attributes
    ----------
    who : str
        Name of the estimator, for messages.
    folder : Path
        The folder.
    about : dict
        What identifies the run.
    """

    who: str
    folder: Path
    about: dict[str, Any]
    _saved: float = field(default_factory=time.monotonic, init=False)
    _took: float = field(default=0.0, init=False)

    @classmethod
    def open(cls, who: str, folder: Any, about: Mapping[str, Any], seed: int) -> Checkpoint:
        """Create a checkpoint, or open an existing one; refuse one of a different run.

        Parameters
        ----------
        who : str
            Name of the estimator, for messages.
        folder : path-like
            The folder; created if missing.
        about : mapping
            What identifies the run: "data" -> digest, and so on.
        seed : int
            Seed of a new run without a ``random_state``; a resumed run takes its first seed.
        """
        folder, about = Path(folder), {"format": FORMAT, **about}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            remove_parts(folder)
            path = folder / ABOUT
            if not path.exists():
                write_bytes(path, json.dumps({**about, "seed": seed}, indent=2).encode())
            found = _read_about(who, path)
            write_bytes(path, json.dumps(found, indent=2).encode())  # fails now if not writable
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
        """Return the seed of the run whose checkpoint is in a folder."""
        return int(_read_about("checkpoint", Path(folder) / ABOUT)["seed"])

    @property
    def seed(self) -> int:
        """The seed that a run without a ``random_state`` started with."""
        return int(self.about["seed"])

    def is_due(self) -> bool:
        """Whether enough time has passed since the last save."""
        return time.monotonic() - self._saved >= max(SECONDS, self._took / SHARE)

    def load(self, stage: str) -> Stage | None:
        """Return a saved stage, or None."""
        path = self._path(stage)
        if not path.exists():
            return None
        try:
            # Read into memory first: NumPy leaves the handle of a broken file open.
            held = io.BytesIO(path.read_bytes())
            _check_stored(held)
            with np.load(held, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            facts = dict(json.loads(arrays.pop(FACTS).tobytes()))
        except UNREADABLE as error:
            message = (
                f"{self.who}: 'checkpoint' cannot be read from {path} ({error}); delete the folder "
                "to start over, or give another one."
            )
            raise ValueError(message) from error
        return facts, arrays

    def save(self, stage: str, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Save a stage; if that fails, warn and keep what was saved before.

        A full disk does not end the run: the result is worth more than the checkpoint.
        """
        begin, buffer = time.monotonic(), io.BytesIO()
        text: Any = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
        np.savez(buffer, **{**arrays, FACTS: text})
        try:
            write_bytes(self._path(stage), buffer.getvalue())
        except OSError as error:
            message = (
                f"{self.who}: 'checkpoint' cannot be written to {self.folder} "
                f"({error.strerror or error}); the previous save is intact, and the run continues."
            )
            warnings.warn(message, CheckpointWarning, stacklevel=caller_level())
        self._saved = time.monotonic()
        self._took = self._saved - begin

    def refuse(self) -> NoReturn:
        """Say that the state is of another descent."""
        message = (
            f"{self.who}: 'checkpoint' {self.folder} does not hold a state of this descent; delete "
            "the folder to start over, or give another one."
        )
        raise ValueError(message)

    def _path(self, stage: str) -> Path:
        return self.folder / f"{stage}.npz"


def _check_stored(held: io.BytesIO) -> None:
    """Refuse an archive that is larger unpacked: `Checkpoint.save` compresses nothing."""
    with zipfile.ZipFile(held) as file:
        if sum(entry.file_size for entry in file.infolist()) > len(held.getbuffer()):
            message = "it is compressed"
            raise ValueError(message)
    held.seek(0)


def _read_about(who: str, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("seed"), int):
        message = (
            f"{who}: 'checkpoint' takes a folder that this library made, or a new one; "
            f"{path} is something else."
        )
        raise ValueError(message)
    return found


def _compare(who: str, folder: Path, about: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse to resume a different run, and say how it differs."""
    for name in [*about, *(name for name in found if name not in about)]:
        here, there = about.get(name), found.get(name)
        if name == "seed" or here == there:
            continue
        message = (
            f"{who}: 'checkpoint' {folder} belongs to {_difference(name, here, there)}; give "
            "another folder, or delete this one to start over."
        )
        raise ValueError(message)


#: Words for what is stored as a digest only.
GIVEN = {
    "data": "other data ('X')",
    "prior": "another prior ('prior')",
    "keep": "other kept labels ('keep')",
}


def _difference(name: str, here: Any, there: Any) -> str:
    """Say how two runs differ, with the values unless only digests are stored."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in [*here, *there]:
            if here.get(key) != there.get(key):
                return f"other {name} ({key} was {there.get(key)}, now {here.get(key)})"
    if name in GIVEN:
        return GIVEN[name]
    return f"another {name} ({there}, now {here})"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a descent between two steps: all that the next step depends on.

    Attributes
    ----------
    n_done : int
        Number of steps taken.
    Y : ndarray of shape (n_samples, n_components)
        The map.
    motion : Motion
        Velocity and gains.
    memory : dict
        State of the objective and the multipliers; see `memory_of`.
    """

    n_done: int
    Y: Floats
    motion: Motion
    memory: dict[str, Any]

    def save(self, checkpoint: Checkpoint, stage: str, history: Sequence[float]) -> None:
        """Save the state, and the value of the objective before each step so far."""
        arrays = {
            "map": self.Y,
            "velocity": self.motion.velocity,
            "gains": self.motion.gains,
            "history": np.array(history[: self.n_done], dtype=np.float64),
        }
        checkpoint.save(stage, {"n_done": self.n_done, "memory": self.memory}, arrays)

    @classmethod
    def load(
        cls, checkpoint: Checkpoint, stage: str, shape: tuple[int, ...]
    ) -> tuple[Snapshot, list[float]] | None:
        """Return the saved state and the values of the objective, or None."""
        kept = checkpoint.load(stage)
        if kept is None:
            return None
        facts, arrays = kept
        try:
            n_done, history = int(facts["n_done"]), arrays["history"]
            Y, motion = arrays["map"], Motion(arrays["velocity"], arrays["gains"])
            state = (Y, motion.velocity, motion.gains)
            fits = {(a.shape, a.dtype.kind) for a in state} == {(shape, "f")}
            memory = dict(facts["memory"])
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits or history.shape != (n_done,) or history.dtype != np.float64:
            checkpoint.refuse()
        return cls(n_done, Y, motion, memory), history.tolist()


def memory_of(objective: Any, revise: Any) -> dict[str, Any]:
    """Return the state of an objective, and of ``revise`` (see `minimize`), in plain types."""
    remembers = hasattr(revise, "remember")
    return {
        "drawn": [part.n_evaluations for part in _random_terms(objective)],
        "revise": revise.remember() if remembers else None,
    }


def recall(memory: dict[str, Any], objective: Any, revise: Any) -> None:
    """Restore the state that `memory_of` returned."""
    for part, count in zip(_random_terms(objective), memory["drawn"], strict=True):
        part.n_evaluations = int(count)
    if memory["revise"] is not None:
        revise.recall(memory["revise"])


def _random_terms(objective: Any) -> Iterator[Any]:
    """Yield the terms of an objective that count their random draws."""
    parts = (
        getattr(objective, "data", None),
        getattr(objective, "broad", None),
        *getattr(objective, "priors", ()),
    )
    return (part for part in parts if hasattr(part, "n_evaluations"))
