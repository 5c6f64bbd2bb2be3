"""What readers and models are told of facts: none that holds no longer as one that does, and what was so at a date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.agents.callers import Caller
from memtree.engine.agents.deeds import ToolRefused
from memtree.engine.agents.memory_agent import call_memory_agent
from memtree.engine.agents.memory_bench import MemoryBench
from memtree.engine.agents.passages import Reading
from memtree.engine.agents.recalling import Recall
from memtree.engine.facts.recalling import Facts, held_at, holds, moment_of
from memtree.engine.memory_tree.hits import Envelope
from memtree.engine.memory_tree.modes import run_mode
from memtree.engine.retrieval.context import load_context
from memtree.engine.retrieval.memories import recall_memories
from memtree.engine.when import UnknownTime
from memtree.hooks.events import AgentEvent
from memtree.hooks.events import Kind as EventKind
from memtree.hooks.place import find_place
from memtree.hooks.recall import recalled as recalled_by_hook
from memtree.indexers.query import Hit, Query
from memtree.tree.fact import Fact, FactSource, State, quote_hash
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.spoken_time import anchor_of, temporal_of
from support.facts import WORDS, fact, month, put
from support.machines import Clock, Machine, Machines

# The clock of machines stands at 2025-06-15.
BERLIN = fact("I live in Berlin near the harbour.", slot="identity.home", superseded="2025-03-01")
LISBON = fact("I live in Lisbon near the castle.", slot="identity.home", valid_at="2025-03-01", supersedes=BERLIN.id)
VEGAN = fact("I am vegan at home and at work.", retracted="2025-04-02")
WRONG = fact("I live in Madrid with a parrot.", state=State.RETRACTED, expired_at="2025-02-01T08:00:00Z")
BIKE = fact("I bought a cargo bike last month.", temporal=month("2025-02"))
OVER = fact("I have a guest room to live in until May.", invalid_at="2025-05-01")
LATER = fact("I live with my sister.", valid_at="2095-09-01")
TRIP = fact("I fly to Oslo next month.", valid_at="2025-07-01", temporal=month("2025-07"))
CHINESE_OLD = fact("我住在柏林的港口旁边。", slot="identity.home", superseded="2025-03-01")
CHINESE = fact("我住在里斯本的城堡旁边。", slot="identity.home", valid_at="2025-03-01")
EVERY = (BERLIN, LISBON, VEGAN, WRONG, BIKE, OVER, LATER, TRIP, CHINESE_OLD, CHINESE)
GONE = ("Berlin", "vegan", "Madrid", "guest room", "sister", "柏林")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    made = machines.lonely({"memtree.toml": WORDS})
    put(made, *EVERY)
    yield made
    machines.close()


def seconds(day: str) -> int:
    return moment_of(day, 0)


def recalled(machine: Machine, query: str, as_of: str = "", **choices: int) -> str:
    when = seconds(as_of) if as_of else None
    return "\n".join(hit.text for hit in recall_memories(machine.workspace, query, as_of=when, **choices).hits)


def test_recalling_tells_what_holds_and_nothing_else(machine: Machine) -> None:
    assert recalled(machine, "where do I live?", limit=20).splitlines() == ["I live in Lisbon near the castle."]
    assert recalled(machine, "am I vegan at work") == ""
    assert recalled(machine, "我住在哪里") == "我住在里斯本的城堡旁边。"
    assert Recall(machine.workspace).memory_recall("am I vegan at work").startswith("No memories")


def test_what_was_so_at_a_date(machine: Machine) -> None:
    february = recalled(machine, "where do I live?", "2025-02-10", limit=20)
    assert "Berlin" in february
    assert "guest room" in february
    for other in ("Lisbon", "Madrid", "sister"):
        assert other not in february
    assert "Lisbon" in recalled(machine, "where do I live?", "2025-03-01")
    assert "sister" in recalled(machine, "with whom do I live?", "2095-09-01", limit=20)
    assert "vegan" in recalled(machine, "am I vegan at work", "2025-04-01")
    assert "vegan" not in recalled(machine, "am I vegan at work", "2025-04-02")
    assert "柏林" in recalled(machine, "我住在哪里", "2025-02")


def test_what_was_learned_later_counts_and_what_was_said_later_does_not(machine: Machine) -> None:
    put(machine, fact("I rented a boat shed in winter.", valid_at="2024-12-01", created_at="2025-06-01T08:00:00Z"))
    machine.write("notes/shed.md", "---\ndate: 2025-06-01\n---\n# Shed\n\nThe boat shed is empty now.\n")
    machine.save()
    told = recalled(machine, "the boat shed", "2025-01-05")
    assert "rented" in told
    assert "empty" not in told
    assert "empty" in recalled(machine, "the boat shed")


def test_a_relative_time_is_told_with_its_date(machine: Machine) -> None:
    assert recalled(machine, "cargo bike") == "I bought a cargo bike last month. [time: 2025-02]"
    found = machine.workspace.search(Query("cargo bike")).hits[0]
    assert found.snippet == "I bought a cargo bike last month. [time: 2025-02]"
    assert "[time: 2025-02]" in context(machine, "what about the cargo bike?")
    assert "[time: 2025-02]" in answer(machine, "when did I buy a cargo bike?")


def test_what_is_planned_is_told_before_its_day(machine: Machine) -> None:
    assert "[time: 2025-07]" in recalled(machine, "do I fly to Oslo")


def test_a_search_shows_the_past_marked_below_what_holds(machine: Machine) -> None:
    hits = machine.workspace.search(Query("where do I live", limit=20)).hits
    texts = [hit.snippet for hit in hits]
    assert texts[0] == LISBON.text
    marks = {hit.snippet: hit.fact.mark for hit in hits if hit.fact is not None}
    assert marks[LISBON.text] == ""
    assert marks[BERLIN.text] == "superseded 2025-03-01"
    assert marks[WRONG.text] == "retracted 2025-02-01"
    assert marks[OVER.text] == "until 2025-05-01"
    assert marks[LATER.text] == "from 2095-09-01"
    holding = [hit.fact is not None and not hit.fact.mark for hit in hits]
    assert holding == sorted(holding, reverse=True)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_many_that_are_over_take_nobodys_place(machine: Machine) -> None:
    put(machine, *(fact(f"The staging port of heron is {port}.", superseded="2025-05-01") for port in range(5000, 5090)))
    put(machine, fact("As everybody on the team knows since spring, staging of heron listens on port 7000 behind the proxy."))
    assert "7000" in recalled(machine, "staging port of heron", limit=1)
    assert "7000" in machine.workspace.search(Query("staging port of heron", limit=1)).hits[0].snippet
    walked = run_mode(machine.workspace, "walk", {"query": "what is the staging port of heron"})
    assert isinstance(walked, Envelope)
    assert [hit.text for hit in walked.hits if "7000" not in hit.text] == []
    assert "7000" in walked.hits[0].text
    assert "7000" in context(machine, "what is the staging port of heron?")


def context(machine: Machine, query: str, session: str = "") -> str:
    machine.workspace.refresh_index()
    return load_context(machine.workspace, query, session=session, now=machine.workspace.options.clock(), standing=False).text


def prompted(machine: Machine, prompt: str) -> str:
    """What an agent's hook tells the model beside a prompt."""
    place = find_place(machine.path)
    assert place is not None
    event = AgentEvent(EventKind.PROMPT, "claude-code", "s-7", prompt=prompt)
    return recalled_by_hook(event, place, machine.workspace.options.clock()).text


def answer(machine: Machine, query: str) -> str:
    return call_memory_agent(machine.workspace, query, caller=Caller.person()).text


@pytest.mark.parametrize("query", ["where do I live?", "am I vegan at work?", "do I live with my sister?", "我住在柏林吗？"])
def test_no_way_of_asking_tells_the_past_as_the_present(machine: Machine, query: str) -> None:
    told = context(machine, query) + answer(machine, query) + prompted(machine, query)
    for mode in ("walk", "query_global", "query_source"):
        asked = {"query": query, **({"source_id": "facts"} if mode == "query_source" else {})}
        found = run_mode(machine.workspace, mode, asked)
        assert isinstance(found, Envelope)
        told += "\n".join(hit.text for hit in found.hits)
    for word in GONE:
        assert word not in told.replace(query, ""), word


def test_the_listing_modes_leave_it_out_too(machine: Machine) -> None:
    listed = run_mode(machine.workspace, "query_source", {"source_id": "facts", "limit": 50})
    assert isinstance(listed, Envelope)
    assert not [hit.text for hit in listed.hits if any(word in hit.text for word in GONE)]
    named = run_mode(machine.workspace, "fetch_leaves", {"chunk_ids": [BERLIN.path(), LISBON.path()]})
    assert isinstance(named, Envelope)
    assert [hit.text for hit in named.hits] == [LISBON.text]
    assert any("superseded 2025-03-01" in note for note in named.notes)


def test_a_prompt_of_an_agent_brings_what_holds(machine: Machine) -> None:
    machine.workspace.refresh_index()
    assert "Lisbon near the castle" in prompted(machine, "do I live in Lisbon near the castle, or in Berlin?")
    assert prompted(machine, "am I still vegan at home and at work?") == ""


def test_a_fact_is_cited_and_its_header_is_never_shown(machine: Machine) -> None:
    told = context(machine, "do I live in Lisbon near the castle?")
    assert f"{LISBON.path()}:" in told
    for word in (LISBON.id[:8] + ":", "body_hash", "quote_hash", "state:", "insight"):
        assert word not in told.replace(str(LISBON.path()), "")
    assert machine.workspace.search(Query("insight active extractive")).hits == ()


def test_what_only_this_session_said_is_not_told_back_to_it(machine: Machine) -> None:
    said = FactSource("s-1", 1, quote_hash("x"))
    put(machine, fact("My tent is orange.", sources=(said,)))
    assert "orange" in context(machine, "what colour has my tent?")
    assert "orange" not in context(machine, "what colour has my tent?", "s-1")
    put(machine, fact("My kayak is orange.", sources=(said, FactSource("s-2", 1, quote_hash("x")))))
    assert "orange" in context(machine, "what colour has my kayak?", "s-1")


def test_an_edit_of_the_file_counts_at_once(machine: Machine) -> None:
    machine.write(LISBON.path(), LISBON.render().replace(b"state: active", b"state: retracted"))
    machine.save()
    assert "Lisbon" not in recalled(machine, "where do I live?", limit=20)
    Path(machine.full(BIKE.path())).unlink()
    machine.save()
    assert recalled(machine, "cargo bike") == ""


def test_a_file_without_a_readable_header_is_told_as_it_stands(machine: Machine) -> None:
    path = f"memory_tree/content/facts/ab/{'ab' * 16}.md"
    machine.write(path, "---\nstate: [\n---\nThe tandem is red.\n")
    machine.write("memory_tree/content/facts/readme.md", "# Facts\n\nThe tricycle is blue.\n")
    machine.write(f"memory_tree/content/facts/cd/{'cd' * 16}.md", "The unicycle is green.\n\n" + "It squeaks. " * 30_000 + "\n")
    machine.write(f"memory_tree/content/facts/ef/{'ef' * 16}.md", "---\nstate: active\n---\n[forgotten]\n")
    machine.save()
    assert "unicycle" in recalled(machine, "green unicycle")
    assert recalled(machine, "forgotten") == ""
    assert "tandem" in recalled(machine, "tandem")
    assert "tricycle" in recalled(machine, "tricycle")


@pytest.mark.parametrize(
    ("day", "last"),
    [("2025-03-01", "2025-03-01T23:59:59"), ("2025-02", "2025-02-28T23:59:59"), ("2024", "2024-12-31T23:59:59")],
)
def test_days_end_in_utc(day: str, last: str) -> None:
    import datetime as dt

    assert dt.datetime.fromtimestamp(moment_of(day, 0), dt.UTC).isoformat() == f"{last}+00:00"


@pytest.mark.parametrize("typed", ["2025-02-30", "2025-13", "soon", ""])
def test_no_date(typed: str) -> None:
    with pytest.raises(UnknownTime):
        moment_of(typed, 0)


def at(day: str) -> int:
    return seconds(day) * 1000


@pytest.mark.parametrize(
    ("one", "day", "so"),
    [
        (fact("a"), "2000", True),
        (fact("a", valid_at="2025-03"), "2025-02", False),
        (fact("a", valid_at="2025-03"), "2025-03-01", True),
        (fact("a", invalid_at="2025-03"), "2025-02", True),
        (fact("a", invalid_at="2025-03"), "2025-03", False),
        (fact("a", state=State.SUPERSEDED), "2020", False),
        (fact("a", state=State.SUPERSEDED, expired_at="2025-03-05T10:00:00Z"), "2025-03-04", True),
        (fact("a", state=State.RETRACTED, expired_at="2025-03-05T10:00:00Z"), "2025-03-04", False),
        (fact("a", state=State.RETRACTED, invalid_at="2025-03-05"), "2025-03-04", True),
        (fact("a", valid_at="2025-03", invalid_at="2025-03"), "2025-03-15", False),
    ],
)
def test_held_at(one: Fact, day: str, so: bool) -> None:
    assert held_at(one, at(day), one.valid_at) is so


def test_a_day_begins_where_it_begins_first() -> None:
    one = fact("a", valid_at="2025-03-02")
    assert holds(one, at("2025-03-01"))
    assert not holds(one, at("2025-02-28"))


def test_until_friday_is_over_when_friday_is_over_everywhere() -> None:
    friday = anchor_of(1_773_219_600_000, "America/Los_Angeles")  # said on Wednesday, 11 March 2026
    _, _, until = temporal_of("I am in Oslo until Friday.", friday)
    one = fact("I am in Oslo until Friday.", invalid_at=until, created_at="2026-03-11T09:00:00Z")
    assert holds(one, at("2026-03-13"))
    assert held_at(one, at("2026-03-13"), "")
    assert holds(one, at("2026-03-13") + 7 * 3_600_000)  # there it is Friday still
    assert not holds(one, at("2026-03-14"))
    assert not held_at(one, at("2026-03-14"), "")


def test_what_was_over_when_it_was_told_is_history_and_stays_told() -> None:
    told = fact("I lived in Oslo from 2019 to 2021.", valid_at="2019", invalid_at="2021")
    assert holds(told, at("2025-06"))
    assert not holds(fact("I'm in Oslo until Friday.", invalid_at="2025-01-17"), at("2025-06"))


def test_hits_of_other_files_are_not_looked_at() -> None:
    class Untouchable:
        def __getattr__(self, name: str) -> object:
            raise AssertionError(name)

    facts = Facts(Untouchable(), CommitId("c" * 40), "", Clock()())  # type: ignore[arg-type]
    hit = Hit(LISBON.path(), Kind.NOTE, "", "", 1, 1, "", (), 1.0, None, CommitId("c" * 40))
    assert facts.marked(hit) is hit
    assert not facts.leaves_out(hit.path, hit.kind)


# -- what a model reads
def test_a_model_is_told_why_a_fact_that_it_looks_into_is_over(machine: Machine) -> None:
    reading = Reading(machine.workspace)
    bench = MemoryBench(machine.workspace, reading, room=10_000)
    told = bench.query_memory("near the harbour")
    assert "I live in Berlin near the harbour. [superseded 2025-03-01]" in told
    assert "slot:" not in told
    assert "body_hash" not in told
    assert "I live in Lisbon near the castle.\n" in bench.read_content(LISBON.path())
    assert "[time: 2025-02]" in bench.memory_recall("cargo bike")
    assert "Berlin" not in bench.memory_recall("where do I live")


def test_a_model_asks_for_a_date(machine: Machine) -> None:
    bench = MemoryBench(machine.workspace, Reading(machine.workspace), room=10_000)
    assert "Berlin" in bench.memory_recall("where do I live", as_of="2025-02-01")
    told = Recall(machine.workspace).memory_recall("where do I live", as_of="2025-02-01")
    assert "(fact, superseded 2025-03-01, 2025-01-10)\nI live in Berlin" in told
    with pytest.raises(ToolRefused, match="soon"):
        Recall(machine.workspace).memory_recall("where do I live", as_of="soon")
