"""A daemon's memory stays small however many threads write in it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref

import pytest

from memtree.hooks.daemon.footprint import settle

# Threads that live at once. The C library reserves address space for each arena, so how many there are shows in that.
_CHILD = """
import sys, threading
from memtree.hooks.daemon.footprint import give_back, keep_small, settle

def reserved():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * 4096

if sys.argv[1] == "small":
    keep_small()
    settle()
threading.stack_size(1 << 18)
barrier = threading.Barrier(6)

def work():
    barrier.wait()
    bytes(60_000)
    barrier.wait()

before = reserved()
threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
give_back()
print(reserved() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="how the C library of Linux keeps memory")
def test_threads_share_the_memory_that_was_freed() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}

    def reserved(how: str) -> int:
        done = subprocess.run([sys.executable, "-c", _CHILD, how], env=environment, capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert 2 * reserved("small") < reserved("usual")


def test_what_was_kept_and_is_needed_no_more_goes_when_it_settles_again() -> None:
    """A daemon begins again whenever its settings change: what it served with before must not stay for good."""

    class Ring:
        def __init__(self) -> None:
            self.own = self

    ring: Ring | None = Ring()
    left = weakref.ref(ring)
    settle()
    ring = None
    settle()
    assert left() is None
    gc.unfreeze()
