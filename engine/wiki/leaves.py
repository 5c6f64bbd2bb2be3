"""Leaves: the evidence that summaries are made of: what was said, what was imported, what people and agents noted, as prose.

Recaps, facts and profiles are no evidence: they were derived themselves. Which files are leaves is remembered with the commit that
it was found out for, so that only what changed since is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memtree.engine.local_state import keep_state, read_state
from memtree.engine.repo_errors import MissingObject
from memtree.engine.store.filters import Conversion
from memtree.engine.store.working_copy import FilterMissing
from memtree.engine.tree_diff import diff_commits
from memtree.engine.wiki.view import STATE
from memtree.tree.chunks import time_of
from memtree.tree.document import Document
from memtree.tree.forgotten import is_stub
from memtree.tree.front_matter import NO_FRONT_MATTER
from memtree.tree.kinds import TEXT_LIMIT, Kind, is_markdown, kind_of
from memtree.tree.objects import Change, CommitId, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.secrets import find_secrets
from memtree.tree.source_names import source_of
from memtree.tree.summary import PROSE_SUFFIXES, Child
from memtree.tree.token_count import count_tokens

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

LONGEST_PATH = 1_000  # characters
KINDS = (Kind.CHAT, Kind.RAW, Kind.NOTE)
_FORMAT = 1
_TOLD = 100  # files that are told to be left out
_LOOKED_AT = 20_000  # characters
_WORDS, _WIDE_LETTERS = 5, 10
_WORD = re.compile(r"[^\W\d_]+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_ATTRIBUTES = ".gitattributes"


class Leaf(NamedTuple):
    """A file of evidence as a commit holds it. `time` is in epoch seconds, None for a file that tells none."""

    path: RepoPath
    blob: str
    source: str
    time: int | None
    tokens: int

    @property
    def child(self) -> Child:
        return Child.leaf(self.path, self.blob)


class LeftOut(NamedTuple):
    """A file that would be evidence, and why it is not."""

    path: RepoPath
    reason: str


class Leaves(NamedTuple):
    """The leaves of a commit by path, and what a person should know of files left out."""

    by_path: Mapping[RepoPath, Leaf]
    left_out: tuple[LeftOut, ...]
    commit: CommitId | None

    @classmethod
    def at(cls, workspace: Workspace, commit: CommitId | None, *, progress: Callable[[int], None] | None = None) -> Leaves:
        """The leaves of a commit. `progress` is told how many files have been looked at."""
        place = os.path.join(workspace.places.folder, STATE, "leaves.json")
        scope = workspace.scope()
        mark = repr((_FORMAT, scope.fingerprint, workspace.settings.content))
        known = _kept(place, mark)
        if known.commit is not None and not (commit is not None and workspace.repo.has_commit(known.commit)):
            known = Leaves({}, (), None)
        if known.commit == commit:
            return known
        changes = diff_commits(workspace.repo, known.commit, commit)
        if known.commit is not None and any(change.path.name == _ATTRIBUTES for change in changes):
            known, changes = Leaves({}, (), None), diff_commits(workspace.repo, None, commit)
        found = _followed(workspace, known, [change for change in changes if scope.indexes(change.path)], commit, progress)
        _keep(place, mark, found)
        return found


def in_order(leaves: Iterable[Leaf]) -> list[Leaf]:
    """By time, undated ones last, then by path."""
    return sorted(leaves, key=lambda leaf: (leaf.time is None, leaf.time or 0, leaf.path))


def _followed(
    workspace: Workspace, known: Leaves, changes: list[Change], commit: CommitId | None, progress: Callable[[int], None] | None
) -> Leaves:
    by_path, left_out = dict(known.by_path), {one.path: one for one in known.left_out}
    workspace.store.filters.refresh()
    for number, change in enumerate(changes, 1):
        by_path.pop(change.path, None)
        left_out.pop(change.path, None)
        found = _look(workspace, change.path, change.after)
        if isinstance(found, Leaf):
            by_path[change.path] = found
        elif found is not None:
            left_out[change.path] = found
        if progress is not None and number % 200 == 0:
            progress(number)
    return Leaves(by_path, tuple(sorted(left_out.values()))[:_TOLD], commit)


def _look(workspace: Workspace, path: RepoPath, entry: Entry | None) -> Leaf | LeftOut | None:
    """A file as a leaf; None for what never is one. Whatever is wrong with a file, the others are looked at."""
    content = workspace.settings.content
    if entry is None or not entry.is_file or kind_of(path, content) not in KINDS or not path.lower().endswith(PROSE_SUFFIXES):
        return None
    try:
        if reason := _unfit(workspace, path, entry):
            return LeftOut(RepoPath(path.encode("utf-8", "replace").decode()), reason)
        data = workspace.store.working_copy.contents(path, entry)
    except (FilterMissing, MissingObject) as error:
        return LeftOut(path, str(error))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return LeftOut(path, "it is not UTF-8")
    if b"\0" in data:
        return LeftOut(path, "it is no text")
    document = Document.parse(data)
    body = document.body_bytes() if is_markdown(path) else data
    if not _says_something(body):
        return None
    front = document.front_matter() if is_markdown(path) else NO_FRONT_MATTER
    return Leaf(path, entry.id, source_of(path, content), time_of(path, front), max(1, round(count_tokens(body))))


def _unfit(workspace: Workspace, path: RepoPath, entry: Entry) -> str:
    """Why a file must not become a leaf; '' where it may."""
    try:
        name = path.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if len(path) > LONGEST_PATH:
        return "its path is too long"
    if find_secrets(name):
        return "its name looks like a secret"
    # What is encrypted in history must not be told in a file that is not.
    if workspace.store.filters.conversion(path) is not Conversion.NONE and isinstance(
        workspace.repo.attribute(path, "filter"), str
    ):
        return "a git filter keeps it"
    if workspace.repo.size(entry.id) > TEXT_LIMIT:
        return f"it is larger than {TEXT_LIMIT >> 20} MB"
    return ""


def _says_something(body: bytes) -> bool:
    if is_stub(body):
        return False
    text = body[: 4 * _LOOKED_AT].decode("utf-8", "replace")[:_LOOKED_AT]
    return len(_WORD.findall(text)) >= _WORDS or len(_WIDE.findall(text)) >= _WIDE_LETTERS


# -- what is remembered
def _keep(place: str, mark: str, leaves: Leaves) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    rows = list(leaves.by_path.values())
    keep_state(place, {"mark": mark, "commit": leaves.commit, "rows": rows, "left_out": leaves.left_out})


def _kept(place: str, mark: str) -> Leaves:
    found = read_state(place)
    nothing = Leaves({}, (), None)
    if found.get("mark") != mark or not isinstance(found.get("commit"), str):
        return nothing
    try:
        leaves = [_leaf(row) for row in found["rows"]]
        left_out = tuple(LeftOut(RepoPath(path), reason) for path, reason in found["left_out"])
    except (LookupError, TypeError, ValueError):
        return nothing
    return Leaves({leaf.path: leaf for leaf in leaves}, left_out, CommitId(found["commit"]))


def _leaf(row: Any) -> Leaf:
    path, blob, source, time, tokens = row
    return Leaf(RepoPath(path), str(blob), str(source), time, int(tokens))
