"""Chunks: every line once, cut where a reader would."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.chunk_units import BLOCK_LIMIT, CHUNK_LIMIT, WHOLE_LIMIT
from memtree.tree.chunks import TURN_LIMIT, Chunk, chunk, split_lines
from memtree.tree.document import Document
from memtree.tree.paths import RepoPath
from memtree.tree.token_count import count_tokens

NOTE = RepoPath("notes/a note.md")
_LINES = st.sampled_from(
    [
        "",
        "# One",
        "## Two",
        "###### Deep #",
        "text",
        "more text " * 30,
        "=====",
        "---",
        "```",
        "```py",
        "~~~",
        "- item",
        "> quote",
        "    code",
        "| a | b |",
        "#tag here",
        "x" * 9000,
        "title: y",
        "...",
        "\u2028",
        "\x0c",
        " \t ",
        "#" * 7,
        "café ^id-1",
        "^own",
        "|---|---|",
        "北京" * 900,
    ]
)
_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
markdown = st.tuples(st.lists(_LINES, max_size=40), _ENDS, st.booleans()).map(
    lambda made: (made[1].join(made[0]) + made[1] * made[2]).encode()
)


def cut(text: str, path: str = NOTE) -> list[Chunk]:
    return chunk(RepoPath(path), text.encode())


@given(st.one_of(st.binary(max_size=300), markdown))
def test_every_line_lies_in_one_chunk_and_spans_are_right(data: bytes) -> None:
    lines = split_lines(data)
    document = Document.parse(data)
    header = document.data[: document.body.start]
    skipped = len(split_lines(header)) if document.header and not document.front_matter().problem else 0
    found: list[str] = []
    reached = skipped
    for number, piece in enumerate(chunk(NOTE, data)):
        assert piece.ordinal == number
        assert 1 <= piece.start_line <= piece.end_line <= len(lines)
        if piece.text == "":
            continue
        stretch = "\n".join(lines[piece.start_line - 1 : piece.end_line])
        assert piece.text == stretch or (piece.start_line == piece.end_line and piece.text in stretch)
        assert piece.start_line > reached or len(lines[piece.start_line - 1]) > 1_000
        reached = max(reached, piece.end_line)
        found.append(piece.text)
    blank = str.maketrans("", "", "".join(c for c in map(chr, range(0x3001)) if c.isspace()))
    assert "".join(found).translate(blank) == "".join(lines[skipped:]).translate(blank)


def test_headings_nest_and_end_at_their_level() -> None:
    pieces = cut("intro\n\n# A\na\n## B\nb\n### C #\nc\n## D\nd\n\nTitle\n=====\ne\n")
    assert [piece.headings for piece in pieces] == [(), ("A",), ("A", "B"), ("A", "B", "C"), ("A", "D"), ("Title",)]
    assert [(piece.start_line, piece.end_line) for piece in pieces] == [(1, 1), (3, 4), (5, 6), (7, 8), (9, 10), (12, 14)]


def test_setext_headings_need_a_paragraph_above() -> None:
    assert [piece.headings for piece in cut("- item\n---\n\n> q\n===\n\n---\n\ntwo\nlines\n---\nx")] == [(), ("two lines",)]


def test_fences_hide_headings() -> None:
    assert [piece.headings for piece in cut("# A\n```\n# no\n```\n~~~~\n# no\n~~~\n# no\n~~~~\n# B\n```\n# open to the end")] == [
        ("A",),
        ("B",),
    ]


def test_a_hash_in_other_files_is_no_heading() -> None:
    pieces = chunk(RepoPath("run.py"), b"# comment\n\nprint()\n")
    assert [(piece.headings, piece.title) for piece in pieces] == [((), "run")]


def size(piece: Chunk) -> float:
    return count_tokens(piece.text.encode())


def test_long_sections_are_cut_between_blocks() -> None:
    paragraph = "a word or two " * 25
    pieces = cut("# A\n\n" + "\n\n".join([paragraph.strip()] * 30))
    assert len(pieces) > 4
    assert all(CHUNK_LIMIT * 0.6 < size(piece) <= CHUNK_LIMIT for piece in pieces[:-1])
    assert all(piece.text.startswith(("# A", "a word")) and piece.text.endswith("two") for piece in pieces)
    assert {piece.headings for piece in pieces} == {("A",)}


def test_chinese_text_is_cut_by_its_tokens() -> None:
    pieces = cut("\n\n".join(["北京大学的研究人员发现了一种新的方法。" * 5] * 40))
    assert all(CHUNK_LIMIT * 0.6 < size(piece) <= CHUNK_LIMIT for piece in pieces[:-1])
    assert max(len(piece.text) for piece in pieces) < 400


def test_a_fence_and_a_table_stay_whole_until_they_are_too_large() -> None:
    fence = "```\n" + "code line\n\n" * 300 + "```"
    table = "| a | b |\n|---|---|\n" + "| some | cells |\n" * 150
    assert CHUNK_LIMIT < count_tokens(fence.encode()) < WHOLE_LIMIT
    pieces = cut(f"before\n\n{fence}\n\nbetween\n\n{table}\nafter\n")
    assert [piece.text for piece in pieces] == ["before", fence, "between", table.strip(), "after"]
    huge = cut("```\n" + "code line\n" * 5_000 + "```")
    assert len(huge) > 5
    assert all(size(piece) <= CHUNK_LIMIT for piece in huge)


def test_a_heading_is_not_parted_from_what_follows() -> None:
    fence = "```\n" + "code line\n" * 300 + "```"
    assert [piece.text for piece in cut(f"# A\n\n{fence}\n")] == [f"# A\n\n{fence}"]


def test_a_long_list_is_cut_between_its_items() -> None:
    item = "- " + "a word or two " * 15 + "\n  - and more"
    pieces = cut("\n".join([item] * 40))
    assert len(pieces) > 3
    assert all(piece.text.startswith("- a word") and piece.text.endswith("and more") for piece in pieces)


def test_what_has_no_end_is_cut_at_lines_and_words() -> None:
    for text in ("a line of text\n" * 2_000, "word " * 20_000, "x" * 40_000, "北" * 9_000):
        pieces = cut(text)
        assert len(pieces) > 3
        assert all(size(piece) <= BLOCK_LIMIT for piece in pieces)


def test_block_ids_stay_with_their_chunk() -> None:
    pieces = cut("# A ^h\n\ntext ^p\n\n- one ^i\n- two\n\n^list\n\n```\nx ^no\n```\n# B\nend ^e\n")
    assert [piece.block_ids for piece in pieces] == [("h", "p", "i", "list"), ("e",)]
    items = "\n".join(f"- {'a word or two ' * 20} ^m-{number}" for number in range(50))
    pieces = cut(items)
    assert len(pieces) > 3
    for piece in pieces:
        assert piece.block_ids == tuple(line.rpartition("^")[2] for line in piece.text.split("\n"))


def test_the_hash_is_of_what_an_embedder_sees() -> None:
    one, two = cut("# A\n\ntext\n\n# B\n\nmore\n")
    moved = cut("# Zero\n\nx\n\n# B\n\nmore\n", "other/a note.md")[1]
    assert len(one.hash) == 32
    assert one.hash != two.hash
    assert (one.passage, two.passage) == ("A\n# A\n\ntext", "A\nB\n# B\n\nmore")
    assert cut("---\ntitle: A\n---\n# B\n\nmore")[0].hash == two.hash
    assert moved.hash != two.hash  # the title is another


TURN = "---\nsession_id: s\nseq: 3\nspeaker: Ada\n---\n"


def test_a_turn_is_one_chunk() -> None:
    text = "# Not a heading\n\n" + "a word or two\n\n" * 400 + "## nor this"
    (piece,) = cut(TURN + text + "\n", "memory_tree/content/episodic/s/000003.md")
    assert (piece.text, piece.headings, piece.title, piece.start_line) == (text, (), "Ada", 6)
    assert piece.turn is not None
    assert (piece.turn.key, piece.turn.speaker) == (("s", 3), "Ada")
    pieces = cut(TURN + "a word or two\n" * 20_000)
    assert len(pieces) > 3
    assert all(size(piece) <= TURN_LIMIT for piece in pieces)
    assert cut("no turn")[0].turn is None


@pytest.mark.parametrize(
    ("path", "data", "title"),
    [
        ("a.md", b"---\ntitle: From   keys\n---\n# Head\n", "From keys"),
        ("a.md", b"## Two\n# One `x`\n", "One `x`"),
        ("dir/My note.md", b"text", "My note"),
        ("x.png", b"\x89PNG\0", "x"),
        (".hidden", b"", ".hidden"),
        ("a.b.md", b"", "a.b"),
    ],
)
def test_title_comes_from_keys_then_heading_then_name(path: str, data: bytes, title: str) -> None:
    assert {piece.title for piece in chunk(RepoPath(path), data)} == {title}


def test_a_file_without_text_has_one_chunk() -> None:
    for data in (b"", b"\n\n", b"---\ntitle: x\n---\n", b"---\ntitle: x\n---"):
        (piece,) = chunk(NOTE, data)
        assert piece.text == ""


def test_lines_count_the_front_matter() -> None:
    (piece,) = cut("---\r\ntitle: x\r\nalias: other\r\n---\r\n\r\nbody\r\n")
    assert (piece.start_line, piece.end_line, piece.text, piece.labels) == (6, 6, "body", ("other",))


def test_a_header_that_cannot_be_read_is_text() -> None:
    pieces = cut("---\n[broken: yaml\n---\nbody\n")
    assert [piece.text for piece in pieces] == ["---\n[broken: yaml\n---", "body"]


def test_tags_come_from_keys_and_text_but_not_from_code() -> None:
    (piece,) = cut("---\ntags: [a]\n---\n#b and #c/d, issue #12, x#y, `#no` http://h/#no\n\n```\n#no\n```\n")
    assert piece.tags == ("a", "b", "c/d")


def test_time_comes_from_keys_then_the_name() -> None:
    assert cut("---\ndate: 2024-05-01\n---\nx", "2020-01-01.md")[0].time == 1714521600
    assert cut("x", "log 2024-05-01 a.md")[0].time == 1714521600
    assert cut("x", "log 2024-13-01.md")[0].time is None
    assert cut("x", "12024-05-01.md")[0].time is None


@pytest.mark.parametrize(
    "data",
    [
        b"x" * 10000000,
        b"word " * 2000000,
        b"\n" * 3000000,
        b"# h\n" * 100000,
        b"#" * 5000000,
        b"# a" + b" " * 5000000 + b"b",
        b"---\n" + b"--- x\n" * 300000,
        b"```\n" * 300000,
        b"text\n" * 300000 + b"---\n",
        b"|a|\n|-|\n" + b"|some|\n" * 100000,
        b"- item ^a\n" * 100000,
        b"- item ^a\r" * 100000,
        b"`[[" * 1000000,
        b"\xe5\x8c\x97" * 3000000,
        b"a\n\n" * 100000,
    ],
    ids=range(15),
)
def test_large_and_odd_files_take_linear_time(data: bytes) -> None:
    start = time.process_time()
    chunk(NOTE, data)
    # Quadratic code would take hours here; the limit only has to be safe on a busy machine.
    assert time.process_time() - start < 20
