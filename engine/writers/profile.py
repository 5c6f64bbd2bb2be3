"""The profile: what is learned goes into the files of its facets; people look at it, pin entries, and have them forgotten.

What was edited there by hand is committed first and merged with, never overwritten. A message never says what an entry says.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.incoming import refuse_unportable
from memtree.engine.store.report import CommitReport
from memtree.engine.writers.on_disk import settled
from memtree.tree.errors import CorruptionError, Error, StateError, TransientError, UserError
from memtree.tree.facets import FACETS, LONGEST_KEY, Observation, normal_key
from memtree.tree.paths import RepoPath
from memtree.tree.profile_entries import Entry, ProfileFile
from memtree.tree.profile_file import MOST_LEARNED, pinned, with_learning, with_observations, without_key

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

FOLDER = "profile"
LARGEST = 1 << 20  # bytes of a file that is still read and added to
_HELD = "{} is held back (memtree status): this is committed, and comes to the file when that is"


class ProfileUnreadable(UserError):
    """Where a facet's file should be stands something that is not read as one."""

    def __init__(self, path: RepoPath, reason: str) -> None:
        super().__init__(f"{path} {reason}", hint="put a markdown file in its place, or move it away")


class UnknownFacet(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no facet {name!r} of a profile", hint=f"the facets are {', '.join(FACETS)}")


class UnknownKey(UserError):
    """No entry of the facet has this key."""

    def __init__(self, facet: str, key: str, known: Sequence[str], what: str = "entry") -> None:
        near = difflib.get_close_matches(key, known, 1, 0.6)
        told = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}" if known else "there is none yet"
        super().__init__(f"the profile has no {what} {key!r} under {facet}", hint=told)


class UnfitKey(UserError):
    def __init__(self) -> None:
        super().__init__(
            f"a key has at most {LONGEST_KEY} characters on one line, letters or digits among them",
            hint="memtree profile list shows the keys there are",
        )


class ProfileEdits(NamedTuple):
    """The files that change, and what keeps others from it."""

    files: dict[RepoPath, bytes]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProfileItem:
    """An entry as it stands: `sort` is learned, edited or own; `count` and `last_seen` of what speaks for it ('' for unknown)."""

    key: str
    value: str
    sort: str
    pinned: bool
    count: int
    last_seen: str
    line: int


@dataclass(frozen=True, slots=True)
class FacetView:
    """A facet's entries in the order of its file, and the keys that are not learned."""

    facet: str
    path: RepoPath
    items: tuple[ProfileItem, ...]
    forgotten: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProfileView:
    facets: tuple[FacetView, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileReport:
    """What a change did; `message` is for whoever asked, `changed` is False when all was so already."""

    message: str
    facet: str
    key: str
    path: RepoPath
    changed: bool
    commit: CommitReport
    notes: tuple[str, ...] = ()


# -- learning


def profile_edits(read: Callable[[RepoPath], bytes | None], content_root: str, observations: Sequence[Observation]) -> ProfileEdits:
    """What observations make of the files of a profile, each seen through `read`, None for one that is not there.

    A file that cannot take them is left alone and told, also where `read` raises ProfileUnreadable.
    """
    files: dict[RepoPath, bytes] = {}
    notes: list[str] = []
    for facet in FACETS:
        own = [one for one in observations if one.facet == facet]
        if not own:
            continue
        path = profile_path(content_root, facet)
        try:
            data = _checked(path, read(path))
            made = with_observations(data, facet, own)
        except UserError as error:
            notes.append(f"nothing was learned under {facet}: {error}")
            continue
        if made and made != data:
            files[path] = made
        file = ProfileFile(made)
        left = {one.key for one in own if file.of(one.key) is None and one.key not in file.forgotten}
        if left and sum(1 for entry in file.entries if entry.evidence) >= MOST_LEARNED:
            notes.append(f"{path} has {MOST_LEARNED} learned entries, the most: nothing new is learned (memtree profile forget)")
    return ProfileEdits(files, tuple(notes))


def profile_path(content_root: str, facet: str) -> RepoPath:
    """The file of a facet."""
    return RepoPath("/".join(part for part in (content_root, FOLDER, f"{facet}.md") if part))


def profile_at_tip(workspace: Workspace, path: RepoPath) -> bytes | None:
    """The committed file, None where there is none. Raise ProfileUnreadable."""
    found = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), path)
    if found is None:
        return None
    if not found.is_file:
        raise ProfileUnreadable(path, "is a symbolic link or a folder")
    if workspace.repo.size(found.id) > LARGEST:
        raise ProfileUnreadable(path, f"has more than {LARGEST:,} bytes")
    return workspace.store.working_copy.contents(path, found)


def _checked(path: RepoPath, data: bytes | None) -> bytes | None:
    if data is None:
        return None
    if len(data) > LARGEST:
        raise ProfileUnreadable(path, f"has more than {LARGEST:,} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ProfileUnreadable(path, "is not text in UTF-8") from error
    if "\0" in text:
        raise ProfileUnreadable(path, "is not text in UTF-8")
    return data


# -- looking


def list_profile(workspace: Workspace, facets: Iterable[str] = ()) -> ProfileView:
    """The profile as it is now, edits of a moment ago included; of `facets` alone where some are named. Raise UnknownFacet."""
    wanted = [_facet(name) for name in facets] or list(FACETS)
    notes: list[str] = []
    paths = {facet: profile_path(workspace.settings.content, facet) for facet in FACETS if facet in wanted}
    try:
        workspace.capture.take(automatic=True, only=tuple(paths.values()))
    except (StateError, TransientError, CorruptionError) as error:
        notes.append(f"recent edits of the profile are not seen: {error}")
    found: list[FacetView] = []
    for facet, path in paths.items():
        try:
            data = _checked(path, profile_at_tip(workspace, path))
        except ProfileUnreadable as error:
            notes.append(str(error))
            continue
        if data is not None:
            file = ProfileFile(data)
            items = tuple(_item(entry) for entry in file.entries if entry.key or entry.value)
            found.append(FacetView(facet, path, items, tuple(file.forgotten)))
    return ProfileView(tuple(found), tuple(notes))


def _item(entry: Entry) -> ProfileItem:
    sort = "edited" if entry.edited else "learned" if entry.evidence else "own"
    return ProfileItem(entry.key, entry.value, sort, entry.pinned, entry.count, entry.last_seen, entry.first_line)


# -- changing


def pin_entry(workspace: Workspace, facet: str, key: str, *, pin: bool = True, trailers: str = "") -> ProfileReport:
    """Commit that nothing learned changes an entry, or with `pin` False that it may. Raise UnknownFacet, UnknownKey, UnfitKey."""

    def change(data: bytes, name: str, sought: str) -> bytes:
        file = ProfileFile(data)
        entry = file.of(sought)
        if entry is None:
            raise UnknownKey(name, sought, _keys(file))
        return data if entry.pinned is pin else pinned(data, entry, pin=pin)

    said = ("Pinned {}.", "{} is pinned already.") if pin else ("Unpinned {}.", "{} is not pinned.")
    return _changed(workspace, facet, key, change, "pin" if pin else "unpin", said, trailers)


def forget_key(workspace: Workspace, facet: str, key: str, *, trailers: str = "") -> ProfileReport:
    """Commit the profile without an entry, which is not learned again. Raise UnknownFacet, UnfitKey."""
    known = False

    def change(data: bytes, name: str, sought: str) -> bytes:
        nonlocal known
        known = sought in _keys(ProfileFile(data))
        return without_key(data, name, sought)

    said = ("Forgot {}; it is not learned again.", "{} is forgotten already.")
    report = _changed(workspace, facet, key, change, "forget", said, trailers)
    if known or not report.changed:
        return report
    # Who mistyped a key would believe that something is gone.
    return replace(report, message=f"There was no entry {report.facet}/{report.key}; it will not be learned.")


def learn_key_again(workspace: Workspace, facet: str, key: str, *, trailers: str = "") -> ProfileReport:
    """Commit that what was forgotten may be learned again. Raise UnknownFacet, UnknownKey, UnfitKey."""

    def change(data: bytes, name: str, sought: str) -> bytes:
        known = list(ProfileFile(data).forgotten)
        if sought not in known:
            raise UnknownKey(name, sought, known, "forgotten key")
        return with_learning(data, sought)

    return _changed(
        workspace,
        facet,
        key,
        change,
        "learn again",
        ("{} may be learned again, from what is said from now on.", "{} is learned."),
        trailers,
    )


def _changed(
    workspace: Workspace,
    facet: str,
    key: str,
    change: Callable[[bytes, str, str], bytes],
    verb: str,
    said: tuple[str, str],
    trailers: str,
) -> ProfileReport:
    facet, key = _facet(facet), _key(workspace, key)
    path = profile_path(workspace.settings.content, facet)
    workspace.capture.take(automatic=True, only=(path,))
    changed = False

    def contents() -> dict[RepoPath, bytes | None]:
        nonlocal changed
        refuse_unportable(workspace.repo, workspace.repo.tip(workspace.settings.ref), path)
        data = _checked(path, profile_at_tip(workspace, path)) or b""  # under the lock: what was learned meanwhile is seen
        made = change(data, facet, key)
        changed = made != data
        return {path: made} if changed else {}

    own = "" if "Memtree-Writer:" in trailers else "Memtree-Writer: cli\n"
    message = f"{verb} an entry of the profile\n\n{own}{trailers.strip()}".rstrip() + "\n"
    commit = workspace.store.write(contents, message=message)
    notes = () if _is_on_disk(workspace, path) else (_HELD.format(path),)
    return ProfileReport(said[0 if changed else 1].format(f"{facet}/{key}"), facet, key, path, changed, commit, notes)


def _is_on_disk(workspace: Workspace, path: RepoPath) -> bool:
    def same() -> bool:
        found = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), path)
        try:
            return workspace.store.working_copy.content(path) == (workspace.repo.blob(found.id) if found is not None else None)
        except (Error, OSError):
            return False

    return settled(workspace, same)


def _keys(file: ProfileFile) -> list[str]:
    return [entry.key for entry in file.entries if entry.key]


def _facet(name: str) -> str:
    facet = normal_key(name.removesuffix(".md"))
    if facet not in FACETS:
        raise UnknownFacet(name)
    return facet


def _key(workspace: Workspace, name: str) -> str:
    key = normal_key(name)
    fits = len(key) <= LONGEST_KEY and key.isprintable() and any(char.isalnum() for char in key)
    if not fits or workspace.redactor.text(name) != name:  # it is written into the file
        raise UnfitKey
    return key
