"""Footprint: keeping the memory small of a process that lives for weeks.

The C library gives each thread that allocates an arena of its own, and keeps in it what was freed. A text index writes with new
threads for every save: without a limit the daemon of fifty notes held 300 MiB after sixty saves, with one it stays at 150.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc

_ARENA_MAX = -8  # M_ARENA_MAX of <malloc.h>
_ARENAS = 2


def keep_small() -> None:
    """Let all threads of this process share few arenas. Where the C library has none (it is not glibc), nothing is done."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def settle() -> None:
    """What is loaded by now stays for good: the search for garbage need not look at it again and again.

    Settled again, what an earlier time kept and nobody needs any more goes.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """Return to the system what was freed; for after much work."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
