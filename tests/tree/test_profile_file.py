"""The file of a facet: what is learned comes and goes by what speaks for it, and a person's bytes stay."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.entries import listed
from memtree.tree.facets import Observation
from memtree.tree.profile_entries import Entry, ProfileFile, entry_id
from memtree.tree.profile_evidence import MOST_OF_A_VALUE, Seen, fingerprint, read_seen, written_seen
from memtree.tree.profile_file import MOST_LEARNED, ProfileFileOpen, pinned, with_learning, with_observations, without_key
from memtree.tree.secrets import find_secrets

FACET = "coding_style"


def seen(number: int, value: str = "Prefers tabs", key: str = "indentation", *, day: int = 1, sure: float = 0.6) -> Observation:
    return Observation(FACET, key, value, f"e-{number:012x}", f"2026-12-{day:02}" if day else "", sure)


def learned(*observations: Observation, data: bytes | None = None) -> bytes:
    return with_observations(data, FACET, observations)


def the(data: bytes, key: str = "indentation") -> Entry:
    found = ProfileFile(data).of(key)
    assert found is not None
    return found


def test_a_new_file_reads_well() -> None:
    data = learned(seen(1), seen(2, "Short names", "naming", day=0))
    one, two = entry_id(FACET, "indentation"), entry_id(FACET, "naming")
    assert data.decode() == (
        "# Coding style\n\n"
        f"- **indentation**: Prefers tabs <!-- evidence: e-000000000001 2026-12-01 0.6 {fingerprint('Prefers tabs')} --> ^{one}\n"
        f"- **naming**: Short names <!-- evidence: e-000000000002 - 0.6 {fingerprint('Short names')} --> ^{two}\n"
    )
    assert [entry.text for entry in listed(data)] == ["**indentation**: Prefers tabs", "**naming**: Short names"]
    assert not find_secrets(data)


@pytest.mark.parametrize(
    ("others", "value"),
    [
        ([seen(2, "Prefers spaces", day=2)], "Prefers spaces"),  # as sure, as often, later
        ([seen(2, "Prefers spaces", day=1)], "Prefers spaces"),  # on the same day, said after it
        ([seen(2, "Prefers spaces", day=2, sure=0.5)], "Prefers tabs"),
        ([seen(2, "Prefers spaces", day=0)], "Prefers tabs"),
        ([seen(2, day=1), seen(3, "Prefers spaces", day=9)], "Prefers tabs"),  # more often
        ([seen(2, day=1), seen(3, "Prefers spaces", day=9), seen(4, "prefers spaces!", day=9)], "prefers spaces!"),
        ([seen(2, day=1), seen(3, "Prefers spaces", sure=0.9)], "Prefers spaces"),  # surer
    ],
)
def test_the_stronger_value_stands(others: list[Observation], value: str) -> None:
    data = learned(seen(1), *others)
    assert the(data).value == value
    assert len(the(data).evidence) == 1 + len(others)


def test_what_stands_a_thousand_times_goes_at_once() -> None:
    for end in (b"\n", b"\r\n"):
        entries = b"- **naming**: Short" + end
        data = b"# Style" + end + end + entries + b"- kept" + end + entries * 999 + end + b"text" + end
        gone = without_key(data, FACET, "naming")
        assert (
            gone == b"# Style" + end * 2 + b"- kept" + end * 2 + b"text" + end * 2 + b"## Forgotten" + end * 2 + b"- naming" + end
        )
        many = gone + b"- naming  " + end + b"- other" + end + (b"* naming" + end) * 999
        assert with_learning(many, "naming") == gone.replace(b"- naming", b"- other")


@pytest.mark.parametrize(
    "data", [b"- **a**: mine  \n", b"- **a**: mine\t", b"words  \r\n\r\n\r\n", b"- a\n\n## Forgotten\n\n- naming  \n"]
)
def test_spaces_of_a_persons_stay_where_they_are(data: bytes) -> None:
    gone = without_key(data, FACET, "quotes")
    assert gone.startswith(data.rstrip(b"\r\n"))
    assert with_learning(gone, "quotes").startswith(data.rstrip(b"\r\n"))
    file = learned(seen(1), data=data.replace(b"Forgotten", b"Other"))
    spaced = file.replace(b"\n", b"  \n") if b"\r" not in file else file
    more = learned(seen(2, "Short names", "naming"), data=spaced)
    assert set(spaced.splitlines()) <= set(more.splitlines())


def test_counts_and_days_follow_from_what_speaks_for_an_entry() -> None:
    entry = the(learned(seen(1, day=3), seen(2, "PREFERS TABS.", day=2), seen(3, "Prefers spaces", day=9), seen(2)))
    assert (entry.value, entry.count, entry.last_seen) == ("Prefers tabs", 2, "2026-12-09")


_OBSERVED = st.builds(
    seen,
    st.integers(1, 30),
    st.sampled_from(["Prefers tabs", "prefers tabs", "Prefers spaces", "用制表符", "a ^b", "a --> b <!-- c", "x: **y**"]),
    st.sampled_from(["indentation", "naming", "缩进"]),
    day=st.integers(0, 9),
    sure=st.sampled_from([0.6, 0.9]),
)
_OWN = st.sampled_from(
    [
        b"",
        b"# Mine\n",
        b"text",
        b"\xef\xbb\xbf# With a mark\r\n\r\n* one\r\n* two\r\n",
        b"- **indentation**: whatever I like\n",
        b"- indentation: whatever I like ^mine\n  and below\n",
        b"# A\n\n- one\n\n## Forgotten\n\n- naming\n- **\xe7\xbc\xa9\xe8\xbf\x9b**\n\n## After\n\ntext  \n",
        b"| a | b |\n|---|---|\n| 1 | 2 |\n\n1. first\n2. second",
        b"> [!conflict] c-0123abcd\n> - **naming**: x\n",
    ]
)


@given(_OWN, st.lists(_OBSERVED, max_size=12))
def test_a_persons_bytes_stay_and_the_same_again_changes_nothing(own: bytes, observations: list[Observation]) -> None:
    data = with_observations(own, FACET, observations)
    assert with_observations(data, FACET, observations) == data
    assert with_observations(data, FACET, observations[::-1]) == data
    rest = iter(data)
    assert all(byte in rest for byte in own)
    kept = [line for line in data.splitlines() if b"evidence:" not in line]
    assert [line for line in own.splitlines() if line] == [line for line in kept if line and line != b"# Coding style"] or not own
    keys = [entry.key for entry in ProfileFile(data).entries if entry.evidence]
    assert len(set(keys)) == len(keys)
    before = ProfileFile(own)
    assert not set(keys) & set(before.forgotten)
    assert not set(keys) & {entry.key for entry in before.entries}
    heard = {one.key: one for one in observations}
    assert set(keys) == set(heard) - set(before.forgotten) - {entry.key for entry in before.entries}


@given(st.lists(_OBSERVED, min_size=2, max_size=8, unique_by=lambda one: (one.event, one.key)), st.integers(0, 2**20))
def test_what_speaks_for_an_entry_does_not_depend_on_the_order(observations: list[Observation], seed: int) -> None:
    other = random.Random(seed).sample(observations, len(observations))
    one, two = (ProfileFile(learned(*order)) for order in (observations, other))
    assert {entry.key: set(entry.evidence) for entry in one.entries} == {entry.key: set(entry.evidence) for entry in two.entries}
    assert all(entry.learned for entry in (*one.entries, *two.entries))


def test_whatever_the_order_the_same_value_wins_unless_only_the_order_tells() -> None:
    every = [
        seen(1),
        seen(2, day=2),
        seen(3, "Prefers spaces", day=5),
        seen(4, "Four", sure=0.5, day=9),
        seen(5, "Prefers spaces", day=1),
    ]
    values = {the(learned(*order)).value for order in itertools.permutations(every)}
    assert values == {"Prefers spaces"}


def test_words_that_a_person_chose_stay_and_what_agrees_with_them_never_counts_against_them() -> None:
    data = learned(seen(1)).replace(b"Prefers tabs", b"Spaces, if I may choose")
    assert the(data).edited
    later = learned(seen(2, "Spaces, if I may choose", day=2), *(seen(number, day=9) for number in range(3, 9)), data=data)
    assert the(later).value == "Spaces, if I may choose"
    assert the(later).edited
    assert len(the(later).evidence) == 8


@pytest.mark.parametrize("edit", [b"Prefers tabs <!-- really -->", b"", b"Prefers tabs [[note]]"])
def test_a_remark_an_empty_line_or_a_link_are_a_persons_words_too(edit: bytes) -> None:
    data = learned(seen(1)).replace(b"Prefers tabs", edit)
    line = data.split(b"<!-- evidence")[0].rstrip()
    assert learned(seen(2, "Prefers spaces", day=2), data=data).startswith(line)


def test_lines_below_an_entry_make_it_a_persons() -> None:
    data = learned(seen(1)) + b"  but not in Makefiles\n"
    changed = learned(seen(2, "Prefers spaces", day=2), data=data)
    assert the(changed).value == "Prefers tabs"
    assert changed.endswith(b"\n  but not in Makefiles\n")


def test_a_pinned_entry_never_changes_and_can_be_let_go_again() -> None:
    data = learned(seen(1))
    pin = pinned(data, the(data), pin=True)
    assert b"Prefers tabs <!-- pinned --> <!-- evidence:" in pin
    assert learned(seen(2, "Prefers spaces", day=2), data=pin) == pin
    assert pinned(pin, the(pin), pin=True) == pin
    assert pinned(pin, the(pin), pin=False) == data
    own = b"- **indentation**: mine\r\n"
    assert pinned(own, the(own), pin=True) == b"- **indentation**: mine <!-- pinned -->\r\n"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_what_is_forgotten_is_not_learned_until_it_may_be_again(end: bytes) -> None:
    first = learned(seen(1), seen(2, "Short names", "naming")).replace(b"\n", end)
    gone = without_key(first, FACET, "indentation")
    assert ProfileFile(gone).of("indentation") is None
    assert gone.endswith(end.join([b"", b"", b"## Forgotten", b"", b"- indentation", b""]))
    assert learned(seen(3, day=9), data=gone) == gone
    assert without_key(gone, FACET, "indentation") == gone
    again = with_learning(gone, "indentation")
    assert b"Forgotten" not in again
    assert the(learned(seen(3), data=again)).count == 1
    both = without_key(gone, FACET, "naming")
    assert list(ProfileFile(both).forgotten) == ["indentation", "naming"]
    assert list(ProfileFile(with_learning(both, "naming")).forgotten) == ["indentation"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_persons_own_entries_are_forgotten_on_request_and_nothing_else_goes(end: bytes) -> None:
    data = b"# S\n\n- a: 1\n- **indentation**: mine\n  more\n- b: 2" + end
    gone = without_key(data, FACET, "indentation")
    assert gone.startswith(b"# S\n\n- a: 1\n- b: 2")
    assert b"mine" not in gone
    assert "indentation" in ProfileFile(gone).forgotten


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_no_gap_is_left_where_the_only_entries_were(end: bytes) -> None:
    data = (
        ("# Coding style\n\n- **indentation**: Tabs\n- **quotes**: Single\n" + "\n## Mine\n\n- Own\n").encode().replace(b"\n", end)
    )
    for key in ("indentation", "quotes"):
        data = without_key(data, "coding_style", key)
    assert data == b"# Coding style\n\n## Mine\n\n- Own\n\n## Forgotten\n\n- indentation\n- quotes\n".replace(b"\n", end)


@pytest.mark.parametrize("data", [b"```\ncode\n", b"<!-- a remark\n", b"# A\n\n<script>\n"])
def test_a_file_that_swallows_what_is_added_is_refused(data: bytes) -> None:
    with pytest.raises(ProfileFileOpen, match=FACET):
        learned(seen(1), data=data)


def test_an_id_that_a_person_took_for_another_entry_is_left_to_them() -> None:
    data = learned(seen(1)).replace(b"**indentation**", b"**tabs**")
    assert learned(seen(2), data=data) == data
    twice = learned(seen(1)) + learned(seen(1)).split(b"\n\n")[1]
    assert the(learned(seen(2), data=twice)).count == 2


def test_a_line_stays_short_however_often_something_is_said() -> None:
    data = learned(*(seen(number, day=number % 28 + 1) for number in range(1, 300)))
    assert the(data).count == MOST_OF_A_VALUE
    assert the(data).last_seen == "2026-12-28"
    other = learned(*(seen(number, f"Value {number % 40}", day=1) for number in range(300, 500)), data=data)
    assert len(max(other.split(b"\n"), key=len)) < 4_000
    assert the(other).value == "Prefers tabs"
    assert learned(seen(1, day=1), data=data) == data


def test_a_file_takes_only_so_many_entries() -> None:
    data = learned(*(seen(number, "x", f"key_{number}") for number in range(MOST_LEARNED + 50)))
    assert len(ProfileFile(data).entries) == MOST_LEARNED
    assert the(learned(seen(1_000, "x", "key_1"), data=data), "key_1").count == 2


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (b"e-1 2026-12-01 0.6 9c1e", Seen("e-1", "2026-12-01", 0.6, "9c1e")),
        (b"e-1 - 0.6 -", Seen("e-1", "", 0.6, "")),
        (b"e-1", Seen("e-1", "", 0.0, "")),
        (b"e-1 soon nan \xff", Seen("e-1", "", 0.0, "�")),
    ],
)
def test_evidence_is_read_for_what_it_says(item: bytes, expected: Seen) -> None:
    assert read_seen(item) == expected
    assert read_seen(written_seen(expected)) == expected


@given(st.binary())
def test_any_bytes_are_read(data: bytes) -> None:
    file = ProfileFile(data)
    assert all(file.data[entry.start : entry.end] for entry in file.entries)
