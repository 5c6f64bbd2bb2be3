"""A process killed at any step of an operation: the operation is there as a whole or not at all, and nothing acknowledged is lost.

The steps are recorded from a real run. Each run is a real process, ended by SIGKILL; another one reopens the workspace.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support import faultlab
from support.faultlab import FaultLab, bad
from support.faultplans import DEEP, random_jobs, sampled
from support.faultrun import Job
from support.faultscenarios import SCENARIOS

MAIN = ("commit", "capture", "sync-merge")
OTHERS = tuple(name for name in SCENARIOS if name not in MAIN)


@pytest.mark.parametrize("scenario", MAIN)
def test_killed_at_every_step_an_operation_is_whole_or_absent(scenario: str) -> None:
    with FaultLab(scenario) as lab:
        # The next command is one that recovers and looks, or one that goes straight to work.
        done = lab.run(Job(kills=(step,), straight=step % 2 == 0) for step in lab.steps)
    assert [outcome.killed for _, outcome in done] == [True] * len(done)
    assert bad(done) == []


def test_the_recorded_steps_cover_every_kind_of_change_on_the_disk() -> None:
    with FaultLab("commit") as lab:
        kinds = {step for step, _ in lab.trace}
        ends = [path for step, path in lab.trace if step == "rename"]
    assert {"create", "write", "fsync", "fsync_folder", "rename", "rename_new", "exchange", "unlink", "link", "append"} <= kinds
    assert any(path.endswith("/refs/heads/main") for path in ends)  # the ref moves
    assert any(path.endswith("/.git/index") for path in ends)


@pytest.mark.parametrize("scenario", MAIN)
def test_nothing_is_changed_on_the_disk_without_being_a_recorded_step(scenario: str) -> None:
    program = os.path.join(os.path.dirname(faultlab.__file__), "faultaudit.py")
    silent = subprocess.run([sys.executable, program, scenario], capture_output=True, text=True, check=True).stdout.split("\n")
    state = "/.git/memtree"
    harmless = {  # the lock's own file, folders that are made when they are missing, and a counter that only saves time
        f"open {state}/write.lock",
        f"os.mkdir {state}",
        f"os.mkdir {state}/tmp/displaced",
        f"open {state}/spliced",
    }
    assert set(filter(None, silent)) - harmless == set()


@pytest.mark.parametrize("scenario", OTHERS)
def test_killed_at_a_step_other_operations_are_whole_or_absent(scenario: str) -> None:
    with FaultLab(scenario) as lab:
        assert bad(lab.run(Job(kills=(step,)) for step in sampled(lab.steps, 5))) == []


@pytest.mark.parametrize("scenario", MAIN)
def test_without_syncs_a_killed_process_is_survived_too(scenario: str) -> None:
    with FaultLab(scenario, durability="fast") as lab:
        assert not {step for step, _ in lab.trace} & {"fsync", "fsync_folder"}
        assert bad(lab.run(Job(kills=(step,)) for step in sampled(lab.steps, 4))) == []


def test_without_an_exchange_call_a_killed_process_is_survived_too() -> None:
    with FaultLab("commit", without="exchange") as lab:
        assert bad(lab.run(Job(kills=(step,)) for step in sampled(lab.steps, 3))) == []


@pytest.mark.parametrize("scenario", MAIN)
def test_a_killed_recovery_is_recovered_from(scenario: str) -> None:
    with FaultLab(scenario) as lab:
        firsts = sampled(lab.steps, 12)
        jobs = [
            Job(kills=(one, two))
            for one in firsts
            for two in (range(1 + one % 12, 75, 12) if DEEP else (1 + one % 7, 12 + one % 23))
        ]
        assert bad(lab.run(jobs)) == []


@pytest.mark.parametrize("kind", ["append", "replace", "delete"])
def test_an_edit_after_the_crash_is_kept(kind: str) -> None:
    with FaultLab("commit") as lab:
        jobs = [Job(kills=(step,), after=((kind, path),)) for step in sampled(lab.steps, 9) for path in SCENARIOS["commit"].paths]
        assert bad(lab.run(jobs)) == []


@pytest.mark.parametrize("kind", ["git-commit", "git-reset"])
@pytest.mark.parametrize("scenario", ["commit", "sync-merge"])
def test_a_person_who_goes_on_with_git_after_the_crash_loses_nothing(scenario: str, kind: str) -> None:
    """They remove the locks, as git advises, and commit an edit or reset the files."""
    with FaultLab(scenario) as lab:
        jobs = [Job(kills=(step,), after=((kind, "notes/keep.md"),)) for step in sampled(lab.steps, 6)]
        done = lab.run(jobs)
    assert all(outcome.raced for _, outcome in done)
    assert bad(done) == []


@pytest.mark.deep
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_races_and_kills_in_any_mixture_lose_nothing(scenario: str) -> None:
    import secrets

    seed = secrets.randbits(32)
    print(f"seed {seed} of {scenario}")
    with FaultLab(scenario) as lab:
        assert bad(lab.run(random_jobs(lab, scenario, seed, 120))) == []
