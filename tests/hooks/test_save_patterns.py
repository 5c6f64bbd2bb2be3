"""How programs save, move and replace files, done on real files: what is told covers what then differs."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.watched import Watched, everywhere


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Watched]:
    with Watched(tmp_path, files={".gitignore": "node_modules/\n"}) as watched:
        yield watched


def vim(w: Watched) -> None:
    w.save(".x.md.swp", "swap")
    w.save("4913", "")
    os.unlink(w.path("4913"))
    w.move("x.md", "x.md~")
    w.save("x.md", "vim\n")
    os.unlink(w.path("x.md~"))
    os.unlink(w.path(".x.md.swp"))


def vim_that_copies(w: Watched) -> None:
    w.save("4913", "")
    os.unlink(w.path("4913"))
    shutil.copy2(w.path("x.md"), w.path("x.md~"))
    w.save("x.md", "vim\n")
    os.chmod(w.path("x.md"), 0o644)
    os.unlink(w.path("x.md~"))


def emacs(w: Watched) -> None:
    os.symlink("ada@host.4711:1", w.path("notes/.#a.md"))
    w.save("notes/#a.md#", "half")
    w.move("notes/a.md", "notes/a.md~")
    w.save("notes/a.md", "emacs\n")
    os.unlink(w.path("notes/#a.md#"))
    os.unlink(w.path("notes/.#a.md"))


def vs_code(w: Watched) -> None:
    fd = os.open(w.path("notes/a.md"), os.O_WRONLY)
    os.ftruncate(fd, 0)
    os.write(fd, b"code\n")
    os.close(fd)


def vs_code_by_a_new_file(w: Watched) -> None:
    w.save("notes/a.md.vsctmp", "code\n")
    w.move("notes/a.md.vsctmp", "notes/a.md")


def obsidian(w: Watched) -> None:
    with open(w.path("notes/deep/b.md"), "r+", encoding="utf-8") as file:
        for letters in ("o", "ob", "obsidian"):
            file.seek(0)
            file.truncate()
            file.write(letters)
            file.flush()
    w.move("notes/deep/b.md", "notes/deep/New name.md")
    w.make(".obsidian")
    w.save(".obsidian/workspace.json", "{}")
    w.save(".obsidian/app.json", "{}")


def nano(w: Watched) -> None:
    w.save(".x.md.swp", "lock")
    w.save("x.md", "nano\n")
    os.unlink(w.path(".x.md.swp"))


def sed(w: Watched) -> None:
    w.run("sed", "-i", "s/one/eins/", "x.md", "notes/a.md")


def a_synced_folder(w: Watched) -> None:
    w.save("notes/a.md.sb-1234-xyz", "cloud")
    w.move("notes/a.md.sb-1234-xyz", "notes/a.md")
    w.save("notes/.b.md.icloud", "placeholder")


def deleted_and_made_again(w: Watched) -> None:
    os.unlink(w.path("x.md"))
    w.save("x.md", "again\n")
    os.unlink(w.path("notes/a.md"))


def exchanged(w: Watched) -> None:
    w.move("x.md", "z")
    w.move("notes/a.md", "x.md")
    w.move("z", "notes/a.md")


def git_checkout(w: Watched) -> None:
    w.repo.git("checkout", "-q", "-b", "other")
    w.repo.write("new/of/other.md", "other\n")
    w.repo.write("x.md", "other\n")
    shutil.rmtree(w.path("notes/deep"))
    w.repo.commit("other")
    w.repo.git("checkout", "-q", "main")
    assert w.watcher.barrier(100)
    w.hints.clear()
    w.repo.git("checkout", "-q", "other")


def git_stash(w: Watched) -> None:
    w.save("x.md", "to be stashed\n")
    w.make("new/folder")
    w.save("new/folder/n.md", "n\n")
    w.repo.git("stash", "-q", "-u")
    assert w.watcher.barrier(100)
    w.repo.git("stash", "pop", "-q")


def folders_made_at_once(w: Watched) -> None:
    w.make("p/q/r")
    w.save("p/q/r/n.md", "deep\n")
    w.save("p/q/n.md", "less deep\n")


def folder_moved_in(w: Watched) -> None:
    os.makedirs(os.path.join(w.outside, "in/below"))
    Path(w.outside, "in/below/n.md").write_text("in\n")
    os.rename(os.path.join(w.outside, "in"), w.path("notes/in"))
    w.save("notes/in/m.md", "later\n")


def folder_moved_out(w: Watched) -> None:
    w.move("notes", os.path.join(w.outside, "notes"))
    Path(w.outside, "notes/a.md").write_text("no more in the workspace\n")


def folder_moved_out_and_made_again(w: Watched) -> None:
    w.move("notes", os.path.join(w.outside, "notes"))
    w.make("notes/deep")
    w.save("notes/deep/b.md", "another\n")
    w.save("notes/new.md", "new\n")


def folder_renamed(w: Watched) -> None:
    w.move("notes", "renamed")
    w.save("renamed/deep/b.md", "after\n")
    w.make("renamed/more")
    w.save("renamed/more/m.md", "more\n")


def folder_becomes_a_file(w: Watched) -> None:
    shutil.rmtree(w.path("notes"))
    w.save("notes", "a file\n")


def file_becomes_a_folder(w: Watched) -> None:
    os.unlink(w.path("x.md"))
    w.make("x.md")
    w.save("x.md/y.md", "below\n")


def folder_becomes_a_link(w: Watched) -> None:
    w.move("notes", os.path.join(w.outside, "notes"))
    os.symlink(os.path.join(w.outside, "notes"), w.path("notes"))


def rights_and_times(w: Watched) -> None:
    os.chmod(w.path("x.md"), 0o755)
    os.utime(w.path("notes/a.md"))


def rules_that_ignore_less(w: Watched) -> None:
    w.make("notes/node_modules")
    w.save("notes/node_modules/n.md", "n\n")
    w.save("notes/.gitignore", "!node_modules/\n")


def very_long_names(w: Watched) -> None:
    name = "n" * 240
    w.make(f"{name}/{name}")
    w.save(f"{name}/{name}/{name}.md", "long\n")


PATTERNS = [
    *(vim, vim_that_copies, emacs, vs_code, vs_code_by_a_new_file, obsidian, nano, sed, a_synced_folder),
    *(deleted_and_made_again, exchanged, git_checkout, git_stash, folders_made_at_once, folder_moved_in, folder_moved_out),
    *(folder_moved_out_and_made_again, folder_renamed, folder_becomes_a_file, file_becomes_a_folder, folder_becomes_a_link),
    *(rights_and_times, rules_that_ignore_less, very_long_names),
]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.__name__)
def test_what_is_told_covers_what_differs(work: Watched, pattern: Callable[[Watched], None]) -> None:
    told = work.during(pattern)
    assert told
    assert not any(hint.startswith((".git/", "/")) or hint == ".git" for hint in told)
    # All goes on: also what was new is watched now, and what happens in there is told.
    work.during(everywhere)


@pytest.mark.parametrize("pattern", [vim, emacs, nano], ids=lambda pattern: pattern.__name__)
def test_what_editors_make_for_a_moment_is_not_told(work: Watched, pattern: Callable[[Watched], None]) -> None:
    assert work.during(pattern) in ({"x.md"}, {"notes/a.md"})


def test_what_git_does_with_head_is_told(work: Watched) -> None:
    work.forget()
    work.moves = 0
    work.repo.git("commit", "-q", "--allow-empty", "-m", "empty")
    assert work.watcher.barrier(100)
    assert work.moves > 0
    work.moves = 0
    work.repo.git("reset", "-q", "--soft", "HEAD^")
    assert work.watcher.barrier(100)
    assert work.moves > 0
    assert work.hints == set()


def test_a_link_to_elsewhere_is_not_followed(work: Watched) -> None:
    Path(work.outside, "secret").mkdir()
    told = work.during(lambda w: (os.symlink(w.outside, w.path("link")), os.symlink(".", w.path("notes/loop"))))
    assert told == {"link", "notes/loop"}

    def elsewhere(w: Watched) -> None:
        Path(w.outside, "secret", "s.md").write_text("not ours\n")
        Path(w.outside, "t.md").write_text("not ours\n")

    assert work.during(elsewhere) == set()
    assert work.during(lambda w: w.save("notes/a.md", "ours\n")) == {"notes/a.md"}


def test_an_ignored_folder_is_not_watched(work: Watched) -> None:
    def install(w: Watched) -> None:
        w.make("node_modules/p/q")
        w.save("node_modules/p/q/index.js", "js")

    assert work.during(install) <= {"node_modules"}
    watched = work.watcher.folders
    assert work.during(lambda w: w.save("node_modules/p/q/index.js", "more")) == set()
    assert work.watcher.folders == watched


def test_a_repository_inside_is_not_watched_until_it_is_none(work: Watched) -> None:
    work.during(lambda w: (w.make("nested"), w.run("git", "init", "-q", "nested")))
    end = time.monotonic() + 100
    while "nested" not in work.watcher._folders.nested:  # that it was seen to be one
        assert time.monotonic() < end
        time.sleep(0.005)
    work.forget()
    work.save("nested/n.md", "its own\n")
    work.make("nested/below")
    assert work.watcher.barrier(100)
    assert work.hints == set()
    told = work.during(lambda w: shutil.rmtree(w.path("nested/.git")))
    assert "nested/" in told
    work.during(lambda w: (w.save("nested/n.md", "ours\n"), w.save("nested/below/m.md", "too\n")))


def test_thousands_of_files_at_once(work: Watched) -> None:
    def many(w: Watched) -> None:
        for folder in range(30):
            w.make(f"many/{folder}")
            for name in range(100):
                w.save(f"many/{folder}/{name}.md", "n\n")

    work.during(many)
    work.during(everywhere, may_lose=True)
