"""The suite itself: with any one safeguard of the store switched off in the driver, it must find something wrong."""

from __future__ import annotations

import pytest

from support.faultlab import FaultLab, bad
from support.faultplans import placing, sampled
from support.faultrun import Job


@pytest.mark.parametrize("scenario", ["commit", "sync-merge"])
def test_without_the_journals_replay_a_kill_leaves_half_an_operation(scenario: str) -> None:
    with FaultLab(scenario, without="replay") as lab:
        journal = next(step for step in lab.steps if lab.trace[step - 1] == ("rename", "/.git/memtree/journal"))
        ref = next(step for step in lab.steps if lab.trace[step - 1] == ("rename", "/.git/refs/heads/main"))
        found = bad(lab.run(Job(kills=(step,)) for step in range(journal, ref)))
    assert any("half an operation" in problem for problem in found), found


def test_without_the_compare_and_swap_another_programs_commit_is_lost() -> None:
    with FaultLab("commit", without="compare-and-swap") as lab:
        found = bad(lab.run(Job(races=((step, "commit", "notes/change.md"),)) for step in sampled(lab.steps, 3)))
    assert any("an outside edit's text is lost" in problem for problem in found), found


@pytest.mark.parametrize("scenario", ["commit", "sync-merge"])
def test_without_the_hash_of_displaced_bytes_a_racing_edit_is_lost(scenario: str) -> None:
    with FaultLab(scenario, without="displaced-hash") as lab:
        jobs = [Job(races=((step, kind, path),)) for step, path in placing(lab, scenario) for kind in ("append", "replace")]
        found = bad(lab.run(jobs))
    assert any("an outside edit's text is lost" in problem for problem in found), found


@pytest.mark.parametrize("scenario", ["commit", "sync-merge"])
def test_the_look_for_late_writes_is_a_second_net_below_it(scenario: str) -> None:
    with FaultLab(scenario, without="first displaced-hash") as lab:
        jobs = [Job(races=((step, kind, path),)) for step, path in placing(lab, scenario) for kind in ("append", "replace")]
        assert bad(lab.run(jobs)) == []


@pytest.mark.parametrize("scenario", ["commit", "sync-merge"])
def test_with_everything_switched_on_the_same_runs_find_nothing(scenario: str) -> None:
    with FaultLab(scenario) as lab:
        jobs = [Job(races=((step, kind, path),)) for step, path in placing(lab, scenario) for kind in ("append", "replace")]
        jobs += [Job(kills=(step + 1,)) for step in lab.steps if lab.trace[step - 1][0] in ("exchange", "rename_new")]
        assert bad(lab.run(jobs)) == []
