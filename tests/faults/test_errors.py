"""A full or read-only disk at any step: a clear error, nothing acknowledged is lost, and the next run works."""

from __future__ import annotations

import pytest

from support.faultlab import FaultLab, bad
from support.faultplans import sampled
from support.faultrun import GROWING, WRITING, Job


def jobs(lab: FaultLab, name: str, every: int, *, stays: bool, retry: bool) -> list[Job]:
    refused = WRITING if name == "EROFS" else GROWING
    steps = [step for step in lab.steps if lab.trace[step - 1][0] in refused]
    return [Job(error=(step, name, stays), retry=retry) for step in sampled(steps, every)]


@pytest.mark.parametrize("retry", [True, False], ids=["the same process", "another process"])
@pytest.mark.parametrize("stays", [True, False], ids=["for good", "once"])
@pytest.mark.parametrize("name", ["ENOSPC", "EROFS"])
def test_a_refused_write_is_an_error_and_the_next_run_works(name: str, stays: bool, retry: bool) -> None:
    with FaultLab("commit") as lab:
        done = lab.run(jobs(lab, name, 4, stays=stays, retry=retry))
    assert sum("OSError" in outcome.failed or "Error" in outcome.failed for _, outcome in done) >= len(done) * 3 // 4
    assert bad(done) == []


@pytest.mark.parametrize("name", ["ENOSPC", "EROFS"])
@pytest.mark.parametrize("scenario", ["capture", "sync-merge", "sync-both", "first", "restore"])
def test_a_refused_write_in_other_operations_is_survived(scenario: str, name: str) -> None:
    with FaultLab(scenario) as lab:
        assert bad(lab.run(jobs(lab, name, 8, stays=True, retry=False))) == []
