"""The ways to a remote that syncing is measured over: a folder, a real sshd, smart http; all on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from memtree.tools.bench.ground import Ground, git
from memtree.tools.bench.http_server import git_over_http
from memtree.tools.bench.ssh_server import MISSING, git_over_ssh


@dataclass(frozen=True, slots=True)
class Way:
    """How remotes below the folder `root` are reached. `missing` says why this machine cannot go this way."""

    name: str
    address: str = ""
    root: str = "/"
    ssh_command: str = ""
    missing: str = ""

    def lead(self, folder: str, remote: str) -> None:
        """Let a repository reach its remote (a path) this way from now on."""
        git(folder, "remote", "set-url", "origin", f"{self.address}/{os.path.relpath(remote, self.root)}")
        if self.ssh_command:
            git(folder, "config", "core.sshCommand", self.ssh_command)


@contextmanager
def ways(ground: Ground) -> Iterator[list[Way]]:
    """Every way, its server running."""
    with ExitStack() as servers:
        served = servers.enter_context(git_over_http(ground.folder))
        if MISSING:
            ssh = Way("ssh", missing=MISSING)
        else:
            sshd = servers.enter_context(git_over_ssh(Path(ground.new("sshd"))))
            ssh = Way("ssh", sshd.url(""), ssh_command=sshd.command())
        yield [Way("file"), ssh, Way("http", served.address, ground.folder)]
