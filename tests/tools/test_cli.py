"""The command as a process: finding the workspace, streams and terminals, exit codes, start-up, completion."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from memtree.tools.cli import COMMANDS, OTHER_WORDS
from memtree.tree.version import VERSION
from support.cli import MEMTREE, environment, memtree, spawn
from support.gitrepo import GitRepo

ROOT = Path(__file__).parents[2]
# What the start of a command must not pay for.
HEAVY = {"rich", "pydantic", "asyncio", "importlib.metadata", "yaml", "pygit2", "tantivy", "difflib", "rapidfuzz"}


def loaded(*arguments: str, cwd: str | os.PathLike[str]) -> set[str]:
    """The modules that a command had loaded when it ended, its output going to a pipe."""
    program = (
        "import json, os, sys\nfrom memtree.tools.cli import run\ncode = run(sys.argv[1:])\nassert code == 0, code\n"
        "os.write(2, json.dumps(sorted(sys.modules)).encode())\nos._exit(0)"
    )
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, check=True, timeout=60)
    return set(json.loads(done.stderr.decode().splitlines()[-1]))


# -- start-up


@pytest.mark.parametrize("call", ["--help", "--version", "save --help"])
def test_asking_for_help_loads_next_to_nothing(tmp_path: Path, call: str) -> None:
    assert loaded(*call.split(), cwd=tmp_path) & HEAVY == set()


@pytest.mark.parametrize("call", ["search heron --mode text", "log", "status"])
def test_a_command_loads_only_what_it_needs(notes: GitRepo, call: str) -> None:
    memtree("search", "heron", cwd=notes.path)  # an index that is up to date
    needed = {"pygit2", "tantivy", "rapidfuzz"}
    if call == "status":
        needed.add("importlib.metadata")  # the lock library's own; a search that has nothing to capture takes no lock
    assert loaded(*call.split(), cwd=notes.path) & (HEAVY - needed) == set()


def test_the_version_is_the_published_one() -> None:
    assert spawn("--version").out == f"memtree {VERSION}\n"
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION


@pytest.mark.parametrize("call", [[], ["--help"], ["-h"], ["help"]])
def test_alone_it_prints_its_help(tmp_path: Path, call: list[str]) -> None:
    done = spawn(*call, cwd=tmp_path)
    assert done.out.startswith("Usage: memtree")
    assert done.err == ""
    assert all(f"  {name} " in done.out for name in COMMANDS)


def test_help_may_come_first(tmp_path: Path) -> None:
    assert memtree("help", "save", cwd=tmp_path) == memtree("save", "--help", cwd=tmp_path)


def test_a_group_alone_prints_its_help(tmp_path: Path) -> None:
    assert "remote add" not in memtree("remote", cwd=tmp_path).err
    assert "Commands:" in memtree("remote", cwd=tmp_path).out


@pytest.mark.parametrize(
    "name", ["init", "clone", "save", "search", "log", "review", "show", "diff", "blame", "restore", "undo", "sync"]
)
def test_a_main_command_s_help_has_an_example(name: str) -> None:
    assert f"Example: memtree {name}" in " ".join(memtree(name, "--help").out.split())


def test_other_tools_words_lead_to_real_commands() -> None:
    assert {words.split()[0] for words in OTHER_WORDS.values()} <= {*COMMANDS, "--help", "--version"}
    assert not set(OTHER_WORDS) & set(COMMANDS)


# -- finding the workspace


def test_the_workspace_is_found_by_option_then_environment_then_upwards(
    notes: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    memtree("init", str(other))
    sub = Path(notes.path, "projects")

    def found(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> str:
        with monkeypatch.context() as patch:
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            return str(memtree(*arguments, "status", "--json", cwd=cwd).json["root"])

    assert found(cwd=sub) == notes.path
    assert found("-w", str(other), cwd=sub, env={"MEMTREE_WORKSPACE": notes.path}) == str(other)
    assert found(cwd=sub, env={"MEMTREE_WORKSPACE": str(other)}) == str(other)
    assert spawn("status", "--json", cwd=sub, env={"MEMTREE_WORKSPACE": str(other)}).json["root"] == str(other)
    assert found("--workspace", "notes/projects", cwd=tmp_path) == notes.path
    assert found("-w", "~/notes", cwd=sub, env={"HOME": str(tmp_path)}) == notes.path


@pytest.mark.parametrize(
    "typed", ["heron.md", "./heron.md", "projects/heron.md", "../projects/heron.md", "{root}/projects/heron.md"]
)
@pytest.mark.parametrize("call", ["show {path}", "log {path}", "blame {path}", "diff HEAD~1 {path}", "restore {path} --at HEAD~1"])
def test_a_path_counts_from_the_current_folder_or_from_the_root(notes: GitRepo, typed: str, call: str) -> None:
    path = typed.format(root=notes.path)
    done = memtree(*call.format(path=path).split(), cwd=Path(notes.path, "projects"))
    assert "renews" in done.out or "heron" in done.out or "save" in done.out


def test_a_path_is_found_from_outside_when_the_workspace_is_named(notes: GitRepo, tmp_path: Path) -> None:
    assert "Ada" in memtree("-w", notes.path, "show", "projects/heron.md", cwd=tmp_path).out


def test_a_deleted_file_s_history_is_found_from_its_folder(notes: GitRepo) -> None:
    notes.remove("projects/heron.md")
    notes.write("projects/other.md", "x\n")
    memtree("save", cwd=notes.path)
    for typed in ("heron.md", "projects/heron.md"):
        assert len(memtree("log", typed, cwd=Path(notes.path, "projects")).lines) == 3
        assert "Ada" in memtree("show", typed, "--at", "HEAD~1", cwd=Path(notes.path, "projects")).out


# -- streams and terminals


def on_terminal(*arguments: str, cwd: str, env: dict[str, str] | None = None) -> str:
    """What a command writes to a terminal of 60 columns."""
    main, side = pty.openpty()
    settings = environment({"TERM": "xterm-256color", "COLUMNS": "60", **(env or {})})
    with subprocess.Popen((*MEMTREE, *arguments), cwd=cwd, env=settings, stdin=side, stdout=side, stderr=side) as process:
        os.close(side)
        found = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not part:
                break
            found += part
    os.close(main)
    assert process.returncode == 0, found
    return found.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_unless_it_is_unwanted(notes: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in on_terminal("log", cwd=notes.path)
    assert "\x1b[" not in on_terminal("log", cwd=notes.path, env={"NO_COLOR": "1"})
    assert "\x1b[" not in on_terminal("log", cwd=notes.path, env={"TERM": "dumb"})
    assert "\x1b[" not in memtree("log", cwd=notes.path).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in memtree("log", cwd=notes.path).out


def test_snippets_fit_the_terminal_and_are_whole_in_a_pipe(notes: GitRepo) -> None:
    notes.write("long.md", "# Long\n\n" + "many words on a line " * 9 + "quokka\n")
    shown = on_terminal("search", "quokka", cwd=notes.path, env={"NO_COLOR": "1"})
    assert max(len(line) for line in shown.splitlines()) <= 60
    assert len(memtree("search", "quokka", cwd=notes.path).lines) == 2


def test_a_reader_that_goes_away_is_no_news(notes: GitRepo) -> None:
    for number in range(5):
        notes.write("big.md", "".join(f"{number} line {n} of many\n" for n in range(3000)))
        memtree("save", cwd=notes.path)
    for call in ("log", "blame big.md", "show big.md", "diff HEAD~4 HEAD", "log --json", "diff HEAD~4 HEAD --json"):
        command = f'"{sys.executable}" -m memtree.tools {call} | head -c 20 >/dev/null; echo "${{PIPESTATUS[0]}}"'
        done = subprocess.run(
            ["bash", "-c", command], cwd=notes.path, env=environment(), capture_output=True, text=True, check=True
        )
        assert done.stderr == "", call
        assert done.stdout.strip() in ("0", "1", "141"), call


def test_an_encoding_without_a_character_is_no_crash(notes: GitRepo) -> None:
    assert "\\u56fe" in spawn("show", ".", cwd=notes.path, env={"PYTHONIOENCODING": "ascii"}).out


def test_interrupting_ends_with_130_and_leaves_no_lock(notes: GitRepo) -> None:
    for number in range(400):
        notes.write(f"many/{number}.md", f"note {number}\n" * 50)
    with subprocess.Popen(
        (*MEMTREE, "save"), cwd=notes.path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        deadline = time.monotonic() + 100
        while not _writing(notes.path) and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert run.returncode in (0, 130), err
    if run.returncode:
        assert err.strip() == b"memtree: interrupted"
        assert out == b""
    memtree("save", cwd=notes.path)
    assert notes.git("status", "--porcelain") == ""


def _writing(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git", "index.lock"))


# -- completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed(shell: str) -> None:
    assert "_MEMTREE_COMPLETE" in spawn("completion", shell).out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("memtree sea", {"search"}),
        ("memtree re", {"remote", "review", "restore", "resolve", "reindex"}),
        ("memtree log --wr", {"--writer"}),
    ],
)
def test_bash_really_completes(words: str, offered: set[str]) -> None:
    env = {"_MEMTREE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = spawn(env=env, code=None)
    assert {line.partition(",")[2] for line in done.lines} == offered
    assert done.code == 0
    assert done.err == ""


def test_the_bash_script_fills_in_a_command() -> None:
    script = """
        source <(memtree completion bash)
        set -- memtree sea; COMP_WORDS=("$@"); COMP_CWORD=1
        _memtree_completion memtree; echo "${COMPREPLY[@]}"
    """
    env = environment({"PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"})
    done = subprocess.run(["bash", "-c", script], env=env, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("search\n", "")
