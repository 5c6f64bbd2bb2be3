"""One Workspace object in the hands of many threads: each write is there once, each answer is whole, the repository stays sound."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memtree.engine.capture import Survey
from memtree.engine.history import LogQuery, diff, log
from memtree.engine.repo import Repo
from memtree.engine.secrets.seen import SeenBlobs
from memtree.engine.status import status
from memtree.engine.workspace import Workspace
from memtree.indexers.query import Mode, Query
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath
from support.gitrepo import GitRepo

_THREADS = 8
_ROUNDS = 3
_NOTES = "memory_tree/content/notes"


class _Worker:
    """Does everything that a server's tools do, with words of its own, and keeps what it wrote."""

    def __init__(self, workspace: Workspace, name: int, start: threading.Barrier) -> None:
        self.workspace = workspace
        self.name = name
        self.start = start
        self.written: dict[str, bytes] = {}
        self.said: list[str] = []

    def __call__(self) -> None:
        self.start.wait(timeout=60)
        steps: list[Callable[[int], None]] = [self.write, self.edit, self.search, self.turn, self.past, self.look]
        for number in range(_ROUNDS):
            for step in range(len(steps)):
                steps[(step + self.name) % len(steps)](number)

    def write(self, number: int) -> None:
        path = f"{_NOTES}/written-{self.name}-{number}.md"
        data = f"# Written\n\nwrote{self.name}x{number} by a thread.\n".encode()
        assert self.workspace.write({RepoPath(path): data}, f"write {self.name}").changed
        self.written[path] = data
        found = self.workspace.search(Query(f"wrote{self.name}x{number}", mode=Mode.TEXT), capture=False)
        assert [hit.path for hit in found.hits] == [path]

    def edit(self, number: int) -> None:
        path = f"{_NOTES}/edited-{self.name}-{number}.md"
        data = f"edit{self.name}x{number} in an editor.\n".encode()
        Path(self.workspace.root, path).write_bytes(data)
        self.written[path] = data

    def search(self, number: int) -> None:
        report = self.workspace.search(Query(f"thread editor wrote{self.name}x{number}"))
        assert report.commit is not None
        assert all(hit.snippet for hit in report.hits)

    def turn(self, number: int) -> None:
        said = f"said{self.name}x{number}"
        done = self.workspace.record_turn(AgentTurn(f"s{number}", said, f"answer {said}", 1_000 + number, uuid=said))
        assert len(done.paths) == 2
        self.said += [said, f"answer {said}"]

    def past(self, _number: int) -> None:
        tip = self.workspace.resolve(None)
        for item in log(self.workspace.repo, tip, LogQuery(limit=3)):
            for parent in item.commit.parents[:1]:
                assert diff(self.workspace.repo, parent, item.commit.id)

    def look(self, _number: int) -> None:
        assert isinstance(status(self.workspace).survey, Survey)


@pytest.fixture(autouse=True)
def _threads_take_turns_all_the_time() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_everything_at_once_on_one_workspace(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "w")
    workspace, _ = Workspace.init(repo.path)
    with workspace:
        Path(repo.path, _NOTES).mkdir(parents=True, exist_ok=True)
        start = threading.Barrier(_THREADS)
        workers = [_Worker(workspace, name, start) for name in range(_THREADS)]
        with ThreadPoolExecutor(_THREADS) as pool:
            for running in [pool.submit(worker) for worker in workers]:
                running.result(timeout=300)  # raises what a thread raised
        workspace.save()
        tip = workspace.resolve(None)
        held = {str(path): workspace.repo.blob(entry.id) for path, entry in workspace.repo.files(tip)}
        expected = {path: data for worker in workers for path, data in worker.written.items()}
        assert {path: held.get(path) for path in expected} == expected
        episodes = [data.decode().split("---\n", 2)[2].strip() for path, data in held.items() if "/episodic/" in path]
        assert sorted(episodes) == sorted(said for worker in workers for said in worker.said)
        assert workspace.capture.survey().clean
        assert workspace.index().position() == tip
    repo.git("fsck", "--strict", "--no-dangling")
    assert repo.git("status", "--porcelain").strip() == ""


def test_what_was_seen_of_blobs_is_kept_by_threads_that_look_together(tmp_path: Path) -> None:
    workspace, _ = Workspace.init(GitRepo(tmp_path / "w").path)
    with workspace:
        texts = [f"key{number} = nothing secret\n".encode() for number in range(40)]
        blobs = [workspace.repo.create_blob(text) for text in texts]

        def look(_name: int) -> list[int]:
            counts = [len(workspace.secrets.spots(blob)) for blob in blobs]
            workspace.secrets.flush()
            return counts

        with ThreadPoolExecutor(_THREADS) as pool:
            assert {tuple(counts) for counts in pool.map(look, range(_THREADS))} == {(0,) * len(blobs)}
        seen = SeenBlobs(workspace.places.folder, workspace.files)
        assert {seen.get(blob) for blob in blobs} == {()}


def test_threads_scan_read_and_let_go_of_one_repository(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "w")
    for number in range(300):
        repo.write(f"{_NOTES}/{number:03}.md", f"note {number}\n")
    tip = CommitId(repo.commit("notes"))
    repo.write(f"{_NOTES}/000.md", "edited\n")
    opened = Repo.open(repo.path)

    def work(name: int) -> set[object]:
        found: set[object] = set()
        for _ in range(15):
            found.add(tuple(opened.touched()))
            found.add(sum(len(opened.blob(entry.id)) for _, entry in opened.files(tip)))
            if name % 2:
                opened.close()
        return found

    with ThreadPoolExecutor(_THREADS) as pool:
        for found in pool.map(work, range(_THREADS)):
            assert found == {(f"{_NOTES}/000.md",), sum(len(f"note {number}\n") for number in range(300))}


def test_threads_search_while_the_scope_changes_and_the_indexes_are_built_anew(tmp_path: Path) -> None:
    workspace, _ = Workspace.init(GitRepo(tmp_path / "w").path)
    with workspace:
        for number in range(30):
            Path(workspace.root, _NOTES).mkdir(parents=True, exist_ok=True)
            Path(workspace.root, _NOTES, f"{number}.md").write_text(f"# Heron {number}\n\nThe heron number {number} stands.\n")
        workspace.save()

        def work(name: int) -> list[int]:
            counts = []
            for number in range(8):
                if name == 0:
                    Path(workspace.root, ".memtreeignore").write_text(f"nothing-{number}\n")
                elif name == 1 and number % 4 == 0:
                    workspace.searching.rebuild()
                counts.append(len(workspace.search(Query("heron", limit=30), capture=False).hits))
            return counts

        with ThreadPoolExecutor(_THREADS) as pool:
            assert {count for counts in pool.map(work, range(_THREADS)) for count in counts} == {30}
