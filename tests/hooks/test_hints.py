"""The two clocks: quiet time and maximum time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtree.hooks.watching.hints import MOST, NEVER, Hints, Look


def test_nothing_is_due_without_a_hint() -> None:
    hints = Hints(0.5, 5.0)
    assert hints.due == NEVER
    assert hints.empty
    assert hints.take() == Look()


def test_it_is_due_when_it_has_been_quiet() -> None:
    hints = Hints(0.5, 5.0)
    hints.add(["a.md"], 10.0)
    hints.add(["b.md"], 10.3)
    assert hints.due == 10.8
    assert hints.take() == Look(frozenset({"a.md", "b.md"}))
    assert hints.due == NEVER


def test_who_writes_all_the_time_is_not_waited_for_for_ever() -> None:
    hints = Hints(0.5, 5.0)
    for tenth in range(100):
        hints.add(["a.md"], 10 + tenth / 10)
    assert hints.due == 15.0


def test_quiet_time_counts_from_the_change_not_from_the_news_of_it() -> None:
    hints = Hints(0.5, 5.0)
    hints.add(["a.md"], 10.1, changed=10.0)
    assert hints.due == 10.5
    hints.add(["b.md"], 10.2, changed=99.0)  # never later than now
    assert hints.due == 10.7


def test_a_hint_without_paths_is_one() -> None:
    hints = Hints(0.5, 5.0)
    hints.add((), 1.0)
    assert hints.due == 1.5
    assert not hints.empty
    assert hints.take() == Look()


def test_of_very_many_paths_only_that_is_remembered() -> None:
    hints = Hints(0.5, 5.0)
    hints.add((f"{number}.md" for number in range(MOST + 1)), 1.0)
    assert hints.waiting == 0
    hints.add(["a.md"], 1.0)
    assert hints.take().everything
    hints.add(["a.md"], 2.0)
    assert hints.take() == Look(frozenset({"a.md"}))


@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0, 2)), min_size=1, max_size=30))
def test_no_hint_waits_longer_than_the_maximum_and_each_is_looked_at(gaps: list[tuple[float, float]]) -> None:
    hints, now, first, told, looked = Hints(0.5, 2.0), 100.0, None, set(), set()
    for number, (gap, age) in enumerate(gaps):
        if hints.due <= now + gap:
            looked |= hints.take().paths
            first = None
        now += gap
        changed = now - age
        first = changed if first is None else min(first, changed)
        hints.add([str(number)], now, changed=changed)
        told.add(str(number))
        assert hints.due <= first + 2.0
        assert hints.due <= now + 0.5
    assert looked | hints.take().paths == told


def test_two_looks_as_one_look_at_all_that_either_does() -> None:
    one, other = Look(frozenset({"a.md"})), Look(frozenset({"b.md"}))
    assert one.beside(other) == Look(frozenset({"a.md", "b.md"}))
    assert one.beside(Look()) == one
    assert one.beside(Look(everything=True)).everything
    assert one.beside(Look(frozenset(f"{number}.md" for number in range(MOST)))) == Look(everything=True)
