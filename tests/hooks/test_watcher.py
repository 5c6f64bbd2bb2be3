"""The watcher: barriers, folders that come and go, and what it does when the system does not tell of changes."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pathspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.scope import TEMPORARY
from memtree.hooks.watching import watcher as watching
from memtree.hooks.watching.changes import Spot, sorted_out
from memtree.hooks.watching.folders import Folders, outermost
from memtree.hooks.watching.momentary import is_momentary
from memtree.hooks.watching.notices import ADDED, DELETED, MODIFIED, Notices, OutOfWatches
from memtree.hooks.watching.watcher import Watcher
from support.watched import Watched, everywhere


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Watched]:
    with Watched(tmp_path) as watched:
        yield watched


def until(happened: Callable[[], object], patience: float = 100.0) -> None:
    """Wait for what must happen at some time."""
    end = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


# -- barriers
def test_without_a_barrier_all_is_told_too(work: Watched) -> None:
    work.save("x.md", "soon\n")
    until(lambda: "x.md" in work.hints)
    work.make("new/folder")
    work.save("new/folder/n.md", "n\n")
    until(lambda: work.tells("new/folder/n.md"))
    until(lambda: work.watcher.folders == 5)
    work.hints.clear()
    work.save("new/folder/n.md", "again\n")
    until(lambda: "new/folder/n.md" in work.hints)


def test_barriers_of_many_threads_each_tell_the_truth(work: Watched) -> None:
    wrong: list[str] = []

    def writes(number: int) -> None:
        for turn in range(25):
            path = f"t{number}-{turn}.md" if turn % 5 else f"f{number}-{turn}/n.md"
            work.make(os.path.dirname(path) or ".")
            work.save(path, "mine\n")
            if not work.watcher.barrier(100) or not work.tells(path):
                wrong.append(path)

    threads = [threading.Thread(target=writes, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert os.listdir(os.path.join(work.git.git_folder, "memtree", "cookies")) == []


def test_quiet_means_quiet(work: Watched) -> None:
    work.forget()
    for _ in range(3):
        assert work.watcher.barrier(100)
    work.repo.git("status")
    assert work.watcher.barrier(100)
    assert (work.hints, work.lost) == (set(), [])


def test_what_a_killed_run_left_is_cleared(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    cookies = Path(watched.git.git_folder, "memtree", "cookies")
    cookies.mkdir(parents=True)
    (cookies / "1-1").touch()
    with watched:
        assert watched.watcher.barrier(100)
        assert list(cookies.iterdir()) == []


def test_a_stopped_watcher_answers_no_and_tells_nothing(work: Watched) -> None:
    work.watcher.stop()
    work.hints.clear()
    work.save("x.md", "unseen\n")
    assert not work.watcher.barrier(0.1)
    assert (work.hints, work.watcher.folders) == (set(), 0)
    work.watcher.stop()
    work.watcher.start()
    work.during(lambda w: w.save("x.md", "seen\n"))


def test_starting_and_stopping_leaves_nothing_behind(tmp_path: Path) -> None:
    watched = Watched(tmp_path)

    def once() -> None:
        with watched:
            pass

    once()
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(200):
        once()
    assert threading.active_count() == threads
    # The threads of the system's side end a moment later.
    until(lambda: len(os.listdir("/proc/self/fd")) <= descriptors)


def test_watching_anew_again_and_again_leaves_nothing_behind(work: Watched) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))
    for number in range(10):
        work.make(f"f{number}")
        until(lambda number=number: work.watcher.folders == 4 + number)  # type: ignore[misc]
    until(lambda: len(os.listdir("/proc/self/fd")) <= descriptors + 1)
    work.during(lambda w: w.save("f9/n.md", "n\n"))


# -- what breaks
def test_a_name_that_is_not_utf_8_loses_nothing(work: Watched) -> None:
    def happens(w: Watched) -> None:
        Path(os.fsdecode(os.fsencode(w.root) + b"/\xff.md")).write_text("odd\n")
        w.save("x.md", "plain\n")

    work.during(happens, may_lose=True)
    until(lambda: work.lost)
    until(lambda: work.watcher.barrier(1))
    assert "UTF-8" in work.lost[0]
    os.mkdir(os.path.join(os.fsencode(work.root), b"\xfe"))
    until(lambda: len(work.lost) > 1)
    until(lambda: work.watcher.barrier(1))
    work.during(lambda w: w.save("x.md", "after\n"))


def test_names_that_are_not_utf_8_again_and_again_are_said(work: Watched) -> None:
    odd = Path(os.fsdecode(os.fsencode(work.root) + b"/\xff.md"))

    def again() -> bool:
        odd.write_text(str(time.monotonic()))
        return bool(work.watcher.trouble)

    until(again)
    assert "UTF-8" in work.watcher.trouble
    assert len(work.lost) <= 5
    assert not work.watcher.barrier(20)
    work.watcher.stop()


def test_a_workspace_that_is_moved_away_and_back(work: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_SOON", 0.02)
    elsewhere = os.path.join(work.outside, "moved")
    os.rename(work.root, elsewhere)
    until(lambda: "gone" in work.watcher.trouble)
    assert not work.watcher.barrier(20)
    assert not os.path.exists(work.root)
    os.rename(elsewhere, work.root)
    until(lambda: not work.watcher.trouble)
    until(lambda: work.lost[-1:] == ["changes are watched again"])
    work.during(lambda w: w.save("x.md", "back\n"))


def test_another_folder_in_the_workspaces_place(work: Watched) -> None:
    def happens(w: Watched) -> None:
        os.rename(w.root, os.path.join(w.outside, "old"))
        w.run("cp", "-r", os.path.join(w.outside, "old"), os.path.join(w.outside, "copy"), cwd="/")
        os.rename(os.path.join(w.outside, "copy"), w.root)

    work.forget()
    happens(work)
    until(lambda: work.lost)
    until(lambda: work.watcher.barrier(1))
    work.during(lambda w: w.save("notes/deep/b.md", "in the copy\n"))


@pytest.mark.parametrize("folder", ["memtree", "memtree/cookies"])
def test_a_state_folder_that_somebody_removes(work: Watched, folder: str) -> None:
    shutil.rmtree(os.path.join(work.git.git_folder, folder))
    work.save("x.md", "meanwhile\n")
    until(lambda: work.watcher.barrier(1))
    assert work.tells("x.md") or work.lost
    work.during(lambda w: w.save("x.md", "after\n"))


def test_a_cookie_folder_made_anew_behind_its_back(work: Watched) -> None:
    cookies = os.path.join(work.git.git_folder, "memtree", "cookies")
    shutil.rmtree(cookies)
    os.makedirs(cookies, exist_ok=True)
    until(lambda: work.watcher.barrier(1))
    work.during(lambda w: w.save("x.md", "after\n"))


def test_more_folders_than_may_be_watched(tmp_path: Path) -> None:
    with Watched(tmp_path, most_folders=4) as watched:
        watched.during(lambda w: w.save("notes/a.md", "fine\n"))
        for number in range(4):
            watched.make(f"f{number}")
        until(lambda: watched.watcher.trouble)
        assert "folders" in watched.watcher.trouble
        assert watched.lost[-1] == watched.watcher.trouble
        assert not watched.watcher.barrier(20)
        assert watched.watcher.folders == 0


def test_folders_that_come_and_go_too_quickly_lose_nothing(work: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_TRIES", 0)
    for number in range(3):
        work.during(lambda w, number=number: (w.make(f"f{number}"), w.save(f"f{number}/n.md", "n\n")))  # type: ignore[misc]
        time.sleep(0.06)
    assert (work.watcher.trouble, work.watcher.folders) == ("", 3)
    work.during(everywhere)
    monkeypatch.setattr(watching, "_TRIES", 10)
    until(lambda: work.watcher.folders == 6)
    work.during(everywhere)


def test_very_many_changes_at_once_are_followed_by_a_look_at_everything(work: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MANY", 200)
    work.during(lambda w: [w.save(f"n{number}.md", "n\n") for number in range(150)])
    work.forget()
    work.during(lambda w: [w.save(f"m{number}.md", "m\n") for number in range(450)], may_lose=True)
    assert set(work.lost) == {"very many changes at once"}


_OUT_OF_WATCHES = """
import json, os, sys, time
{limits}
from memtree.hooks.watching.watcher import Watcher
root, lost, told = sys.argv[1], [], set()
watcher = Watcher(root, root + "/.git/memtree", lambda folder: True, told.update, lost.append, 0.01)
watcher.start()
before = watcher.trouble
{then}
print(json.dumps([before, watcher.trouble, lost, watcher.folders]))
watcher.stop()
"""
_MORE_FOLDERS = """
for number in range({first}, {end}):
    os.mkdir(f"{{root}}/f{{number}}")
end = time.monotonic() + 100
while not lost and time.monotonic() < end:
    time.sleep(0.01)
assert watcher.barrier(100) or watcher.trouble
"""


def _child(work: Watched, limits: str, then: str = "", *before: str) -> tuple[str, str, list[str], int]:
    words = [*before, sys.executable, "-c", _OUT_OF_WATCHES.format(limits=limits, then=then), work.root]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    return found[0], found[1], found[2], found[3]


def _limited(watches: int) -> str:
    """In a user namespace of its own a process may lower its own limit."""
    return f'open("/proc/sys/user/max_inotify_watches", "w").write("{watches}")'


_NAMESPACE = ("unshare", "--user", "--map-root-user")


def _can_limit() -> bool:
    try:
        words = [*_NAMESPACE, sys.executable, "-c", _limited(9)]
        return subprocess.run(words, capture_output=True, check=False, timeout=20).returncode == 0
    except FileNotFoundError:
        return False


def test_out_of_watches_for_real(tmp_path: Path) -> None:
    if not _can_limit():
        pytest.skip("no user namespaces here")
    work = Watched(tmp_path)
    before, _, _, folders = _child(work, _limited(4), "", *_NAMESPACE)
    assert "max_user_watches" in before
    assert folders == 0
    # Six are watched, of ten: not enough for both watches at once, but for the new one alone.
    before, after, lost, folders = _child(work, _limited(10), _MORE_FOLDERS.format(first=0, end=1), *_NAMESPACE)
    assert (before, after, lost, folders) == ("", "", ["folders were added"], 4)
    before, after, lost, folders = _child(work, _limited(10), _MORE_FOLDERS.format(first=1, end=9), *_NAMESPACE)
    assert (before, folders) == ("", 0)
    assert "max_user_watches" in after
    assert lost[-1] == after


def test_watches_that_are_given_back_late_are_waited_for(work: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not enough for two watches at once; and those of the old one are free only a while after it has ended."""
    refusals = iter(range(3))
    folders = work.watcher.folders

    class Scarce(Notices):
        def __init__(self, targets: Iterable[str]) -> None:
            if next(refusals, None) is not None:
                raise OutOfWatches("the system has no more watches to give")
            super().__init__(targets)

    monkeypatch.setattr(watching, "Notices", Scarce)
    work.during(lambda w: w.make("f0"), may_lose=True)
    until(lambda: work.watcher.folders == folders + 1)
    assert (work.watcher.trouble, next(refusals, None)) == ("", None)
    work.during(lambda w: w.save("f0/n.md", "n\n"))


def test_too_many_open_files(tmp_path: Path) -> None:
    limits = "import resource, memtree.hooks.watching.watcher\nfrom memtree.hooks.watching.folders import is_folder\n"
    limits += "fill = []\nresource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))\n"
    limits += "try:\n    while True: fill.append(os.open('/dev/null', os.O_RDONLY))\nexcept OSError: os.close(fill.pop())"
    before, _, _, folders = _child(Watched(tmp_path), limits)
    assert "max_user_instances" in before
    assert folders == 0
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 40


@contextmanager
def _nobody() -> Iterator[None]:
    if os.geteuid() != 0:
        yield
        return
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter: pytest's own lie in one that only we may."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def test_a_folder_that_cannot_be_read_until_it_can(open_folder: Path) -> None:
    root = open_folder / "work"
    (root / ".git").mkdir(parents=True)
    (root / ".git/HEAD").touch()
    (root / "shut" / "below").mkdir(parents=True)
    if os.geteuid() == 0:
        for one in (root, root / ".git", root / "shut", root / "shut" / "below"):
            os.chown(one, 65534, 65534)
    with _nobody():
        os.chmod(root / "shut", 0)
        told: set[str] = set()
        lost: list[str] = []
        watcher = Watcher(str(root), str(root / ".git/memtree"), lambda _: True, told.update, lost.append, 0.01, pause=0.05)
        watcher.start()
        try:
            assert (watcher.trouble, watcher.folders) == ("", 1)
            os.chmod(root / "shut", 0o755)
            (root / "shut/below/n.md").write_text("n\n")
            assert watcher.barrier(100)
            assert "shut/" in told
            until(lambda: watcher.folders == 3)
            told.clear()
            (root / "shut/below/n.md").write_text("again\n")
            assert watcher.barrier(100)
            assert "shut/below/n.md" in told
        finally:
            watcher.stop()


def test_a_bug_in_what_it_asks_is_not_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(tmp_path)
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda told: raised.append(told.exc_type))

    def fails(folder: str) -> bool:
        if folder.startswith("new"):
            raise ZeroDivisionError
        return True

    watcher = Watcher(watched.root, watched.git.git_folder + "/memtree", fails, watched._hint, watched.lost.append, 0.01)
    watcher.start()
    watched.make("new")
    until(lambda: watcher.trouble)
    assert watched.lost == [watcher.trouble]
    assert not watcher.barrier(1)
    watcher.stop()
    assert raised == [ZeroDivisionError]


# -- parts
TEMPORARY_NAMES = (".x.swp", "4913", "#x#", ".#x", "a.sb-1", ".~lock.x", ".a.icloud", ".DS_Store", ".trash", "x.tmp", "a~", "~$a")
OTHER_NAMES = (".memtree-tmp", ".obsidian", "workspace.json", "notes", "é.swp", "x.swp.md")
NAMES = st.text(alphabet="a.~#$@/", min_size=1, max_size=12) | st.sampled_from(TEMPORARY_NAMES + OTHER_NAMES)
PASSED_OVER = pathspec.GitIgnoreSpec.from_lines(TEMPORARY)


@given(st.lists(NAMES, min_size=1, max_size=4), st.booleans())
@settings(max_examples=300)
def test_momentary_names_are_those_that_git_passes_over(parts: list[str], folder: bool) -> None:
    path = "/".join(part for text in parts for part in text.split("/") if part not in ("", ".", "..")) + "/" * folder
    if path.strip("/"):
        assert is_momentary(path) == PASSED_OVER.match_file(path)


def test_the_outermost_of_folders() -> None:
    assert set(outermost(["a/b", "a", "a b", "a-b/c", "c/d", "c/d/e", "ca"])) == {"a b", "a-b/c", "a", "c/d", "ca"}
    assert outermost(["a", "", "b/c"]) == ("",)


def test_folders_listed_anew(tmp_path: Path) -> None:
    for folder in ("a/b/c", "a/x.tmp/d", "e/f", "n/.git", "n/inner", ".git/objects"):
        (tmp_path / folder).mkdir(parents=True)
    os.symlink(tmp_path / "e", tmp_path / "a/link")
    first = Folders().anew(str(tmp_path), [""], lambda folder: folder != "e")
    assert first == Folders(frozenset({"", "a", "a/b", "a/b/c", "n"}), frozenset({"n"}), frozenset({"e", "a/x.tmp"}))
    shutil.rmtree(tmp_path / "a/b")
    (tmp_path / "a/new").mkdir()
    (tmp_path / "z").mkdir()
    second = first.anew(str(tmp_path), ["a", "a/b"], lambda _: True)
    assert second == Folders(frozenset({"", "a", "a/new", "n"}), frozenset({"n"}), frozenset({"e", "a/x.tmp"}))
    assert second.anew(str(tmp_path), ["a/link", "gone"], lambda _: True) == second


def test_what_notices_mean(tmp_path: Path) -> None:
    root = str(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "new").mkdir()
    spot = Spot(root, f"{root}/.git", f"{root}/.git/memtree/cookies", lambda folder: folder != "ignored")
    folders = Folders(frozenset({"", "notes", "gone"}))

    def meaning(kind: int, path: str) -> tuple[set[str], set[str], bool]:
        changes = sorted_out([(kind, f"{root}/{path}" if path else root)], spot, folders, ())
        return changes.hints, changes.due, changes.replaced

    assert meaning(MODIFIED, "x.md") == ({"x.md"}, set(), False)
    assert meaning(MODIFIED, "notes") == ({"notes/"}, set(), False)
    assert meaning(ADDED, "notes") == ({"notes", "notes/"}, {"notes"}, True)
    assert meaning(ADDED, "new") == ({"new", "new/"}, {"new"}, False)
    assert meaning(DELETED, "gone") == ({"gone", "gone/"}, {"gone"}, True)
    assert meaning(DELETED, "") == (set(), {""}, True)
    assert meaning(MODIFIED, "") == (set(), set(), False)
    assert meaning(ADDED, ".git/index") == (set(), set(), False)
    assert meaning(ADDED, "notes/.gitignore") == ({"notes/.gitignore", "notes/"}, {"notes"}, False)
    assert sorted_out([(ADDED, f"{root}/.git/HEAD")], spot, folders, ()).moved
    assert sorted_out([(ADDED, f"{root}/.git/memtree/cookies/1")], spot, folders, ()).cookies
    assert sorted_out([(MODIFIED, f"{root}/memtree.toml")], spot, folders, ()).scope


# -- anything at all
PLACES = ("a", "a/b", "a/b/c", "d", "a/e", "x.md", "a/x.md", "a/b/x.md", "d/y.md", "a/b/c/z.md", "a/.gitignore", "ignored/n.md")
OPERATION = st.tuples(
    st.sampled_from(
        ["save", "save", "save", "make", "make", "move", "move", "remove", "out", "in", "link", "chmod", "wait", "swap"]
    ),
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
)


def _do(w: Watched, what: str, one: str, two: str) -> None:
    full, other = w.path(one), w.path(two)
    aside = os.path.join(w.outside, one.replace("/", "-"))
    if what == "save":
        os.makedirs(os.path.dirname(full), exist_ok=True)
        w.save(one, "ignored/\n" if one.endswith("ignore") else f"{one} {two}\n")
    elif what == "make":
        os.makedirs(full)
    elif what == "move":
        os.rename(full, other)
    elif what == "remove":
        shutil.rmtree(full) if os.path.isdir(full) and not os.path.islink(full) else os.unlink(full)
    elif what == "out":
        os.rename(full, aside)
    elif what == "in":
        os.rename(aside, full)
    elif what == "link":
        os.symlink(other, full)
    elif what == "chmod":
        os.chmod(full, os.stat(full).st_mode ^ 0o100 if os.path.isfile(full) else 0o755, follow_symlinks=True)
    elif what == "swap":
        os.rename(full, aside)
        os.rename(other, full)
        os.rename(aside, other)
    else:
        time.sleep(0.06)  # so that all is watched anew


@given(st.lists(st.lists(OPERATION, min_size=1, max_size=5), min_size=1, max_size=4))
@settings(max_examples=20)
def test_whatever_happens_is_told(tmp_path_factory: pytest.TempPathFactory, bursts: list[list[tuple[str, str, str]]]) -> None:
    with Watched(tmp_path_factory.mktemp("any"), files={".gitignore": "ignored/\n"}) as work:
        for burst in bursts:
            work.during(lambda w, burst=burst: _all(w, burst))  # type: ignore[misc]
        work.during(everywhere)


def _all(work: Watched, burst: list[tuple[str, str, str]]) -> None:
    for what, one, two in burst:
        try:
            _do(work, what, one, two)
        except (OSError, shutil.Error):
            continue  # it does not go together with what is there
