"""VectorGraph: a navigable small-world graph over the rows of a log, for finding near vectors without looking at all of them.

A derived thing, kept in memory by processes that live long: it covers the first `covered` rows of one log; whoever asks scores the
later rows himself until they are added. Its snapshot is two files, the graph and a note on it (log, rows, size, checksum); the note
is renamed into place last, so a killed save leaves the old one. The library must not add while it searches: callers take turns.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import hnswlib
import numpy as np

from memtree.indexers.embedder import Vectors
from memtree.indexers.vector_log import Rows, VectorLog

# Measured at 100,000 vectors. Of real conversations recall@10 is 0.995 with an effort of 200 (0.2 ms) and 0.998 with 600 (1.1 ms).
# Texts of words drawn at random have no neighbourhoods and are the hard case: 0.90 with 200, 0.98 with 600 for whole paragraphs.
# More links (24) and building effort (400) gain two points there and cost 80 seconds of processor time instead of 35.
_LINKS = 16
_BUILD_EFFORT = 200
_EFFORT = 520
_ROOM = 1.5
_NOTE = "graph.json"
_STEP = 2_000  # rows read from the log at a time


class VectorGraph:
    """One log's graph."""

    def __init__(self, token: str, dimensions: int, room: int) -> None:
        self.token = token
        self.covered = 0
        self.saved = 0  # rows that the snapshot on disk covers
        self._dimensions = dimensions
        self._gone: set[int] = set()
        self.hidden_at: object = None  # the state of the index in which all hidden rows are dead
        self._graph: Any = hnswlib.Index(space="ip", dim=dimensions)
        if room:
            self._graph.init_index(max_elements=room, M=_LINKS, ef_construction=_BUILD_EFFORT, random_seed=1)

    @classmethod
    def build(cls, log: VectorLog, rows: int, progress: Callable[[int], None] | None = None) -> VectorGraph:
        """Make the graph of a log's first `rows` rows: about 3,000 a second and processor."""
        graph = cls(log.token, log.dimensions, max(1_000, int(rows * _ROOM)))
        for start in range(0, rows, _STEP):
            end = min(rows, start + _STEP)
            graph.extend(log.vectors(start, end))
            if progress:
                progress(end)
        return graph

    @property
    def alive(self) -> int:
        """How many rows a search can find."""
        return int(self._graph.get_current_count()) - len(self._gone)

    def extend(self, vectors: Vectors) -> None:
        """Add the rows that follow the covered ones."""
        # A row of zeros is as near to everything as to nothing; it would only be in the way.
        numbers = self.covered + np.flatnonzero(vectors.any(axis=1))
        needed = int(self._graph.get_current_count()) + len(numbers)
        if needed > self._graph.get_max_elements():
            self._graph.resize_index(int(needed * _ROOM))
        if len(numbers):
            self._graph.add_items(vectors[numbers - self.covered], numbers)
        self.covered += len(vectors)

    @property
    def hidden(self) -> set[int]:
        """Rows that no search finds."""
        return self._gone

    def mark(self, live: Rows) -> None:
        """Hide the rows that are not among the live ones, and show again those that came back."""
        rows = np.asarray(self._graph.get_ids_list(), np.int64)
        gone = set(rows[~np.isin(rows, live)].tolist())
        for row in gone - self._gone:
            self._graph.mark_deleted(row)
        self.show([*self._gone - gone])
        self._gone = gone

    def show(self, rows: Iterable[int]) -> None:
        """Show hidden rows again."""
        for row in rows:
            self._graph.unmark_deleted(row)
            self._gone.discard(row)

    def nearest(self, query: Vectors, k: int) -> dict[int, float] | None:
        """The scores of about the `k` nearest rows; None when the graph cannot say."""
        k = min(k, self.alive)
        if k < 1:
            return {}
        self._graph.set_ef(max(_EFFORT, 2 * k))
        try:
            rows, distances = self._graph.knn_query(query, k=k, num_threads=1)
        except RuntimeError:
            # Fewer than k were reached, as the library puts it; an exact search has the answer.
            return None
        return dict(zip(rows[0].tolist(), (1 - distances[0]).tolist(), strict=True))

    # -- the snapshot
    def save(self, folder: str) -> None:
        """Write the snapshot beside the old one and take its place. Raises OSError; the old one is whole then."""
        name = f"graph-{os.urandom(8).hex()}.hnsw"
        path, note = os.path.join(folder, name), os.path.join(folder, _NOTE)
        try:
            self._write(path)
            size, crc = _checked(path)
            said = {
                "file": name,
                "log": self.token,
                "rows": self.covered,
                "gone": sorted(self._gone),
                "size": size,
                "crc": crc,
                "library": _library(),
            }
            with open(f"{path}.json", "w", encoding="ascii") as file:
                json.dump(said, file)
                file.flush()
                os.fsync(file.fileno())
            os.rename(f"{path}.json", note)
        except BaseException:
            for left in (path, f"{path}.json"):
                with contextlib.suppress(OSError):
                    os.unlink(left)
            raise
        self.saved = self.covered
        for other in os.listdir(folder):
            if other.startswith("graph-") and not other.startswith(name):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, other))

    def _write(self, path: str) -> None:
        try:
            self._graph.save_index(path)
        except RuntimeError as error:
            raise OSError(f"the graph cannot be written: {error}") from error
        with open(path, "rb") as file:
            os.fsync(file.fileno())

    @classmethod
    def load(cls, folder: str, log: VectorLog, rows: int) -> VectorGraph | None:
        """Return the snapshot of this log, None when there is none; raise DamagedGraph when it cannot be trusted."""
        try:
            with open(os.path.join(folder, _NOTE), encoding="ascii") as file:
                note = json.load(file)
            if note["log"] != log.token or note["rows"] > rows:
                return None
            return cls._loaded(os.path.join(folder, note["file"]), note, log)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise DamagedGraph(str(error)) from error

    @classmethod
    def _loaded(cls, path: str, note: dict[str, Any], log: VectorLog) -> VectorGraph:
        # The library follows whatever links the file holds, so a flipped bit would crash the process: it is checked first.
        if _checked(path) != (note["size"], note["crc"]) or note["library"] != _library():
            raise ValueError("it is not what was saved")
        graph = cls(log.token, log.dimensions, 0)
        graph._graph.load_index(path, max_elements=int(note["rows"] * _ROOM))
        graph.covered = graph.saved = int(note["rows"])
        graph._gone = set(note["gone"])
        return graph


class DamagedGraph(Exception):
    """A snapshot that cannot be used; the log has everything to build it again."""


def _checked(path: str) -> tuple[int, int]:
    size = crc = 0
    with open(path, "rb") as file:
        while data := file.read(1 << 20):
            size += len(data)
            crc = zlib.crc32(data, crc)
    return size, crc


def link(folder: str, new: str) -> None:
    """Let a new folder share the snapshot of an old one."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        with open(os.path.join(folder, _NOTE), encoding="ascii") as file:
            name = os.path.basename(json.load(file)["file"])
        for one in (name, _NOTE):
            os.link(os.path.join(folder, one), os.path.join(new, one))


def remove_graph(folder: str) -> None:
    """Remove the snapshots in a folder; the next process that wants one builds it."""
    for name in os.listdir(folder):
        if name == _NOTE or name.endswith(".hnsw"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def _library() -> str:
    from importlib.metadata import version  # loads what reads mail; only a graph that is kept needs it

    return version("hnswlib")
