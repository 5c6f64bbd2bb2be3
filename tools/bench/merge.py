"""merge: two machines edit one list; what the merge loses, brings back, doubles or leaves to chance. Beside `git merge-file`.

Every line holds a word that no other has, so that what became of it can be counted. Half of the lists are a memory
file, half are notes. Git starts a program for each merge, so it is asked about a sample.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from memtree.engine.merge.rules import content_rules
from memtree.tools.bench.corpus import environment
from memtree.tools.bench.ground import Ground
from memtree.tools.bench.measure import Result, Series, figure, ratio
from memtree.tree.paths import RepoPath

_PATHS = (RepoPath("MEMORY.md"), RepoPath("notes/list.md"))
_HEAD = "# List\n\n"
_COMMON = ("the", "plan", "for", "next", "week", "with", "tea", "and", "a", "river")


@dataclass(frozen=True, slots=True)
class Case:
    """A list and what two machines made of it."""

    path: RepoPath
    base: bytes
    ours: bytes
    theirs: bytes

    def swapped(self) -> Case:
        return Case(self.path, self.base, self.theirs, self.ours)

    def lost(self, merged: bytes) -> bool:
        """Whether a word that a side wrote is gone."""
        return not _words(self.ours) | _words(self.theirs) <= _words(self.base) | _words(merged)

    def resurrected(self, merged: bytes) -> bool:
        """Whether a line is back that one side deleted or wrote anew."""
        gone = {*self.base.split(b"\n")} - ({*self.ours.split(b"\n")} & {*self.theirs.split(b"\n")})
        return not gone.isdisjoint(merged.split(b"\n"))

    def duplicated(self, merged: bytes) -> bool:
        return max(Counter(line for line in merged.split(b"\n") if line.startswith(b"- ")).values(), default=0) > 1


def merge(ground: Ground, files: int, repetitions: int) -> Result:
    """Merge `files` lists; git merges as many of them as there are repetitions."""
    dice = Random(ground.seed)
    cases = [_case(dice, number) for number in range(files)]
    sample = cases[: min(repetitions, files)]
    folder = ground.new("merge")
    os.mkdir(folder)
    ours, peer = Series(), Series()
    memtree = _by_memtree(cases, ours)
    plain, union = _by_git(folder, sample, peer)
    return {
        "files": files,
        "repetitions": len(sample),
        "git_ms": figure(peer.median),
        "memtree_ms": figure(ours.median),
        "memtree_p95_ms": figure(ours.p95),
        "ratio": ratio(peer.median, ours.median),
        "memtree": memtree,
        "git_merge_file": plain,
        "git_merge_file_union": union,
    }


def _case(dice: Random, number: int) -> Case:
    """A list of 3 to 12 lines, and 1 to 3 edits on each side."""
    words = iter(range(10**6))
    base = [_line(dice, "b", next(words)) for _ in range(dice.randint(3, 12))]
    sides = []
    for name in "xy":
        lines = list(base)
        for _ in range(dice.randint(1, 3)):
            at = dice.randint(0, len(lines))
            step = dice.choice(("add", "delete", "edit")) if at < len(lines) else "add"
            new = [] if step == "delete" else [_line(dice, name, next(words))]
            if step == "edit" and dice.random() < 0.7:
                new = [f"{lines[at]} {name}{next(words)}"]
            lines[at : at + (step != "add")] = new
        sides.append(lines)
    base_data, one, two = ((_HEAD + "".join(f"- {line}\n" for line in lines)).encode() for lines in (base, *sides))
    return Case(_PATHS[number % len(_PATHS)], base_data, one, two)


def _line(dice: Random, name: str, number: int) -> str:
    return " ".join([*dice.sample(_COMMON, 4), f"{name}{number}"])


def _words(data: bytes) -> set[bytes]:
    return set(data.split())


def _by_memtree(cases: Iterable[Case], series: Series) -> Result:
    """What the rule table makes of the cases; `unsettled` are merges that go on changing when a side comes again."""
    rules = content_rules()
    found: Counter[str] = Counter()

    def merged(case: Case) -> bytes:
        if case.base in (case.ours, case.theirs) or case.ours == case.theirs:
            return case.theirs if case.ours == case.base else case.ours
        rule = rules(case.path)
        assert rule is not None
        content = rule(case.path, case.base, case.ours, case.theirs)
        found["keeps_both"] += content.kind is not None
        return content.data

    for case in cases:
        data = series.time(lambda one=case: merged(one))  # type: ignore[misc]
        kept_both = found["keeps_both"]
        found.update(_verdict(case, data))
        found["order_dependent"] += merged(case.swapped()) != data
        found["unsettled"] += merged(Case(case.path, case.base, data, case.theirs)) != data
        found["keeps_both"] = kept_both
    names = ("lost", "resurrected", "order_dependent", "duplicated", "unsettled", "keeps_both")
    return {name: found[name] for name in names}


def _verdict(case: Case, merged: bytes) -> dict[str, int]:
    checks = {"lost": case.lost, "resurrected": case.resurrected, "duplicated": case.duplicated}
    return {name: int(check(merged)) for name, check in checks.items()}


def _by_git(folder: str, cases: list[Case], series: Series) -> tuple[Result, Result]:
    """What plain `git merge-file` stops at, and what `--union` brings back or makes depend on who merges; as shares."""
    conflicts = 0
    union: Counter[str] = Counter()
    for case in cases:
        _write(folder, case)
        conflicts += series.time(lambda: _merge_file(folder, "ours", "theirs")).returncode != 0
        one = _merge_file(folder, "ours", "theirs", "--union").stdout
        union.update(_verdict(case, one))
        union["order_dependent"] += _merge_file(folder, "theirs", "ours", "--union").stdout != one
    names = ("lost", "resurrected", "order_dependent", "duplicated")
    return {"conflicts": figure(conflicts / len(cases))}, {name: figure(union[name] / len(cases)) for name in names}


def _write(folder: str, case: Case) -> None:
    for name, data in (("base", case.base), ("ours", case.ours), ("theirs", case.theirs)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


def _merge_file(folder: str, ours: str, theirs: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    command = ("git", "merge-file", "-p", *options, ours, "base", theirs)
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, check=False)
