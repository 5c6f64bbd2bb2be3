"""Processes that are killed while they record turns and close sessions: one more run comes to what an undisturbed one comes to.

A worker, who closes every session, and a daemon's look die at any instant, or at any step of the store's on the disk, also two at
once. A seed decides.
"""

from __future__ import annotations

import os
import random
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.queue import Queue
from memtree.tree.fact import is_fact_file, read_fact
from memtree.tree.paths import RepoPath
from memtree.tree.recap import span_of
from support.agent_transcripts import ClaudeTranscript
from support.daemons import Zygote, fsck
from support.faultcheck import leftovers
from support.faultlab import quick_folder
from support.hooked import Hooked
from support.machines import Files, committed

_CONTENT = "memory_tree/content"
_SETTINGS = 'durability = "fast"\n[wiki]\nenabled = false\n[segments]\nmax_turns_per_segment = 2\nmin_cosine_similarity = -1.0\n'
_KINDS = ("recorder", "recorder", "closer", "closer", "follower")
_SESSIONS, _TURNS = 3, 3


@pytest.fixture
def folder() -> Iterator[Path]:
    made = quick_folder()
    yield Path(made)
    shutil.rmtree(made)


class Household:
    """A workspace with sessions whose events wait to be recorded, and copies of it in which processes are killed."""

    def __init__(self, folder: Path, zygote: Zygote, seed: int) -> None:
        self.folder, self.zygote = folder, zygote
        self.random = random.Random(seed)
        self.kills = self.cut = 0  # `cut` are those that were not done yet
        hooked = Hooked(folder / "homes" / "start", _SETTINGS)
        self.start = hooked.root
        for number in range(_SESSIONS):
            talk = ClaudeTranscript(f"session-{number}")
            for turn in range(_TURNS):
                talk.prompt(f"We decided to number the drafts of chapter {number}.{turn} by hand. I prefer tabs to spaces.")
                talk.assistant(f"Chapter {number}.{turn} is numbered by hand.")
                path = talk.write_below(Path(hooked.environment["HOME"]))
                hooked.tell("claude-code", talk.hook("Stop", path, stop_hook_active=False))
            hooked.tell("claude-code", talk.hook("SessionEnd", path, reason="exit"))
        begun = time.monotonic()
        self.clean = committed(self.finished(self.copy("clean")))
        self.whole = time.monotonic() - begun

    def copy(self, name: str) -> str:
        root = str(self.folder / name)
        shutil.copytree(self.start, root, symlinks=True)
        subprocess.run(("git", "-C", root, "update-index", "-q", "--refresh"), check=True)
        return root

    def finished(self, root: str) -> str:
        """One more run that nobody kills."""
        self.zygote.run("closer", root=root)
        return root

    def kill(self, root: str) -> None:
        """One or two processes, which die sooner or later."""
        pids = []
        for _ in range(self.random.choice((1, 1, 2))):
            times = self.random.choice((0, 0, self.random.randint(1, 60)))
            pids.append(self.zygote.fork(self.random.choice(_KINDS), root=root, times=times))
        time.sleep(self.random.uniform(0, self.whole * 0.6))
        for pid in pids:
            self.cut += self.zygote.kill(pid) == -signal.SIGKILL
            self.kills += 1


def _derived(files: Files) -> Files:
    return {path: data for path, data in files.items() if path.startswith(f"{_CONTENT}/") and not is_fact_file(RepoPath(path))}


def _facts(files: Files) -> list[tuple[str, str, str, str]]:
    """What facts say. What several sessions tell has the id that the first of them gave it, and a kill may let another be first."""
    read = [one for path, data in files.items() if (one := read_fact(RepoPath(path), data)) is not None]
    return sorted((one.fact.subject, one.fact.slot, one.fact.text, one.fact.state.value) for one in read)


def _told(files: Files) -> dict[str, int]:
    """In how many recaps each turn is that is not in exactly one."""
    turns = [path.removeprefix(f"{_CONTENT}/episodic/").split("/") for path in files if "/episodic/" in path]
    spans = [(path.split("/")[-2], span_of(path.split("/")[-1])) for path in files if "/recap/" in path]
    counts = {
        f"{session}/{name}": sum(of == session and span is not None and span[0] <= int(name[:6]) <= span[1] for of, span in spans)
        for session, name in turns
    }
    return {name: count for name, count in counts.items() if count != 1}


def storm(folder: Path, rounds: int, each: int, seed: int) -> None:
    print(f"seed {seed}")
    with Zygote(str(folder / "zygote")) as zygote:
        home = Household(folder, zygote, seed)
        assert sum("/recap/" in path for path in home.clean) == _SESSIONS * 2
        for number in range(rounds):
            root = home.copy(f"round-{number}")
            for _ in range(each):
                home.kill(root)
            files = committed(home.finished(root))
            assert _derived(files) == _derived(home.clean)
            assert _facts(files) == _facts(home.clean)
            assert _told(files) == {}
            assert Queue(os.path.join(root, ".git", "memtree")).steps() == []
            assert fsck(root) == ""
            assert leftovers(root) == []
            if number == rounds - 1:
                os.makedirs(built := folder / "built")
                zygote.run("compare", root=root, folder=str(built), found=str(folder / "found"))
                assert (folder / "found").read_text() == "[]"
            shutil.rmtree(root)
        assert zygote.errors() == []
        assert home.kills >= rounds * each
        assert home.cut * 2 > home.kills


def test_thirty_kills_change_nothing_of_what_becomes_of_conversations(folder: Path) -> None:
    storm(folder, 3, 10, int(os.environ.get("MEMTREE_TEST_SEED", "20240501")))


@pytest.mark.deep
@pytest.mark.parametrize("part", range(5))
def test_hundreds_of_kills_change_nothing_of_what_becomes_of_conversations(folder: Path, part: int) -> None:
    storm(folder, 10, 10, secrets.randbits(32))
