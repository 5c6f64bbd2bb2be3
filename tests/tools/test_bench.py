"""Every benchmark runs, keeps what it promises to report, and leaves nothing behind. Nothing is timed here."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtree.tools.bench.fact_sets import Half
from memtree.tools.bench.fact_writing import HELD
from memtree.tools.bench.ground import Ground, git, ground
from memtree.tools.bench.growth import Bound, growth
from memtree.tools.bench.measure import Cost, Result, Series, figure, load, machine, peak_memory, percentile, ratio, timed
from memtree.tools.bench.run import BENCHES, SMALL, UnknownBench, run, run_soak
from memtree.tools.bench.soak import BOUNDS

FILES = 25

# What each benchmark promises beside `files`, `repetitions` and `ratio`: the peer's figure, and ours.
PROMISED = {
    "commit": {"git_ms", "memtree_ms", "memtree_full_ms", "cpu_ratio", "memtree_after_git_ms", "after_git_ratio"},
    "diff": {"git_ms", "memtree_ms", "memtree_opened_ms", "cpu_ratio"},
    "index": {"git_read_seconds", "seconds", "notes_per_second", "peak_mib", "chunks"},
    "freshness": {"git_ms", "memtree_ms", "memtree_p95_ms", "memtree_write_ms", "memtree_write_p95_ms"},
    "search": {"git_ms", "memtree_ms", "memtree_p95_ms", "chunks", "process_ms", "process_p95_ms"},
    "sync": {"git_ms", "memtree_ms", "idle_ms", "processes_ms"},
    "vector": {"recall_at_10", "memtree_ms", "memtree_p95_ms", "exact_ms", "chunks_per_cpu_second", "graph_seconds", "peak_mib"},
    "tree": {
        "chunks",
        "entities",
        "git_ms",
        "hybrid_ms",
        "memtree_ms",
        "walk_p95_ms",
        "walk_cpu_ms",
        "search_entities_p95_ms",
        "cover_window_p95_ms",
        "graph_seconds",
    },
    "merge": {"git_ms", "memtree_ms", "memtree_p95_ms"},
    "merge-trees": {"git_ms", "memtree_ms", "memtree_p95_ms"},
    "turns": {
        "turns",
        "git_ms",
        "git_p95_ms",
        "memtree_ms",
        "memtree_p95_ms",
        "transcripts",
        "import_seconds",
        "import_and_index_seconds",
        "repeat_seconds",
        "import_peak_mib",
        "notes",
        "hook_spool_ms",
        "hook_recall_ms",
        "python_ms",
        "mcp_search_ms",
        "mcp_scan_ms",
        "mcp_turn_ms",
    },
    "close": {
        "turns",
        "sessions",
        "segments",
        "commits",
        "made_files",
        "import_seconds",
        "close_seconds",
        "close_cpu_seconds",
        "seconds",
        "turns_per_second",
        "peak_mib",
        "git_seconds",
        "session_turns",
        "session_segments",
        "session_seconds",
        "session_cpu_seconds",
        "session_commits",
    },
    "facts": {"git_seconds", "seconds", "facts_per_second", "made_files", "full_facts", "full_seconds", "message_bytes"},
    "watch": {
        "git_ms",
        "memtree_ms",
        "memtree_p95_ms",
        "daemon_cpu_ms",
        "at_once_ms",
        "at_once_p95_ms",
        "answer_ms",
        "daemon_process_ms",
        "alone_process_ms",
        "python_ms",
        "git_grep_ms",
        "first_build_seconds",
        "ready_ms",
        "memory_mib",
        "memory_peak_mib",
        "bulk_files",
        "bulk_seconds",
        "bulk_commits",
    },
    "import": {"git_seconds", "seconds", "repeat_seconds", "files_per_second", "peak_mib"},
}
RATIOS = {
    "index": ("git_read_seconds", "seconds"),
    "import": ("git_seconds", "seconds"),
    "close": ("git_seconds", "close_seconds"),
    "facts": ("git_seconds", "seconds"),
    "vector": ("exact_ms", "memtree_ms"),
}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that temporary folders are made in."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # Else every program would first compile what it imports, the standard library included.
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def assert_every_way_was_measured(result: Result) -> None:
    for way in ("ssh", "http"):
        assert result[way].keys() >= {"git_ms", "memtree_ms", "idle_ms", "ratio"} or result[way].keys() == {"skipped"}
    assert "skipped" not in result["http"]
    assert result["apart"].keys() >= {"changed_on_each_side", "git_ms", "memtree_ms", "ratio"}


def assert_facts_are_judged_beside_peers(result: Result) -> None:
    for half in Half:
        assert result["gate"][half].keys() == {"sentences", "memtree", "keep_all", "bag_of_words"}
        assert result["dates"][half].keys() == {"sentences", "memtree", "dateutil"}
    assert result["outcomes"] == {"add": FILES}
    assert result["full_facts"] == FILES * HELD
    assert sum(result["full_outcomes"].values()) == FILES
    assert result["message_bytes"] == 1_000 * FILES
    echo = result["echo"]
    assert echo["shown"]["facts"] == echo["facts"] > 0
    assert echo["shown"].keys() >= {"recap", "profile", "MEMORY.md", "context", "facts list"}
    assert (echo["new_facts"], echo["new_facts_from"]) == (0, {})


@pytest.mark.parametrize("name", [*BENCHES])
def test_a_benchmark_reports_what_it_promises_and_cleans_up(name: str, temporary: Path) -> None:
    (result,) = run(name, FILES, 3, repetitions=2, idle_seconds=1)
    assert (result["bench"], result["files"], result["seed"]) == (name, FILES, 3)
    assert result.keys() >= PROMISED[name] | {"repetitions", "ratio", "machine", "load_before", "load_after"}
    figures = {key: value for key, value in result.items() if isinstance(value, (int, float)) and key != "seed"}
    assert figures.keys() >= PROMISED[name]
    assert [key for key, value in figures.items() if value <= 0] == []
    peer, ours = RATIOS.get(name, ("git_ms", "memtree_ms"))
    assert result["ratio"] == pytest.approx(result[peer] / result[ours], rel=0.01)
    assert json.loads(json.dumps(result)) == result
    if name == "sync":
        assert_every_way_was_measured(result)
    if name == "facts":
        assert_facts_are_judged_beside_peers(result)
    if name == "watch":
        assert result["idle"].keys() == {"seconds", "percent", "own_percent", "scans"}
        assert result["bulk_files"] == FILES
    assert os.listdir(temporary) == []


def test_a_soak_judges_every_measure_and_leaves_everything_in_order(temporary: Path) -> None:
    result = run_soak(0.15, 20, 3)
    assert (result["bench"], result["errors"], result["first_errors"], result["damage"]) == ("soak", 0, [], [])
    assert result["measures"].keys() == BOUNDS.keys()
    assert all(one.keys() >= {"first", "second", "last", "allowed", "per_hour", "flat"} for one in result["measures"].values())
    assert result["flat"] is all(one["flat"] for one in result["measures"].values())
    assert min(result[name] for name in ("edits", "turns", "searches", "peer_syncs", "commits")) > 0
    assert json.loads(json.dumps(result)) == result
    assert os.listdir(temporary) == []


def test_growth_is_judged_by_the_last_quarter_beside_the_second() -> None:
    times, commits = [float(second) for second in range(0, 80, 10)], [float(number) for number in range(0, 800, 100)]
    filling = growth([1, 1, 100, 100, 100, 100, 100, 100], times, commits, Bound(0))
    assert (filling.first, filling.second, filling.last, filling.per_hour, filling.flat) == (1, 100, 100, 0, True)
    leaking = growth([100, 110, 120, 130, 140, 150, 160, 170], times, commits, Bound(10))
    assert (leaking.second, leaking.last, leaking.flat) == (125, 165, False)
    assert leaking.per_hour == pytest.approx(3600)
    assert growth([100, 110, 120, 130, 140, 150, 160, 170], times, commits, Bound(10, each=0.1)).flat
    with pytest.raises(ValueError, match="too few"):
        growth([1, 2, 3], [1, 2, 3], [1, 2, 3], Bound(0))


def test_all_runs_every_benchmark_at_its_small_size_on_one_ground(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Ground, int]] = []

    def measure(place: Ground, files: int, repetitions: int) -> Result:
        seen.append((place, files))
        return {"repetitions": repetitions}

    for name, bench in BENCHES.items():
        monkeypatch.setitem(BENCHES, name, replace(bench, measure=measure))
    assert [result["bench"] for result in run("all", None, 1)] == [*BENCHES]
    assert seen == [(seen[0][0], SMALL)] * len(BENCHES)
    assert [result["repetitions"] for result in run("all", 12, 1, repetitions=4)] == [4] * len(BENCHES)
    assert seen[-1][1] == 12


def test_a_ground_seeds_a_size_once(temporary: Path) -> None:
    with ground(1) as place:
        root = place.workspace(3)
        assert place.workspace(3) == root
        assert place.workspace(4) != root
        assert git(root, "status", "--porcelain") == b""
        assert len(git(root, "ls-files").splitlines()) == 3 + len(["memtree.toml"])
    assert os.listdir(temporary) == []


def test_a_failing_benchmark_cleans_up_too(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise OSError

    monkeypatch.setattr("memtree.tools.bench.ground.Workspace.init", fails)
    with pytest.raises(OSError):
        run("commit", 3, 1)
    assert os.listdir(temporary) == []


def test_an_unknown_name_is_the_users_mistake(temporary: Path) -> None:
    with pytest.raises(UnknownBench) as told:
        run("speed", None, 1)
    assert "commit" in (told.value.hint or "")


def test_the_machine_is_described() -> None:
    assert machine().keys() == {"platform", "cpus", "file_system", "python", "git", "pygit2", "tantivy"}
    assert len(load()) == 3
    assert peak_memory() > 2**20


def test_series_keep_wall_and_processor_time_apart() -> None:
    series = Series()
    assert series.time(lambda: sum(range(1000))) == 499_500
    series.costs = [Cost(wall, 1.0, 2.0) for wall in (5.0, 1.0, 9.0)]
    assert (series.median, series.p95, series.cpu, series.programs_cpu) == (5.0, 9.0, 3.0, 2.0)
    assert timed(lambda: "found")[0] == "found"


def test_numbers() -> None:
    assert [percentile(range(1, 101), share) for share in (0, 0.5, 0.95, 1)] == [1, 50, 95, 100]
    assert percentile([7], 0.95) == 7
    assert figure(123.4567) == 123.5
    assert figure(0.00123456) == 0.001235
    assert ratio(40, 10) == 4
