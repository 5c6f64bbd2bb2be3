"""What people and programs see of our values."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from memtree.engine.blame import blame
from memtree.engine.history import LogQuery, diff, log
from memtree.engine.repo import Repo
from memtree.engine.review import Basis, Review, pending
from memtree.indexers.query import Hit
from memtree.tools.hit_view import hit_lines
from memtree.tools.render import Line, Look, Screen, Span, fields, harmless, json_text, table, to_json, width
from memtree.tools.render_views import blame_lines, diff_lines, log_lines, review_lines
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath
from memtree.tree.words import Detail, FileDiff, diff_file
from support.gitrepo import GitRepo

PATH = RepoPath("notes/a.md")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def plain(lines: Iterable[Line]) -> str:
    stream = io.StringIO()
    Screen(stream, {}).show(lines)
    return stream.getvalue()


def change(old: str | None, new: str | None, detail: Detail = Detail.WORDS) -> FileDiff:
    return diff_file(PATH, None if old is None else old.encode(), None if new is None else new.encode(), detail=detail)


def test_a_terminal_gets_colour_and_a_pipe_does_not() -> None:
    line = (Span("x", Look.GOOD),)
    for stream, environment, coloured in (
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
    ):
        Screen(stream, environment).show([line])
        assert ("\x1b[" in stream.getvalue()) is coloured


@given(line=st.lists(st.builds(Span, st.text(st.characters(exclude_categories=["C", "Z"])), st.sampled_from(Look))).map(tuple))
def test_colours_are_those_of_the_library_for_terminals(line: tuple[Span, ...]) -> None:
    ours, theirs = Terminal(), Terminal()
    Screen(ours, {"TERM": "xterm"}).show([line])
    console = Console(file=theirs, force_terminal=True, color_system="standard", highlight=False, markup=False, emoji=False)
    console.print(Text.assemble(*((span.text, span.look.value) for span in line)), soft_wrap=True)
    assert ours.getvalue() == theirs.getvalue()


def test_long_lines_are_never_wrapped() -> None:
    text = "word " * 100 + "end"
    for stream in (io.StringIO(), Terminal()):
        Screen(stream, {"TERM": "xterm"}).show([(Span(text),)])
        assert stream.getvalue() == text + "\n"


def test_markup_in_a_note_is_only_text() -> None:
    stream = Terminal()
    Screen(stream, {"TERM": "xterm"}).show([(Span("[bold]x[/bold] :smile: [link=x]"),)])
    assert stream.getvalue() == "[bold]x[/bold] :smile: [link=x]\n"


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_control_characters_are_shown_not_obeyed(stream: io.StringIO) -> None:
    Screen(stream, {"TERM": "xterm"}).show([(Span("a\x1b]0;title\x07\r\n\x9b2J\u202eb\udcff\tc"),)])
    shown = stream.getvalue().expandtabs().replace(" ", "")
    assert shown == "a\\x1b]0;title\\x07\\r\\n\\x9b2J\\u202eb\\xffc\n"


@given(st.text())
def test_harmless_text_is_left_alone_a_second_time(text: str) -> None:
    assert harmless(harmless(text)) == harmless(text)
    harmless(text).encode()


def test_words_are_marked_when_there_is_no_colour() -> None:
    found = change("the cat sat here\ngone now\n", "the dog sat here\n")
    assert plain(diff_lines(found, Detail.WORDS, colour=False)) == (
        "notes/a.md  modified  +1 -2\n@@ -1,2 +1,1 @@\nthe [-cat-]{+dog+} sat here\n[-gone now-]\n"
    )
    spans = list(diff_lines(found, Detail.WORDS, colour=True))[2]
    assert [(span.text, span.look) for span in spans][1:3] == [("cat", Look.REMOVED), ("dog", Look.ADDED)]


def test_lines_have_their_sign() -> None:
    assert plain(diff_lines(change("a\nb\n", "a\nc"), Detail.LINES, colour=False)).split("\n")[3:] == [
        "@@ -1,2 +1,2 @@",
        " a",
        "-b",
        "+c",
        "\\ No newline at end of file",
        "",
    ]


def test_a_changed_line_end_is_seen() -> None:
    text = plain(diff_lines(change("a\r\n", "a\n", Detail.LINES), Detail.LINES, colour=False))
    assert "-a\\r\n+a\n" in text
    assert "\\r" not in plain(diff_lines(change("a\r\n", "b\r\n", Detail.LINES), Detail.LINES, colour=False))


def test_binary_is_named_not_shown() -> None:
    found = diff_file(PATH, b"\0", b"\0\0", detail=Detail.LINES)
    assert "Binary files" in plain(diff_lines(found, Detail.LINES, colour=False))
    assert "binary" in plain(diff_lines(found, Detail.WORDS, colour=False))


@pytest.mark.parametrize("detail", list(Detail))
def test_git_applies_what_the_line_form_says(tmp_path: Path, detail: Detail) -> None:
    git = GitRepo(tmp_path)
    for path in ("a.md", "with space.md", "记忆.md", 'odd"name\\.md', "moved.md"):
        git.write(path, "".join(f"{path} line {n}\n" if n % 5 else f" two blanks {n}  \n\n" for n in range(30)))
    git.write("gone.md", "gone\n")
    before = CommitId(git.commit("before"))
    for path in ("a.md", "with space.md", "记忆.md", 'odd"name\\.md'):
        git.write(path, git.read(path).replace(b"line 3\n", b"row 3\n").removesuffix(b"\n"))
    git.move("moved.md", "to/here.md")
    git.write("to/here.md", git.read("to/here.md").replace(b"line 7\n", b""))
    git.remove("gone.md")
    git.write("new.md", "new\n")
    after = CommitId(git.commit("after"))
    found = diff(Repo.open(git.path), before, after, detail=detail)
    patch = plain(line for one in found for line in diff_lines(one, Detail.LINES, colour=False))
    git.git("checkout", "-q", before)
    git.git("apply", "--index", "-", stdin=patch.encode())
    assert git.git("write-tree") == git.git("rev-parse", f"{after}^{{tree}}")


def test_log_and_blame_lines(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    git.write("a.md", "one\n")
    first = CommitId(git.commit("Add", trailers={"Memtree-Writer": "archivist"}))
    git.move("a.md", "b.md")
    second = CommitId(git.commit("Move"))
    repo = Repo.open(git.path)
    assert plain(log_lines(log(repo, second, LogQuery("b.md")), zone=UTC)) == (
        f"{second[:8]}  2025-06-15 15:07  git         Move  (renamed from a.md)\n"
        f"{first[:8]}  2025-06-15 15:06  archivist   Add  (1 added)\n"
    )
    assert plain(blame_lines(blame(repo, "b.md", second), zone=UTC)) == (f"{first[:8]}  2025-06-15 15:06  archivist  1 | one\n")


def test_a_long_review_is_cut_on_the_screen_only(tmp_path: Path) -> None:
    git = GitRepo(tmp_path / "work")
    for n in range(5):
        git.write(f"{n}.md", f"note {n}\n")
    tip = CommitId(git.commit())
    review = pending(Repo.open(git.path), str(tmp_path / "state"), tip)
    text = plain(review_lines(review, colour=False, most=2))
    assert text.startswith("5 files: everything, as this is the first review here\n\n0.md  added  +1 -0  by git\n+note 0\n")
    assert "and 3 more files" in text


def test_a_review_shows_the_text_of_a_new_file_before_its_front_matter(tmp_path: Path) -> None:
    git = GitRepo(tmp_path / "work")
    front = "---\n" + "".join(f"key{n}: {n}\n" for n in range(7)) + "---\n"
    git.write("front only.md", front)
    git.write("turn.md", f"{front}What was said.\n")
    git.write("unfinished.md", "---\n" + "key: 1\n" * 9)
    review = pending(Repo.open(git.path), str(tmp_path / "state"), CommitId(git.commit()))
    files = plain(review_lines(review, colour=False)).split("\n\n")
    assert files[1].splitlines()[1:] == ["+---", *(f"+key{n}: {n}" for n in range(7)), "... 1 more line"]
    assert files[2].splitlines()[1:] == ["+What was said."]
    assert files[3].splitlines()[-1] == "... 2 more lines"


def test_a_first_review_of_many_files_is_a_list(tmp_path: Path) -> None:
    git = GitRepo(tmp_path / "work")
    for n in range(30):
        git.write(f"{n:02}.md", f"note {n}\n")
    review = pending(Repo.open(git.path), str(tmp_path / "state"), CommitId(git.commit()))
    lines = plain(review_lines(review, colour=False)).splitlines()
    assert lines[1:] == [f"added     {n:02}.md" for n in range(30)]


def test_a_heap_of_a_review_is_one_line_at_its_end(tmp_path: Path) -> None:
    git = GitRepo(tmp_path / "work")
    for n in range(30):
        git.write(f"episodic/s/{n:06}.md", f"said {n}\n")
    git.write("zebra.md", "note\n")
    review = pending(Repo.open(git.path), str(tmp_path / "state"), CommitId(git.commit()), content="")
    lines = plain(review_lines(review, colour=False)).splitlines()
    assert lines[0].startswith("31 files: ")
    assert lines[1:] == ["", "zebra.md  added  +1 -0  by git", "+note", "", "episodic/s/  30 files added  by git"]


@pytest.mark.parametrize("basis", list(Basis))
def test_a_review_says_why_it_starts_where_it_does(basis: Basis) -> None:
    since = CommitId("a" * 40) if basis in (Basis.MARK, Basis.REWRITTEN) else None
    assert plain(review_lines(Review(since, CommitId("b" * 40), basis, ()), colour=False)).startswith("0 files")


def hit(snippet: str, *highlights: tuple[int, int]) -> Hit:
    return Hit(PATH, next(iter(Kind)), "Title", "Heading", 3, 9, snippet, highlights, 1.5, None, CommitId("c" * 40))


def test_a_hit_names_its_place_and_marks_what_matched_by_look_alone() -> None:
    found = hit("the cat\n\n and  a dog", (4, 7), (17, 20))
    assert plain(hit_lines([found])) == "notes/a.md:3-9  Title › Heading\n    the cat and a dog\n"
    strong = [span.text for line in list(hit_lines([found]))[1:] for span in line if span.look is Look.STRONG]
    assert strong == ["cat", "dog"]


@pytest.mark.parametrize(("title", "shown"), [("000001-000004", "recap"), ("Moving house", "Moving house")])
def test_a_recap_is_not_called_by_its_numbers(title: str, shown: str) -> None:
    path = RepoPath("recap/s/000001-000004.md")
    found = Hit(path, Kind.RECAP, title, "Events", 3, 9, "the cat", (), 1.5, None, CommitId("c" * 40))
    assert plain(hit_lines([found])).splitlines()[0] == f"{path}:3-9  {shown} › Events"


RANGES = st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=4)


@given(st.text(max_size=20), RANGES)
def test_highlights_never_change_the_text_but_its_blanks(text: str, ranges: list[tuple[int, int]]) -> None:
    lines = list(hit_lines([hit(text, *ranges)]))[1:]
    assert ["".join(span.text for span in line[1:]) for line in lines] == [" ".join(text.split())]


@given(st.text(st.sampled_from("ab 记\n"), max_size=200), RANGES, st.integers(20, 40))
def test_on_a_terminal_a_snippet_is_a_few_rows_that_fit(text: str, ranges: list[tuple[int, int]], columns: int) -> None:
    rows = ["".join(span.text for span in line[1:]) for line in list(hit_lines([hit(text, *ranges)], columns=columns))[1:]]
    assert 1 <= len(rows) <= 3
    assert all(width(row) <= max(columns - 4, 20) for row in rows)
    assert "".join(rows).replace(" ", "") in "".join(text.split())


def test_on_a_terminal_the_rows_begin_near_the_first_match() -> None:
    text = "word " * 100 + "needle in the hay " + "word " * 100
    rows = list(hit_lines([hit(text, (500, 506))], columns=60))[1:]
    assert [span.text for line in rows for span in line if span.look is Look.STRONG] == ["needle"]


@pytest.mark.parametrize(
    ("parts", "made_of"),
    [
        ((), ""),
        ((("text", 0.7),), " = text 0.700"),
        ((("text", 0.3), ("vector", 0.7)), " = vector 0.700 + text 0.300"),
        ((("scale", -0.5), ("date", 1.0), ("tokens", -0.0625)), " = date 1.000 - tokens 0.062 - scale 0.500"),
        ((("scale", -0.5), ("tokens", -0.25)), " = - tokens 0.250 - scale 0.500"),
    ],
)
def test_a_score_is_explained_as_a_sum(parts: tuple[tuple[str, float], ...], made_of: str) -> None:
    lines = plain(hit_lines([hit("text")._replace(parts=parts)], explain=True)).splitlines()
    assert lines[2:] == [f"    score 1.500{made_of}"]


def test_columns_line_up_with_wide_characters() -> None:
    assert plain(table(["name", "n"], [["记忆", "1"], ["cafe\u0301s", "22"]])) == ("name   n\n记忆   1\ncafe\u0301s  22\n")
    assert plain(fields([("ahead", "1"), ("behind", "none")])) == "ahead   1\nbehind  none\n"
    assert list(fields([])) == []
    assert width("a\x1b") == 5


def test_values_become_json(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    git.write("a.md", "one\n")
    tip = CommitId(git.commit("Add", trailers={"Memtree-Writer": "goals"}))
    (item,) = log(Repo.open(git.path), tip, LogQuery())
    found = json.loads(json_text(item))
    assert found["commit"]["trailers"] == {"writer": "goals"}
    assert (found["commit"]["subject"], found["writer"]) == ("Add", "goals")
    assert found["changes"][0]["kind"] == "added"
    assert found["changes"][0]["after"]["mode"] == 0o100644
    assert to_json(change("a\n", "b\n"))["hunks"][0]["lines"][0]["pieces"] == [{"kind": "removed", "text": "a\n"}]


def test_odd_values_become_json() -> None:
    assert to_json(b"\xff\0a") == "\ufffd\0a"
    assert to_json({PATH: (1, None, True, 2.5)}) == {"notes/a.md": [1, None, True, 2.5]}
    assert to_json(frozenset({"b", "a"})) == ["a", "b"]
    assert to_json(float("nan")) is None
    json_text("\udcff 记").encode()
    with pytest.raises(TypeError, match="no JSON form"):
        to_json(object())
