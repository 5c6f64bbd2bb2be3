"""What speaks for an entry, as readers, a search and a review see it: not at all, or counted."""

from __future__ import annotations

import pytest

from memtree.tree.chunks import chunk
from memtree.tree.evidence import counted_evidence, searchable, without_evidence
from memtree.tree.paths import RepoPath

LEARNED = "- **tabs**: Yes <!-- pinned --> <!-- evidence: e-1 2026-12-01 0.6 9144, e-2 2026-12-03 0.6 - --> ^p-9d5010723d"


@pytest.mark.parametrize(
    ("text", "read", "counted"),
    [
        (LEARNED, "- **tabs**: Yes", "- **tabs**: Yes <!-- pinned -->  (2 events, last 2026-12-03)"),
        ("- Tabs <!-- evidence: e-1 --> ^m-1", "- Tabs ^m-1", "- Tabs  (1 event) ^m-1"),
        ("- Tabs <!-- evidence: e-1, e-1 - 0.6 - -->\r\n- b", "- Tabs\r\n- b", "- Tabs  (1 event)\r\n- b"),
        ("- Tabs <!-- evidence: -->", "- Tabs", "- Tabs  (0 events)"),
        (
            "- Tabs <!-- a remark --> ^p-9d5010723d",
            "- Tabs <!-- a remark --> ^p-9d5010723d",
            "- Tabs <!-- a remark --> ^p-9d5010723d",
        ),
        ("<!-- evidence: e-1 --> first", "<!-- evidence: e-1 --> first", "<!-- evidence: e-1 --> first"),
    ],
)
def test_evidence_is_left_out_or_counted(text: str, read: str, counted: str) -> None:
    assert without_evidence(text) == read
    assert counted_evidence(text.encode()) == counted.encode()


def test_a_search_sees_the_words_and_not_what_speaks_for_them() -> None:
    (found,) = chunk(RepoPath("memory_tree/content/profile/coding_style.md"), f"# Style\n\n{LEARNED}\n- own\n".encode())
    assert found.text == "# Style\n\n- **tabs**: Yes\n- own"
    assert (found.start_line, found.end_line) == (1, 4)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("- decision: We'll use tantivy. (turn 5; confidence 0.6) ^e-1a2b3c4d5e6f", "- decision: We'll use tantivy."),
        ("- fact: It is (or was) so. (turns 5, 18; confidence 0.6) ^e-1a2b3c4d5e6f\r", "- fact: It is (or was) so.\r"),
        ("- decision: mine (turn 5; confidence 0.6)", "- decision: mine (turn 5; confidence 0.6)"),
        ("- see ^e-1a2b3c4d5e6f", "- see ^e-1a2b3c4d5e6f"),
    ],
)
def test_a_search_sees_an_event_without_its_end(line: str, read: str) -> None:
    assert searchable(line) == read
    assert without_evidence(line) == line
    (found,) = chunk(RepoPath("memory_tree/content/recap/s-1/000001-000006.md"), f"Prose.\n\n{line}".encode())
    assert found.text == f"Prose.\n\n{read}".rstrip()
