"""What is not embedded yet, as chunks: read again from the commit that the index reflects, so no text is kept a second time."""

from __future__ import annotations

from collections.abc import Iterator

from memtree.indexers.base import Source
from memtree.indexers.vector_reader import VectorReader
from memtree.indexers.vector_writer import pieces_of
from memtree.tree.chunks import Chunk

_FEW = 8  # half a second's work of a slow model, which a kill may cost


def pending_pieces(reader: VectorReader, source: Source) -> Iterator[list[Chunk]]:
    """Yield the chunks that wait, each text once, a few at a time. What changes meanwhile is not seen."""
    with reader.moment() as state:
        if state is None:
            return
        commit, paths, wanted = state.stamp().commit, set(state.pending_paths()), state.pending_hashes()
    if commit is None or not wanted:
        return
    waiting: list[Chunk] = []
    for change in source.changes(None, commit):
        if change.path not in paths or change.after is None:
            continue
        for piece in pieces_of(change.path, change.after.id, source):
            if piece.hash in wanted:
                wanted.discard(piece.hash)
                waiting.append(piece)
            if len(waiting) >= _FEW:
                yield waiting
                waiting = []
        if not wanted:
            break
    if waiting:
        yield waiting
