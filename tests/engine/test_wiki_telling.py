"""What a child of a summary may be told by: sentences, and code or links only where there is nothing else."""

from __future__ import annotations

from memtree.engine.wiki.telling import child_of

PAGE = (
    "# tar\n\n> Archiving utility of the operating system.\n> More information: <https://www.gnu.org/software/tar>.\n\n"
    "- Create an archive from files:\n\n`tar cf {{path/to/target.tar}} {{path/to/file1 path/to/file2}}`\n"
)


def test_code_and_links_are_passed_over_for_sentences() -> None:
    assert list(child_of("tar", PAGE).texts) == ["Archiving utility of the operating system.", "Create an archive from files:"]


def test_where_there_is_nothing_else_they_are_told() -> None:
    code = "# tar\n\n`tar cf {{path/to/target.tar}} {{path/to/file1 path/to/file2}}`\n"
    assert "tar cf" in "".join(child_of("tar", code).texts)


def test_a_sentence_with_code_or_a_link_in_it_is_one() -> None:
    text = "The archive is made by `tar cf` on the server. See https://example.org/tar for all that the program can do."
    assert len(child_of("tar", text).texts) == 2
