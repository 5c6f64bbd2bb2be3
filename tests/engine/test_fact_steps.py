"""Facts as steps that wait: what a model does, a kill, and a full queue cost time, and never a fact; nothing is done twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.later import Later
from memtree.engine.closing.queue import FACTS as FACTS_STEP
from memtree.engine.closing.queue import Queue, Step
from memtree.engine.facts.catching_up import CaughtUp, learn_sessions
from memtree.engine.facts.diagnosis import NoSuchSession
from memtree.engine.forgetting import Target, forget
from support import model_server as made
from support.conversations import FACTS, PLAIN, T0, lonely, toml
from support.fact_talk import answering, asked_for_facts, facts, learn, say_in, seen, settings, told
from support.machines import Machine, Machines
from support.model_server import Body, ModelServer, Reply, fail, model_server, say, typed

HOME = "I live in Berlin."
FOUND = {HOME: [{"text": "The user lives in Berlin", "source_seqs": [1]}]}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as started:
        yield started


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made_ = Machines(tmp_path)
    yield made_
    made_.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return lonely(machines, FACTS)


@pytest.fixture
def asking(machines: Machines, server: ModelServer) -> Machine:
    """A workspace with a model."""
    server.script(answering(FOUND))
    return lonely(machines, settings(server))


def waiting(machine: Machine) -> list[Step]:
    return Queue(machine.workspace.places.folder).steps(FACTS_STEP)


def commits_of_facts(machine: Machine) -> int:
    return machine.git("log", "--format=%B").count("Memtree-Writer: facts")


class TestTheQueue:
    def test_closing_puts_a_step_for_each_segment_with_words(self, machine: Machine) -> None:
        say_in(machine, "s-1", [HOME])
        assert [(step.session, step.first, step.last) for step in waiting(machine)] == [("s-1", 1, 2)]
        learn(machine)
        assert waiting(machine) == []

    def test_none_where_nothing_was_said(self, machine: Machine) -> None:
        say_in(machine, "s-1", ["<system-reminder>be brief</system-reminder>"], answer="")
        assert waiting(machine) == []

    def test_none_where_facts_are_not_wanted(self, machines: Machines) -> None:
        machine = lonely(machines, PLAIN)
        say_in(machine, "s-1", [HOME])
        assert waiting(machine) == []

    def test_steps_that_are_not_wanted_any_more_go(self, machine: Machine) -> None:
        say_in(machine, "s-1", [HOME])
        machine.write("memtree.toml", toml(PLAIN))
        machine.save()
        machine = machine.reopen()
        learn(machine)
        assert (waiting(machine), facts(machine)) == ([], {})

    def test_many_segments_are_one_commit(self, machine: Machine) -> None:
        for number in range(12):
            say_in(machine, f"s-{number}", [f"We decided to use port 80{number:02} for service number {number}."])
        learn(machine)
        assert len(facts(machine)) == 12
        assert commits_of_facts(machine) == 1

    def test_of_very_many_some_at_a_time(self, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("memtree.engine.facts.due.TOGETHER", 4)
        for number in range(9):
            say_in(machine, f"s-{number}", [f"We decided to use port 80{number:02} for service number {number}."])
        learn(machine)
        assert (len(facts(machine)), commits_of_facts(machine)) == (9, 3)

    def test_one_that_breaks_keeps_no_other(self, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        for number in range(3):
            say_in(machine, f"s-{number}", [f"We decided to use port 80{number:02} for service number {number}."])
        from memtree.engine.facts import pipeline

        real = pipeline.heard

        def breaking(workspace: object, sessions: object, folder: str, *rest: object) -> object:
            if folder == "s-1":
                raise RuntimeError(HOME)
            return real(workspace, sessions, folder, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr(pipeline, "heard", breaking)
        report = learn(machine)
        assert len(facts(machine)) == 2
        assert [(step.session, step.tries) for step in waiting(machine)] == [("s-1", 1)]
        assert report.notes == ["facts must wait: RuntimeError: a bug, or a disk that fails"]
        monkeypatch.undo()
        machine.workspace.options.clock.tick(3_600)  # type: ignore[attr-defined]
        learn(machine)
        assert len(facts(machine)) == 3


class TestKilled:
    @pytest.mark.parametrize("place", ["quarantine", "records", "learned", "done"])
    def test_anywhere_after_the_commit(self, machine: Machine, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
        say_in(machine, "s-1", [HOME, "I prefer tabs to spaces."])
        target = {
            "quarantine": "memtree.engine.facts.pipeline.quarantine.put",
            "records": "memtree.engine.facts.pipeline.keep_records",
            "learned": "memtree.engine.facts.pipeline.keep_learned",
            "done": "memtree.engine.closing.queue.Queue.done",
        }[place]

        def killed(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(target, killed)
            with pytest.raises(KeyboardInterrupt):
                learn(machine)
        assert commits_of_facts(machine) == 1
        before, tip = facts(machine), machine.tip
        learn(machine.reopen())
        assert (facts(machine), waiting(machine)) == (before, [])
        assert machine.tip == tip

    def test_before_the_commit(self, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        say_in(machine, "s-1", [HOME])

        def killed(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("memtree.engine.facts.writing.commit_plan", killed)
            with pytest.raises(KeyboardInterrupt):
                learn(machine)
        learn(machine.reopen())
        assert set(facts(machine)) == {HOME}


class TestModels:
    def test_a_model_is_asked_where_there_is_one(self, asking: Machine) -> None:
        found = told(asking, HOME)
        assert [(one.text, one.generator) for one in found.values()] == [("The user lives in Berlin", "made-1")]

    def test_one_that_may_not_be_asked_here_is_not(self, machines: Machines) -> None:
        table = b'[models.default]\nurl = "https://models.example/v1"\nmodel = "m"\n'
        machine = lonely(machines, FACTS + table)
        say_in(machine, "s-1", [HOME])
        learn(machine)
        assert [one.generator for one in facts(machine).values()] == ["extractive"]
        assert any("was not allowed on this machine" in note for note in seen(machine).notes)

    @pytest.mark.parametrize(
        "reply",
        [fail(429), fail(500), made.SLAM, made.EMPTY, say("No."), typed(facts=[3]), fail(401)],
        ids=["429", "500", "slam", "empty", "prose", "shape", "key"],
    )
    def test_whatever_it_does_the_step_waits(self, machines: Machines, server: ModelServer, reply: Reply) -> None:
        machine = lonely(machines, settings(server))
        server.script(lambda body: reply if asked_for_facts(body) else answering(FOUND)(body))
        say_in(machine, "s-1", [HOME])
        report = learn(machine)
        (step,) = waiting(machine)
        assert (step.tries, facts(machine)) == (1, {})
        assert any(note.startswith("facts must wait: ") for note in report.notes)
        assert any("tried 1 times" in note for note in seen(machine).notes)
        asked = sum(map(asked_for_facts, server.requests))
        learn(machine)
        assert sum(map(asked_for_facts, server.requests)) == asked  # not before its time
        machines.clock.tick(86_400)
        server.script(answering(FOUND))
        learn(machine)
        assert (set(facts(machine)), waiting(machine)) == ({"The user lives in Berlin"}, [])

    def test_one_that_only_talks_nonsense_is_done_without(self, machines: Machines, server: ModelServer) -> None:
        machine = lonely(machines, settings(server))
        server.script(lambda body: say("Certainly!") if asked_for_facts(body) else answering(FOUND)(body))
        say_in(machine, "s-1", [HOME])
        for _ in range(6):
            learn(machine)
            machines.clock.tick(86_400)
        assert [one.generator for one in facts(machine).values()] == ["extractive"]
        assert waiting(machine) == []
        assert any("words alone" in note and "6 times" in note for note in seen(machine).notes)

    def test_what_is_forgotten_while_it_thinks_is_no_fact(self, machines: Machines, server: ModelServer) -> None:
        machine = lonely(machines, settings(server))
        say_in(machine, "s-1", [HOME, "I prefer tabs to spaces."])

        def forgetful(body: Body) -> Reply:
            if asked_for_facts(body):
                forget(machine.workspace, Target(text="live in Berlin"))
            return answering({**FOUND, "tabs": [{"text": "The user prefers tabs to spaces", "source_seqs": [3]}]})(body)

        server.script(forgetful)
        learn(machine)
        assert set(facts(machine)) == {"The user prefers tabs to spaces"}
        for path in Path(machine.workspace.places.folder).rglob("*.json"):
            if path.parent.name != "recaps":
                assert "live in Berlin" not in path.read_text(errors="replace"), path


class TestCatchingUp:
    def test_what_was_closed_before_is_learned_when_asked_for(self, machines: Machines) -> None:
        machine = lonely(machines, PLAIN)
        say_in(machine, "s-1", [HOME])
        say_in(machine, "s-2", ["I prefer tabs to spaces."], base=T0 + 86_400_000)
        machine.write("memtree.toml", toml(FACTS))
        machine.save()
        machine = machine.reopen()
        learn(machine)
        assert facts(machine) == {}
        assert any("memtree facts learn" in note for note in seen(machine).notes)
        looked: list[int] = []
        assert learn_sessions(machine.workspace, progress=looked.append) == CaughtUp(2, 2, 0)
        assert looked == [1, 1]
        Later(machine.workspace).run_facts()
        assert set(facts(machine)) == {HOME, "I prefer tabs to spaces."}
        assert learn_sessions(machine.workspace) == CaughtUp(0, 0, 2)
        assert learn_sessions(machine.workspace, ["s-1"], again=True) == CaughtUp(1, 1, 0)
        tip = machine.tip
        Later(machine.workspace).run_facts()
        assert machine.tip == tip

    def test_one_that_is_not_here_is_told(self, machine: Machine) -> None:
        say_in(machine, "summer-plans", [HOME])
        with pytest.raises(NoSuchSession) as caught:
            learn_sessions(machine.workspace, ["sumer-plans"])
        assert caught.value.near == ("summer-plans",)
        assert "did you mean summer-plans" in caught.value.hint
