"""Address: where the daemon of a workspace listens, as `daemon.json` in the state folder tells it to this user alone.

A socket's path may have about a hundred bytes; where the state folder's is longer, the socket stands in a folder of its own below
the user's runtime folder. Whoever holds the daemon's lock writes here; everybody else only reads.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from typing import NamedTuple

from memtree.hooks.place import Place

NAME = "daemon.json"
FOLDER = "daemon"  # of the socket, in the state folder
_LONGEST_PATH = 100  # bytes
_LARGEST = 10_000  # bytes of the file
_ELSEWHERE = "memtree-"


class Address(NamedTuple):
    """A daemon: its process, its socket, what it speaks, which memtree it is, and when it began (epoch seconds)."""

    pid: int
    socket: str
    protocol: int
    version: str
    started: int


def read_address(place: Place) -> Address | None:
    """Where the workspace's daemon said that it listens; None where none did, or where the file is not this user's own.

    A file that was copied along with its workspace names the daemon of the other one, and counts as none.
    """
    try:
        fd = os.open(os.path.join(place.state, NAME), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        seen = os.fstat(fd)
        if not stat.S_ISREG(seen.st_mode) or seen.st_uid != os.geteuid() or seen.st_size > _LARGEST:
            return None
        found = json.loads(os.read(fd, _LARGEST))
        if not isinstance(found, dict) or found.get("state") != _identity(place.state):
            return None
        address = Address(*(found[name] for name in Address._fields))
    except (OSError, ValueError, KeyError, RecursionError):
        return None
    finally:
        os.close(fd)
    kinds = (int, str, int, str, int)
    return address if all(type(value) is kind for value, kind in zip(address, kinds, strict=True)) else None


def write_address(place: Place, address: Address) -> None:
    """Tell where the daemon listens, whole or not at all. Raise OSError."""
    data = json.dumps({**address._asdict(), "state": _identity(place.state)}).encode()
    path = os.path.join(place.state, NAME)
    temp = f"{path}.{os.urandom(4).hex()}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
        os.replace(temp, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temp)
        raise


def new_socket_path(place: Place) -> str:
    """A free path for a socket, in a folder that only this user can enter. Raise OSError."""
    folder = os.path.join(place.state, FOLDER)
    name = _name()
    if len(os.fsencode(os.path.join(folder, name))) <= _LONGEST_PATH:
        with contextlib.suppress(OSError):
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, 0o700)
            if _is_mine(folder):
                os.chmod(folder, 0o700)
                return os.path.join(folder, name)
    return socket_path_elsewhere()


def socket_path_elsewhere() -> str:
    """The same, but not in the workspace: its file system may hold no sockets. Raise OSError."""
    import tempfile

    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    usable = os.path.isabs(runtime) and _is_mine(runtime) and not os.lstat(runtime).st_mode & 0o077
    path = os.path.join(tempfile.mkdtemp(prefix=_ELSEWHERE, dir=runtime if usable else None), _name())
    if len(os.fsencode(path)) > _LONGEST_PATH:
        os.rmdir(os.path.dirname(path))
        path = os.path.join(tempfile.mkdtemp(prefix=_ELSEWHERE, dir="/tmp"), os.path.basename(path))
    return path


def _name() -> str:
    return f"{os.urandom(4).hex()}.sock"


def clear_address(place: Place) -> None:
    """Remove what a daemon left that is no more: the file and its sockets; nothing else, whatever the file names.

    Only for the holder of the daemon's lock.
    """
    address = read_address(place)
    folder = os.path.join(place.state, FOLDER)
    if _is_mine(folder):
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                remove_socket(os.path.join(folder, name))
    if address is not None:
        remove_socket(address.socket)
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(place.state, NAME))


def remove_socket(path: str) -> None:
    """Remove a socket of this user's, and the folder that was made for it alone."""
    try:
        seen = os.lstat(path)
        if not stat.S_ISSOCK(seen.st_mode) or seen.st_uid != os.geteuid():
            return
        os.unlink(path)
        folder = os.path.dirname(path)
        if os.path.basename(folder).startswith(_ELSEWHERE) and _is_mine(folder):
            os.rmdir(folder)
    except (OSError, ValueError):
        return


def _identity(state: str) -> str:
    """The state folder itself, whatever its path is: a folder that moves keeps its daemon, a copy has none."""
    seen = os.stat(state)
    return f"{seen.st_dev}:{seen.st_ino}"


def _is_mine(folder: str) -> bool:
    try:
        seen = os.lstat(folder)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.geteuid()
