"""turns: an agent's turns recorded one by one and by the ten thousand, its hooks as whole processes, the MCP server.

A turn is what a user asked and an agent answered: two files.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from dataclasses import replace
from functools import partial

from memtree.engine.files import Durability
from memtree.engine.importing.agents import import_agent
from memtree.engine.workspace import Workspace
from memtree.engine.writers.many_turns import record_turns
from memtree.tools.bench.conversations import turns as made_turns
from memtree.tools.bench.conversations import write_transcripts
from memtree.tools.bench.ground import Ground, git, options
from memtree.tools.bench.hooks import hook_figures
from memtree.tools.bench.mcp import mcp_figures
from memtree.tools.bench.measure import Result, Series, figure, peak_memory, ratio

NOTES = 10_000  # of the workspace in which hooks recall and clients search


def turns(ground: Ground, count: int, repetitions: int) -> Result:
    """Record into a workspace that holds `count` turns; import as many; run the hooks among as many notes (at most NOTES)."""
    return {
        "files": count,
        "turns": count,
        "repetitions": repetitions,
        **_recording(ground, count, repetitions),
        **_importing(ground, count),
        **hook_figures(ground, min(count, NOTES), repetitions),
        **mcp_figures(ground, min(count, NOTES), repetitions),
    }


def _recording(ground: Ground, count: int, repetitions: int) -> Result:
    """One turn, durability fast; the peer adds two files to a copy of the repository with git add and git commit."""
    root, by_git = ground.new("turns"), ground.new("by-git")
    Workspace.init(root, options=options())[0].close()
    ours, peer = Series(), Series()
    with Workspace.open(root, options(Durability.FAST)) as workspace:
        message = "turns\n\nMemtree-Writer: import\n"
        record_turns(workspace, lambda: made_turns(count, ground.seed), message=message)
        shutil.copytree(root, by_git, symlinks=True)
        for key, value in (("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")):
            git(by_git, "config", key, value)
        for folder in (root, by_git):
            git(folder, "update-index", "-q", "--refresh")
        for number, turn in enumerate(made_turns(repetitions, ground.seed + 1)):
            # Into a session that is as long as others are.
            session = f"{ground.seed:08x}-0000-4000-8000-{number % max(1, count // 50):012d}"
            report = ours.time(partial(workspace.record_turn, replace(turn, session=session)))
            assert report.commit.changed
            peer.time(partial(_by_git, by_git, number))
    return {
        "git_ms": figure(peer.median),
        "git_p95_ms": figure(peer.p95),
        "memtree_ms": figure(ours.median),
        "memtree_p95_ms": figure(ours.p95),
        "ratio": ratio(peer.median, ours.median),
    }


def _by_git(root: str, number: int) -> None:
    folder = f"memory_tree/content/episodic/by-git-{number // 50}"
    os.makedirs(os.path.join(root, folder), exist_ok=True)
    names = [f"{folder}/{2 * number + at:06}.md" for at in (1, 2)]
    for name in names:
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(f"---\nsession_id: by-git\n---\n{name} said something about the garden\n")
    git(root, "add", "--", *names)
    git(root, "commit", "--quiet", "-m", "turn", "--", *names)


def _importing(ground: Ground, count: int) -> Result:
    """As many turns from transcripts, in a process of its own, with the indexes brought up to date; then again with nothing new."""
    home, root = ground.new("claude"), ground.new("imported")
    transcripts = write_transcripts(home, count, ground.seed)
    Workspace.init(root, options=options())[0].close()
    found = json.loads(ground.python("-m", "memtree.tools.bench.turns", root, home, folder=root))
    assert (found.pop("stored"), git(root, "status", "--porcelain")) == (count, b"")
    return {"transcripts": transcripts, **{key: figure(value) for key, value in found.items()}}


def measure(root: str, home: str) -> Result:
    """Import in this process; seconds to the commit, to the indexes, and of a repeat; MiB of memory."""
    with Workspace.open(root, options()) as workspace:
        start = time.perf_counter()
        stored = import_agent(workspace, "claude-code", [home]).turns.stored
        committed = time.perf_counter()
        workspace.refresh_index()
        indexed, peak = time.perf_counter(), peak_memory()
        assert not import_agent(workspace, "claude-code", [home]).changed
        return {
            "stored": stored,
            "import_seconds": committed - start,
            "import_and_index_seconds": indexed - start,
            "repeat_seconds": time.perf_counter() - indexed,
            "import_peak_mib": peak / 2**20,
        }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
