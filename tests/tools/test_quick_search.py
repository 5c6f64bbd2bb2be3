"""The search before click: read as click reads it or left to it, and shown as the ordinary command shows it, to the byte."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtree.hooks.daemon import client
from memtree.tools import exits
from memtree.tools.cli import cli
from memtree.tools.quick_search import Typed, fits, quick_search, read_search
from support.cli import Outcome, environment, memtree
from support.daemon import Serving, daemon, listening, place_of
from support.gitrepo import GitRepo

# -- reading


def as_click_reads(words: list[str]) -> Typed | None:
    """What click makes of a command line; None where it is no search, or wrong."""
    try:
        group = cli.make_context("memtree", list(words))
        left = [*group._protected_args, *group.args]
        name, command, rest = cli.resolve_command(group, left) if left else ("", None, [])
        if name != "search" or command is None:
            return None
        said = command.make_context("search", rest, parent=group).params
    except (click.ClickException, click.exceptions.Exit):
        return None
    return Typed(
        said["query"],
        group.params["workspace"],
        said["limit"],
        said["kinds"],
        said["folder"],
        said["since"],
        said["until"],
        said["mode"],
        said["explain"],
        said["as_json"],
    )


OPTIONS = ["-n", "--limit", "--kind", "--path", "--since", "--until", "--mode", "-w", "--workspace"]
VALUES = ["5", "0", "1001", "1_0", "+5", "٣", " 5", "note", "wiki", "Note", "text", "x y", "", "-", "--", "-1", "=3", "a=b"]
OTHERS = "search heron 图书馆 \udc80 log --explain --json -h --help -V - -- -n5 -wx --lim --explain=1 --no-json -nw -jn ---json"
PAIRS = st.tuples(st.sampled_from(OPTIONS), st.sampled_from(VALUES))
WORDS = st.sampled_from(OTHERS.split()) | st.sampled_from(OPTIONS + VALUES) | PAIRS.map("=".join) | PAIRS.map("".join)
USUAL = [
    "heron",
    "search",
    "图书馆",
    "\udc80",
    "-n5",
    "--limit=7",
    "--kind=wiki",
    "--path=a=b",
    "--since=3d",
    "--explain",
    "--json",
]
USUAL_PAIRS = ["-n 5", "--limit 0", "--kind note", "--kind bird", "--path a/*.md", "--since 3d", "--mode text", "--mode both"]
PLAIN = st.sampled_from([[word] for word in USUAL] + [pair.split() for pair in USUAL_PAIRS])
STRANGE = PAIRS.map(list) | WORDS.map(lambda word: [word])
PARTS = st.lists(st.integers(0, 9).flatmap(lambda n: STRANGE if n == 0 else PLAIN), max_size=6).map(lambda parts: [*chain(*parts)])
BEFORE = st.sampled_from([[], ["-w", "x"], ["-wx"], ["--workspace", "search"], ["--workspace=x"]]) | st.lists(WORDS, max_size=2)
LINES = st.builds(lambda before, after: [*before, "search", *after], BEFORE, PARTS)


@settings(max_examples=250)
@given(words=LINES | st.lists(WORDS, max_size=6))
@example(words=["-w", "search", "search", "x"])
@example(words=["search", "--path", "--json", "x"])
@example(words=["search", "x", "-n5", "--limit=6"])
@example(words=["-wx", "search", "search"])
def test_what_is_read_is_read_as_click_reads_it(words: list[str]) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        expected = as_click_reads(words)
    found = read_search(words)
    if found is None or not fits(found):
        return
    assert expected is not None, words
    assert found._replace(limit=found.limit or 10, path=found.path or "") == expected


@pytest.mark.parametrize(
    "line",
    [
        "search heron",
        "-w FOLDER search heron tern",
        "--workspace=FOLDER search heron",
        "-wFOLDER search heron -n 3",
        "search --limit 3 heron --limit=4 -n5",
        "search heron --kind note --kind=wiki --path projects --since 3d --until yesterday --mode text --explain --json",
    ],
)
def test_the_plain_forms_are_read(line: str) -> None:
    assert read_search(line.split()) is not None


@pytest.mark.parametrize(
    "line", ["", "search", "save search", "search -- x", "search --help", "log search", "hook search x", "search x -q"]
)
def test_everything_else_is_left_to_click(line: str) -> None:
    assert read_search(line.split()) is None


# -- answering


@pytest.fixture(scope="module")
def served(saved_notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Serving]]:
    folder = tmp_path_factory.mktemp("served") / "notes"
    shutil.copytree(saved_notes, folder)
    settings = folder / "memtree.toml"
    settings.write_bytes(settings.read_bytes().removesuffix(b'model = "none"\n'))
    memtree("save", cwd=folder)
    with daemon(folder) as serving:
        yield folder, serving


def quick(*words: str, cwd: Path, code: int | None) -> Outcome:
    """The search before click, with what it wrote."""
    with (
        tempfile.TemporaryFile() as out,
        io.TextIOWrapper(out, encoding="utf-8", write_through=True) as stdout,
        tempfile.TemporaryFile() as err,
        io.TextIOWrapper(err, encoding="utf-8", write_through=True) as stderr,
        contextlib.chdir(cwd),
    ):
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            ended = quick_search(words, os.environ)
        texts = []
        for stream in (stdout, stderr):
            stream.seek(0)
            texts.append(stream.read())
    assert ended == code, (ended, texts)
    return Outcome(-1 if ended is None else ended, *texts)


LINES_THAT_ANSWER = [
    ["certificate", "renewal"],
    ["certificate", "--json"],
    ["图书馆", "--explain"],
    ["certificate", "-n1", "--explain", "--json"],
    ["certificate", "--path", "projects"],
    ["certificate", "--path", "projects/*.md", "--kind", "note"],
    ["certificate", "--kind", "wiki"],
    ["certificate", "--since", "2020-01-01", "--until", "now"],
    ["certificate", "--until", "2020-01-01", "--json"],
    ["zzzz", "--mode", "text"],
    ["certificate", "--mode", "vector"],
    ["certificate", "--mode=hybrid", "--limit=1000"],
]
LINES_THAT_FAIL = [
    ["x", "--since", "whenever"],
    ["x", "--until", "whenever", "--json"],
    ["x", "--path", "../.."],
    ["x", "--path", "../..", "--json"],
]


@pytest.mark.parametrize("words", LINES_THAT_ANSWER)
@pytest.mark.parametrize("colour", [False, True])
def test_a_daemons_answer_looks_like_the_commands(
    served: tuple[Path, Serving], words: list[str], colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if colour:
        monkeypatch.setenv("FORCE_COLOR", "1")
    notes, _ = served
    ordinary = memtree("search", *words, cwd=notes)
    assert ordinary.out
    assert quick("search", *words, cwd=notes, code=0) == ordinary
    assert quick("-w", str(notes), "search", *words, cwd=notes.parent, code=0).out == ordinary.out


@pytest.mark.parametrize("words", LINES_THAT_FAIL)
def test_an_error_looks_like_the_commands(served: tuple[Path, Serving], words: list[str]) -> None:
    ordinary = memtree("search", *words, cwd=served[0], code=2)
    assert quick("search", *words, cwd=served[0], code=2) == ordinary
    assert ordinary.out or ordinary.err


def test_notes_beside_the_hits_are_told(notes: GitRepo) -> None:
    ordinary = memtree("search", "heron", "--mode", "vector", cwd=notes.path)
    with daemon(notes.path):
        assert quick("search", "heron", "--mode", "vector", cwd=Path(notes.path), code=0) == ordinary
    assert "nothing is found by meaning" in ordinary.err


@pytest.mark.parametrize("line", ["x -n 0", "x -n 1001", "x --kind bird", "x --mode both", "--help", ""])
def test_what_is_wrong_is_left_to_click(served: tuple[Path, Serving], line: str) -> None:
    notes, serving = served
    serving.asked.clear()
    outcome = quick("search", *line.split(), cwd=notes, code=None)
    assert (outcome.out, outcome.err) == ("", "")
    assert "search" not in serving.asked


def test_completion_is_left_to_click(served: tuple[Path, Serving], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_MEMTREE_COMPLETE", "bash_source")
    assert quick("search", "heron", cwd=served[0], code=None).out == ""


def test_without_a_daemon_nothing_is_done(notes: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for cwd in (Path(notes.path), tmp_path):
        outcome = quick("search", "heron", cwd=cwd, code=None)
        assert (outcome.out, outcome.err) == ("", "")
    with listening(place_of(notes.path), {"search": lambda *_: 1 / 0}):
        outcome = quick("search", "heron", cwd=Path(notes.path), code=None)
    assert (outcome.out, outcome.err) == ("", "")


def test_a_daemon_of_another_version_is_named(notes: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    with daemon(notes.path) as serving:
        monkeypatch.setattr(client, "VERSION", "99.0")
        quick("search", "heron", cwd=Path(notes.path), code=None)
        told = memtree("search", "heron", cwd=notes.path)
        as_json = memtree("search", "heron", "--json", cwd=notes.path)
    assert "memtree daemon restart" in told.err
    assert "memtree daemon restart" in as_json.json["notes"][0]
    assert "projects/heron.md" in told.out
    assert serving.asked == []


def test_the_environment_names_the_workspace(served: tuple[Path, Serving], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTREE_WORKSPACE", str(served[0]))
    assert "projects/heron.md" in quick("search", "certificate", cwd=tmp_path, code=0).out


# -- as a process


def process(notes: Path, *words: str, **more: Any) -> subprocess.Popen[bytes]:
    code = "import sys\nfrom memtree.tools.main import main\nmain(sys.argv[1:])"
    command = (sys.executable, "-c", code, *words)
    return subprocess.Popen(command, cwd=notes, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def test_a_process_answers_by_the_daemon_and_loads_nothing_for_it(served: tuple[Path, Serving]) -> None:
    notes, serving = served
    serving.asked.clear()
    code = (
        "import os, sys\nfrom memtree.tools import main\n"
        "os._exit = lambda code: (print(code, *sys.modules, file=sys.stderr), sys.exit())\n"
        "main.main(['search', 'certificate', 'renewal'])"
    )
    done = subprocess.run((sys.executable, "-c", code), cwd=notes, env=environment(), capture_output=True, text=True, check=True)
    ended, *loaded = done.stderr.split()
    assert ended == "0"
    assert done.stdout == memtree("search", "certificate", "renewal", cwd=notes).out
    heavy = {"click", "rich", "pygit2", "numpy", "tantivy", "yaml", "asyncio", "subprocess", "memtree.engine.workspace"}
    assert not set(loaded) & heavy
    assert serving.asked[-1] == "search"


def test_a_reader_that_is_gone_ends_it_quietly(served: tuple[Path, Serving]) -> None:
    with process(served[0], "search", "certificate") as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        told = child.stderr.read()
        assert (child.wait(60), told) == (exits.BROKEN_PIPE, b"")
