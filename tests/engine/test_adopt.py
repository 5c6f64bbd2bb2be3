"""Adopting what is there: `init` and `clone`. No file of the user's is changed or moved, and git's status stays true."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pygit2
import pytest
from pygit2.enums import ConfigLevel

from memtree.engine import adopt
from memtree.engine.repo_errors import UnsupportedRepository
from memtree.engine.store.report import GitBusy
from memtree.engine.workspace import Workspace
from memtree.tree.errors import StateError, UserError
from support.gitrepo import ENVIRONMENT, GitRepo
from support.machines import Machine, Machines, bare, committed, disk, options, stamps


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def fill(folder: Path, files: dict[str, bytes]) -> Path:
    for path, data in files.items():
        full = folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(data)
        os.utime(full, ns=(10**18, 10**18))
    return folder


NOTES = {"a.md": b"a\r\n", "deep/b.md": b"\xff\x00", "run.sh": b"#!/bin/sh\n", ".hidden": b"h\n"}
VAULT = {**NOTES, ".obsidian/app.json": b"{}\n", ".obsidian/workspace.json": b"{}", ".trash/old.md": b"old\n"}


def notes(folder: Path) -> None:
    fill(folder, NOTES)
    os.chmod(folder / "run.sh", 0o755)
    os.symlink("a.md", folder / "link.md")


def vault(folder: Path) -> None:
    fill(folder, VAULT)


def nothing(folder: Path) -> None:
    pass


def empty(folder: Path) -> None:
    folder.mkdir()


def source_code(folder: Path) -> None:
    git = GitRepo(folder)
    fill(folder, {"src/main.py": b"print()\n", "README.md": b"# Code\n", ".gitattributes": b"*.py text\n"})
    git.commit("code")


def dirty_source_code(folder: Path) -> None:
    source_code(folder)
    fill(folder, {"src/main.py": b"print(1)\n", "src/staged.py": b"x\n", "src/untracked.py": b"y\n"})
    GitRepo(folder).git("add", "src/staged.py")


def unborn(folder: Path) -> None:
    GitRepo(folder, branch="trunk")
    fill(folder, NOTES)


FOLDERS: dict[str, tuple[Callable[[Path], None], str, tuple[str, ...]]] = {
    "a new folder": (nothing, "new folder", ("**",)),
    "an empty folder": (empty, "new folder", ("**",)),
    "a folder of notes": (notes, "folder of notes", ("**",)),
    "an Obsidian vault": (vault, "Obsidian vault", ("**",)),
    "a repository": (source_code, "git repository", ()),
    "a repository with work in progress": (dirty_source_code, "git repository", ()),
    "a repository without commits": (unborn, "folder of notes", ("**",)),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_init_changes_no_file_and_commits_its_settings_only(tmp_path: Path, kind: str) -> None:
    make, name, capture = FOLDERS[kind]
    folder = tmp_path / "home"
    make(folder)
    before = stamps(folder) if folder.exists() else {}
    status = GitRepo(folder).git("status", "--porcelain", "-uall") if (folder / ".git").exists() else None
    workspace, found = Workspace.init(str(folder), options=options())
    machine = Machine(workspace)
    assert (found.kind, found.new, found.settings.capture) == (name, True, capture)
    after = stamps(folder)
    toml = after.pop("memtree.toml")[-1]
    assert after == before
    assert machine.committed()["memtree.toml"] == toml
    assert machine.git("show", "--format=%s", "--name-only", "HEAD").split("\n\n") == [
        "make this folder a memtree workspace",
        "memtree.toml",
    ]
    if capture == ():
        assert machine.git("status", "--porcelain", "-uall") == status
    machine.assert_whole()
    machine.save()
    assert {path: stamp for path, stamp in stamps(folder).items() if path != "memtree.toml"} == before
    machine.assert_whole()
    if capture:
        machine.assert_sound()
    workspace.close()


@pytest.mark.parametrize("kind", FOLDERS)
def test_init_again_changes_nothing(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "home"
    FOLDERS[kind][0](folder)
    Workspace.init(str(folder), options=options())[0].close()
    before, git = stamps(folder), {path: data for path, data in disk(folder / ".git").items() if "memtree/" not in path}
    workspace, found = Workspace.init(str(folder), options=options())
    assert not found.new
    assert stamps(folder) == before
    assert {path: data for path, data in disk(folder / ".git").items() if "memtree/" not in path} == git
    workspace.close()


def test_a_vault_is_captured_without_its_window_layout(tmp_path: Path) -> None:
    vault(tmp_path / "vault")
    workspace, _ = Workspace.init(str(tmp_path / "vault"), options=options())
    machine = Machine(workspace)
    machine.save()
    assert set(machine.committed()) == {*NOTES, ".obsidian/app.json", "memtree.toml"}
    machine.assert_sound()
    workspace.close()


def test_source_code_is_never_committed_by_itself(tmp_path: Path) -> None:
    dirty_source_code(tmp_path / "code")
    workspace, _ = Workspace.init(str(tmp_path / "code"), options=options())
    machine = Machine(workspace)
    for path in ("memory_tree/content/notes/a.md", "MEMORY.md", "SKILL.md", "MEMORY_GOALS.md", "docs/x.md", "src/memory.md"):
        machine.write(path, "x\n")
    machine.save()
    assert set(machine.git("show", "--format=", "--name-only").splitlines()) == {
        "MEMORY.md",
        "MEMORY_GOALS.md",
        "SKILL.md",
        "memory_tree/content/notes/a.md",
    }
    assert machine.status() == [
        " M src/main.py",
        "A  src/staged.py",
        "?? docs/x.md",
        "?? src/memory.md",
        "?? src/untracked.py",
    ]
    assert machine.found("x") == ["MEMORY.md", "MEMORY_GOALS.md", "SKILL.md", "memory_tree/content/notes/a.md"]
    workspace.close()


def test_an_adopted_repository_pushes_nowhere_until_told(tmp_path: Path) -> None:
    origin = bare(tmp_path / "origin.git")
    source_code(tmp_path / "code")
    GitRepo(tmp_path / "code").git("remote", "add", "origin", origin)
    workspace, _ = Workspace.init(str(tmp_path / "code"), options=options())
    assert workspace.remotes.all() == []
    with pytest.raises(UserError):
        workspace.sync()
    assert Machine(workspace).git("ls-remote", origin) == ""
    workspace.remotes.add("origin", None)
    workspace.sync()
    assert set(committed(origin)) == {"README.md", ".gitattributes", "src/main.py", "memtree.toml"}
    workspace.close()


def test_another_content_root_is_captured_instead(tmp_path: Path) -> None:
    source_code(tmp_path / "code")
    workspace, found = Workspace.init(str(tmp_path / "code"), content="docs/memory/", options=options())
    assert found.settings.content == "docs/memory"
    machine = Machine(workspace)
    machine.write("docs/memory/a.md", "x\n")
    machine.write("memory_tree/content/b.md", "x\n")
    machine.save()
    assert machine.status() == ["?? memory_tree/content/b.md"]
    workspace.close()


@pytest.mark.parametrize("content", ["..", "/etc", "a/../../b", ".git/x", "."])
def test_a_content_root_outside_is_refused_before_anything_is_made(tmp_path: Path, content: str) -> None:
    fill(tmp_path / "home", NOTES)
    with pytest.raises(UserError, match="content"):
        Workspace.init(str(tmp_path / "home"), content=content, options=options())
    assert set(disk(tmp_path / "home")) == set(NOTES)


def test_settings_that_are_there_already_are_kept(tmp_path: Path) -> None:
    """A workspace whose git folder was lost, or that came as a plain copy."""
    toml = b'# mine\ncontent = "brain"\ncapture = ["notes/"]\n'
    fill(tmp_path / "home", {"memtree.toml": toml, "notes/a.md": b"a\n", "other/b.md": b"b\n"})
    workspace, found = Workspace.init(str(tmp_path / "home"), options=options())
    machine = Machine(workspace)
    assert machine.read("memtree.toml") == toml
    assert (found.settings.content, found.settings.capture) == ("brain", ("notes/",))
    machine.save()
    assert set(machine.committed()) == {"memtree.toml", "notes/a.md"}
    workspace.close()


def test_settings_for_another_branch_win_over_the_default(tmp_path: Path) -> None:
    fill(tmp_path / "home", {"memtree.toml": b'branch = "memory"\n'})
    workspace, found = Workspace.init(str(tmp_path / "home"), options=options())
    assert found.settings.branch == "memory"
    assert Machine(workspace).git("symbolic-ref", "HEAD") == "refs/heads/memory"
    Machine(workspace).assert_sound()
    workspace.close()


def test_a_folder_inside_a_repository_is_refused_with_advice(tmp_path: Path) -> None:
    source_code(tmp_path / "code")
    fill(tmp_path / "code" / "docs" / "notes", NOTES)
    with pytest.raises(UserError) as caught:
        Workspace.init(str(tmp_path / "code" / "docs" / "notes"), options=options())
    assert "lies inside the git repository" in str(caught.value)
    assert f"memtree init {tmp_path / 'code'} --content docs/notes" in caught.value.hint
    assert set(disk(tmp_path / "code" / "docs" / "notes")) == set(NOTES)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError, match="not a folder"):
        Workspace.init(str(tmp_path / "file"), options=options())


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedRepository, match="bare"):
        Workspace.init(bare(tmp_path / "x.git"), options=options())


def test_a_detached_head_is_refused(tmp_path: Path) -> None:
    source_code(tmp_path / "code")
    git = GitRepo(tmp_path / "code")
    git.git("checkout", "--quiet", "--detach")
    before = stamps(tmp_path / "code")
    with pytest.raises(StateError, match="detached"):
        Workspace.init(str(tmp_path / "code"), options=options())
    assert stamps(tmp_path / "code") == before


def test_init_in_the_middle_of_a_merge_waits_and_works_afterwards(tmp_path: Path) -> None:
    source_code(tmp_path / "code")
    git = GitRepo(tmp_path / "code")
    git.git("switch", "--quiet", "-c", "other")
    git.write("README.md", "theirs\n")
    git.commit()
    git.git("switch", "--quiet", "main")
    git.write("README.md", "ours\n")
    git.commit()
    with pytest.raises(AssertionError):
        git.git("merge", "other")
    with pytest.raises(GitBusy):
        Workspace.init(str(tmp_path / "code"), options=options())
    git.git("merge", "--abort")
    workspace, _ = Workspace.init(str(tmp_path / "code"), options=options())
    assert workspace.repo.entry(workspace.repo.tip(), "memtree.toml") is not None
    workspace.close()


def test_a_repository_of_an_unsupported_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    subprocess.run(("git", "init", "--quiet", "--object-format=sha256"), cwd=tmp_path / "x", check=True)
    with pytest.raises(UserError, match="format"):
        Workspace.init(str(tmp_path / "x"), options=options())


def _other_file_system() -> str:
    shm = "/dev/shm"
    return shm if os.path.isdir(shm) and os.stat(shm).st_dev != os.stat(tempfile.gettempdir()).st_dev else ""


@pytest.mark.parametrize("far", [False, pytest.param(True, marks=pytest.mark.skipif(not _other_file_system(), reason="one disk"))])
def test_the_git_directory_may_lie_outside(tmp_path: Path, far: bool) -> None:
    with tempfile.TemporaryDirectory(dir=_other_file_system() if far else tmp_path) as outside:
        fill(tmp_path / "home", NOTES)
        before = stamps(tmp_path / "home")
        remote = bare(tmp_path / "remote.git")
        git_folder = os.path.join(outside, "notes.git")
        workspace, _ = Workspace.init(str(tmp_path / "home"), git_folder=git_folder, remote=remote, options=options())
        machine = Machine(workspace)
        machine.save()
        assert (tmp_path / "home" / ".git").is_file()
        assert os.path.isdir(os.path.join(git_folder, "memtree"))
        assert {path: stamp for path, stamp in stamps(tmp_path / "home").items() if path != "memtree.toml"} == before
        assert os.path.isdir(machine.full(".memtree-tmp")) == far
        machine.assert_sound()
        other, _ = Workspace.clone(remote, str(tmp_path / "other"), options()) if machine.sync() else (None, None)
        assert other is not None
        there = Machine(other)
        there.write("a.md", "from there\n")
        there.remove("deep/b.md")
        there.sync()
        machine.write("a.md", "from here\n")
        machine.sync()
        both = machine.read("a.md")
        assert b"from here\n" in both
        assert b"from there\n" in both
        machine.assert_sound()
        machine.reopen().assert_sound()
        other.close()
        machine.workspace.close()


def test_a_git_directory_that_is_taken_is_refused(tmp_path: Path) -> None:
    fill(tmp_path / "taken", {"x": b"x"})
    fill(tmp_path / "home", NOTES)
    with pytest.raises(UserError, match="not empty"):
        Workspace.init(str(tmp_path / "home"), git_folder=str(tmp_path / "taken"), options=options())
    assert set(disk(tmp_path / "home")) == set(NOTES)


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("/Users/a/Library/Mobile Documents/com~apple~CloudDocs/Notes", "iCloud Drive"),
        ("/home/a/Dropbox/notes", "Dropbox"),
        ("/home/a/Dropbox (Personal)/notes", "Dropbox"),
        ("/home/a/OneDrive - Firm/notes", "OneDrive"),
        ("/Users/a/Library/CloudStorage/GoogleDrive-x/notes", "a cloud drive"),
        ("/home/a/Nextcloud/notes", "Nextcloud"),
        ("/home/a/notes-about-dropbox", ""),
        ("/home/a/notes/dropboxes", ""),
        ("/home/a/notes", ""),
    ],
)
def test_cloud_folders_are_known_by_name(path: str, service: str) -> None:
    assert adopt.cloud_service(path) == service


def test_a_cloud_folder_is_warned_about_unless_git_lies_outside(tmp_path: Path) -> None:
    first, found = Workspace.init(str(tmp_path / "Dropbox" / "one"), options=options())
    assert ["--git-dir" in warning for warning in found.warnings] == [True]
    second, found = Workspace.init(str(tmp_path / "Dropbox" / "two"), git_folder=str(tmp_path / "two.git"), options=options())
    assert found.warnings == ()
    first.close()
    second.close()


def test_the_user_s_own_excludes_and_attributes_stay(tmp_path: Path) -> None:
    git = GitRepo(tmp_path / "home")
    git.write(".git/info/exclude", "# mine\nprivate/")
    git.write(".git/info/attributes", "*.bin binary")
    for _ in range(2):
        Workspace.init(str(tmp_path / "home"), options=options())[0].close()
    exclude = git.read(".git/info/exclude").decode()
    assert exclude.startswith("# mine\nprivate/\n# memtree")
    assert exclude.count("memtree: temporary files") == 1
    assert git.read(".git/info/attributes").decode() == "*.bin binary\n*.md -text merge=memtree\n"


def test_a_workspace_reached_by_a_link_is_the_same_one(tmp_path: Path) -> None:
    fill(tmp_path / "real", NOTES)
    os.symlink(tmp_path / "real", tmp_path / "alias")
    workspace, _ = Workspace.init(str(tmp_path / "alias"), options=options())
    machine = Machine(workspace)
    machine.save()
    assert set(committed(tmp_path / "real")) == {*NOTES, "memtree.toml"}
    machine.write("a.md", "edited\n")
    assert [str(change.path) for change in machine.save().changes] == ["a.md"]
    machine.assert_sound()
    workspace.close()


def test_a_linked_worktree_is_a_workspace_of_its_own(tmp_path: Path) -> None:
    source_code(tmp_path / "code")
    git = GitRepo(tmp_path / "code")
    git.git("worktree", "add", "--quiet", "-b", "memory", str(tmp_path / "memory"))
    workspace, found = Workspace.init(str(tmp_path / "memory"), options=options())
    machine = Machine(workspace)
    assert found.settings.branch == "memory"
    machine.write("MEMORY.md", "x\n")
    machine.save()
    assert machine.git("log", "--format=%s", "-1", "memory") == "save MEMORY.md"
    machine.assert_sound()
    assert git.git("log", "--format=%s", "-1", "main") == "code"
    workspace.close()


# -- clone


def test_a_clone_is_the_same_workspace(machines: Machines) -> None:
    a = machines.first({**NOTES, "memory_tree/content/x.md": b"x\n"})
    os.chmod(a.full("run.sh"), 0o755)
    os.symlink("a.md", a.full("link"))
    a.sync()
    b = machines.clone()
    assert b.disk() == a.disk()
    assert b.tip == a.tip
    assert os.stat(b.full("run.sh")).st_mode & 0o100
    assert os.path.islink(b.full("link"))
    assert b.workspace.device != a.workspace.device
    assert [remote.name for remote in b.workspace.remotes.all()] == ["origin"]
    b.assert_sound()
    assert b.found("x") == a.found("x")
    machines.settle()
    machines.assert_agreed()


def test_an_empty_remote_becomes_a_workspace(machines: Machines) -> None:
    b = machines.clone()
    b.write("a.md", "first\n")
    b.sync()
    b.assert_sound()
    assert machines.clone("c").disk() == b.disk()


def test_a_plain_repository_is_cloned_and_adopted(machines: Machines, tmp_path: Path) -> None:
    source_code(tmp_path / "code")
    GitRepo(tmp_path / "code").git("push", "--quiet", machines.remote, "main")
    b = machines.clone()
    assert b.workspace.settings.capture == ()
    assert set(b.committed()) == {"README.md", ".gitattributes", "src/main.py", "memtree.toml"}
    b.assert_sound()
    b.sync()
    assert machines.clone("c").tip == b.tip


@pytest.mark.parametrize("head", ["main", "master", "nowhere/at/all"])
def test_a_clone_finds_the_branch_whatever_the_remote_calls_its_head(tmp_path: Path, head: str) -> None:
    """A bare repository made by an older git points to `master`, where nobody ever pushes."""
    machines = Machines(tmp_path)
    GitRepo(tmp_path / "a-helper").git("--git-dir", machines.remote, "symbolic-ref", "HEAD", f"refs/heads/{head}")
    early = machines.clone("early")
    a = machines.first({"a.md": "a\n"})
    late = machines.clone("late")
    assert late.tip == a.tip
    assert late.disk() == a.disk()
    late.assert_sound()
    early.write("early.md", "early\n")
    early.sync(unrelated=True)
    machines.settle()
    assert set(machines.assert_agreed()) >= {"a.md", "early.md"}
    machines.close()


def test_a_clone_goes_to_the_branch_that_the_settings_name(machines: Machines, tmp_path: Path) -> None:
    """The remote's own head is a code branch; memory lives on another."""
    source_code(tmp_path / "code")
    code = GitRepo(tmp_path / "code")
    code.git("push", "--quiet", machines.remote, "main")
    code.git("switch", "--quiet", "--orphan", "memory")
    code.write("memtree.toml", 'branch = "memory"\n')
    code.write("a.md", "a\n")
    code.commit("memory")
    code.git("push", "--quiet", machines.remote, "memory")
    GitRepo(tmp_path / "helper").git("--git-dir", machines.remote, "symbolic-ref", "HEAD", "refs/heads/memory")
    b = machines.clone()
    assert b.git("symbolic-ref", "HEAD") == "refs/heads/memory"
    assert b.disk() == {"memtree.toml": b'branch = "memory"\n', "a.md": b"a\n"}
    b.assert_sound()


@pytest.mark.parametrize("setting", ["true", "input"])
def test_a_clone_is_byte_exact_where_git_converts_line_ends(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    files = {"crlf.md": b"a\r\nb\r\n", "mixed.md": b"a\r\nb\n", "lf.md": b"a\nb\n", "deep/crlf.md": b"\r\n"}
    a = machines.first(dict(files))
    home = fill(tmp_path / "home-folder", {".gitconfig": f"[core]\n\tautocrlf = {setting}\n".encode()})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setitem(ENVIRONMENT, "GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))  # type: ignore[arg-type]
    before = pygit2.settings.search_path[ConfigLevel.GLOBAL]
    pygit2.settings.search_path[ConfigLevel.GLOBAL] = str(home)
    try:
        b = machines.clone()
        assert b.notes() == files
        assert b.status() == []
        b.write("crlf.md", b"edited\r\n")
        b.write("new.md", b"new\r\n")
        b.sync()
        assert b.status() == []
        assert {path: data for path, data in b.committed().items() if path != "memtree.toml"} == b.notes()
        b.assert_whole()
    finally:
        pygit2.settings.search_path[ConfigLevel.GLOBAL] = before
    a.sync()
    assert a.read("crlf.md") == b"edited\r\n"
    assert a.read("new.md") == b"new\r\n"


def hostile(git: GitRepo, name: str, *, link: str | None = None) -> None:
    """Commit an entry that `git add` would never make, below what is there."""
    data = link if link is not None else "text\n"
    blob = git.git("hash-object", "-w", "--stdin", stdin=data.encode())
    raw = f"{'120000' if link is not None else '100644'} {name}\0".encode() + bytes.fromhex(blob)
    tree = git.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw)
    top = git.git("mktree", stdin=f"040000 tree {tree}\tfrom-outside\n100644 blob {blob}\tfine.md\n".encode())
    commit = git.git("commit-tree", top, "-p", "HEAD", "-m", "hostile")
    git.git("update-ref", "refs/heads/main", commit)


HOSTILE = {
    ".git": None,
    ".GIT": None,
    "git~1": None,
    ".git.": None,
    ".g\u200cit": None,
    "..": None,
    ".": None,
    "a\nb.md": None,
    "bell\x07.md": None,
    "link": "../../outside",
    "absolute": "/etc/passwd",
    "into-git": "../.git/config",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_remote_that_sends_a_refused_path_is_not_checked_out(machines: Machines, tmp_path: Path, name: str) -> None:
    a = machines.first({"a.md": "a\n"})
    evil = GitRepo(tmp_path / "evil")
    evil.git("pull", "--quiet", machines.remote, "main")
    hostile(evil, name, link=HOSTILE[name])
    evil.git("-c", "core.protectHFS=false", "-c", "core.protectNTFS=false", "push", "--quiet", machines.remote, "main")
    before, tip = stamps(a.path), a.tip
    with pytest.raises(StateError) as caught:
        a.sync()
    assert "refused" in str(caught.value)
    assert (stamps(a.path), a.tip, a.status()) == (before, tip, [])
    a.write("a.md", "work goes on\n")
    a.save()
    assert a.committed() == a.disk()
    with pytest.raises((StateError, UserError)):
        machines.clone("b")
    assert not (tmp_path / "b").exists()
    evil.git("reset", "--quiet", "--hard", "HEAD~1")
    evil.git("push", "--quiet", "--force", machines.remote, "main")
    assert set(machines.clone("b").disk()) == {"a.md", "memtree.toml"}


def test_a_clone_into_a_folder_with_files_is_refused(machines: Machines, tmp_path: Path) -> None:
    machines.first({"a.md": "a\n"})
    fill(tmp_path / "b", NOTES)
    with pytest.raises(UserError, match="not empty"):
        machines.clone()
    assert set(disk(tmp_path / "b")) == set(NOTES)


def test_a_clone_that_fails_leaves_nothing_behind(machines: Machines, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot clone"):
        machines.clone(url=str(tmp_path / "no-such.git"))
    assert not (tmp_path / "b").exists()
    (tmp_path / "b").mkdir()
    with pytest.raises(UserError, match="cannot clone"):
        machines.clone(url=str(tmp_path / "no-such.git"))
    assert list((tmp_path / "b").iterdir()) == []


def test_a_relative_address_is_meant_from_the_current_folder(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = machines.first({"a.md": "a\n"})
    monkeypatch.chdir(tmp_path / "a")
    b = machines.clone("deep/er/b", url="../remote.git")
    assert b.disk() == a.disk()
    assert b.git("config", "remote.origin.url") == machines.remote
    a.workspace.remotes.add("second", "../remote.git")
    assert a.git("config", "remote.second.url") == machines.remote


def test_a_clone_by_stock_git_becomes_a_workspace_by_init(machines: Machines, tmp_path: Path) -> None:
    a = machines.first({"a.md": "a\r\n"})
    GitRepo(tmp_path).git("clone", "--quiet", machines.remote, "stock")
    before = stamps(tmp_path / "stock")
    workspace, found = Workspace.init(str(tmp_path / "stock"), options=options())
    assert stamps(tmp_path / "stock") == before
    assert not found.new
    assert Machine(workspace).tip == a.tip
    Machine(workspace).assert_sound()
    workspace.close()
