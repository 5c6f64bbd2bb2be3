"""What many tests begin with is made once in a session; every test gets a copy of its own.

Programs that use the same helpers outside of a session make everything anew: nobody would remove what they keep.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path

_made: dict[Hashable, Path] = {}
_asked: set[Hashable] = set()
_home: list[Path] = []


def keep_in(folder: Path) -> None:
    """From now on templates are kept in this folder, which the session removes."""
    _home.append(folder)


def kept() -> bool:
    """Whether there is a place for templates."""
    return bool(_home)


def template(key: Hashable, make: Callable[[Path], object]) -> Path:
    """The folder that `make` filled when `key` was first asked for. Nobody may change what is in it."""
    if key not in _made:
        folder = Path(tempfile.mkdtemp(dir=_home[-1]))  # what is made may begin with another template
        make(folder)
        for sample in folder.rglob("hooks/*.sample"):
            sample.unlink()  # git never runs these, and every copy would have to be made and removed
        _made[key] = folder
    return _made[key]


def asked_before(key: Hashable) -> bool:
    """Whether `key` is asked for again: what only one test begins with needs no copy."""
    again = key in _asked
    _asked.add(key)
    return again


def surroundings() -> frozenset[tuple[str, str]]:
    """The environment that programs run in: what was made in another one may be something else."""
    return frozenset((name, value) for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST")


def copy(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Copy a folder into another one; the files are as new as the copy is."""
    shutil.copytree(source, target, symlinks=True, copy_function=shutil.copy, dirs_exist_ok=True)
