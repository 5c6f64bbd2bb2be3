"""Summaries on a real workspace: made once, made anew when their files change, and never a person's text touched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.later import Later
from memtree.engine.forgetting import Target, forget
from memtree.engine.librarian import NotTheLibrarian
from memtree.engine.settings import InvalidSettings, parse
from memtree.engine.store.report import WrongBranch
from memtree.engine.wiki.building import WikiOff, build
from memtree.engine.wiki.status import wiki_status
from memtree.engine.wiki.view import WikiView, text_of
from memtree.indexers.query import Mode, Query
from memtree.tree.generated import Author
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines
from support.wikis import CALENDAR, CONTENT, DAY, SMALL, WORDS, kept, levels, nodes, note, said, walk, write


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def built(machine: Machine, **how: bool) -> int:
    """How many nodes a build makes."""
    return build(machine.workspace, **how).made


def edit(machine: Machine, path: str, old: bytes, new: bytes) -> None:
    data = machine.committed()[path]
    assert old in data
    machine.write(path, data.replace(old, new))
    machine.save()


class TestBuilding:
    def test_a_build_is_one_commit_and_the_next_is_none(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(20))
        before = machine.commits()
        report = build(machine.workspace)
        assert report.made == sum(levels(machine).values()) > 5
        assert machine.commits() == before + 1
        assert "Memtree-Writer: wiki" in machine.git("log", "-1", "--format=%B")
        again = build(machine.workspace)
        assert (again.made, again.removed, again.commit.changed) == (0, 0, False)
        assert machine.commits() == before + 1
        machine.assert_sound()

    def test_summaries_say_what_their_leaves_say_and_lead_there(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(20))
        built(machine)
        files = machine.committed()
        bottom = [node for node in nodes(machine) if node.level == 1]
        assert len(bottom) > 3
        for node in bottom:
            assert all(path in files for path in node.children)
            told = [line.partition("**: ")[2] for line in node.prose.split("\n\n")]
            assert told
            sayings = " ".join(said(int(path[-6:-3])) for path in node.children)
            assert all(line.split(". ")[0] in sayings for line in told)
        top = max(nodes(machine), key=lambda node: node.level)
        assert set(top.children) <= {node.path for node in nodes(machine)}
        assert top.tokens == sum(node.tokens for node in nodes(machine) if node.path in top.children)

    def test_a_changed_leaf_makes_its_summaries_anew(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(12))
        built(machine)
        before = {node.path for node in nodes(machine)}
        edit(machine, walk(0), b"before noon", b"with a trout")
        report = build(machine.workspace)
        assert report.made == report.removed > 0
        assert "with a trout" in "".join(node.prose for node in nodes(machine))
        assert len({node.path for node in nodes(machine)} & before) == len(before) - report.removed
        assert built(machine) == 0

    def test_days_weeks_and_months(self, machines: Machines) -> None:
        machine = kept(machines, CALENDAR)
        write(machine, *range(45))
        built(machine)
        assert levels(machine, "day") == {1: 45}
        assert levels(machine, "week")[2] in (6, 7)
        assert levels(machine, "month")[3] in (1, 2)
        titles = [node.title for node in nodes(machine, "week")]
        assert all("-W" in title and " to " in title for title in titles)

    def test_a_limit_is_kept_and_gone_on_from(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(20))
        first = build(machine.workspace, limit=3)
        assert (first.made, first.more) == (3, True)
        rest = build(machine.workspace)
        assert not rest.more
        assert first.made + rest.made == sum(levels(machine).values())

    def test_flush_seals_what_would_wait(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, 0, dated=False)
        assert built(machine) == 0
        assert built(machine, flush=True) == 1
        assert built(machine, flush=True) == 0

    def test_undated_notes_wait_from_when_they_were_first_seen(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, 0, dated=False)
        assert built(machine) == 0
        machines.clock.tick(6 * DAY)
        assert built(machine) == 0
        machines.clock.tick(DAY)
        assert built(machine) == 1

    def test_an_empty_workspace(self, machines: Machines) -> None:
        machine = kept(machines)
        assert built(machine) == 0
        assert wiki_status(machine.workspace).namespaces == ()

    def test_chinese(self, machines: Machines) -> None:
        machine = kept(machines)
        for number in range(6):
            text = (
                f"我们决定在第{number}个季度把搜索引擎换成 tantivy。性能测试的结果比预期好很多。用户反馈第{number}号问题已经解决。"
                * 3
            )
            machine.write(f"笔记/{number}.md", f"# 会议 {number}\n\n{text}\n".encode())
        machine.save()
        built(machine, flush=True)
        prose = "".join(node.prose for node in nodes(machine))
        assert "个季度把搜索引擎换成" in prose
        assert "。 " not in prose


class TestLeaves:
    @pytest.mark.parametrize(
        ("path", "data"),
        [
            ("bin.md", b"\xff\xfe\0\0broken"),
            ("half.md", b"Some words and a byte that is none \xff of UTF-8."),
            ("nul.md", b"Some words with a \0 in their middle, and a few more."),
            ("huge.md", b"Very many words indeed. " * 120_000),
            ("empty.md", b""),
            ("few.md", b"# Two words\n"),
            ("code.py", b"def words(): return 'a b c d e f g h'\n"),
            ("MEMORY.md", b"- An entry of memory that has words enough to be told.\n"),
            (f"{CONTENT}/recap/s/000001-000002.md", b"A recap has words enough to be told, but it is no evidence.\n"),
            (f"{CONTENT}/facts/ab/abc.md", b"A fact has words enough to be told, but it is no evidence.\n"),
            (f"{CONTENT}/wiki/mine.md", b"A page that somebody wrote among the summaries is no evidence.\n"),
        ],
    )
    def test_what_is_no_evidence_stops_nothing(self, machines: Machines, path: str, data: bytes) -> None:
        machine = kept(machines)
        machine.write(path, data)
        write(machine, *range(3))
        report = build(machine.workspace, flush=True)
        assert report.made == 1
        assert path not in nodes(machine)[0].children

    def test_headers_and_names_cannot_break_a_summary(self, machines: Machines) -> None:
        machine = kept(machines)
        for number, title in enumerate(('"]\ninjected: yes', "# no heading", "[[x]] ![[y]] **z**", "---", "a: b: c # d")):
            quoted = title.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            machine.write(f"x/{number} '{{a}}: b.md", f'---\ntitle: "{quoted}"\n---\n{said(number)}\n'.encode())
        machine.save()
        built(machine, flush=True)
        found = nodes(machine)
        assert sum(len(node.children) for node in found if node.level == 1) == 5
        assert all(node.as_made and node.author is Author.EXTRACTION for node in found)
        assert not any(line.startswith("#") for node in found for line in node.prose.split("\n"))

    def test_what_a_filter_encrypts_is_told_nowhere(self, machines: Machines) -> None:
        machine = kept(machines)
        machine.git("config", "filter.rot.clean", "tr a-z n-za-m")
        machine.git("config", "filter.rot.smudge", "tr a-z n-za-m")
        machine.write(".gitattributes", b"vault/** filter=rot\n")
        machine.save()
        machine.write("vault/plan.md", b"The plan of the heist is to enter through the cellar at night.\n")
        write(machine, 0)
        report = build(machine.workspace, flush=True)
        assert [one.path for one in report.left_out] == ["vault/plan.md"]
        assert not any("heist" in node.body or "vault" in node.links for node in nodes(machine))

    def test_a_secret_that_a_person_allowed_is_in_no_summary(self, machines: Machines) -> None:
        machine = kept(machines)
        token = "ghp_" + "a1B2" * 9
        machine.write("key.md", f"The token of the build machine is {token} and it is used every night.\n".encode())
        machine.git("add", "key.md")
        machine.git("commit", "-q", "-m", "a person's own commit")
        built(machine, flush=True)
        (node,) = nodes(machine)
        assert node.children == ("key.md",)
        assert "The token of the build machine" in node.body
        assert token not in node.body


class TestPersons:
    def test_an_edited_summary_stays_as_it_is(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(12))
        built(machine)
        mine = next(node for node in nodes(machine) if node.level == 1 and walk(0) in node.children)
        edit(machine, mine.path, b"# notes", b"# My own words\n\nHerons. # notes")
        kept_text = machine.committed()[mine.path]
        edit(machine, walk(0), b"before noon", b"with a trout")
        machine.remove(walk(1))
        machine.save()
        build(machine.workspace)
        assert machine.committed()[mine.path] == kept_text
        found = wiki_status(machine.workspace)
        assert found.edited == found.outdated == (mine.path,)
        assert built(machine) == 0

    @pytest.mark.parametrize(("old", "new"), [(b"[[walks/000]]", b"[[walks/000|Herons]]"), (b"[[walks/000]]", b"[[elsewhere]]")])
    def test_an_edited_summary_stays_whatever_its_links_have_become(self, machines: Machines, old: bytes, new: bytes) -> None:
        machine = kept(machines, CALENDAR)
        write(machine, 0)
        built(machine)
        (mine,) = nodes(machine, "day")
        edit(machine, mine.path, b"\n# ", b"\n# My own words, ")
        edit(machine, mine.path, old, new)
        kept_text = machine.committed()[mine.path]
        assert built(machine) == 0
        assert machine.committed()[mine.path] == kept_text
        assert wiki_status(machine.workspace).due == 0

    def test_an_edit_that_is_not_saved_yet_survives_the_removal_of_its_summary(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(5))
        built(machine)
        (old,) = [node for node in nodes(machine) if node.level == 1]
        edit(machine, walk(0), b"before noon", b"with a trout")
        machine.write(old.path, machine.committed()[old.path] + b"\nA line of mine.\n")
        build(machine.workspace)
        machine.save()
        assert b"A line of mine." in machine.committed()[old.path]
        build(machine.workspace)
        assert b"A line of mine." in machine.committed()[old.path]
        assert built(machine) == 0

    def test_a_file_of_a_person_where_a_summary_would_be(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, 0)
        built(machine, flush=True)
        (node,) = nodes(machine)
        machine.write(node.path, b"No node any more, but a page of mine.\n")
        machine.save()
        assert built(machine, flush=True) == 0
        assert machine.committed()[node.path] == b"No node any more, but a page of mine.\n"
        assert wiki_status(machine.workspace).due == 0


class TestForgetting:
    SECRET = "The fox den behind the chapel must stay unknown to hunters."

    def told(self, machines: Machines) -> Machine:
        machine = kept(machines, CALENDAR)
        machine.write("walks/fox.md", note(1, self.SECRET + "\n\n" + said(1)))
        write(machine, *range(2, 9))
        built(machine, flush=True)
        assert self.where(machine, "fox den") > {"walks/fox.md"}
        return machine

    @staticmethod
    def where(machine: Machine, words: str) -> set[str]:
        return {path for path, data in machine.committed().items() if words.encode() in data}

    @pytest.mark.parametrize(
        "target", [Target(RepoPath("walks/fox.md")), Target(RepoPath("walks/fox.md"), (6,)), Target(text=SECRET)]
    )
    def test_a_forgotten_text_is_in_no_summary(self, machines: Machines, target: Target) -> None:
        machine = self.told(machines)
        report = forget(machine.workspace, target)
        assert self.where(machine, "fox den") == set()
        assert not any(node.is_persons for node in nodes(machine))
        assert built(machine) == 0
        assert not any("edited by hand" in one for one in report.notes)
        machine.assert_sound()

    def test_also_on_a_machine_that_is_not_the_librarian(self, machines: Machines) -> None:
        machine = self.told(machines)
        edit(machine, "memtree.toml", b"content =", b'librarian = "another"\ncontent =')
        machine.reopen()
        forget(machine.workspace, Target(RepoPath("walks/fox.md")))
        assert self.where(machine, "fox den") == set()

    def test_what_a_person_wrote_stays_and_is_named(self, machines: Machines) -> None:
        machine = self.told(machines)
        mine = next(node for node in nodes(machine, "day") if "walks/fox.md" in node.children)
        edit(machine, mine.path, mine.prose.encode(), b"A den of foxes, near the chapel.")
        report = forget(machine.workspace, Target(RepoPath("walks/fox.md")))
        assert self.where(machine, "fox den") == set()
        assert b"A den of foxes" in machine.committed()[mine.path]
        assert any(mine.path in one for one in report.notes)

    def test_a_text_forgotten_in_a_summary_alone_is_not_brought_back(self, machines: Machines) -> None:
        machine = self.told(machines)
        day = next(node for node in nodes(machine, "day") if "walks/fox.md" in node.children)
        forget(machine.workspace, Target(day.path, text="fox den"))
        assert day.path not in self.where(machine, "fox den")
        built(machine)
        assert day.path not in self.where(machine, "fox den")


class TestWhoAndWhen:
    def test_another_machine_builds_nothing(self, machines: Machines) -> None:
        machine = kept(machines, b'librarian = "another"\n' + SMALL)
        write(machine, *range(9))
        with pytest.raises(NotTheLibrarian) as refused:
            build(machine.workspace)
        assert "memtree librarian take" in refused.value.hint
        assert nodes(machine) == []
        assert wiki_status(machine.workspace).librarian == "another"

    def test_switched_off(self, machines: Machines) -> None:
        machine = kept(machines, WORDS + b"[wiki]\nenabled = false\n")
        write(machine, *range(9))
        with pytest.raises(WikiOff):
            build(machine.workspace)
        Later(machine.workspace).run()
        assert nodes(machine) == []

    def test_a_detached_head(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(9))
        machine.git("checkout", "-q", "--detach")
        before = machine.tip
        with pytest.raises(WrongBranch):
            build(machine.workspace)
        assert not any("wiki" in one or "summar" in one for one in Later(machine.workspace).run().notes)
        assert machine.tip == before

    def test_in_the_background_at_most_once_an_hour(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(9))
        assert any("summaries" in one for one in Later(machine.workspace).run().done)
        made = machine.commits()
        write(machine, *range(9, 18))
        after = machine.commits()
        Later(machine.workspace).run()
        assert machine.commits() == after == made + 1
        machines.clock.tick(3_601)
        Later(machine.workspace).run()
        assert machine.commits() == after + 1
        machines.clock.tick(3_601)
        Later(machine.workspace).run()
        assert machine.commits() == after + 1

    @pytest.mark.parametrize(
        "line",
        ["seal_tokens = 0", "seal_tokens = 1.5", "fan_in = 1", "fan_in = true", "stale_days = -1", 'enabled = "yes"', "other = 1"],
    )
    def test_settings_that_cannot_be(self, line: str) -> None:
        with pytest.raises(InvalidSettings, match="wiki"):
            parse(f"[wiki]\n{line}\n".encode())


class TestTheView:
    def test_what_stands_above_and_below(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(20))
        built(machine)
        view = WikiView.at_tip(machine.workspace)
        (bottom,) = view.covered(walk(0))
        (above,) = view.parents(bottom)
        assert view.nodes[bottom].path in view.nodes[above].children
        roots = view.roots("source-notes")
        assert all(view.parents(node.node_id) == () for node in roots)
        assert text_of(machine.workspace, view.nodes[bottom]).startswith("\n# notes, ")

    def test_it_follows_the_branch_and_survives_what_happens_to_its_file(self, machines: Machines) -> None:
        machine = kept(machines)
        write(machine, *range(9))
        built(machine)
        assert len(WikiView.at_tip(machine.workspace).by_path) == len(nodes(machine))
        state = Path(machine.workspace.places.folder, "wiki", "view.json")
        for damage in (None, b"", b"{", b"[]", b'{"format": 1}', state.read_bytes()[:-2], b'{"nodes": 5}'):
            if damage is not None:
                state.write_bytes(damage)
            machine.reopen()
            found = WikiView.at_tip(machine.workspace)
            assert sorted(found.by_path) == [node.path for node in nodes(machine)]
        machine.remove(nodes(machine)[0].path)
        machine.save()
        assert sorted(WikiView.at_tip(machine.workspace).by_path) == [node.path for node in nodes(machine)]


@pytest.mark.parametrize("mode", [Mode.TEXT, Mode.HYBRID])
def test_in_a_search_evidence_stands_above_its_summaries(machines: Machines, mode: Mode) -> None:
    machine = kept(machines, CALENDAR)
    write(machine, *range(12))
    built(machine, flush=True)
    hits = machine.workspace.search(Query("heron river noon", limit=50, mode=mode)).hits
    kinds = [hit.kind for hit in hits]
    assert Kind.WIKI in kinds
    assert Kind.NOTE in kinds
    assert Kind.NOTE not in kinds[kinds.index(Kind.WIKI) :]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    asked = machine.workspace.search(Query("heron river noon", kinds=(Kind.WIKI,), mode=mode)).hits
    assert asked
    assert asked[0].score > hits[kinds.index(Kind.WIKI)].score
    few = machine.workspace.search(Query("heron river noon", limit=2, mode=mode)).hits
    assert [hit.kind for hit in few] == [Kind.NOTE, Kind.NOTE]


def test_leaves_that_wait_are_found(machines: Machines) -> None:
    machine = kept(machines)
    write(machine, 0, dated=False)
    assert built(machine) == 0
    assert walk(0) in machine.found("heron")
