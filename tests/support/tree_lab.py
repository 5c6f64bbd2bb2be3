"""TreeLab: commits made from what their files hold, merged in memory as two machines would, in a real repository without any files.

`Hub` is a remote around which such machines sync: one merge a millisecond, so that every order of many of them can be tried.
"""

from __future__ import annotations

from collections.abc import Mapping

from memtree.engine.files import Durability, Files
from memtree.engine.merge.files import FileMerge
from memtree.engine.merge.outcome import ConflictKind
from memtree.engine.merge.rules import content_rules
from memtree.engine.merge.trees import TreeMerge, TreeMerger
from memtree.engine.repo import ENGINE, Repo
from memtree.engine.store.object_writer import ObjectWriter
from memtree.tree.objects import FILE, GITLINK, CommitId, Entry
from memtree.tree.paths import RepoPath
from support.gitrepo import START, GitRepo

Content = str | bytes | Entry
Tree = Mapping[str, Content]
Held = dict[str, bytes]


class TreeLab:
    """One repository, and trees and commits in it made from what their files hold."""

    def __init__(self, folder: str) -> None:
        GitRepo(folder)
        self.repo = Repo.open(folder)
        self.objects = ObjectWriter(self.repo, Files(Durability.FAST))

    def merger(self) -> TreeMerger:
        rule = FileMerge(self.repo.blob, self.repo.size, self.objects.blob, content_rules())
        return TreeMerger(self.repo, rule, self.objects.tree)

    def entry(self, content: Content, mode: int = FILE) -> Entry:
        if isinstance(content, Entry):
            return content
        return Entry(mode, self.objects.blob(content.encode() if isinstance(content, str) else content))

    def commit(self, files: Tree, *parents: CommitId) -> CommitId:
        tree = self.objects.tree(None, {RepoPath(path): self.entry(content) for path, content in files.items()})
        return self.objects.commit(tree, parents, "made", author=ENGINE, time=START)

    def merge(self, ours: CommitId, theirs: CommitId) -> tuple[CommitId, list[tuple[str, ConflictKind]]]:
        """The merge commit as both machines make it, and the conflicts."""
        made = [self.merge_into(self.merger(), *sides) for sides in ((ours, theirs), (theirs, ours))]
        assert made[0][0] == made[1][0], (self.files(made[0][0]), self.files(made[1][0]))
        told = [_told(merge) for _, merge in made]
        assert told[0] == told[1]
        # Whoever had merged before merges nothing more: the other side's commits bring nothing that is not there.
        again = self.merger().commits(made[0][0], theirs)
        assert again.changes == {}
        return made[0][0], [(path, kind) for path, kind, _, _ in told[0]]

    def merge_into(self, merger: TreeMerger, ours: CommitId, theirs: CommitId) -> tuple[CommitId, TreeMerge]:
        """The canonical merge commit, as the machine that stands at `ours` makes it."""
        merge = merger.commits(ours, theirs)
        assert list(merge.changes) == sorted(merge.changes)
        tree = self.objects.tree(self.repo.tree(ours), merge.changes)
        return self.objects.commit(tree, sorted((ours, theirs)), "merge", author=ENGINE, time=START), merge

    def edited(self, commit: CommitId, changes: Mapping[str, Content | None]) -> CommitId:
        """A commit on top; None deletes."""
        files: dict[str, Content] = dict(self.repo.files(commit))
        for path, content in changes.items():
            if content is None:
                del files[path]
            else:
                files[path] = content
        return self.commit(files, commit)

    def files(self, commit: CommitId) -> Held:
        return {path: b"" if entry.mode == GITLINK else self.repo.blob(entry.id) for path, entry in self.repo.files(commit)}

    def modes(self, commit: CommitId) -> dict[str, int]:
        return {path: entry.mode for path, entry in self.repo.files(commit)}

    def three(self, base: Tree, ours: Tree, theirs: Tree) -> tuple[CommitId, list[tuple[str, ConflictKind]]]:
        root = self.commit(base)
        return self.merge(self.commit({**ours, "left.txt": "l\n"}, root), self.commit({**theirs, "right.txt": "r\n"}, root))

    def outcome(self, base: Tree, ours: Tree, theirs: Tree) -> tuple[Held, list[tuple[str, ConflictKind]]]:
        merged, conflicts = self.three(base, ours, theirs)
        held = self.files(merged)
        assert (held.pop("left.txt"), held.pop("right.txt")) == (b"l\n", b"r\n")
        return held, conflicts


def _told(merge: TreeMerge) -> list[tuple[str, ConflictKind, str, tuple[str, ...]]]:
    return sorted(
        ((c.path, c.kind, c.second or "", c.places) for c in merge.conflicts), key=lambda row: (row[0], row[1].name, row[2])
    )


class Hub:
    """Machines around one remote, each a branch without files; a sync is the merge and the push, or the fast-forward."""

    def __init__(self, lab: TreeLab, tips: Mapping[str, CommitId], tip: CommitId | None) -> None:
        self.lab = lab
        self.tips = dict(tips)
        self.tip = tip
        self.merger = lab.merger()

    def sync(self, name: str) -> None:
        repo, ours = self.lab.repo, self.tips[name]
        if self.tip is not None and not repo.contains(ours, self.tip):
            ours = self.tip if repo.contains(self.tip, ours) else self.lab.merge_into(self.merger, ours, self.tip)[0]
        self.tips[name] = self.tip = ours

    def edit(self, name: str, changes: Mapping[str, Content | None]) -> None:
        self.tips[name] = self.lab.edited(self.tips[name], changes)
