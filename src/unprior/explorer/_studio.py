"""What is to be factored out -> new maps of the tree, and messages to all pages on their way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unprior._typing import Floats
from unprior.explorer._bundle import pack_map
from unprior.explorer._container import pack
from unprior.explorer._data import ExplorerData
from unprior.explorer._draw import DrawnMap, DrawSettings, Request
from unprior.explorer._jobs import DrawnHere, Jobs
from unprior.explorer._maps import Factored, Map, Path, Tree, align
from unprior.explorer._pages import Pages
from unprior.explorer._quantize import quantize
from unprior.explorer._snippet import write_path_snippet, write_snippet
from unprior.priors import Prior, embedding, labels

PLAIN = "plain t-SNE"

#: Shares of the full strength at which a path has maps, after that of strength 0.
SHARES = (0.25, 0.5, 0.75, 1.0)

#: What is added to the name of a map that goes on from one that was stopped.
CONTINUED = ", continued"

BUSY = "A map is being drawn; stop it, or wait until it is done."


class Studio(Pages):
    """The tree of maps, the process that draws them, and the pages that are told.

    Parameters
    ----------
    data : ExplorerData
        What is drawn.
    setting : DrawSettings
        How.
    in_child : bool, default=True
        Whether maps are drawn in a process of their own, or at once in this one.
    """

    def __init__(self, data: ExplorerData, setting: DrawSettings, *, in_child: bool = True) -> None:
        super().__init__()
        self.data, self.setting, self.tree = data, setting, Tree()
        self._queue: list[Callable[[], None]] = []
        self._finish: Callable[[Any], None] | None = None
        self._words = ""
        self._live: dict[str, Any] = {}
        kind = Jobs if in_child else DrawnHere
        self._jobs = None if data.X is None else kind(data.X, setting, self._hear)
        for name, Y in data.maps.items():
            new = Map(self.tree.new_key(), name, Y)
            self.tree.add(new)
            self.tree.update(new.key, snippet=write_snippet(new, self.tree, data, setting))

    @property
    def can_draw(self) -> bool:
        """Whether there are data to draw."""
        return self._jobs is not None

    @property
    def is_busy(self) -> bool:
        """Whether a map is being drawn, or waits to be."""
        return self._jobs is not None and (self._jobs.running is not None or bool(self._queue))

    def begin(self, factored: Sequence[Factored] = ()) -> None:
        """Draw the first maps: the plain one if there is none, and one without what is known."""
        if self._jobs is None:
            return
        self._jobs.start_process()
        # What is shown before and after should be drawn by the same method.
        steps = [self._draw_plain] if factored or not len(self.tree) else []
        if factored:
            self.priors_of(factored)  # refused now rather than later
            steps.append(lambda: self._draw_without([*factored], self._plain() or self._root()))
        self._enqueue(steps)

    def draw_without(self, factored: Sequence[Factored], parent: Map) -> None:
        """Begin a map without some priors."""
        self.priors_of(factored)
        self._enqueue([lambda: self._draw_without([*factored], parent)])

    def go_on(self, stopped: Map) -> None:
        """Begin a map where another was stopped: a new descent, not the rest of the old one."""
        self._enqueue([lambda: self._go_on(stopped)])

    def draw_path(self, of: Map) -> None:
        """Begin maps along the strengths of a map; the plain one first, if it is not there."""
        steps = [] if self._plain() is not None else [self._draw_plain]
        self._enqueue([*steps, lambda: self._draw_path(of)])

    def stop(self) -> None:
        """Stop drawing; the map so far stays."""
        self._queue.clear()
        if self._jobs is not None:
            self._jobs.stop()

    def close(self) -> None:
        """End the process that draws."""
        self._queue.clear()
        if self._jobs is not None:
            self._jobs.close()

    def tell_job(self) -> None:
        """Tell pages whether a map is being drawn."""
        busy = self._jobs is not None and self._jobs.running is not None
        state = {"state": "drawing", "words": self._words} if busy else {"state": "none"}
        self.tell({"op": "job", **state})

    def priors_of(self, factored: Sequence[Factored]) -> dict[str, Prior]:
        """Return the priors by name; refuse what is none."""
        return {part.name: self._prior(part) for part in factored}

    def _prior(self, part: Factored) -> Prior:
        if part.source == "known":
            return self.data.priors[part.what]
        if part.source == "column":
            prior = self.data.column(part.what).to_prior()
            if prior.is_constant():
                message = f"{part.name!r} cannot be factored out: {prior.describe_constant()}."
                raise ValueError(message)
            return prior
        if part.source == "map":
            return embedding(self.tree[part.what].Y)
        if not 0 < len(part.what) < self.data.n_samples:
            message = "A selection to factor out takes some samples, but not all."
            raise ValueError(message)
        chosen = np.full(self.data.n_samples, "others", dtype=object)
        chosen[list(part.what)] = "selected"
        return labels(chosen.astype(str))

    def _enqueue(self, steps: Sequence[Callable[[], None]]) -> None:
        with self.lock:
            if self.is_busy:
                raise ValueError(BUSY)
            self._queue.extend(steps)
            self._next()

    def _next(self) -> None:
        if self._queue:
            self._queue.pop(0)()
        else:
            self.tell_job()

    def _plain(self) -> Map | None:
        """Return the map from which nothing is factored out, if one was drawn here to its end."""
        return next((each for each in self.tree if each.is_plain), None)

    def _root(self) -> Map:
        return next(iter(self.tree))

    def _draw_plain(self) -> None:
        def finish(drawn: DrawnMap) -> None:
            self._add(Map(self.tree.new_key(), PLAIN, drawn.Y, **_facts(drawn)))

        self._start(Request(), finish, f"Drawing {PLAIN}", None)

    def _draw_without(self, factored: list[Factored], parent: Map) -> None:
        priors, plain = self.priors_of(factored), self._plain()
        root = self._root()
        others = {each.key: each.Y for each in (root, parent)}
        name = "without " + ", ".join(
            part.name if part.strength == 1 else f"{part.strength:g} of {part.name}"
            for part in factored
        )
        strengths = {part.name: part.strength for part in factored}
        request = Request(priors, strengths, None if plain is None else plain.Y, parent.Y, others)

        def finish(drawn: DrawnMap) -> None:
            for key, left in drawn.others.items():
                self.tree.update(key, left={**self.tree[key].left, **left})
            self.tell({"op": "left", "left": {key: self.tree[key].left for key in drawn.others}})
            key = self.tree.new_key()
            new = Map(key, name, drawn.Y, parent.key, tuple(factored), **_facts(drawn))
            self._add(new, before=parent.key)

        self._start(request, finish, f"Drawing the map {name}", parent)

    def _go_on(self, stopped: Map) -> None:
        name = stopped.name.removesuffix(CONTINUED) + CONTINUED
        plain = self._plain()
        request = Request(
            self.priors_of(stopped.factored),
            {part.name: part.strength for part in stopped.factored},
            None if plain is None else plain.Y,
            stopped.Y,
            init=stopped.Y,
        )

        def finish(drawn: DrawnMap) -> None:
            facts = _facts(drawn)
            new = Map(self.tree.new_key(), name, drawn.Y, stopped.key, stopped.factored, **facts)
            self._add(new, before=stopped.key)

        self._start(request, finish, f"Drawing {name}", stopped)

    def _draw_path(self, of: Map) -> None:
        root, priors = self._plain(), self.priors_of(of.factored)
        if root is None:  # stopped before its end
            self._next()
            return
        strengths = {part.name: part.strength for part in of.factored}
        request = Request(priors, strengths, root.Y)

        def finish(found: list[DrawnMap]) -> None:
            if not found:
                self.tell({"op": "failed", "text": "Stopped before there was a second map."})
                return
            keys = [self.tree.new_key() for _ in found]
            path = Path(of.key, (root.key, *keys), (0.0, *SHARES[: len(found)]))
            self.tree.paths[of.key] = path
            for place, (key, drawn) in enumerate(zip(keys, found, strict=True), start=1):
                share = path.strengths[place]
                last = place == len(keys)
                name = f"{of.name}, by strengths" if last else f"{of.name}, strength {share:g}"
                snippet = write_path_snippet(of, path, place, self.tree, self.data, self.setting)
                new = Map(key, name, drawn.Y, of.key, of.factored, **_facts(drawn))
                self._add(new, snippet=snippet, before=root.key, show=last)

        self._start(request, finish, "Drawing maps at several strengths", root, [*SHARES])

    def _start(
        self,
        request: Request,
        finish: Callable[[Any], None],
        words: str,
        target: Map | None,
        shares: list[float] | None = None,
    ) -> None:
        assert self._jobs is not None
        self._finish, self._words = finish, words
        self._live = {"target": None if target is None else target.Y}
        if shares is None:
            self._jobs.draw(request)
        else:
            self._jobs.draw_path(request, shares)
        self.tell_job()

    def _add(
        self, new: Map, *, snippet: str | None = None, before: str | None = None, show: bool = True
    ) -> None:
        self.tree.add(new)
        text = snippet or write_snippet(new, self.tree, self.data, self.setting)
        new = self.tree.update(new.key, snippet=text)
        self.tell({"op": "map"}, pack_map(new, self.tree, before=before, show=show))

    # --- what the worker reports ---

    def _hear(self, what: str, job: int, *told: Any) -> None:
        if what == "frame":
            self._frame(job, *told)
            return
        with self.lock:
            finish, self._finish, self._live = self._finish, None, {}
            if what == "done" and finish is not None:
                finish(told[0])
            elif what == "failed":
                self._queue.clear()
                self.tell({"op": "failed", "text": told[0]})
            self._next()

    def _frame(self, job: int, place: int, iteration: int, value: float, Y: Floats) -> None:
        live = self._live
        if live:
            counted = quantize(Y if live["target"] is None else align(Y, live["target"]))
            words = f"{self._words} ({place + 1} of {len(SHARES)})" if place else self._words
            header = {
                "op": "frame",
                "job": job,
                "iteration": iteration,
                "value": value,
                "words": words,
                "square": [*counted.square],
            }
            self.tell(header, pack(header, [counted.points.tobytes()]))
        if self._jobs is not None:
            self._jobs.taken()


def _facts(drawn: DrawnMap) -> dict[str, Any]:
    state = "stopped" if drawn.stopped else "done"
    return {"left": drawn.left, "kept": drawn.kept, "state": state, "note": drawn.note}
