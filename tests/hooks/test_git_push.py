"""The last look before a person's own push: only what leaves is looked through, whatever kind of ref it leaves by."""

from __future__ import annotations

import os
from pathlib import Path
from queue import Queue

import pytest

from memtree.engine.secrets.scan import PushBlocked
from memtree.hooks.daemon.server import Server
from memtree.hooks.githooks.pushing import NoPush, NoRepository, Sent, refuse_push, sent
from memtree.hooks.githooks.serving import NOTICES, notice, place_of
from memtree.hooks.place import find_place
from support.gitrepo import GitRepo

ZERO = "0" * 40
UNKNOWN = "5" * 40
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Pusher(GitRepo):
    """A person who pushes from a repository that is no workspace (any more)."""

    def push(self, *refs: tuple[str, str], remote: str = "origin", env: dict[str, str] | None = None) -> list[str]:
        """Push (local id, remote id) pairs: what is refused, as `path:line in commit`; nothing when all may leave."""
        lines = [f"refs/heads/b{n} {local} refs/heads/b{n} {there}" for n, (local, there) in enumerate(refs)]
        try:
            refuse_push(remote, lines, env or {}, self.path)
        except PushBlocked as blocked:
            return [f"{one.where} in {one.commit}" for one in blocked.found]
        return []

    def made(self, path: str, text: str, message: str = "change") -> str:
        self.write(path, text)
        return self.commit(message)


@pytest.fixture
def repo(tmp_path: Path) -> Pusher:
    found = Pusher(tmp_path / "repo")
    found.made("a.md", "clean\n")
    return found


def test_a_clean_push_passes_and_a_secret_is_refused(repo: Pusher) -> None:
    first = repo.git("rev-parse", "HEAD")
    assert repo.push((first, ZERO)) == []
    bad = repo.made("src/b.py", f"x = 1\nkey = '{SECRET}'\n")
    assert repo.push((bad, ZERO)) == [f"src/b.py:2 in {bad}"]
    assert repo.push((bad, first)) == [f"src/b.py:2 in {bad}"]
    repo.remove("src/b.py")
    gone = repo.commit()
    assert repo.push((gone, first)) == [f"src/b.py:2 in {bad}"]  # it would leave all the same
    assert repo.push((ZERO, first)) == []  # a deletion
    assert repo.push((ZERO, UNKNOWN), (first, ZERO)) == []
    assert repo.push() == []


def test_what_is_there_already_is_not_looked_through_again(repo: Pusher) -> None:
    bad = repo.made("b.md", f"{SECRET}\n")
    after = repo.made("c.md", "clean\n")
    assert repo.push((after, bad)) == []
    assert repo.push((after, UNKNOWN)) == [f"b.md:1 in {bad}"]
    repo.git("update-ref", "refs/remotes/origin/main", bad)
    assert repo.push((after, UNKNOWN)) == []
    assert repo.push((after, ZERO)) == []
    assert repo.push((after, ZERO), remote="elsewhere") == [f"b.md:1 in {bad}"]
    assert repo.push((after, ZERO), remote="orig") == [f"b.md:1 in {bad}"]
    assert repo.push((after, ZERO), (bad, bad), remote="elsewhere") == []  # another ref of the remote has it


def test_a_forced_push_is_looked_through_where_it_leaves_the_old_history(repo: Pusher) -> None:
    first = repo.git("rev-parse", "HEAD")
    there = repo.made("b.md", "clean\n")
    repo.git("reset", "--quiet", "--hard", first)
    bad = repo.made("b.md", f"{SECRET}\n")
    assert repo.push((bad, there)) == [f"b.md:1 in {bad}"]


def test_tags_and_what_only_they_name_are_looked_through(repo: Pusher) -> None:
    clean = repo.git("rev-parse", "HEAD")
    repo.git("tag", "-a", "-m", "release", "v1")
    repo.git("tag", "-a", "-m", f"release\n\nwith {SECRET}", "v2", "v1")
    good, bad = (repo.git("rev-parse", name) for name in ("v1", "v2"))
    assert repo.push((good, ZERO)) == []
    assert repo.push((bad, ZERO)) == [f"the commit message:3 in {bad}"]
    secret = repo.made("deep/b.md", f"a\n{SECRET}\n")
    repo.git("tag", "-a", "-m", "of a secret", "v3")
    assert repo.push((repo.git("rev-parse", "v3"), ZERO)) == [f"deep/b.md:2 in {secret}"]
    blob, tree = repo.git("rev-parse", "HEAD:deep/b.md"), repo.git("rev-parse", "HEAD^{tree}")
    assert [one.split(":")[1].split()[0] for one in repo.push((blob, ZERO))] == ["2"]
    assert repo.push((tree, ZERO)) == [f"deep/b.md:2 in {tree}"]
    assert repo.push((repo.git("rev-parse", "HEAD:a.md"), ZERO), (clean, ZERO)) == []


def test_several_refs_are_looked_through_together_and_what_they_share_once(repo: Pusher) -> None:
    first = repo.git("rev-parse", "HEAD")
    bad = repo.made("b.md", f"{SECRET}\n")
    one = repo.made("c.md", "c\n")
    repo.git("checkout", "--quiet", "-b", "side", bad)
    two = repo.made("d.md", "d\n", f"says {SECRET}")
    assert repo.push((one, first), (two, ZERO), (ZERO, one)) == [f"b.md:1 in {bad}", f"the commit message:1 in {two}"]


def test_what_a_person_allowed_may_leave(repo: Pusher) -> None:
    bad = repo.made("b.md", f"{SECRET}\n")
    with pytest.raises(PushBlocked) as blocked:
        refuse_push("origin", [f"main {bad} refs/heads/main {ZERO}"], {}, repo.path)
    assert SECRET not in str(blocked.value) + blocked.value.hint
    assert f"memtree secrets allow {blocked.value.found[0].fingerprint}" in blocked.value.hint
    repo.write(".memtreeallow", f"{blocked.value.found[0].fingerprint}\n")
    assert repo.push((bad, ZERO)) == []


def test_the_repository_is_the_one_that_git_names(repo: Pusher, tmp_path: Path) -> None:
    bad = repo.made("b.md", f"{SECRET}\n")
    for named in (".git", os.path.join(repo.path, ".git")):
        assert repo.push((bad, ZERO), env={"GIT_DIR": named}) == [f"b.md:1 in {bad}"]
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "--quiet", "--detach", str(linked))
    elsewhere = Pusher(tmp_path / "other")
    assert elsewhere.push((bad, ZERO), env={"GIT_DIR": os.path.join(repo.path, ".git")}) == [f"b.md:1 in {bad}"]
    for env in ({}, {"GIT_DIR": os.path.join(repo.path, ".git", "worktrees", "linked")}):
        with pytest.raises(PushBlocked):
            refuse_push("origin", [f"HEAD {bad} refs/heads/x {ZERO}"], env, str(linked))
    with pytest.raises(NoRepository):
        refuse_push("origin", [f"HEAD {bad} refs/heads/x {ZERO}"], {}, str(tmp_path))


def test_what_git_says_is_read_from_its_end() -> None:
    line = f"HEAD^{{/two words}} {'1' * 40} refs/heads/main {'2' * 40}"
    assert list(sent([line, f"(delete) {ZERO} refs/heads/x {'1' * 40}"])) == [Sent("1" * 40, "2" * 40)]  # type: ignore[arg-type]
    assert list(sent([f"a {'1' * 40} b {ZERO}"])) == [Sent("1" * 40, None)]  # type: ignore[arg-type]
    for bad in ("", "a b c d", f"{'1' * 40} refs {ZERO}", f"a {'1' * 40} b {'g' * 40}", f"a {'1' * 39} b {ZERO}"):
        with pytest.raises(NoPush):
            list(sent([bad]))


# -- telling the daemon


def test_a_daemon_is_told_what_git_did(repo: Pusher) -> None:
    repo.write("memtree.toml", "")
    place = find_place(repo.path)
    assert place is not None
    os.mkdir(place.state)
    heard: Queue[str] = Queue()
    server = Server(place, {"notify": lambda params, _progress: heard.put(params["what"])})
    assert not notice("post-commit", (), {}, repo.path)
    server.start()
    try:
        for name in NOTICES:
            assert notice(name, ("a", "b", "1"), {}, repo.path)
            assert notice(name, (), {"GIT_DIR": ".git"}, repo.path)
        assert not notice("post-checkout", ("a", "b", "0"), {}, repo.path)
        assert not notice("post-commit", (), {"MEMTREE_INTERNAL": "1"}, repo.path)
        assert not notice("post-commit", (), {}, os.path.dirname(repo.path))
        repo.remove("memtree.toml")  # a branch without it
        assert notice("post-merge", (), {}, repo.path)
        told = [*NOTICES, *NOTICES, "post-merge"]
        assert sorted(heard.get(timeout=30) for _ in told) == sorted(told)
    finally:
        server.stop()
    assert heard.empty()
    assert not notice("post-commit", (), {}, repo.path)


def test_the_place_is_the_one_that_git_names(repo: Pusher, tmp_path: Path) -> None:
    state = os.path.join(os.path.realpath(repo.path), ".git", "memtree")
    for env in ({}, {"GIT_DIR": ".git"}, {"GIT_DIR": os.path.join(repo.path, ".git")}):
        found = place_of(env, repo.path)
        assert found is not None
        assert found.state == state
    assert place_of({}, str(tmp_path)) is None
