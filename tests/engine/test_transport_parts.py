"""What a transport decides without a network: where an address leads, which host keys count, what is answered and how often."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.transport.addresses import SshHost, local_path, ssh_host
from memtree.engine.transport.credentials import Answers, Asked, Key, Password, User, needs_passphrase
from memtree.engine.transport.known_hosts import read, relevant

HOST, OTHER_PORT = SshHost("git.example.com"), SshHost("git.example.com", 2222)
TOKEN = "ghp_" + "a1B2" * 9


def pem(kind: str, body: str) -> bytes:
    return "".join(f"-----{edge} {kind} KEY-----\n{text}" for edge, text in (("BEGIN", body), ("END", ""))).encode()


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("git@git.example.com:me/memory.git", HOST),
        ("git.example.com:memory.git", HOST),
        ("ssh://git@Git.Example.com/memory.git", HOST),
        ("ssh://git.example.com:2222/memory.git", OTHER_PORT),
        ("ssh://ada@[::1]:2222/memory.git", SshHost("::1", 2222)),
        ("ada@[::1]:memory.git", SshHost("::1")),
        ("https://git.example.com/memory.git", None),
        ("file:///media/usb/memory.git", None),
        ("/media/usb/a:b.git", None),
        ("./a:b.git", None),
    ],
)
def test_an_ssh_address_leads_to_a_host_and_a_port(url: str, host: SshHost | None) -> None:
    assert ssh_host(url) == host


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("/media/usb/memory.git", "/media/usb/memory.git"),
        ("file:///media/a%20b/memory.git", "/media/a b/memory.git"),
        ("file://localhost/media/memory.git", "/media/memory.git"),
        ("git@git.example.com:memory.git", ""),
        ("https://git.example.com/memory.git", ""),
    ],
)
def test_a_local_address_is_a_folder(url: str, folder: str) -> None:
    assert local_path(url) == folder


@pytest.mark.parametrize(
    ("line", "host", "counts"),
    [
        ("git.example.com ssh-ed25519 AAAA", HOST, True),
        ("other.example.com,git.example.com ssh-ed25519 AAAA remark", HOST, True),
        ("*.example.com ssh-ed25519 AAAA", HOST, True),
        ("*.example.com,!git.example.com ssh-ed25519 AAAA", HOST, False),
        ("GIT.example.com ssh-ed25519 AAAA", HOST, True),
        ("[git.example.com]:2222 ssh-ed25519 AAAA", OTHER_PORT, True),
        ("git.example.com ssh-ed25519 AAAA", OTHER_PORT, False),
        ("[git.example.com]:2222 ssh-ed25519 AAAA", HOST, False),
        ("git.example.org ssh-ed25519 AAAA", HOST, False),
        ("# git.example.com ssh-ed25519 AAAA", HOST, False),
        ("@cert-authority *.example.com ssh-ed25519 AAAA", HOST, False),
        ("git.example.com ssh-ed25519", HOST, False),
        ("", HOST, False),
    ],
)
def test_a_line_counts_for_the_hosts_that_it_names(line: str, host: SshHost, counts: bool) -> None:
    name = "git.example.com" if host is HOST else "[git.example.com]:2222"
    assert relevant([line], host) == (f"{name} ssh-ed25519 AAAA\n" if counts else "")


def test_a_hashed_line_is_left_to_the_library_and_a_revoked_key_counts_nowhere() -> None:
    hashed = "|1|c2FsdA==|aGFzaA== ssh-ed25519 AAAA\n"
    assert relevant([hashed], HOST) == hashed
    assert relevant([hashed, "git.example.com ssh-ed25519 AAAA", "@revoked * ssh-ed25519 AAAA"], HOST) == ""
    assert relevant([hashed, "@revoked * ssh-ed25519 BBBB"], HOST) == hashed


def test_files_that_are_not_there_hold_no_hosts(tmp_path: Path) -> None:
    here = tmp_path / "known_hosts"
    here.write_bytes(b"a ssh-ed25519 AAAA\n\xff\n")
    assert read([str(tmp_path / "missing"), str(here)])[0] == "a ssh-ed25519 AAAA\n"


def answers(url: str, environment: dict[str, str], *, key_files: tuple[str, ...] = ()) -> Answers:
    return Answers(url, environment, None, key_files)


def test_a_token_is_given_once_over_https_and_to_its_own_host_only() -> None:
    url, asked = "https://git.example.com/memory.git", {Asked.PASSWORD}
    environment = {"MEMTREE_GIT_TOKEN": TOKEN}
    said = answers(url, environment)
    assert said.next("https://elsewhere.example.com/x", None, asked) is None
    assert said.next(url, None, asked) == Password("x-access-token", TOKEN)
    assert said.next(url, None, asked) is None
    assert answers("http://git.example.com/memory.git", environment).next("http://git.example.com/memory.git", None, asked) is None
    assert answers("ssh://git.example.com/x", environment).next("ssh://git.example.com/x", None, asked) is None
    assert TOKEN not in repr(Password("x-access-token", TOKEN))


def test_keys_are_tried_one_after_the_other_and_no_more_than_three(tmp_path: Path) -> None:
    files = []
    for number in range(5):
        path = tmp_path / f"key{number}"
        path.write_bytes(pem("RSA PRIVATE", "AAAA\n"))
        files.append(str(path))
    url = "ssh://git.example.com/memory.git"
    said = answers(url, {}, key_files=tuple(files))
    assert said.next(url, "ada", {Asked.USER}) == User("ada")
    given = [said.next(url, "ada", {Asked.KEY, Asked.PASSWORD}) for _ in range(6)]
    assert given == [*(Key("ada", path) for path in files[:3]), None, None, None]


@pytest.mark.parametrize("kind", [Asked.USER, Asked.KEY, Asked.PASSWORD])
def test_who_asks_for_ever_is_not_answered_for_ever(kind: Asked) -> None:
    said = answers("https://git.example.com/x", {"MEMTREE_GIT_TOKEN": TOKEN})
    assert [said.next("https://git.example.com/x", "ada", {kind}) for _ in range(20)][-1] is None


@pytest.mark.parametrize(
    ("key", "locked"),
    [
        (pem("RSA PRIVATE", "AAAA\n"), False),
        (pem("RSA PRIVATE", "Proc-Type: 4,ENCRYPTED\nDEK-Info: x\n\nAAAA\n"), True),
        (pem("ENCRYPTED PRIVATE", "AAAA\n"), True),
        (pem("OPENSSH PRIVATE", "!\n"), True),
        (b"ssh-ed25519 AAAA ada@laptop\n", True),
        (b"", True),
    ],
)
def test_a_locked_key_is_known_by_its_file(key: bytes, locked: bool) -> None:
    assert needs_passphrase(key) is locked
