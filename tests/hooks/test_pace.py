"""When a sync is due: after commits, by the interval, after failures and alarms; over hours of a clock that is only counted."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from memtree.hooks.daemon.pace import NEVER, Pacing, Rhythm, due, next_due

RHYTHM = Rhythm(delay=5.0, interval=300.0)


def idle(rhythm: Rhythm = RHYTHM, now: float = 0.0) -> Pacing:
    """A remote that has just been synced with, and rested."""
    return Pacing.begun(rhythm, now - 10).started().succeeded(now - 10, 0.5)


def test_the_first_sync_follows_soon() -> None:
    assert Pacing.begun(RHYTHM, 100.0).due == 105.0


def test_a_sync_follows_the_last_of_several_commits() -> None:
    pacing = idle()
    for now in (0.0, 2.0, 6.0):
        pacing = pacing.committed(now)
    assert pacing.due == 11.0


def test_who_commits_all_the_time_is_synced_all_the_same() -> None:
    pacing = idle()
    for now in range(100):
        pacing = pacing.committed(float(now))
    assert pacing.due == 30.0


def test_the_interval_varies_by_a_tenth() -> None:
    assert [round(idle().started().succeeded(0.0, chance).due) for chance in (0.0, 0.5, 1.0)] == [270, 300, 330]


def test_what_needs_time_is_tried_again_later_and_later() -> None:
    pacing, pauses = idle(), []
    for _ in range(12):
        pacing = pacing.started().failed(0.0, 0.5)
        pauses.append(pacing.due)
    assert pauses == [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900, 900]
    assert pacing.started().succeeded(0.0, 0.5).started().failed(0.0, 0.5).due == 5


def test_no_commit_hastens_a_remote_that_cannot_be_reached() -> None:
    pacing = idle()
    for _ in range(5):
        pacing = pacing.started().failed(0.0, 0.5)
    assert pacing.committed(1.0).due == 80


def test_an_alarm_is_not_tried_again_until_the_interval_is_over() -> None:
    pacing = idle().started().alarmed(0.0, 0.5)
    assert pacing.due == 300


def test_a_commit_after_an_alarm_is_tried_each_time_later() -> None:
    pacing, pauses = idle(), []
    for _ in range(5):
        pacing = pacing.started().alarmed(0.0, 0.5)
        pauses.append(pacing.committed(0.0).due)
    assert pauses == [60, 120, 240, 300, 300]


def test_who_asks_is_heard_whatever_failed() -> None:
    pacing = idle()
    for _ in range(9):
        pacing = pacing.started().failed(0.0, 0.5)
    assert pacing.demanded().due == 1.0  # a rest between two syncs, no more
    assert idle().demanded().due < 0


def test_nothing_is_due_while_a_sync_runs_and_what_comes_meanwhile_is_not_forgotten() -> None:
    running = idle().started()
    assert running.due == NEVER
    assert running.committed(1.0).demanded().due == NEVER
    assert running.committed(1.0).succeeded(2.0, 0.5).due == 6.0
    assert running.demanded().failed(2.0, 0.5).due == 3.0


def test_a_sync_of_somebody_else_is_waited_for() -> None:
    for due_by in (idle().committed(0.0), Pacing.begun(RHYTHM, 0.0)):
        pacing = due_by.started().put_off(10.0, 2.0)
        assert (pacing.due, pacing.failures, pacing.alarms) == (12.0, 0, 0)


def test_nothing_happens_by_itself_where_that_is_switched_off() -> None:
    pacing = Pacing.begun(Rhythm(automatic=False), 0.0)
    assert pacing.committed(0.0).due == NEVER
    assert pacing.demanded().due < 0
    for ended in (pacing.started().succeeded(9.0, 0.5), pacing.started().failed(9.0, 0.5), pacing.started().alarmed(9.0, 0.5)):
        assert ended.due == NEVER


def test_remotes_are_synced_together_unless_one_is_away() -> None:
    away = idle().started().failed(0.0, 0.5)
    pacings = {"b": idle().committed(0.0), "a": idle(), "away": away}
    assert due(pacings, 4.9) == ()
    assert due({**pacings, "away": away.started().failed(0.0, 0.5)}, 5.0) == ("a", "b")
    assert due(pacings, 6.0) == ("a", "away", "b")
    assert next_due(pacings) == 5.0
    assert next_due({}) == NEVER


def test_after_hours_of_sleep_there_is_one_sync() -> None:
    pacing = idle().committed(0.0)
    now = 8 * 3600.0
    assert pacing.due <= now
    assert pacing.started().succeeded(now + 1, 0.5).due == now + 301


# -- hours, simulated


@dataclass
class Life:
    """What a thread does with a pacing: sleeps until it is due, syncs, which takes a while and ends somehow."""

    pacing: Pacing
    now: float = 0.0
    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    def until(self, moment: float, ending: str, lasts: float, chance: float) -> None:
        """Live until a moment; every sync that starts ends in the same way."""
        while self.pacing.due <= moment:
            self.now = max(self.now, self.pacing.due)
            self.starts.append(self.now)
            running = self.pacing.started()
            assert running.due == NEVER
            self.now += lasts
            self.ends.append(self.now)
            done = running.put_off(self.now, 2.0) if ending == "put off" else getattr(running, ending)(self.now, chance)
            assert done.due > self.now  # never at once again
            self.pacing = done
        self.now = max(self.now, moment)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("commit", "ask", "nothing")),
        st.floats(0.0, 4_000.0),
        st.sampled_from(("succeeded", "failed", "alarmed", "put off")),
        st.floats(0.0, 100.0),
        st.floats(0.0, 1.0),
    ),
    max_size=30,
)
RHYTHMS = st.builds(Rhythm, delay=st.floats(0.0, 3_600.0), interval=st.floats(10.0, 86_400.0))


@given(RHYTHMS, STEPS)
def test_whatever_happens_syncs_are_apart_and_every_commit_is_followed_by_one(
    rhythm: Rhythm, steps: list[tuple[str, float, str, float, float]]
) -> None:
    life = Life(Pacing.begun(rhythm, 0.0))
    commits = []
    for what, pause, ending, lasts, chance in steps:
        life.until(life.now + pause, ending, lasts, chance)
        if what == "commit":
            life.pacing = life.pacing.committed(life.now)
            commits.append(life.now)
        elif what == "ask":
            life.pacing = life.pacing.demanded()
        assert life.pacing.due < NEVER
    # From now on everything goes well: what waits at most is a pause after failures, or the interval.
    longest = max(1.25 * rhythm.longest_pause, 1.1 * rhythm.interval, 6 * rhythm.delay) + 2
    life.until(life.now + longest, "succeeded", 0.0, 0.5)
    assert all(later - end >= rhythm.rest - 1e-6 for end, later in zip(life.ends, life.starts[1:], strict=False))
    assert all(any(start >= commit for start in life.starts) for commit in commits)


@given(st.floats(0.0, 1.0), st.sampled_from(("failed", "alarmed")), st.floats(0.0, 60.0))
def test_a_day_without_the_remote_takes_few_tries_however_much_is_committed(chance: float, ending: str, each: float) -> None:
    life = Life(idle(), now=0.0)
    for _ in range(300):
        life.pacing = life.pacing.committed(life.now)
        life.until(life.now + 1.0 + each, ending, 0.1, chance)
    hours = life.now / 3600
    assert len(life.starts) <= 12 + hours * (14 if ending == "alarmed" else 6)
