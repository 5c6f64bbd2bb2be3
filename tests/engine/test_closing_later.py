"""What waits after a closing: nothing that fails keeps anything else waiting, whatever the clocks say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.closing import queue as queue_module
from memtree.engine.closing.better import better_recap
from memtree.engine.closing.later import Later
from memtree.engine.closing.open_turns import Sessions
from memtree.engine.closing.queue import ARCHIVE, BETTER, CLOSE, CLOSE_WHOLE, Queue, Step
from memtree.engine.forgetting import Target, forget
from memtree.tree.generated import Author
from memtree.tree.segments import Reason, Segment, exchanges
from support.conversations import CONTENT, PLAIN, T0, TALK, close, lonely, recaps, record, said, spans
from support.machines import Machine, Machines
from support.model_server import Body, ModelServer, Reply, fail, model_server, typed

PROSE = "The user chose tantivy for the search, and meetings begin after nine."
IDLE = PLAIN + b"[segments]\nclose_idle_secs = 3600\n"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as started:
        yield started


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def with_model(machines: Machines, server: ModelServer) -> Machine:
    more = b"[learning]\ngoals_enrichment_enabled = false\n"
    return lonely(machines, PLAIN + more + server.settings("default", retries=0, timeout=60.0).encode())


class TestModels:
    def test_recaps_whose_turns_are_gone_take_nobodys_place(
        self, machines: Machines, server: ModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("memtree.engine.closing.later._RECAPS", 1)
        machine = with_model(machines, server)
        for name in ("s-1", "s-2", "s-3"):
            record(machine, said(name, TALK))
            close(machine, name)
        for number in range(1, 7):
            machine.remove(f"{CONTENT}/episodic/s-1/{number:06}.md")
        machine.save(allow_mass_delete=True)
        server.script(typed(recap=PROSE, importance="normal"))
        for _ in range(2):
            Later(machine.workspace).run()
        assert {recap.session: recap.author for recap in recaps(machine)} == {
            "s-1": Author.EXTRACTION,
            "s-2": Author.MODEL,
            "s-3": Author.MODEL,
        }

    def test_one_that_no_model_can_tell_keeps_no_other_waiting(
        self, machines: Machines, server: ModelServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("memtree.engine.closing.later._RECAPS", 1)
        machine = with_model(machines, server)
        for name in ("s-1", "s-2"):
            record(machine, said(name, TALK))
            close(machine, name)
        server.script(typed(recap="", importance="normal"))
        Later(machine.workspace).run()
        server.script(typed(recap=PROSE, importance="normal"))
        Later(machine.workspace).run()
        assert [recap.author for recap in recaps(machine)] == [Author.EXTRACTION, Author.MODEL]

    def test_what_is_forgotten_while_a_model_thinks_is_not_told_by_it(self, machines: Machines, server: ModelServer) -> None:
        """The recap itself does not hold it: only the turn does, and what the model was told."""
        machine = with_model(machines, server)
        record(machine, said("s-1", [(f"Question {n} about the garden and the house?", "It is 42.") for n in range(60)], step=1))
        report = close(machine)
        text = "Question 7 about the garden and the house?"
        recap, *_ = recaps(machine)
        assert report.closed
        if text in recap.body:
            pytest.fail("the extracted recap should not hold it")

        def slow(_: Body) -> Reply:
            forget(machine.workspace, Target(text=text))
            return typed(recap=f"The user asked this: {text}", importance="normal")

        server.script(slow)
        messages = Sessions.of(machine.workspace).messages("s-1", recap.first, recap.last)

        def segment() -> Segment:
            found = Sessions.of(machine.workspace).messages("s-1", recap.first, recap.last)
            return Segment("s-1", tuple(exchanges(found)), Reason.SESSION_END)

        assert any(text in message.text for message in messages)
        better_recap(machine.workspace, recap, segment(), segment)
        assert not [path for path, data in machine.committed().items() if text.encode() in data]

    def test_a_model_that_is_away_is_asked_again_soon_however_often_it_was(self, machines: Machines, server: ModelServer) -> None:
        machine = with_model(machines, server)
        for name in ("s-1", "s-2"):
            record(machine, said(name, TALK))
            close(machine, name)
        server.script(fail(503))
        for _ in range(8):
            Later(machine.workspace).run()
            machines.clock.tick(40_000)
        server.script(typed(recap=PROSE, importance="normal"))
        Later(machine.workspace).run()
        machines.clock.tick(120)
        Later(machine.workspace).run()
        assert [recap.author for recap in recaps(machine)] == [Author.MODEL] * 2

    def test_by_hand_it_is_asked_at_once(self, machines: Machines, server: ModelServer) -> None:
        machine = with_model(machines, server)
        record(machine, said("s-1", TALK))
        close(machine)
        server.script(fail(503))
        Later(machine.workspace).run()
        server.script(typed(recap=PROSE, importance="normal"))
        later = Later(machine.workspace)
        later.again()
        assert later.run().waiting == 0
        assert recaps(machine)[0].author == Author.MODEL


class TestQueue:
    def test_what_only_a_model_can_do_leaves_room_for_the_rest(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(queue_module, "_MOST", 3)
        queue = Queue(str(tmp_path))
        for number in range(5):
            queue.put(Step(ARCHIVE, "s", number, number))
        queue.put(Step(CLOSE_WHOLE, "s"))
        assert [step.kind for step in queue.steps()].count(ARCHIVE) == 3
        assert [step.kind for step in queue.steps(CLOSE, CLOSE_WHOLE)] == [CLOSE_WHOLE]
        assert queue.steps(CLOSE) == queue.steps(BETTER) == []

    def test_what_a_killed_process_left_half_written_goes(self, tmp_path: Path) -> None:
        queue = Queue(str(tmp_path))
        queue.put(Step(CLOSE, "s"))
        halves = [Path(queue.folder, name) for name in (".close-0123.step.0a1b2c3d", "recaps.json.0a1b2c3d")]
        new = Path(queue.folder, ".close-0123.step.ffffffff")
        for path in (*halves, new):
            path.write_text("{")
        for path in halves:
            os.utime(path, (1, 1))
        queue.sweep(new.stat().st_mtime)
        assert [path.exists() for path in (*halves, new)] == [False, False, True]
        assert len(queue.steps()) == 1

    def test_a_session_that_could_not_be_closed_for_long_is_closed_soon_when_it_can(self, machines: Machines) -> None:
        machine = lonely(machines, PLAIN)
        record(machine, said("s-1", TALK))
        Queue(machine.workspace.places.folder).put(Step(CLOSE_WHOLE, "s-1"))
        machine.git("switch", "-qc", "elsewhere")
        for _ in range(8):
            Later(machine.workspace).run()
            machines.clock.tick(40_000)
        machine.git("switch", "-q", "main")
        assert len(Later(machine.workspace).run().closed.closed) == 1


class TestClocks:
    @pytest.mark.parametrize(
        ("bases", "ends"),
        [
            ((T0, T0 - 86_400_000, T0 + 1000), [(1, 4, "time_gap"), (5, 6, "session_end")]),
            ((253_402_300_799_000,) * 3, [(1, 6, "session_end")]),
            ((T0, 253_402_300_799_000, T0), [(1, 2, "time_gap"), (3, 6, "session_end")]),
        ],
        ids=["back and forth", "year 9999", "year 9999 between"],
    )
    def test_times_that_jump_cut_a_session_and_lose_nothing(self, machines: Machines, bases: tuple[int, ...], ends: object) -> None:
        machine = lonely(machines, PLAIN)
        record(machine, [turn for n, base in enumerate(bases) for turn in said("s-1", TALK[n : n + 1], start=n, step=0, base=base)])
        close(machine)
        assert [(one.first, one.last, one.reason) for one in recaps(machine)] == ends

    @pytest.mark.parametrize("ahead", [0, 10**9], ids=["now", "in a far future"])
    def test_a_session_that_fell_silent_is_closed_whatever_times_it_tells(self, machines: Machines, ahead: float) -> None:
        machine, clock = lonely(machines, IDLE), machines.clock
        record(machine, said("s-1", TALK, base=int((clock.now + ahead) * 1000)))
        os.utime(f"{machine.workspace.places.folder}/turns/s-1", (clock.now, clock.now))
        clock.tick(7200)
        Later(machine.workspace).run()
        assert spans(machine) == [(1, 6)]

    def test_also_where_this_machines_clock_was_set_back(self, machines: Machines) -> None:
        machine, clock = lonely(machines, IDLE), machines.clock
        clock.tick(10**7)
        Later(machine.workspace).run()
        clock.tick(-(10**7))
        record(machine, said("s-1", TALK, base=int(clock.now * 1000)))
        os.utime(f"{machine.workspace.places.folder}/turns/s-1", (clock.now, clock.now))
        clock.tick(20_000)
        Later(machine.workspace).run()
        assert spans(machine) == [(1, 6)]
