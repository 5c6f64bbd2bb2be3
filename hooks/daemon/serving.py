"""Serving: what is open while a daemon runs.

One thread does all that touches the open workspace, piece by piece (`Jobs`). Others watch, sync with a workspace of their own, and
listen to those who ask; the one that called makes the rounds.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from memtree.engine.search_settings import is_minilm
from memtree.engine.workspace import Workspace
from memtree.hooks.daemon.address import read_address
from memtree.hooks.daemon.board import Board
from memtree.hooks.daemon.cycle import Indexed, Turn, index, take_turn
from memtree.hooks.daemon.deciding import Standing, standing, what_is_wrong
from memtree.hooks.daemon.embedding import EmbeddingThread
from memtree.hooks.daemon.following import FollowingThread
from memtree.hooks.daemon.footprint import give_back, settle
from memtree.hooks.daemon.jobs import Jobs
from memtree.hooks.daemon.log import DaemonLog
from memtree.hooks.daemon.methods import methods
from memtree.hooks.daemon.rounds import Rounds
from memtree.hooks.daemon.server import Server
from memtree.hooks.daemon.syncing import SyncThread
from memtree.hooks.daemon.upkeep import UpkeepThread
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.hooks.watching.hints import NEVER, Hints, Look
from memtree.hooks.watching.watcher import Watcher
from memtree.indexers.query import Query
from memtree.tree.errors import Error

T = TypeVar("T")

_BARRIER = 0.5  # seconds that a search waits for news of edits
_STEP = 0.1  # seconds between two looks at what the system noticed: the quiet time counts from a file's own time all the same
_LEAVING = 10.0  # seconds for the turn that goes on when we are asked to end
_AGAIN, _LONGEST_AGAIN = 2.0, 60.0  # seconds until what could not be done is tried again: at first, and at most
_FRESH = 1.0  # seconds that a file's own time may lie back for the quiet time to count from it
_LOOKED_AT = 32  # files whose times are read; of more the quiet time counts from now
_MUCH = 2.0  # seconds of a turn, after which memory is given back at once
_TRIM_AGAIN = 60.0  # seconds, after which the next turn gives back what many small ones left
_STAGED = 20  # paths that are looked at again with each turn


class Serving:
    def __init__(
        self,
        place: Place,
        workspace: Workspace,
        around: Surroundings,
        board: Board,
        log: DaemonLog,
        rounds: Rounds,
        stop: Callable[[], None],
        decided: Standing,
    ) -> None:
        """`decided` is how the files stood that decide on all this, before the workspace was opened."""
        self.workspace = workspace
        self._place, self._root = place, place.root
        self._board, self._log, self._rounds = board, log, rounds
        self._watch = workspace.settings.watch
        self._decided = decided
        self._outdated = False  # these files say something else by now
        self._guard = threading.Lock()
        self._hints = Hints(self._watch.quiet, self._watch.maximum)
        self._settles = NEVER  # when deletions that were left may be committed
        self._untold = NEVER  # when what a search took in is indexed in all ways, shown, and told to who syncs
        self._owed = Look()  # what could not be committed
        self._failed = self._homeless = False
        self._within = False  # a capture goes on in the middle of indexing
        self._tries, self._again = 0, -NEVER  # how often in a row, and when it is tried again
        self._staged: tuple[str, ...] = ()  # what a person has staged: what becomes of that, no file tells
        self._unsaid: tuple[str, ...] = ()  # what a person should know of what was taken in ahead of a search
        self._trimmed = -NEVER
        self._jobs = Jobs()
        self._worker = threading.Thread(target=self._work, name="memtree-worker", daemon=True)
        step = min(_STEP, self._watch.quiet / 4)
        self.watcher = Watcher(place.root, place.state, self._watches, self.hint, self._lost, step, moved=self.moved)
        self.sync = SyncThread(place, around, self._watch, log, self.moved)
        self._upkeep = UpkeepThread(place, around, log)
        self._following = FollowingThread(place, around, log)
        self._embedding = EmbeddingThread(place, around, log, self.moved)
        self._server = Server(place, methods(self, board.state, stop), failed=self._bug)
        board.watch(self.watcher, self.sync, lambda: self._hints.waiting)

    def start(self) -> None:
        """Begin. The first thing of the rounds is a look at everything, which comes after this: nothing is missed."""
        self.watcher.start()
        self._load()
        self._server.start()
        self._worker.start()
        self.sync.start()
        self._upkeep.start()
        self._following.start()
        if is_minilm(self.workspace.settings.embedding):  # the default model leaves nothing for later
            self._embedding.start()
        self._board.changed()

    def _load(self) -> None:
        """Load what a search needs (the model alone takes half a second): whoever asks first waits no longer than others."""
        if not self.workspace.settings.embedding.url:  # nobody else is asked for it
            self.workspace.searching.peek(Query("memory", mode=self.workspace.settings.search.mode))
        settle()

    def stop(self, *, whole: bool) -> bool:
        """End; `whole`: however long the turn takes that goes on. Otherwise the process ends, which no turn minds.

        Whether nobody works with the workspace any more.
        """
        self._server.stop()
        self.sync.stop()
        self._upkeep.stop()
        self._following.stop()
        self._embedding.stop()
        self.watcher.stop()
        self._jobs.stop()
        if self._worker.ident is not None:
            self._worker.join(None if whole else _LEAVING)
        return not self._worker.is_alive()

    # -- hints, from any thread
    def hint(self, paths: Iterable[str]) -> None:
        """Something happened to these paths. The quiet time counts from when it did, not from when we heard of it."""
        found = list(paths)
        age = _age(self._root, found)
        now = time.monotonic()
        with self._guard:
            self._hints.add(found, now, changed=now - age)
        self._jobs.wake()

    def moved(self) -> None:
        """HEAD may have moved."""
        self.hint(())

    def _lost(self, reason: str) -> None:
        self._log.event("events-lost", reason=reason)
        self._rounds.soon(self._watch.quiet)

    def _watches(self, folder: str) -> bool:
        if not self.workspace.scope().may_hold(folder):
            return False
        repo = self.workspace.repo
        return not repo.is_ignored(folder + "/") or repo.entry(repo.tip("HEAD"), folder) is not None  # tracked all the same

    # -- the rounds
    def answers(self) -> bool:
        """Whether those who ask find us: a person may have removed what tells where we listen."""
        return read_address(self._place) is not None or not os.path.isdir(self._root)

    def unwatched(self) -> bool:
        return bool(self.watcher.trouble)

    def interval(self) -> float:
        return self._watch.scan

    def found(self, paths: tuple[str, ...]) -> None:
        """A look at everything found these; without any there is still what failed to be tried again, and the indexes."""
        try:
            holds = self.workspace.scope().holds
        except (Error, OSError):
            self.hint(paths)  # the turn tells what is wrong
        else:
            self.hint([path for path in paths if holds(path)])  # of a source repository's work git tells a lot

    # -- the worker's thread
    def _work(self) -> None:
        try:
            self._jobs.run(self._due, time.monotonic, self._in_time)
        finally:  # whatever ended it: nobody waits for it in vain, and all begins again unless that was meant
            self._jobs.stop()
            self._rounds.end()

    def work(self, job: Callable[[], T], patience: float | None = None) -> T:
        """Have the worker do something; raise what it raises, Stopped, and Busy when it did not begin within the patience."""
        return self._jobs.call(job, patience)

    def _due(self) -> float:
        return min(self._edits_due(), self._untold)

    def _edits_due(self) -> float:
        with self._guard:
            return min(self._hints.due, self._settles)

    def _in_time(self) -> None:
        self._untold = NEVER
        try:
            self._turn(self._take())
        except Exception as error:  # noqa: BLE001 - the daemon goes on, and looks again later
            self._bug("turn", error)

    def _take(self) -> Look:
        with self._guard:
            self._settles = NEVER
            return self._hints.take()

    def _turn(self, look: Look, *, index: bool = True) -> Turn:
        try:
            turn = self._taken(look, index=index)
        except Exception:
            self._failed = True
            self._try_again()
            raise
        self._board.trouble("bug", "")
        return turn

    def _taken(self, look: Look, *, index: bool) -> Turn:
        self.is_outdated()
        self._owed = look = look.beside(self._owed)
        self._board.doing("looking at edits")
        try:
            turn = take_turn(self.workspace, look.beside(Look(frozenset(self._staged))))
        finally:
            self._board.doing("")
        self._judge(turn)
        # An index would make its folder where the workspace's was, and be in its way.
        indexed = self._index() if index and not turn.homeless else Indexed()
        self._give_back(turn.seconds + indexed.seconds)
        if turn.commit is not None:
            self._log.event("commit", commit=turn.commit, files=turn.files, capturing=turn.seconds, indexing=indexed.seconds)
        return turn

    def _index(self) -> Indexed:
        """Bring the indexes to HEAD. While that takes long, edits are committed all the same."""
        self._board.doing("indexing")
        try:
            done = index(self.workspace, None if self._within else self._meanwhile)
        finally:
            self._board.doing("")
        self._tell_index(done.notes)
        return done

    def _meanwhile(self, _done: int) -> None:
        if self._within or self._edits_due() > time.monotonic():
            return
        self._within = True
        try:
            self._turn(self._take(), index=False)
        except Exception as error:  # noqa: BLE001 - what is being indexed goes on
            self._bug("turn", error)
        finally:
            self._within = False
            self._untold = time.monotonic() + self._watch.quiet
            self._board.doing("indexing")

    def _give_back(self, seconds: float) -> None:
        now = time.monotonic()
        if seconds >= _MUCH or now - self._trimmed >= _TRIM_AGAIN:
            self._trimmed = now
            give_back()

    def indexed(self) -> tuple[str, ...]:
        """Bring the indexes to HEAD; what a person should know. On the worker."""
        return () if self._homeless else self._index().notes

    def _tell_index(self, notes: tuple[str, ...]) -> None:
        if self._board.trouble("index", "; ".join(notes)):
            self._log.event("index", notes=len(notes))
        before = self._board.head
        self._board.read(self.workspace)
        self.sync.at(self._board.head)  # whoever made the commit
        if self._board.head != before:
            self._upkeep.changed()
            self._following.changed()
            self._embedding.changed()

    def _judge(self, turn: Turn) -> None:
        """What a capture leaves to be done, and what of it is news."""
        captured, failure = turn.captured, turn.captured.failure
        self._failed = failure is not None
        if self._board.trouble("commit", captured.notes[0] if self._failed else ""):
            self._log.event("not-committed" if self._failed else "commits-again", error=failure)
        if failure is not None:
            self._homeless = turn.homeless
            self._try_again()
            return
        self._owed = Look()
        self._staged = captured.staged[:_STAGED]
        self._tries, self._again = 0, -NEVER
        if self._homeless:
            self._rounds.end()  # the folder is back, and nothing watches it any more
        for note in captured.notes:
            self._board.note(note)
        until = self.workspace.capture.unsettled_until()
        if until is not None:
            with self._guard:
                self._settles = time.monotonic() + max(until - self.workspace.options.clock(), 0.0) + 0.01

    def _try_again(self) -> None:
        """What could not be done is tried again, less and less often, however often others ask meanwhile."""
        now = time.monotonic()
        if now >= self._again:
            pause = min(_AGAIN * 2 ** min(self._tries, 10), _LONGEST_AGAIN)
            self._rounds.soon(pause)
            self._tries, self._again = self._tries + 1, now + pause

    def is_outdated(self) -> bool:
        """Whether who opens the workspace now reads other settings, or broken ones. All begins again once they can be used."""
        present = standing(self._place)
        if present != self._decided and os.path.isdir(self._root):
            self._decided, self._outdated = present, True
            wrong = what_is_wrong(self._root)
            self._board.trouble("settings", f"the settings are used as they were: {wrong}" if wrong else "")
            if not wrong:
                self._rounds.end()
        return self._outdated

    def _bug(self, where: str, error: BaseException) -> None:
        self._log.event("bug", where=where, error=error)
        known = f"{error}; {error.hint}" if isinstance(error, Error) else "something failed (memtree daemon logs tells what)"
        self._board.trouble("bug", known)

    # -- what is asked, from the server's threads
    def brought_up(self, *, ahead: bool = False) -> Callable[[], tuple[str, ...]]:
        """Hear of all that was saved before; the answer, called on the worker, commits it and says what a person should know.

        What is taken in `ahead` of a search is said by that.
        """
        heard = self.watcher.barrier(_BARRIER)

        def commit() -> tuple[str, ...]:
            said, self._unsaid = self._unsaid, ()
            with self._guard:
                nothing = self._hints.empty
            if not (heard and nothing) or self._failed:
                look = self._take()
                self._untold = min(self._untold, time.monotonic() + self._watch.quiet)  # the news that HEAD moved may be among it
                said += self._turn(look if heard else Look(everything=True), index=False).captured.notes
            if ahead:
                self._unsaid = said
            return tuple(dict.fromkeys(said))

        return commit


def _age(root: str, paths: list[str]) -> float:
    """How many seconds ago the newest of these files was written, as far as that is to be believed; else 0."""
    if not paths or len(paths) > _LOOKED_AT:
        return 0.0
    newest = 0.0
    for path in paths:
        try:
            found = os.lstat(os.path.join(root, path))
        except OSError:
            return 0.0  # gone: when is not known
        newest = max(newest, found.st_mtime, found.st_ctime)
    age = time.time() - newest
    return age if 0 <= age <= _FRESH else 0.0
