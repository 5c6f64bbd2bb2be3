"""The guard against very many files going at once: an unmounted disk, a wrong folder, a remote that was emptied."""

from __future__ import annotations

from collections.abc import Collection

from memtree.engine.settings import FILE_NAME
from memtree.tree.errors import StateError

SHARE, _FEW = 0.25, 20


def may_be_many(gone: Collection[str]) -> bool:
    """Whether it is worth counting what is left. Where nothing is left at all, the settings file is gone too."""
    return len(gone) > _FEW or FILE_NAME in gone


def looks_like_an_accident(gone: int, total: int) -> bool:
    """Whether so many of `total` files are gone that a person is asked first: very many, or all of them however few."""
    return (gone > _FEW and gone > total * SHARE) or 0 < total <= gone


class MassDeletion(StateError):
    """So many files are gone that it looks like an accident (an unmounted disk, a wrong folder)."""

    def __init__(self, gone: int, total: int, *, remote: str = "") -> None:
        """`remote` is who deleted them, '' when they are gone here."""
        if remote:
            super().__init__(
                f"remote {remote} deleted {gone} of {total} files at once; nothing was changed here",
                hint="if that was meant: memtree sync --allow-mass-delete",
            )
        else:
            super().__init__(
                f"{gone} of {total} files are gone at once; nothing was committed",
                hint="put them back, or if you meant it: memtree save --allow-mass-delete",
            )
        self.gone = gone
        self.total = total
