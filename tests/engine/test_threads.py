"""One Workspace object in the hands of many threads: each write is there once, each answer is whole, the repository stays sound."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memtree.engine.capture import Survey
from memtree.engine.history import LogQuery, diff, log
from memtree.engine.secrets.seen import SeenBlobs
from memtree.engine.status import status
from memtree.engine.workspace import Workspace
from memtree.indexers.query import Mode, Query
from memtree.tree.agent_turn import AgentTurn
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
