"""Importing: every kind arrives as a file that can be read and searched, a repeat adds nothing, a change supersedes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.importing.importer import import_sources
from memtree.engine.importing.report import ImportReport, NothingToImport, SourceReport
from memtree.engine.importing.sources import source_name
from memtree.engine.workspace import Workspace
from memtree.tree.document import Document
from memtree.tree.errors import UserError
from support.faultlab import quick_folder
from support.machines import Machine, options

CONTENT = "memory_tree/content"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    workspace, _ = Workspace.init(str(tmp_path / "memory"), options=options())
    with workspace:
        yield Machine(workspace)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "Old Notes"
    folder.mkdir()
    return folder


def bring(machine: Machine, *places: Path, **choices: object) -> ImportReport:
    return import_sources(machine.workspace, [str(place) for place in places], **choices)  # type: ignore[arg-type]


def counts(report: ImportReport) -> tuple[int, int, int]:
    found = [(one.imported, one.updated, one.unchanged) for one in report.sources]
    return tuple(map(sum, zip(*found, strict=True)))  # type: ignore[return-value]


def only(report: ImportReport) -> SourceReport:
    (found,) = report.sources
    return found


def files(machine: Machine, folder: str = "raw") -> dict[str, Document]:
    """Imported files by their source id."""
    found = {}
    for path, data in machine.notes().items():
        if path.startswith(f"{CONTENT}/{folder}/"):
            document = Document.parse(data)
            assert document.front_matter().problem == ""
            found[document.front_matter().text("source_id")] = document
    return found


def text(document: Document) -> str:
    return document.body_bytes().decode()


# -- documents


def test_markdown_keeps_its_front_matter_and_gets_ours(machine: Machine, source: Path) -> None:
    (source / "deep").mkdir()
    (source / "deep" / "heron.md").write_bytes(
        "---\ntitle: Heron\ntags: [bird, 鸟]\nsource: a book\ncreated: 2020-01-02\n---\n# Grey\n\nWades.\n".replace(
            "\n", "\r\n"
        ).encode()
    )
    assert counts(bring(machine, source)) == (1, 0, 0)
    document = files(machine)["deep/heron.md"]
    front = document.front_matter()
    assert (front.title, front.tags, front.text("original_source")) == ("Heron", ("bird", "鸟"), "a book")
    assert (front.text("source"), front.text("source_kind"), len(front.text("content_hash"))) == ("old-notes", "markdown", 32)
    assert front.time == 1577923200
    assert text(document) == "\n# Grey\n\nWades.\n"
    assert b"\r" not in document.data
    (path,) = [path for path in machine.notes() if "/raw/" in path]
    name = path.split("/")[-1]
    assert path == f"{CONTENT}/raw/old-notes/{name[:2]}/{name}"
    assert machine.found("wades") == [path]
    machine.assert_sound()


@pytest.mark.parametrize(
    "header",
    ["a: b: c", "- list", "{a: b}", "a: &x 1\nb: *x", "\tkey: x", "a: [1", "k: 'x", "memtree: 1\nmemtree: 2\n: :"],
)
def test_a_header_that_cannot_stand_below_ours_is_kept_as_text(header: str, machine: Machine, source: Path) -> None:
    (source / "odd.md").write_text(f"---\n{header}\n---\nBody.\n")
    bring(machine, source)
    document = files(machine)["odd.md"]
    assert header in document.data.decode()
    assert "Body." in text(document)
    machine.assert_sound()


def test_titles_come_from_the_first_heading_or_the_name_and_dates_from_the_name(machine: Machine, source: Path) -> None:
    (source / "a.md").write_text("```\n# not this\n```\n# Lake Como #\n")
    (source / "2024-03-09 walk.txt").write_text("We walked.\n")
    bring(machine, source)
    found = files(machine)
    assert found["a.md"].front_matter().title == "Lake Como"
    walk = found["2024-03-09 walk.txt"].front_matter()
    assert (walk.title, walk.text("date")) == ("2024-03-09 walk", "2024-03-09")


def test_html_becomes_markdown_without_scripts_and_styles(machine: Machine, source: Path) -> None:
    page = """<!doctype html><head><title>Tea &amp; time</title>
    <meta property="article:published_time" content="2024-05-06T07:00:00Z">
    <style>p{color:red}</style><script>alert("</p>")</script></head><body><h1>Tea</h1><p>Hot <b>water</b>,
    <a href="http://x.y/z">leaves</a>.<ul><li>green<li>black</ul><table><tr><th>a<th>b<tr><td>1<td>2</table><pre>code  x</pre>"""
    (source / "tea.html").write_text(page)
    (source / "chinese.htm").write_bytes('<meta charset="gb2312"><p>图书馆今天开会。'.encode("gb18030"))
    bring(machine, source)
    tea = files(machine)["tea.html"]
    assert (tea.front_matter().title, tea.front_matter().text("created")) == ("Tea & time", "2024-05-06T07:00:00Z")
    for words in ("# Tea", "**water**", "[leaves](http://x.y/z)", "- green", "| 1", "code  x"):
        assert words in text(tea)
    assert "alert" not in text(tea)
    assert "color" not in text(tea)
    assert "图书馆今天开会。" in text(files(machine)["chinese.htm"])


@pytest.mark.parametrize(
    ("data", "shown", "said"),
    [
        (b"\xef\xbb\xbfutf-8 \xc3\xa9", "utf-8 é", False),
        ("utf-16 é 书".encode("utf-16"), "utf-16 é 书", False),
        (b"\xfe\xff" + "big é".encode("utf-16-be"), "big é", False),
        ("utf-32 书".encode("utf-32"), "utf-32 书", False),
        (b"latin \xe9\r\nnext\rlast", "latin é\nnext\nlast", True),
        ("gone \x01\x7f\x9b!".encode(), "gone !", False),
    ],
)
def test_encodings(data: bytes, shown: str, said: bool, machine: Machine, source: Path) -> None:
    (source / "a.txt").write_bytes(data)
    report = only(bring(machine, source))
    assert text(files(machine)["a.txt"]) == f"\n{shown}\n"
    assert [remark.reason for remark in report.remarks] == (["not UTF-8; read as latin-1"] if said else [])


# -- again and again


def test_a_repeat_adds_nothing_and_a_change_takes_the_old_place(machine: Machine, source: Path) -> None:
    for name in "abc":
        (source / f"{name}.md").write_text(f"# {name}\n\nfirst {name}\n")
    bring(machine, source)
    tip, before = machine.tip, machine.notes()
    assert counts(bring(machine, source)) == (0, 0, 3)
    os.utime(source / "a.md", (1, 1))
    assert not bring(machine, source).commit.changed
    assert (machine.tip, machine.status()) == (tip, [])
    (source / "a.md").write_text("# a\n\nsecond a\n")
    (source / "b.md").unlink()
    assert counts(bring(machine, source)) == (0, 1, 1)
    assert machine.notes().keys() == before.keys()
    assert "second a" in text(files(machine)["a.md"])
    assert "first b" in text(files(machine)["b.md"])
    assert machine.git("log", "-1", "--format=%B").splitlines()[:4] == [
        "import 1 document from old-notes",
        "",
        "Memtree-Writer: import",
        "Memtree-Source: old-notes",
    ]
    machine.assert_sound()


def test_a_copy_elsewhere_on_another_machine_makes_the_same_files(machine: Machine, source: Path, tmp_path: Path) -> None:
    (source / "a.md").write_text("# a\n")
    bring(machine, source)
    copy = tmp_path / "elsewhere" / "Old Notes"
    copy.mkdir(parents=True)
    (copy / "a.md").write_text("# a\n")
    workspace, _ = Workspace.init(str(tmp_path / "other"), options=options())
    with workspace:
        bring(Machine(workspace), copy)
        assert Machine(workspace).notes() == machine.notes()


def test_what_a_person_edited_here_is_never_lost(machine: Machine, source: Path) -> None:
    (source / "a.md").write_text("# a\n\nfirst\n")
    bring(machine, source)
    (path,) = machine.notes()
    machine.write(path, machine.read(path) + b"\nmy own line\n")
    machine.save()
    assert counts(bring(machine, source)) == (0, 0, 1)  # the source is as it was
    (source / "a.md").write_text("# a\n\nsecond\n")
    report = bring(machine, source)
    assert counts(report) == (0, 1, 0)
    everything = b"".join(machine.notes().values())
    assert b"my own line" in everything
    assert b"second" in everything
    assert report.commit.conflicts
    machine.assert_sound()


def test_an_edit_that_is_not_saved_yet_is_committed_first(machine: Machine, source: Path) -> None:
    (source / "a.md").write_text("# a\n\nfirst\n")
    bring(machine, source)
    (path,) = machine.notes()
    machine.write(path, machine.read(path) + b"\nunsaved line\n")
    (source / "a.md").write_text("# a\n\nsecond\n")
    bring(machine, source)
    everything = b"".join(machine.notes().values())
    assert b"unsaved line" in everything
    assert b"second" in everything
    machine.assert_sound()


def test_two_inputs_of_one_name_both_stay(machine: Machine, source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (source / "a.md").write_text("one\n")
    (other / "a.md").write_text("two\n")
    for _ in range(2):
        bring(machine, source, other, name="both")
    assert sorted(data[-4:] for data in machine.notes().values()) == [b"one\n", b"two\n"]


# -- what cannot be imported


def test_what_cannot_be_read_is_listed_and_the_rest_goes_on(machine: Machine, source: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("secret outside\n")
    (source / "good.md").write_text("good\n")
    (source / "binary.txt").write_bytes(bytes(range(256)))
    (source / "noise.txt").write_bytes(b"\x01\x02\xff" * 99)
    (source / "half.txt").write_bytes(b"\xff\xfe\x00\xd8a")
    (source / "empty.md").write_text(" \n")
    (source / "table.xlsx").write_bytes(b"PK")
    (source / "link.md").symlink_to(tmp_path / "outside.md")
    (source / "loop").symlink_to(source)
    (source / "gone.md").symlink_to("nowhere")
    os.mkfifo(source / "pipe.md")
    with open(source / "huge.md", "wb") as file:
        file.truncate(50 * 1024 * 1024 + 1)
    with open(os.fsencode(source) + b"/bad\xff.md", "wb") as file:
        file.write(b"x")
    (source / ".hidden").mkdir()
    (source / ".hidden" / "a.md").write_text("hidden\n")
    report = only(bring(machine, source))
    assert report.imported == 1
    assert {remark.place: remark.reason for remark in report.skipped} == {
        "binary.txt": "a binary file",
        "noise.txt": "a binary file",
        "half.txt": "not valid UTF-16-LE although it begins like it",
        "empty.md": "empty",
        "table.xlsx": "of a kind that is not read (.xlsx)",
        "link.md": "a symbolic link",
        "loop": "a symbolic link",
        "gone.md": "a symbolic link",
        "pipe.md": "not an ordinary file",
        "huge.md": "larger than 50 MB",
        "bad?.md": "its name is not UTF-8",
    }
    assert b"secret" not in b"".join(machine.notes().values())


def test_a_source_that_holds_the_workspace_does_not_import_it(machine: Machine, source: Path, tmp_path: Path) -> None:
    machine.write(f"{CONTENT}/mine.md", "mine\n")
    (source / "a.md").write_text("a\n")
    report = only(bring(machine, tmp_path))
    assert (report.imported, [remark.reason for remark in report.skipped]) == (1, ["this workspace itself"])


def test_names_of_sources() -> None:
    assert [source_name(text) for text in ("Old Notes", "图书馆", "a/../b", "CON", "..x..", "Ünï", "x" * 99)] == [
        "old-notes", "图书馆", "a-.-b", "con-source", "x", "ünï", "x" * 60,
    ]  # fmt: skip
    for text in ("", "..", "///", "\udcff"):
        with pytest.raises(UserError):
            source_name(text)


def test_an_ignored_place_is_refused_before_anything_is_read(machine: Machine, source: Path) -> None:
    machine.write(".memtreeignore", "raw/\n")
    (source / "a.md").write_text("a\n")
    with pytest.raises(UserError, match="ignored"):
        bring(machine, source)


def test_nothing_importable_is_an_error_and_no_commit(machine: Machine, source: Path) -> None:
    tip = machine.tip
    with pytest.raises(NothingToImport, match="nothing there"):
        bring(machine, source)
    assert machine.tip == tip


# -- chats


def turns(source: Path, *lines: object) -> Path:
    path = source / "chat.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_a_chat_becomes_pieces_of_a_few_turns(machine: Machine, source: Path) -> None:
    said = [{"role": "user" if n % 2 else "assistant", "content": f"word{n} " * 60, "timestamp": 1710000000 + n} for n in range(20)]
    bring(machine, turns(source, *said))
    pieces = [document for path, data in machine.notes().items() if "/chat/chat/" in path for document in [Document.parse(data)]]
    assert 3 < len(pieces) < 12
    fronts = [piece.front_matter() for piece in pieces]
    assert sorted(int(front.text("part")) for front in fronts) == list(range(len(pieces)))
    assert {front.text("source_id") for front in fronts} == {"chat.jsonl"}
    first = next(piece for piece in pieces if piece.front_matter().text("part") == "0")
    assert text(first).startswith("\n**assistant** (2024-03-09T16:00:00Z)\n\nword0")
    assert first.front_matter().time == 1710000000
    assert any("/chat/chat/" in path for path in machine.found("word7"))


def test_a_chat_that_grew_replaces_its_last_piece_only(machine: Machine, source: Path) -> None:
    said = [{"speaker": "ada", "text": f"line {n} " * 30, "session_id": "s1"} for n in range(11)]
    bring(machine, turns(source, *said))
    before = machine.notes()
    tip = machine.tip
    assert not bring(machine, source / "chat.jsonl").commit.changed
    report = only(bring(machine, turns(source, *said, *said[:9])))
    after = machine.notes()
    assert report.superseded == len(before.keys() - after.keys()) <= 1
    assert before.items() - after.items() == {(path, before[path]) for path in before.keys() - after.keys()}
    everything = b"".join(after.values()).decode()
    assert [everything.count(f"line {n} " * 30 + "\n") or everything.count(f"line {n} " * 29) for n in range(11)] == [2] * 9 + [
        1,
        1,
    ]
    assert machine.tip != tip
    # An export of only the last days numbers its turns anew: nothing that it left out may go.
    bring(machine, turns(source, *said[6:]))
    assert all(f"line {n} " in b"".join(machine.notes().values()).decode() for n in range(11))
    machine.assert_sound()


def test_a_chat_s_lines_may_be_of_many_forms(machine: Machine, source: Path) -> None:
    path = turns(
        source,
        {"role": "user", "content": "plain form"},
        {"type": "assistant", "sessionId": "s2", "message": {"role": "assistant", "content": [
            {"type": "text", "text": "nested form"}, {"type": "tool_use", "name": "Bash"}]}},
        {"name": "Ada", "text": "named form", "time": "2024-03-09 10:00:00+08:00", "conversation": {"id": 7}},
        {"messages": [{"role": "user", "content": "many form"}, {"role": "assistant", "content": "many answer"}]},
        {"conversations": [{"from": "human", "value": "shared form"}]},
        {"author": {"role": "tool"}, "content": {"parts": ["parts form"]}, "create_time": 1710000000.25},
        {"text": "lone \ud800 half"},
        {"summary": "no turn"},
        "",
        "not json",
        "[1, 2]",
        '{"text": ' + "[" * 100_000,
        '{"text": "x", "ts": ' + "9" * 5000 + "}",
        '{"role": 1, "content": null, "text": ["a", {"b": {}}, 3]}',
    )  # fmt: skip
    report = only(bring(machine, path))
    assert [remark.reason for remark in report.skipped] == ["4 lines are no JSON objects: 10, 11, 12, 13"]
    everything = b"".join(machine.notes().values()).decode()
    for words in ("plain", "nested", "named", "many", "shared", "parts"):
        assert f"{words} form" in everything
    for words in (
        "[tool_use Bash]",
        "**Ada** (2024-03-09T02:00:00Z)",
        "**human**",
        "**tool** (2024-03-09T16:00:00Z)",
        "lone  half",
    ):
        assert words in everything
    assert "many answer" in everything
    assert not bring(machine, path).commit.changed


def test_json_lines_that_are_no_chat_are_skipped(machine: Machine, source: Path) -> None:
    with pytest.raises(NothingToImport, match="without turns"):
        bring(machine, turns(source, {"x": 1}, {"y": [2]}))


# -- size


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: thousands of files take their time on some disks."""
    folder = quick_folder()
    yield Path(folder)
    shutil.rmtree(folder)


def test_thousands_of_files_are_one_commit_in_one_pack(memory: Path) -> None:
    source = memory / "notes"
    source.mkdir()
    workspace, _ = Workspace.init(str(memory / "memory"), options=options())
    with workspace:
        _thousands(Machine(workspace), source)


def _thousands(machine: Machine, source: Path) -> None:
    for number in range(2_000):
        folder = source / str(number % 20)
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nAbout {number % 7} things.\n")
    before = machine.commits()
    assert counts(bring(machine, source)) == (2_000, 0, 0)
    assert machine.commits() == before + 1
    counted = dict(line.split(": ") for line in machine.git("count-objects", "-v").splitlines())
    assert (counted["packs"], counted["in-pack"], counted["garbage"]) == ("1", "2000", "0")
    machine.assert_sound()
    assert counts(bring(machine, source)) == (0, 0, 2_000)
    for number in range(0, 2_000, 2):
        (source / str(number % 20) / f"{number}.md").write_text("changed\n")
    assert counts(bring(machine, source)) == (0, 1_000, 1_000)
    machine.assert_sound()


def test_a_secret_in_what_is_imported_never_reaches_a_file_or_history(machine: Machine, source: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    (source / "setup.md").write_text(f"# Setup\n\nThe token is {token} for now.\n", encoding="utf-8")
    lines = [{"name": "Ada", "content": f"use {token}", "timestamp": "2026-03-01T10:00:00Z"}]
    (source / "chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    report = bring(machine, source)
    assert sum("secret" in remark.reason for remark in only(report).remarks) == 2
    assert "[secret: github-token] for now." in files(machine)["setup.md"].body_bytes().decode()
    assert not any(token.encode() in data for data in machine.disk().values())
    everything = machine.git("cat-file", "--batch-all-objects", "--batch", "--buffer")
    assert token not in everything
    assert counts(bring(machine, source)) == (0, 0, 2)
