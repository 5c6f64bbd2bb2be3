"""The merge driver: git's own merges (merge, pull, rebase, stash pop) make of one file what a sync would make of it.

Git asks it only about files that both sides changed; deletes, renames and second files are the next sync's business.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from memtree.engine import settings as settings_module
from memtree.engine.git import Git
from memtree.engine.merge.files import LARGEST, FileMerge
from memtree.engine.merge.outcome import Content
from memtree.engine.merge.rules import content_rules
from memtree.engine.settings import FILE_NAME, InvalidSettings
from memtree.tree.kinds import CONTENT_ROOT, is_markdown
from memtree.tree.objects import FILE, BlobId, Entry
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:  # git waits for every file: what the merge itself does not need is not loaded
    from memtree.engine.repo import Repo

NAME_KEY, DRIVER_KEY = "merge.memtree.name", "merge.memtree.driver"
_NAME = "merges notes as memtree does"
_OURS = "memtree merge-driver"
# Whatever keeps memtree from merging (not on this PATH, broken, a text it cannot merge), git's own markers stand in the file then:
# a driver that fails leaves our side alone there, which looks like a merge and is none. Above 128 git would give up altogether.
DRIVER = (
    f"{{ command -v memtree >/dev/null && {_OURS} --no-markers -- %O %A %B %P; }}"
    " || git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1"
)


def registered(repo: Repo) -> bool:
    """Whether git knows the driver; one that a person set up in its place counts."""
    driver = repo.config(DRIVER_KEY)
    return driver == DRIVER or (driver is not None and _OURS not in driver)


def register(repo: Repo) -> None:
    """Tell git about the driver, in this repository's own settings."""
    if not registered(repo):
        repo.set_config(NAME_KEY, _NAME)
        repo.set_config(DRIVER_KEY, DRIVER)


def merge_files(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes, content_root: str) -> Content | None:
    """What a sync makes of the three; of notes that it would keep as two files, one with both. None where there must be two."""
    blobs: dict[str, bytes] = {}

    def store(data: bytes) -> BlobId:
        found = BlobId(hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest())
        blobs[found] = data
        return found

    def entry(data: bytes) -> Entry:
        return Entry(FILE, store(data))

    merge = FileMerge(blobs.__getitem__, lambda blob: len(blobs[blob]), store, content_rules(content_root))
    merged = merge(path, entry(base) if base is not None else None, entry(ours), entry(theirs))
    assert merged.entry is not None
    if not merged.extra:
        conflict = merged.conflict
        return Content(blobs[merged.entry.id], None, conflict.kind if conflict else None, conflict.places if conflict else ())
    if not is_markdown(path) or max(map(len, blobs.values())) > LARGEST:
        return None
    from memtree.engine.merge.prose import merge_prose

    return merge_prose(path, base, *sorted((ours, theirs)))


def content_root_at(folder: str) -> str:
    """The content folder of the workspace that `folder` lies in; the usual one where no settings can be read."""
    here = os.path.abspath(folder)
    while not os.path.isfile(os.path.join(here, FILE_NAME)):
        above = os.path.dirname(here)
        if above == here or os.path.lexists(os.path.join(here, ".git")):
            return CONTENT_ROOT
        here = above
    try:
        return settings_module.load(here).content
    except (InvalidSettings, OSError):
        return CONTENT_ROOT  # the settings may be what is being merged


def leave_markers(folder: str, base: str, ours: str, theirs: str) -> None:
    """Do as git does by itself: both sides in the file, between markers; a file that is not text is left as it is."""
    labels = [word for label in ("ours", "base", "theirs") for word in ("-L", label)]
    Git(folder).call("merge-file", *labels, "--", ours, base, theirs, check=False)


def put(path: str, data: bytes) -> None:
    """Put the result where git expects it, whole or not at all: what is there is one of the sides."""
    new = path + ".memtree"
    with open(new, "wb") as file:
        file.write(data)
    os.replace(new, path)
