"""Machines without the git program: cloning and syncing go by libgit2, and what does need git says so."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memtree.engine.git import Git, GitMissing
from memtree.engine.transport import RemoteRefused, RemoteUnreachable
from memtree.engine.workspace import Workspace
from memtree.tools.bench.ssh_server import MISSING, git_over_ssh
from memtree.tree.errors import Error, UserError
from support.machines import Machine, Machines, bare, committed, options
from support.servers import closed_port, git_over_http

FILES: dict[str, str | bytes] = {"notes/a.md": "one\r\n", "bin.dat": bytes(range(256))}


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def bare_environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which no git is found."""
    environment = {**os.environ, "PATH": str(tmp_path / "no-programs")}
    assert not Git(str(tmp_path), environment).present()
    return environment


def clone(machines: Machines, url: str, environment: dict[str, str]) -> Machine:
    made = Workspace.clone(url, str(machines.folder / "b"), replace(options(machines.clock), environment=environment))
    return machines._keep("b", made[0])


@pytest.mark.parametrize("over", ["file", "http"])
def test_machines_without_git_clone_and_agree(
    machines: Machines, tmp_path: Path, over: str, bare_environment: dict[str, str]
) -> None:
    with git_over_http(tmp_path) as server:
        machines.url = server.url() if over == "http" else machines.remote
        machines.first(FILES).reopen(environment=bare_environment)
        b = clone(machines, machines.url, bare_environment)
        b.write("notes/b.md", "b\n")
        machines.settle()
        held = machines.assert_agreed()
    assert held == {"notes/a.md": b"one\r\n", "bin.dat": bytes(range(256)), "notes/b.md": b"b\n"}
    assert committed(machines.remote) == b.committed()
    assert b.git("config", "branch.main.merge") == "refs/heads/main"
    assert b.git("rev-parse", "origin/main") == b.tip


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_keys_and_known_hosts_of_the_home_folder_count(
    machines: Machines, tmp_path: Path, bare_environment: dict[str, str]
) -> None:
    a = machines.first(FILES)
    folder = tmp_path / "home" / ".ssh"
    folder.mkdir(parents=True)
    bare_environment |= {"HOME": str(tmp_path / "home")}
    with git_over_ssh(tmp_path / "server") as server:
        url = server.url(machines.remote)
        with pytest.raises(RemoteRefused, match="host key"):
            clone(machines, url, bare_environment)
        (folder / "known_hosts").write_text(Path(server.known_hosts).read_text())
        with pytest.raises(RemoteRefused, match="credentials"):
            clone(machines, url, bare_environment)
        (folder / "id_ed25519").write_text(Path(server.key).read_text())
        b = clone(machines, url, bare_environment)
        b.write("notes/b.md", "b\n")
        b.sync()
    a.sync()
    assert a.tip == b.tip
    a.assert_sound()


def test_every_command_of_a_day_works_with_no_git_on_the_path(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = machines.first(FILES)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "no-programs"))
        assert not Git.available()
        b = machines.clone()
        b.write("notes/b.md", "fresh words\n")
        b.save()
        b.sync()
        a.sync()
        assert a.found("fresh") == ["notes/b.md"]
        a.workspace.remotes.add("second", machines.remote)
        a.workspace.remotes.remove("second")
        assert [one.name for one in a.workspace.remotes.all()] == ["origin"]
    machines.assert_agreed()


def test_a_clone_of_a_remote_without_a_branch_starts_empty(
    machines: Machines, tmp_path: Path, bare_environment: dict[str, str]
) -> None:
    b = clone(machines, bare(tmp_path / "empty.git", branch="trunk"), bare_environment)
    b.write("a.md", "a\n")
    assert b.sync().sent > 0
    b.assert_sound()


def test_a_clone_takes_the_branch_that_holds_a_workspace(machines: Machines, bare_environment: dict[str, str]) -> None:
    """The remote's HEAD names a branch that nobody ever made."""
    machines.first(FILES)
    Path(machines.remote, "HEAD").write_text("ref: refs/heads/master\n")
    b = clone(machines, machines.remote, bare_environment)
    assert b.git("symbolic-ref", "HEAD") == "refs/heads/main"
    b.assert_sound()


@pytest.mark.parametrize("kind", ["path", "port", "no such repository"])
def test_a_clone_that_fails_leaves_nothing(machines: Machines, tmp_path: Path, kind: str, bare_environment: dict[str, str]) -> None:
    with git_over_http(tmp_path) as server:
        url, expected = {
            "path": (str(tmp_path / "nowhere"), UserError),
            "port": (f"http://127.0.0.1:{closed_port()}/remote.git", RemoteUnreachable),
            "no such repository": (server.url("other.git"), RemoteRefused),
        }[kind]
        with pytest.raises(Error) as caught:
            clone(machines, url, bare_environment)
    assert isinstance(caught.value, expected)
    assert not (tmp_path / "b").exists()


def test_what_needs_git_says_so(machines: Machines, bare_environment: dict[str, str]) -> None:
    a = machines.lonely({"a.md": "a\n"})
    with pytest.raises(GitMissing) as caught:
        Git(a.path, bare_environment).run("status")
    assert "install git" in caught.value.hint
