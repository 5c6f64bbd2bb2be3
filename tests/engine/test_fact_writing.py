"""Facts in a workspace: one commit for a plan, none for nothing, the same bytes everywhere, nothing lost to a kill or a race."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memtree.engine.facts.candidate import Candidate, Outcome
from memtree.engine.facts.known import Known
from memtree.engine.facts.reconciling import Plan, reconcile
from memtree.engine.facts.settling import settle, settled
from memtree.engine.facts.view import FactView
from memtree.engine.facts.writing import FactReport, commit_plan
from memtree.tree.fact import FactSource, State, quote_hash
from support.conversations import PLAIN, lonely, pair
from support.machines import Machine, Machines

DAY = 86_400_000
T0 = 1_767_225_600_000
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def said(text: str, seq: int = 1, day: float = 0, session: str = "s", **more: object) -> Candidate:
    source = FactSource(session, seq, quote_hash(text))
    return replace(Candidate(text, sources=(source,), observed=T0 + int(day * DAY)), **more)  # type: ignore[arg-type]


def learn(machine: Machine, *candidates: Candidate) -> FactReport:
    return commit_plan(
        machine.workspace, lambda view, known: reconcile(view, candidates, now_ms=T0, known=known), session="s", segment="s:000001"
    )


def facts(machine: Machine, state: State | None = State.ACTIVE) -> list[str]:
    return sorted(one.fact.text for one in FactView.look(machine.workspace).facts if state in (None, one.fact.state))


def path_of(machine: Machine, text: str) -> str:
    return next(one.path for one in FactView.look(machine.workspace).facts if one.fact.text == text)


def test_all_five_outcomes_are_commits_that_tell_no_text(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    steps = [
        ([said("I live in Berlin")], Outcome.ADD),
        ([said("I live in Berlin with my sister", 2, 1)], Outcome.UPDATE),
        ([said("I moved to Lisbon", 3, 2)], Outcome.SUPERSEDE),
        ([said("I moved to Lisbon", 3, 2)], Outcome.NOOP),
        ([said("I no longer live in Lisbon", 4, 3, retracts=True)], Outcome.RETRACT),
    ]
    for candidates, outcome in steps:
        before = one.commits()
        report = learn(one, *candidates)
        assert [each.outcome for each in report.decisions] == [outcome]
        assert report.count(outcome) == 1
        assert one.commits() - before == (0 if outcome is Outcome.NOOP else 1)
        assert report.commit.changed == (outcome is not Outcome.NOOP)
    messages = one.git("log", "--format=%B", "-4")
    assert "Memtree-Writer: facts" in messages
    assert "Memtree-Session: s\n" in messages
    assert "Memtree-Segment: s:000001" in messages
    assert not any(town in messages for town in ("Berlin", "Lisbon", "sister"))
    for subject in ("1 added", "1 updated", "1 superseded", "1 retracted"):
        assert f"facts of session s: {subject}" in messages
    one.assert_sound()


def test_closing_and_replacing_is_one_commit(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    learn(one, said("I live in Berlin"))
    learn(one, said("I moved to Lisbon", 2, 1))
    changed = one.git("diff", "--name-only", "HEAD~1").splitlines()
    assert len(changed) == 2


def test_a_deleted_fact_stays_deleted_and_new_turns_may_tell_it(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    learn(one, said("I live in Berlin"))
    one.remove(path_of(one, "I live in Berlin"))
    assert learn(one, said("I live in Berlin", 2, 1)).commit.changed is False
    one.save(allow_mass_delete=True)
    assert [each.outcome for each in learn(one, said("I live in Berlin")).decisions] == [Outcome.NOOP]
    one.reopen()
    assert [each.outcome for each in learn(one, said("I live in Berlin")).decisions] == [Outcome.NOOP]
    assert facts(one) == []
    assert [each.outcome for each in learn(one, said("I live in Berlin", 9, 5)).decisions] == [Outcome.ADD]


def test_what_a_person_has_just_edited_is_seen(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    learn(one, said("I live in Berlin"))
    path = path_of(one, "I live in Berlin")
    one.write(path, one.read(path).replace(b"I live in Berlin", b"I live in Potsdam"))
    learn(one, said("I live in Potsdam with my sister", 2, 1))
    assert facts(one) == ["I live in Potsdam", "I live in Potsdam with my sister"]
    assert b"I live in Potsdam\n" in one.read(path)
    one.assert_sound()


def test_facts_that_change_while_a_plan_is_made_are_planned_for_again(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    plans: list[int] = []

    def make(view: FactView, known: frozenset[str]) -> Plan:
        plans.append(len(view.facts))
        if len(plans) == 1:
            learn(one, said("I live in Berlin"))
        return reconcile(view, [said("I moved to Lisbon", 2, 1)], now_ms=T0, known=known)

    report = commit_plan(one.workspace, make)
    assert plans == [0, 1]
    assert [each.outcome for each in report.decisions] == [Outcome.SUPERSEDE]
    assert facts(one) == ["I moved to Lisbon"]


def test_a_plan_that_fails_writes_nothing(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    learn(one, said("I live in Berlin"))
    before = one.tip

    def make(view: FactView, known: frozenset[str]) -> Plan:
        raise OSError(f"{len(view.facts)} {len(known)}")

    with pytest.raises(OSError, match="1 "):
        commit_plan(one.workspace, make)
    assert one.tip == before


def test_a_secret_keeps_only_its_own_fact_from_being_stored(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    report = learn(one, said(f"My deploy token is {TOKEN}"), said("I play the cello", 2))
    assert facts(one) == ["I play the cello"]
    assert [each.candidate.text for each in report.blocked] == [f"My deploy token is {TOKEN}"]
    assert any("secret" in note or "token" in note for note in report.notes)
    assert not any(TOKEN in note for note in report.notes)
    assert TOKEN.encode() not in b"".join(one.committed().values())
    assert report.blocked[0].fact not in Known(one.workspace.places.folder).read()


def test_a_fact_and_what_takes_its_place_are_blocked_together(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    learn(one, said("I live in Berlin"))
    learn(one, said(f"I moved to {TOKEN}", 2, 1, slot="environment.home"), said("I play the cello", 3))
    assert facts(one) == ["I live in Berlin", "I play the cello"]


def test_a_kill_at_any_step_leaves_all_of_a_plan_or_nothing_of_it(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    learn(one, said("I live in Berlin"))
    start = one.tip

    class Killed(BaseException):
        pass

    kills = 0
    for step in range(1, 400, 5):
        left = step

        def observe(*_: object) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise Killed

        one.reopen(observe=observe)
        try:
            learn(one, said("I moved to Lisbon", 2, 1))
        except Killed:
            kills += 1
            one.reopen(observe=lambda *_: None)
            one.workspace.store.recover()
            assert facts(one) in (["I live in Berlin"], ["I moved to Lisbon"])
            if one.tip != start:
                break
        else:
            break
    assert kills > 3
    one.reopen(observe=lambda *_: None)
    learn(one, said("I moved to Lisbon", 2, 1))
    assert facts(one, None) == ["I live in Berlin", "I moved to Lisbon"]
    assert facts(one) == ["I moved to Lisbon"]
    assert one.commits() == int(one.git("rev-list", "--count", start)) + 1
    one.assert_sound()


# -- two machines
TOLD = (said("I live in Berlin"), said("I am allergic to nuts", 2), said("I moved to Lisbon", 3, 40))


def test_two_machines_write_the_same_bytes_of_the_same_turns(machines: Machines) -> None:
    one, two = pair(machines)
    learn(one, *TOLD)
    for each in TOLD:
        learn(two, each)
    assert _fact_files(one) == _fact_files(two)
    one.sync()
    two.sync()
    machines.settle()
    assert facts(two) == ["I am allergic to nuts", "I moved to Lisbon"]
    machines.assert_agreed()


def test_what_two_machines_learn_apart_is_brought_together(machines: Machines) -> None:
    one, two = pair(machines)
    learn(one, said("I live in Berlin"), said("I play the cello", 2))
    learn(two, said("I moved to Lisbon", 1, 40, session="t"), said("I play the cello.", 2, 41, session="t"))
    machines.settle()
    assert len(facts(one)) == 4
    settle(one.workspace)
    settle(two.workspace)
    assert _fact_files(one) == _fact_files(two)
    machines.settle()
    assert facts(one) == facts(two) == ["I moved to Lisbon", "I play the cello"]
    cello = next(each.fact for each in FactView.look(one.workspace).active() if "cello" in each.fact.text)
    assert len(cello.sources) == 2
    before = one.commits()
    assert settle(one.workspace) == settle(two.workspace) == ()
    assert one.commits() == before
    assert settled(FactView.look(one.workspace)) == {}
    machines.assert_agreed()


def test_another_librarian_settles(machines: Machines) -> None:
    one, two = pair(machines)
    from memtree.engine.librarian import take

    one.git("config", "memtree.device", "desk")
    two.git("config", "memtree.device", "lap")
    one.reopen(), two.reopen()
    take(one.workspace)
    learn(one, said("I live in Berlin"))
    learn(two, said("I moved to Lisbon", 1, 40, session="t"))
    machines.settle()
    two.reopen()
    assert settle(two.workspace) == ()
    assert len(settle(one.workspace)) == 1
    machines.settle()
    assert facts(two) == ["I moved to Lisbon"]


def _fact_files(machine: Machine) -> dict[str, bytes]:
    return {path: data for path, data in machine.committed().items() if "/facts/" in path}


# -- very many
def test_a_thousand_facts_are_reconciled_quickly(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    statements = [said(text, n) for n, text in enumerate(_thousand(), 1)]
    began = time.process_time()
    for at in range(0, len(statements), 250):
        learn(one, *statements[at : at + 250])
    assert time.process_time() - began < 30  # about 4 on an idle machine
    assert len(FactView.look(one.workspace).facts) == 1_000
    assert learn(one, *statements[:300]).commit.changed is False


def _thousand() -> Sequence[str]:
    things = ("cello", "fern", "bicycle", "kayak", "camera", "telescope", "loom", "kiln", "anvil", "drum")
    return [f"My {things[n % 10]} number {n} stands in room {n % 37} of the house" for n in range(1_000)]


def test_forgetting_a_turn_forgets_what_rests_on_it_alone(machines: Machines) -> None:
    from memtree.engine.forgetting import Target, forget
    from support.conversations import record
    from support.conversations import said as turns

    one = lonely(machines, PLAIN)
    record(one, turns("s", [("I live in Berlin and I play the cello", "Noted."), ("I play the cello", "Yes.")]))
    home, cello = said("I live in Berlin", 1), said("I play the cello", 1)
    paths = sorted(path for path in one.committed() if "/episodic/" in path)
    first = int(Path(paths[0]).stem)
    third = int(Path(paths[2]).stem)
    learn(one, replace(home, sources=(FactSource("s", first, home.sources[0].quote_hash),)))
    sources = (FactSource("s", first, "0" * 16), FactSource("s", third, "1" * 16))
    learn(one, replace(cello, sources=sources))
    forget(one.workspace, Target(path=one.path_of(paths[0])))
    assert facts(one, None) == ["I play the cello"]
    view = FactView.look(one.workspace)
    assert [source.seq for source in view.facts[0].fact.sources] == [third]
    assert len(view.forgotten) == 1
    assert b"Berlin" not in b"".join(one.disk().values())
    state = Path(one.workspace.places.folder) / "facts"
    assert b"Berlin" not in b"".join(path.read_bytes() for path in state.iterdir())
    assert [each.outcome for each in learn(one, replace(home, sources=(FactSource("s", first, "2" * 16),))).decisions] == [
        Outcome.NOOP
    ]


def test_a_purge_takes_the_words_of_such_facts_out_of_history_too(machines: Machines) -> None:
    from memtree.engine.forgetting import Target, forget
    from support.conversations import record
    from support.conversations import said as turns

    one = lonely(machines, PLAIN)
    record(one, turns("s", [("my flat is in the old town of Potsdam, second floor, and I dislike stairs", "Noted.")]))
    path = next(path for path in sorted(one.committed()) if "/episodic/" in path)
    seq = int(Path(path).stem)
    home = replace(said("The user lives in Potsdam"), sources=(FactSource("s", seq, "0" * 16),))
    stairs = replace(said("I dislike stairs"), sources=(FactSource("s", seq, "0" * 16),))
    learn(one, home, stairs)
    done = forget(one.workspace, Target(text="my flat is in the old town of Potsdam, second floor"), history=True)
    assert done.purged is not None
    assert facts(one, None) == ["I dislike stairs"]
    source = FactView.look(one.workspace).facts[0].fact.sources[0]
    assert source.quote_hash != "0" * 16
    assert one.git("log", "--all", "-p", "-S", "Potsdam", "--format=%h") == ""
    one.assert_sound()


def test_a_text_that_is_forgotten_takes_the_whole_fact_and_no_word_of_it_stays(machines: Machines) -> None:
    from memtree.engine.forgetting import Target, forget

    one = lonely(machines, PLAIN)
    learn(one, said("I live in Berlin near Ana"), said("I play the cello", 2))
    forget(one.workspace, Target(text="Ana"))
    assert facts(one, None) == ["I play the cello"]
    assert b"Berlin" not in b"".join(one.disk().values())
    assert learn(one, said("I live in Berlin near Ana")).commit.changed is False
    one.assert_sound()
