"""walk: what questions cost a memory that is there, step by step; beside `git grep` for the same words.

Without a model each question is one walk of the memory tree. With one, the memory agent answers it, and each tool that it calls is
a step. A question that fails is counted and told, and the others are asked all the same. Each leaves a line in a log of JSON lines.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import os
import re
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from memtree.engine.forgetting import BENCH_LOGS
from memtree.engine.llm.asking import AgentRun, Asker, Tool
from memtree.engine.memory_tree.hits import Envelope
from memtree.engine.memory_tree.modes import run_mode
from memtree.engine.model_settings import ModelsSettings
from memtree.engine.retrieval.plain import one_line
from memtree.tools.bench.measure import Result, figure, percentile
from memtree.tree.errors import Error, UserError

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

DEFAULT_QUERIES = (
    "What projects am I working on?",
    "What did I discuss in my most recent conversations?",
    "What are my preferences and settings?",
    "Find any mentions of GitHub or pull requests.",
    "What people have I interacted with recently?",
)
MAX_TURNS = 12
EVERYTHING = "default"  # the namespace that is all of memory
_PREVIEW = 160  # characters
_PASSAGE = re.compile(r"^\[\d+\] ", re.MULTILINE)  # how the agent's tools begin one
_WORD = re.compile(r"\w{3,}")
_PEER_WORDS = 6


@dataclass(frozen=True, slots=True)
class RetrievalStep:
    """One step: `turn` from 1, `elapsed` in milliseconds, `bytes_scanned` of text that it brought."""

    turn: int
    action: str
    args_summary: str
    result_preview: str
    elapsed: float
    chunks_returned: int
    bytes_scanned: int


@dataclass(frozen=True, slots=True)
class WalkBenchmark:
    """One question: its steps and what they came to. `stop_reason` says why it ended there, `error` what went wrong."""

    query: str
    namespace: str
    content_root: str
    total_elapsed: float
    steps: tuple[RetrievalStep, ...]
    status: str
    stop_reason: str
    timestamp: str
    answer: str = ""
    error: str = ""

    @property
    def total_turns(self) -> int:
        return max((step.turn for step in self.steps), default=0)

    @property
    def total_chunks_retrieved(self) -> int:
        return sum(step.chunks_returned for step in self.steps)

    @property
    def total_bytes_scanned(self) -> int:
        return sum(step.bytes_scanned for step in self.steps)

    @property
    def failed(self) -> bool:
        return bool(self.error)

    def as_json(self) -> Result:
        totals = ("total_turns", "total_chunks_retrieved", "total_bytes_scanned")
        return {**asdict(self), **{name: getattr(self, name) for name in totals}}


@dataclass(frozen=True, slots=True)
class BenchmarkSummary:
    """All questions that were answered. Times are milliseconds."""

    runs: int
    failed: int
    avg_elapsed_ms: float
    p50_elapsed_ms: float
    p95_elapsed_ms: float
    avg_turns: float
    avg_chunks: float
    total_bytes_scanned: int

    @classmethod
    def of(cls, runs: Sequence[WalkBenchmark]) -> BenchmarkSummary:
        good = [run for run in runs if not run.failed]
        times = [run.total_elapsed for run in good] or [0.0]
        return cls(
            len(good),
            len(runs) - len(good),
            figure(statistics.fmean(times)),
            figure(percentile(times, 0.5)),
            figure(percentile(times, 0.95)),
            figure(statistics.fmean([run.total_turns for run in good] or [0])),
            figure(statistics.fmean([run.total_chunks_retrieved for run in good] or [0])),
            sum(run.total_bytes_scanned for run in good),
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to ask of which part of memory, by which model ('' for none), and where the log goes ('' for the state folder)."""

    queries: tuple[str, ...] = DEFAULT_QUERIES
    namespace: str = EVERYTHING
    max_turns: int = MAX_TURNS
    model: str = ""
    out: str = ""


class NoModelToName(UserError):
    def __init__(self, role: str) -> None:
        super().__init__(
            f"--model names another model of the server that {role} has, and there is none",
            hint="name a server under [models.default] in memtree.toml first: memtree models show",
        )


def walk(workspace: Workspace, wanted: Wanted, tell: Callable[[str], None] = lambda _: None) -> Result:
    """Ask all questions; `tell` hears each step. Raise BadRequest for a namespace that there is not, NoModelToName."""
    files, folders, size = _counted(workspace)
    # A first walk brings the indexes up to date, and refuses a namespace that there is not before anything is measured.
    run_mode(workspace, "walk", {"query": "warm", **_narrowed(wanted)})
    asker = _Tracing.of(workspace, wanted.model) if wanted.model else None
    log = _log_path(workspace, wanted.out)
    runs: list[WalkBenchmark] = []
    for query in wanted.queries:
        runs.append(_run(workspace, wanted, query, asker))
        _append(log, runs[-1], workspace.redactor.text(query))
        for line in _told(runs[-1]):
            tell(line)
    peer = [1000 * _grep(workspace.root, query) for query in wanted.queries]
    return {
        "content_root": workspace.root,
        "namespace": wanted.namespace,
        "model": wanted.model,
        "files": files,
        "folders": folders,
        "bytes": size,
        "summary": asdict(BenchmarkSummary.of(runs)),
        "git_ms": figure(percentile(peer, 0.5)) if peer else 0,
        "benchmarks": [run.as_json() for run in runs],
        "log": log,
    }


def _run(workspace: Workspace, wanted: Wanted, query: str, asker: _Tracing | None) -> WalkBenchmark:
    stamp = dt.datetime.fromtimestamp(workspace.options.clock(), dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    started = time.perf_counter()
    common = (query, wanted.namespace, workspace.root)
    try:
        steps, status, reason, answer = _asked(workspace, wanted, query, asker)
    except (Error, OSError) as error:
        steps = tuple(asker.steps) if asker else ()
        told = workspace.redactor.text(one_line(str(error), 300))
        return WalkBenchmark(*common, _since(started), steps, "failed", "error", stamp, error=told or type(error).__name__)
    return WalkBenchmark(*common, _since(started), steps, status, reason, stamp, answer)


def _asked(
    workspace: Workspace, wanted: Wanted, query: str, asker: _Tracing | None
) -> tuple[tuple[RetrievalStep, ...], str, str, str]:
    """The steps of one question, how it ended, why, and the answer."""
    if asker is None:
        return (_deterministic(workspace, wanted, query),), "completed", "deterministic", ""
    from memtree.engine.agents.memory_agent import Caller, call_memory_agent

    asker.steps.clear()
    answer = call_memory_agent(workspace, query, caller=Caller.person(), max_turns=wanted.max_turns, asker=asker)
    reason = "answered" if answer.iterations else "no model was needed"
    return tuple(asker.steps), answer.status.value, "limit" if answer.status.value == "incomplete" else reason, answer.text


def _deterministic(workspace: Workspace, wanted: Wanted, query: str) -> RetrievalStep:
    started = time.perf_counter()
    found = run_mode(workspace, "walk", {"query": query, **_narrowed(wanted)})
    assert isinstance(found, Envelope)
    preview = f"{len(found.hits)} hits (total {found.total}, {found.route})"
    size = sum(len(hit.text.encode("utf-8", "replace")) for hit in found.hits)
    return RetrievalStep(1, "walk", one_line(query, _PREVIEW), preview, _since(started), len(found.hits), size)


def _narrowed(wanted: Wanted) -> dict[str, object]:
    return {} if wanted.namespace == EVERYTHING else {"sources": [wanted.namespace]}


class _Tracing(Asker):
    """Asks as ever, and notes what each tool was called with and what it brought. A model's request is a turn."""

    steps: list[RetrievalStep]

    @classmethod
    def of(cls, workspace: Workspace, model: str) -> _Tracing:
        """An asker of another model of the same server."""
        from memtree.engine.agents.finding import MEMORY, find_agent

        role = find_agent(workspace.root, MEMORY).definition.hint.value
        present = workspace.settings.models.named(role)
        if present is None:
            raise NoModelToName(role)
        roles = {**workspace.settings.models.roles, role: replace(present, model=model)}
        workspace.settings = replace(workspace.settings, models=ModelsSettings(roles))
        asker = cls(workspace, agent="agent_memory")
        asker.steps = []
        return asker

    def run_agent(self, role: str, instructions: str, prompt: str, tools: Sequence[Tool], **limits: Any) -> AgentRun:
        watched = [replace(tool, function=self._watched(tool)) for tool in tools]
        return super().run_agent(role, instructions, prompt, watched, **limits)

    def _watched(self, tool: Tool) -> Callable[..., str]:
        @functools.wraps(tool.function)
        def called(*positional: Any, **named: Any) -> str:
            started = time.perf_counter()
            found = ""
            try:
                found = tool.function(*positional, **named)
                return found
            finally:
                asked = json.dumps({**dict(enumerate(positional)), **named}, ensure_ascii=False, default=str)
                self.steps.append(
                    RetrievalStep(
                        len(self.steps) + 1,
                        tool.name,
                        one_line(asked, _PREVIEW),
                        one_line(found, _PREVIEW) or "refused",
                        _since(started),
                        len(_PASSAGE.findall(found)),
                        len(found.encode("utf-8", "replace")),
                    )
                )

        return called


def _counted(workspace: Workspace) -> tuple[int, int, int]:
    """The files of the present commit, the folders they lie in, and their bytes."""
    tip = workspace.repo.tip("HEAD")
    if tip is None:
        return 0, 0, 0
    files = [(path, entry) for path, entry in workspace.repo.files(tip) if entry.is_file]
    size = sum(workspace.repo.size(entry.id) for _, entry in files)
    return len(files), len({path.folder for path, _ in files}), size


def _log_path(workspace: Workspace, out: str) -> str:
    """Where the lines go: a file, or in a folder one of this moment."""
    place = os.path.abspath(os.path.expanduser(out)) if out else os.path.join(workspace.places.folder, BENCH_LOGS)
    if out and not os.path.isdir(place) and not out.endswith(("/", os.sep)):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        return place
    os.makedirs(place, exist_ok=True)
    moment = dt.datetime.fromtimestamp(workspace.options.clock(), dt.UTC)
    return os.path.join(place, f"walk-{moment:%Y%m%dT%H%M%S}.jsonl")


def _append(log: str, run: WalkBenchmark, query: str) -> None:
    """Add a line to the log; `query` is the question without secrets."""
    row = {"query": query, "elapsed_ms": run.total_elapsed, "status": run.status, "timestamp": run.timestamp}
    with open(log, "a", encoding="utf-8", errors="replace") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _told(run: WalkBenchmark) -> Iterator[str]:
    yield f"{run.query}  {run.total_elapsed:g} ms, {run.status}" + (f": {run.error}" if run.error else "")
    for step in run.steps:
        yield f"  {step.turn} {step.action} {step.args_summary} -> {step.result_preview} ({step.elapsed:g} ms)"


def _grep(root: str, query: str) -> float:
    """Seconds that git needs to list the files which hold any of the query's words."""
    words = list(dict.fromkeys(_WORD.findall(query)))[:_PEER_WORDS] or [query[:100]]
    started = time.perf_counter()
    patterns = [part for word in words for part in ("-e", word)]
    subprocess.run(("git", "-C", root, "grep", "-l", "-i", "-F", *patterns), check=False, capture_output=True)
    return time.perf_counter() - started


def _since(started: float) -> float:
    return figure(1000 * (time.perf_counter() - started))
