"""Traces: where in history something that is to be forgotten stands. Reads only; an unchanged folder is looked into once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memtree.engine.repo import CommitInfo, Repo
from memtree.tree.forgetting import Forgetting
from memtree.tree.objects import FOLDER, CommitId, Entry
from memtree.tree.paths import RepoPath

REMOTES = "refs/remotes/"
TRAILER = "Memtree-Forgets"  # of a commit that forgets something


@dataclass(frozen=True, slots=True)
class Pushed:
    """A remote branch, as last heard of, whose history holds it: since which commit, and whether its newest one still does."""

    branch: str
    since: CommitId
    time: int
    newest: bool


class Traces:
    """Answers for one forgetting, within the paths that belong to the workspace."""

    def __init__(self, repo: Repo, forgetting: Forgetting, belongs: Callable[[str], bool]) -> None:
        self._repo = repo
        self._forgetting = forgetting
        self._belongs = belongs
        self._blobs: dict[tuple[str, bool], bool] = {}
        self._trees: dict[tuple[str, str], bool] = {}

    def holds(self, path: RepoPath, entry: Entry) -> bool:
        """Whether a file in some version holds it."""
        if not entry.is_file or not self._forgetting.reaches(path) or not self._belongs(path):
            return False
        # What counts as text is told by the name too.
        key = entry.id, path.suffix == ".md"
        if key not in self._blobs:
            data = self._repo.blob(entry.id)
            self._blobs[key] = self._forgetting.applied(path, data) != data
        return self._blobs[key]

    def in_tree(self, tree: str, prefix: str = "") -> bool:
        key = tree, prefix
        if key not in self._trees:
            self._trees[key] = any(self._in_entry(f"{prefix}{name}", one) for name, one in self._repo.items(tree).items())
        return self._trees[key]

    def _in_entry(self, path: str, entry: Entry) -> bool:
        return self.in_tree(entry.id, f"{path}/") if entry.mode == FOLDER else self.holds(RepoPath(path), entry)

    def in_commit(self, info: CommitInfo) -> bool:
        """Whether a commit's files or its message hold it."""
        message = info.message.encode("utf-8", "surrogateescape")
        return self.in_tree(info.tree) or self._forgetting.in_message(message) != message

    def files(self, tree: str, prefix: str = "") -> Iterator[tuple[RepoPath, Entry]]:
        """The files of a tree that hold it."""
        if not self.in_tree(tree, prefix):
            return
        for name, entry in self._repo.items(tree).items():
            if entry.mode == FOLDER:
                yield from self.files(entry.id, f"{prefix}{name}/")
            elif self.holds(RepoPath(prefix + name), entry):
                yield RepoPath(prefix + name), entry

    def unpushed(self, tips: Iterable[CommitId]) -> list[CommitInfo]:
        """The commits that hold it and that no remote is known to have, newest first."""
        return [info for info in self._repo.walk(tips, hide=self._remote_tips()) if self.in_commit(info)]

    def pushed(self) -> tuple[Pushed, ...]:
        """The remote branches whose history holds it."""
        found = []
        for ref, tip in sorted(self._repo.refs(REMOTES).items()):
            holding = [info for info in self._repo.walk([tip]) if self.in_commit(info)]
            if holding and not ref.endswith("/HEAD"):
                first = holding[-1]
                found.append(Pushed(ref.removeprefix(REMOTES), first.id, first.time, self.in_tree(self._repo.tree(tip))))
        return tuple(found)

    def elsewhere(self, ref: str) -> Iterator[str]:
        """The other branches, tags and stashes here that hold it and are not rewritten, by name."""
        for name, tip in sorted(self._repo.refs("refs/").items()):
            if name != ref and not name.startswith(REMOTES) and self.unpushed([tip]):
                yield name.removeprefix("refs/").replace("heads/", "branch ", 1).replace("tags/", "tag ", 1)

    def _remote_tips(self) -> list[CommitId]:
        return list(self._repo.refs(REMOTES).values())


def forgets_something(repo: Repo, before: CommitId | None, after: CommitId | None) -> bool:
    """Whether among the commits that came between two tips some forgot a text: indexes must then be cleaned, not only caught up."""
    if after is None or before == after:
        return False
    arrived = repo.walk([after], hide=[before] if before is not None else [])
    return any("forgets" in info.trailers for info in arrived)
