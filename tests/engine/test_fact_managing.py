"""Facts by hand: what people list, look at, write down, take back, and ask the reasons of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memtree.engine.facts.candidate import Candidate, Outcome
from memtree.engine.facts.managing import UnknownFact, add_fact, is_current, list_facts, retract_fact, show_fact
from memtree.engine.facts.reconciling import reconcile
from memtree.engine.facts.telling import fact_history, why
from memtree.engine.facts.view import FactView
from memtree.engine.facts.writing import FactReport, commit_plan
from memtree.tree.errors import UserError
from memtree.tree.fact import FactKind, FactSource, InvalidFact, State, quote_hash
from support.conversations import PLAIN, lonely, record
from support.conversations import said as turns
from support.machines import Machine, Machines

DAY = 86_400_000
T0 = 1_767_225_600_000
TOKEN = "ghp_" + "a1B2" * 9
UTC = PLAIN.replace(b"[facts]\n", b'[facts]\ntimezone = "UTC"\n')


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    machines.clock.now = (T0 + 100 * DAY) / 1000
    yield lonely(machines, UTC)
    machines.close()


def said(text: str, seq: int = 1, day: float = 0, **more: object) -> Candidate:
    return replace(
        Candidate(text, sources=(FactSource("s", seq, quote_hash(text)),), observed=T0 + int(day * DAY)),
        **more,  # type: ignore[arg-type]
    )


def learn(machine: Machine, *candidates: Candidate) -> FactReport:
    return commit_plan(machine.workspace, lambda view, known: reconcile(view, candidates, now_ms=T0, known=known))


def texts(machine: Machine, **filters: object) -> list[str]:
    return sorted(each.fact.text for each in list_facts(machine.workspace, **filters))  # type: ignore[arg-type]


def the(machine: Machine, text: str) -> str:
    return next(each.fact.id for each in FactView.look(machine.workspace).facts if each.fact.text == text)


# -- writing down
def test_whom_and_what_is_named_as_it_is_learned(one: Machine) -> None:
    added = add_fact(one.workspace, "Tom is allergic to cats", subject="Tom", slot="Health.allergy!")
    assert added.fact is not None
    assert (added.fact.fact.subject, added.fact.fact.slot) == ("tom", "health.allergy")


def test_what_is_pinned_is_a_persons_and_stays(one: Machine) -> None:
    added = add_fact(
        one.workspace, "Deploys  happen\non Tuesdays only.", pin=True, tags=("Deploy", "deploy", "x y", "z"), source="cli"
    )
    assert added.fact is not None
    fact = added.fact.fact
    assert (fact.kind, fact.generator, fact.confidence) == (FactKind.PINNED, "person", 1.0)
    assert fact.sources == ()
    assert fact.text == "Deploys  happen\non Tuesdays only."
    assert len(fact.tags) == 3
    assert fact.slot
    assert added.commit.changed
    again = add_fact(one.workspace, "Deploys happen on Mondays only.", pin=True)
    assert again.fact is not None
    assert again.fact.fact.id > fact.id or again.fact.fact.id[:12] == fact.id[:12]
    message = one.git("log", "-1", "--format=%B")
    assert "Memtree-Writer: cli" in message
    assert "Monday" not in message
    learn(one, said("Deploys happen on Fridays only.", 1, 200))
    assert "Deploys  happen\non Tuesdays only." in texts(one)
    one.assert_sound()


def test_what_is_added_is_reconciled_by_rules(one: Machine) -> None:
    learn(one, said("I live in Berlin"))
    same = add_fact(one.workspace, "I live in Berlin.")
    assert same.decision is not None
    assert (same.decision.outcome, same.commit.changed) == (Outcome.NOOP, False)
    moved = add_fact(one.workspace, "I moved to Lisbon")
    assert moved.decision is not None
    assert moved.decision.outcome is Outcome.SUPERSEDE
    assert texts(one) == ["I moved to Lisbon"]
    gone = add_fact(one.workspace, "I no longer live in Lisbon")
    assert gone.decision is not None
    assert gone.decision.outcome is Outcome.RETRACT
    assert texts(one) == []


def test_several_ideas_added_at_once_are_facts_of_their_own(one: Machine) -> None:
    added = add_fact(one.workspace, "I live in Berlin and work at Siemens.")
    assert added.fact is not None
    assert added.fact.fact.text == "I live in Berlin."
    assert any("2 things" in note for note in added.notes)
    add_fact(one.workspace, "I joined Bosch")
    assert texts(one) == ["I joined Bosch", "I live in Berlin."]
    add_fact(one.workspace, "I live in Rome and work at Enel.", slot="environment.home")
    assert texts(one) == ["I joined Bosch", "I live in Rome and work at Enel."]


def test_a_date_given_by_hand_is_since_when_it_is_so(one: Machine) -> None:
    learn(one, said("I live in Berlin", 1, 20))
    add_fact(one.workspace, "I live in Lisbon", valid_at="2019")
    assert texts(one) == ["I live in Lisbon"]
    add_fact(one.workspace, "I live in Oslo", valid_at="2020", invalid_at="2021")
    assert texts(one) == ["I live in Lisbon"]


def test_what_a_person_deleted_they_may_write_down_again(one: Machine) -> None:
    first = add_fact(one.workspace, "I play the cello")
    assert first.fact is not None
    one.remove(first.fact.path)
    one.save(allow_mass_delete=True)
    again = add_fact(one.workspace, "I play the cello")
    assert again.fact is not None
    assert texts(one) == ["I play the cello"]
    retract_fact(one.workspace, again.fact.fact.id)
    assert add_fact(one.workspace, "I play the cello").fact is not None
    assert texts(one) == ["I play the cello"]


def test_times_are_taken_from_the_words_or_from_the_caller(one: Machine) -> None:
    added = add_fact(one.workspace, "I moved to Lisbon last month", pin=True)
    assert added.fact is not None
    assert added.fact.fact.temporal is not None
    assert added.fact.fact.temporal.display == "2026-03"
    given = add_fact(one.workspace, "I work at Acme", valid_at="2024-05", invalid_at="2027")
    assert given.fact is not None
    assert (given.fact.fact.valid_at, given.fact.fact.invalid_at) == ("2024-05", "2027")


def test_secrets_are_taken_out(one: Machine) -> None:
    added = add_fact(one.workspace, f"The deploy token is {TOKEN}", pin=True)
    assert added.fact is not None
    assert TOKEN not in added.fact.fact.text
    assert any("secret" in note for note in added.notes)
    assert not add_fact(one.workspace, "The deploy key is in the safe", pin=True).notes


@pytest.mark.parametrize("text", ["", "  \n", "...", "x" * 1_300])
def test_what_is_no_fact_is_refused(one: Machine, text: str) -> None:
    with pytest.raises(InvalidFact):
        add_fact(one.workspace, text)


@pytest.mark.parametrize("dates", [{"valid_at": "soon"}, {"invalid_at": "2026-13"}, {"valid_at": "2026-05", "invalid_at": "2025"}])
def test_wrong_dates_are_refused(one: Machine, dates: dict[str, str]) -> None:
    with pytest.raises(InvalidFact):
        add_fact(one.workspace, "I work at Acme", **dates)  # type: ignore[arg-type]


# -- taking back
def test_a_person_takes_back_anything_and_turns_do_not_tell_it_again(one: Machine) -> None:
    learn(one, said("I live in Berlin"))
    pinned = add_fact(one.workspace, "Never deploy on Fridays", pin=True)
    assert pinned.fact is not None
    done = retract_fact(one.workspace, the(one, "I live in Berlin"), f"wrong, see {TOKEN}")
    assert (done.fact.fact.state, done.fact.fact.invalid_at, bool(done.fact.fact.expired_at)) == (State.RETRACTED, "", True)
    assert done.fact.fact.reason.startswith("wrong")
    assert TOKEN not in done.fact.fact.reason
    assert retract_fact(one.workspace, pinned.fact.fact.id).fact.fact.reason
    assert texts(one) == []
    assert retract_fact(one.workspace, pinned.fact.fact.id).commit.changed is False
    assert learn(one, said("I live in Berlin")).commit.changed is False
    learn(one, said("I live in Berlin", 9, 150))
    assert texts(one) == ["I live in Berlin"]


# -- looking
def test_ids_may_be_short_as_long_as_they_are_clear(one: Machine) -> None:
    learn(one, said("I live in Berlin"), said("I play the cello", 2))
    fact = the(one, "I live in Berlin")
    assert show_fact(one.workspace, fact[:8].upper()).fact.id == fact
    assert show_fact(one.workspace, fact).fact.text == "I live in Berlin"
    for wrong in ("abc", "zzzz", "", "0" * 32, "f" * 40):
        with pytest.raises(UnknownFact) as told:
            show_fact(one.workspace, wrong)
        assert told.value.hint
        assert isinstance(told.value, UserError)


def test_ids_that_begin_alike_are_told_apart(one: Machine) -> None:
    fact = add_fact(one.workspace, "I play the cello", pin=True).fact
    other = add_fact(one.workspace, "I fly kites", pin=True).fact
    assert fact is not None
    assert other is not None
    with pytest.raises(UnknownFact, match="2 facts"):
        show_fact(one.workspace, fact.fact.id[:8])


def test_lists_are_filtered(one: Machine) -> None:
    learn(one, said("I live in Berlin", tags=("home",)), said("I moved to Lisbon", 2, 40), said("My sister likes green tea", 3))
    add_fact(one.workspace, "Never deploy on Fridays", pin=True)
    assert texts(one) == ["I moved to Lisbon", "My sister likes green tea", "Never deploy on Fridays"]
    assert texts(one, state="superseded") == ["I live in Berlin"]
    assert len(texts(one, state="all")) == 4
    assert texts(one, kind="pinned") == ["Never deploy on Fridays"]
    assert texts(one, slot="environment.home") == texts(one, slot="environment") == texts(one, category="environment")
    assert texts(one, subject="SISTER") == ["My sister likes green tea"]
    assert texts(one, state="all", tag="HOME") == ["I live in Berlin"]
    assert texts(one, query="green TEA") == ["My sister likes green tea"]
    assert texts(one, query="tea green") == ["My sister likes green tea"]
    assert len(list_facts(one.workspace, limit=2)) == 2
    with pytest.raises(InvalidFact):
        list_facts(one.workspace, state="gone")


def test_a_list_as_of_a_date_says_what_was_so_then(one: Machine) -> None:
    learn(one, said("I live in Berlin"), said("I moved to Lisbon", 2, 40))
    assert texts(one, as_of="2026-01-20") == ["I live in Berlin"]
    assert texts(one, as_of="2026-02-20") == ["I moved to Lisbon"]
    old = show_fact(one.workspace, the(one, "I live in Berlin")).fact
    assert is_current(old, "2026-01-20")
    assert not is_current(old, "2026-02-20")
    assert not is_current(old, "", now=(T0 + 100 * DAY) / 1000)


# -- where it comes from
def test_a_chain_is_told_with_its_commits(one: Machine) -> None:
    learn(one, said("I live in Berlin"))
    learn(one, said("I live in Berlin with my sister", 2, 1))
    learn(one, said("I moved to Lisbon", 3, 40))
    learn(one, said("I moved to Oslo", 4, 60))
    links = fact_history(one.workspace, the(one, "I moved to Lisbon"))
    assert [link.found.fact.text for link in links] == ["I live in Berlin with my sister", "I moved to Lisbon", "I moved to Oslo"]
    assert [link.asked for link in links] == [False, True, False]
    assert [len(link.commits) for link in links] == [3, 2, 1]


def test_why_quotes_the_turns_as_they_are_now(one: Machine) -> None:
    record(one, turns("s", [("Hello.\n\nI live in Berlin.", "Noted."), ("I play the cello.", "Nice.")]))
    paths = sorted(path for path in one.committed() if "/episodic/" in path)
    first, second = int(Path(paths[0]).stem), int(Path(paths[2]).stem)
    good, other = quote_hash("Hello.\n\nI live in Berlin."), quote_hash("I play the viola.")
    sources = FactSource("s", first, good), FactSource("s", second, other), FactSource("s", 999, other), FactSource("t", 1, other)
    learn(one, replace(said("I live in Berlin"), sources=sources))
    found, quoted = why(one.workspace, the(one, "I live in Berlin")[:6])
    assert found.fact.text == "I live in Berlin"
    assert [each.state for each in quoted] == ["same", "changed", "gone", "gone"]
    assert quoted[0].text == "Hello.\n\nI live in Berlin."
    assert (quoted[0].path, quoted[0].role) == (paths[0], "user")
    begin, end = quoted[0].lines
    lines = one.read(paths[0]).decode().splitlines()
    assert "\n".join(lines[begin - 1 : end]) == "Hello.\n\nI live in Berlin."
    assert quoted[2].text == quoted[2].path == ""
