"""Purging: commits that no remote has are made anew without a forgotten text, and what held it leaves the object database.

The branch moves by one compare-and-swap, so a kill leaves the old history or the new one. What comes after it (reflogs, marks,
objects) may be done again: the reflogs' commits are rewritten too, so nothing is dropped from them, and a second run finds what a
first one left.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from memtree.engine.object_database import ObjectDatabase
from memtree.engine.repo import CommitInfo
from memtree.engine.store.index_file import IndexFile
from memtree.engine.store.planner import MERGE_MESSAGE
from memtree.engine.store.refs import RefMover
from memtree.engine.store.report import GitBusy, WrongBranch
from memtree.engine.traces import REMOTES, Traces
from memtree.engine.workspace import Workspace
from memtree.tree.errors import TransientError
from memtree.tree.forgetting import Forgetting
from memtree.tree.objects import CommitId, Entry, TreeId
from memtree.tree.paths import RepoPath

_ID = re.compile(r"\b[0-9a-f]{40}\b")
_ID_AT = 40  # where an index entry has its object's id
_SIGNATURE = re.compile(rb"\ngpgsig(?:-sha256)? [^\n]*(?:\n [^\n]*)*")
_NO_PATH = RepoPath("object.md")


class StillThere(TransientError):
    """The newest commit itself still holds the text: somebody committed it again meanwhile."""

    def __init__(self) -> None:
        super().__init__("the text was committed again meanwhile; the history is as it was", hint="run the same command again")


@dataclass(frozen=True, slots=True)
class Purged:
    """How many commits were made anew and how many objects are gone. `still` names what keeps some of them."""

    commits: int
    objects: int
    still: tuple[str, ...] = ()

    def and_then(self, later: Purged) -> Purged:
        """Both, of which the second came after the first."""
        still = tuple(dict.fromkeys((*self.still, *later.still)))
        return Purged(self.commits + later.commits, self.objects + later.objects, still)


def purge(workspace: Workspace, forgetting: Forgetting) -> Purged:
    """Rewrite what no remote has, and remove what held the text. HEAD must be without it already; raise StillThere."""
    with workspace.store.exclusive():
        return _Purge(workspace, forgetting).run()


class _Purge:
    """One purge under the write lock."""

    def __init__(self, workspace: Workspace, forgetting: Forgetting) -> None:
        self._workspace = workspace
        self._repo = workspace.repo
        self._store = workspace.store
        self._forgetting = forgetting
        self._objects = ObjectDatabase(self._repo.common_folder, workspace.files)
        self._traces = Traces(self._repo, forgetting, workspace.scope().holds)
        self._new: dict[str, str] = {}  # commits that were made anew
        self._gone: set[str] = set()  # what they and their files were before

    def run(self) -> Purged:
        ref = self._store.ref
        self._refuse()
        tip = self._repo.tip(ref)
        if tip is not None:
            self._rewrite([tip, *self._logged()])
            new = CommitId(self._new.get(tip, tip))
            if self._traces.in_tree(self._repo.tree(new)):
                raise StillThere
            self._store.objects.sync()
            if new != tip:
                mover = RefMover(self._repo, self._workspace.files, self._store.places, timeout=10.0)
                mover.move(ref, tip, new, reason="forget", when=int(self._store.clock()))
        self._rename_commits()
        removed = self._sweep()
        still = [*self._traces.elsewhere(ref), *self._staged(), *self._other_trees()]
        return Purged(len(self._new), removed, tuple(still))

    def _refuse(self) -> None:
        busy, head = self._repo.busy_with(), self._repo.head()
        if busy:
            raise GitBusy(busy)
        if head != self._store.ref:
            raise WrongBranch(self._store.ref, head)

    # -- new commits
    def _rewrite(self, tips: Iterable[CommitId]) -> None:
        pushed = list(self._repo.refs(REMOTES).values())
        for info in reversed(list(self._repo.walk(dict.fromkeys(tips), hide=pushed))):
            tree = self._tree(info.tree)
            parents = [self._new.get(parent, parent) for parent in info.parents]
            if info.message == MERGE_MESSAGE:
                parents.sort()  # as every machine orders them
            made = self._commit(info, tree, parents)
            if made != info.id:
                self._new[info.id] = made
                self._gone.add(info.id)

    def _tree(self, tree: TreeId) -> TreeId:
        changes: dict[RepoPath, Entry | None] = {}
        for path, entry in self._traces.files(tree):
            self._gone.add(entry.id)
            data = self._forgetting.applied(path, self._repo.blob(entry.id))
            changes[path] = Entry(entry.mode, self._store.objects.blob(data))
        return self._store.objects.tree(tree, changes) if changes else tree

    def _commit(self, info: CommitInfo, tree: str, parents: list[str]) -> str:
        """The commit with another tree and other parents, everything else as it was; a signature would no longer hold."""
        _, raw = self._objects.read(info.id)
        head, _, message = raw.partition(b"\n\n")
        said = self._forgetting.in_message(message)
        if (tree, parents, said) == (info.tree, list(info.parents), message):
            return info.id
        rest = [line for line in _SIGNATURE.sub(b"", head).split(b"\n") if not line.startswith((b"tree ", b"parent "))]
        lines = [b"tree " + tree.encode(), *(b"parent " + parent.encode() for parent in parents), *rest]
        made = self._objects.write("commit", b"\n".join(lines) + b"\n\n" + said)
        self._store.objects.note(made)
        return made

    # -- what names commits
    def _logged(self) -> Iterator[CommitId]:
        """Commits that the branch once stood at, and where git remembers it."""
        for path in (*self._own_logs(), os.path.join(self._repo.git_folder, "ORIG_HEAD")):
            for found in _ids_in(path):
                if self._repo.has_commit(CommitId(found)):
                    yield CommitId(found)

    def _own_logs(self) -> tuple[str, str]:
        names = ((self._repo.common_folder, self._store.ref), (self._repo.git_folder, "HEAD"))
        return tuple(os.path.join(folder, "logs", name) for folder, name in names)  # type: ignore[return-value]

    def _rename_commits(self) -> None:
        """Let logs and marks name the new commits."""
        files, places = self._workspace.files, self._store.places
        for path in self._own_logs():
            lines = [self._renamed(line) for line in _read(path).splitlines(keepends=True)]
            kept = [line for line in lines if line[:40] != line[41:81]]
            if os.path.exists(path):
                files.replace(path, self._forgetting.in_message(b"".join(kept)))
        marks = [os.path.join(places.folder, name) for name in _listed(places.folder)]
        for path in (os.path.join(self._repo.git_folder, "ORIG_HEAD"), *marks):
            data = _read(path) if os.path.isfile(path) and not os.path.islink(path) else b""
            if self._renamed(data) != data:
                files.replace(path, self._renamed(data))
        said = os.path.join(self._repo.git_folder, "COMMIT_EDITMSG")
        if self._forgetting.in_message(_read(said)) != _read(said):
            files.unlink(said)

    def _renamed(self, data: bytes) -> bytes:
        return _ID.sub(lambda match: self._new.get(match[0], match[0]), data.decode("utf-8", "surrogateescape")).encode(
            "utf-8", "surrogateescape"
        )

    # -- objects
    def _sweep(self) -> int:
        """Remove what nothing names any more and what holds the text, or leads to it; other strays are left to git."""
        self._objects.reopen()
        strays = set(self._objects.ids()) - self._objects.reachable(self._roots())
        doomed = {one for one in strays if one in self._gone or self._holds(one)}
        above: dict[str, list[str]] = {}
        for one in strays:
            for below, _ in self._objects.links(one)[1]:
                above.setdefault(below, []).append(one)
        ahead = list(doomed)
        while ahead:
            for one in above.get(ahead.pop(), ()):
                if one not in doomed:
                    doomed.add(one)
                    ahead.append(one)
        if doomed:
            self._objects.remove(doomed, self._store.places.temps)
            self._repo.close()  # it would go on to know from memory what is gone; what is asked next opens it again
        return len(doomed)

    def _holds(self, stray: str) -> bool:
        kind, data = self._objects.read(stray)
        if kind == "blob":
            # Its path is not known any more.
            return not self._forgetting.whole and replace(self._forgetting, within="").applied(_NO_PATH, data) != data
        return kind in ("commit", "tag") and self._forgetting.in_message(data) != data

    def _roots(self) -> Iterator[str]:
        """Everything that git itself would keep: refs, heads, logs and indexes, also of linked work trees."""
        yield from self._repo.refs("refs/").values()
        common = self._repo.common_folder
        worktrees = os.path.join(common, "worktrees")
        for folder in dict.fromkeys(
            (self._repo.git_folder, common, *(os.path.join(worktrees, name) for name in _listed(worktrees)))
        ):
            for name in os.listdir(folder):
                if name.endswith("HEAD") or name in ("AUTO_MERGE", "BISECT_EXPECTED_REV"):
                    yield from _ids_in(os.path.join(folder, name))
            for below in ("logs", "refs"):
                for here, _, names in os.walk(os.path.join(folder, below)):
                    for name in names:
                        yield from _ids_in(os.path.join(here, name))
            index = _index(os.path.join(folder, "index"))
            yield from (index.body[start + _ID_AT : start + _ID_AT + 20].hex() for start in index.starts)

    def _other_trees(self) -> Iterator[str]:
        """Whether a linked work tree stands at a commit that holds it."""
        worktrees = os.path.join(self._repo.common_folder, "worktrees")
        heads = [CommitId(one) for name in _listed(worktrees) for one in _ids_in(os.path.join(worktrees, name, "HEAD"))]
        if self._traces.unpushed([head for head in heads if self._repo.has_commit(head)]):
            yield "another work tree"

    def _staged(self) -> Iterator[str]:
        """Whether git's index holds a version that was staged and not committed."""
        index = _index(self._store.places.index)
        names = [RepoPath(name.decode("utf-8", "surrogateescape")) for name in index.paths()]
        for path in sorted(set(names)):
            held = index.find(path)
            if held is not None and self._traces.holds(path, held.entry):
                yield f"what is staged of {path}"


def _index(path: str) -> IndexFile:
    data = _read(path)
    return IndexFile.parse(data) if data else IndexFile.empty()


def _listed(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


def _ids_in(path: str) -> list[str]:
    return list(dict.fromkeys(_ID.findall(_read(path).decode("utf-8", "replace"))))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, IsADirectoryError):
        return b""
