"""Reconciling: what becomes of statements, given the facts that there are. No file and no clock: values in, values out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.facts.candidate import Candidate, Decision, Outcome
from memtree.engine.facts.reconciling import Plan, Question, reconcile
from memtree.engine.facts.settling import settled
from memtree.engine.facts.verdicts import Verdict
from memtree.engine.facts.view import FactView
from memtree.tree.fact import FactKind, FactSource, ReadFact, State, Temporal, began, quote_hash
from memtree.tree.fact_slots import place_of
from memtree.tree.forgetting import WHOLE
from memtree.tree.paths import RepoPath

DAY = 86_400_000
T0 = 1_767_225_600_000  # 2026-01-01


def said(text: str, seq: int = 1, day: float = 0, session: str = "s", **more: object) -> Candidate:
    """A statement of the user, told in a turn on the n-th day of 2026."""
    source = FactSource(session, seq, quote_hash(text))
    return replace(Candidate(text, sources=(source,), observed=T0 + int(day * DAY)), **more)  # type: ignore[arg-type]


def plan(view: FactView, *candidates: Candidate, **more: object) -> Plan:
    return reconcile(view, candidates, now_ms=T0 + 300 * DAY, **more)  # type: ignore[arg-type]


def told(view: FactView, *candidates: Candidate, **more: object) -> FactView:
    """The facts when these were told, one batch after another. Told again, nothing changes."""
    made = plan(view, *candidates, **more)
    after = view.with_changes(made.files)
    again = plan(after, *candidates, **more)
    assert again.files == {}
    assert {one.outcome for one in again.decisions} <= {Outcome.NOOP}
    return after


def outcomes(made: Plan) -> list[Outcome]:
    return [one.outcome for one in made.decisions]


def active(view: FactView) -> list[str]:
    return sorted(one.fact.text for one in view.active())


def the(view: FactView, text: str) -> ReadFact:
    return next(one for one in view.facts if one.fact.text == text)


EMPTY = FactView()


# -- what is the same
@pytest.mark.parametrize(
    "again", ["I live in Berlin", "I live in Berlin.", "i live in berlin!", "The user lives in Berlin.", "User lives in Berlin"]
)
def test_what_says_the_same_is_known_and_rests_on_both_turns(again: str) -> None:
    view = told(EMPTY, said("I live in Berlin"))
    made = plan(view, said(again, 9, 3))
    assert outcomes(made) == [Outcome.NOOP]
    after = view.with_changes(made.files)
    assert [(source.seq) for one in after.facts for source in one.fact.sources] == [1, 9]
    assert after.facts[0].fact.text == "I live in Berlin"


def test_adding_one_statement_twice_leaves_it_there_once_and_whole() -> None:
    view = told(
        EMPTY, said("I am allergic to penicillin"), said("I am allergic to penicillin", 2), said("I am allergic to penicillin", 3)
    )
    assert active(view) == ["I am allergic to penicillin"]
    assert len(view.all) == 1


def test_a_batch_on_an_empty_memory_has_no_duplicates_and_asks_nobody() -> None:
    judge = Scripted()
    made = plan(EMPTY, said("I play the cello"), said("I play the cello.", 2), said("I run a bakery", 3), judge=judge)
    assert outcomes(made) == [Outcome.ADD, Outcome.NOOP, Outcome.ADD]
    assert judge.asked == []


def test_nothing_told_is_nothing_done() -> None:
    judge = Scripted()
    assert plan(told(EMPTY, said("I play the cello")), judge=judge) == Plan()
    assert judge.asked == []


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("I have worked as a nurse for 5 years", "I have worked as a nurse for 6 years"),
        ("My dentist appointment is on 2026-03-01", "My dentist appointment is on 2026-03-08"),
        ("I eat meat", "I do not eat meat"),
        ("I take 20 mg of lisinopril", "I take 40 mg of lisinopril"),
        ("I work at most 30 hours a week", "I work at least 30 hours a week"),
        ("我吃肉", "我不吃肉"),
    ],
)
def test_numbers_dates_denials_and_limits_are_never_duplicates(one: str, two: str) -> None:
    view = told(EMPTY, said(one))
    made = plan(view, said(two, 2, 1))
    assert outcomes(made) != [Outcome.NOOP]
    assert two in active(view.with_changes(made.files))


def test_the_same_words_of_another_day_are_another_fact() -> None:
    def dinner(seq: int, day: int, on: str) -> Candidate:
        found = Temporal("relative", "message", "day", on, on, on)
        return said("Dinner with Ana tomorrow", seq, day, temporal=found, valid_at=on)

    view = told(EMPTY, dinner(1, 0, "2026-01-02"))
    view = told(view, dinner(2, 20, "2026-01-22"))
    assert [one.fact.valid_at for one in view.active()] == ["2026-01-02", "2026-01-22"] or len(view.active()) == 2
    assert len(told(view, dinner(3, 20, "2026-01-22")).active()) == 2


def test_a_fact_told_very_often_rests_on_six_turns_and_comes_to_rest() -> None:
    view = EMPTY
    statements = [said("I play the cello", seq, seq) for seq in range(1, 15)]
    for one in statements:
        view = told(view, one)
    fact = view.facts[0].fact
    assert len(fact.sources) == 6
    assert [source.seq for source in fact.sources][:3] == [1, 2, 3]
    for one in statements:
        assert plan(view, one).files == {}
    for number in range(20):
        view = told(view, said("I play the cello", 3, 50, session=f"t{number}"))
    assert len(view.facts[0].fact.sources) == 6


# -- what says more
def test_what_says_more_takes_the_text_and_keeps_the_id() -> None:
    view = told(EMPTY, said("I live in Berlin"))
    made = plan(view, said("I live in Berlin with my sister", 2, 1, generator="gpt-4o"))
    assert outcomes(made) == [Outcome.UPDATE]
    after = view.with_changes(made.files)
    assert active(after) == ["I live in Berlin with my sister"]
    assert after.facts[0].fact.id == view.facts[0].fact.id
    assert after.facts[0].fact.generator == "gpt-4o"
    assert len(after.facts[0].fact.sources) == 2
    assert told(after, said("I live in Berlin", 3, 2)).facts[0].fact.text == "I live in Berlin with my sister"


def test_a_long_fact_loses_nothing_to_a_short_one() -> None:
    long = "I keep bees in three hives behind the house, " + ", ".join(f"hive {n} facing the {n}. linden" for n in range(20))
    view = told(EMPTY, said(long))
    assert long in active(told(view, said("I keep bees", 2, 1)))


def test_two_statements_that_touch_one_fact_are_taken_one_after_the_other() -> None:
    view = told(EMPTY, said("I live in Berlin"))
    view = told(view, said("I live in Berlin with my sister", 2, 1), said("I moved to Paris", 3, 2))
    assert active(view) == ["I moved to Paris"]
    assert the(view, "I live in Berlin with my sister").fact.state is State.SUPERSEDED


# -- what says otherwise
def test_another_value_closes_the_old_one_and_keeps_it() -> None:
    view = told(EMPTY, said("I live in Berlin"))
    made = plan(view, said("I moved to Lisbon", 2, 40))
    assert outcomes(made) == [Outcome.SUPERSEDE]
    assert len(made.files) == 2
    after = view.with_changes(made.files)
    old, new = the(after, "I live in Berlin").fact, the(after, "I moved to Lisbon").fact
    assert (old.state, old.superseded_by, old.invalid_at) == (State.SUPERSEDED, new.id, "2026-02-10")
    assert old.expired_at == new.created_at == "2026-02-10T00:00:00.000Z"
    assert old.reason
    assert (new.state, new.supersedes, new.valid_at) == (State.ACTIVE, old.id, "")
    assert [source.seq for source in old.sources] == [1]


def test_a_change_of_heart_is_one_step_and_nothing_is_lost() -> None:
    view = told(told(EMPTY, said("I love coffee")), said("I hate coffee", 2, 1))
    assert active(view) == ["I hate coffee"]
    old = the(view, "I love coffee").fact
    assert (old.state, old.superseded_by) == (State.SUPERSEDED, the(view, "I hate coffee").fact.id)


def test_two_names_do_not_both_stand() -> None:
    view = told(told(EMPTY, said("My name is Mira")), said("My name is Nora", 2, 1))
    assert active(view) == ["My name is Nora"]


def test_a_correction_says_something_else_than_what_it_corrects() -> None:
    view = told(told(EMPTY, said("The staging database runs on port 5432")), said("The staging database runs on port 5433", 2, 1))
    assert active(view) == ["The staging database runs on port 5433"]


def test_back_to_what_was_before_is_a_fact_of_its_own() -> None:
    view = told(told(told(EMPTY, said("I live in Berlin")), said("I moved to Lisbon", 2, 10)), said("I live in Berlin", 3, 20))
    assert active(view) == ["I live in Berlin"]
    assert sorted(one.fact.state for one in view.facts) == [State.ACTIVE, State.SUPERSEDED, State.SUPERSEDED]


def test_only_one_subject_under_one_slot_is_closed() -> None:
    view = told(EMPTY, said("My sister lives in Berlin"), said("I like tea", 2), said("I live in Rome", 3))
    after = told(view, said("I moved to Lisbon", 4, 1), said("I like coffee", 5, 1))
    assert active(after) == ["I like coffee", "I like tea", "I moved to Lisbon", "My sister lives in Berlin"]


def test_what_ended_before_the_other_began_is_not_against_it() -> None:
    view = told(EMPTY, said("I work at Acme until June", valid_at="2020", invalid_at="2026-06-01", slot="work.employer"))
    after = told(view, said("I work at Globex from July", 2, 1, valid_at="2026-07-01", slot="work.employer"))
    assert len(after.active()) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I live in Germany", "I live in Berlin"),
        ("I live in Berlin", "我住在柏林"),
    ],
)
def test_what_may_both_be_so_in_a_slot_of_one_value_stays_so(first: str, second: str) -> None:
    view = told(told(EMPTY, said(first)), said(second, 2, 1))
    assert active(view) == sorted([first, second])
    assert settled(view) == {}
    assert active(told(view, said("I moved to Lisbon", 3, 2))) == ["I moved to Lisbon"]


def test_what_a_person_puts_into_a_slot_of_one_value_takes_its_place() -> None:
    view = told(told(EMPTY, said("I live in Berlin")), said("The house by the sea near Porto", 2, 1, slot="environment.home"))
    assert active(view) == ["The house by the sea near Porto"]


@pytest.mark.parametrize(
    "statement",
    [
        "If I moved to Paris, I would learn French",
        "My colleague said he lives in Paris",
        "I might move to Paris next year",
        "I am in Paris this week",
        "I wish I lived in Paris",
        "I used to live in Paris",
        "My sister lives in Paris",
        "Do I live in Paris?",
        "要是我住在巴黎就好了",
    ],
)
def test_what_is_supposed_wished_past_or_of_others_closes_nothing(statement: str) -> None:
    assert "I live in Berlin" in active(told(told(EMPTY, said("I live in Berlin")), said(statement, 2, 1)))


def test_what_was_so_once_is_so_no_longer_whichever_came_in_first() -> None:
    now, once = said("I love coffee"), said("I used to love coffee", 2, 30)
    assert active(told(told(EMPTY, now), once)) == active(told(told(EMPTY, once), now)) == ["I used to love coffee"]
    again = said("I love coffee", 3, 60)
    assert "I love coffee" in active(told(told(EMPTY, once), again))


def test_in_chinese_as_in_english() -> None:
    view = told(EMPTY, said("我住在北京"), said("我喜欢咖啡", 2), said("我叫李雷", 3), said("用户住在北京", 4, 1))
    assert len(view.active()) == 3
    view = told(view, said("我搬到上海了", 5, 2), said("我不喜欢咖啡", 6, 2), said("我叫韩梅梅", 7, 2))
    assert active(view) == sorted(["我搬到上海了", "我不喜欢咖啡", "我叫韩梅梅"])


def test_a_fact_that_says_more_keeps_when_it_was_first_known() -> None:
    view = told(told(EMPTY, said("I live in Berlin")), said("I live in Berlin with my sister", 2, 9))
    fact = view.facts[0].fact
    assert (fact.created_at, fact.told_at) == ("2026-01-01T00:00:00.000Z", "2026-01-10T00:00:00.000Z")


def test_what_a_caller_says_of_tags_leaves_times_and_sources_alone() -> None:
    found = Temporal("relative", "message", "month", "2025-12-01", "2025-12-31", "2025-12")
    one = said("I moved to Lisbon last month", tags=("temporal", "sources"), category="mine", temporal=found, valid_at="2025-12")
    fact = told(EMPTY, one).facts[0].fact
    assert (fact.temporal, fact.valid_at, fact.sources, fact.tags) == (found, "2025-12", one.sources, ("temporal", "sources"))


# -- times
def test_an_older_fact_that_comes_late_is_stored_closed() -> None:
    view = told(EMPTY, said("I moved to Lisbon", 8, 60))
    before = view.facts[0]
    made = plan(view, said("I live in Berlin", 1, 0))
    after = view.with_changes(made.files)
    late = the(after, "I live in Berlin").fact
    assert (late.state, late.superseded_by, late.invalid_at) == (State.SUPERSEDED, before.fact.id, "2026-03-02")
    assert the(after, "I moved to Lisbon") == before
    assert list(made.files) == [late.path()]


def test_the_world_decides_before_the_telling() -> None:
    view = told(EMPTY, said("I moved to Lisbon", 1, 60, valid_at="2026-02-01"))
    after = told(view, said("I moved to Munich", 2, 80, valid_at="2019"))
    assert active(after) == ["I moved to Lisbon"]
    assert the(after, "I moved to Munich").fact.invalid_at == "2026-02-01"


def test_news_of_last_month_is_news() -> None:
    found = Temporal("relative", "message", "month", "2026-02-01", "2026-02-28", "2026-02")
    view = told(EMPTY, said("I live in Berlin", 1, 60))
    view = told(view, said("I moved to Lisbon last month", 2, 67, valid_at="2026-02", temporal=found))
    assert active(view) == ["I moved to Lisbon last month"]
    old = the(view, "I live in Berlin").fact
    assert old.invalid_at == "2026-02"


def test_since_then_until_now() -> None:
    view = told(EMPTY, said("I live in Paris", 1, 10))
    view = told(view, said("I have lived in Berlin since 2019", 2, 20, valid_at="2019"))
    assert active(view) == ["I have lived in Berlin since 2019"]


def test_of_equal_times_the_one_told_later_is_the_newer_one() -> None:
    view = told(EMPTY, said("I moved to Oslo", 4, 5), said("I moved to Rome", 9, 5))
    assert active(view) == ["I moved to Rome"]
    other = told(told(EMPTY, said("I moved to Rome", 9, 5)), said("I moved to Oslo", 4, 5))
    assert active(other) == ["I moved to Rome"]


def test_what_was_told_again_since_is_not_closed_by_what_was_told_between() -> None:
    view = told(EMPTY, said("I live in Berlin", 1, 0))
    view = told(view, said("I live in Berlin", 9, 30))
    view = told(view, said("I moved to Oslo", 5, 10))
    assert active(view) == ["I live in Berlin"]


LAST_MONTH = Temporal("relative", "message", "month", "2026-02-01", "2026-02-28", "2026-02")
THIS_MONTH = Temporal("relative", "message", "month", "2026-03-01", "2026-03-31", "2026-03")
YESTERDAY = Temporal("relative", "message", "day", "2026-03-08", "2026-03-08", "2026-03-08")


@pytest.mark.parametrize(
    ("first", "second", "stands"),
    [
        (("I moved to Lisbon last month", LAST_MONTH), ("我昨天搬到杭州了", YESTERDAY), "我昨天搬到杭州了"),
        (("我昨天搬到杭州了", YESTERDAY), ("I moved to Lisbon last month", LAST_MONTH), "我昨天搬到杭州了"),
        (("我昨天搬到杭州了", YESTERDAY), ("I moved to Lisbon in March", THIS_MONTH), "我昨天搬到杭州了"),
        (
            ("I moved to Lisbon in March", THIS_MONTH),
            ("I moved to Hangzhou yesterday", YESTERDAY),
            "I moved to Hangzhou yesterday",
        ),
        (("I moved to Lisbon last month", LAST_MONTH), ("I moved to Porto last month", LAST_MONTH), "I moved to Porto last month"),
        (("I live in Berlin", None), ("I moved to Lisbon last month", LAST_MONTH), "I moved to Lisbon last month"),
        (("I moved to Lisbon last month", LAST_MONTH), ("I live in Porto", None), "I live in Porto"),
        (("I live in Berlin", None), ("I moved to Porto", None), "I moved to Porto"),
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_what_one_message_tells_later_or_of_later_stands(
    first: tuple[str, Temporal | None], second: tuple[str, Temporal | None], stands: str, apart: bool
) -> None:
    statements = [said(text, 1, 67, temporal=time, valid_at="" if time is None else time.display) for text, time in (first, second)]
    view = told(told(EMPTY, statements[0]), statements[1]) if apart else told(EMPTY, *statements)
    assert active(view) == [stands]
    assert len(view.facts) == 2


@pytest.mark.parametrize("when", ["2026-02", "2026-03-01", "2026-02-20"])
def test_news_with_its_year_is_news_too(when: str) -> None:
    view = told(EMPTY, said("I live in Berlin", 1, 60))
    found = Temporal("absolute", "text", "month", when, when, when)
    view = told(view, said(f"I moved to Lisbon on {when}", 2, 67, valid_at=when, temporal=found))
    assert active(view) == [f"I moved to Lisbon on {when}"]


# -- several ideas in one fact
@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("I live in Berlin and work at Siemens.", "I moved to Lisbon", ["I moved to Lisbon", "I work at Siemens."]),
        ("I'm 34 and allergic to nuts", "I am 35", ["I am 35", "I'm allergic to nuts"]),
        ("我住在上海，在腾讯工作", "我搬到杭州了", ["我在腾讯工作", "我搬到杭州了"]),
        ("I live in Berlin and work at Siemens.", "I moved to Lisbon and work at Bosch", ["I moved to Lisbon and work at Bosch"]),
    ],
)
@pytest.mark.parametrize("generator", ["extractive", "test-model", "person"])
@pytest.mark.parametrize("late", [False, True])
def test_of_a_fact_of_several_ideas_only_that_is_closed_which_changed(
    old: str, new: str, left: list[str], generator: str, late: bool
) -> None:
    before, after = said(old, 1, 1, slot=place_of(old).slot, generator=generator), said(new, 2, 9)
    view = told(told(EMPTY, after), before) if late else told(told(EMPTY, before), after)
    assert active(view) == sorted(left)
    closed = the(view, old)
    assert (closed.fact.state, closed.edited) == (State.SUPERSEDED, generator == "person")
    for text in {*left} - {new}:
        part = the(view, text)
        assert part.fact.sources == closed.fact.sources
        assert part.fact.supersedes == closed.fact.id
        assert part.fact.created_at == closed.fact.created_at
    assert settled(view) == {}


def test_what_is_taken_back_of_several_ideas_takes_only_itself() -> None:
    view = told(EMPTY, said("I live in Berlin and work at Siemens."))
    after = told(view, said("I no longer live in Berlin", 2, 9, retracts=True))
    assert active(after) == ["I work at Siemens."]
    assert the(after, "I live in Berlin and work at Siemens.").fact.state is State.RETRACTED


def test_two_machines_that_part_one_fact_write_the_same() -> None:
    old = told(EMPTY, said("I live in Berlin and work at Siemens.", generator="person"))
    one, two = told(old, said("I moved to Lisbon", 2, 9, session="x")), told(old, said("I moved to Porto", 2, 11, session="y"))
    both = one.with_changes({each.path: each.fact.render() for each in two.all if each.fact.id not in one.by_id})
    assert len(both.facts) == 4
    after = both.with_changes(settled(both))
    assert active(after) == ["I moved to Porto", "I work at Siemens."]
    apart = old.with_changes({each.path: each.fact.render() for each in told(EMPTY, said("I moved to Porto", 2, 11)).all})
    assert active(apart.with_changes(settled(apart))) == ["I moved to Porto", "I work at Siemens."]


TOWNS = ("Berlin", "Paris", "Oslo", "Rome", "Lisbon", "Prague")


@given(
    st.lists(
        st.tuples(st.sampled_from(TOWNS), st.integers(0, 200), st.booleans()),
        min_size=1,
        max_size=7,
        unique_by=lambda move: move[1],
    ),
    st.randoms(use_true_random=False),
)
def test_in_whatever_order_they_come_in_the_newest_one_stands(moves: list[tuple[str, int, bool]], random: object) -> None:
    statements = []
    for seq, (town, day, dated) in enumerate(moves, 1):
        when = f"2026-{1 + day // 28:02}-{1 + day % 28:02}" if dated else ""
        statements.append(said(f"I moved to {town}", seq, day if not dated else day + 300, valid_at=when))
    shuffled = list(statements)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    view = EMPTY
    for one in shuffled:
        view = told(view, one)
    standing = view.active()
    assert len(standing) == 1

    def newest(one: Candidate) -> tuple[int, int, int]:
        world = began(one.valid_at)
        told_at = one.observed or 0
        return (told_at if world is None else world + DAY - 1_000), told_at, one.sources[0].seq

    assert standing[0].fact.text == max(statements, key=newest).text


@given(st.lists(st.tuples(st.sampled_from(TOWNS), st.integers(0, 200)), min_size=1, max_size=8, unique_by=lambda move: move[1]))
def test_what_two_machines_learned_apart_settles_on_the_newest(moves: list[tuple[str, int]]) -> None:
    views = [EMPTY, EMPTY]
    for seq, (town, day) in enumerate(moves, 1):
        views[seq % 2] = told(views[seq % 2], said(f"I moved to {town}", seq, day, session=f"s{seq % 2}"))
    both = views[0].with_changes({one.path: one.fact.render() for one in views[1].all})
    after = both.with_changes(settled(both))
    assert active(after) == [f"I moved to {max(moves, key=lambda move: move[1])[0]}"]
    assert settled(after) == {}


def test_of_very_many_homes_the_last_one_stands() -> None:
    towns = [
        f"{first}{last}" for first in ("Ober", "Unter", "Neu", "Alt") for last in ("dorf", "berg", "au", "furt", "heim", "stadt")
    ]
    statements = [said(f"I moved to {towns[n % len(towns)]}", 1, n, session=f"s{n}") for n in range(100)]
    at_once, view = told(EMPTY, *statements), EMPTY
    for start in range(0, 100, 30):
        view = told(view, *statements[start : start + 30])
    assert active(at_once) == active(view) == [f"I moved to {towns[99 % len(towns)]}"]
    assert settled(view) == {}


# -- what is taken back
@pytest.mark.parametrize(
    ("fact", "back"),
    [
        ("I live in Berlin", "I no longer live in Berlin"),
        ("I moved to Berlin", "I don't live in Berlin anymore"),
        ("I live in Berlin with my sister", "I no longer live in Berlin"),
        ("我住在北京", "我不再住在北京了"),
    ],
)
def test_what_is_taken_back_is_closed_and_kept(fact: str, back: str) -> None:
    view = told(EMPTY, said(fact), said("I play the cello", 2))
    made = plan(view, said(back, 5, 9, retracts=True))
    assert outcomes(made) == [Outcome.RETRACT]
    after = view.with_changes(made.files)
    gone = the(after, fact).fact
    assert (gone.state, gone.invalid_at, gone.expired_at) == (State.RETRACTED, "2026-01-10", "2026-01-10T00:00:00.000Z")
    assert "turn 5 of session s" in gone.reason
    assert [source.seq for source in gone.sources] == [1]
    assert active(after) == ["I play the cello"]
    assert plan(after, said(back, 5, 9, retracts=True)).files == {}


def test_what_was_never_known_cannot_be_taken_back() -> None:
    view = told(EMPTY, said("I live in Lisbon"))
    made = plan(view, said("I no longer live in Berlin", 2, 1, retracts=True))
    assert outcomes(made) == [Outcome.RETRACT]
    after = told(view, said("I no longer live in Berlin", 2, 1, retracts=True))
    assert active(after) == ["I live in Lisbon"]
    made = plan(view, said("That is not how it was any more", 2, 1, retracts=True))
    assert (outcomes(made), made.files) == ([Outcome.NOOP], {})
    assert made.decisions[0].reason


@pytest.mark.parametrize("late", ["I live in Berlin", "I moved to Berlin", "I live in Berlin with my sister"])
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("before", [False, True])
def test_what_comes_in_after_it_was_taken_back_is_closed(late: str, apart: bool, before: bool) -> None:
    view = told(EMPTY, said("I live in Berlin", 1, 0, session="old")) if before else EMPTY
    view = told(view, said("I no longer live in Berlin", 2, 9, retracts=True))
    if apart:
        other = told(EMPTY, said(late, 5, 3, session="x"))
        view = view.with_changes({one.path: one.fact.render() for one in other.all})
        view = view.with_changes(settled(view))
    else:
        view = told(view, said(late, 5, 3, session="x"))
    assert active(view) == []
    assert settled(view) == {}
    again = told(view, said("I live in Berlin", 7, 30, session="y"))
    assert active(again) == ["I live in Berlin"]
    assert settled(again) == {}


def test_what_was_taken_back_is_not_learned_again_from_its_old_turn() -> None:
    view = told(told(EMPTY, said("I live in Berlin")), said("I no longer live in Berlin", 5, 9, retracts=True))
    assert outcomes(plan(view, said("I live in Berlin"))) == [Outcome.NOOP]
    assert outcomes(plan(view, said("I live in Berlin", 2, 3))) == [Outcome.NOOP]
    after = told(view, said("I live in Berlin", 20, 30))
    assert active(after) == ["I live in Berlin"]
    assert len(after.facts) == 2


def test_an_older_taking_back_does_not_reach_what_was_told_after_it() -> None:
    view = told(EMPTY, said("I live in Berlin", 8, 30))
    assert outcomes(plan(view, said("I no longer live in Berlin", 2, 3, retracts=True))) == [Outcome.NOOP]


def test_what_a_person_deleted_is_not_learned_again_from_its_old_turn() -> None:
    first = plan(EMPTY, said("I live in Berlin"))
    known = frozenset().union(*first.told)
    again = plan(EMPTY, said("I live in Berlin"), known=known)
    assert outcomes(again) == [Outcome.NOOP]
    assert again.files == {}
    assert outcomes(plan(EMPTY, said("I live in Berlin", 7), known=known)) == [Outcome.ADD]
    assert outcomes(plan(EMPTY, said("I live in Berlin"))) == [Outcome.ADD]


def test_what_was_forgotten_is_not_learned_again_from_its_old_turn() -> None:
    first = plan(EMPTY, said("I live in Berlin"))
    view = EMPTY.with_changes(dict.fromkeys(first.files, WHOLE))
    assert view.facts == ()
    assert outcomes(plan(view, said("I live in Berlin"))) == [Outcome.NOOP]


POOL = (
    *("I live in Berlin", "I live in Berlin with my sister", "I moved to Lisbon", "I live in Lisbon near the harbour"),
    *("I like coffee", "I love coffee", "I hate coffee", "I do not like coffee", "I used to love coffee"),
    *("My name is Mira", "I have two kids", "I have three kids", "I no longer live in Berlin", "I no longer live in Lisbon"),
)


@given(st.lists(st.tuples(st.sampled_from(POOL), st.integers(0, 99)), max_size=8, unique_by=lambda one: one[1]), st.booleans())
def test_all_that_was_ever_told_may_be_told_again(found: list[tuple[str, int]], in_time: bool) -> None:
    statements = [said(text, seq, day, retracts=" no longer " in text) for seq, (text, day) in enumerate(found, 1)]
    if in_time:
        statements.sort(key=lambda one: one.observed or 0)
    else:
        statements = [one for one in statements if not one.retracts]
    view = EMPTY
    for one in statements:
        view = told(view, one)
    assert plan(view, *statements).files == {}
    for one in statements:
        assert plan(view, one).files == {}


# -- what a person wrote
def pinned(text: str) -> FactView:
    view = told(EMPTY, said(text))
    fact = replace(view.facts[0].fact, kind=FactKind.PINNED, generator="person", sources=())
    return EMPTY.with_changes({fact.path(): fact.render()})


@pytest.mark.parametrize(
    "statement", ["I moved to Lisbon", "I live in Berlin", "I live in Berlin with my sister", "I do not live in Berlin"]
)
def test_what_is_pinned_is_changed_by_nobody_else(statement: str) -> None:
    view = pinned("I live in Berlin")
    after = told(view, said(statement, 2, 1))
    assert the(after, "I live in Berlin") == view.facts[0]


def test_what_a_pinned_fact_contradicts_is_added_and_says_so() -> None:
    view = pinned("I live in Berlin")
    made = plan(view, said("I moved to Lisbon", 2, 1))
    assert outcomes(made) == [Outcome.ADD]
    assert the(view.with_changes(made.files), "I moved to Lisbon").fact.reason == "a pinned fact says otherwise"
    assert made.decisions[0].reason == "a pinned fact says otherwise"
    assert outcomes(plan(view, said("I no longer live in Berlin", 3, 1, retracts=True))) == [Outcome.NOOP]


def test_a_text_that_a_person_edited_stays_and_stays_theirs() -> None:
    view = told(EMPTY, said("I live in Berlin"))
    path, data = view.facts[0].path, view.facts[0].fact.render()
    view = view.with_changes({path: data.replace(b"I live in Berlin", b"I live in Potsdam")})
    assert view.facts[0].edited
    assert outcomes(plan(view, said("I live in Berlin"))) == [Outcome.NOOP]
    more = view.with_changes(plan(view, said("I live in Potsdam with my sister", 2, 1)).files)
    assert active(more) == ["I live in Potsdam", "I live in Potsdam with my sister"]
    moved = told(view, said("I moved to Lisbon", 3, 2))
    old = the(moved, "I live in Potsdam")
    assert old.edited
    assert old.fact.state is State.SUPERSEDED
    united = told(view, said("I live in Potsdam", 4, 2))
    assert united.facts[0].edited
    assert len(united.facts[0].fact.sources) == 2


# -- ids and bytes
def test_two_facts_of_one_turn_under_one_slot_have_ids_of_their_own() -> None:
    statements = said("I like tea", slot="preference.drink"), said("I like cocoa", slot="preference.drink")
    view = told(EMPTY, *statements)
    assert active(view) == ["I like cocoa", "I like tea"]
    assert plan(EMPTY, *statements).files == plan(EMPTY, *statements).files


def test_the_clock_of_the_machine_leaves_no_mark() -> None:
    statements = (
        said("I live in Berlin"),
        said("I moved to Lisbon", 2, 40),
        said("I no longer live in Lisbon", 3, 50, retracts=True),
    )
    one = reconcile(EMPTY, statements, now_ms=T0)
    two = reconcile(EMPTY, statements, now_ms=T0 + 9 * DAY)
    assert one.files == two.files


def test_statements_are_taken_in_the_order_in_which_they_were_said() -> None:
    made = plan(EMPTY, said("I moved to Lisbon", 2, 40), said("I live in Berlin", 1, 0))
    assert outcomes(made) == [Outcome.SUPERSEDE, Outcome.ADD]
    assert active(EMPTY.with_changes(made.files)) == ["I moved to Lisbon"]


def test_very_many_statements_are_all_kept() -> None:
    made = plan(EMPTY, *(said(f"My plant number {n} is a fern from shelf {n}", n) for n in range(1, 121)))
    assert len(made.files) == 120


# -- a judge
class Scripted:
    """A judge that says what it was told to, of each candidate by its text."""

    def __init__(self, **says: Verdict) -> None:
        self._says = says
        self.asked: list[Question] = []

    def judge(self, questions: Sequence[Question]) -> list[Verdict | None]:
        self.asked += questions
        return [next(iter(self._says.values()), None) for _ in questions]


def judged(view: FactView, statement: str, verdict: Verdict) -> tuple[Decision, Plan, FactView]:
    made = plan(view, said(statement, 50, 50), judge=Scripted(it=verdict))
    return made.decisions[0], made, view.with_changes(made.files)


TEA = told(EMPTY, said("I drink green tea in the morning", slot="habit.tea"))
TEA_ID = TEA.facts[0].fact.id


def test_a_judge_is_asked_once_and_only_of_what_rules_leave_open() -> None:
    judge = Scripted()
    view = told(TEA, said("I live in Berlin", 2))
    plan(view, said("I moved to Rome", 3, 1), said("Green tea keeps me awake", 4, 1), said("I play chess", 5, 1), judge=judge)
    assert [one.candidate.text for one in judge.asked] == ["Green tea keeps me awake"]


@pytest.mark.parametrize("outcome", [Outcome.NOOP, Outcome.UPDATE, Outcome.SUPERSEDE, Outcome.RETRACT])
def test_an_unknown_id_adds_the_fact_and_is_noted(outcome: Outcome) -> None:
    decision, made, after = judged(TEA, "Green tea keeps me awake", Verdict(outcome, "0" * 32))
    assert decision.outcome is Outcome.ADD
    assert made.notes
    assert len(after.active()) == 2


@pytest.mark.parametrize("outcome", [Outcome.SUPERSEDE, Outcome.UPDATE, Outcome.RETRACT])
def test_no_judge_closes_what_is_of_another_slot(outcome: Outcome) -> None:
    decision, made, after = judged(TEA, "Green tea keeps me awake", Verdict(outcome, TEA_ID, "I drink green tea"))
    assert decision.outcome is Outcome.ADD
    assert made.notes
    assert the(after, "I drink green tea in the morning") == TEA.facts[0]


def in_tea(text: str) -> Candidate:
    return said(text, 50, 50, slot="habit.tea")


def test_a_judge_finds_a_duplicate_that_words_do_not_show() -> None:
    made = plan(TEA, in_tea("My morning starts with green tea"), judge=Scripted(it=Verdict(Outcome.NOOP, TEA_ID, by="m")))
    assert outcomes(made) == [Outcome.NOOP]
    assert made.decisions[0].by == "m"
    assert len(TEA.with_changes(made.files).facts[0].fact.sources) == 2


def test_no_judge_makes_a_number_or_a_denial_a_duplicate() -> None:
    for text in ("I drink 3 cups of green tea in the morning hours", "Green tea in the morning I do not drink at all now"):
        made = plan(TEA, in_tea(text), judge=Scripted(it=Verdict(Outcome.NOOP, TEA_ID)))
        assert text in active(TEA.with_changes(made.files))


def test_an_update_takes_a_text_that_is_made_of_both() -> None:
    verdict = Verdict(Outcome.UPDATE, TEA_ID, "I drink green tea from Kyoto in the morning", by="m")
    made = plan(TEA, in_tea("The green tea is from Kyoto"), judge=Scripted(it=verdict))
    assert outcomes(made) == [Outcome.UPDATE]
    after = TEA.with_changes(made.files)
    assert active(after) == ["I drink green tea from Kyoto in the morning"]
    assert after.facts[0].fact.generator == "m"


@pytest.mark.parametrize(
    "text",
    [
        "I drink green tea from Kyoto in the morning and smoke cigars",  # invented
        "The green tea is from Kyoto",  # the old one would be lost
        "Ich trinke morgens grünen Tee aus Kyoto",  # translated
        "I do not drink green tea from Kyoto in the morning",  # turned round
        "",
    ],
)
def test_an_update_never_loses_or_invents_anything(text: str) -> None:
    made = plan(TEA, in_tea("The green tea is from Kyoto"), judge=Scripted(it=Verdict(Outcome.UPDATE, TEA_ID, text)))
    assert active(TEA.with_changes(made.files)) == ["I drink green tea in the morning", "The green tea is from Kyoto"]


def test_an_update_with_the_old_text_of_what_disagrees_closes_the_old_one() -> None:
    old = "I drink green tea in the morning"
    made = plan(
        TEA, in_tea("Mornings are for 2 cups of black coffee, not tea"), judge=Scripted(it=Verdict(Outcome.UPDATE, TEA_ID, old))
    )
    after = TEA.with_changes(made.files)
    assert "Mornings are for 2 cups of black coffee, not tea" in active(after)
    assert the(after, old).fact.state is State.SUPERSEDED


def test_unrelated_facts_are_not_made_one() -> None:
    made = plan(
        TEA,
        in_tea("My bike is red"),
        judge=Scripted(it=Verdict(Outcome.UPDATE, TEA_ID, "I drink green tea in the morning; my bike is red")),
    )
    assert len(TEA.with_changes(made.files).active()) == 2


def test_a_judge_that_supersedes_keeps_what_it_closes() -> None:
    made = plan(
        TEA,
        in_tea("Mornings are for black coffee instead of green tea"),
        judge=Scripted(it=Verdict(Outcome.SUPERSEDE, TEA_ID, by="m")),
    )
    assert outcomes(made) == [Outcome.SUPERSEDE]
    after = TEA.with_changes(made.files)
    old = the(after, "I drink green tea in the morning").fact
    assert (old.state, old.superseded_by) == (State.SUPERSEDED, made.decisions[0].fact)


class Broken:
    def judge(self, questions: Sequence[Question]) -> list[Verdict | None]:
        raise OSError(f"{len(questions)} questions and no model")


def test_what_keeps_a_judge_from_judging_is_raised() -> None:
    with pytest.raises(OSError, match="no model"):
        plan(TEA, said("Green tea keeps me awake", 4, 1), judge=Broken())


def test_a_view_with_changes_is_the_view_of_those_files() -> None:
    made = plan(EMPTY, said("I live in Berlin"))
    (path,) = made.files
    view = EMPTY.with_changes(made.files)
    assert view.with_changes({path: None}).facts == ()
    assert view.with_changes({RepoPath("notes/a.md"): b"x\n"}).facts == view.facts
    assert view.with_changes({}) is view
