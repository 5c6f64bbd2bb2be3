"""Shared disks: file systems that others write to as well, other machines or the one that this one runs in.

The system tells of what is done here alone, and of nothing that they do.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

_MOUNTS = "/proc/self/mountinfo"
_SHARED = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "glusterfs", "lustre", "beegfs", "gpfs", "ocfs2", "gfs2"),
        *("9p", "drvfs", "virtiofs", "vboxsf", "prl_fs", "vmhgfs", "fakeowner"),
        *(
            "fuse.sshfs",
            "fuse.rclone",
            "fuse.glusterfs",
            "fuse.ceph",
            "fuse.s3fs",
            "fuse.davfs",
            "fuse.vmhgfs-fuse",
            "fuse.grpcfuse",
        ),
    )
)


def shared_disk(root: str) -> str:
    """The kind of shared file system that a folder lies on; '' for none, and where the system does not say."""
    with contextlib.suppress(OSError), open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as mounts:
        kind = kind_at(os.path.realpath(root), mounts)
        return kind if kind in _SHARED else ""
    return ""


def kind_at(folder: str, mounts: Iterable[str]) -> str:
    """The kind of file system that holds a folder, by lines of mountinfo (proc(5)); '' when none does."""
    found, longest = "", -1
    for line in mounts:
        before, _, after = line.partition(" - ")
        words, kinds = before.split(" "), after.split(" ")
        if len(words) < 5 or not after:
            continue
        point = _plain(words[4]).rstrip("/")
        if (folder == point or folder.startswith(point + "/")) and len(point) >= longest:  # of two at one place the later one
            found, longest = kinds[0], len(point)
    return found


def _plain(word: str) -> str:
    """A path as it is: spaces and the like stand there as octal numbers."""
    for code, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        word = word.replace(code, letter)
    return word
