"""The librarian: one machine by the settings, which all machines read; taking it on changes one line of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.files import Durability
from memtree.engine.librarian import MachineUnnamed, NotTheLibrarian, is_librarian, librarian_of, require_librarian, take
from memtree.engine.settings import InvalidSettings, parse
from memtree.engine.status import status
from memtree.engine.workspace import Options, Workspace
from memtree.tree.toml_line import NotSettable
from support.gitrepo import GitRepo
from support.machines import Machines

HAND_MADE = b"# mine\r\ncontent = 'brain'  # and why\r\n\r\n[watch]   # as I like it\r\nquiet=1.0\r\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.init(str(tmp_path / "w"), options=Options(durability=Durability.FAST, lock_timeout=1.0))[0]


def test_alone_this_machine_is_it_and_beside_a_remote_nobody_until_one_takes_it(workspace: Workspace) -> None:
    assert (librarian_of(workspace), is_librarian(workspace), status(workspace).librarian) == (
        workspace.device,
        True,
        workspace.device,
    )
    workspace.remotes.add("origin", workspace.root + "-remote")
    assert (librarian_of(workspace), is_librarian(workspace), status(workspace).librarian) == ("", False, "")
    with pytest.raises(NotTheLibrarian, match="no machine is the librarian") as refused:
        require_librarian(workspace)
    assert "memtree librarian take" in refused.value.hint
    done = take(workspace)
    assert (done.librarian, done.before, done.commit.changed) == (workspace.device, "", True)
    assert is_librarian(workspace)
    require_librarian(workspace)
    with Workspace.open(workspace.root) as later:
        assert later.settings.librarian == workspace.device
    assert take(workspace).commit.changed is False
    assert GitRepo(Path(workspace.root)).git("status", "--porcelain") == ""


def test_the_other_machine_learns_it_and_takes_it_over(tmp_path: Path) -> None:
    machines = Machines(tmp_path)
    try:
        one, two = machines.pair({"a.md": "x\n"})
        two.workspace.repo.set_config("memtree.device", "other-0001")
        take(one.workspace)
        machines.settle()
        two.reopen()
        assert librarian_of(two.workspace) == one.workspace.device != two.workspace.device
        with pytest.raises(NotTheLibrarian, match=f"{one.workspace.device} is the librarian"):
            require_librarian(two.workspace)
        assert take(two.workspace).before == one.workspace.device
        take(one.reopen().workspace)  # changes nothing: it is not synced yet
        machines.settle()
        assert [librarian_of(each.reopen().workspace) for each in (one, two)] == ["other-0001"] * 2
    finally:
        machines.close()


def test_two_that_take_it_at_once_agree_on_one(tmp_path: Path) -> None:
    machines = Machines(tmp_path)
    try:
        one, two = machines.pair({"a.md": "x\n"})
        two.workspace.repo.set_config("memtree.device", "other-0001")
        take(one.workspace)
        take(two.reopen().workspace)
        machines.settle()
        found = {librarian_of(each.reopen().workspace) for each in (one, two)}
        assert len(found) == 1
        assert found <= {one.workspace.device, "other-0001"}
    finally:
        machines.close()


def test_every_other_byte_of_the_settings_stays_also_of_an_edit_not_saved(workspace: Workspace) -> None:
    path = Path(workspace.root, "memtree.toml")
    path.write_bytes(HAND_MADE)
    take(workspace)
    line = f'librarian = "{workspace.device}"\r\n'.encode()
    assert path.read_bytes() == HAND_MADE.replace(b"# and why\r\n", b"# and why\r\n" + line)
    assert parse(path.read_bytes()).watch.quiet == 1.0


def test_what_cannot_be_edited_is_left(workspace: Workspace) -> None:
    path = Path(workspace.root, "memtree.toml")
    path.write_bytes(b'librarian = """\nold"""\n')
    workspace.save()
    before = workspace.repo.tip()
    with pytest.raises(NotSettable, match="librarian is written in a way"):
        take(workspace)
    assert workspace.repo.tip() == before


def test_a_machine_without_a_name_does_not_take_it(workspace: Workspace) -> None:
    GitRepo(Path(workspace.root)).git("config", "--unset", "memtree.device")
    with Workspace.open(workspace.root) as unnamed, pytest.raises(MachineUnnamed):
        take(unnamed)


@pytest.mark.parametrize("text", [b"librarian = 5\n", b'librarian = "a\\nb"\n', b'librarian = "' + b"x" * 300 + b'"\n'])
def test_a_name_that_is_none_is_refused_with_the_settings(text: bytes) -> None:
    with pytest.raises(InvalidSettings, match="librarian"):
        parse(text)
