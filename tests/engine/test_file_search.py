"""query_memory: what is found in the files at HEAD, in which order, and what no pattern may do."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.retrieval.file_search import LINE, MOST, MOST_CONTEXT, BadSearch, FileAnswer, FileQuery, TooSlow, search_files
from memtree.indexers.linear_regex import BadPattern
from memtree.tree.kinds import Kind
from support.gitrepo import START
from support.machines import Machine, Machines

NOTES = {
    "notes/a.md": "---\ndate: 2026-03-01\n---\n# Herons\n\nThe heron stands.\nA Heron flies.\n",
    "notes/b.md": "---\ndate: 2026-03-09\n---\nNo bird here.\r\nOne heron, crlf.\r\n",
    "notes/z.txt": "heron without a date\nnext\n",
    "notes/pic.png": "heron\n",
    ".hidden/x.md": "heron\n",
    "memory_tree/content/profile/communication.md": "# Communication\n\n- heron\n",
}


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    found = Machines(tmp_path)
    yield found
    found.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely(NOTES)


def search(machine: Machine, pattern: str, **choices: object) -> FileAnswer:
    return search_files(machine.workspace, FileQuery(pattern, **choices))  # type: ignore[arg-type]


def places(found: FileAnswer) -> list[str]:
    return [f"{hit.path}:{hit.line}" for hit in found.hits]


def test_a_literal_is_found_line_by_line_newest_file_first(machine: Machine) -> None:
    found = search(machine, "heron")
    # The clock of these machines stands in 2025: what tells no time of its own comes after what is dated 2026, by path.
    assert START < 1_767_225_600
    assert places(found) == [
        "notes/b.md:5",
        "notes/a.md:4",
        "notes/a.md:6",
        "notes/a.md:7",
        "memory_tree/content/profile/communication.md:3",
        "notes/z.txt:1",
    ]
    assert (found.total, found.matched, found.files, found.truncated) == (6, 4, 4, False)
    assert found.hits[0].text == "One heron, crlf."
    assert {hit.commit for hit in found.hits} == {machine.tip}


def test_what_is_cut_off_is_the_oldest(machine: Machine) -> None:
    found = search(machine, "heron", limit=2)
    assert places(found) == ["notes/b.md:5", "notes/a.md:4"]
    assert (found.total, found.truncated) == (6, True)


def test_of_files_without_a_date_the_one_saved_last_comes_first(machine: Machine) -> None:
    machine.workspace.options.clock.tick(100)  # type: ignore[attr-defined]
    Path(machine.full("notes/zz.txt")).write_text("heron, saved later\n")
    machine.save()
    found = places(search(machine, "heron"))
    assert found.index("notes/zz.txt:1") < found.index("notes/z.txt:1")


def test_a_capital_letter_makes_case_count(machine: Machine) -> None:
    assert places(search(machine, "Heron")) == ["notes/a.md:4", "notes/a.md:7"]
    assert len(search(machine, "Heron", ignore_case=True).hits) == 6
    assert places(search(machine, "heron", ignore_case=False, path="notes/a.md")) == ["notes/a.md:6"]
    assert places(search(machine, r"\Sheron|^\W*herons$", regex=True)) == ["notes/a.md:4"]


def test_an_expression_is_matched_within_lines(machine: Machine) -> None:
    assert places(search(machine, "^(the|one) heron", regex=True)) == ["notes/b.md:5", "notes/a.md:6"]
    assert places(search(machine, r"stands\.$", regex=True)) == ["notes/a.md:6"]
    assert search(machine, r"stands\.\s+A", regex=True).hits == ()
    assert places(search(machine, "^$", regex=True)) == ["notes/a.md:5", "memory_tree/content/profile/communication.md:2"]


@pytest.mark.parametrize(
    ("choices", "files"),
    [
        ({"path": "notes"}, {"a.md", "b.md", "z.txt"}),
        ({"path": "notes/"}, {"a.md", "b.md", "z.txt"}),
        ({"path": "notes/a.md"}, {"a.md"}),
        ({"path": "*.md"}, {"a.md", "b.md", "communication.md"}),
        ({"path": "note*/**"}, {"a.md", "b.md", "z.txt"}),
        ({"kinds": (Kind.PROFILE,)}, {"communication.md"}),
        ({"kinds": (Kind.PROFILE, Kind.NOTE), "path": "memory_tree"}, {"communication.md"}),
        ({"since": 1_772_700_000}, {"b.md"}),
        ({"until": 1_772_700_000}, {"a.md", "z.txt", "communication.md"}),
        ({"since": START - 10, "until": START + 10}, {"z.txt", "communication.md"}),
    ],
)
def test_narrowing(machine: Machine, choices: dict[str, object], files: set[str]) -> None:
    assert {hit.path.name for hit in search(machine, "heron", **choices).hits} == files


def test_a_path_that_holds_nothing_is_told(machine: Machine) -> None:
    found = search(machine, "heron", path="nowhere")
    assert (found.hits, found.files) == ((), 0)
    assert "nowhere" in found.notes[0]


@pytest.mark.parametrize("path", ["../x", "/etc", "notes/../..", ".git/config", ".git", "a\0b", "x" * 5000])
def test_a_path_that_leads_out_is_refused(machine: Machine, path: str) -> None:
    with pytest.raises(BadSearch) as told:
        search(machine, "heron", path=path)
    assert told.value.hint


@pytest.mark.parametrize(
    "choices", [{"limit": 0}, {"limit": MOST + 1}, {"limit": 10**9}, {"context": -1}, {"context": 6}, {"since": 2, "until": 1}]
)
def test_what_is_out_of_bounds_is_refused(machine: Machine, choices: dict[str, object]) -> None:
    with pytest.raises(BadSearch) as told:
        search(machine, "heron", **choices)
    assert told.value.hint


def test_a_bad_expression_is_told(machine: Machine) -> None:
    with pytest.raises(BadPattern, match="column 6"):
        search(machine, "heron(", regex=True)
    assert places(search(machine, "heron,")) == ["notes/b.md:5"]


def test_lines_around(machine: Machine) -> None:
    (hit,) = search(machine, "stands", context=2).hits
    assert (hit.before, hit.after) == (("# Herons", ""), ("A Heron flies.",))
    (first,) = search(machine, "without", context=5).hits
    assert (first.before, first.after) == ((), ("next",))


def test_only_what_is_committed_is_looked_at(machine: Machine) -> None:
    Path(machine.full("notes/a.md")).write_text("gone, and a kingfisher in its place\n")
    os.unlink(machine.full("notes/z.txt"))
    assert len(search(machine, "heron").hits) == 6
    assert search(machine, "kingfisher").hits == ()
    machine.save()
    assert places(search(machine, "kingfisher")) == ["notes/a.md:1"]


def test_a_link_in_a_files_place_leads_nowhere(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("kingfisher\n")
    os.unlink(machine.full("notes/a.md"))
    os.symlink(tmp_path / "outside.md", machine.full("notes/a.md"))
    (tmp_path / "pipe").mkdir()
    os.unlink(machine.full("notes/b.md"))
    os.mkfifo(machine.full("notes/b.md"))
    assert search(machine, "kingfisher").hits == ()
    assert len(search(machine, "heron").hits) == 6


def test_secrets_are_taken_out_of_what_is_shown(machines: Machines) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    machine = machines.lonely({"notes/a.md": "old\n"})
    machine.git("config", "user.name", "Ada")
    Path(machine.full("notes/a.md")).write_text(f"before\ntoken = {key} heron\n")
    machine.git("commit", "-qam", "by hand")
    (hit,) = search(machine, "heron", context=1).hits
    assert key not in hit.text
    assert "token" in hit.text
    assert key not in search(machine, "before", context=1).hits[0].after[0]


def test_no_line_of_a_key_is_shown(machines: Machines) -> None:
    lines = [f"MIIEpAIBAAKCAQEA7bq1{number:02}{'Zk3' * 13}" for number in range(25)]
    key = "\n".join(("-----BEGIN RSA " + "PRIVATE KEY-----", *lines, "-----END RSA " + "PRIVATE KEY-----"))
    machine = machines.lonely({"notes/a.md": "old\n"})
    machine.git("config", "user.name", "Ada")
    Path(machine.full("notes/a.md")).write_text(f"heron\n{key}\notter\n")
    machine.git("commit", "-qam", "by hand")
    for pattern in ("heron", "otter", "MIIE", "07Zk3", "PRIVATE KEY"):
        found = search(machine, pattern, context=MOST_CONTEXT)
        assert found.hits
        for hit in found.hits:
            assert not any("Zk3" in text for text in (*hit.before, hit.text, *hit.after))
    (hit,) = search(machine, "otter", context=1).hits
    assert (hit.line, hit.text, hit.before) == (29, "otter", ("[secret: private-key]",))


def test_what_is_held_back_is_not_found(machine: Machine) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    Path(machine.full("notes/held.md")).write_text(f"kingfisher {key}\n")
    machine.save()
    assert search(machine, "kingfisher").hits == ()


def test_a_long_line_is_shown_around_what_matches(machines: Machines) -> None:
    text = "word " * 30_000 + "heron " + "word " * 30_000
    machine = machines.lonely({"notes/a.md": f"{text}\nshort heron\n"})
    first, second = search(machine, "heron").hits
    assert "heron" in first.text
    assert len(first.text) <= LINE + 2
    assert (second.line, second.text) == (2, "short heron")


def test_a_very_long_line_is_matched_at_its_beginning_by_an_expression(machines: Machines) -> None:
    machine = machines.lonely({"notes/a.txt": "x\n" + "word " * 100_000 + "heron\nheron\n"})
    found = search(machine, "her[o]n", regex=True)
    assert places(found) == ["notes/a.txt:3"]
    assert "only the beginning" in found.notes[0]
    assert places(search(machine, "heron")) == ["notes/a.txt:2", "notes/a.txt:3"]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b$", "(.*)*!", "^(a?){50}a{50}$"])
def test_no_expression_keeps_it_busy(machines: Machines, pattern: str) -> None:
    machine = machines.lonely({"notes/a.txt": "a" * 200_000 + "!\nheron\n"})
    search(machine, pattern, regex=True)


def test_an_expression_that_takes_too_long_is_given_up(machine: Machine) -> None:
    seconds = itertools.count(0, 6)
    with pytest.raises(TooSlow) as told:
        search_files(machine.workspace, FileQuery("h.ron", regex=True), clock=lambda: next(seconds))
    assert "simpler" in told.value.hint


def test_lines_are_the_same_however_they_are_cut_into_blocks(machines: Machines) -> None:
    lines = [f"{n} {'heron' if n % 7 == 0 else 'duck'} {'x' * (n * 37 % 900)}" for n in range(400)]
    machine = machines.lonely({"notes/a.txt": "\n".join(lines)})
    expected = [number for number, line in enumerate(lines, 1) if "heron" in line]
    for choices in ({"regex": False}, {"regex": True}):
        found = search(machine, "heron", limit=MOST, **choices)
        assert [hit.line for hit in found.hits] == expected
        assert [hit.text.split()[:2] for hit in found.hits] == [lines[n - 1].split()[:2] for n in expected]


@pytest.mark.parametrize("text", ["приветствие", "你好世界", "שלום", "नमस्ते", "🦆 duck", "naïve", "İstanbul", "ﬁne"])
def test_every_script(machines: Machines, text: str) -> None:
    machine = machines.lonely({"notes/a.md": f"# X\n\nbefore {text} after\n"})
    assert places(search(machine, text)) == ["notes/a.md:3"]


def test_an_empty_workspace_has_nothing(machines: Machines) -> None:
    found = search(machines.lonely({}), "heron")
    assert (found.hits, found.total) == ((), 0)


def test_the_settings_are_not_looked_at(machine: Machine) -> None:
    assert search(machine, "durability").hits == ()
