"""Outside edits that race with an operation, at any step: no text of theirs is lost, none is overwritten unseen."""

from __future__ import annotations

import pytest

from support.faultlab import FaultLab, bad
from support.faultplans import DEEP, EDITS, placing, sampled
from support.faultrun import Job
from support.faultscenarios import SCENARIOS

WRITING = ("commit", "sync-merge", "sync-both", "restore")


@pytest.mark.parametrize("scenario", ["commit", "capture", "sync-merge"])
def test_an_edit_at_any_step_is_kept(scenario: str) -> None:
    with FaultLab(scenario) as lab:
        paths = SCENARIOS[scenario].paths
        jobs = [
            Job(races=((step, kind, paths[(step + number) % len(paths)]),))
            for step in sampled(lab.steps, 7)
            for number, kind in enumerate(EDITS[:4])
        ]
        done = lab.run(jobs)
    assert sum(outcome.raced for _, outcome in done) >= len(done) // 2
    assert bad(done) == []


@pytest.mark.parametrize("scenario", WRITING)
def test_an_edit_at_the_very_moment_its_file_is_moved_is_kept(scenario: str) -> None:
    with FaultLab(scenario) as lab:
        moments = list(placing(lab, scenario))
        assert moments
        assert bad(lab.run(Job(races=((step, kind, path),)) for step, path in moments for kind in EDITS)) == []


@pytest.mark.parametrize("scenario", ["commit", "sync-merge"])
def test_two_edits_around_the_moment_a_file_is_moved_are_kept(scenario: str) -> None:
    """The second one is made on what the first one's displacement left there."""
    with FaultLab(scenario) as lab:
        jobs = [
            Job(races=((step, first, path), (step + 1, second, path)))
            for step, path in placing(lab, scenario)
            for first in EDITS
            for second in EDITS[: 4 if first == "folder" else 5]
        ]
        assert bad(lab.run(jobs[:: 1 if DEEP else 2])) == []


@pytest.mark.parametrize("scenario", ["commit", "sync-merge"])
def test_an_edit_and_a_kill_and_another_edit_are_kept(scenario: str) -> None:
    with FaultLab(scenario) as lab:
        jobs = [
            Job(races=((step, first, path),), kills=(step + 1,), after=((second, path),))
            for step, path in placing(lab, scenario)
            for first in EDITS
            for second in EDITS[:4]
        ]
        assert bad(lab.run(jobs[:: 1 if DEEP else 2])) == []


def test_without_an_exchange_call_an_edit_in_place_is_kept() -> None:
    """An edit by rename has a window of one rename there; doctor says so."""
    with FaultLab("commit", without="exchange") as lab:
        jobs = [Job(races=((step, "append", path),)) for step, path in placing(lab, "commit")]
        jobs += [
            Job(races=((step, "append", path),), kills=(step + later,))
            for step, path in placing(lab, "commit")
            for later in (1, 2, 3)
        ]
        assert bad(lab.run(jobs)) == []


@pytest.mark.parametrize("kind", ["commit", "commit-same"])
@pytest.mark.parametrize("scenario", ["commit", "capture", "sync-merge"])
def test_another_programs_commit_at_any_step_stays_in_history(scenario: str, kind: str) -> None:
    with FaultLab(scenario) as lab:
        done = lab.run(Job(races=((step, kind, "notes/change.md"),)) for step in sampled(lab.steps, 6))
    assert sum(outcome.raced for _, outcome in done) >= len(done) // 2
    assert bad(done) == []
