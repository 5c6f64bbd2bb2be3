"""One text of a TOML file's top table is set; every other byte stays, or the file is refused."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.toml_line import NotSettable, with_top_text

KEY, NAME = "librarian", "laptop-91c0"
LINE = f'{KEY} = "{NAME}"'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{LINE}\n"),
        ("\ufeff", f"\ufeff{LINE}\n"),
        ("# only a remark", f"# only a remark\n{LINE}\n"),
        ('branch = "main"', f'branch = "main"\n{LINE}\n'),
        ('branch = "main"\r\n\r\n[watch]\r\n', f'branch = "main"\r\n{LINE}\r\n\r\n[watch]\r\n'),
        ("[watch]\nquiet = 1\n", f"{LINE}\n\n[watch]\nquiet = 1\n"),
        ("# Ours\n\n# of watching\n[watch]\n", f"# Ours\n\n{LINE}\n\n# of watching\n[watch]\n"),
        ('capture = [\n  "[a]",  # = "x"\n]\n# end\n[a.b]\n', f'capture = [\n  "[a]",  # = "x"\n]\n{LINE}\n# end\n[a.b]\n'),
        ('x = """\n[not]\nlibrarian = "no"\n"""\n', f'x = """\n[not]\nlibrarian = "no"\n"""\n{LINE}\n'),
        ('[a]\nlibrarian = "other"\n', f'{LINE}\n\n[a]\nlibrarian = "other"\n'),
        ('librarian = "old" # why\nx = 1\n', f"{LINE} # why\nx = 1\n"),
        ("  'librarian'='o\"ld'\r\n", f"  'librarian'=\"{NAME}\"\r\n"),
        ('"librarian" = "a\\"b"', f'"librarian" = "{NAME}"'),
        (f"{LINE}\n", f"{LINE}\n"),
    ],
)
def test_the_line_is_set_and_nothing_else(before: str, after: str) -> None:
    assert with_top_text(before, KEY, NAME) == after


@pytest.mark.parametrize(
    "document",
    ['librarian = """\nold"""\n', "librarian = 5\n", 'librarian.x = "old"\n', "[librarian]\nx = 1\n", "x = \n", '[a]\n"'],
)
def test_other_forms_are_refused(document: str) -> None:
    with pytest.raises(NotSettable, match="librarian is written in a way") as refused:
        with_top_text(document, KEY, NAME)
    assert refused.value.hint.startswith("write it yourself")


LINES = st.lists(
    st.sampled_from(
        [
            "# a remark",
            "",
            'content = "x"',
            "capture = [",
            '  "a", # [b]',
            "]",
            'librarian = "old"  # kept',
            "'librarian' = 'old'",
            "[watch]",
            "[[many]]",
            "text = '''",
            "'''",
            "x.y = 2026-03-01",
        ]
    ),
    max_size=8,
)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.text(max_size=8))
def test_whatever_the_file_says_it_says_it_afterwards(lines: list[str], end: str, last: bool, name: str) -> None:
    document = end.join(lines) + end * last
    try:
        made = with_top_text(document, KEY, name)
    except NotSettable:
        return
    assert tomllib.loads(made) == tomllib.loads(document) | {KEY: name}
    old = [line for line in document.split("\n") if KEY not in line or ('"old"' not in line and "'old'" not in line)]
    rest = iter(made.split("\n"))
    assert all(any(line.rstrip("\r") == other.rstrip("\r") for other in rest) for line in old if line.strip())
    assert with_top_text(made, KEY, name) == made
