"""Syncing under a person's own git settings: filters, line ends, file systems that fold case, remotes with odd histories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.arrivals import RefusedPaths
from support.gitrepo import GitRepo
from support.machines import Machine, Machines, committed


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


# -- content that git converts


def rot13(machine: Machine) -> None:
    """A filter as git-crypt's: what is stored is not what is in the file."""
    for name in ("clean", "smudge"):
        machine.git("config", f"filter.rot.{name}", "tr a-z n-za-m")


def test_plain_text_never_slips_past_a_filter(machines: Machines) -> None:
    a = machines.lonely({".gitattributes": "*.secret filter=rot\n"})
    rot13(a)
    a.write("x.secret", "hello\n")
    a.save()
    a.workspace.remotes.add("origin", machines.remote)
    a.sync()
    assert committed(machines.remote)["x.secret"] == b"uryyb\n"
    assert a.read("x.secret") == b"hello\n"
    assert a.status() == []
    b = machines.clone()
    assert b.read("x.secret") == b"uryyb\n"
    b.write("x.secret", "typed where the filter is missing\n")
    b.write("y.md", "y\n")
    report = b.save()
    assert [(one.path, "filter" in one.reason) for one in report.survey.left] == [("x.secret", True)]
    assert b.committed()["x.secret"] == b"uryyb\n"
    b.git("checkout", "--quiet", "x.secret")
    rot13(b)
    os.unlink(b.full("x.secret"))
    b.git("checkout", "--quiet", "x.secret")
    assert b.read("x.secret") == b"hello\n"
    a.write("x.secret", "from a\n")
    b.write("x.secret", "from b\n")
    b.sync()
    a.sync()
    b.sync()
    plain = {data for path, data in b.disk().items() if path.endswith(".secret")}
    assert plain == {b"from a\n", b"from b\n"} == {data for path, data in a.disk().items() if path.endswith(".secret")}
    stored = {data for path, data in committed(machines.remote).items() if path.endswith(".secret")}
    assert stored == {b"sebz n\n", b"sebz o\n"}
    assert a.status() == b.status() == []


@pytest.mark.parametrize("attributes", ["*.txt text eol=crlf\n", "*.txt text=auto\n", "* text=auto\n", "*.txt eol=lf\n"])
def test_line_ends_that_a_person_asked_git_to_convert(machines: Machines, attributes: str) -> None:
    a = machines.first({".gitattributes": attributes, "lf.txt": b"a\nb\n", "crlf.txt": b"a\r\nb\r\n", "n.md": b"a\r\nb\n"})
    b = machines.clone()
    for machine in (a, b):
        assert machine.status() == []
        assert machine.read("n.md") == b"a\r\nb\n"
    b.write("lf.txt", b"a\nb\nc\n")
    b.write("n.md", b"a\r\nb\nc\r\n")
    b.sync()
    report = a.sync()
    assert {str(change.path) for change in report.changes} == {"lf.txt", "n.md"}
    assert a.read("n.md") == b"a\r\nb\nc\r\n"
    for machine in (a, b):
        assert machine.status() == []
        assert not machine.save().commit.changed
    assert a.tip == b.tip


# -- a file system that folds case, as git is told in core.ignorecase


def test_names_that_fall_together_are_refused_where_they_cannot_stand(machines: Machines) -> None:
    a, b = machines.pair({"Plan.md": "upper\n"})
    b.git("config", "core.ignorecase", "true")
    a.write("plan.md", "lower\n")
    a.sync()
    tip = b.tip
    with pytest.raises(RefusedPaths, match="plan"):
        b.sync()
    assert b.tip == tip
    b.assert_sound()
    a.move("plan.md", "other.md")
    a.sync()
    b.sync()
    b.assert_sound()
    assert set(b.notes()) == {"Plan.md", "other.md"}


def test_a_name_that_only_changed_its_case_is_no_twin(machines: Machines) -> None:
    a, b = machines.pair({"Plan.md": "text\n", "Notes/a.md": "a\n"})
    b.git("config", "core.ignorecase", "true")
    a.move("Plan.md", "plan.md")
    a.move("Notes/a.md", "notes/a.md")
    a.save()
    a.sync()
    b.sync()
    assert set(b.committed()) == {"memtree.toml", "plan.md", "notes/a.md"}


# -- odd histories


def test_a_history_that_was_packed_and_pruned_is_still_whole(machines: Machines) -> None:
    a, b = machines.pair()
    for number in range(5):
        b.write("notes/a.md", f"{number}\n")
        b.sync()
        a.git("gc", "--quiet", "--prune=now")
        a.sync()
        b.git("pack-refs", "--all")
    machines.settle()
    machines.assert_agreed()


def test_a_branch_kept_in_packed_refs_moves_on(machines: Machines) -> None:
    a, _ = machines.pair()
    a.git("pack-refs", "--all", "--prune")
    assert not os.path.exists(a.full(".git/refs/heads/main"))
    a.write("notes/a.md", "edited\n")
    a.sync()
    a.git("pack-refs", "--all", "--prune")
    a.assert_sound()
    assert committed(machines.remote) == a.committed()


def test_many_commits_by_hand_arrive_as_they_are(machines: Machines, tmp_path: Path) -> None:
    """Merges, tags, empty commits, renames: a history that other tools made is taken over commit by commit."""
    a = machines.first({"a.md": "a\n"})
    stock = GitRepo(tmp_path / "stock")
    stock.git("pull", "--quiet", machines.remote, "main")
    stock.git("switch", "--quiet", "-c", "side")
    stock.write("side.md", "side\n")
    stock.commit("side")
    stock.git("switch", "--quiet", "main")
    stock.write("b.md", "b\n")
    stock.commit("b")
    stock.merge("side")
    stock.git("commit", "--quiet", "--allow-empty", "-m", "nothing")
    stock.git("tag", "v1")
    stock.git("push", "--quiet", "--tags", machines.remote, "main")
    report = a.sync()
    assert report.received == 4
    assert a.tip == stock.git("rev-parse", "HEAD")
    assert a.git("tag") == ""
    a.assert_sound()


def test_the_user_s_git_settings_for_pulling_do_not_matter(machines: Machines) -> None:
    a, b = machines.pair()
    for key, value in {
        "pull.rebase": "true",
        "merge.ff": "only",
        "push.default": "nothing",
        "fetch.prune": "true",
        "rebase.autoStash": "true",
        "merge.conflictStyle": "diff3",
        "push.followTags": "true",
        "core.quotePath": "false",
        "status.showUntrackedFiles": "no",
        "color.ui": "always",
        "commit.gpgSign": "true",
        "push.autoSetupRemote": "true",
        "remote.origin.fetch": "+refs/heads/other:refs/remotes/origin/other",
        "fetch.fsckObjects": "true",
        "submodule.recurse": "true",
        "remote.pushDefault": "nowhere",
    }.items():
        b.git("config", "--replace-all", key, value)
    a.write("notes/a.md", "from a\n")
    a.sync()
    b.write("notes/a.md", "from b\n")
    b.write("图 new.md", "new\n")
    b.sync()
    assert committed(machines.remote) == b.committed()
    a.sync()
    assert a.tip == b.tip
    assert b.notes()["图 new.md"] == b"new\n"
    assert {b"> > from a", b"> > from b"} <= set(b.notes()["notes/a.md"].splitlines())


# -- searching goes on when committing cannot


def test_a_damaged_journal_does_not_keep_anybody_from_searching(machines: Machines) -> None:
    a = machines.lonely({"a.md": "apple\n"})
    Path(a.workspace.places.journal).write_bytes(b"garbage\n")
    a.write("b.md", "apple\n")
    assert a.found("apple") == ["a.md"]
    (note,) = a.workspace.capture_quietly()
    assert "journal" in note
