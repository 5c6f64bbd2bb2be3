"""Are the recorded steps all steps? Run as a program: prints what Python changed on the disk without saying so first.

Python itself tells a hook about each file that it opens for writing, renames, links or removes. Each must be on a path that the
observer has just been told. Objects, which libgit2 writes, are no such events; the store announces them as steps of their own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from memtree.engine.workspace import Options, Workspace
from support.faultscenarios import SCENARIOS

_SINGLE = {"os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.utime"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Audit:
    def __init__(self) -> None:
        self.root = ""
        self.announced = ""
        self.silent: set[str] = set()

    def observe(self, _step: str, path: str) -> None:
        self.announced = path

    def hook(self, event: str, details: tuple[Any, ...]) -> None:
        if not self.root:
            return
        paths: list[Any] = []
        if event == "open" and isinstance(details[2], int) and details[2] & _WRITING:
            paths = [details[0]]
        elif event in ("os.rename", "os.link"):
            paths = list(details[:2])
        elif event == "os.symlink":
            paths = [details[1]]
        elif event in _SINGLE:
            paths = [details[0]]
        texts = [os.fsdecode(path) for path in paths if isinstance(path, str | bytes)]
        if any(text.startswith(self.root) for text in texts) and self.announced not in texts:
            self.silent.add(f"{event} {texts[-1].removeprefix(self.root)}")


def main(name: str) -> None:
    os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C.UTF-8")
    audit = Audit()
    sys.addaudithook(audit.hook)
    with tempfile.TemporaryDirectory() as folder:
        SCENARIOS[name].build(folder)
        root = os.path.join(folder, "ws")
        with Workspace.open(root, Options(observe=audit.observe)) as workspace:
            audit.root = root
            for operation in SCENARIOS[name].operations:
                operation(workspace)
            audit.root = ""
    print("\n".join(sorted(audit.silent)))


if __name__ == "__main__":
    main(sys.argv[1])
