"""Turns in pieces: prompts and answers that come apart, late, twice, grown, after a person's hand or on another machine.

Nothing that was said is overwritten or lost, and nothing that a person took away comes back.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.forgetting import Target, forget
from memtree.engine.workspace import Workspace
from memtree.engine.writers.ledger import Ledger
from memtree.engine.writers.many_turns import record_turns
from memtree.engine.writers.turn_plan import Outcome, TurnRefused, plain_id, prepared, sealed
from memtree.engine.writers.turns import ledger_of
from memtree.tree.agent_turn import KEYS, UUID, AgentTurn, ToolCall
from memtree.tree.document import Document
from memtree.tree.episode import Episode, session_folder
from memtree.tree.redactor import Redactor
from memtree.tree.secrets import find_secrets
from support.machines import Machine, Machines, options

EPISODIC = "memory_tree/content/episodic"
START = 1_714_557_600_000


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely({"notes/a.md": "apple\n"})


def asked(number: int = 1, session: str = "s-1") -> AgentTurn:
    """A prompt without its answer."""
    return AgentTurn(session, f"question {number}", "", START + number, prompt_uuid=f"p{number}")


def answered(number: int = 1, text: str = "", uuid: str = "", session: str = "s-1") -> AgentTurn:
    text = text or f"answer {number}"
    return AgentTurn(session, f"question {number}", text, START + number, uuid or f"u{number}", f"p{number}")


def said(machine: Machine, session: str = "s-1") -> list[tuple[str, str]]:
    repo = machine.workspace.repo
    found = repo.files(repo.tip(), f"{EPISODIC}/{session_folder(session)}")
    parsed = (Episode.parse(path, repo.blob(entry.id)) for path, entry in found)
    return [(one.role, one.text) for one in parsed if one is not None]


def texts(machine: Machine, session: str = "s-1") -> list[str]:
    return [text for _, text in said(machine, session)]


def listed(machine: Machine, session: str = "s-1") -> Path:
    return Path(machine.workspace.places.folder, "turns", session)


# -- pieces


def test_two_prompts_before_the_first_is_answered(machine: Machine) -> None:
    for one in (asked(1), asked(2), answered(1), answered(2)):
        machine.workspace.record_turn(one)
    assert texts(machine) == ["question 1", "question 2", "answer 1", "answer 2"]
    for one in (asked(1), asked(2), answered(1), answered(2)):
        assert machine.workspace.record_turn(one).outcome is Outcome.KNOWN


@pytest.mark.parametrize("second", [AgentTurn("s-1", "", "answer", START, "x"), AgentTurn("s-1", "question", "answer", START, "x")])
def test_a_prompt_and_its_answer_under_one_id(machine: Machine, second: AgentTurn) -> None:
    machine.workspace.record_turn(AgentTurn("s-1", "question", "", START, "x"))
    machine.workspace.record_turn(second)
    assert said(machine) == [("user", "question"), ("assistant", "answer")]
    for again in (second, AgentTurn("s-1", "question", "", START, "x")):
        assert machine.workspace.record_turn(again).outcome is Outcome.KNOWN


def test_an_answer_without_a_prompt_grows_in_its_place(machine: Machine) -> None:
    for text in ("half", "half and more"):
        machine.workspace.record_turn(AgentTurn("s-1", "", text, START, f"u-{text}", "p"))
    assert texts(machine) == ["half and more"]


def test_an_answer_that_grows_beside_an_edited_one_grows_in_one_place(machine: Machine) -> None:
    machine.workspace.record_turn(answered(text="half"))
    path = f"{EPISODIC}/s-1/000002.md"
    machine.write(path, machine.read(path).replace(b"half", b"half, says Ada"))
    machine.save()
    for number in range(3):
        machine.workspace.record_turn(answered(text="half" + " more" * number, uuid=f"u1-{number}"))
    assert texts(machine) == ["question 1", "half, says Ada", "half more more"]


PIECES = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(["ask", "answer", "half", "whole", "bare"]), st.booleans()), max_size=9
)
EXAMPLES = itertools.count()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    machines = Machines(tmp_path_factory.mktemp("pieces"))
    yield machines.lonely({"a.md": "a\n"})
    machines.close()


@settings(max_examples=15)
@given(PIECES)
def test_whatever_pieces_come_in_whatever_order_nothing_is_lost(shared: Machine, pieces: list[tuple[int, str, bool]]) -> None:
    session = f"pieces-{next(EXAMPLES)}"
    for number, piece, forgetful in pieces:
        one = answered(number, f"answer {number}{' and more' * (piece == 'whole')}", f"u{number}{piece}", session)
        if piece == "ask":
            one = asked(number, session)
        if piece == "bare":
            one = AgentTurn(session, "", one.assistant, one.timestamp, one.uuid, one.prompt_uuid)
        shared.workspace.record_turn(one)
        if forgetful:
            listed(shared, session).unlink(missing_ok=True)
    found = said(shared, session)
    for number, piece, _ in pieces:
        if piece in ("ask", "answer", "half", "whole") and (number, "bare") not in [(n, p) for n, p, _ in pieces]:
            assert found.count(("user", f"question {number}")) == 1
        if piece != "ask":
            more = any(n == number and p == "whole" for n, p, _ in pieces)
            assert ("assistant", f"answer {number}{' and more' * more}") in found


# -- what a person took away


@pytest.mark.parametrize("kept", [True, False])
def test_a_forgotten_text_does_not_come_back_with_a_longer_answer(machine: Machine, kept: bool) -> None:
    call = ToolCall("Bash", {"command": "echo secretword"})
    first = AgentTurn("s-1", "q", "the blue secretword\n\nswims", START, "u1", "p1", (call,))
    machine.workspace.record_turn(first)
    forget(machine.workspace, Target(text="secretword"))
    if not kept:
        listed(machine).unlink()
    longer = AgentTurn("s-1", "q", f"{first.assistant}\n\nand dives", START, "u2", "p1", (call, ToolCall("Read")))
    for one in (first, longer, AgentTurn("s-1", "q", f"{longer.assistant}\n\nagain", START, "u3", "p1", (call,))):
        machine.workspace.record_turn(one)
    assert "secretword" not in machine.git("grep", "-h", "", "HEAD", "--", EPISODIC)
    assert texts(machine) == ["q", "the blue [forgotten]\n\nswims", *(["and dives\n\nagain"] if kept else [])]


def test_an_agent_that_says_forgotten_forgets_nothing(machine: Machine) -> None:
    for mine in (True, False):
        number = 1 + mine
        machine.workspace.record_turn(answered(number, "it was [forgotten]"))
        if not mine:
            listed(machine).unlink()
        machine.workspace.record_turn(answered(number, "it was [forgotten] and more", f"v{number}"))
    assert texts(machine).count("it was [forgotten] and more") == 2


def test_a_turn_that_was_undone_stays_undone(machine: Machine) -> None:
    machine.workspace.record_turn(answered(1))
    stored = machine.workspace.record_turn(answered(2)).commit.after
    assert stored is not None
    machine.workspace.undo(stored)
    for again in (asked(2), answered(2), answered(2, "answer 2 and more", "u2b")):
        assert machine.workspace.record_turn(again).outcome is Outcome.KNOWN
    assert texts(machine) == ["question 1", "answer 1"]


# -- other machines


def test_answers_of_two_machines_that_gave_one_number_grow_beside_each_other(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "apple\n"})
    a.workspace.record_turn(answered(1))
    b.workspace.record_turn(answered(2))
    for machine in (a, b, a):
        machine.workspace.sync()
    for machine in (a, b):
        for number in (1, 2):
            machine.workspace.record_turn(answered(number, f"answer {number} and more", f"v{number}"))
    for machine in (a, b, a):
        machine.workspace.sync()
    assert a.committed() == b.committed()
    for machine in (a, b):
        assert set(texts(machine)) >= {"question 1", "question 2", "answer 1 and more", "answer 2 and more"}
        assert machine.workspace.record_turn(answered(1)).outcome is Outcome.KNOWN


def test_an_early_version_that_comes_late_is_known(machine: Machine) -> None:
    machine.workspace.record_turn(answered(text="half", uuid="u1"))
    machine.workspace.record_turn(answered(text="half and more", uuid="u2"))
    listed(machine).unlink()
    assert machine.workspace.record_turn(answered(text="half", uuid="u1")).outcome is Outcome.KNOWN


def test_files_behind_a_filter_are_known_for_what_they_say(machine: Machine) -> None:
    for word in ("clean", "smudge"):
        machine.git("config", f"filter.rot.{word}", "tr a-z n-za-m")
    machine.write(".gitattributes", "memory_tree/** filter=rot\n")
    machine.save()
    machine.workspace.record_turn(answered(text="half", uuid="u0"))
    assert machine.workspace.record_turn(answered()).paths == (f"{EPISODIC}/s-1/000002.md",)
    shutil.rmtree(listed(machine).parent)
    assert machine.workspace.record_turn(answered()).outcome is Outcome.KNOWN


# -- secrets in pieces

BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
PARTS = st.lists(
    st.sampled_from(
        [BEGIN, END, "MIIEpAIBAAKCAQEA" + "x" * 40, "api_key: ", "password=", "Bearer ", "ghp_", "a1B2c3D4e5F6g7H8i9J0", '"', "\n"]
    ),
    max_size=3,
).map("".join)
INPUTS = st.recursive(PARTS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(PARTS, inner, max_size=2), max_leaves=4)


@settings(max_examples=150)
@given(PARTS, PARTS, PARTS, st.lists(st.builds(ToolCall, PARTS, INPUTS, st.booleans(), PARTS), max_size=3), PARTS)
def test_secrets_that_reach_over_parts_leave_whole_files_without_them(
    user: str, assistant: str, model: str, calls: list[ToolCall], uuid: str
) -> None:
    turn = AgentTurn("s-1", f"{user}.", assistant, START, uuid, "", tuple(calls), model)
    with contextlib.suppress(TurnRefused):  # an id that holds one
        for episode in prepared(turn, Redactor(), START).episodes(1):
            data = sealed(episode)
            front = Document.parse(data).front_matter()
            assert find_secrets(data) == []
            assert not front.problem
            assert set(front.values) <= {"session_id", "seq", "timestamp", "role", *KEYS}
            assert (front.text(UUID), front.text("seq")) == (plain_id(uuid), str(episode.seq))


def test_a_session_that_holds_a_secret_is_told_without_it(machine: Machine) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    report = record_turns(machine.workspace, lambda: [answered(session=f"x {key}"), answered(uuid=key)], message="x")
    assert len(report.refused) == 2
    assert key not in str(report)


def test_ids_that_make_a_secret_of_a_turn_are_refused_and_nothing_is_noted(machine: Machine) -> None:
    session = f"{BEGIN} {'a1B2c3D4e5F6g7H8i9J0' * 3}"
    for one in (AgentTurn(session, "q", f"{END}", START, "u1"), AgentTurn(session, f"{END}", "", START, "u1")):
        with pytest.raises(TurnRefused):
            machine.workspace.record_turn(one)
    assert machine.workspace.record_turn(AgentTurn(session, "q", "a", START, "u1")).outcome is Outcome.STORED


# -- the list beside the repository


def ledger(machine: Machine) -> Ledger:
    return ledger_of(machine.workspace, "s-1")


def test_a_list_cut_anywhere_makes_no_turn_known_that_is_not_here_and_none_unknown(machine: Machine) -> None:
    for number in (12, 13):
        machine.workspace.record_turn(answered(number))
    ledger(machine).keep()
    data = listed(machine).read_bytes()
    known = {f"u{n}" for n in (12, 13)}, {f"p{n}" for n in (12, 13)}
    ours = sum(one.ours for one in ledger(machine).latest.values())
    assert ours == 2
    for end in range(len(data)):
        listed(machine).write_bytes(data[:end])
        found = ledger(machine)
        assert (set(found.answers), set(found.prompts)) == known
        found.keep()
        again = ledger(machine)
        assert (set(again.answers), set(again.prompts)) == known
        assert again._new == []  # all of it is remembered now


@pytest.mark.parametrize("uuid", ["x\\n= 7 {blob} wa uvictim p .", "x\\r= 7 {blob} wa uvictim p .", "x .\\n\\n", "\\u2028 y"])
def test_a_file_of_other_hands_forges_no_line(machine: Machine, uuid: str) -> None:
    forged = uuid.format(blob="a" * 40)
    machine.write(f"{EPISODIC}/s-1/000001.md", f'---\nsession_id: s-1\nseq: 1\nrole: assistant\nuuid: "{forged}"\n---\nhi\n')
    machine.save()
    machine.workspace.record_turn(answered(2))
    assert machine.workspace.record_turn(answered(3, uuid="victim")).outcome is Outcome.STORED
    assert len(texts(machine)) == 5


def test_a_turn_that_is_refused_half_way_leaves_no_trace_in_an_import(machine: Machine) -> None:
    bad = AgentTurn("s-1", "question", "answer", 10**18, "u1", "p1")
    report = record_turns(machine.workspace, lambda: [bad, answered(2)], message="x\n\nMemtree-Writer: import\n")
    assert [session for session, _ in report.refused] == ["s-1"]
    good = AgentTurn("s-1", "question", "answer", START, "u1", "p1")
    assert machine.workspace.record_turn(good).outcome is Outcome.STORED
    assert texts(machine) == ["question 2", "answer 2", "question", "answer"]


# -- a kill at any step


class Killed(BaseException):
    """The process is gone; no code of the engine's may catch it."""


def killed_at(step: int, root: Path, act: Callable[[Workspace], object]) -> bool:
    """Do something in a process that ends at its n-th step on disk; whether it got so far."""
    left = step

    def observe(_step: str, _path: str = "") -> None:
        nonlocal left
        left -= 1
        if left <= 0:  # from then on nothing happens any more, whatever wants to tidy up
            raise Killed

    workspace = Workspace.open(str(root), options())
    workspace.close()
    workspace = Workspace.open(str(root), replace(options(), observe=observe))
    try:
        act(workspace)
    except Killed:
        return True
    finally:
        with contextlib.suppress(Killed):
            workspace.close()
    return False


def one_by_one(workspace: Workspace) -> None:
    for one in DELIVERED:
        workspace.record_turn(one)


def all_at_once(workspace: Workspace) -> None:
    record_turns(workspace, lambda: DELIVERED, message="import turns\n\nMemtree-Writer: import\n")


DELIVERED = (answered(1, "answer 1 and more", "u1b"), answered(2))


@pytest.mark.parametrize("deliver", [one_by_one, all_at_once])
def test_killed_at_any_step_no_turn_is_lost_and_none_is_there_twice(
    machine: Machine, tmp_path: Path, deliver: Callable[[Workspace], object]
) -> None:
    machine.workspace.record_turn(answered(1))
    machine.workspace.close()
    steps = 0
    for step in itertools.count(1, 3):  # every third of some hundred
        root = tmp_path / f"killed-{step}"
        shutil.copytree(machine.path, root, symlinks=True)
        killed = killed_at(step, root, deliver)
        with Workspace.open(str(root), options()) as workspace:
            survivor = Machine(workspace)
            deliver(workspace)
            assert texts(survivor)[0] == "question 1"
            assert sorted(texts(survivor)) == ["answer 1 and more", "answer 2", "question 1", "question 2"]
            if step % 4 == 0:
                survivor.assert_sound()
        shutil.rmtree(root)
        if not killed:
            break
        steps += 1
    assert steps > 10
