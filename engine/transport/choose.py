"""Which transport a workspace goes by."""

from __future__ import annotations

import enum

from memtree.engine.files import Files
from memtree.engine.git import Git
from memtree.engine.repo import Repo
from memtree.engine.transport.base import Transport
from memtree.engine.transport.git_program import GitTransport


class Means(enum.Enum):
    """What carries commits: the git program, which knows the user's settings, or the library, which is always there."""

    PROGRAM = "git"
    LIBRARY = "libgit2"


def choose_transport(repo: Repo, git: Git, files: Files, *, means: Means | None = None) -> Transport:
    """A transport by the given means; by the git program where there is one when none is given."""
    if (means or usual(git)) is Means.PROGRAM:
        return GitTransport(repo, git, files)
    from memtree.engine.transport.libgit import LibgitTransport  # rarely needed: start-up time is a feature

    return LibgitTransport(repo, git, files)


def usual(git: Git) -> Means:
    return Means.PROGRAM if git.present() else Means.LIBRARY
