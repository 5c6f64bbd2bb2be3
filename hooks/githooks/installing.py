"""Installing git hooks: one script of ours each, with what was there before kept beside and run first; and taking them away again.

Every file comes back byte for byte, whatever it is: a script, a program, a link, a folder. What somebody changed since is theirs.
"""

from __future__ import annotations

import contextlib
import enum
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.hooks.githooks.errors import HookInTheWay, HooksElsewhere, HooksUnwritable, UnspeakableProgram
from memtree.hooks.githooks.folder import hooks_folder, usual_folder
from memtree.hooks.githooks.scripts import BEFORE, NAMES, is_marked, is_unchanged, script

if TYPE_CHECKING:
    from memtree.engine.repo import Repo

_NEW = ".memtree-new"
_LARGEST = 64 * 1024  # bytes looked at; a script of ours is far smaller


class State(enum.Enum):
    """What stands under the name of a hook."""

    NONE = "not there"
    OURS = "memtree's"
    EDITED = "memtree's, edited since"
    OTHER = "somebody else's"
    CALLED = "somebody else's, which calls memtree's"


class Outcome(enum.Enum):
    """What became of one hook."""

    INSTALLED = "installed"
    CHAINED = "chained"  # installed, in front of one that was there
    UPDATED = "updated"
    ALREADY = "already installed"
    REMOVED = "removed"
    RESTORED = "restored"
    NOT_INSTALLED = "not installed"
    LEFT = "left alone"


@dataclass(frozen=True, slots=True)
class HookDone:
    """One hook: what became of it, and what a person should know about that, if anything."""

    name: str
    outcome: Outcome
    note: str = ""


@dataclass(frozen=True, slots=True)
class HooksDone:
    """The folder and its hooks, in the order of NAMES."""

    folder: str
    hooks: tuple[HookDone, ...]


def install(repo: Repo, program: Sequence[str], *, dry_run: bool = False) -> HooksDone:
    """Put our hooks in; raise HooksElsewhere, HookInTheWay, HooksUnwritable. A second time changes nothing."""
    if any("\n" in word for word in program):
        raise UnspeakableProgram(program[0])
    folder = hooks_folder(repo)
    hooks = [_Hook(folder, name) for name in NAMES]
    for hook in hooks:
        hook.refuse_taken()  # all of them before the first is changed
    with _writing(folder):
        if not dry_run:
            os.makedirs(folder, exist_ok=True)
        return HooksDone(folder, tuple(hook.install(script(hook.name, program), dry_run=dry_run) for hook in hooks))


def uninstall(repo: Repo, *, dry_run: bool = False) -> HooksDone:
    """Take our hooks out and bring back what they were put in front of; raise HooksElsewhere, HooksUnwritable."""
    try:
        folder = hooks_folder(repo)
    except HooksElsewhere:
        folder = usual_folder(repo)  # set since: what was installed before is still there
    with _writing(folder):
        return HooksDone(folder, tuple(_Hook(folder, name).uninstall(dry_run=dry_run) for name in NAMES))


def standing(repo: Repo) -> tuple[str, dict[str, State]]:
    """The folder, and what stands under the name of each hook; raise HooksElsewhere."""
    folder = hooks_folder(repo)
    return folder, {name: _Hook(folder, name).state() for name in NAMES}


@dataclass(frozen=True, slots=True)
class _Hook:
    folder: str
    name: str

    @property
    def path(self) -> str:
        return os.path.join(self.folder, self.name)

    @property
    def before(self) -> str:
        """Where what was there before is kept."""
        return self.path + BEFORE

    def state(self) -> State:
        try:
            seen = os.lstat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return State.NONE
        data = _read(self.path)
        if is_marked(data):  # never chained: it could call itself
            return State.OURS if stat.S_ISREG(seen.st_mode) and is_unchanged(data) else State.EDITED
        return State.CALLED if self._moved_aside() else State.OTHER

    def refuse_taken(self) -> None:
        """Raise HookInTheWay where a hook is to be kept beside and cannot be."""
        if self.state() is State.OTHER and os.path.lexists(self.before) and not self._half_kept():
            raise HookInTheWay(self.path, self.before)

    def install(self, text: bytes, *, dry_run: bool) -> HookDone:
        state = self.state()
        if state is State.EDITED:
            return self._done(Outcome.LEFT, f"{self.name} was edited since memtree put it there")
        if state is State.CALLED:
            return self._done(Outcome.LEFT, f"{self.name} calls memtree's already, as {self._moved_aside()}")
        if state is State.OURS and _read(self.path) == text and os.access(self.path, os.X_OK):
            return self._done(Outcome.ALREADY)
        if not dry_run:
            self._put(text, keep=state is State.OTHER)
        if state is State.OURS:
            return self._done(Outcome.UPDATED)
        if state is State.NONE and not os.path.lexists(self.before):
            return self._done(Outcome.INSTALLED)
        kept = f"{self.name} of before is kept as {os.path.basename(self.before)} and runs first"
        return self._done(
            Outcome.CHAINED, kept if _runs(self.before if not dry_run else self.path) else f"{kept} once it is executable"
        )

    def uninstall(self, *, dry_run: bool) -> HookDone:
        state, kept = self.state(), os.path.lexists(self.before)
        if state is State.EDITED:
            more = f"; what was there before it is {os.path.basename(self.before)}" if kept else ""
            return self._done(Outcome.LEFT, f"{self.name} was edited since memtree put it there: take memtree out by hand{more}")
        if state is State.CALLED:
            return self._done(Outcome.LEFT, f"{self._moved_aside()} is memtree's, and another hook calls it")
        if state is State.OTHER and kept and not self._half_kept():
            was = os.path.basename(self.before)
            return self._done(Outcome.LEFT, f"{self.name} is not memtree's any more; what was there before memtree is {was}")
        if not kept and state is not State.OURS:
            return self._done(Outcome.NOT_INSTALLED)
        if not dry_run:
            self._take_away(state, kept)
        return self._done(Outcome.RESTORED if kept else Outcome.REMOVED)

    def _take_away(self, state: State, kept: bool) -> None:
        if not kept:
            os.unlink(self.path)
        elif state is State.OTHER:
            os.unlink(self.before)  # a second name of what is there
        else:
            if state is State.OURS and _is_folder(self.before):
                os.unlink(self.path)
            os.rename(self.before, self.path)

    def _put(self, text: bytes, *, keep: bool) -> None:
        new = self.path + _NEW
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)  # of one that was killed
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o777)
        try:
            with open(fd, "wb") as file:
                file.write(text)
            if keep:
                self._keep()
            os.rename(new, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise

    def _keep(self) -> None:
        """Give what is there its second name. A link takes no name that is taken meanwhile, and leaves no moment without a hook."""
        if self._half_kept():
            return
        if not _is_folder(self.path):
            try:
                os.link(self.path, self.before, follow_symlinks=False)
                return
            except FileExistsError as error:
                raise HookInTheWay(self.path, self.before) from error
            except (OSError, NotImplementedError):
                pass  # a file system without second names
        if os.path.lexists(self.before):
            raise HookInTheWay(self.path, self.before)
        os.rename(self.path, self.before)

    def _half_kept(self) -> bool:
        """Whether one that was killed gave what is there its second name and came no further."""
        with contextlib.suppress(FileNotFoundError):
            return os.path.samestat(os.lstat(self.path), os.lstat(self.before))
        return False

    def _moved_aside(self) -> str:
        """The name that another program gave a script of ours when it took its place and calls it, '' where none did."""
        return next((name for name in self._beside() if is_unchanged(_read(os.path.join(self.folder, name)))), "")

    def _beside(self) -> Iterator[str]:
        for name in sorted(os.listdir(self.folder)):
            if name.startswith((f"{self.name}.", f"{self.name}-", f"{self.name}_")) and not name.endswith((BEFORE, _NEW)):
                yield name

    def _done(self, outcome: Outcome, note: str = "") -> HookDone:
        return HookDone(self.name, outcome, note)


def _read(path: str) -> bytes:
    """The beginning of a file, through links; nothing of what is no file or may not be read."""
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read(_LARGEST + 1)
    except OSError:
        return b""


def _runs(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


@contextlib.contextmanager
def _writing(folder: str) -> Iterator[None]:
    """Tell what the disk refuses as HooksUnwritable."""
    try:
        yield
    except OSError as error:
        raise HooksUnwritable(error.filename or folder, error.strerror or type(error).__name__) from error
