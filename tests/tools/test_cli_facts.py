"""`memtree facts` as a person and as a program sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.facts.candidate import Candidate, Fallen, Step
from memtree.engine.facts.quarantine import put
from memtree.engine.workspace import Workspace
from memtree.tree.fact import FactSource, quote_hash
from support.cli import Outcome, git_agrees, memtree
from support.facts import WORDS, fact, month
from support.gitrepo import GitRepo

BERLIN = fact("I live in Berlin near the harbour.", slot="identity.home", superseded="2025-03-01", superseded_by="a" * 32)
LISBON = fact("I live in Lisbon near the castle.", slot="identity.home", valid_at="2025-03-01", supersedes=BERLIN.id)
BIKE = fact("I bought a cargo bike last month.", category="things", tags=("bike",), temporal=month("2025-02"))
ANA = fact("Ana 对花生过敏。", subject="Ana", slot="health.allergy")
WRONG = fact("I live in Madrid.", retracted="2025-02-01")
EVERY = (BERLIN, LISBON, BIKE, ANA, WRONG)
SECRET = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"


def run(repo: GitRepo, *words: str, code: int = 0) -> Outcome:
    return memtree("facts", *words, cwd=repo.path, code=code)


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A workspace with a few facts."""
    repo = GitRepo(tmp_path / "w")
    repo.write("memtree.toml", f'durability = "fast"\n{WORDS}')
    for one in EVERY:
        repo.write(one.path(), one.render())
    memtree("init", cwd=repo.path)
    memtree("save", cwd=repo.path)
    return repo


def texts(outcome: Outcome) -> set[str]:
    return {one["text"] for one in outcome.json["facts"]}


def test_there_are_none_at_first(tmp_path: Path) -> None:
    memtree("init", str(tmp_path / "w"))
    repo = GitRepo(tmp_path / "w")
    assert run(repo, "list").out == "There are no facts yet: they are learned when a conversation ends.\n"
    assert run(repo, "list", "--json").json["facts"] == []
    assert "Nothing is in quarantine." in run(repo, "quarantine", "list").out


def test_a_person_lists_what_holds(repo: GitRepo) -> None:
    told = run(repo, "list").out
    assert f"{LISBON.id[:8]}  {LISBON.text}  (identity.home)" in told
    assert f"{BIKE.text} [time: 2025-02]  (things)" in told
    assert "(health.allergy, Ana)" in told
    assert "Berlin" not in told
    assert f"{BERLIN.id[:8]}  {BERLIN.text}  (superseded 2025-03-01)" in run(repo, "list", "--state", "all").out
    assert texts(run(repo, "list", "--state", "retracted", "--json")) == {WRONG.text}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("--tag", "bike"), {BIKE.text}),
        (("--category", "Things"), {BIKE.text}),
        (("--subject", "ana"), {ANA.text}),
        (("--slot", "identity"), {LISBON.text}),
        (("--kind", "pinned"), set()),
        (("castle",), {LISBON.text}),
        (("--as-of", "2025-02-10", "--slot", "identity"), {BERLIN.text}),
        (("--as-of", "2025-03", "--slot", "identity"), {LISBON.text}),
    ],
)
def test_it_is_narrowed(repo: GitRepo, words: tuple[str, ...], found: set[str]) -> None:
    assert texts(run(repo, "list", *words, "--json")) == found


def test_a_limit_says_what_it_leaves_out(repo: GitRepo) -> None:
    assert run(repo, "list", "--limit", "1").lines[-1] == "1 of 3; --limit shows more"
    assert run(repo, "list", "--limit", "1", "--json").json["total"] == 3


def test_one_is_shown_whole_by_the_beginning_of_its_id(repo: GitRepo) -> None:
    told = run(repo, "show", BERLIN.id[:6]).lines
    assert told[0] == BERLIN.text
    assert any(line.split() == ["state", "superseded", "2025-03-01"] for line in told)
    shown = run(repo, "show", BIKE.id, "--json").json
    assert (shown["told"], shown["mark"], shown["path"]) == (f"{BIKE.text} [time: 2025-02]", "", str(BIKE.path()))
    assert shown["temporal"]["granularity"] == "month"


@pytest.mark.parametrize("command", ["show", "retract", "history", "why"])
def test_an_id_that_is_none(repo: GitRepo, command: str) -> None:
    unknown = "0" * 12 if not any(one.id.startswith("0" * 12) for one in EVERY) else "f" * 12
    assert "there is no fact" in run(repo, command, unknown, code=2).err
    for word in ("harbour", "ab", ""):
        assert "is no id of a fact" in run(repo, command, word, code=2).err


def test_a_beginning_that_several_have(repo: GitRepo) -> None:
    for number in range(2):
        run(repo, "add", "--pin", f"Rule number {number}: the heron is fed at noon.")
    pinned = [one["id"] for one in run(repo, "list", "--kind", "pinned", "--json").json["facts"]]
    told = run(repo, "show", pinned[0][:4], code=2).err
    assert "2 facts have ids that begin with" in told
    assert "name more digits" in told
    names = [line.split()[0] for line in run(repo, "list", "--kind", "pinned").lines]
    assert len(set(names)) == 2
    for name in names:
        assert run(repo, "show", name).out


def test_pinning(repo: GitRepo) -> None:
    words = ("--tag", "releases", "--slot", "project.branch", "--since", "2025-05", "--until", "2030-01-01")
    done = run(repo, "add", "--pin", "Releases are cut from stable.", *words, "--json").json
    one = done["fact"]
    assert (one["kind"], one["tags"], one["slot"]) == ("pinned", ["releases"], "project.branch")
    assert (one["valid_at"], one["invalid_at"], one["edited"]) == ("2025-05", "2030-01-01", True)
    assert done["commit"]
    assert (Path(repo.path) / one["path"]).read_text(encoding="utf-8").endswith("\nReleases are cut from stable.\n")
    assert "stable" in run(repo, "recall", "what are releases cut from").out
    git_agrees(repo)


def test_what_does_not_last_is_not_kept_unless_it_is_pinned(repo: GitRepo) -> None:
    told = run(repo, "add", "I am hungry right now", code=2).err
    assert "not kept, it is so for the moment only (transient_status)" in told
    assert "--pin" in told
    assert "Pinned." in run(repo, "add", "--pin", "I am hungry right now").out


def test_adding_says_what_happened(repo: GitRepo) -> None:
    assert "Added." in run(repo, "add", "I am allergic to walnuts.").out
    assert "Known already" in run(repo, "add", "I am allergic to walnuts.").out
    assert run(repo, "add", "I no longer play the tuba.").out == "Nothing changed (nothing that is known is taken back).\n"
    done = run(repo, "add", "I live in Porto.", "--slot", "identity.home", "--json").json
    assert done["decision"]["outcome"] in ("add", "supersede")
    assert done["fact"]["text"] == "I live in Porto."


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--pin", " "), "a fact needs a text"),
        (("--pin", "?!"), "a fact needs a text"),
        (("--pin", "x" * 2_000), "at most 1,200"),
        (("--pin", "The cat is grey.", "--since", "spring"), "is no date"),
        (("--pin", "The cat is grey.", "--since", "2025-02-30"), "is no date"),
        (("--pin", "The cat is grey.", "--since", "2026", "--until", "2025"), "before it begins"),
    ],
)
def test_what_cannot_be_added(repo: GitRepo, words: tuple[str, ...], told: str) -> None:
    head = repo.git("rev-parse", "HEAD")
    assert told in run(repo, "add", *words, code=2).err
    assert repo.git("rev-parse", "HEAD") == head


def test_a_secret_is_taken_out_and_said(repo: GitRepo) -> None:
    done = run(repo, "add", "--pin", f"The deploy token of heron is {SECRET}.")
    assert "a secret was taken out" in done.err
    assert SECRET not in done.out + done.err
    assert not [path for path in Path(repo.path).rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def test_taking_back(repo: GitRepo) -> None:
    assert "Taken back." in run(repo, "retract", LISBON.id[:8], "--reason", "that was a joke").out
    shown = run(repo, "show", LISBON.id, "--json").json
    assert (shown["state"], shown["reason"]) == ("retracted", "that was a joke")
    assert "Lisbon" not in run(repo, "recall", "where do I live").out
    assert "Nothing changed." in run(repo, "retract", LISBON.id[:8]).out
    git_agrees(repo)


def test_recalling(repo: GitRepo) -> None:
    assert run(repo, "recall", "where", "do", "I", "live").lines == [f"{LISBON.id[:8]}  {LISBON.text}"]
    then = run(repo, "recall", "where do I live", "--as-of", "2025-02-10")
    assert then.lines == [f"{BERLIN.id[:8]}  {BERLIN.text}  (superseded 2025-03-01)"]
    every = run(repo, "recall", "where do I live", "--all").out
    assert every.index("Lisbon") < every.index("Berlin near the harbour.  (superseded 2025-03-01)")
    assert run(repo, "recall", "quantum", "chromodynamics").out == "No fact answers that.\n"
    assert "cannot read 'soon'" in run(repo, "recall", "x", "--as-of", "soon", code=2).err
    assert run(repo, "recall", "谁对花生过敏", "--json").json["hits"][0]["fact"]["id"] == ANA.id


def test_where_a_fact_comes_from(repo: GitRepo) -> None:
    turn = "memory_tree/content/episodic/s-1/000001.md"
    for words in ("We keep four hens.", "We keep five hens."):
        repo.write(turn, f"---\nsession_id: s-1\nseq: 1\nrole: user\ntimestamp: 2025-03-01T10:00:00Z\n---\n\n{words}\n")
        one = fact(
            "We keep four hens.", sources=(FactSource("s-1", 1, quote_hash("We keep four hens.")), FactSource("s-9", 4, "0" * 16))
        )
        repo.write(one.path(), one.render())
        memtree("save", cwd=repo.path)
        states = [source["state"] for source in run(repo, "why", one.id, "--json").json["sources"]]
        assert states == ["same" if "four" in words else "changed", "gone"]
    told = run(repo, "why", one.id[:10]).out
    assert f"{turn}:" in told
    assert "We keep five hens." in told
    assert "says something else since" in told
    assert "s-9 turn 4" in told


def test_the_history_of_a_fact(repo: GitRepo) -> None:
    chain = run(repo, "history", LISBON.id, "--json").json["facts"]
    assert [one["id"] for one in chain] == [BERLIN.id, LISBON.id]
    assert [one["asked"] for one in chain] == [False, True]
    assert all(one["commits"] for one in chain)
    assert "Berlin" in run(repo, "history", LISBON.id).out


def test_the_status_counts_them(repo: GitRepo) -> None:
    run(repo, "add", "--pin", "The heron is fed at noon.")
    assert "4 active (1 pinned); 1 superseded; 1 retracted" in memtree("status", cwd=repo.path).out
    counted = memtree("status", "--json", cwd=repo.path).json["facts"]
    assert (counted["active"], counted["pinned"], counted["superseded"], counted["retracted"]) == (4, 1, 1, 1)
    counters = memtree("doctor", "--memory", "--json", cwd=repo.path).json["counters"]
    assert (counters["facts"], counters["facts_superseded"], counters["facts_quarantined"]) == (4, 1, 0)


# -- on the way to be one
@pytest.fixture
def talked(tmp_path: Path) -> GitRepo:
    """A workspace with a conversation that was closed while no facts were learned."""
    repo = GitRepo(tmp_path / "w")
    repo.write("memtree.toml", f'durability = "fast"\n{WORDS}[facts]\nenabled = false\n')
    memtree("init", cwd=repo.path)
    memtree("save", cwd=repo.path)
    said = "I moved to Lisbon last month. I am allergic to walnuts."
    words = ("--timestamp", "2026-03-09T10:00:00Z", "--user", said, "--assistant", "Noted.")
    memtree("hook", "turn", "--session", "standup", *words, cwd=repo.path)
    memtree("hook", "session-end", "--session", "standup", "--wait", cwd=repo.path)
    repo.write("memtree.toml", f'durability = "fast"\n{WORDS}')
    memtree("save", cwd=repo.path)
    return repo


def test_what_was_closed_before_is_learned_from(talked: GitRepo) -> None:
    assert run(talked, "list", "--json").json["facts"] == []
    tried = run(talked, "diagnose", "standup")
    assert "tried by rules, nothing was written" in tried.out
    assert run(talked, "diagnose", "standup", "--json").json["dry"]
    assert run(talked, "learn", code=2).err
    assert "2 facts of turns 1-2 of session standup" in run(talked, "learn", "--all").out
    told = run(talked, "list").out
    assert "I moved to Lisbon last month. [time: 2026-02]  (environment.home)" in told
    one = run(talked, "list", "walnuts", "--json").json["facts"][0]
    assert [source["state"] for source in run(talked, "why", one["id"], "--json").json["sources"]] == ["same"]
    again = run(talked, "learn", "--all", "--json").json
    assert (again["queued"], again["known"], again["done"]) == (0, 1, [])
    git_agrees(talked)


def test_a_session_is_diagnosed(talked: GitRepo) -> None:
    run(talked, "learn", "standup")
    told = run(talked, "diagnose", "standup").out
    steps = [line.split()[0] for line in told.splitlines() if line.startswith("  ")]
    assert [one for one in steps if one in {*Step}] == [one.value for one in Step]
    assert steps.count("add") == 2
    found = run(talked, "diagnose", "standup", "--json").json
    assert (found["dry"], len(found["records"])) == (False, 1)
    assert [one["outcome"] for one in found["records"][0]["decisions"]] == ["add", "add"]
    assert "did you mean standup" in run(talked, "diagnose", "standup2", code=2).err
    assert run(talked, "learn", "no-such", code=2).err


def test_what_fell_is_listed_kept_and_dropped(talked: GitRepo) -> None:
    def fell(text: str, reason: str) -> Fallen:
        return Fallen(Candidate(text, seqs=(1,)), Step.GATE, reason, "it is so for the moment")

    with Workspace.open(talked.path) as workspace:
        put(
            workspace, "standup", 1, 2, [fell("I am allergic to walnuts.", "transient_status"), fell("I'm hungry.", "activity_log")]
        )
    told = run(talked, "quarantine", "list").out
    assert "I'm hungry.  activity_log" in told
    assert "standup turns 1-2, at the step gate: it is so for the moment" in told
    only = run(talked, "quarantine", "list", "--reason", "transient_status", "--json").json
    assert (len(only["statements"]), only["total"]) == (1, 1)
    assert "there is activity_log, transient_status" in run(talked, "quarantine", "list", "--reason", "x").out
    kept = run(talked, "quarantine", "keep", only["statements"][0]["id"]).out
    assert "add " in kept
    assert "walnuts" in run(talked, "list").out
    (left,) = run(talked, "quarantine", "list", "--session", "standup", "--json").json["statements"]
    assert run(talked, "quarantine", "drop", left["id"], "q-0000000", code=2).err
    assert run(talked, "quarantine", "drop", left["id"]).out == "Dropped 1 statement.\n"
    assert run(talked, "quarantine", "list").out == "Nothing is in quarantine.\n"
    assert "nothing in quarantine has the id" in run(talked, "quarantine", "keep", left["id"], code=2).err


def test_what_is_said_otherwise_takes_the_place_of_what_was_learned(talked: GitRepo) -> None:
    run(talked, "learn", "--all")
    done = run(talked, "add", "--since", "2026-05", "I live in Porto").out
    assert done.startswith("Added in the place of ")
    assert "Porto" in run(talked, "recall", "where do I live").out
    assert "Lisbon" in run(talked, "recall", "Lisbon", "--as-of", "2026-03-01").out
    assert run(talked, "add", "I no longer live in Porto").out.startswith("Taken back: ")
    assert run(talked, "recall", "where do I live").out == "No fact answers that.\n"
