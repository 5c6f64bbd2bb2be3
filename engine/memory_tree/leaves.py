"""Leaves: the chunks of files as nodes of the tree, and the text that is shown of them.

What is shown is as the present commit has it. An index that reflects that commit holds just this; what one that is behind says is
looked up in the file, and a chunk that is not there any more is no answer.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memtree.engine.memory_tree.hits import BadRequest, NodeKind, TreeHit
from memtree.engine.memory_tree.present import Present
from memtree.engine.memory_tree.scoring import Scorer
from memtree.engine.retrieval.shelf import LARGEST
from memtree.indexers.records import Record
from memtree.tree.chunks import chunk
from memtree.tree.kinds import Kind, kind_of
from memtree.tree.paths import RepoPath, refusal
from memtree.tree.secrets import find_secrets
from memtree.tree.source_names import source_of

SHOWN = 1_200  # characters of a leaf that an answer shows
WHOLE = 20_000  # of one that is fetched
_STARTS = 12  # places in a long leaf that are tried for the best stretch
_KEY_BEGINS = b"-----BEGIN "
_KEY_LINE = re.compile(r"^[ \t>]*[A-Za-z0-9+/=]{40,}[ \t]*$", re.MULTILINE)


class Place(NamedTuple):
    """A leaf as somebody named it: `number` in the file, or the line it stands at, or neither for the whole file."""

    path: RepoPath
    number: int | None = None
    first_line: int | None = None
    last_line: int | None = None


def leaf_id(path: RepoPath, ordinal: int) -> str:
    """A leaf's id: its path and its number in the file, from 1 on."""
    return f"{path}#{ordinal + 1}"


def place_of(text: str, parameter: str) -> Place:
    """What `PATH#NUMBER`, `PATH`, `PATH:LINE`, `PATH:LINE-LINE` or any of them in double brackets names; raise BadRequest.

    Whoever looks it up takes PATH for PATH.md where only that is there.
    """
    named = text.strip()
    if named.startswith("[[") and named.endswith("]]"):
        named = named[2:-2].partition("|")[0].strip()
    path, mark, number = named.rpartition("#")
    if mark and _is_number(number) and path:
        return Place(_path(path, text, parameter), int(number))
    path, mark, lines = named.rpartition(":")
    first, dash, last = lines.partition("-")
    if mark and path and _is_number(first) and (_is_number(last) if dash else True):
        return Place(_path(path, text, parameter), None, int(first), int(last or first))
    return Place(_path(named, text, parameter))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _path(path: str, text: str, parameter: str) -> RepoPath:
    reason = refusal(path)
    if reason:
        raise BadRequest(parameter, f"{text[:80]!r} names no leaf: {reason}", "a leaf is PATH#NUMBER, such as notes/heron.md#2")
    return RepoPath(path)


def records_of(present: Present, path: RepoPath) -> list[Record]:
    """A file's chunks as the present commit has them; none where there is no such file, or one too large to be read now."""
    if not present.workspace.scope().indexes(path):
        return []
    entry = present.repo.entry(present.tip, path)
    if entry is None or not entry.is_file:
        return []
    if (size := present.repo.size(entry.id)) > LARGEST:
        present.note(f"{path} was left out: it has {size:,} bytes")
        return []
    kind = kind_of(path, present.content)
    return [Record.of(piece, kind) for piece in chunk(path, present.repo.blob(entry.id))]


def standing(present: Present, record: Record) -> Record | None:
    """A chunk as it is now: the one with its text, else the one in its place; None where its file holds no such chunk any more.

    None too for a fact that does not hold: whatever mode finds it, it is no answer.
    """
    if present.facts.leaves_out(record.path, record.kind):
        return None
    if present.fresh:
        return record
    now = records_of(present, record.path)
    same = next((one for one in now if one.text == record.text), None)
    return same or next((one for one in now if one.ordinal == record.ordinal), None)


def passage(record: Record) -> str:
    """What a chunk is judged by: its title, its headings and its text."""
    return "\n".join(dict.fromkeys(filter(None, (record.title, record.heading, record.text))))


def leaf(present: Present, record: Record, scorer: Scorer | None = None, *, shown: int = SHOWN) -> TreeHit:
    """A chunk as a hit without a score; its text is without secrets, and the stretch that answers best where it is long."""
    text = _safe(present, record)
    fact = present.facts.told(record.path) if record.kind is Kind.FACT else None
    told = stretch(text, shown, scorer)
    return TreeHit(
        leaf_id(record.path, record.ordinal),
        NodeKind.LEAF,
        record.path,
        record.start_line,
        record.end_line,
        present.tip,
        record.kind,
        source_of(record.path, present.content),
        0,
        present.redactor.text(" › ".join(dict.fromkeys(filter(None, (record.title, record.heading))))),
        told if fact is None else told + fact.projection,
        time_start=record.time,
        time_end=record.time,
        fact=fact.standing if fact is not None else None,
    )


def _safe(present: Present, record: Record) -> str:
    """A chunk's text without secrets, also where it holds the middle of a key, which only the whole file tells."""
    text = present.redactor.text(record.text)
    if not _KEY_LINE.search(text):
        return text
    entry = present.repo.entry(present.tip, record.path)
    if entry is None or present.repo.size(entry.id) > LARGEST:
        return text
    data = present.repo.blob(entry.id)
    for secret in find_secrets(data) if _KEY_BEGINS in data else ():
        last_line = secret.line + data.count(b"\n", secret.start, secret.end)
        if secret.line < last_line and secret.line <= record.end_line and record.start_line <= last_line:
            text = _KEY_LINE.sub(f"[secret: {secret.rule}]", text)
    return text


def stretch(text: str, most: int, scorer: Scorer | None = None) -> str:
    """The text, or of a longer one the stretch of whole lines that holds most of what is asked; `…` where something is left out."""
    text = text.strip("\n")
    if len(text) <= most:
        return text
    starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n" and at + most // 2 < len(text))]
    if len(starts) == 1:  # one long line
        starts = list(range(0, len(text), most // 2))
    starts = starts[:: -(-len(starts) // _STARTS)]
    best = max(starts, key=lambda at: (scorer.score(text[at : at + most]), -at)) if scorer is not None else 0
    end = best + most
    if end < len(text):
        cut = max(text.rfind("\n", best + most // 2, end), text.rfind(" ", best + most // 2, end))
        end = cut if cut > 0 else end
    return ("…" if best else "") + text[best:end].strip("\n") + ("…" if end < len(text) else "")
