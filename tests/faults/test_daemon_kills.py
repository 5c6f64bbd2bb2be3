"""A daemon that is killed again and again while others write: nothing acknowledged is lost, and the next start clears what is left.

Editors, an agent, a person with git and another machine go on meanwhile; they are killed too. A seed decides what happens and when.
"""

from __future__ import annotations

import os
import random
import secrets
import signal
import time
from collections.abc import Iterator

import pytest

from support.daemons import Household, fsck, said, until, wrongs
from support.faultcheck import leftovers
from support.gitrepo import GitRepo
from support.machines import committed

_SHARED = "notes/shared.md"
# Where a daemon dies: anywhere in time, or the n-th time that it comes by a place.
_PLACES = ("", "", "", "", "", "", "index.lock", "journal", "git index", "branch", "step", "git", "words", "vectors", "signal")
_WRITERS = ("editor", "appender", "agent", "asker", "peer")


class Storm:
    """Rounds of kills in a household. After each round everything is looked at."""

    def __init__(self, home: Household, seed: int) -> None:
        self.home = home
        self.random = random.Random(seed)
        self._serial = 0
        self._writers: dict[str, int] = {}
        self._person = os.path.join(home.said, "person")
        self.kills: dict[str, int] = {}
        self.by_place = 0  # daemons that died where they were told to

    def round(self, kills: int, *, indexes: bool) -> None:
        self._stop = os.path.join(self.home.folder, f"stop-{self._serial}")
        for kind in _WRITERS:
            self._start(kind)
        for _ in range(kills):
            self._kill()
        with open(self._stop, "w", encoding="utf-8"):
            pass
        for kind, pid in self._writers.items():
            assert self.home.zygote.wait(pid) == 0, (kind, self.home.zygote.errors())
        self._look(indexes)

    def _start(self, kind: str) -> None:
        self._serial += 1
        name = f"{kind}{self._serial if kind != 'editor' else ''}"
        more = {"shared": _SHARED} if kind in ("appender", "agent") else {}
        told = os.path.join(self.home.said, f"{kind}-{self._serial}")
        self._writers[kind] = self.home.zygote.fork(
            kind,
            root=self.home.b if kind == "peer" else self.home.a.root,
            name=name,
            said=told,
            seed=self._serial,
            stop=self._stop,
            pause=0.3 if kind == "peer" else 0.1,
            **more,
        )

    def _kill(self) -> None:
        place = self.random.choice(_PLACES)
        a = self.home.a
        if place in ("", "signal"):
            a.start()
            self._meanwhile(self.random.uniform(0, 0.35))
            if place:
                assert a.pid is not None
                os.kill(a.pid, signal.SIGTERM)
                time.sleep(self.random.uniform(0, 0.05))
            a.kill()
        else:
            times = self.random.choice((1, 2, 5, 20, 40)) if place == "step" else self.random.choice((1, 1, 1, 2))
            a.start(place=place, times=times)
            self._meanwhile(0.0)
            if a.died(2.0):
                self.by_place += 1
            else:
                a.kill()
        self.kills[place] = self.kills.get(place, 0) + 1
        if self.random.random() < 0.25:
            kind = self.random.choice(_WRITERS)
            self.home.zygote.kill(self._writers[kind])
            self._start(kind)

    def _meanwhile(self, seconds: float) -> None:
        """A person's commit, or a look; then the rest of the time passes."""
        until_then = time.monotonic() + seconds
        chance = self.random.random()
        if chance < 0.15:
            self._by_git()
        elif chance < 0.3:
            self.home.a.status()
        time.sleep(max(0.0, until_then - time.monotonic()))

    def _by_git(self) -> None:
        self._serial += 1
        token, path = f"xpersonq0q{self._serial}x", f"notes/person-{self._serial}.md"
        with open(self._person, "a", encoding="utf-8") as file:
            file.write(f"try {token}\n")
            self.home.a.repo.write(path, f"by git {token}\n")
            file.write(f"done {token}\n")  # an edit is one whether git takes it or not
        for words in (("add", path), ("commit", "--quiet", "-m", "by git")):
            try:
                self.home.a.repo.git(*words)
            except AssertionError:
                return  # a lock of a dead or living process of ours: the person tries another time

    def _commits(self) -> bool:
        """Whether nothing is staged that only the person commits."""
        try:
            self.home.a.repo.git("diff", "--cached", "--quiet")
            return True
        except AssertionError:
            pass
        try:
            self.home.a.repo.git("commit", "--quiet", "-m", "by git, at last")
        except AssertionError:
            return False
        return True

    def _look(self, indexes: bool) -> None:
        a, b = self.home.a, GitRepo(self.home.b)
        a.start()
        a.answers()
        until(self._commits, "the person's git to get its turn", pause=0.05)
        a.flushed()
        self.home.converged()
        a.flushed()
        done, begun = said(self.home.said)
        files = committed(a.root)
        assert wrongs(files, done, begun) == []
        assert files == committed(b.path)
        assert b.git("status", "--porcelain") == ""
        assert leftovers(b.path) == []
        if indexes:
            a.assert_sound()
            a.assert_indexes(os.path.join(self.home.folder, "built"))
        else:
            assert fsck(a.root, "--connectivity-only") == ""
            assert leftovers(a.root) == []
            assert self.home.zygote.errors() == []
        a.kill()


@pytest.fixture
def home() -> Iterator[Household]:
    with Household() as home:
        yield home


def storm(home: Household, rounds: int, each: int, seed: int) -> Storm:
    print(f"seed {seed}")
    storm = Storm(home, seed)
    for number in range(rounds):
        storm.round(each, indexes=number % 2 == 0 or number == rounds - 1)
    assert sum(storm.kills.values()) == rounds * each
    assert fsck(home.remote) == ""
    return storm


def test_a_hundred_kills_lose_nothing_that_was_acknowledged(home: Household) -> None:
    done = storm(home, 5, 20, int(os.environ.get("MEMTREE_TEST_SEED", "20240501")))
    assert done.by_place > 10


@pytest.mark.deep
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_kills_lose_nothing_that_was_acknowledged(home: Household, part: int) -> None:
    storm(home, 5, 20, secrets.randbits(32))
