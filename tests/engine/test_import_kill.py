"""An import killed at any point: a second run finishes it, and nothing is lost or there twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memtree.engine.files import Durability
from memtree.engine.importing.importer import import_sources
from memtree.engine.workspace import Options, Workspace
from support.cli import environment
from support.machines import Machine, options

FILES = 320  # from 300 on an import is a bulk operation

# Ends itself by SIGKILL at the step of this kind and number; prints how many steps of each kind there were if it gets that far.
PROGRAM = """
import os, signal, sys
from collections import Counter
from memtree.engine.importing.importer import import_sources
from memtree.engine.workspace import Options, Workspace

root, source, kind, number = sys.argv[1:]
seen = Counter()

def observe(step, path):
    name = f"{step} {os.path.basename(path).split('.')[-1]}" if step == "rename" else step
    seen[name] += 1
    if name == kind and seen[name] == int(number):
        os.kill(os.getpid(), signal.SIGKILL)

with Workspace.open(root, Options(observe=observe)) as workspace:
    import_sources(workspace, [source])
print(*(f"{name}={count}" for name, count in seen.items()), sep="\\n")
"""


def run(root: Path, source: Path, kind: str = "none", number: int = 0) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, "-c", PROGRAM, str(root), str(source), kind, str(number))
    return subprocess.run(words, env=environment(), capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kill") / "notes"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nText.\n")
    return folder


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("object", 1),  # the pack is put in place
        ("rename pack", 1),
        ("rename idx", 1),
        ("object", 40),  # trees
        ("create", 100),  # staging
        ("syncfs", 1),
        ("rename journal", 1),
        ("rename_new", 1),  # files, half of them, all
        ("rename_new", 160),
        ("syncfs", 2),
        ("rename index", 1),
        ("rename main", 1),
    ],
)
def test_a_killed_import_is_finished_by_the_next(kind: str, number: int, source: Path, tmp_path: Path) -> None:
    root = tmp_path / "memory"
    Workspace.init(str(root), options=Options(durability=Durability.FULL))[0].close()
    killed = run(root, source, kind, number)
    assert killed.returncode == -signal.SIGKILL, killed.stdout + killed.stderr
    with Workspace.open(str(root), options()) as workspace:
        (report,) = import_sources(workspace, [str(source)]).sources
        machine = Machine(workspace)
        assert report.imported + report.unchanged == FILES
        assert (report.imported, report.updated) in ((0, 0), (FILES, 0))
        assert machine.commits() == 2
        assert len([path for path in machine.notes() if "/raw/notes/" in path]) == FILES
        machine.assert_sound()
        assert not os.listdir(root / ".git" / "memtree" / "tmp") or os.listdir(root / ".git" / "memtree" / "tmp") == ["displaced"]


def test_everything_is_synced_at_once_before_the_journal_and_before_the_ref(source: Path, tmp_path: Path) -> None:
    root = tmp_path / "memory"
    Workspace.init(str(root), options=Options(durability=Durability.FULL))[0].close()
    steps = dict(line.split("=") for line in run(root, source).stdout.splitlines())
    assert steps["syncfs"] == "2"
    assert int(steps["fsync"]) < 320  # trees, the commit, the pack, the journal, index and ref; no file of its own
    assert int(steps["rename_new"]) == FILES
