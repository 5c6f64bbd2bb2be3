"""The guard against very many files going at once: an unmounted disk, a wrong folder, a remote that was emptied."""

from __future__ import annotations

from memtree.tree.errors import StateError

SHARE, FEW = 0.25, 20


def looks_like_an_accident(gone: int, total: int) -> bool:
    """Whether so many of `total` files are gone that a person is asked first."""
    return gone > FEW and gone > total * SHARE


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
