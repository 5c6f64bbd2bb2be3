"""What goes wrong is told in one line with advice, and its family by the exit code; nothing is half-done afterwards."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtree.engine.files import Files
from memtree.engine.workspace import Options, Workspace, find_root
from support.cli import Outcome, git_agrees, memtree, spawn
from support.gitrepo import GitRepo
from support.machines import bare

USER, STATE, DAMAGED, AGAIN = 2, 3, 4, 75


def refused(*arguments: str, cwd: str | os.PathLike[str], code: int, says: str) -> Outcome:
    """The command fails with this code, in one line and one line of advice, the same for people and programs."""
    done = memtree(*arguments, cwd=cwd, code=code)
    message, *hint = done.err.splitlines()
    assert says in done.err
    assert message.startswith("memtree: ")
    assert len(hint) == 1, done.err
    assert hint[0].startswith("  ")
    error = memtree(*arguments, "--json", cwd=cwd, code=code).json["error"]
    assert f"memtree: {error['message']}\n  {error['hint']}\n" == done.err
    return done


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for other people's locks."""
    options = Options(lock_timeout=0.2, git_lock_timeout=0.2)
    monkeypatch.setattr(Workspace, "open", classmethod(lambda cls, start: cls(find_root(start), options)))


def two_branches(repo: GitRepo) -> None:
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.write("projects/heron.md", "side\n")
    repo.commit("side")
    repo.git("checkout", "-q", "main")


# -- the request is wrong: 2


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("sav", "did you mean: memtree save"),
        ("commit", "did you mean: memtree save"),
        ("find heron", "did you mean: memtree search"),
        ("xyzzy", "there is no command 'xyzzy'"),
        ("search", "Missing argument"),
        ("search x --limit none", "'none' is not a valid integer"),
        ("search x --kind mail", "'mail' is not one of"),
        ("search x --since someday", "cannot read 'someday' as a time"),
        ("log --until 2026-99-99", "cannot read '2026-99-99' as a time"),
        ("log --lang", "No such option"),
        ("remote frob", "No such command 'frob'"),
        ("status extra", "unexpected extra argument"),
        ("log nowhere.md", "there is no nowhere.md in any commit"),
        ("log heron.md", "did you mean projects/heron.md?"),
        ("show projects/herron.md", "did you mean projects/heron.md?"),
        ("blame xyzzy", "there is no xyzzy in the last commit"),
        ("blame projects", "projects is a folder"),
        ("restore nowhere.md --at HEAD", "there is no nowhere.md in the last commit"),
        ("restore projects/heron.md", "Missing option '--at'"),
        ("show projects/heron.md --at HEAD~9", "unknown revision 'HEAD~9'"),
        ("undo 0123abcd", "unknown revision '0123abcd'"),
        ("diff nowhere", "neither a path nor a revision"),
        ("diff heron.md", "did you mean projects/heron.md?"),
        ("log herron", "did you mean projects/heron.md?"),
        ("show HEAD", "is a commit: memtree diff"),
        ("diff HEAD HEAD~1 HEAD~2", "at most two revisions and one path"),
        ("log ../elsewhere.md", "lies outside the workspace"),
        ("show /etc/passwd", "lies outside the workspace"),
        ("show .git/config", ".git folder"),
        ("sync", "has no remote"),
        ("sync nowhere", "there is no remote 'nowhere'"),
        ("pull nowhere", "there is no remote 'nowhere'"),
        ("remote add origin", "there is no git remote 'origin' yet"),
        ("remote add ../x y", "is not a name for a remote"),
        ("remote remove origin", "there is no remote 'origin'"),
        ("remote add origin https://ada:sesame@example.com/x.git", "holds credentials"),
        ("init projects", "lies inside the git repository"),
        ("init projects/heron.md", "is not a folder"),
        ("clone /nowhere/at/all.git", "cannot clone"),
    ],
)
def test_a_wrong_request_gets_one_line_and_advice(notes: GitRepo, call: str, says: str) -> None:
    done = refused(*call.split(), cwd=notes.path, code=USER, says=says)
    assert "sesame" not in done.out + done.err
    git_agrees(notes)


def test_a_file_that_is_not_saved_yet_says_so(notes: GitRepo) -> None:
    notes.write("draft.md", "x\n")
    for call in ("log", "blame", "show"):
        refused(call, "draft.md", cwd=notes.path, code=USER, says="memtree save commits what is on the disk")


def test_outside_of_a_workspace_the_way_in_is_told(tmp_path: Path) -> None:
    refused("status", cwd=tmp_path, code=USER, says="run memtree init there, or name one: memtree -w FOLDER")
    refused("-w", str(tmp_path / "gone"), "status", cwd=tmp_path, code=USER, says="is not inside a memtree workspace")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("content = ", "Invalid value"),
        ('durability = "slow"', 'must be "full" or "fast"'),
        ('capture = "notes"', "must be a list"),
        ('branch = ".."', "is not a branch name"),
    ],
)
def test_a_broken_settings_file_is_named_with_its_fault(notes: GitRepo, text: str, says: str) -> None:
    notes.write("memtree.toml", text)
    for command in ("status", "save", "doctor"):
        refused(command, cwd=notes.path, code=USER, says=says)


def test_a_bare_repository_is_no_workspace(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "b.git"], check=True)
    refused("init", "b.git", cwd=tmp_path, code=USER, says="memtree clone URL PATH")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--object-format=sha256"], "sha256"), (["--ref-format=reftable"], "reftable")],
    ids=["sha256", "reftable"],
)
def test_a_repository_format_that_cannot_be_kept_is_refused_by_name(tmp_path: Path, arguments: list[str], says: str) -> None:
    made = subprocess.run(["git", "init", "-q", *arguments, tmp_path / "odd"], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("this git does not know that format")
    refused("init", "odd", cwd=tmp_path, code=USER, says=says)
    assert not (tmp_path / "odd" / "memtree.toml").exists()


# -- the wrong moment: 3


def test_a_split_index_is_told_with_the_command_that_joins_it(notes: GitRepo) -> None:
    notes.git("update-index", "--split-index")
    notes.write("a.md", "a\n")
    refused("save", cwd=notes.path, code=STATE, says="git update-index --no-split-index")
    notes.git("update-index", "--no-split-index")
    memtree("save", cwd=notes.path)
    git_agrees(notes)


@pytest.mark.parametrize(("checkout", "says"), [(["--detach"], "at a detached HEAD"), (["-b", "other"], "on other, not on main")])
def test_on_another_branch_nothing_is_committed_and_reading_works(notes: GitRepo, checkout: list[str], says: str) -> None:
    notes.git("checkout", "-q", *checkout)
    notes.write("a.md", "quokka\n")
    refused("save", cwd=notes.path, code=STATE, says=says)
    refused("undo", "HEAD", cwd=notes.path, code=STATE, says="git switch main")
    done = memtree("search", "heron", cwd=notes.path)
    assert "projects/heron.md" in done.out
    assert f"recent edits are not committed: the work tree is {says}" in done.err
    assert "(syncs main)" in memtree("status", cwd=notes.path).out
    git_agrees(notes, "?? a.md")


def test_during_a_merge_of_the_user_s_nothing_is_committed(notes: GitRepo) -> None:
    two_branches(notes)
    with pytest.raises(AssertionError, match="merge side failed"):
        notes.git("merge", "side")
    refused("save", cwd=notes.path, code=STATE, says="a merge of yours is in progress")
    notes.write("a.md", "a\n")
    refused("save", cwd=notes.path, code=STATE, says="git merge --abort")
    assert "a merge of yours is in progress" in memtree("status", cwd=notes.path).out
    assert "projects/heron.md" in memtree("search", "heron", cwd=notes.path).out
    notes.git("merge", "--abort")
    memtree("save", cwd=notes.path)
    git_agrees(notes)


def test_a_mass_deletion_stops_until_it_is_allowed(notes: GitRepo) -> None:
    for number in range(30):
        notes.write(f"many/{number}.md", f"{number}\n")
    memtree("save", cwd=notes.path)
    for number in range(30):
        notes.remove(f"many/{number}.md")
    refused("save", cwd=notes.path, code=STATE, says="30 of 33 files are gone at once")
    assert "--allow-mass-delete" in memtree("search", "heron", cwd=notes.path).err
    assert "Saved 30 files" in memtree("save", "--allow-mass-delete", cwd=notes.path).out
    git_agrees(notes)


# -- stored data is damaged: 4


def test_a_damaged_journal_leads_to_the_doctor_who_repairs_it(notes: GitRepo) -> None:
    Path(notes.path, ".git", "memtree", "journal").write_bytes(b"{ not a journal")
    notes.write("a.md", "a\n")
    refused("save", cwd=notes.path, code=DAMAGED, says="memtree doctor")
    assert "projects/heron.md" in memtree("search", "heron", cwd=notes.path).out
    done = memtree("doctor", cwd=notes.path, code=DAMAGED)
    assert "problem  journal: " in done.out
    assert "--repair would: set the journal aside" in done.out
    assert memtree("doctor", "--json", cwd=notes.path, code=DAMAGED).json["healthy"] is False
    assert "repaired journal: " in memtree("doctor", "--repair", cwd=notes.path).out
    memtree("save", cwd=notes.path)
    git_agrees(notes)


@pytest.mark.parametrize("data", [b"", b"DIRC garbage", b"DIRC\0\0\0\x02\0\0\0\x09 too short"])
def test_a_damaged_git_index_is_told_with_the_way_to_rebuild_it(notes: GitRepo, data: bytes) -> None:
    Path(notes.path, ".git", "index").write_bytes(data)
    notes.write("a.md", "a\n")
    refused("save", cwd=notes.path, code=DAMAGED, says="rm .git/index && git reset")
    assert "projects/heron.md" in memtree("search", "heron", cwd=notes.path).out
    for call in ("status", "doctor", "diff"):
        assert "Traceback" not in memtree(call, cwd=notes.path, code=DAMAGED).err
    Path(notes.path, ".git", "index").unlink()
    notes.git("reset", "-q")
    memtree("save", cwd=notes.path)
    git_agrees(notes)


def test_a_missing_object_is_told_by_every_command_that_needs_it(notes: GitRepo) -> None:
    blob = notes.git("rev-parse", "HEAD:projects/heron.md")
    Path(notes.path, ".git", "objects", blob[:2], blob[2:]).unlink()
    assert "repository: git fsck finds damage" in memtree("doctor", cwd=notes.path, code=DAMAGED).out
    for call in ("show projects/heron.md", "blame projects/heron.md", "diff HEAD~1 HEAD", "restore projects/heron.md --at HEAD"):
        done = memtree(*call.split(), cwd=notes.path, code=None)
        assert done.code in (0, DAMAGED), call
        assert "Traceback" not in done.err, call


# -- try again: 75


@pytest.mark.usefixtures("impatient")
def test_a_lock_of_git_s_is_waited_for_and_left_alone(notes: GitRepo) -> None:
    lock = Path(notes.path, ".git", "index.lock")
    lock.write_bytes(b"theirs")
    notes.write("a.md", "a\n")
    refused("save", cwd=notes.path, code=AGAIN, says="is held by another program")
    assert "projects/heron.md" in memtree("search", "heron", cwd=notes.path).out
    assert lock.read_bytes() == b"theirs"
    lock.unlink()
    memtree("save", cwd=notes.path)
    git_agrees(notes)


@pytest.mark.usefixtures("impatient")
def test_another_writer_is_named(notes: GitRepo) -> None:
    notes.write("a.md", "a\n")
    workspace = Workspace.open(notes.path)
    with workspace.store.exclusive():
        refused("save", cwd=notes.path, code=AGAIN, says="the workspace is being written by")
    workspace.close()


@pytest.mark.parametrize("url", ["/nowhere/at/all.git", "http://127.0.0.1:1/x.git"])
def test_an_unreachable_remote_is_no_loss(notes: GitRepo, url: str) -> None:
    memtree("remote", "add", "origin", url, cwd=notes.path)
    notes.write("a.md", "a\n")
    refused("sync", cwd=notes.path, code=AGAIN, says="your commits are safe here")
    assert "last try failed: cannot be reached" in memtree("status", cwd=notes.path).out
    git_agrees(notes)


def test_one_remote_of_two_that_fails_is_told_in_one_object_and_by_the_exit_code(notes: GitRepo, tmp_path: Path) -> None:
    memtree("remote", "add", "origin", "/nowhere/at/all.git", cwd=notes.path)
    memtree("remote", "add", "usb", bare(tmp_path / "usb.git"), cwd=notes.path)
    told = memtree("sync", "--json", cwd=notes.path, code=AGAIN).json
    assert [one["remote"] for one in told["remotes"]] == ["usb"]
    assert [one["remote"] for one in told["failed"]] == ["origin"]
    assert "origin: would stop.\n" in memtree("sync", "--dry-run", cwd=notes.path).out


@pytest.mark.parametrize(
    "call", ["status", "save", "log", "search heron", "show projects", "doctor", "maintain", "review", "undo HEAD"]
)
def test_without_the_git_program_everything_works(
    notes: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Syncing too: libgit2 carries the commits then."""
    notes.write("a.md", "a\n")
    remote = bare(tmp_path / "remote.git")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        memtree(*call.split(), cwd=notes.path)
        memtree("remote", "add", "origin", remote, cwd=notes.path)
        memtree("sync", cwd=notes.path)
    assert notes.git("ls-remote", remote, "refs/heads/main").split()[0] == notes.git("rev-parse", "HEAD")
    memtree("save", cwd=notes.path)
    git_agrees(notes)


# -- secrets


def test_a_password_in_a_remote_s_address_is_never_printed(notes: GitRepo) -> None:
    url = "http://ada:sesame@127.0.0.1:1/x.git"
    notes.git("remote", "add", "old", url)
    calls = [
        "remote add old",
        "remote list",
        "sync",
        "status",
        "doctor",
        "push old",
        f"clone {url} elsewhere",
        f"remote add new {url}",
    ]
    for call in calls:
        for form in ([], ["--json"]):
            done = memtree(*call.split(), *form, cwd=notes.path, code=None)
            assert "sesame" not in done.out + done.err, call
    assert "sesame" not in Path(notes.path, ".git/memtree/sync.json").read_text()


# -- disks that refuse


@pytest.mark.parametrize(
    ("number", "code", "says"),
    [(errno.ENOSPC, AGAIN, "free some space"), (errno.EROFS, STATE, "read-only"), (errno.EACCES, STATE, "who owns the file")],
)
def test_a_disk_that_refuses_gets_advice_and_the_save_is_made_later(
    notes: GitRepo, monkeypatch: pytest.MonkeyPatch, number: int, code: int, says: str
) -> None:
    notes.write("a.md", "a\n")

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), os.path.join(notes.path, "a.md"))

    with monkeypatch.context() as patch:
        for name in ("write_new", "rename", "write"):
            if hasattr(Files, name):
                patch.setattr(Files, name, refuse)
        refused("save", cwd=notes.path, code=code, says=says)
    memtree("save", cwd=notes.path)
    git_agrees(notes)


def mounted(*arguments: str) -> bool:
    return not subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
def test_a_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    if not mounted("-t", "tmpfs", "-o", "size=5m", "tmpfs", str(folder)):
        pytest.skip("no mounts here")
    try:
        memtree("init", ".", cwd=folder)
        (folder / "big.bin").write_bytes(os.urandom(3 << 20))
        done = spawn("save", cwd=folder, code=AGAIN)
        assert "the disk is full" in done.err
        assert "Traceback" not in done.err
        (folder / "big.bin").unlink()
        (folder / "a.md").write_text("a\n")
        memtree("save", cwd=folder)
        git_agrees(GitRepo(folder))
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
def test_a_read_only_file_system_can_be_read(notes: GitRepo) -> None:
    memtree("search", "heron", cwd=notes.path)
    if not (mounted("--bind", notes.path, notes.path) and mounted("-o", "remount,ro,bind", notes.path)):
        pytest.skip("no mounts here")
    try:
        for call in ("log", "show projects/heron.md", "diff", "status", "doctor"):
            done = memtree(*call.split(), cwd=notes.path)
            assert "Traceback" not in done.err, call
        for call in ("undo HEAD", "maintain", "reindex", "search heron"):
            done = (spawn if call == "search heron" else memtree)(*call.split(), cwd=notes.path, code=None)
            assert done.code in (STATE, AGAIN)  # the index library needs a lock file even to read
            assert "read-only" in done.err.casefold(), call
            assert len(done.err.splitlines()) <= 3, call
    finally:
        subprocess.run(["umount", "-l", notes.path], check=True)
    git_agrees(notes)


def test_a_current_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    command = ["sh", "-c", 'cd "$1" && rmdir "$1" && exec "$2" -m memtree.tools status', "sh", str(folder), sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (USER, "")
    assert done.stderr.startswith("memtree: the current folder is gone\n")
