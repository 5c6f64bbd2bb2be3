"""A real sshd on the loopback, with keys and settings of its own, that runs git commands and nothing else."""

from __future__ import annotations

import contextlib
import getpass
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
MISSING = "" if SSHD and shutil.which("ssh-keygen") and shutil.which("ssh") else "there is no sshd on this machine"

_GIT_ONLY = """#!/bin/sh
export PATH={path} GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
case "$SSH_ORIGINAL_COMMAND" in
git-upload-pack*|git-receive-pack*) exec sh -c "$SSH_ORIGINAL_COMMAND" ;;
esac
echo "only git is served here" >&2
exit 1
"""


@dataclass(frozen=True, slots=True)
class SshRemote:
    """A running server. `key` is the private key that it lets in, `known_hosts` the file that names its host key."""

    folder: Path
    port: int
    key: str
    known_hosts: str
    log: Path

    def url(self, path: str) -> str:
        return f"ssh://{getpass.getuser()}@127.0.0.1:{self.port}{path}"

    def command(self, *, key: str = "", known_hosts: str = "") -> str:
        """What GIT_SSH_COMMAND should be, so that nothing of the user's own ssh settings has a say."""
        options = {
            "BatchMode": "yes",
            "ConnectTimeout": "10",
            "IdentitiesOnly": "yes",
            "IdentityAgent": "none",
            "IdentityFile": key or self.key,
            "UserKnownHostsFile": known_hosts or self.known_hosts,
            "GlobalKnownHostsFile": "/dev/null",
            "StrictHostKeyChecking": "yes",
        }
        return "ssh -F none " + " ".join(f"-o {name}={value}" for name, value in options.items())

    def tries(self) -> int:
        """How many keys were offered and turned away so far."""
        return self.log.read_text().count("Failed publickey")


def new_key(path: Path, *, kind: str = "ed25519", passphrase: str = "") -> str:
    """A new private key in a file (its public half beside it); the file's name."""
    subprocess.run(("ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-f", str(path)), check=True)
    return str(path)


def host_line(port: int, public: Path, *, host: str = "127.0.0.1") -> str:
    """The known_hosts line that says which key a host shows at a port."""
    return f"[{host}]:{port} {' '.join(public.read_text().split()[:2])}\n"


@contextlib.contextmanager
def git_over_ssh(folder: Path) -> Iterator[SshRemote]:
    """Serve every repository of this machine that the present user may read; keys, settings and log lie in `folder`."""
    assert SSHD is not None
    folder.mkdir(parents=True)
    host_key, key, log = folder / "host", new_key(folder / "user"), folder / "log"
    new_key(host_key)
    script = folder / "git-only"
    script.write_text(_GIT_ONLY.format(path=shlex.quote(os.environ.get("PATH", os.defpath))))
    script.chmod(0o755)
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)  # where it shuts itself in; it does not start without
    for _ in range(5):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        settings = folder / "settings"
        settings.write_text(_settings(folder, port))
        process = subprocess.Popen((SSHD, "-D", "-f", str(settings), "-E", str(log)))
        if _answers(port, process):
            break
        _stop(process)
    else:
        raise AssertionError(f"sshd does not start: {log.read_text() if log.exists() else 'no log'}")
    known = folder / "known_hosts"
    known.write_text(host_line(port, folder / "host.pub"))
    try:
        yield SshRemote(folder, port, key, str(known), log)
    finally:
        _stop(process)


def _settings(folder: Path, port: int) -> str:
    lines = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "user.pub",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
        "ForceCommand": folder / "git-only",
        "LogLevel": "VERBOSE",
    }
    return "".join(f"{name} {value}\n" for name, value in lines.items())


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as link:
            return link.recv(4) == b"SSH-"
        time.sleep(0.02)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(5)
