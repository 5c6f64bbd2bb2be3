"""The view of facts: what it answers, that it reads only what changed, and that whatever it remembers may be lost."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memtree.engine.facts import view as views
from memtree.engine.facts.candidate import Candidate
from memtree.engine.facts.view import FactView, drop_kept
from memtree.engine.facts.view_rows import keep_rows, kept_rows
from memtree.tree.fact import Fact, FactKind, FactSource, ReadFact, State, Temporal, fact_id, fact_path
from memtree.tree.forgetting import WHOLE
from support.conversations import PLAIN, lonely
from support.machines import Machine, Machines


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def fact(text: str, seq: int = 1, **keys: object) -> Fact:
    made = Fact(fact_id("s", [seq], "slot"), text, slot="slot", sources=(FactSource("s", seq, "0" * 16),))
    return replace(made, **keys)  # type: ignore[arg-type]


def read(one: Fact) -> ReadFact:
    return ReadFact(one, one.path(), edited=False)


def put(machine: Machine, *facts: Fact) -> None:
    for one in facts:
        machine.write(one.path(), one.render())
    machine.save()


FULL = fact(
    "I moved to Lisbon last month.",
    kind=FactKind.PINNED,
    state=State.SUPERSEDED,
    tags=("home", "住所"),
    category="environment",
    temporal=Temporal("relative", "message", "month", "2026-02-01", "2026-02-28", "2026-02"),
    valid_at="2026-02",
    invalid_at="2026-05-01",
    created_at="2026-03-09T10:00:00.000Z",
    told_at="2026-04-09T10:00:00.000Z",
    expired_at="2026-05-02T08:00:00.000Z",
    supersedes="0" * 32,
    superseded_by="f" * 32,
    reason="otherwise",
    generator="person",
    extra="mine: yes\n# a remark\n",
)


def test_a_view_is_asked_by_id_slot_turn_and_words() -> None:
    one, two, three = (
        fact("I like green tea", 1),
        fact("Ana likes tea", 2, subject="Ana"),
        fact("I own a boat", 3, state=State.RETRACTED),
    )
    view = FactView(map(read, (one, two, three)))
    assert view.get(one.id) == read(one)
    assert view.get("0" * 32) is None
    assert {each.fact.text for each in view.in_slot("user", "slot")} == {one.text, three.text}
    assert [each.fact.text for each in view.resting_on("s", 2)] == [two.text]
    assert view.resting_on("t", 2) == ()
    assert [each.fact.text for each in view.saying("user", view.key_of(one))] == [one.text]
    assert {each.fact.text for each in view.active()} == {one.text, two.text}


def test_who_may_have_to_do_with_a_statement_stands_in_its_slot_or_shares_its_rarest_words() -> None:
    facts = [fact(f"I drink tea from cup {n}", n, slot=f"cup.{n}") for n in range(30)]
    kyoto = fact("My gyokuro comes from Kyoto", 40, slot="tea.origin")
    mine = fact("I fly kites", 41, slot="habit.sport")
    view = FactView(map(read, (*facts, kyoto, mine)))
    found = view.candidates_for(Candidate("I drink gyokuro tea", slot="habit.sport"), 3)
    assert len(found) == 3
    assert [each.fact.text for each in found[:2]] == [mine.text, kyoto.text]
    assert view.candidates_for(Candidate("zebra", slot="none"), 3) == ()


def test_rows_hold_all_that_a_fact_has(tmp_path: Path) -> None:
    place = str(tmp_path / "facts" / "view.json")
    rows = [(ReadFact(FULL, FULL.path(), edited=True, blob="ab"), "key"), (read(fact("x", 9)), "x")]
    keep_rows(place, "memory_tree/content", "tree", rows)
    assert kept_rows(place, "memory_tree/content") == ("tree", rows)
    assert kept_rows(place, "elsewhere") == ("", [])


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: b"",
        lambda state: b"[1]",
        lambda state: b"\xff\xfe",
        lambda state: json.dumps({**state, "format": "0"}).encode(),
        lambda state: json.dumps({**state, "facts": [[1, 2]]}).encode(),
        lambda state: json.dumps({**state, "facts": 7}).encode(),
        lambda state: json.dumps({**state, "facts": [["p", False, "b", "k", [["x"]] * 30]]}).encode(),
        lambda state: json.dumps({**state, "tree": 4}).encode(),
        lambda state: json.dumps({**state, "tree": "0" * 40}).encode(),
    ],
)
def test_what_is_remembered_may_be_damaged_or_of_another_history(machines: Machines, damage: object) -> None:
    one = lonely(machines, PLAIN)
    put(one, *(fact(f"I own boat {n}", n + 10) for n in range(18)))
    before = FactView.look(one.workspace).facts
    place = Path(one.workspace.places.folder) / "facts" / "view.json"
    place.write_bytes(damage(json.loads(place.read_text())))  # type: ignore[operator]
    put(one, fact("I play chess", 3))
    one.reopen()
    after = FactView.look(one.workspace).facts
    assert {each.fact for each in after} == {each.fact for each in before} | {fact("I play chess", 3)}


def test_only_what_changed_is_read(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    one = lonely(machines, PLAIN)
    put(one, *(fact(f"I own boat {n}", n) for n in range(20)))
    assert len(FactView.look(one.workspace).facts) == 20
    one.reopen()
    asked: list[str] = []
    real = views.read_fact
    monkeypatch.setattr(views, "read_fact", lambda path, *rest: asked.append(path) or real(path, *rest))
    assert FactView.look(one.workspace) is FactView.look(one.workspace)
    assert asked == []
    put(one, fact("I own boat 3, a red one", 3))
    one.remove(fact_path(fact_id("s", [4], "slot")))
    one.save()
    texts = {each.fact.text for each in FactView.look(one.workspace).facts}
    assert asked == [fact_path(fact_id("s", [3], "slot"))]
    assert "I own boat 3, a red one" in texts
    assert "I own boat 4" not in texts


def test_what_people_do_to_files_is_seen(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    put(one, fact("I like tea"), fact("I own a boat", 2))
    boat = fact_path(fact_id("s", [2], "slot"))
    one.write(boat, b"---\nstate: nonsense\n: broken\n---\nI own two boats\n")
    one.write(fact_path("ab" * 16), b"My own words, without a header.\n")
    one.write("memory_tree/content/facts/readme.md", b"not a fact\n")
    one.write(fact_path(fact_id("s", [1], "slot")), WHOLE)
    one.save()
    view = FactView.look(one.workspace)
    assert sorted(each.fact.text for each in view.facts) == ["I own two boats", "My own words, without a header."]
    assert all(each.edited for each in view.facts)
    assert view.forgotten == {fact_id("s", [1], "slot")}


def test_what_is_forgotten_elsewhere_stays_in_nothing_that_is_remembered(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    put(one, *(fact(f"I own boat {n}", n + 10) for n in range(18)), fact("I live in Berlin", 2), fact("I know Ana well", 3))
    FactView.look(one.workspace)
    place = Path(one.workspace.places.folder) / "facts" / "view.json"
    assert b"Berlin" in place.read_bytes()
    one.write(fact("x", 2).path(), WHOLE)
    one.write(fact("x", 3).path(), fact("I know [forgotten] well", 3).render())
    one.save()
    FactView.look(one.workspace)
    assert b"Berlin" not in place.read_bytes()
    assert b"Ana" not in place.read_bytes()


def test_a_workspace_without_facts_has_an_empty_view(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    assert FactView.look(one.workspace).facts == ()
    drop_kept(one.workspace)
    drop_kept(one.workspace)
    assert FactView.look(one.workspace).tree == ""


def test_ten_thousand_facts_are_looked_at_again_in_no_time(machines: Machines) -> None:
    one = lonely(machines, PLAIN)
    place = str(Path(one.workspace.places.folder) / "facts" / "view.json")
    put(one, fact("I like tea"))
    tree = FactView.look(one.workspace).tree
    rows = [
        (read(fact(f"I own boat number {n} of the fleet in the harbour", n)), f"user own boat number {n}") for n in range(10_000)
    ]
    keep_rows(place, "memory_tree/content", tree, rows)
    one.reopen()
    began = time.process_time()
    assert len(FactView.look(one.workspace).facts) == 10_000
    assert time.process_time() - began < 3  # 0.4 s on an idle machine
    began = time.process_time()
    FactView.look(one.workspace)
    assert time.process_time() - began < 0.5
