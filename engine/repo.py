"""Repo: the git repository behind a workspace, read and fed with objects. The only module that imports pygit2.

It never moves a ref, never touches the index and never writes a user's file: that is the store's work. Foreign exceptions are
translated here.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import pygit2
from pygit2.enums import FileStatus as FileStatus
from pygit2.enums import ObjectType, RepositoryInitFlag, SortMode

from memtree.engine.commit_info import ENGINE as ENGINE
from memtree.engine.commit_info import CommitInfo as CommitInfo
from memtree.engine.commit_info import Person as Person
from memtree.engine.git_files import common_folder
from memtree.engine.moving_files import at_second_sight, steadily, while_git_packs
from memtree.engine.repo_errors import (
    DamagedRef,
    MissingObject,
    UnknownRevision,
    UnsupportedRepository,
    cannot_open,
    refuse_formats,
    unreadable_index,
)
from memtree.engine.tree_objects import entries_of, entry_of, parsed
from memtree.tree.errors import StateError
from memtree.tree.objects import FOLDER, BlobId, CommitId, Entry, TreeId
from memtree.tree.paths import RepoPath

# libgit2 caches trees only up to 4 KB by default, so a folder of more than about 60 files is inflated again at every look.
pygit2.settings.cache_object_limit(ObjectType.TREE, 1 << 20)
pygit2.settings.cache_max_size(32 << 20)  # of 256 MB, which a process that stays would fill, a few KB with each commit


class Repo:
    """An open repository. Holds no lock; every read sees what other processes have written.

    Threads may share it: each gets a handle of its own, because libgit2's are not for several at once.
    """

    def __init__(self, handle: pygit2.Repository) -> None:
        self._handles = threading.local()
        self._handles.own = handle
        self.folder = (handle.workdir or "").rstrip("/")
        self.git_folder = handle.path.rstrip("/")
        self.common_folder = common_folder(self.git_folder)

    @classmethod
    def open(cls, folder: str) -> Repo:
        """Open the repository whose work tree is `folder`; raise NotARepository or UnsupportedRepository."""
        handle = _opened(folder)
        if handle.is_bare:
            raise UnsupportedRepository(
                f"{folder} is a bare repository", hint="clone it: memtree clone URL PATH gives a workspace with files"
            )
        refuse_formats(handle.config.snapshot())
        return cls(handle)

    @classmethod
    def create(cls, folder: str, *, git_folder: str | None, branch: str) -> Repo:
        """Make an empty repository for `folder`, its git directory elsewhere when `git_folder` is given."""
        if git_folder is None:
            pygit2.init_repository(folder, initial_head=branch)
        else:
            # Leaves the link to it in the work tree by itself.
            flags = RepositoryInitFlag.NO_DOTGIT_DIR | RepositoryInitFlag.MKPATH
            where = os.path.abspath(git_folder), os.path.abspath(folder)
            pygit2.init_repository(where[0], flags=flags, initial_head=branch, workdir_path=where[1])
        return cls.open(folder)

    @property
    def _git(self) -> pygit2.Repository:
        handles = self._handles
        try:
            return handles.own  # type: ignore[no-any-return]
        except AttributeError:
            handles.own = _opened(self.folder)
            return handles.own  # type: ignore[no-any-return]

    # -- refs
    def head(self) -> str:
        """The full ref HEAD points to, or '' when it is detached."""
        with open(os.path.join(self.git_folder, "HEAD"), encoding="utf-8") as file:
            text = file.read().strip()
        return text.removeprefix("ref: ") if text.startswith("ref: ") else ""

    def tip(self, ref: str = "HEAD") -> CommitId | None:
        """The commit a ref stands at, or None when it does not exist (an unborn branch). Raise DamagedRef."""
        try:
            found = self._git.references.get(ref)
        except pygit2.GitError as error:
            raise DamagedRef(ref, str(error)) from error
        if found is None:
            return None
        try:
            return CommitId(str(found.resolve().target))
        except (pygit2.GitError, KeyError):
            return None

    def refs(self, prefix: str) -> dict[str, CommitId]:
        found = ((name, self.tip(name)) for name in self._git.references if name.startswith(prefix))
        return {name: tip for name, tip in found if tip is not None}

    def drop_ref(self, ref: str) -> None:
        """Remove a ref that is no branch, packed or not; fine when it is gone."""
        with contextlib.suppress(KeyError):
            self._git.references.delete(ref)

    def busy_with(self) -> str:
        """The name of a merge, rebase, pick or bisect of the user's in progress, or ''."""
        marks = {
            "MERGE_HEAD": "merge",
            "CHERRY_PICK_HEAD": "cherry-pick",
            "REVERT_HEAD": "revert",
            "rebase-merge": "rebase",
            "rebase-apply": "rebase",
            "sequencer": "cherry-pick or revert",
        }
        return next((what for mark, what in marks.items() if os.path.lexists(os.path.join(self.git_folder, mark))), "")

    def resolve(self, text: str) -> CommitId:
        """The commit that a revision names; raise UnknownRevision."""
        try:
            found = self._git.revparse_single(text).peel(pygit2.Commit)
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise UnknownRevision(text) from error
        return CommitId(str(found.id))

    # -- reading objects
    def commit(self, commit: CommitId) -> CommitInfo:
        return _info(self._object(commit).peel(pygit2.Commit))

    def has_commit(self, commit: CommitId) -> bool:
        try:
            return isinstance(self._git.get(commit), pygit2.Commit)
        except (ValueError, pygit2.GitError):
            return False

    def blob(self, blob: str) -> bytes:
        return self._object(blob).peel(pygit2.Blob).data

    def size(self, blob: str) -> int:
        """A blob's size in bytes, without reading its content."""
        try:
            return int(self._git.odb.read_header(blob)[1])
        except (KeyError, pygit2.GitError) as error:
            raise MissingObject(blob) from error

    def tree(self, commit: CommitId) -> TreeId:
        return TreeId(str(self._object(commit).peel(pygit2.Commit).tree_id))

    def items(self, tree: str) -> dict[str, Entry]:
        """What one tree object holds, by name; names that are not UTF-8 carry surrogates."""
        return parsed(self._raw_tree(tree))

    def _raw_tree(self, tree: str) -> bytes:
        try:
            return bytes(self._git.odb.read(tree)[1])
        except (KeyError, pygit2.GitError) as error:
            raise MissingObject(tree) from error

    def differing(self, before: str | None, after: str | None) -> Iterator[tuple[str, Entry | None, Entry | None]]:
        """The names under which two tree objects differ, with what each holds there; None is the empty tree.

        Only what differs is made into values: in folders of hundreds of files that is most of the time of a diff.
        """
        old, new = (
            {name: (mode, key) for mode, name, key in entries_of(self._raw_tree(tree))} if tree else {} for tree in (before, after)
        )
        for name in {name for name, _ in old.items() ^ new.items()}:
            yield name.decode("utf-8", "surrogateescape"), entry_of(old.get(name)), entry_of(new.get(name))

    def entry(self, commit: CommitId | None, path: str) -> Entry | None:
        """What a commit holds under a path, folders included; None when there is nothing."""
        return None if commit is None else self.entry_in(self.tree(commit), path)

    def entry_in(self, tree: str | None, path: str) -> Entry | None:
        """The same for a tree; None stands for the empty one."""
        if tree is None:
            return None
        try:
            found = self._object(tree).peel(pygit2.Tree)[path]
        except KeyError:
            return None
        return Entry(int(found.filemode), str(found.id))

    def files(self, commit: CommitId | None, folder: str = "") -> Iterator[tuple[RepoPath, Entry]]:
        """Every file, link and gitlink of a commit in git's order, below `folder` when one is given."""
        yield from self.files_in(self.tree(commit) if commit is not None else None, folder)

    def files_in(self, tree: str | None, folder: str = "") -> Iterator[tuple[RepoPath, Entry]]:
        """The same for a tree."""
        top = self.entry_in(tree, folder) if folder or tree is None else Entry(FOLDER, tree)
        if top is not None and top.mode == FOLDER:
            yield from self._files(top.id, f"{folder}/" if folder else "")

    def _files(self, tree: str, prefix: str) -> Iterator[tuple[RepoPath, Entry]]:
        for name, entry in self.items(tree).items():
            if entry.mode == FOLDER:
                yield from self._files(entry.id, f"{prefix}{name}/")
            else:
                yield RepoPath(prefix + name), entry

    # -- history
    def walk(self, tips: Iterable[CommitId], *, hide: Iterable[CommitId] = ()) -> Iterator[CommitInfo]:
        """Commits reachable from `tips` and not from `hide`, children before parents, newest first."""
        walker = self._git.walk(None, SortMode.TOPOLOGICAL | SortMode.TIME)
        for tip in tips:
            walker.push(pygit2.Oid(hex=tip))
        for commit in hide:
            walker.hide(pygit2.Oid(hex=commit))
        for found in walker:
            yield _info(found)

    def merge_bases(self, one: CommitId, two: CommitId) -> list[CommitId]:
        """Every best common ancestor, sorted by id: several where histories were merged crosswise, none where unrelated."""
        if one == two:
            return [one]
        own = {info.id: info.parents for info in self.walk([one], hide=[two])}
        if not own:
            return [one]  # an ancestor of the other
        shared = {parent for parents in own.values() for parent in parents if parent not in own}
        return sorted(base for base in shared if not any(other != base and self.contains(other, base) for other in shared))

    def contains(self, tip: CommitId | None, commit: CommitId | None) -> bool:
        """Whether `commit` is `tip` or one of its ancestors; an unborn side contains only nothing."""
        if commit is None or tip == commit:
            return True
        return tip is not None and self._git.descendant_of(pygit2.Oid(hex=tip), pygit2.Oid(hex=commit))

    def ahead_behind(self, ours: CommitId, theirs: CommitId) -> tuple[int, int]:
        ahead, behind = self._git.ahead_behind(pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs))
        return int(ahead), int(behind)

    # -- writing objects
    @staticmethod
    def hash_blob(data: bytes) -> BlobId:
        return BlobId(str(pygit2.hash(data)))

    def create_blob(self, data: bytes) -> BlobId:
        try:
            return BlobId(str(while_git_packs(lambda: self._git.create_blob(data))))
        except pygit2.GitError as error:
            raise self._unwritable(error, len(data)) from error

    def create_tree(self, base: str | None, changes: Mapping[str, Entry | None]) -> TreeId:
        """The tree `base` with some direct children replaced (an entry) or removed (None); every other child is kept."""
        builder = self._git.TreeBuilder(base) if base is not None else self._git.TreeBuilder()
        for name, entry in changes.items():
            if entry is not None:
                builder.insert(name, entry.id, entry.mode)
            elif builder.get(name) is not None:
                builder.remove(name)
        try:
            return TreeId(str(while_git_packs(builder.write)))
        except pygit2.GitError as error:
            raise self._unwritable(error, 1 << 16) from error

    def create_commit(self, tree: TreeId, parents: Iterable[CommitId], message: str, *, author: Person, time: int) -> CommitId:
        """Create a commit that no ref names yet. The time is UTC."""
        signature = pygit2.Signature(author.name, author.email, time, 0)
        values = (None, signature, signature, message, tree, list(parents))
        try:
            return CommitId(str(while_git_packs(lambda: self._git.create_commit(*values))))
        except pygit2.GitError as error:
            raise self._unwritable(error, 1 << 12) from error

    def _unwritable(self, error: pygit2.GitError, size: int) -> Exception:
        """Why an object could not be written. libgit2 often gives an older error; writing as much ourselves tells."""
        probe = os.path.join(self.common_folder, "objects", "tmp_obj_memtree")
        try:
            with open(probe, "wb") as file:
                file.write(os.urandom(size))
        except OSError as cause:
            return cause
        finally:
            with contextlib.suppress(OSError):
                os.unlink(probe)
        return StateError(f"git could not store an object ({error})", hint="check who owns .git/objects, and run memtree doctor")

    def pack_loose(self) -> int:
        """Put loose objects into one pack and remove those that the pack is seen to hold; return how many.

        For machines without the git program. The caller holds the write lock.
        """
        objects = os.path.join(self.common_folder, "objects")
        loose = [
            (folder.name + name, os.path.join(folder.path, name))
            for folder in os.scandir(objects)
            if folder.is_dir() and len(folder.name) == 2
            for name in os.listdir(folder.path)
            if len(name) == 38
        ]
        if not loose:
            return 0
        builder = pygit2.PackBuilder(self._git)
        for object_id, _ in loose:
            builder.add(pygit2.Oid(hex=object_id))
        builder.write(os.path.join(objects, "pack"))
        os.sync()  # the loose ones go only when the pack would survive a power loss
        packs = pygit2.Odb()
        packs.add_backend(pygit2.OdbBackendPack(objects), 1)
        held = [path for object_id, path in loose if object_id in packs]
        for path in held:
            os.unlink(path)
        return len(held)

    # -- the work tree as git sees it
    def touched(self, among: Iterable[str] | None = None) -> dict[str, FileStatus]:
        """Paths that differ between HEAD, index and disk (those `among`), untracked ones one by one, ignored ones left out."""
        try:
            return at_second_sight(lambda: self._touched(among))
        except pygit2.GitError as error:
            raise unreadable_index(str(error)) from error

    def _touched(self, among: Iterable[str] | None) -> dict[str, FileStatus]:
        git = self._git
        git.index.read(False)
        if among is None:
            return {path: FileStatus(flags) for path, flags in steadily(lambda: git.status(untracked_files="all")).items()}
        found = ((path, steadily(partial(_status, git, path))) for path in among)
        differing = {path: flags for path, flags in found if flags and not flags & FileStatus.IGNORED}
        # Of one file libgit2 tells also where the folder around it is ignored, and it with that.
        return {path: flags for path, flags in differing.items() if flags != FileStatus.WT_NEW or not self.is_ignored(path)}

    def is_ignored(self, path: str) -> bool:
        """Whether git passes over a path, were it not tracked: by a rule for itself, or for a folder above."""
        ends = (at + 1 for at, letter in enumerate(path) if letter == "/")
        return any(self._git.path_is_ignored(path[:end]) for end in ends) or self._git.path_is_ignored(path)

    def attribute(self, path: str, name: str) -> str | bool | None:
        return self._git.get_attr(path, name)

    # -- settings of git
    def config(self, key: str) -> str | None:
        """A value of git's configuration, read afresh from the files; None when it is not set. A name alone means yes."""
        try:
            value = self._git.config.snapshot()[key]
        except KeyError:
            return None
        return "true" if value is None else str(value)

    def set_config(self, key: str, value: str) -> None:
        try:
            self._git.config[key] = value
        except pygit2.GitError as error:
            hint = "check who owns .git/config; if no git program runs, remove .git/config.lock"
            raise StateError(f"git's settings could not be written ({error})", hint=hint) from error

    def author(self) -> Person:
        """Who commits here: git's user.name and user.email, else the engine itself."""
        return Person(self.config("user.name") or ENGINE.name, self.config("user.email") or ENGINE.email)

    def close(self) -> None:
        self._git.free()

    def _object(self, object_id: str) -> pygit2.Object:
        try:
            return self._git[object_id]
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise MissingObject(object_id) from error


def _status(git: pygit2.Repository, path: str) -> FileStatus:
    """What git says of one file; nothing of a name that it holds nowhere, or that is a folder's."""
    try:
        return FileStatus(git.status_file(path))
    except KeyError:
        return FileStatus.CURRENT
    except pygit2.AmbiguousError:  # a folder, or what stands in the place of one
        full = os.path.join(git.workdir, path)
        if path not in git.index and os.path.isdir(full) and not os.path.islink(full):
            return FileStatus.CURRENT
        return FileStatus(git.status(untracked_files="all").get(path, 0))


def _opened(folder: str) -> pygit2.Repository:
    try:
        return pygit2.Repository(folder)
    except pygit2.GitError as error:
        raise cannot_open(folder, str(error)) from error


def _info(found: pygit2.Commit) -> CommitInfo:
    return CommitInfo(
        id=CommitId(str(found.id)),
        tree=TreeId(str(found.tree_id)),
        parents=tuple(CommitId(str(parent)) for parent in found.parent_ids),
        author=Person(found.author.name, found.author.email or ""),
        time=found.commit_time,
        message=found.message,
    )
