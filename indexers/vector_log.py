"""VectorLog: every vector that was ever computed, in one file that only grows.

A record is a chunk's hash (16 bytes), a CRC-32 of hash and vector, and the vector as float16: 532 bytes for 256 dimensions. The
file explains itself, so an index that lost everything else finds its vectors again, and what a killed run had embedded is kept.
With a model that reads whole texts a record also says where the text's tokens lie in a second file, which is written first.
Records are read with `pread`, never mapped: a file that somebody cuts under a map kills the process that reads it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from memtree.indexers.base import IndexCorrupt, IndexUnwritable
from memtree.indexers.embedder import TokenCodes, Vectors
from memtree.indexers.token_vectors import Stretch, TokenFile, tokens_name

_MAGIC = b"memtree vectors1"
_HEADER = struct.Struct("<16s16s16sII8x")
_HASH = 16
_FRONT = _HASH + 4  # hash and checksum
_DIMENSIONS_LIMIT = 65_536
# Half a megabyte a block: it stays in the processor's cache from the read to the product.
_BLOCK_BYTES = 512 * 1024
# So many records of a block are read one by one; more are read with all that lies between.
_FEW = 32

Rows = npt.NDArray[np.int64]
Block = npt.NDArray[np.void]


class Record(NamedTuple):
    """A vector's place in the log and the hash of the chunk it belongs to."""

    row: int
    hash: bytes


def model_digest(model_id: str) -> bytes:
    """What the log keeps of a model's id."""
    return hashlib.sha256(model_id.encode("utf-8", "replace")).digest()[:16]


class VectorLog:
    """An open log. Rows are numbered from 0; those in the file when it was opened or grown by us are `count`.

    `token_width` is the length of a token's vector, 0 where the model has none.
    """

    def __init__(self, path: str, *, writable: bool = False) -> None:
        self.path = path
        self._file = os.open(path, (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC)
        try:
            header = os.pread(self._file, _HEADER.size, 0)
            if len(header) < _HEADER.size or header[:16] != _MAGIC:
                raise IndexCorrupt("the vector log is damaged: it has no header")
            _, token, self.model, self.dimensions, self.token_width = _HEADER.unpack(header)
            if not 0 < self.dimensions <= _DIMENSIONS_LIMIT or self.token_width > _DIMENSIONS_LIMIT:
                raise IndexCorrupt("the vector log is damaged: its header makes no sense")
            self.token = token.hex()
            self.tokens = self._opened_tokens(writable=writable) if self.token_width else None
        except BaseException:
            os.close(self._file)
            raise
        fields: list[Any] = [("hash", f"V{_HASH}"), ("crc", "<u4"), ("vector", "<f2", (self.dimensions,))]
        if self.token_width:
            fields += [("at", "<u8"), ("count", "<u4"), ("tokens_crc", "<u4")]
        self._record = np.dtype(fields)
        self._size = self._record.itemsize
        self._block = max(1, _BLOCK_BYTES // self._size)

    @classmethod
    def create(cls, folder: str, model: bytes, dimensions: int, token_width: int = 0) -> Self:
        """Make an empty log with a new token and open it for writing."""
        token = os.urandom(16)
        path = os.path.join(folder, log_name(token.hex()))
        if token_width:
            TokenFile.create(os.path.join(folder, tokens_name(token.hex())), token_width).close()
        with _refusals():
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                os.write(file, _HEADER.pack(_MAGIC, token, model, dimensions, token_width))
            finally:
                os.close(file)
        return cls(path, writable=True)

    def _opened_tokens(self, *, writable: bool) -> TokenFile:
        path = os.path.join(os.path.dirname(self.path), tokens_name(self.token))
        try:
            return TokenFile(path, self.token_width, writable=writable)
        except FileNotFoundError:
            raise IndexCorrupt("the log of token vectors is gone") from None

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            if self.tokens is not None:
                self.tokens.close()

    def unlink(self) -> None:
        """Take the log away, with its second file."""
        os.unlink(self.path)
        if self.tokens is not None:
            os.unlink(os.path.join(os.path.dirname(self.path), tokens_name(self.token)))

    @property
    def count(self) -> int:
        """Whole records in the file."""
        return max(0, os.fstat(self._file).st_size - _HEADER.size) // self._size

    # -- writing
    def append(self, hashes: Sequence[bytes], vectors: Vectors, tokens: Sequence[TokenCodes] = ()) -> None:
        """Add records at the end, each with its tokens where there are any; all of them or, when the disk is full, none."""
        block = np.zeros(len(hashes), self._record)
        block["vector"] = vectors
        self._write_records(block, hashes, tokens)

    def _write_records(self, block: Block, hashes: Sequence[bytes], tokens: Sequence[TokenCodes]) -> None:
        if self.tokens is not None:
            block["at"], block["count"], block["tokens_crc"] = zip(*self.tokens.append(tokens), strict=True)
        data = bytearray(block.tobytes())
        for start, name in zip(range(0, len(data), self._size), hashes, strict=True):
            data[start : start + _HASH] = name
            data[start + _HASH : start + _FRONT] = _checksum(memoryview(data)[start : start + self._size]).to_bytes(4, "little")
        self._write(memoryview(data))

    def copy(self, other: VectorLog, rows: Rows) -> None:
        """Add some records of another log, given in rising order, as they are, their tokens with them."""
        for _, some in other._some(rows):
            if other.tokens is None:
                self._write(memoryview(some.tobytes()))
            else:
                self._write_records(some.copy(), [bytes(name) for name in some["hash"]], other.tokens.read(_stretches(some)))

    def sync(self) -> None:
        """Bring everything to the disk."""
        if self.tokens is not None:
            self.tokens.sync()
        with _refusals():
            os.fsync(self._file)

    def truncate(self, count: int) -> bool:
        """Cut what follows the first `count` records; return whether there was anything."""
        end = _HEADER.size + count * self._size
        longer = os.fstat(self._file).st_size > end
        if longer:
            os.ftruncate(self._file, end)
        if self.tokens is not None:
            # Stretches follow each other in the order of the rows.
            last = _stretches(self._read(count - 1, 1))[0] if count else Stretch(0, 0, 0)
            longer |= self.tokens.truncate(last.at + last.tokens * self.token_width)
        return longer

    def _write(self, data: memoryview) -> None:
        end = _HEADER.size + self.count * self._size
        at = 0
        with _refusals():
            try:
                while at < len(data):
                    at += os.pwrite(self._file, data[at:], end + at)
            except OSError:
                os.ftruncate(self._file, end)
                raise

    # -- reading
    def whole(self, start: int = 0) -> Iterator[Record | None]:
        """Yield the records from row `start` on, None in place of one that is not what was written."""
        for first, block in self._blocks(start, self.count):
            data = memoryview(block.tobytes())
            for number in range(len(block)):
                record = data[number * self._size : (number + 1) * self._size]
                good = int.from_bytes(record[_HASH:_FRONT], "little") == _checksum(record)
                if good and self.tokens is not None:
                    good = self.tokens.is_good(_stretches(block[number : number + 1])[0])
                yield Record(first + number, bytes(record[:_HASH])) if good else None

    def vectors(self, start: int, end: int) -> Vectors:
        """Return the rows from `start` to before `end` as float32."""
        found = np.empty((end - start, self.dimensions), np.float32)
        for first, block in self._blocks(start, end):
            widen(block["vector"], found[first - start : first - start + len(block)])
        return found

    def scores(self, query: Vectors, start: int, end: int) -> Vectors:
        """Return the dot products of a vector with the rows from `start` to before `end`."""
        found = np.empty(end - start, np.float32)
        wide = np.empty((self._block, self.dimensions), np.float32)
        for first, block in self._blocks(start, end):
            part = wide[: len(block)]
            widen(block["vector"], part)
            np.dot(part, query, out=found[first - start : first - start + len(block)])
        return _plausible(found)

    def scores_of(self, query: Vectors, rows: Rows) -> Vectors:
        """Return the dot products of a vector with some rows, given in rising order."""
        found = np.empty(len(rows), np.float32)
        wide = np.empty((self._block, self.dimensions), np.float32)
        for at, some in self._some(rows):
            part = wide[: len(some)]
            widen(some["vector"], part)
            np.dot(part, query, out=found[at : at + len(some)])
        return _plausible(found)

    def exact_scores(self, query: Vectors, rows: Rows) -> npt.NDArray[np.float64]:
        """Return the dot products with a few rows in double precision: the same for equal vectors, wherever they stand."""
        # Each row is summed by itself; a matrix product would round by where a row stands.
        found: npt.NDArray[np.float64] = (self._single(rows)["vector"] * query.astype(np.float64)).sum(axis=1)
        return found

    def rows_with_tokens(self, rows: Rows) -> tuple[Vectors, list[TokenCodes]]:
        """Return some rows, given in rising order: the vectors as float32 and each one's tokens, (0, width) where it has none."""
        vectors = np.empty((len(rows), self.dimensions), np.float32)
        places: list[Stretch] = []
        for at, some in self._some(rows):
            widen(some["vector"], vectors[at : at + len(some)])
            places += _stretches(some) if self.tokens is not None else [Stretch(0, 0, 0)] * len(some)
        return vectors, self.tokens.read(places) if self.tokens is not None else [np.zeros((0, 1), np.int8)] * len(rows)

    def _some(self, rows: Rows) -> Iterator[tuple[int, Block]]:
        """Records of some rising rows, a block's worth at a time, each with its first one's place among them."""
        at = 0
        while at < len(rows):
            first = int(rows[at])
            stop = int(np.searchsorted(rows, first + self._block))
            if stop - at < _FEW:
                yield at, self._single(rows[at:stop])
            else:
                yield at, self._read(first, int(rows[stop - 1]) - first + 1)[rows[at:stop] - first]
            at = stop

    def _single(self, rows: Rows) -> Block:
        """Some records, read one by one."""
        return np.frombuffer(b"".join(self._bytes(row, 1) for row in rows.tolist()), self._record)

    def _blocks(self, start: int, end: int) -> Iterator[tuple[int, Block]]:
        for first in range(start, end, self._block):
            yield first, self._read(first, min(self._block, end - first))

    def _read(self, first: int, count: int) -> Block:
        return np.frombuffer(self._bytes(first, count), self._record)

    def _bytes(self, first: int, count: int) -> bytes:
        try:
            data = os.pread(self._file, count * self._size, _HEADER.size + first * self._size)
        except OSError as error:
            raise IndexCorrupt(f"the vector log cannot be read: {error.strerror}") from error
        if len(data) < count * self._size:
            raise IndexCorrupt("the vector log is cut off")
        return data


def log_name(token: str) -> str:
    return f"vectors-{token}.log"


def _stretches(block: Block) -> list[Stretch]:
    columns = (block[name].tolist() for name in ("at", "count", "tokens_crc"))
    return [Stretch(*one) for one in zip(*columns, strict=True)]


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(f"the vectors cannot be written: {error.strerror}") from error


def _checksum(record: memoryview) -> int:
    return zlib.crc32(record[_FRONT:], zlib.crc32(record[:_HASH]))


def _plausible(scores: Vectors) -> Vectors:
    # Unit vectors' products lie within 1; garbage bytes make huge numbers, and a search must not trust them.
    if len(scores) and not (scores.max() < 1.1 and scores.min() > -1.1):
        raise IndexCorrupt("the vector log is damaged: it holds what is no vector")
    return scores


def widen(halves: npt.NDArray[np.float16], out: Vectors) -> None:
    """Convert float16 to float32, five times quicker than numpy does: shift the bits into place, then scale the exponent.

    Exact for every finite number; infinities become 65,536 and more, which no vector of length 1 contains.
    """
    bits = out.view(np.int32)
    bits[...] = halves.view(np.int16)
    np.left_shift(bits, 13, out=bits)
    np.bitwise_and(bits, _SIGN_AND_VALUE, out=bits)
    np.multiply(out, _EXPONENT, out=out)


# Widening copied the sign into bits 28 to 30, where a float32 has the top of its exponent.
_SIGN_AND_VALUE = np.array(0x8FFFE000, np.uint32).view(np.int32)
_EXPONENT = np.float32(2.0**112)
