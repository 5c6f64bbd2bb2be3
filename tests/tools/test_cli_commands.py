"""Every command as a person and as a program sees it; `git status` is true after each."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.cli import MEMTREE, environment, git_agrees, memtree
from support.gitrepo import GitRepo
from support.machines import bare

CALLS = {
    "save": {"commit", "head", "changes", "staged", "left", "notes"},
    "search heron": {"query", "commit", "hits", "notes"},
    "review --keep": {"since", "to", "basis", "files"},
    "show projects/heron.md": {"path", "commit", "content"},
    "show projects": {"path", "commit", "files"},
    "restore projects/heron.md --at HEAD~1": {"commit", "changes", "conflicts", "notes"},
    "undo HEAD": {"commit", "changes", "conflicts", "notes"},
    "doctor": {"healthy", "findings"},
    "conflicts": {"conflicts", "notes"},
    "reindex": {"files", "commit", "seconds", "notes"},
    "maintain": {"loose_before", "loose_after", "bytes_before", "bytes_after", "displaced_dropped", "packed_by"},
    "init .": {"root", "kind", "new", "branch", "content", "capture", "device", "to_capture", "left", "warnings"},
    "remote add origin ../remote.git": {"name", "url", "direction"},
    "facts list": {"facts", "total", "notes"},
    "facts add --pin The heron is fed at noon.": {"fact", "decision", "commit", "notes"},
    "facts recall heron": {"query", "as_of", "hits", "notes"},
    "facts quarantine list": {"statements", "total"},
    "facts learn --all": {"queued", "sessions", "known", "done", "waiting", "busy", "notes"},
    "status": {
        "facts",
        "outbox",
        "root",
        "branch",
        "head",
        "head_ref",
        "busy_with",
        "writer",
        "daemon",
        "device",
        "librarian",
        "survey",
        "index",
        "vectors",
        "graph",
        "remotes",
        "conflicts",
        "captures",
        "notes",
    },
}
LISTS = {
    "log -n 1": {"commit", "changes", "path_then", "writer"},
    "diff HEAD~1 HEAD": {"path", "kind", "binary", "hunks", "added", "deleted", "old_path"},
    "blame projects/heron.md": {"line_no", "text", "commit", "writer", "time"},
    "remote list": {"name", "url"},
}


@pytest.mark.parametrize("call", sorted(CALLS))
def test_a_command_answers_as_json_with_its_keys(notes: GitRepo, call: str) -> None:
    assert set(memtree(*call.split(), "--json", cwd=notes.path).json) == CALLS[call]
    git_agrees(notes)


@pytest.mark.parametrize("call", sorted(LISTS))
def test_a_list_answers_as_json_with_its_keys(notes: GitRepo, call: str) -> None:
    memtree("remote", "add", "origin", "../remote.git", cwd=notes.path)
    items = memtree(*call.split(), "--json", cwd=notes.path).json
    assert items
    assert set(items[0]) >= LISTS[call]
    git_agrees(notes)


@pytest.mark.parametrize("call", sorted({*CALLS, *LISTS}))
def test_a_command_speaks_plainly_too(notes: GitRepo, call: str) -> None:
    done = memtree(*call.split(), cwd=notes.path)
    assert done.out
    assert "\x1b" not in done.out + done.err
    assert "Traceback" not in done.err
    git_agrees(notes)


# -- the words of each


def test_init_says_what_it_found_and_what_comes_next(tmp_path: Path) -> None:
    assert "it was a new folder; branch main" in memtree("init", str(tmp_path / "new")).out
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "a.md").write_text("one\n")
    done = memtree("init", str(vault)).out
    assert "it was an Obsidian vault" in done
    assert "1 file (1 .md; 4 bytes)" in done


def test_init_twice_says_that_it_is_a_workspace_already(notes: GitRepo) -> None:
    before = notes.git("rev-parse", "HEAD")
    done = memtree("init", "--content", "elsewhere", cwd=notes.path)
    assert "is a memtree workspace already; nothing was changed" in done.out
    assert "--content was not taken" in done.err
    assert notes.git("rev-parse", "HEAD") == before


def test_the_git_directory_can_stand_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    cloud = tmp_path / "Dropbox" / "notes"
    cloud.mkdir(parents=True)
    (cloud / "a.md").write_text("one\n")
    assert memtree("init", "--git-dir", "~/state.git", cwd=cloud).err == ""
    memtree("save", cwd=cloud)
    assert (tmp_path / "state.git" / "memtree").is_dir()
    assert sorted(path.name for path in cloud.iterdir()) == [".git", "a.md", "memtree.toml"]
    git_agrees(GitRepo(cloud))
    (tmp_path / "Dropbox" / "more").mkdir()
    assert "looks synced by Dropbox" in memtree("init", cwd=tmp_path / "Dropbox" / "more").err


def test_a_repository_with_source_code_is_told_what_is_captured(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "code")
    repo.write("main.py", "print(1)\n")
    repo.commit("one")
    assert "captures only memory_tree/content/" in memtree("init", cwd=repo.path).out
    repo.write("main.py", "print(2)\n")
    repo.write("new.py", "\n")
    status = memtree("status", cwd=repo.path).out
    assert "Nothing to save." in status
    assert "captures   memory_tree/content/, MEMORY.md" in status
    assert "main.py" not in status
    assert "Nothing to save in memory_tree/content/" in memtree("save", cwd=repo.path).out
    assert "git diff shows its edits" in memtree("diff", "main.py", cwd=repo.path).err
    assert "outside what memtree captures" in memtree("log", "new.py", cwd=repo.path, code=2).err
    git_agrees(repo, " M main.py", "?? new.py")


def test_save_counts_in_proper_words(notes: GitRepo) -> None:
    assert memtree("save", cwd=notes.path).out == "Nothing to save.\n"
    notes.write("a.md", "a\n")
    assert memtree("save", cwd=notes.path).out.startswith("Saved 1 file as ")
    notes.write("a.md", "b\n")
    notes.write("b.md", "b\n")
    done = memtree("save", "-m", "both", cwd=notes.path)
    assert done.lines[0].startswith("Saved 2 files as ")
    assert done.lines[1:] == ["modified  a.md", "added     b.md"]
    assert notes.git("log", "-1", "--format=%s") == "both"
    git_agrees(notes)


def test_status_tells_new_edited_and_gone(notes: GitRepo) -> None:
    notes.write("new.md", "new\n")
    notes.write("projects/heron.md", "edited\n")
    notes.remove("图书馆.md")
    lines = memtree("status", cwd=notes.path).lines
    assert lines[-4:] == ["3 edits not saved yet:", "  new     new.md", "  edited  projects/heron.md", "  gone    图书馆.md"]


def test_a_staged_file_stays_staged_until_it_is_asked_for(notes: GitRepo) -> None:
    notes.write("a.md", "a\n")
    notes.git("add", "a.md")
    assert "left as you staged them: a.md" in memtree("save", cwd=notes.path).err
    assert "  staged  a.md" in memtree("status", cwd=notes.path).lines
    assert "Saved 1 file" in memtree("save", "--include-staged", cwd=notes.path).out
    git_agrees(notes)


def test_an_edit_that_was_never_saved_is_found(notes: GitRepo) -> None:
    notes.write("journal/today.md", "# Today\n\nMet   the\nquokka people.\n")
    done = memtree("search", "quokka", "people", cwd=notes.path)
    assert done.lines == ["journal/today.md:1-4  Today", "    # Today Met the quokka people."]
    git_agrees(notes)


@pytest.mark.parametrize("query", ["图书馆", "certificate renewals", "((", '"', "--", "\udcff", "a:b OR *"])
def test_any_text_is_a_fine_query(notes: GitRepo, query: str) -> None:
    memtree("search", "--", query, cwd=notes.path)
    memtree("search", "--json", "--", query, cwd=notes.path)


def test_a_search_is_narrowed_by_folder_kind_and_time(notes: GitRepo) -> None:
    for limits in (["--path", "projects"], ["--path", "projects/*.md"], ["--since", "1d"], ["--kind", "note", "-n", "1"]):
        assert "heron.md" in memtree("search", "heron", *limits, cwd=notes.path).out
    assert memtree("search", "heron", "--until", "2001-01-01", cwd=notes.path).out == "Nothing found within these limits.\n"
    assert memtree("search", "certificate", "--path", ".", cwd=os.path.join(notes.path, "projects")).lines


def test_log_shows_commits_of_a_path_through_a_rename(notes: GitRepo) -> None:
    notes.move("projects/heron.md", "servers/heron.md")
    memtree("save", cwd=notes.path)
    lines = memtree("log", "servers/heron.md", cwd=notes.path).lines
    assert len(lines) == 3
    assert "renamed from projects/heron.md" in lines[0]
    assert len(memtree("log", "projects/heron.md", cwd=notes.path).lines) == 3
    assert memtree("log", "--grep", "nowhere", cwd=notes.path).out == "No commit matches.\n"
    assert len(memtree("log", "--writer", "cli", cwd=notes.path).lines) == 1


def test_review_shows_what_is_new_once(notes: GitRepo) -> None:
    first = memtree("review", cwd=notes.path).out
    assert "everything, as this is the first review here" in first
    assert "+The certificate renewal is due in May.\n" in first
    notes.write("projects/heron.md", notes.read("projects/heron.md").replace(b"May", b"June"))
    for arguments in (["review", "--keep"], ["review", "--all"]):
        assert "due in [-May-]{+June+}." in memtree(*arguments, cwd=notes.path).out
    assert memtree("review", cwd=notes.path).out.startswith("0 files changed since you last looked")


def test_show_is_byte_for_byte(notes: GitRepo) -> None:
    notes.write("odd.md", b"\xff\r\n\x1b[2J no end")
    memtree("save", cwd=notes.path)
    done = subprocess.run((*MEMTREE, "show", "odd.md"), cwd=notes.path, env=environment(), capture_output=True, check=True)
    assert done.stdout == notes.read("odd.md")
    then = memtree("show", "projects/heron.md", "--at", "HEAD~2", cwd=notes.path).out
    assert then == notes.git("show", "HEAD~2:projects/heron.md") + "\n"


def test_show_of_a_folder_lists_its_files(notes: GitRepo) -> None:
    assert memtree("show", "projects", cwd=notes.path).lines == ["projects/heron.md"]
    assert memtree("show", ".", cwd=notes.path).lines == ["memtree.toml", "projects/heron.md", "图书馆.md"]


def test_diff_shows_lines_or_words_and_says_when_nothing_differs(notes: GitRepo) -> None:
    notes.write("projects/heron.md", notes.read("projects/heron.md").replace(b"May", b"June"))
    assert "+The certificate renewal is due in June.\n" in memtree("diff", cwd=notes.path).out
    assert "due in [-May-]{+June+}." in memtree("diff", "--words", cwd=notes.path).out
    assert memtree("diff", "图书馆.md", cwd=notes.path) == memtree("diff", "HEAD", "图书馆.md", cwd=notes.path)
    assert memtree("diff", "图书馆.md", cwd=notes.path).err == "note: nothing differs\n"
    assert memtree("diff", "图书馆.md", cwd=notes.path).out == ""


def test_blame_names_writer_and_commit_of_each_line(notes: GitRepo) -> None:
    lines = memtree("blame", "projects/heron.md", cwd=notes.path).lines
    assert len(lines) == 8
    assert lines[0].startswith(notes.git("rev-parse", "HEAD~1")[:8])
    assert lines[-1].startswith(notes.git("rev-parse", "HEAD")[:8])
    assert lines[-1].endswith("editor  8 | Ada renews it.")


@pytest.mark.parametrize("path", ["projects/heron.md", "projects"])
def test_restore_brings_back_what_was(notes: GitRepo, path: str) -> None:
    shutil.rmtree(os.path.join(notes.path, "projects"))
    memtree("save", cwd=notes.path)
    done = memtree("restore", path, "--at", "HEAD~1", cwd=notes.path)
    assert done.lines[0].startswith("Restored 1 file as ")
    assert b"Ada" in notes.read("projects/heron.md")
    assert "like that already" in memtree("restore", path, "--at", "HEAD", cwd=notes.path).out
    git_agrees(notes)


def test_undo_takes_a_commit_back_and_can_be_undone(notes: GitRepo) -> None:
    assert memtree("undo", "HEAD", cwd=notes.path).lines[0].startswith("Undone 1 file as ")
    assert b"Ada" not in notes.read("projects/heron.md")
    memtree("undo", "HEAD", cwd=notes.path)
    assert b"Ada" in notes.read("projects/heron.md")
    git_agrees(notes)


# -- remotes


def test_a_relative_remote_means_the_same_from_everywhere(notes: GitRepo, tmp_path: Path) -> None:
    remote = bare(tmp_path / "remote.git")
    sub = os.path.join(notes.path, "projects")
    assert f"Remote origin is {remote}." in memtree("remote", "add", "origin", "../../remote.git", cwd=sub).out
    assert memtree("sync", cwd=sub).out == "origin: sent 3 commits.\n"
    assert memtree("sync", cwd=notes.path).out == "origin: already in step.\n"
    assert remote in memtree("remote", "list", cwd=notes.path).out
    memtree("remote", "remove", "origin", cwd=notes.path)
    assert "No remote yet" in memtree("remote", "list", cwd=notes.path).out
    git_agrees(notes)


def test_two_machines_exchange_what_they_saved(notes: GitRepo, tmp_path: Path) -> None:
    bare(tmp_path / "memory.git")
    memtree("remote", "add", "origin", str(tmp_path / "memory.git"), cwd=notes.path)
    memtree("push", cwd=notes.path)
    assert "/memory: 3 files on branch main." in memtree("clone", "memory.git", cwd=tmp_path).out  # named as the remote is
    other = GitRepo(tmp_path / "memory")
    other.write("from-b.md", "b\n")
    for verb, said in (("pull", "in step"), ("push", "sent 1 commit.")):
        assert said in memtree(verb, cwd=other.path).out
    done = memtree("pull", cwd=notes.path)
    assert done.out == "origin: received 1 commit.\nadded     from-b.md\n"
    notes.write("from-b.md", "a\n")
    other.write("from-b.md", "b b\n")
    memtree("sync", cwd=notes.path)
    report = memtree("sync", "origin", "--json", cwd=other.path).json["remotes"][0]
    assert [conflict["path"] for conflict in report["conflicts"]] == ["from-b.md"]
    memtree("sync", cwd=notes.path)
    for repo in (notes, other):
        git_agrees(repo)
    assert "0 ahead, 0 behind" in memtree("status", cwd=notes.path).out
    assert notes.git("rev-parse", "HEAD") == other.git("rev-parse", "HEAD")


def test_pulling_and_pushing_in_one_direction_only(notes: GitRepo, tmp_path: Path) -> None:
    bare(tmp_path / "remote.git")
    memtree("remote", "add", "origin", "../remote.git", cwd=notes.path)
    memtree("pull", cwd=notes.path)
    assert "never synced" in memtree("status", cwd=notes.path).out
    memtree("push", cwd=notes.path)
    assert "0 ahead, 0 behind" in memtree("status", cwd=notes.path).out


def test_the_user_name_of_an_ssh_address_is_shown(notes: GitRepo) -> None:
    url = "ssh://git@example.com/memory.git"
    assert f"Remote origin is {url}." in memtree("remote", "add", "origin", url, cwd=notes.path).out
    assert url in memtree("remote", "list", cwd=notes.path).out
    assert "holds credentials" not in memtree("doctor", cwd=notes.path).out


def test_an_existing_git_remote_is_taken_by_its_name(notes: GitRepo, tmp_path: Path) -> None:
    notes.git("remote", "add", "mine", bare(tmp_path / "remote.git"))
    assert "No remote yet" in memtree("remote", "list", cwd=notes.path).out
    assert "Remote mine is" in memtree("remote", "add", "mine", cwd=notes.path).out


def test_both_indexes_have_their_line(notes: GitRepo) -> None:
    notes.write("memtree.toml", notes.read("memtree.toml").removesuffix(b'model = "none"\n'))
    memtree("save", cwd=notes.path)
    lines = memtree("status", cwd=notes.path).lines
    assert [line.split(maxsplit=1) for line in lines if line.startswith(("index", "vectors"))] == [
        ["index", "up to date"],
        ["vectors", "up to date"],
    ]
    assert "fine     vector index: reflects the present commit" in memtree("doctor", cwd=notes.path).lines


def test_an_address_that_was_not_allowed_is_told_with_what_allows_it(notes: GitRepo) -> None:
    model = b'model = "m"\nurl = "http://127.0.0.1:9/v1"\n'
    notes.write("memtree.toml", notes.read("memtree.toml").replace(b'model = "none"\n', model))
    for call in ("status", "doctor", "search heron"):
        done = memtree(*call.split(), cwd=notes.path)
        assert "was not allowed on this machine" in done.out + done.err
        assert "git config memtree.embeddingurl" in done.out + done.err


@pytest.mark.parametrize("call", ["status", "search heron", "search heron --json", "doctor --json"])
def test_an_address_with_a_password_is_refused_and_never_shown(notes: GitRepo, call: str) -> None:
    model = b'model = "m"\nurl = "http://ada:sesame@127.0.0.1:9/v1"\n'
    notes.write("memtree.toml", notes.read("memtree.toml").replace(b'model = "none"\n', model))
    done = memtree(*call.split(), cwd=notes.path, code=2)
    assert "holds credentials" in done.out + done.err
    assert "sesame" not in done.out + done.err


def test_a_search_by_meaning_alone_says_when_there_is_none(notes: GitRepo) -> None:
    done = memtree("search", "--mode", "vector", "heron", cwd=notes.path)
    assert done.lines == ["Nothing found."]
    assert done.err == "note: nothing is found by meaning: embedding.model in memtree.toml is none\n"
    assert "vectors    left out (embedding.model is none)" in memtree("status", cwd=notes.path).lines
    assert memtree("search", "heron", cwd=notes.path).err == ""
