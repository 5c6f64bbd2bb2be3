"""Watcher: tells soon which paths of a workspace may have changed. Hints only: whoever gets them looks at the files.

One thread looks at the notices every `step` seconds; whoever asks for a barrier looks at them itself, so that it need not wait for
that. Both do it under one lock, in which what was found is handed over too: nothing is ever found but not yet told.

A watch belongs to one folder, and watches cannot be added later. So folders that are new wait until all is watched anew, which
comes at once but not again and again; until then each barrier tells that they are to be looked at whole.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

from memtree.hooks.watching.changes import Changes, Spot, sorted_out
from memtree.hooks.watching.folders import Folders, is_folder, outermost
from memtree.hooks.watching.notices import FolderVanished, Notices, NotWatched, OutOfWatches
from memtree.hooks.watching.shared_disks import shared_disk
from memtree.tree.errors import Error

COOKIES = "cookies"  # below the state folder: files whose own notices tell how far all others have come
MANY = 8_000  # changes within a second: half of what the system keeps for us, which then drops some without a word
AGAIN = 60.0  # seconds until it is tried again to watch
_SOON = 2.0  # the same for what passes, or is cheaply tried
_SHARE = 5.0  # times what it took to watch anew are waited besides until it is done again
_BREAKS = 3  # within _BREAKS_IN seconds are mended at once
_BREAKS_IN = 60.0
_GIVEN_BACK = 2.0  # seconds for the watches of an old watch to be free again
_TRIES = 10  # each finds some folders gone that were there a moment ago
_FAST = 0.001  # seconds from look to look while somebody waits
_PATIENCE = 1.0  # seconds in which a notice comes, or will not come


class WorkspaceGone(NotWatched):
    """There is nothing to watch."""


class FoldersComeAndGo(NotWatched):
    """Each time that all were to be watched, some had gone meanwhile."""


class Watcher:
    """Watches the folders of a workspace for which `watches` is true.

    `hint` gets paths relative to the root, folders that are to be looked at whole with a trailing slash. `lost` gets the reason why
    changes may have gone untold: everything is to be looked through. `moved` is called when HEAD may have moved. They are called
    from several threads, but one at a time, and must neither take long nor call the watcher. `watches` is asked outside of that.
    """

    def __init__(
        self,
        root: str,
        state: str,
        watches: Callable[[str], bool],
        hint: Callable[[Iterable[str]], None],
        lost: Callable[[str], None],
        step: float,
        *,
        moved: Callable[[], None] = lambda: None,
        most_folders: int | None = None,
        pause: float = 1.0,
    ) -> None:
        """Seconds: `step` from look to look, `pause` at least from watching anew to doing so again."""
        state = os.path.realpath(state)
        self._spot = Spot(os.path.realpath(root), os.path.dirname(state), os.path.join(state, COOKIES), _in_doubt(watches))
        self._hint, self._lost, self._moved = hint, lost, moved
        self._step = min(max(step, 0.005), 1.0)
        self._shared = shared_disk(root)
        self._most = most_folders
        self._pause = pause
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        # What follows is guarded by the lock.
        self._notices: Notices | None = None
        self._folders = Folders()
        self._due: set[str] = set()  # folders to be listed again
        self._renewing: set[str] = set()  # those for which this is under way
        self._renew = False
        self._trouble = ""
        self._broken: NotWatched | None = None
        self._breaks: deque[float] = deque()
        self._burst = (0.0, 0)  # when it began, how many changes it holds
        self._not_before = 0.0  # all is not watched anew
        self._again = 0.0  # when it is tried again to watch
        self._made = 0
        self._asked: set[str] = set()
        self._seen: set[str] = set()

    @property
    def trouble(self) -> str:
        """Why changes are not watched at present, and what to do about it; '' when they are."""
        if self._shared and not self._trouble:
            return f"on this disk ({self._shared}) others may write, of which the system does not tell"
        return self._trouble

    @property
    def folders(self) -> int:
        """How many folders are watched."""
        return len(self._folders.watched) if self._notices is not None else 0

    def start(self) -> None:
        """Begin to watch. What happens from here on is told, or `trouble` says why not."""
        self._stopped.clear()
        with contextlib.suppress(OSError):
            for name in os.listdir(self._spot.cookies):
                os.unlink(os.path.join(self._spot.cookies, name))
        self._begin()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End watching; nothing is told any more when this returns. Not to be called from what the watcher calls."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            self._close()

    def barrier(self, timeout: float) -> bool:
        """Whether every change made before the call has been handed to `hint`; waits for that at most `timeout` seconds."""
        until = time.monotonic() + timeout
        with self._lock:
            told = self._notices is not None and self._broken is None and not self._shared
            cookie = self._cookie() if told else ""
        if not cookie:
            return False
        try:
            while True:
                with self._lock:
                    self._look()
                    if self._notices is None or self._broken is not None:
                        return False
                    if cookie in self._seen:
                        self._tell(self._due | self._renewing)
                        return True
                    if time.monotonic() >= until:
                        self._doubt(timeout)
                        return False
                time.sleep(_FAST)
        finally:
            self._eat(cookie)

    # -- the thread
    def _run(self) -> None:
        try:
            while not self._stopped.is_set():
                if self._notices is not None:
                    time.sleep(self._step)  # an event that is waited for as long costs twice as much
                else:
                    self._stopped.wait(max(self._again - time.monotonic(), 0.0))
                if not self._stopped.is_set():
                    self._turn()
        finally:
            if not self._stopped.is_set():  # a bug: whoever uses this must not believe that all is well
                with self._lock:
                    self._close()
                    self._trouble = "the thread that watches ended; start memtree again"
                    self._lost(self._trouble)

    def _turn(self) -> None:
        if self._notices is None:
            self._begin("changes are watched again")
            return
        with self._lock:
            self._look()
            broken = self._broken
        if broken is not None:
            self._mend(broken)
        elif (self._due or self._renew) and time.monotonic() >= self._not_before:
            self._watch_anew()

    # -- what came; all of it under the lock
    def _look(self) -> None:
        if self._notices is None or self._broken is not None:
            return
        try:
            batch = self._notices.look()
        except NotWatched as error:
            self._broken = error
            return
        if not batch:
            return
        changes = sorted_out(batch, self._spot, self._folders, self._due | self._renewing)
        self._keep(changes)
        if changes.hints:
            self._hint(changes.hints)
        if changes.scope:
            self._lost("what belongs to the workspace may have changed")
        elif self._very_many(len(batch)):
            self._lost("very many changes at once")
        if changes.moved:
            self._moved()
        self._seen |= changes.cookies & self._asked

    def _keep(self, changes: Changes) -> None:
        self._due |= changes.due
        self._renew |= changes.renew or changes.replaced
        if changes.passed - self._folders.passed:
            self._folders = Folders(self._folders.watched, self._folders.nested, self._folders.passed | changes.passed)

    def _very_many(self, count: int) -> bool:
        began, before = self._burst
        now = time.monotonic()
        if now - began > 1.0:
            began, before = now, 0
        self._burst = (began, before + count)
        return before <= MANY < before + count

    def _tell(self, folders: Iterable[str]) -> None:
        """These folders are to be looked at whole."""
        tops = outermost(folders)
        if tops == ("",):
            self._lost("folders have changed")
        elif tops:
            self._hint([f"{top}/" for top in tops])

    def _doubt(self, waited: float) -> None:
        """A notice did not come. When there was time enough, the watch may be dead, or what it tells may have been dropped."""
        if waited >= _PATIENCE:
            self._renew = True
            self._lost("the system did not tell of a change in time")

    def _close(self) -> None:
        if self._notices is not None:
            self._notices.close()
        self._notices = None

    # -- cookies
    def _cookie(self) -> str:
        """Make a new file whose notice will be waited for; '' when that fails. Under the lock."""
        self._made += 1
        path = os.path.join(self._spot.cookies, f"{os.getpid()}-{self._made}")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        except OSError as error:
            self._renew |= error.errno in (errno.ENOENT, errno.ENOTDIR)  # its folder is gone, perhaps with the workspace
            return ""
        self._asked.add(path)
        return path

    def _eat(self, cookie: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(cookie)
        self._asked.discard(cookie)
        self._seen.discard(cookie)

    # -- watching anew; only by the thread, or before it runs
    def _begin(self, lost: str = "", *, patience: float = 0.0) -> None:
        """Watch everything, or say in `trouble` why that fails. Before, changes may have gone untold, for the reason given.

        For so many seconds watches that are lacking are waited for.
        """
        until = time.monotonic() + patience
        try:
            while True:
                folders = Folders().anew(self._spot.root, [""], self._spot.watches)
                try:
                    notices, folders, missed = self._opened(folders, {""})
                    break
                except OutOfWatches:
                    if time.monotonic() >= until:
                        raise
                time.sleep(_FAST)
        except NotWatched as error:
            self._give_up(error)
            return
        with self._lock:
            self._notices, self._folders, self._due = notices, folders, missed
            self._trouble, self._broken, self._renew, self._renewing = "", None, False, set()
            if lost:
                self._lost(lost)

    def _opened(self, folders: Folders, tops: set[str]) -> tuple[Notices, Folders, set[str]]:
        """Watch folders, of which those in `tops` were just listed. Also, which must be listed again: they came meanwhile."""
        for _ in range(_TRIES):
            if not is_folder(self._spot.root):
                raise WorkspaceGone("the workspace's folder is gone", hint="mount the disk, or move the folder back")
            if self._most is not None and len(folders.watched) > self._most:
                raise OutOfWatches(f"there are {len(folders.watched)} folders, of which at most {self._most} can be watched")
            if not os.path.exists(os.path.join(self._spot.git, "HEAD")):
                raise WorkspaceGone("the workspace's git folder is gone", hint="put it back, or make the workspace anew")
            try:
                for folder in (os.path.dirname(self._spot.cookies), self._spot.cookies):  # and none above: it may go just now
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(folder, 0o700)
            except FileNotFoundError:
                continue  # somebody is removing them just now
            except OSError as error:
                raise NotWatched(f"the folder for notices cannot be made: {error.strerror}") from error
            try:
                notices = Notices(self._spot.targets(folders))
            except FolderVanished:
                fewer = folders.without_vanished(self._spot.root)
                tops = tops | (folders.watched - fewer.watched)
                folders = fewer
                continue
            now = folders.anew(self._spot.root, tops, self._spot.watches)
            return notices, folders, set(outermost((now.watched - folders.watched) | (now.nested ^ folders.nested)))
        raise FoldersComeAndGo("folders come and go too quickly to be watched")

    def _watch_anew(self) -> None:
        """Watch the folders as they are now, before the old watch ends, so that nothing is missed in between."""
        began = time.monotonic()
        with self._lock:
            self._renewing, self._due = self._due, set()
            renew, self._renew = self._renew, False
            before = self._folders
        folders = before.anew(self._spot.root, self._renewing, self._spot.watches)
        replaced = folders.watched != before.watched or renew
        if replaced:
            self._replace(folders)
        with self._lock:
            if not replaced and self._folders is before:
                self._folders = folders
            self._tell((self._renewing | (folders.watched - before.watched)) - {""})
            if renew and "" in self._renewing:
                self._lost("the workspace's folder was replaced")
            self._renewing = set()
        now = time.monotonic()
        self._not_before = now + self._pause + _SHARE * (now - began)

    def _replace(self, folders: Folders) -> None:
        try:
            opened = self._opened(folders, self._renewing)
        except OutOfWatches:
            self._watch_instead()  # perhaps they do not suffice for both at once
        except FoldersComeAndGo:
            with self._lock:  # the old watch stays until they have settled
                self._due |= self._renewing
                self._renew = True
        except NotWatched as error:
            self._give_up(error)
        else:
            with self._lock:
                self._change_to(*opened)

    def _change_to(self, notices: Notices, folders: Folders, missed: set[str]) -> None:
        """Take the new notices, and from the old ones all that came before. Under the lock."""
        cookie = self._cookie()
        until = time.monotonic() + _PATIENCE
        while cookie and cookie not in self._seen and self._broken is None and time.monotonic() < until:
            self._look()
            time.sleep(_FAST)
        if cookie not in self._seen:
            self._lost("the system did not tell of a change in time")
        self._eat(cookie)
        self._close()
        self._notices, self._broken = notices, None
        self._folders = Folders(folders.watched, folders.nested, folders.passed | self._folders.passed)
        self._due |= missed

    def _watch_instead(self) -> None:
        """End the old watch first, then begin a new one."""
        with self._lock:
            self._look()
            self._close()
        # The old watch gives back what it had a moment after it was closed: a thread of the library's ends first.
        self._begin("folders were added", patience=_GIVEN_BACK)

    def _mend(self, error: NotWatched) -> None:
        """The notices have ended: begin anew, unless they end again and again."""
        now = time.monotonic()
        self._breaks.append(now)
        while now - self._breaks[0] > _BREAKS_IN:
            self._breaks.popleft()
        with self._lock:
            self._close()
        if len(self._breaks) > _BREAKS:
            self._give_up(error)
        else:
            self._begin(str(error))

    def _give_up(self, error: NotWatched) -> None:
        self._again = time.monotonic() + (_SOON if isinstance(error, WorkspaceGone | FoldersComeAndGo) else AGAIN)
        with self._lock:
            told, self._trouble = self._trouble, f"{error}; {error.hint}" if error.hint else str(error)
            self._close()
            self._broken = None
            self._due, self._renewing, self._renew = set(), set(), False
            if self._thread is not None and not told:
                self._lost(self._trouble)


def _in_doubt(watches: Callable[[str], bool]) -> Callable[[str], bool]:
    """Where it cannot be said whether a folder is to be watched, such as while a repository is put back, it is."""

    def asked(folder: str) -> bool:
        try:
            return watches(folder)
        except (Error, OSError):
            return True

    return asked
