"""One suite for every transport and every way to a remote: the git program and libgit2, over file, ssh and http."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memtree.engine.files import Durability, Files
from memtree.engine.git import Git
from memtree.engine.repo import Repo
from memtree.engine.transport import (
    GitTransport,
    Limits,
    Means,
    PushRaced,
    RemoteBranchGone,
    RemoteRefused,
    RemoteRewritten,
    RemoteUnreachable,
    Transport,
    choose_transport,
    tracking,
)
from memtree.engine.transport.libgit import LibgitTransport
from memtree.engine.transport.local import LocalRemote
from memtree.tools.bench.ssh_server import MISSING, SshRemote, git_over_ssh, host_line, new_key
from memtree.tree.errors import Error
from memtree.tree.objects import CommitId
from support.gitrepo import ENVIRONMENT, GitRepo
from support.machines import bare
from support.servers import cable_to, closed_port, git_over_http, silent_server
from support.templates import copy, template

PASSWORD = "s3cret-Pa55"
NETWORK = ("ssh", "http")

needs_sshd = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@dataclass(slots=True)
class Way:
    """How the machines of a test reach `remote`, the bare repository."""

    name: str
    url: str
    remote: str
    environment: dict[str, str] = field(default_factory=dict)
    key_files: tuple[str, ...] = ()
    known_hosts: tuple[str, ...] = ()


@dataclass(slots=True)
class Side:
    """One machine: a repository that stock git fills, and the transport under test."""

    git: GitRepo
    repo: Repo
    transport: Transport

    def commit(self, path: str = "a.md", text: str | bytes = "one\n") -> CommitId:
        self.git.write(path, text)
        return CommitId(self.git.commit(path))

    def fetch(self, **choices: bool) -> CommitId | None:
        return self.transport.fetch("origin", "main", **choices)

    def push(self, commit: CommitId) -> None:
        self.transport.push("origin", "main", commit)

    @property
    def tracked(self) -> CommitId | None:
        return self.repo.tip(tracking("origin", "main"))


class Lab:
    """Machines around one remote, all by the same means and the same way."""

    def __init__(self, folder: Path, means: Means, way: Way) -> None:
        self.folder = folder
        self.means = means
        self.way = way
        self._stack = ExitStack()

    def side(self, name: str, *, limits: Limits | None = None, durability: Durability = Durability.FAST) -> Side:
        git = GitRepo(self.folder / name)
        if "origin" not in git.git("remote"):
            git.git("remote", "add", "origin", self.way.url)
        repo = Repo.open(git.path)
        self._stack.callback(repo.close)
        return Side(git, repo, self.transport(repo, limits=limits, durability=durability))

    def transport(self, repo: Repo, *, limits: Limits | None = None, durability: Durability = Durability.FAST) -> Transport:
        limits, files = limits or Limits(), Files(durability)
        program = Git(repo.folder, {**os.environ, **ENVIRONMENT, **self.way.environment})
        if self.means is Means.PROGRAM:
            return GitTransport(repo, program, files, timeout=limits.total)
        return LibgitTransport(repo, program, files, limits=limits, key_files=self.way.key_files, known_hosts=self.way.known_hosts)

    def remote(self, *arguments: str) -> str:
        """Run git in the remote."""
        return subprocess.run(
            ("git", *arguments), cwd=self.way.remote, check=True, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}
        ).stdout.strip()

    def hook(self, name: str, script: str) -> None:
        path = Path(self.way.remote, "hooks", name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    @property
    def tip(self) -> str:
        return self.remote("for-each-ref", "--format=%(objectname)", "refs/heads/main")

    def close(self) -> None:
        self._stack.close()


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshRemote]:
    if MISSING:
        pytest.skip(MISSING)
    with git_over_ssh(tmp_path_factory.mktemp("ssh") / "server") as server:
        yield server


@pytest.fixture(params=["file", "ssh", "http", "http+login"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Way]:
    remote = bare(tmp_path / "remote.git")
    match request.param:
        case "file":
            yield Way("file", remote, remote)
        case "ssh":
            server: SshRemote = request.getfixturevalue("sshd")
            yield over_ssh(server, remote)
        case "http":
            with git_over_http(tmp_path) as plain:
                yield Way("http", plain.url(), remote)
        case _:
            with git_over_http(tmp_path, user="ada", password=PASSWORD) as guarded:
                yield Way("http+login", guarded.url(), remote, helper(tmp_path, guarded.address, PASSWORD))


@pytest.fixture(params=[*Means], ids=lambda means: means.value)
def means(request: pytest.FixtureRequest) -> Means:
    return Means(request.param)


@pytest.fixture
def lab(tmp_path: Path, means: Means, way: Way) -> Iterator[Lab]:
    made = Lab(tmp_path, means, way)
    yield made
    made.close()


def over_ssh(server: SshRemote, remote: str) -> Way:
    return Way("ssh", server.url(remote), remote, {"GIT_SSH_COMMAND": server.command()}, (server.key,), (server.known_hosts,))


def helper(folder: Path, address: str, password: str) -> dict[str, str]:
    """The user's own git settings, with a credential helper that knows a password."""
    store = folder / "credentials"
    store.write_text(address.replace("://", f"://ada:{password}@") + "\n")
    settings = folder / "gitconfig"
    settings.write_text(f"[credential]\n\thelper = store --file={store}\n")
    return {"GIT_CONFIG_GLOBAL": str(settings)}


# -- what every transport promises


def test_a_new_remote_has_no_branch_and_takes_the_first_push(lab: Lab) -> None:
    a = lab.side("a")
    assert a.fetch() is None
    assert a.tracked is None
    commit = a.commit()
    a.push(commit)
    assert (lab.tip, a.tracked) == (commit, commit)
    assert a.fetch() == commit


def test_commits_travel_from_one_to_the_other_and_back(lab: Lab) -> None:
    a, b = lab.side("a"), lab.side("b")
    first = a.commit()
    a.push(first)
    assert b.fetch() == b.tracked == first
    b.git.git("reset", "--quiet", "--hard", first)
    second = b.commit("b.md")
    b.push(second)
    assert a.fetch() == a.tracked == second
    assert a.git.git("show", f"{second}:b.md") == "one"
    a.git.git("fsck", "--full", "--strict")


def test_asking_again_changes_nothing(lab: Lab) -> None:
    a = lab.side("a")
    commit = a.commit()
    a.push(commit)
    a.push(commit)
    before = sorted(os.listdir(a.repo.git_folder))
    assert a.fetch() == a.fetch() == commit
    assert sorted(os.listdir(a.repo.git_folder)) == before
    assert not os.path.exists(os.path.join(a.repo.git_folder, "FETCH_HEAD"))


def test_only_the_branch_is_fetched_and_nothing_is_pruned(lab: Lab) -> None:
    a, b = lab.side("a"), lab.side("b")
    commit = a.commit()
    a.git.git("tag", "v1")
    a.push(commit)
    lab.remote("update-ref", "refs/tags/v1", commit)
    lab.remote("update-ref", "refs/heads/other", commit)
    b.git.git("update-ref", "refs/remotes/origin/old", b.commit())
    b.fetch()
    refs = b.git.git("for-each-ref", "--format=%(refname)").splitlines()
    assert refs == ["refs/heads/main", "refs/remotes/origin/main", "refs/remotes/origin/old"]
    assert b.git.git("tag") == ""


def test_a_push_that_came_too_late_is_a_race_and_takes_nothing_back(lab: Lab) -> None:
    a, b = lab.side("a"), lab.side("b")
    first = a.commit()
    a.push(first)
    b.fetch()
    b.git.git("reset", "--quiet", "--hard", first)
    theirs = a.commit(text="two\n")
    a.push(theirs)
    late = b.commit("b.md")
    for _ in range(2):  # before and after their commit is known here
        with pytest.raises(PushRaced):
            b.push(late)
        assert lab.tip == theirs
        b.fetch()


def test_an_unrelated_push_is_a_race_too(lab: Lab) -> None:
    a, b = lab.side("a"), lab.side("b")
    first = a.commit()
    a.push(first)
    with pytest.raises(PushRaced):
        b.push(b.commit(text="elsewhere\n"))
    assert lab.tip == first
    assert b.tracked is None


def test_a_history_that_was_replaced_is_an_alarm_until_it_is_accepted(lab: Lab) -> None:
    a, b = lab.side("a"), lab.side("b")
    old = a.commit(text="two\n")
    a.push(old)
    b.fetch()
    new = CommitId(a.git.git("commit-tree", "-m", "another beginning", f"{old}^{{tree}}"))
    a.git.git("push", "--quiet", "--force", lab.way.remote, f"{new}:refs/heads/main")
    with pytest.raises(RemoteRewritten):
        b.fetch()
    assert b.tracked == old
    assert b.fetch(accept_rewritten=True) == b.tracked == new


def test_a_branch_that_vanished_is_an_alarm_until_it_is_accepted(lab: Lab) -> None:
    a = lab.side("a")
    commit = a.commit()
    a.push(commit)
    lab.remote("update-ref", "-d", "refs/heads/main")
    for _ in range(2):
        with pytest.raises(RemoteBranchGone, match="main") as caught:
            a.fetch()
        assert "--accept-rewritten" in caught.value.hint
        assert a.tracked == commit
    assert a.fetch(accept_rewritten=True) is None
    assert a.tracked is None
    assert a.fetch() is None
    a.push(commit)
    assert lab.tip == commit


def many_notes(folder: Path) -> None:
    """A commit of 2000 notes; what holds it is one pack, and the work tree is away: of both every test gets a copy."""
    repo = GitRepo(folder)
    for number in range(2000):
        repo.write(f"notes/{number % 50:02}/{number}.md", f"note {number}\n" * 20)
    repo.commit("many")
    repo.git("repack", "-a", "-d", "--quiet")
    repo.git("prune-packed", "--quiet")
    shutil.rmtree(folder / "notes")


def test_a_large_push_arrives_whole(lab: Lab) -> None:
    copy(template("many notes", many_notes), lab.folder / "a")
    a, b = lab.side("a"), lab.side("b")
    commit = CommitId(a.git.git("rev-parse", "HEAD"))
    a.push(commit)
    lab.remote("fsck", "--full", "--strict")
    assert b.fetch() == commit
    assert len(b.git.git("ls-tree", "-r", "--name-only", commit).splitlines()) == 2000
    b.git.git("fsck", "--full", "--strict")


@pytest.mark.parametrize("name", ["pre-receive", "update"])
def test_a_hook_of_the_server_refuses_with_its_own_words(lab: Lab, name: str) -> None:
    a = lab.side("a")
    first = a.commit()
    a.push(first)
    lab.hook(name, "echo 'frozen until friday' >&2; exit 1")
    second = a.commit(text="two\n")
    # In a folder libgit2 would run no hook: there the push itself is refused.
    words = name if (lab.way.name, lab.means) == ("file", Means.LIBRARY) else "frozen until friday"
    with pytest.raises(RemoteRefused, match=words):
        a.push(second)
    assert (lab.tip, a.tracked) == (first, first)
    Path(lab.way.remote, "hooks", name).unlink()
    a.push(second)
    assert (lab.tip, a.tracked) == (second, second)


def test_words_in_another_encoding_are_no_obstacle(lab: Lab) -> None:
    if (lab.way.name, lab.means) == ("file", Means.LIBRARY):
        pytest.skip("libgit2 runs no hook in a folder")
    a = lab.side("a")
    lab.hook("pre-receive", "printf 'ferm\\351\\n' >&2; exit 1")
    with pytest.raises(RemoteRefused, match="ferm"):
        a.push(a.commit())
    assert lab.tip == ""


def test_what_is_durable_works_the_same(lab: Lab) -> None:
    a, b = lab.side("a", durability=Durability.FULL), lab.side("b", durability=Durability.FULL)
    commit = a.commit()
    a.push(commit)
    assert b.fetch() == b.tracked == commit


# -- logins over http


@pytest.mark.parametrize("password", [None, "wrong-Pa55"])
def test_a_failed_login_is_a_refusal_after_few_tries_and_names_no_secret(
    tmp_path: Path, means: Means, password: str | None
) -> None:
    remote = bare(tmp_path / "remote.git")
    with git_over_http(tmp_path, user="ada", password=PASSWORD) as server:
        environment = {} if password is None else helper(tmp_path, server.address, password)
        lab = Lab(tmp_path, means, Way("http", server.url(), remote, environment))
        a = lab.side("a")
        commit = a.commit()
        for action in (a.fetch, lambda: a.push(commit)):
            server.requests.clear()
            with pytest.raises(RemoteRefused) as caught:
                action()
            assert 1 <= len(server.requests) <= 4
            assert all(line.endswith(" 401") for line in server.requests)
            assert_no_secret(caught.value)
        lab.close()
    assert a.tracked is None


def assert_no_secret(error: BaseException | None) -> None:
    """Not in the message, its advice or the errors behind it."""
    while error is not None:
        text = f"{error} {error!r} {getattr(error, 'hint', '')} {getattr(error, 'output', '')}"
        assert not any(secret in text for secret in (PASSWORD, "wrong-Pa55", "ada:"))
        error = error.__cause__ or error.__context__


def test_a_token_of_the_environment_logs_in_and_is_kept_nowhere(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    remote = bare(tmp_path / "remote.git")
    with git_over_http(tmp_path, user="x-access-token", password=token) as server:
        lab = Lab(tmp_path, Means.LIBRARY, Way("http", server.url(), remote, {"MEMTREE_GIT_TOKEN": token}))
        a = lab.side("a")
        commit = a.commit()
        a.push(commit)
        assert a.fetch() == commit
        lab.close()
    kept = b"".join(path.read_bytes() for path in Path(a.repo.git_folder).rglob("*") if path.is_file())
    assert token.encode() not in kept


# -- ssh: who we are, and who the host is


@needs_sshd
def test_an_unknown_key_is_refused_within_few_tries(tmp_path: Path, means: Means, sshd: SshRemote) -> None:
    keys = [new_key(tmp_path / f"stranger{number}") for number in range(6)]
    way = over_ssh(sshd, bare(tmp_path / "remote.git"))
    way.environment = {"GIT_SSH_COMMAND": sshd.command(key=keys[0])}
    way.key_files = tuple(keys)
    lab = Lab(tmp_path, means, way)
    before = sshd.tries()
    with pytest.raises(RemoteRefused):
        lab.side("a").fetch()
    assert sshd.tries() - before <= 3
    lab.close()


@needs_sshd
@pytest.mark.parametrize("known", ["nobody", "changed", "hashed", "pattern", "revoked"])
def test_a_host_must_show_the_key_that_is_known(tmp_path: Path, means: Means, sshd: SshRemote, known: str) -> None:
    line = host_line(sshd.port, sshd.folder / "host.pub")
    hosts = tmp_path / "known_hosts"
    if known == "changed":
        new_key(tmp_path / "other")
        line = host_line(sshd.port, tmp_path / "other.pub")
    elif known == "nobody":
        line = host_line(sshd.port + 1, sshd.folder / "host.pub")
    elif known == "pattern":
        line = host_line(sshd.port, sshd.folder / "host.pub", host="127.0.*")
    elif known == "revoked":
        line += "@revoked " + host_line(sshd.port, sshd.folder / "host.pub")
    hosts.write_text("# a remark\n\n" + line)
    if known == "hashed":
        subprocess.run(("ssh-keygen", "-q", "-H", "-f", str(hosts)), check=True, capture_output=True)
        assert "127.0.0.1" not in hosts.read_text()
    way = over_ssh(sshd, bare(tmp_path / "remote.git"))
    way.environment = {"GIT_SSH_COMMAND": sshd.command(known_hosts=str(hosts))}
    way.known_hosts = (str(hosts),)
    lab = Lab(tmp_path, means, way)
    a = lab.side("a")
    before = hosts.read_text()
    if known in ("hashed", "pattern"):
        assert a.fetch() is None
    else:
        commit = a.commit()
        for action in (a.fetch, lambda: a.push(commit)):
            with pytest.raises(RemoteRefused, match="host key") as caught:
                action()
            assert "ssh-keyscan" in caught.value.hint
        assert lab.tip == ""
    assert hosts.read_text() == before
    lab.close()


@needs_sshd
def test_a_key_with_a_passphrase_is_passed_over(tmp_path: Path, sshd: SshRemote) -> None:
    """Nobody is asked for it, and the key after it gets its turn."""
    locked = new_key(tmp_path / "locked", passphrase=PASSWORD)
    way = over_ssh(sshd, bare(tmp_path / "remote.git"))
    way.key_files = (locked, str(tmp_path / "missing"), sshd.key)
    lab = Lab(tmp_path, Means.LIBRARY, way)
    assert lab.side("a").fetch() is None
    lab.close()


# -- absence, silence, a cut


@pytest.mark.parametrize("over", ["path", *NETWORK])
def test_a_remote_that_is_not_there_is_transient(tmp_path: Path, means: Means, over: str) -> None:
    url = {
        "path": str(tmp_path / "usb-stick" / "remote.git"),
        "ssh": f"ssh://ada@127.0.0.1:{closed_port()}/remote.git",
        "http": f"http://127.0.0.1:{closed_port()}/remote.git",
    }[over]
    lab = Lab(tmp_path, means, Way(over, url, ""))
    a = lab.side("a")
    commit = a.commit()
    for action in (a.fetch, lambda: a.push(commit)):
        with pytest.raises(RemoteUnreachable):
            action()
    lab.close()


@pytest.mark.parametrize("over", NETWORK)
def test_a_server_that_never_answers_is_given_up(tmp_path: Path, means: Means, over: str) -> None:
    with silent_server() as port:
        lab = Lab(tmp_path, means, Way(over, f"{over}://ada@127.0.0.1:{port}/remote.git".replace("http://ada@", "http://"), ""))
        a = lab.side("a", limits=Limits(connect=0.5, silence=0.5, total=1.0))
        commit = a.commit()
        began = time.monotonic()
        for action in (a.fetch, lambda: a.push(commit)):
            with pytest.raises(RemoteUnreachable, match="in time"):
                action()
        assert time.monotonic() - began < 20
        lab.close()


@pytest.mark.parametrize("cut_after", [1_500, 60_000, 400_000])
def test_a_line_that_is_cut_in_the_middle_leaves_nothing_half(tmp_path: Path, means: Means, way: Way, cut_after: int) -> None:
    if way.name == "file":
        pytest.skip("a folder has no line to cut")
    lab = Lab(tmp_path, means, way)
    a, b = lab.side("a"), lab.side("b")
    first = a.commit()
    a.push(first)
    b.fetch()
    big = a.commit("big.bin", os.urandom(2 * 2**20))
    port = int(way.url.split(":")[2].split("/")[0])
    for name, machine, action in (("push", a, lambda: a.push(big)), ("fetch", b, b.fetch)):
        if name == "fetch":
            a.push(big)
        with cable_to(port, cut_after=cut_after) as cable:
            machine.git.git("remote", "set-url", "origin", way.url.replace(f":{port}/", f":{cable.port}/"))
            relink(way, port, cable.port)
            with pytest.raises(RemoteUnreachable):
                action()
        machine.git.git("remote", "set-url", "origin", way.url)
        relink(way, cable.port, port)
        assert (lab.tip, machine.tracked) == (first if name == "push" else big, first)
        machine.git.git("fsck", "--full", "--strict")
        lab.remote("fsck", "--full", "--strict")
    assert b.fetch() == big
    lab.close()


_FETCH_ALONE = """
import sys
from memtree.engine.files import Durability, Files
from memtree.engine.git import Git
from memtree.engine.repo import Repo
from memtree.engine.transport import GitTransport
from memtree.engine.transport.libgit import LibgitTransport

folder, means = sys.argv[1:]
repo, git, files = Repo.open(folder), Git(folder), Files(Durability.FULL)
transport = GitTransport(repo, git, files) if means == "git" else LibgitTransport(repo, git, files)
transport.fetch("origin", "main")
"""


def test_a_kill_in_the_middle_of_a_fetch_leaves_nothing_half(tmp_path: Path, means: Means) -> None:
    with git_over_http(tmp_path) as server:
        lab = Lab(tmp_path, means, Way("http", server.url(), bare(tmp_path / "remote.git")))
        a, b = lab.side("a"), lab.side("b")
        first = a.commit()
        a.push(first)
        b.fetch()
        big = a.commit("big.bin", os.urandom(2 * 2**20))
        a.push(big)
        port = int(server.address.rsplit(":", 1)[1])
        with cable_to(port, cut_after=600_000, hangs_up=False) as cable:
            b.git.git("remote", "set-url", "origin", server.url().replace(f":{port}/", f":{cable.port}/"))
            child = subprocess.Popen(
                (sys.executable, "-c", _FETCH_ALONE, b.git.path, means.value),
                start_new_session=True,  # the git program that it runs dies with it
                env={**os.environ, **ENVIRONMENT},
            )
            try:
                assert cable.dead.wait(30)
            finally:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait(10)
        b.git.git("remote", "set-url", "origin", server.url())
        assert b.tracked == first
        b.git.git("fsck", "--full", "--strict")
        assert b.fetch() == b.tracked == big
        b.git.git("fsck", "--full", "--strict")
        lab.close()


# -- a remote that is a folder, by libgit2


@pytest.fixture
def folder_lab(tmp_path: Path) -> Iterator[Lab]:
    remote = bare(tmp_path / "remote.git")
    made = Lab(tmp_path, Means.LIBRARY, Way("file", remote, remote))
    yield made
    made.close()


def test_a_branch_that_is_checked_out_there_is_not_moved(folder_lab: Lab, tmp_path: Path) -> None:
    theirs = GitRepo(tmp_path / "theirs")
    tip = theirs.commit("theirs")
    a = folder_lab.side("a")
    a.git.git("remote", "set-url", "origin", theirs.path)
    assert a.fetch() == tip
    a.git.git("reset", "--quiet", "--hard", tip)
    with pytest.raises(RemoteRefused, match="checked out"):
        a.push(a.commit())
    assert theirs.git("rev-parse", "HEAD") == tip


def test_hooks_elsewhere_and_file_addresses_are_seen_too(folder_lab: Lab, tmp_path: Path) -> None:
    a = folder_lab.side("a")
    a.git.git("remote", "set-url", "origin", f"file://{folder_lab.way.remote}")
    first = a.commit()
    a.push(first)
    assert a.fetch() == folder_lab.tip == first
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-receive").write_text("#!/bin/sh\n")
    (hooks / "post-receive").chmod(0o755)
    folder_lab.remote("config", "core.hooksPath", str(hooks))
    with pytest.raises(RemoteRefused, match="post-receive"):
        a.push(a.commit(text="two\n"))
    assert folder_lab.tip == first


def test_a_push_to_a_folder_that_somebody_moves_meanwhile_is_a_race(folder_lab: Lab) -> None:
    """libgit2 alone would move the branch back from wherever it stands by then."""
    a = folder_lab.side("a")
    first = a.commit()
    a.push(first)
    theirs, ours = a.commit(text="theirs\n"), a.commit(text="ours\n")
    there = LocalRemote(folder_lab.way.remote)
    a.git.git("push", "--quiet", folder_lab.way.remote, f"{theirs}:refs/heads/main")
    assert not there.move("refs/heads/main", first, ours, durable=False)
    assert folder_lab.tip == theirs
    lock = Path(folder_lab.way.remote, "refs", "heads", "main.lock")
    lock.touch()
    with pytest.raises(PushRaced):
        a.push(ours)
    lock.unlink()
    a.push(ours)
    assert folder_lab.tip == ours
    assert folder_lab.remote("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def relink(way: Way, old: int, new: int) -> None:
    """Keys and passwords that are known for one port are known for the cable's too."""
    for path in way.known_hosts:
        text = Path(path).read_text()
        Path(path).write_text(text.replace(f":{old} ", f":{new} "))
    if way.name == "http+login":
        helper(Path(way.environment["GIT_CONFIG_GLOBAL"]).parent, f"http://127.0.0.1:{new}", PASSWORD)


# -- the choice


def test_the_git_program_is_taken_where_there_is_one(tmp_path: Path) -> None:
    git = GitRepo(tmp_path / "a")
    repo, files = Repo.open(git.path), Files(Durability.FAST)

    def chosen(environment: dict[str, str] | None, means: Means | None = None) -> type[object]:
        return type(choose_transport(repo, Git(repo.folder, environment), files, means=means))

    assert chosen(None) is GitTransport
    assert chosen({"PATH": str(tmp_path)}) is LibgitTransport
    assert chosen(None, Means.LIBRARY) is LibgitTransport
    assert chosen({"PATH": str(tmp_path)}, Means.PROGRAM) is GitTransport
    repo.close()


def test_libgit2_s_process_wide_settings_are_put_back(tmp_path: Path, sshd: SshRemote) -> None:
    import pygit2

    def settings() -> tuple[object, ...]:
        return pygit2.settings.homedir, pygit2.settings.server_timeout, pygit2.settings.server_connect_timeout

    before = settings()
    lab = Lab(tmp_path, Means.LIBRARY, over_ssh(sshd, bare(tmp_path / "remote.git")))
    a = lab.side("a", limits=Limits(connect=3, silence=4), durability=Durability.FULL)
    a.push(a.commit())
    assert settings() == before
    lab.way.known_hosts = ()
    with pytest.raises(Error):
        lab.side("b").fetch()
    assert settings() == before
    lab.close()
