"""`memtree bench walk`: what it counts and reports, its log, a question that fails among others, and a model that answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtree.engine.workspace import Workspace
from memtree.tools.bench.walk import DEFAULT_QUERIES, BenchmarkSummary, RetrievalStep, WalkBenchmark, Wanted, walk
from support.asking import workspace_with
from support.cli import memtree
from support.model_server import MODEL, ModelServer, call, fail, model_server, say

NOTES = {
    "notes/heron.md": "# Heron\n\nAda Lovelace looks after the heron project on GitHub.\n",
    "notes/ledger.md": "# Ledger\n\nThe ledger is closed by Charles Babbage every March.\n",
}
PLAIN = '[embedding]\nmodel = "none"\n'


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path, running: ModelServer) -> Iterator[Workspace]:
    folder = tmp_path / "w"
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    with workspace_with(folder, PLAIN + running.settings(retries=0)) as opened:
        opened.save()
        yield opened


def rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_five_questions_unless_others_are_asked(workspace: Workspace) -> None:
    found = walk(workspace, Wanted())
    assert tuple(run["query"] for run in found["benchmarks"]) == DEFAULT_QUERIES
    assert found["summary"]["runs"] == len(DEFAULT_QUERIES) == 5
    assert (found["files"], found["folders"]) == (3, 2)  # the settings are a file too
    assert found["bytes"] == sum(Path(workspace.root, path).stat().st_size for path in (*NOTES, "memtree.toml"))
    assert found["git_ms"] > 0


def test_a_run_says_what_each_step_brought(workspace: Workspace) -> None:
    (run,) = walk(workspace, Wanted(queries=("Who looks after the heron project on GitHub?",)))["benchmarks"]
    (step,) = run["steps"]
    assert (step["turn"], step["action"], run["stop_reason"], run["status"]) == (1, "walk", "deterministic", "completed")
    assert step["chunks_returned"] == run["total_chunks_retrieved"] >= 1
    assert step["bytes_scanned"] == run["total_bytes_scanned"] > 20
    assert "hits" in step["result_preview"]
    assert run["total_turns"] == 1
    assert run["total_elapsed"] >= step["elapsed"] > 0


def test_no_secret_of_a_question_is_logged(workspace: Workspace) -> None:
    token = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"
    (row,) = rows(walk(workspace, Wanted(queries=(f"what is {token} for",)))["log"])
    assert row["query"] == "what is [secret: github-token] for"


def test_the_log_has_a_line_for_each_question(workspace: Workspace, tmp_path: Path) -> None:
    own = walk(workspace, Wanted(queries=("heron", "ledger")))["log"]
    assert Path(own).parent == Path(workspace.places.folder, "bench")
    assert [(row["query"], row["status"]) for row in rows(own)] == [("heron", "completed"), ("ledger", "completed")]
    assert rows(own)[0].keys() == {"query", "elapsed_ms", "status", "timestamp"}
    for out, expected in (("made/here.jsonl", "made/here.jsonl"), ("folder/", "folder")):
        found = walk(workspace, Wanted(queries=("heron",), out=str(tmp_path / out) + ("/" if out.endswith("/") else "")))["log"]
        assert found.startswith(str(tmp_path / expected))
        assert len(rows(found)) == 1
    walk(workspace, Wanted(queries=("ledger",), out=str(tmp_path / "made/here.jsonl")))
    assert len(rows(str(tmp_path / "made/here.jsonl"))) == 2  # a log is only added to


def test_what_is_forgotten_stands_in_no_log(workspace: Workspace) -> None:
    log = walk(workspace, Wanted(queries=("Ada Lovelace looks after the heron project",)))["log"]
    memtree("forget", "--match", "Ada Lovelace looks after the heron project", "--yes", cwd=workspace.root)
    assert not Path(log).exists()


def test_a_question_that_fails_stops_no_other(workspace: Workspace) -> None:
    found = walk(workspace, Wanted(queries=("heron", " ", "ledger")))
    assert [run["status"] for run in found["benchmarks"]] == ["completed", "failed", "completed"]
    assert found["benchmarks"][1]["error"]
    assert (found["summary"]["runs"], found["summary"]["failed"]) == (2, 1)
    assert [row["status"] for row in rows(found["log"])] == ["completed", "failed", "completed"]
    root = workspace.root
    failed = memtree("bench", "walk", "--query", "heron", "--query", " ", "--json", cwd=root, code=1).json
    assert failed["summary"]["failed"] == 1
    assert "failed:" in memtree("bench", "walk", "--query", " ", cwd=root, code=1).out
    memtree("bench", "walk", "--query", "heron", cwd=root)


def test_a_namespace_is_a_source_of_memory(workspace: Workspace) -> None:
    asked = ("the heron project on GitHub",)
    assert walk(workspace, Wanted(queries=asked, namespace="notes"))["summary"]["avg_chunks"] >= 1
    assert walk(workspace, Wanted(queries=asked, namespace="conversations-agent"))["summary"]["avg_chunks"] == 0
    refused = memtree("bench", "walk", "--namespace", "nots", cwd=workspace.root, code=2)
    assert "notes" in refused.err


def test_the_workspace_may_be_elsewhere(workspace: Workspace, tmp_path: Path) -> None:
    found = memtree("bench", "walk", "--query", "heron", "--content-root", workspace.root, "--json", cwd=tmp_path).json
    assert found["content_root"] == workspace.root
    memtree("bench", "walk", "--query", "heron", "--content-root", str(tmp_path / "gone"), cwd=tmp_path, code=2)
    told = memtree("bench", "walk", "--query", "heron", "--verbose", cwd=workspace.root).out
    assert "1 walk heron ->" in told


def test_a_model_works_in_steps(workspace: Workspace, running: ModelServer) -> None:
    running.script(call("memory_recall", query="ledger Babbage"), say("Charles Babbage closes the ledger every March [1]."))
    found = walk(workspace, Wanted(queries=("Who closes the ledger?",), model="another"))
    (run,) = found["benchmarks"]
    assert {body["model"] for body in running.requests} == {"another"}
    assert (run["status"], run["stop_reason"]) == ("completed", "answered")
    assert [step["action"] for step in run["steps"]] == ["memory_recall"]
    assert "ledger Babbage" in run["steps"][0]["args_summary"]
    assert "Babbage" in run["answer"]


def test_a_model_that_never_ends_is_stopped_by_max_turns(workspace: Workspace, running: ModelServer) -> None:
    running.script(*[call("memory_recall", query=f"ledger {number}") for number in range(9)])
    (run,) = walk(workspace, Wanted(queries=("Who closes the ledger?",), model=MODEL, max_turns=2))["benchmarks"]
    assert len(running.requests) <= 2
    assert run["stop_reason"] == "limit"


def test_a_model_that_is_broken_fails_no_question(workspace: Workspace, running: ModelServer) -> None:
    running.script(fail(503))
    (run,) = walk(workspace, Wanted(queries=("Who closes the ledger?",), model=MODEL))["benchmarks"]
    assert run["status"] == "completed"  # with what was found
    assert "Babbage" in run["answer"]


def test_a_model_needs_a_server_to_name_it_for(tmp_path: Path) -> None:
    memtree("init", cwd=tmp_path)
    refused = memtree("bench", "walk", "--query", "heron", "--model", "large", cwd=tmp_path, code=2)
    assert "[models.default]" in refused.err


def test_a_summary_counts_only_what_was_answered() -> None:
    step = RetrievalStep(1, "walk", "q", "1 hits", 2.0, 3, 40)
    good = WalkBenchmark("q", "default", "/w", 10.0, (step, step), "completed", "deterministic", "t")
    bad = WalkBenchmark("q", "default", "/w", 900.0, (), "failed", "error", "t", error="no")
    assert BenchmarkSummary.of([good, bad]) == BenchmarkSummary(1, 1, 10.0, 10.0, 10.0, 1.0, 6.0, 80)
    assert BenchmarkSummary.of([bad]) == BenchmarkSummary(0, 1, 0.0, 0.0, 0.0, 0.0, 0.0, 0)
