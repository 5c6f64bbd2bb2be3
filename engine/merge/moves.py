"""Moves of files and folders on one side of a merge: which deleted file goes on under which added path.

The same front-matter `id` tells, then identical content, then likeness (renames.py). A folder has moved when it is gone and most of
the files that were in it went to one other folder under their old names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from memtree.engine.renames import likeness, paired
from memtree.engine.repo import Repo
from memtree.tree.document import Document
from memtree.tree.kinds import is_markdown
from memtree.tree.objects import Change, ChangeKind, Entry
from memtree.tree.paths import RepoPath

_ANOTHER = 0.5  # less alike than this, a file's new content is another file's
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


def replaced(repo: Repo, changes: Mapping[RepoPath, Change], other: Mapping[RepoPath, Change]) -> dict[RepoPath, RepoPath]:
    """Old path to new path of files that went on under another name where something new took a name: an archive was begun, two
    notes changed names.

    Only where the other side touched the old path: its edit belongs to what stood there. The same content tells, or the id.
    """
    sources = [c for path, c in changes.items() if c.kind is not ChangeKind.ADDED and path in other]
    if not sources:
        return {}
    found = _by_content(repo, sources, changes)
    known = {*found, *found.values()}
    found |= {old: new for old, new in _by_changed_id(repo, sources, changes).items() if known.isdisjoint((old, new))}
    while True:
        # Over a file that the other side goes on with nothing is put, unless that one is known to stand elsewhere too.
        lost = [old for old, new in found.items() if changes[new].kind is ChangeKind.MODIFIED and new in other and new not in found]
        if not lost:
            return found
        for old in lost:
            del found[old]


def _by_content(repo: Repo, sources: list[Change], changes: Mapping[RepoPath, Change]) -> dict[RepoPath, RepoPath]:
    wanted = {change.before for change in sources}
    there: dict[Entry | None, list[Change]] = {}
    for _, change in sorted(changes.items()):
        if change.after in wanted and change.after is not None and change.after.is_file and repo.size(change.after.id):
            there.setdefault(change.after, []).append(change)
    found = {}
    for source in sorted(sources, key=lambda change: change.path):
        new = [target for target in there.get(source.before, ()) if source.after is not None or target.before is not None]
        if new and likeness(repo, source.before, source.after) < _ANOTHER:
            found[source.path] = new[0].path
            there[source.before].remove(new[0])
    return found


def _by_changed_id(repo: Repo, sources: list[Change], changes: Mapping[RepoPath, Change]) -> dict[RepoPath, RepoPath]:
    kept = [change for change in sources if change.after is not None]
    before, after = _ids(repo, ((c.path, c.before) for c in kept)), _ids(repo, ((c.path, c.after) for c in kept))
    left = {key: paths[0] for key, paths in before.items() if len(paths) == 1 and paths != after.get(key)}
    new = _ids(repo, ((c.path, c.after) for c in changes.values() if c.kind is ChangeKind.ADDED)) if left else {}
    places = {key: [*new.get(key, ()), *after.get(key, ())] for key in left}
    return {path: places[key][0] for key, path in left.items() if len(places[key]) == 1}


def _by_id(repo: Repo, changes: list[Change]) -> dict[RepoPath, RepoPath]:
    gone = _ids(repo, ((c.path, c.before) for c in changes if c.kind is ChangeKind.DELETED))
    new = _ids(repo, ((c.path, c.after) for c in changes if c.kind is ChangeKind.ADDED)) if gone else {}
    return {paths[0]: new[key][0] for key, paths in gone.items() if len(paths) == 1 == len(new.get(key, ()))}


def _ids(repo: Repo, files: Iterable[tuple[RepoPath, Entry | None]]) -> dict[str, list[RepoPath]]:
    """The notes by the id that their front matter gives them."""
    found: dict[str, list[RepoPath]] = {}
    for path, entry in files:
        if entry is None or not entry.is_file or not is_markdown(path) or repo.size(entry.id) > _LARGEST:
            continue
        data = repo.blob(entry.id)
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
