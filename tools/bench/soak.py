"""soak: a daemon at steady work for a while, with a peer that syncs: whether memory, descriptors and the repository stay flat."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from itertools import islice
from random import Random

from memtree.engine.workspace import Workspace
from memtree.engine.writers.many_turns import record_turns
from memtree.hooks.daemon.client import Unreachable
from memtree.tools.bench.conversations import turns
from memtree.tools.bench.corpus import notes, seed_repository
from memtree.tools.bench.freshness import new_word
from memtree.tools.bench.ground import PREFIX, Ground, git, options, save_as_editor
from memtree.tools.bench.growth import Bound, growth
from memtree.tools.bench.measure import Result, Series, figure
from memtree.tools.bench.served import Served, served
from memtree.tree.errors import Error

_MIB = 2**20
_SETTINGS = "\n[watch]\nsync_interval = 10\nsync_delay = 1\nscan = 60\n"
_TURNS = 400  # recorded before: what is kept of turns for ranking them has filled then, and what still grows does so for good
_POOL = 60  # notes that are written, renamed and deleted
_SAMPLES = 240  # at most
_LEAST, _LATER = 8, 240.0  # samples, and seconds that are waited for them
_SAMPLE_AGAIN = 2.0  # seconds at least
_STEP = 0.02  # seconds between two looks at what is due
_AGREEING = 120.0  # seconds that the peer and the daemon get at the end

# What stays flat, and what it may grow by. The history that is kept, and the index of it, grow with the commits.
BOUNDS = {
    "rss_mib": Bound(24.0),
    "own_mib": Bound(24.0),
    "descriptors": Bound(4),
    "threads": Bound(3),
    "git_mib": Bound(24.0, 0.006),
    "memtree_mib": Bound(24.0, 0.004),
    "loose_objects": Bound(4_500),
    "leftovers": Bound(4),
    "log_kib": Bound(4_096),
}


class Soaking:
    """A served workspace with a peer, and those who work on both."""

    def __init__(self, daemon: Served, here: Workspace, peer: Workspace, seed: int) -> None:
        self._daemon, self._here, self._peer = daemon, here, peer
        self._random = Random(seed)
        self._texts = [data for _, data in notes(_POOL, seed + 2)]
        self._turns = turns(1_000_000, seed)
        self._pool: list[str] = []
        self._made = 0
        self.searches, self.syncs = Series(), Series()
        self.done = dict.fromkeys(("edits", "turns", "searches", "peer_syncs"), 0)
        self.errors: list[str] = []

    def run(self, seconds: float) -> list[dict[str, float]]:
        """Work for so many seconds; a sample now and again."""
        samples: list[dict[str, float]] = []
        again = max(_SAMPLE_AGAIN, seconds / _SAMPLES)
        work: list[tuple[float, Callable[[], None]]] = [
            (0.5, self._edit),
            (1.0, self._search),
            (2.0, self._turn),
            (5.0, self._meet),
            (min(again, seconds / 8), lambda: samples.append(self._sample(time.monotonic() - began))),
        ]
        began = time.monotonic()
        due = [began + every for every, _ in work]
        # A machine that is busy with other things has a while longer for what is judged to be judged at all.
        while (passed := time.monotonic() - began) < seconds or (len(samples) < _LEAST and passed < seconds + _LATER):
            for number, (every, action) in enumerate(work):
                if time.monotonic() >= due[number]:
                    self._try(action)
                    due[number] = max(due[number] + every, time.monotonic())
            time.sleep(_STEP)
        return samples

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except (Error, OSError, Unreachable, AssertionError) as error:
            self.errors.append(f"{getattr(action, '__name__', 'sample')}: {type(error).__name__}: {error}")

    # -- those who work
    def _edit(self) -> None:
        """Write a note anew, change, rename or delete one; how many there are stays about the same."""
        root, kind = self._here.root, self._random.random()
        if kind < 0.2 and len(self._pool) > _POOL // 2:
            os.unlink(os.path.join(root, self._pool.pop(self._random.randrange(len(self._pool)))))
        elif kind < 0.4 and self._pool:
            at = self._random.randrange(len(self._pool))
            old, self._pool[at] = self._pool[at], self._new_name()
            os.rename(os.path.join(root, old), os.path.join(root, self._pool[at]))
        else:
            path = self._random.choice(self._pool) if len(self._pool) >= _POOL else self._new_name()
            if path not in self._pool:
                self._pool.append(path)
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            save_as_editor(root, path, self._text(path))
        self.done["edits"] += 1

    def _new_name(self) -> str:
        self._made += 1
        return f"{PREFIX}soak/{self._made}.md"

    def _text(self, path: str) -> bytes:
        word = new_word(self.done["edits"], path)
        return self._random.choice(self._texts) + f"\n{word}\n".encode()

    def _search(self) -> None:
        """What was saved just now is found at once."""
        path = f"{PREFIX}soak/asked.md"
        word = new_word(self.done["searches"], "asked")
        os.makedirs(os.path.dirname(os.path.join(self._here.root, path)), exist_ok=True)
        save_as_editor(self._here.root, path, f"# Asked\n\n{word}\n".encode())
        found = self.searches.time(lambda: self._daemon.search(word))
        assert path in [hit.path for hit in found.hits], "a search did not find what was saved before"
        self.done["searches"] += 1

    def _turn(self) -> None:
        self._here.record_turn(next(self._turns))
        self.done["turns"] += 1

    def _meet(self) -> None:
        """The peer changes a note of its own and syncs."""
        save_as_editor(self._peer.root, f"{PREFIX}peer.md", self._text("peer"))
        self.syncs.time(self._peer.sync)
        self.done["peer_syncs"] += 1

    def _pull(self) -> None:
        self._peer.sync()

    # -- what is looked at
    def _sample(self, passed: float) -> dict[str, float]:
        used, state = self._daemon.usage(), self._daemon.place.state
        common = os.path.dirname(state)
        kept = _size(state)
        return {
            "seconds": passed,
            "commits": int(git(self._here.root, "rev-list", "--count", "HEAD")),
            "rss_mib": used.resident / _MIB,
            "own_mib": used.own / _MIB,
            "descriptors": used.descriptors,
            "threads": used.threads,
            "git_mib": (_size(common) - kept) / _MIB,
            "memtree_mib": kept / _MIB,
            "loose_objects": _loose(os.path.join(common, "objects")),
            "leftovers": _leftovers(state),
            "log_kib": sum(entry.stat().st_size for entry in os.scandir(state) if entry.name.startswith("daemon.log")) / 1024,
        }

    def agree(self) -> None:
        """Afterwards both hold the same, all of it committed; what does not is told as an error."""
        deadline = time.monotonic() + _AGREEING
        while time.monotonic() < deadline:
            self._daemon.settle()
            self._try(self._pull)
            heads = {self._here.repo.tip("HEAD"), self._peer.repo.tip("HEAD")}
            if len(heads) == 1 and not git(self._here.root, "status", "--porcelain"):
                return
            with self._daemon.connected() as client:
                client.call("sync", {})
            time.sleep(1.0)
        self.errors.append("the workspace and its peer do not agree")


def soak(ground: Ground, minutes: float, files: int) -> Result:
    """Serve a workspace of so many notes, let people, agents and another machine work on it, and judge what was sampled."""
    root, remote, other = ground.new("soaked"), ground.new("remote"), ground.new("peer")
    seed_repository(root, files, ground.seed, prefix=PREFIX)
    here, _ = Workspace.init(root, options=options())
    with open(os.path.join(root, "memtree.toml"), "a", encoding="utf-8") as file:
        file.write(_SETTINGS)
    git(root, "init", "--quiet", "--bare", remote)
    here.save()
    before = list(islice(turns(1_000_000, ground.seed + 1), _TURNS))
    record_turns(here, lambda: before, message="turns of before\n\nMemtree-Writer: bench\n")
    here.remotes.add("origin", remote)
    here.sync()
    here.close()
    Workspace.clone(remote, other, options())[0].close()
    with served(root) as daemon, Workspace.open(root, options()) as here, Workspace.open(other, options()) as peer:
        daemon.settle()
        daemon.search("what was said before")
        begun = daemon.usage()
        soaking = Soaking(daemon, here, peer, ground.seed)
        samples = soaking.run(60 * minutes)
        used = daemon.usage().used - begun.used
        soaking.agree()
    damage = git(root, "fsck", "--no-dangling", accept=(0, 1, 2, 3)).decode().splitlines()
    return _told(soaking, samples, minutes, files, used, damage)


def _told(soaking: Soaking, samples: list[dict[str, float]], minutes: float, files: int, used: float, damage: list[str]) -> Result:
    times, commits = ([sample[name] for sample in samples] for name in ("seconds", "commits"))
    judged = {name: growth([sample[name] for sample in samples], times, commits, bound) for name, bound in BOUNDS.items()}
    return {
        "minutes": minutes,
        "files": files,
        "samples": len(samples),
        **soaking.done,
        "commits": int(commits[-1] - commits[0]),
        "search_ms": figure(soaking.searches.median),
        "search_p95_ms": figure(soaking.searches.p95),
        "peer_sync_ms": figure(soaking.syncs.median) if soaking.syncs.costs else None,
        "daemon_cpu_percent": figure(100 * used / (60 * minutes)),
        "measures": {
            name: {
                **{key: figure(getattr(one, key)) for key in ("first", "second", "last", "allowed", "per_hour")},
                "flat": one.flat,
            }
            for name, one in judged.items()
        },
        "flat": all(one.flat for one in judged.values()),
        "errors": len(soaking.errors),
        "first_errors": soaking.errors[:5],
        "damage": damage,
    }


def _size(folder: str) -> int:
    """Bytes of the files below a folder, links not followed."""
    total, left = 0, [folder]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except FileNotFoundError:
            continue  # somebody tidies up meanwhile
    return total


def _loose(objects: str) -> int:
    return sum(len(os.listdir(entry.path)) for entry in os.scandir(objects) if len(entry.name) == 2)


def _leftovers(state: str) -> int:
    """Files of what is under way: what stays of it was not cleared up."""
    places = (os.path.join(state, name) for name in ("journal", "tmp", "outbox"))
    return sum(len(names) for place in places for here, _, names in os.walk(place) if os.path.basename(here) != "displaced")
