"""Answer the requests of a page; the same for server and notebook."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from unprior.explorer._bundle import pack_column, pack_page
from unprior.explorer._container import pack
from unprior.explorer._data import ExplorerData
from unprior.explorer._distinct import MOST_LINES, NOTE, distinguish
from unprior.explorer._draw import DrawSettings
from unprior.explorer._maps import Factored, Kept, Map, Tree
from unprior.explorer._pages import Message
from unprior.explorer._priors import describe_confounding
from unprior.explorer._protocol import Refused, keep_of, priors_of, rows_of, text_of, write_rows
from unprior.explorer._save import save_session
from unprior.explorer._store import Store
from unprior.explorer._studio import Studio

#: Name of the current selection on the page; other selections were saved.
CHOSEN = "chosen"


class Session:
    """The state behind a page: samples, maps, and saved selections.

    Parameters
    ----------
    data : ExplorerData
        The samples.
    settings : DrawSettings
        How maps are drawn.
    out : Path, optional
        The file that "Save" writes. Pages cannot choose a path.
    folder : Path, optional
        Folder in which maps and selections are saved, and from which a later session of the same
        data restores them.
    in_child : bool, default=True
        Whether maps are drawn in a child process.
    """

    def __init__(
        self,
        data: ExplorerData,
        settings: DrawSettings,
        *,
        out: Path | None = None,
        folder: Path | None = None,
        in_child: bool = True,
    ) -> None:
        self.data, self.out = data, out
        self._store = None if folder is None else Store(folder, data, settings)
        tree = Tree()
        self.selections = {} if self._store is None else self._store.load(tree)
        self.studio = Studio(data, settings, in_child=in_child, tree=tree)
        self.studio.listen(self._note)

    def page(self, *, can_draw: bool | None = None, **state: Any) -> bytes:
        """Return everything a page needs to start; ``state`` is added to its header."""
        can_draw = self.studio.can_draw if can_draw is None else can_draw
        with self.studio.lock:
            tree = self.studio.tree
            shown = [each.key for each in tree if each.key not in tree.on_paths()]
            state |= {
                "can_save": self.out is not None,
                "color": next(iter(self.data.columns), None),
                "keep": [{"name": name, "from": "column", "what": name} for name in self.data.keep],
            }
            if CHOSEN in self.selections:
                state["chosen"] = write_rows(self.selections[CHOSEN], self.data.n_samples)
            if shown:
                state |= {"left": shown[0], "right": shown[-1]}
            return pack_page(self.data, tree, can_draw=can_draw, state=state)

    def close(self) -> None:
        """Stop the drawing process."""
        self.studio.close()

    def answer(self, message: dict[str, Any]) -> bytes:
        """Handle a request of a page, and return the answer."""
        request = int(message["id"])
        try:
            operation = _OPERATIONS.get(message["op"])
            if operation is None:
                refusal = f"There is no operation {message['op']!r}."
                raise Refused(refusal)
            answer = operation(self, message)
        except (ValueError, TypeError, OSError, ImportError) as error:
            return pack({"op": "answer", "id": request, "error": " ".join(str(error).split())})
        if isinstance(answer, bytes):
            return answer
        return pack({"op": "answer", "id": request, **(answer or {})})

    def _page(self, message: dict[str, Any]) -> bytes:
        return self.page(op="answer", id=int(message["id"]))

    def _hello(self, _: dict[str, Any]) -> None:
        self.studio.tell_job()

    def _column(self, message: dict[str, Any]) -> bytes:
        return pack_column(self.data.column(text_of(message, "name")), int(message["id"]))

    def _distinct(self, message: dict[str, Any]) -> dict[str, Any]:
        rows = rows_of(message, "rows", self.data.n_samples)
        found, compared = distinguish(self.data, rows)
        n = self.data.n_samples
        some = f", by {compared} of {n} samples" if compared < n else ""
        caption = f"{len(rows)} samples against {n - len(rows)} others, {len(found)} columns{some}"
        lines = [asdict(difference) for difference in found[:MOST_LINES]]
        return {"found": lines, "caption": caption, "note": NOTE}

    def _start(self, message: dict[str, Any]) -> None:
        self._refuse_without_data()
        parent = self._map_of(message, "parent")
        factored, keep = self._requested(message)
        self.studio.draw_without(factored, parent, keep)

    def _together(self, message: dict[str, Any]) -> dict[str, Any]:
        factored, keep = self._requested(message)
        return {"found": describe_confounding(factored, keep, self.data, self.studio.tree)}

    def _path(self, message: dict[str, Any]) -> None:
        self._refuse_without_data()
        of = self._map_of(message, "key")
        if not of.factored:
            refusal = "Select a map on the right from which something was factored out."
            raise Refused(refusal)
        self.studio.draw_path(of)

    def _continue(self, message: dict[str, Any]) -> None:
        self._refuse_without_data()
        stopped = self._map_of(message, "key")
        if stopped.state != "stopped":
            refusal = "That map was drawn to its end."
            raise Refused(refusal)
        self.studio.go_on(stopped)

    def _stop(self, _: dict[str, Any]) -> None:
        self.studio.stop()

    def _drop(self, message: dict[str, Any]) -> None:
        with self.studio.lock:
            gone = self.studio.tree.drop(self._map_of(message, "key").key)
            self.studio.tell({"op": "gone", "keys": gone})

    def _save(self, message: dict[str, Any]) -> dict[str, Any]:
        if self.out is None:
            refusal = "There is no file to save to; start with --out FILE."
            raise Refused(refusal)
        rows = rows_of(message, "rows", self.data.n_samples)
        with self.studio.lock:
            saved = {name: rows for name, rows in self.selections.items() if name != CHOSEN}
            if len(rows):
                saved[f"selection_{len(saved) + 1}"] = tuple(rows.tolist())
            self.selections |= saved
            self._keep()
            every = np.arange(self.data.n_samples)
            columns = {name: np.isin(every, rows) for name, rows in saved.items()}
            return {"text": save_session(self.out, self.data, [*self.studio.tree], columns)}

    def _select(self, message: dict[str, Any]) -> None:
        rows = rows_of(message, "rows", self.data.n_samples)
        with self.studio.lock:
            self.selections[CHOSEN] = tuple(rows.tolist())
            self._keep()

    def _note(self, message: Message) -> None:
        """Save changes to the session folder whenever pages are notified of them."""
        if message[0]["op"] in ("map", "gone", "left"):
            with self.studio.lock:
                self._keep()

    def _keep(self) -> None:
        if self._store is None:
            return
        try:
            self._store.save(self.studio.tree, self.selections)
        except OSError as error:  # a failed copy on disk must not lose the maps on the page
            text = f"The session cannot be saved to its folder ({error.strerror or error})."
            self.studio.tell({"op": "failed", "text": text})

    def _refuse_without_data(self) -> None:
        if not self.studio.can_draw:
            refusal = "There are no data to draw, only existing maps."
            raise Refused(refusal)

    def _map_of(self, message: dict[str, Any], name: str) -> Map:
        key = text_of(message, name)
        if key not in self.studio.tree:
            refusal = "That map is gone."
            raise Refused(refusal)
        return self.studio.tree[key]

    def _requested(self, message: dict[str, Any]) -> tuple[list[Factored], list[Kept]]:
        """Return the priors to factor out and the labels to keep."""
        factored = [
            Factored(part["name"], part["strength"], part["from"], self._what(part))
            for part in priors_of(message)
        ]
        keep = [Kept(part["name"], part["from"], self._what(part)) for part in keep_of(message)]
        return factored, keep

    def _what(self, part: dict[str, Any]) -> Any:
        if part["from"] == "selection":
            return tuple(rows_of(part, "what", self.data.n_samples).tolist())
        if part["from"] == "map":
            return self._map_of(part, "what").key
        what = text_of(part, "what")
        if part["from"] == "known" and what not in self.data.priors:
            refusal = f"There is no prior {what!r}."
            raise Refused(refusal)
        return what


_OPERATIONS: dict[str, Callable[[Session, dict[str, Any]], Any]] = {
    "page": Session._page,
    "hello": Session._hello,
    "column": Session._column,
    "distinct": Session._distinct,
    "together": Session._together,
    "job.start": Session._start,
    "job.stop": Session._stop,
    "job.continue": Session._continue,
    "path.start": Session._path,
    "map.drop": Session._drop,
    "save": Session._save,
    "select": Session._select,
}
