"""Token vectors: what a model that reads whole texts makes of each token, 64 numbers of 8 bits, kept beside the texts' vectors.

`TokenFile` is a log's second file. It only grows, and knows nothing by itself: where a text's tokens begin, how many they are and
their checksum stand in the record of the text's vector, which is written after them. So what no record speaks of was never there.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np

from memtree.indexers.base import IndexCorrupt, IndexUnwritable
from memtree.indexers.embedder import TokenCodes, Vectors, normalised

_STEP = 127.0  # codes of a vector's largest possible coordinate
_GAP = 4_096  # bytes that lie between two texts' tokens and are read along rather than asking twice


class Stretch(NamedTuple):
    """Where a text's tokens lie: from byte `at` on, so many, with this CRC-32."""

    at: int
    tokens: int
    crc: int


def coded(vectors: Vectors) -> TokenCodes:
    """Normalised rows as bytes; a cosine changes by less than 0.01."""
    codes: TokenCodes = np.rint(vectors * np.float32(_STEP)).astype(np.int8)
    return codes


def decoded(codes: TokenCodes) -> Vectors:
    """The rows again, normalised."""
    return normalised(codes.astype(np.float32))


class TokenFile:
    """An open file of codes, `width` bytes a token."""

    def __init__(self, path: str, width: int, *, writable: bool = False) -> None:
        self._width = width
        self._file = os.open(path, (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC)

    @classmethod
    def create(cls, path: str, width: int) -> Self:
        """Make an empty file and open it for writing."""
        with _refusals():
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        return cls(path, width, writable=True)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @property
    def size(self) -> int:
        return os.fstat(self._file).st_size

    def append(self, codes: Sequence[TokenCodes]) -> list[Stretch]:
        """Add each text's tokens at the end, and say where they lie; all of them or, when the disk is full, none."""
        pieces = [np.ascontiguousarray(one, np.int8).reshape(-1, self._width).tobytes() for one in codes]
        end = start = self.size
        found = []
        for piece in pieces:
            found.append(Stretch(start, len(piece) // self._width, zlib.crc32(piece)))
            start += len(piece)
        data = memoryview(b"".join(pieces))
        written = 0
        with _refusals():
            try:
                while written < len(data):
                    written += os.pwrite(self._file, data[written:], end + written)
            except OSError:
                os.ftruncate(self._file, end)
                raise
        return found

    def read(self, places: Sequence[Stretch]) -> list[TokenCodes]:
        """Each text's tokens, shape (tokens, width); places that lie close together are read at once. Raise IndexCorrupt."""
        found: dict[int, TokenCodes] = {}
        order = sorted(range(len(places)), key=lambda number: places[number].at)
        for run in self._runs(places, order):
            first, last = places[run[0]], max((places[number] for number in run), key=self._end)
            data = self._bytes(first.at, self._end(last) - first.at)
            for number in run:
                one = places[number]
                piece = data[one.at - first.at : self._end(one) - first.at]
                if zlib.crc32(piece) != one.crc:
                    raise IndexCorrupt("the log of token vectors is damaged")
                found[number] = np.frombuffer(piece, np.int8).reshape(-1, self._width)
        return [found[number] for number in range(len(places))]

    def is_good(self, place: Stretch) -> bool:
        """Whether what lies there is what was written."""
        try:
            self.read([place])
        except IndexCorrupt:
            return False
        return True

    def truncate(self, size: int) -> bool:
        """Cut what follows the first `size` bytes; return whether there was anything."""
        longer = self.size > size
        if longer:
            os.ftruncate(self._file, size)
        return longer

    def sync(self) -> None:
        with _refusals():
            os.fsync(self._file)

    def _end(self, place: Stretch) -> int:
        return place.at + place.tokens * self._width

    def _runs(self, places: Sequence[Stretch], order: Sequence[int]) -> Iterator[list[int]]:
        run: list[int] = []
        end = 0
        for number in order:
            if run and places[number].at > end + _GAP:
                yield run
                run = []
            run.append(number)
            end = max(end, self._end(places[number]))
        if run:
            yield run

    def _bytes(self, at: int, size: int) -> bytes:
        if at + size > self.size:
            raise IndexCorrupt("the log of token vectors is cut off")
        try:
            return os.pread(self._file, size, at)
        except OSError as error:
            raise IndexCorrupt(f"the log of token vectors cannot be read: {error.strerror}") from error


def tokens_name(token: str) -> str:
    """The name of the second file of the log with this token."""
    return f"tokens-{token}.log"


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(f"the token vectors cannot be written: {error.strerror}") from error
