"""While a session is being closed, others close it too, edit its turns, forget what was said, on this machine and on another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.closer import Closer, everything, nothing
from memtree.engine.closing.open_turns import OpenTurns
from memtree.engine.forgetting import Target, forget
from memtree.engine.workspace import Workspace
from memtree.tree.episode import Episode, session_folder
from memtree.tree.generated import Author
from memtree.tree.recap import Recap, Status, rewritten
from support.conversations import (
    CONTENT,
    PLAIN,
    T0,
    TALK,
    below,
    by_hand,
    close,
    lonely,
    pair,
    recaps,
    record,
    said,
    spans,
    untold,
)
from support.machines import Machines

TWO = PLAIN + b"[segments]\nmax_turns_per_segment = 2\n"
LONG = (*TALK, ("Which port does the staging server listen on these days?", "On port 8443, behind the proxy."))


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def meanwhile(do: Callable[[], object]) -> Callable[[OpenTurns], bool]:
    """Everything is over, and once the turns have been read something is done, before anything is written."""
    left = [do]

    def whole(_: OpenTurns) -> bool:
        if left:
            left.pop()()
        return True

    return whole


class TestOthersHere:
    def test_who_closed_another_stretch_leaves_no_turn_out(self, machines: Machines) -> None:
        machine = lonely(machines, TWO)
        record(machine, said("s-1", LONG))
        other = Recap("s-1", "seg-0", 1, 2, 1, "session_end", Status.CLOSED, prose="Closed by another.")
        path = other.path("s-1", CONTENT)
        report = close(machine, whole=meanwhile(lambda: by_hand(machine, {path: other.render()})))
        assert spans(machine) == [(1, 2), (3, 6), (7, 8)]
        assert [one.first for one in report.closed] == [3, 7]
        assert untold(machine) == {}
        assert machine.committed()[path] == other.render()
        machine.assert_sound()

    def test_who_closed_the_same_has_closed_it(self, machines: Machines) -> None:
        machine = lonely(machines, TWO)
        record(machine, said("s-1", LONG))
        with Workspace.open(machine.path, machine.workspace.options) as other:
            report = close(machine, whole=meanwhile(lambda: Closer(other).close(["s-1"], whole=nothing)))
        assert spans(machine) == [(1, 4), (5, 8)]
        assert [one.first for one in report.closed] == [5]

    def test_a_text_that_is_forgotten_meanwhile_is_not_told(self, machines: Machines) -> None:
        machine = lonely(machines, PLAIN)
        record(machine, said("s-1", TALK))
        with Workspace.open(machine.path, machine.workspace.options) as other:
            close(machine, whole=meanwhile(lambda: forget(other, Target(text="I prefer tabs to spaces."))))
        assert not [path for path, data in machine.committed().items() if b"tabs" in data]
        assert len(recaps(machine)) == 1

    @pytest.mark.parametrize("deleted", [True, False], ids=["deleted", "edited"])
    def test_a_turn_that_changes_meanwhile_is_told_as_it_is_then(self, machines: Machines, deleted: bool) -> None:
        machine = lonely(machines, PLAIN)
        record(machine, said("s-1", TALK))
        path = f"{CONTENT}/episodic/s-1/000005.md"
        new = Episode("s-1", 5, "Never mind where I am, any time is fine.", T0 + 120_000, "user").render()
        close(machine, whole=meanwhile(lambda: by_hand(machine, {path: None if deleted else new})))
        derived = b"".join(data for name, data in machine.committed().items() if "/episodic/" not in name)
        assert b"Berlin" not in derived
        assert (b"any time is fine" in derived) != deleted

    def test_what_a_person_took_out_of_a_turn_a_moment_ago_is_not_told(self, machines: Machines) -> None:
        """Nobody has committed their edit yet."""
        machine = lonely(machines, PLAIN)
        record(machine, said("s-1", TALK))
        path = f"{CONTENT}/episodic/s-1/000005.md"
        machine.write(path, machine.committed()[path].replace(b"Berlin", b"a city"))
        close(machine)
        assert not [name for name, data in machine.committed().items() if b"Berlin" in data]

    def test_at_once_each_segment_is_closed_once(self, machines: Machines) -> None:
        machine = lonely(machines, TWO)
        record(machine, [turn for n in range(3) for turn in said(f"s-{n}", LONG)])
        folders = [f"s-{n}" for n in range(3)]
        start, reports = threading.Barrier(4), []

        def run(order: int) -> None:
            with Workspace.open(machine.path, machine.workspace.options) as workspace:
                start.wait(30)
                reports.append(Closer(workspace).close(folders[:: 1 - 2 * order], whole=everything))

        threads = [threading.Thread(target=run, args=(n % 2,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(reports) == 4
        assert sorted((one.session, one.first) for report in reports for one in report.closed) == [
            (f"s-{n}", first) for n in range(3) for first in (1, 5)
        ]
        assert all(untold(machine, folder) == {} for folder in folders)
        machine.assert_sound()

    def test_a_session_that_is_named_twice_is_closed_once(self, machines: Machines) -> None:
        machine = lonely(machines, PLAIN)
        record(machine, said("s-1", TALK))
        assert len(Closer(machine.workspace).close(["s-1", "s-1"], whole=everything).closed) == 1


class TestOtherMachines:
    def test_one_records_and_the_other_closes(self, machines: Machines) -> None:
        one, two = pair(machines)
        record(one, said("s-1", TALK))
        machines.settle()
        close(two)
        machines.settle()
        assert close(one).closed == []
        assert spans(one) == [(1, 6)]
        machines.assert_agreed()

    def test_each_goes_on_where_the_other_ended(self, machines: Machines) -> None:
        one, two = pair(machines)
        for number, machine in enumerate((one, two, one)):
            record(machine, said("s-1", TALK[number : number + 1], start=number))
            close(machine)
            machines.settle()
        assert spans(one) == [(1, 2), (3, 4), (5, 6)]
        assert untold(one) == {}
        machines.assert_agreed()

    @pytest.mark.parametrize("closed_first", [True, False])
    def test_numbers_that_both_gave_are_told_together(self, machines: Machines, closed_first: bool) -> None:
        one, two = pair(machines)
        talks = (
            TALK[:2],
            (("The kettle in the kitchen is broken, we decided to buy a new one.", "A red one is on sale."), TALK[2]),
        )
        for machine, talk in zip((one, two), talks, strict=True):
            record(machine, said("s-1", talk))
            if closed_first:
                close(machine)
        machines.settle()
        for machine in (one, two):
            close(machine)
        machines.settle()
        chat = b"".join(below(one, "chat").values())
        assert all(text.encode() in chat for talk in talks for turn in talk for text in turn)
        assert untold(one) == {}
        tip = one.tip
        assert close(one).closed == close(two).closed == []
        assert one.tip == tip
        machines.assert_agreed()

    @pytest.mark.parametrize("also", [False, True], ids=["alone", "beside a person"])
    def test_a_models_recap_stands_before_an_extracted_one_and_a_persons_before_both(self, machines: Machines, also: bool) -> None:
        one, two = pair(machines)
        record(one, said("s-1", TALK))
        machines.settle()
        for machine in (one, two):
            close(machine)
        (recap,) = recaps(one)
        told = rewritten(one.committed()[recap.path], "The user chose tantivy, and works from Berlin.", "a-model")
        one.workspace.write({recap.path: told}, "recap written anew\n\nMemtree-Writer: recap\n")
        if also:
            two.write(recap.path, two.committed()[recap.path] + b"\nMine, and it stays.\n")
            two.save()
        machines.settle()
        (merged,) = recaps(two)
        assert merged.author == (Author.PERSON if also else Author.MODEL)
        assert ("Mine, and it stays." in merged.body) == also
        assert not merged.may_get_better
        assert merged.events == recap.events
        machines.assert_agreed()


@pytest.mark.parametrize(
    "session",
    [
        "会话 一",
        "Über A",
        "..",
        "../../etc",
        "a/b\\c",
        "con",
        ".hidden",
        "s.",
        "x" * 600,
        "é" * 300,
        "a\n---\nstatus: empty",
        "🙂",
        "%41",
    ],
    ids=range(13),
)
def test_whatever_a_session_is_called_its_recaps_lie_beside_its_turns(machines: Machines, session: str) -> None:
    machine = lonely(machines, PLAIN)
    before = set(machine.committed())
    record(machine, said(session, TALK))
    close(machine, session)
    (recap,) = recaps(machine)
    assert recap.session == session
    assert recap.path == f"{CONTENT}/recap/{session_folder(session)}/000001-000006.md"
    roots = {path.removeprefix(f"{CONTENT}/").split("/")[0] for path in set(machine.committed()) - before}
    assert roots == {"episodic", "recap", "chat", "profile"}
    assert close(machine, session).closed == []
    machine.assert_sound()
