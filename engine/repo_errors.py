"""What can be wrong with a repository, and what libgit2's words for it mean."""

from __future__ import annotations

from typing import Protocol

from memtree.tree.errors import CorruptionError, Error, StateError, UserError


class Lookup(Protocol):
    """Git's settings, by key; a missing one raises KeyError."""

    def __getitem__(self, key: str, /) -> object: ...


class NotARepository(UserError):
    """No usable git repository at this path."""


class UnsupportedRepository(UserError):
    """A repository format that the store cannot keep its promises on."""


class UnknownRevision(UserError):
    def __init__(self, text: str) -> None:
        super().__init__(f"unknown revision {text!r}", hint="memtree log shows the commits; HEAD~1 is the one before the last")
        self.text = text


class MissingObject(CorruptionError):
    def __init__(self, object_id: str) -> None:
        super().__init__(f"object {object_id} is missing or damaged", hint="run git fsck, or restore the repository from a remote")


class DamagedRef(CorruptionError):
    """A file that names a commit cannot be read: a power loss tore it, when a program wrote it without a sync."""

    def __init__(self, ref: str, reason: str) -> None:
        where = "the next sync makes it again" if ref.startswith("refs/remotes/") else f".git/logs/{ref} says where it stood"
        super().__init__(f"{ref} does not name a commit ({reason})", hint=f"remove the file .git/{ref}: {where}")
        self.ref = ref


def cannot_open(folder: str, reason: str) -> UserError:
    """The error for a folder that libgit2 would not open."""
    if "not owned by current user" in reason:
        return UnsupportedRepository(
            f"{folder} belongs to another user",
            hint=f"if you trust it: git config --global --add safe.directory {folder}",
        )
    unknown = ("repository version", "unknown object format", "unknown ref storage")
    if ("unsupported" in reason and "extension" in reason) or any(mark in reason for mark in unknown):
        return UnsupportedRepository(
            f"{folder} uses a repository format that memtree cannot write ({reason})",
            hint="sha256, reftable and partial-clone repositories are not supported; clone into an ordinary one",
        )
    return NotARepository(f"{folder} is not a git repository", hint="run memtree init there, or memtree clone URL PATH")


def unreadable_index(reason: str) -> Error:
    """The error for a git index that libgit2 would not read."""
    if "extension" in reason and "link" in reason:
        return StateError("the git index is split", hint="run: git update-index --no-split-index")
    if "extension" in reason:
        return StateError(f"the git index has a form that memtree cannot read ({reason})", hint="use an ordinary index")
    return CorruptionError(
        f"git's view of the files cannot be read ({reason})",
        hint="git status may say more; git rebuilds a damaged index: rm .git/index && git reset",
    )


def refuse_formats(config: Lookup) -> None:
    """Raise UnsupportedRepository for the formats that libgit2 opens, or may one day open, and the store must not write."""
    for key, what in (("extensions.objectformat", "sha1"), ("extensions.refstorage", "files")):
        try:
            value = str(config[key])
        except KeyError:
            continue
        if value != what:
            raise UnsupportedRepository(
                f"the repository stores {key.removeprefix('extensions.')} as {value}; memtree needs {what}",
                hint="make an ordinary repository and pull this one into it",
            )
