"""The demo: two machines and a bare remote in a temporary folder, driven through the `memtree` command as a person would.

Every line it prints is a real command with its real output and time; every claim of its last line was checked on the way.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from memtree.tools.demo_notes import NOTES
from memtree.tools.render import Look, Screen, Span, harmless
from memtree.tree.errors import StateError, UserError

_MOST_LINES = 14
_MOST_NOTES = 20_000


class DemoFailed(StateError):
    """Something the demo claims did not happen."""


@dataclass(slots=True)
class Demo:
    """Runs commands in a temporary folder and remembers what was proved."""

    folder: str
    screen: Screen
    proved: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def title(self, text: str) -> None:
        self.screen.show([(), (Span(f"== {text}", Look.STRONG),)])

    def run(self, machine: str, *arguments: str, name: str = "") -> str:
        """Run one memtree command on a machine; print it, its output and its time, and return the output."""
        command = [sys.executable, "-m", "memtree.tools", *arguments]
        environment = {key: value for key, value in os.environ.items() if key != "MEMTREE_WORKSPACE"}
        here = os.path.join(self.folder, machine)
        started = time.perf_counter()
        done = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False, timeout=300)
        took = time.perf_counter() - started
        self.seconds[name or arguments[0]] = took
        shown = " ".join(argument if " " not in argument else f'"{argument}"' for argument in arguments)
        self.screen.show([(Span(f"{machine}$ ", Look.PLACE), Span(f"memtree {shown}"), Span(f"   {took:.2f} s", Look.FAINT))])
        lines = (done.stdout + done.stderr).splitlines()
        self.screen.show([(Span(f"    {harmless(line)}"),) for line in lines[:_MOST_LINES]])
        if len(lines) > _MOST_LINES:
            self.screen.show([(Span(f"    ... {len(lines) - _MOST_LINES} more lines", Look.FAINT),)])
        if done.returncode:
            raise DemoFailed(f"memtree {shown} ended with exit code {done.returncode}", hint="its output stands above")
        return done.stdout

    def edit(self, machine: str, path: str, text: str) -> None:
        """Change a file the way an editor does."""
        full = os.path.join(self.folder, machine, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "a", encoding="utf-8") as file:
            file.write(text)
        self.screen.show([(Span(f"{machine}: ", Look.PLACE), Span(f"an editor adds to {path}: {' '.join(text.split())}"))])

    def check(self, claim: str, holds: bool) -> None:
        """Hold a claim to what really happened."""
        if not holds:
            raise DemoFailed(f"the demo could not show that {claim}", hint="run memtree demo --keep and look at the folder")
        self.proved.append(claim)
        self.screen.show([(Span(f"    proved: {claim}", Look.GOOD),)])


def run(notes: str | None, *, keep: bool, as_json: bool) -> None:
    """Play the demo; raise DemoFailed when a claim does not hold, UserError when the notes cannot be used."""
    started = time.perf_counter()
    stream = sys.stderr if as_json else sys.stdout
    with _folder(keep=keep) as folder:
        demo = Demo(folder, Screen(stream, os.environ))
        count = _play(demo, notes)
        took = time.perf_counter() - started
        if as_json:
            Screen(sys.stdout, os.environ).json({"notes": count, "proved": demo.proved, "seconds": demo.seconds, "total": took})
        where = f" (left in {folder})" if keep else ""
        summary = (
            f"Proved in {took:.1f} s on {count:,} notes: {len(demo.proved)} claims hold, among them that B finds A's edit, both "
            f"edits survive, both machines hold the same commit, and git agrees{where}."
        )
        demo.screen.show([(), (Span(summary, Look.STRONG),)])


@contextlib.contextmanager
def _folder(*, keep: bool) -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="memtree-demo-")
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _play(demo: Demo, notes: str | None) -> int:
    count = _lay_out_notes(demo, notes)
    _git(demo, ".", "init", "--quiet", "--bare", "-b", "main", "remote.git")

    demo.title(f"Machine A: {count:,} notes become a workspace")
    before = _snapshot(os.path.join(demo.folder, "A"))
    demo.run("A", "init", ".", "--remote", os.path.join(demo.folder, "remote.git"))
    demo.run("A", "save", "-m", "my notes as they are")
    demo.check("adopting changed no file", _snapshot(os.path.join(demo.folder, "A")) == before)
    demo.edit("A", "demo/today.md", "# Today\n\nThe quokka migration moved to Thursday.\n")
    found = demo.run("A", "search", "quokka migrations", name="search")
    demo.check("an edit is found by the next search, without a daemon", "demo/today.md" in found)
    demo.run("A", "sync", name="first sync")

    demo.title("Machine B: a clone, and edits on both machines")
    demo.run(".", "clone", "remote.git", "B")
    demo.edit("A", "demo/today.md", "Ask Wombat Ltd. for the invoice.\n")
    demo.edit("B", "demo/ideas.md", "# Ideas\n\n北京大学 has a numbat archive.\n")
    demo.run("A", "sync")
    demo.run("B", "sync")
    demo.run("A", "sync")
    found = demo.run("B", "search", "wombat invoice")
    demo.check("B finds A's edit", "demo/today.md" in found)
    found = demo.run("A", "search", "北京")
    demo.check("A finds B's edit, in Chinese", "demo/ideas.md" in found)

    demo.title("Both machines edit the same note")
    demo.edit("A", "demo/today.md", "A was here.\n")
    demo.edit("B", "demo/today.md", "B was here.\n")
    for machine in ("A", "B", "A"):
        demo.run(machine, "sync")
    texts = [_all_text(os.path.join(demo.folder, machine, "demo")) for machine in "AB"]
    demo.check("both edits survive on both machines", all("A was here" in text and "B was here" in text for text in texts))
    demo.check("no conflict marker is anywhere", not any("<<<<<<<" in text or ">>>>>>>" in text for text in texts))
    tips = {_git(demo, machine, "rev-parse", "HEAD") for machine in "AB"}
    demo.check("both machines hold the same commit", len(tips) == 1)

    demo.title("History")
    demo.run("B", "log", "demo/today.md")
    demo.run("B", "diff", "HEAD~1", "HEAD", "demo", "--words")
    demo.edit("B", "demo/ideas.md", "A mistake of mine.\n")
    demo.run("B", "save")
    demo.run("B", "undo", "HEAD")
    demo.check("undo takes an edit back by a new commit", "mistake" not in _all_text(os.path.join(demo.folder, "B", "demo")))

    demo.title("A conversation with an agent becomes memory")
    told = (
        "We decided to host the numbat archive on the quokka server. I prefer tabs to spaces. I live in Bergen.",
        "Noted, and moved there.",
    )
    demo.run("A", "hook", "turn", "--session", "talk", "--user", told[0], "--assistant", told[1])
    demo.run("A", "hook", "session-end", "--session", "talk", "--wait")
    demo.run("A", "sync")
    demo.run("B", "sync")
    known = demo.run("B", "profile", "list")
    demo.check("B knows what its user said on A", "Prefers tabs to spaces" in known)
    decided = demo.run("B", "context")
    demo.check("agents on B are told what was decided on A", "decision: We decided to host the numbat archive" in decided)
    demo.run("B", "hook", "turn", "--session", "later", "--user", "I moved to Porto last month.", "--assistant", "Enjoy it.")
    demo.run("B", "hook", "session-end", "--session", "later", "--wait")
    demo.run("B", "sync")
    demo.run("A", "sync")
    now, all_told = demo.run("A", "facts", "list"), demo.run("A", "facts", "list", "--state", "all")
    demo.check("what was said on B takes the place of what A knew", "Porto" in now and "Bergen" not in now)
    demo.check("what was so before is kept", "Bergen" in all_told)

    states = [_git(demo, machine, "status", "--porcelain") + _git(demo, machine, "fsck", "--strict") for machine in "AB"]
    demo.check("git status and git fsck are clean on both", states == ["", ""])
    return count


def _lay_out_notes(demo: Demo, notes: str | None) -> int:
    """Fill machine A: with copies of the user's markdown, or with the built-in notes."""
    target = os.path.join(demo.folder, "A")
    os.makedirs(target)
    if notes is None:
        for path, text in NOTES.items():
            full = os.path.join(target, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return len(NOTES)
    source = os.path.abspath(os.path.expanduser(notes))
    if not os.path.isdir(source):
        raise UserError(f"{notes} is not a folder", hint="give a folder with markdown files: memtree demo --notes ~/notes")
    found = list(islice(_markdown(source), _MOST_NOTES))
    if not found:
        raise UserError(f"{notes} holds no markdown", hint="give a folder with .md files")
    for path in found:
        copy = os.path.join(target, path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copyfile(os.path.join(source, path), copy)
    return len(found)


def _markdown(source: str) -> Iterator[str]:
    """The paths of a folder's notes, hidden folders and broken links left out."""
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            full = os.path.join(folder, name)
            if name.endswith((".md", ".markdown", ".txt")) and os.path.isfile(full):
                yield os.path.relpath(full, source)


def _git(demo: Demo, machine: str, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=os.path.join(demo.folder, machine), capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.strip()


def _snapshot(folder: str) -> dict[str, tuple[int, bytes]]:
    """Every file of the user's with its time and content; memtree's own additions left out."""
    found = {}
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            full = os.path.join(here, name)
            if name != "memtree.toml":
                with open(full, "rb") as file:
                    found[full] = (os.stat(full).st_mtime_ns, file.read())
    return found


def _all_text(folder: str) -> str:
    text = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text.append(file.read())
    return "\n".join(text)
