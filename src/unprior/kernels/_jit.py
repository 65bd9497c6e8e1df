"""The decorator that compiles all loops of this library."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numba

# Reordering sums and fusing multiplications is safe here; ignoring NaN and infinity is not.
FASTMATH = {"reassoc", "contract", "arcp", "nsz"}


# Only loops written as prange run in parallel: numba would also split array expressions and sums,
# whose last bits then depend on the number of threads.
PRANGE_ONLY = {
    "prange": True,
    "comprehension": False,
    "fusion": False,
    "inplace_binop": False,
    "numpy": False,
    "reduction": False,
    "setitem": False,
    "stencil": False,
}


def njit(
    *, parallel: bool = False, inline: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function on its first call, and cache the machine code on disk.

    Parallel loops must give the same bits for any number of threads: write per-row results and
    sum them afterwards, never reduce a scalar inside ``prange``. Inline small functions of inner
    loops: a call prevents vectorisation. Compiled code must not call parallel functions.
    """
    compiled = numba.njit(  # noqa: TID251 (the one place)
        cache=True,
        # Python's check for division by zero is a branch, which prevents vectorisation.
        error_model="numpy",
        fastmath=FASTMATH,
        forceinline=inline,
        nogil=True,
        parallel=PRANGE_ONLY if parallel else False,
    )
    return (lambda loop: _in_turn(compiled(loop))) if parallel else compiled


def _in_turn(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Run parallel loops one at a time where two at once would crash the process."""

    @functools.wraps(loop)
    def run(*args: Any) -> Any:
        with _turn():
            return loop(*args)

    return run


@functools.cache
def _turn() -> AbstractContextManager[Any]:
    numba.get_num_threads()  # starts numba's threads, which chooses the layer
    # The only layer that is not safe for threads; it is used where there is no OpenMP and no TBB.
    return threading.Lock() if numba.threading_layer() == "workqueue" else nullcontext()
