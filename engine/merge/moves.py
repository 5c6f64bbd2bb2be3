"""Moves of files and folders on one side of a merge: which deleted file goes on under which added path.

The same front-matter `id` tells, then identical content, then likeness (renames.py). A folder has moved when it is gone and most of
the files that were in it went to one other folder under their old names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from memtree.engine.renames import paired
from memtree.engine.repo import Repo
from memtree.tree.document import Document
from memtree.tree.kinds import is_markdown
from memtree.tree.objects import Change, ChangeKind
from memtree.tree.paths import RepoPath

_LARGEST = 1 << 20  # bytes; a larger note is not read for its id


def moves(repo: Repo, changes: Iterable[Change]) -> dict[RepoPath, RepoPath]:
    """Old path to new path, from the changes of one side."""
    listed = list(changes)
    found = _by_id(repo, listed)
    moved = {*found, *found.values()}
    rest = [change for change in listed if change.path not in moved]
    for change in paired(repo, rest):
        if change.old_path is not None:
            found[change.old_path] = change.path
    return found


def _by_id(repo: Repo, changes: list[Change]) -> dict[RepoPath, RepoPath]:
    gone = _ids(repo, ((c.path, c.before) for c in changes if c.kind is ChangeKind.DELETED))
    new = _ids(repo, ((c.path, c.after) for c in changes if c.kind is ChangeKind.ADDED)) if gone else {}
    return {paths[0]: new[key][0] for key, paths in gone.items() if len(paths) == 1 == len(new.get(key, ()))}


def _ids(repo: Repo, files: Iterable[tuple[RepoPath, object]]) -> dict[str, list[RepoPath]]:
    """The notes by the id that their front matter gives them."""
    found: dict[str, list[RepoPath]] = {}
    for path, entry in files:
        blob = getattr(entry, "id", "")
        if not blob or not is_markdown(path) or repo.size(blob) > _LARGEST:
            continue
        data = repo.blob(blob)
        if data.startswith((b"---", b"\xef\xbb\xbf---")) and (key := Document.parse(data).front_matter().text("id")):
            found.setdefault(key, []).append(path)
    return found


def folder_moves(moved: Mapping[RepoPath, RepoPath], is_gone: Callable[[str], bool]) -> dict[str, str]:
    """Old folder to new folder, where most of what was in the old one went and nothing is left of it."""
    votes: dict[str, Counter[str]] = {}
    for old, new in moved.items():
        before, after = old.split("/"), new.split("/")
        while len(before) > 1 and after and before[-1] == after[-1]:
            before.pop()
            after.pop()
            votes.setdefault("/".join(before), Counter())["/".join(after)] += 1
    return {
        folder: min(targets, key=lambda target: (-targets[target], target)) for folder, targets in votes.items() if is_gone(folder)
    }


def moved_along(path: RepoPath, folders: Mapping[str, str]) -> RepoPath | None:
    """Where a new file goes whose folder has moved on the other side; None where that has not happened."""
    folder = path.folder
    while folder:
        if folder in folders:
            return RepoPath(f"{folders[folder]}/{path[len(folder) + 1 :]}".removeprefix("/"))
        folder = RepoPath(folder).folder
    return None
