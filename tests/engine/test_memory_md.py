"""MEMORY.md and SKILL.md through their one door: what is written and refused, and that the report is what is on the disk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memtree.engine.files import Durability
from memtree.engine.workspace import Options, Workspace
from memtree.engine.writers.memory_change import Made
from memtree.engine.writers.memory_file import remember
from memtree.engine.writers.memory_md import (
    LARGEST,
    MemoryFull,
    MemoryIsNoFile,
    MemoryIsNoText,
    MemoryReport,
    NotPermitted,
    TwoPlaces,
    memory_entries,
    update_memory_md,
)
from memtree.tree.errors import Error
from memtree.tree.memory_entry import MemoryFileOpen, UnfitEntry
from memtree.tree.memory_items import items_of
from memtree.tree.memory_sections import OpenConflict, TwoSections, UnfitContent, UnfitTitle
from memtree.tree.paths import InvalidPath
from support.gitrepo import GitRepo

SECRET = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"
FOX = "The fox is red."


def opened(folder: Path, options: Options | None = None) -> Workspace:
    return Workspace.init(str(folder), options=options or Options(durability=Durability.FAST, lock_timeout=5.0))[0]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return opened(tmp_path / "w")


def on_disk(workspace: Workspace, file: str = "MEMORY.md") -> bytes:
    return Path(workspace.root, file).read_bytes()


def write(workspace: Workspace, data: bytes | str, file: str = "MEMORY.md") -> None:
    Path(workspace.root, file).write_bytes(data if isinstance(data, bytes) else data.encode())


def append(workspace: Workspace, content: str, **more: str) -> MemoryReport:
    return told_truly(workspace, update_memory_md(workspace, "MEMORY.md", "append", content, **more))  # type: ignore[arg-type]


def replace_section(workspace: Workspace, title: str, content: str, file: str = "MEMORY.md") -> MemoryReport:
    return told_truly(workspace, update_memory_md(workspace, file, "replace_section", content, section_title=title))


def told_truly(workspace: Workspace, report: MemoryReport) -> MemoryReport:
    """The report's figures are those of the file, also when it is read by other means."""
    tip = workspace.repo.tip()
    data = on_disk(workspace, report.file)
    if not report.on_disk:
        data = workspace.repo.blob(dict(workspace.repo.files(tip))[report.file].id)
    lines = data.splitlines()
    assert (report.size, report.lines, report.commit.after) == (len(data), len(lines), tip)
    assert f"{len(data):,} bytes in {len(lines):,} lines" in report.message
    for entry in report.entries:
        assert entry.first
        text = b"\n".join(lines[entry.first - 1 : entry.last]).decode("utf-8", "replace")
        assert entry.text.split("\n")[0] in text
        assert f"^{entry.id}" in text or not entry.id
    if report.stored:
        assert report.first
        assert (report.commit.after or "")[:12] in report.message
    else:
        assert "Nothing was stored" in report.message
    return report


# -- append
def test_a_statement_becomes_an_entry_of_its_category_once(workspace: Workspace) -> None:
    report = append(workspace, "- The user prefers tabs.", category="preference")
    (entry,) = report.entries
    assert on_disk(workspace).decode() == f"## Preferences\n\n- The user prefers tabs. ^{entry.id}\n"
    assert (report.made, report.section, entry.first, report.on_disk) == (Made.ENTRIES, "Preferences", 3, True)
    again = append(workspace, "prefers **tabs**", category="fact")
    assert (again.stored, again.entries[0].stored, again.entries[0].id, again.first) == (False, False, entry.id, 0)
    assert again.message.startswith(f"MEMORY.md:3 (^{entry.id}) says the same already: The user prefers tabs.")
    assert append(workspace, "Does not prefer tabs").stored
    assert "says the same already: Does not prefer tabs. Nothing was stored." in append(workspace, "does not prefer tabs").message
    log = GitRepo(Path(workspace.root)).git("log", "--format=%B")
    assert "Memtree-Writer: archivist" in log
    assert "tabs" not in log  # what is forgotten later must stand in no message


def test_many_statements_go_where_their_headings_say(workspace: Workspace) -> None:
    write(workspace, "# Memory\n\n## Patterns\n\n* one\n\n## Facts\n\n- two\n")
    report = append(workspace, "## Patterns\n- three\n- One\n\n## Mistakes\n- four\n- Four!\n\nfive and\nmore")
    ids = [one.id for one in report.entries]
    assert on_disk(workspace).decode() == (
        f"# Memory\n\n## Patterns\n\n* one\n* three ^{ids[0]}\n\n## Facts\n\n- two\n\n"
        f"## Mistakes\n\n- four ^{ids[2]}\n- five and more ^{ids[4]}\n"
    )
    assert [one.stored for one in report.entries] == [True, False, True, False, True]
    assert [one.first for one in report.entries] == [6, 5, 14, 14, 15]
    assert ids[1] == ""


def test_a_text_of_another_kind_stands_whole_in_its_section(workspace: Workspace) -> None:
    text = "## Deploy\n\n```sh\n## not a heading\nmake deploy\n```\n\n- check the log\n- tell Ann\n"
    report = told_truly(workspace, update_memory_md(workspace, "SKILL.md", "append", text, section_title="## How to"))
    ids = [one.id for one in report.entries]
    assert len(ids) == 2
    body = text.replace("## Deploy", "### Deploy").replace("log\n", f"log ^{ids[0]}\n").replace("Ann\n", f"Ann ^{ids[1]}\n")
    assert on_disk(workspace, "SKILL.md").decode() == f"## How to\n\n{body}"
    assert (report.made, report.first, report.last) == (Made.TEXT, 3, 11)
    assert "moved down by 1 level" in report.notes[0]
    again = told_truly(workspace, update_memory_md(workspace, "SKILL.md", "append", text, section_title="how to"))
    assert (again.made, again.first) == (Made.NOTHING, 3)
    remember(workspace, "Not here")
    assert "Not here" not in on_disk(workspace, "SKILL.md").decode()


# -- replace
def test_a_section_is_replaced_cleared_and_made(workspace: Workspace) -> None:
    write(workspace, "# Memory\n\n## Patterns\n\n- by hand\n- mine ^m-1\n- gone ^m-2\n\n## Facts\n- x\n")
    report = replace_section(workspace, "## patterns", "## Patterns\n- Mine!\n- by hand\n- new")
    new = report.entries[-1].id
    expected = f"# Memory\n\n## Patterns\n\n- Mine! ^m-1\n- by hand\n- new ^{new}\n\n## Facts\n- x\n"
    assert on_disk(workspace).decode() == expected
    assert [(one.text, one.id, one.first) for one in report.entries] == [("Mine!", "m-1", 5), ("by hand", "", 6), ("new", new, 7)]
    assert (report.made, report.first, report.last) == (Made.REPLACED, 3, 7)
    assert not replace_section(workspace, "Patterns", f"- Mine!\n- by hand\n- new ^{new}").stored
    assert replace_section(workspace, "Patterns", "").made is Made.CLEARED
    assert on_disk(workspace).decode() == "# Memory\n\n## Patterns\n\n## Facts\n- x\n"
    made = replace_section(workspace, "Pitfalls", "Words.\n\n- a")
    assert (made.made, made.first, made.last) == (Made.SECTION, 8, 12)
    assert update_memory_md(workspace, "MEMORY.md", "replace_section", "- b", category="fact").section == "Facts"


def test_what_a_replaced_section_says_twice_is_told(workspace: Workspace) -> None:
    write(workspace, "## A\n\n- one ^m-1\n\n## B\n\n- two\n")
    report = replace_section(workspace, "B", "- two\n- One\n- Two!\n- three ^m-1\n")
    assert [one.text for one in report.entries] == ["two", "One", "three"]
    assert len({one.id for one in report.entries}) == 3
    assert "m-1" not in {one.id for one in report.entries}
    assert [note.partition(":")[0] for note in report.notes] == [
        "left out, another entry of the text says the same",
        "another section says the same (^m-1)",
    ]


# -- refusals
def test_what_is_not_permitted_names_what_is(workspace: Workspace) -> None:
    before = workspace.repo.tip()
    for arguments, named in (
        (("memory.md", "append", "x"), "MEMORY.md, SKILL.md"),
        (("../MEMORY.md", "append", "x"), "MEMORY.md, SKILL.md"),
        (("MEMORY_GOALS.md", "append", "x"), "MEMORY.md, SKILL.md"),
        (("MEMORY.md", "delete", "x"), "append, replace_section"),
    ):
        with pytest.raises(NotPermitted, match=named):
            update_memory_md(workspace, *arguments)
    with pytest.raises(NotPermitted, match="pattern, mistake, preference, fact"):
        append(workspace, "x", category="joke")
    with pytest.raises(TwoPlaces):
        append(workspace, "x", category="fact", section_title="Patterns")
    with pytest.raises(UnfitTitle):
        replace_section(workspace, " ## ", "x")
    for nothing in ("", " \n", "- \n", "## Patterns", "<!-- -->", "```\n```"):
        with pytest.raises(UnfitEntry):
            append(workspace, nothing)
    with pytest.raises(UnfitContent):
        append(workspace, "```\nnever closed")
    assert workspace.repo.tip() == before


def test_the_cap_is_for_what_the_file_becomes(workspace: Workspace) -> None:
    line = "- " + "an entry of many words " * 40 + "\n"
    write(workspace, "## Long\n\n" + "".join(f"- {number} {line[2:]}" for number in range(LARGEST // len(line) - 1)))
    with pytest.raises(MemoryFull, match="102,400"):
        append(workspace, "other words here " * 100 + "and there")
    with pytest.raises(MemoryFull):
        remember(workspace, "other words here " * 100 + "and there")
    with pytest.raises(MemoryFull):
        append(workspace, "x" * 2_000_000)
    assert append(workspace, FOX).stored
    write(workspace, b"## Long\n\n" + (b"- " + b"words " * 9_000 + b"\n") * 24 + b"\n## Short\n\n- y\n")  # 1.3 MB, by a person
    with pytest.raises(MemoryFull):
        append(workspace, "Something else.")
    assert replace_section(workspace, "Short", "").made is Made.CLEARED  # it may become smaller
    assert replace_section(workspace, "Long", "- words").size < 100


def test_a_file_that_is_far_too_large_is_refused_at_once(workspace: Workspace) -> None:
    whole = ("## Notes\n\n" + "- a note of a hundred thousand\n" * 200_000).encode()
    for data, verbs in ((whole[:200_000], (append,)), (whole, (append, replace_section))):
        write(workspace, data)
        for verb in verbs:
            with pytest.raises(MemoryFull):
                verb(workspace, "Notes", "Water boils.") if verb is replace_section else verb(workspace, "Water boils.")
        assert on_disk(workspace) == data


def test_a_thousand_statements_are_one_change_and_few_words(workspace: Workspace) -> None:
    write(workspace, "# Memory\r\n\r\n## Facts\r\n\r\n* Fact 7 holds.\r\n\r\n## Last\r\n")
    said = "## Facts\n\n" + "".join(f"- Fact {number} holds.\n" for number in range(1000)) + "\n## New\n\n- One.\n- Two.\n- One!\n"
    report = told_truly(workspace, append(workspace, said))
    assert (len(report.entries), sum(one.stored for one in report.entries)) == (1003, 1001)
    lines = on_disk(workspace).decode().split("\r\n")
    assert [line.partition(" ^")[0] for line in lines[4:1004]] == ["* Fact 7 holds."] + [
        f"* Fact {number} holds." for number in range(1000) if number != 7
    ]
    assert [line.partition(" ^")[0] for line in lines[1004:]] == ["", "## Last", "", "## New", "", "- One.", "- Two.", ""]
    assert len(report.message) < 2_000
    assert len({one.id for one in report.entries if one.stored}) == 1001


@pytest.mark.parametrize(
    ("given", "title"), [("Foo #", "Foo"), ("## Foo ##", "Foo"), ("C#", "C#"), ("## C# ##", "C#"), ("# F #", "F")]
)
def test_a_title_is_the_same_section_whoever_names_it(workspace: Workspace, given: str, title: str) -> None:
    append(workspace, "One statement.", section_title=given)
    remember(workspace, "Another statement.", section=given)
    assert replace_section(workspace, given, "- A third.").made is Made.REPLACED
    assert re.findall(rb"^#.*", on_disk(workspace), re.MULTILINE) == [f"## {title}".encode()]


def link(root: str) -> None:
    Path(root, "real.md").write_text("inside\n")
    os.symlink("real.md", os.path.join(root, "SKILL.md"))


def folder(root: str) -> None:
    os.mkdir(os.path.join(root, "SKILL.md"))
    Path(root, "SKILL.md", "x.md").write_text("x\n")


def other_case(root: str) -> None:
    Path(root, "skill.md").write_text("- one\n")


def other_encoding(root: str) -> None:
    Path(root, "SKILL.md").write_bytes("- one\n".encode("utf-16"))


@pytest.mark.parametrize(
    ("make", "refusal"),
    [(link, MemoryIsNoFile), (folder, MemoryIsNoFile), (other_case, InvalidPath), (other_encoding, MemoryIsNoText)],
)
def test_what_is_no_file_is_told_and_left(workspace: Workspace, make: object, refusal: type[Error]) -> None:
    assert callable(make)
    make(workspace.root)
    workspace.save()
    before = workspace.repo.tip()
    for action in ("append", "replace_section"):
        with pytest.raises(refusal):
            update_memory_md(workspace, "SKILL.md", action, FOX, section_title="A")
    assert workspace.repo.tip() == before
    assert GitRepo(Path(workspace.root)).git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("data", "appended", "replaced"),
    [
        (b"```\nopen\n", MemoryFileOpen, MemoryFileOpen),
        (b"## A\n\n```\nopen\n", MemoryFileOpen, None),
        (b"## A\n\nx\n\n## a\n", None, TwoSections),
        (b"## A\n\n> [!conflict] c-1a2b3c4d\n> > x\n>\n> > y\n", None, OpenConflict),
        (b"## A\n\n- caf\xe9\n", None, None),
        (b"\xef\xbb\xbf## A\r\n\r\n- x\r\n", None, None),
        (b"A\n===\n\nx", None, None),
        (b"no heading at all", None, None),
        (b"\0\0\0", MemoryIsNoText, MemoryIsNoText),
        (b"---\ntitle: x\n---\n## A\ny\n", None, None),
        (b"\n\n\n", None, None),
        (b"<<<<<<< a\n## A\n=======\n## A\n>>>>>>> b\n", None, TwoSections),
    ],
)
def test_an_odd_file_is_refused_or_stays_sound(
    workspace: Workspace, data: bytes, appended: type[Error] | None, replaced: type[Error] | None
) -> None:
    for action, refusal in (("append", appended), ("replace_section", replaced)):
        write(workspace, data)
        workspace.save()
        before = workspace.repo.tip()
        if refusal is not None:
            with pytest.raises(refusal):
                update_memory_md(workspace, "MEMORY.md", action, FOX, section_title="A")
            assert (workspace.repo.tip(), on_disk(workspace)) == (before, data)
            continue
        report = told_truly(workspace, update_memory_md(workspace, "MEMORY.md", action, f"- {FOX}", section_title="A"))
        after = on_disk(workspace)
        assert [one.text for one in items_of(after)].count(FOX) == 1
        assert report.stored
        assert report.entries[-1].id.encode() in after
        if action == "append":
            rest = iter(after)
            assert all(byte in rest for byte in data)
        assert not append(workspace, FOX).stored


# -- secrets, other hands
def test_secrets_are_taken_out_of_content_and_title(workspace: Workspace) -> None:
    report = append(workspace, f"The token is {SECRET} today", section_title=f"With {SECRET}")
    assert "taken out" in report.notes[0]
    replace_section(workspace, "Keys", f"- {SECRET}\n\n```\n{SECRET}\n```")
    repo = GitRepo(Path(workspace.root))
    assert SECRET not in on_disk(workspace).decode() + repo.git("log", "--format=%B", "-p") + report.message


def test_personal_data_goes_where_the_settings_say_so(tmp_path: Path) -> None:
    workspace = opened(tmp_path / "w")
    Path(workspace.root, "memtree.toml").write_text('durability = "fast"\n[redact]\npii = ["email"]\n')
    with Workspace.open(workspace.root) as again:
        append(again, "Ann is ann@example.org")
        assert b"ann@example.org" not in on_disk(again)


def test_a_file_that_is_held_back_is_told_and_gets_it_later(workspace: Workspace) -> None:
    write(workspace, "## A\n\n- one\n")
    workspace.save()
    write(workspace, f"## A\n\n- one\n- token: {SECRET}\n")
    for report in (append(workspace, FOX), replace_section(workspace, "B", "- two words")):
        assert (report.stored, report.on_disk) == (True, False)
        assert "not in the file on the disk yet" in report.message
        assert "held back" in report.notes[-1]
    assert SECRET in on_disk(workspace).decode()
    write(workspace, "## A\n\n- one\n")
    workspace.save()
    assert FOX in on_disk(workspace).decode()
    assert "two words" in on_disk(workspace).decode()


def test_an_edit_by_hand_that_races_in_is_kept_and_the_report_is_of_the_file_then(tmp_path: Path) -> None:
    hand = [b"", b"# By hand\n\nwords\n\n## A\n\n- one\n\n## B\n\n- two\n- three\n"]

    def observe(step: str, path: str) -> None:
        # An editor saves at the last moment, when the new file is about to take the old one's place.
        if step == "exchange" and path.endswith("MEMORY.md") and len(hand) > 1:
            write(workspace, hand.pop())

    workspace = opened(tmp_path / "w", Options(durability=Durability.FAST, observe=observe))
    kept, hand[1:] = hand[1:], []
    write(workspace, "## A\n\n- one\n\n## B\n\n- two\n")
    workspace.save()
    hand += kept
    report = append(workspace, FOX, section_title="A")
    assert hand == [b""]
    after = on_disk(workspace).decode()
    assert after == f"# By hand\n\nwords\n\n## A\n\n- one\n- {FOX} ^{report.entries[0].id}\n\n## B\n\n- two\n- three\n"
    assert report.entries[0].first == 8
    hand.append(after.replace("- three", "- three\n- four").encode())
    report = replace_section(workspace, "B", "- two\n- three\n- five")
    assert "- four" in on_disk(workspace).decode()
    assert "merged" in report.notes[-1]
    assert "four" in [one.text for one in report.entries]


def test_what_two_processes_add_at_once_is_all_there(workspace: Workspace) -> None:
    program = (
        "import sys; from memtree.engine.workspace import Workspace\n"
        "from memtree.engine.writers.memory_md import update_memory_md\n"
        "with Workspace.open(sys.argv[1]) as w:\n"
        "    for n in range(50):\n"
        "        update_memory_md(w, 'MEMORY.md', 'append', f'Number {n} of {sys.argv[2]}', category=sys.argv[3])\n"
        "        update_memory_md(w, 'MEMORY.md', 'append', f'Shared number {n}', category=sys.argv[3]) if n % 10 == 0 else None\n"
    )
    write(workspace, "# Memory\n\nBy hand.\n")
    Path(workspace.root, "memtree.toml").write_text('durability = "fast"\n')
    workspace.save()
    names = (("one", "fact"), ("two", "pattern"))
    others = [subprocess.Popen([sys.executable, "-c", program, workspace.root, *name]) for name in names]
    assert [other.wait(120) for other in others] == [0, 0]
    data = on_disk(workspace)
    found = list(memory_entries(data))
    texts = [line.text for _, line in found]
    assert sorted(texts) == sorted(
        [f"Number {n} of {name}" for n in range(50) for name, _ in names] + [f"Shared number {n}" for n in range(0, 50, 10)]
    )
    assert len({line.id for _, line in found}) == 105
    assert {title for title, line in found if line.text.endswith("of one")} == {"Facts"}
    assert data.startswith(b"# Memory\n\nBy hand.\n")
    GitRepo(Path(workspace.root)).git("fsck", "--strict", "--no-dangling")
