"""The outbox: whole entries in their order, bounded, and nothing that vanishes without a word."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.outbox_state import OutboxStatus, outbox_status
from memtree.hooks import outbox as module
from memtree.hooks.events import AgentEvent, Kind
from memtree.hooks.outbox import MOST_ENTRIES, MOST_ENTRY, MOST_FAILED, TRIES, Entry, EntryTooLarge, Outbox, UnreadableEntry

NOW = 1_767_603_600_000_000_000


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(str(tmp_path))


def event(session: str = "s", **fields: str) -> AgentEvent:
    return AgentEvent(Kind.TURN, "claude-code", session, "Stop", **fields)  # type: ignore[arg-type]


_texts = st.text(max_size=20)


@given(
    st.builds(
        AgentEvent,
        st.sampled_from(Kind),
        *[_texts] * 4,
        prompt=_texts,
        last_message=_texts,
        turn_id=_texts,
        turn=st.none() | st.just({"user": "\ud800"}),
    ),
    st.integers(0, 2**53),
    st.integers(0, 9),
)
def test_an_entry_is_read_as_it_was_written(found: AgentEvent, time: int, failures: int) -> None:
    entry = Entry("1-a.json", found._replace(cwd=""), time, failures)  # where the agent works is not kept
    assert module.decoded(entry.name, module.encoded(entry)) == entry


@given(st.binary())
def test_any_bytes_are_an_entry_or_refused(data: bytes) -> None:
    with pytest.raises(UnreadableEntry):
        module.decoded("x.json", data)


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b"[]",
        b'{"v": 2}',
        b'{"v":1,"kind":"turn"}',
        b'{"v":1,"kind":"x","time":1}',
        b'{"v":1,"kind":"turn","time":"1"}',
        b'{"v":1,"kind":"turn","time":1,"session":2}',
    ],
)
def test_what_another_version_wrote_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableEntry):
        module.decoded("x.json", data)


def test_entries_wait_in_order_and_are_the_owners_alone(outbox: Outbox) -> None:
    names = [outbox.add(event(str(number)), NOW + number)[0].name for number in range(5)]
    assert outbox.names() == names
    assert [found.event.session for name in names if (found := outbox.read(name))] == list("01234")
    assert stat.S_IMODE(os.stat(outbox.folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(os.path.join(outbox.folder, names[0])).st_mode) == 0o600
    outbox.done(names[0])
    outbox.done(names[0])
    assert outbox.read(names[0]) is None
    assert outbox.names() == names[1:]


@given(st.lists(st.sampled_from([0, 1, -1, 10**9, -(10**9), 10**18, -(10**18)]), max_size=20))
def test_entries_stay_in_their_order_wherever_the_clock_jumps(jumps: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        outbox, now, told = Outbox(folder), NOW, []
        for jump in jumps:
            now = max(0, now + jump)
            entry, _ = outbox.add(event(), now)
            assert entry.time == now // 1_000_000
            told.append(entry.name)
        assert outbox.names() == told


def test_half_written_files_are_no_entries_and_go_later(outbox: Outbox) -> None:
    outbox.add(event(), NOW)
    stray = Path(outbox.folder, ".00001-x.json.ab12")
    stray.write_text("{", encoding="utf-8")
    assert len(outbox.names()) == 1
    outbox.sweep(stray.stat().st_mtime + 60)
    assert stray.exists()
    outbox.sweep(stray.stat().st_mtime + 7_200)
    assert not stray.exists()
    assert len(outbox.names()) == 1


def test_beyond_its_bounds_the_oldest_go_and_are_counted(outbox: Outbox, tmp_path: Path) -> None:
    first, dropped = outbox.add(event("first"), NOW)
    os.makedirs(outbox.failed, exist_ok=True)
    for number in range(1, MOST_ENTRIES):
        Path(outbox.folder, f"{NOW + number:020}-x.json").write_bytes(b"{}")
    assert (dropped, len(outbox.names())) == (0, MOST_ENTRIES)
    _, dropped = outbox.add(event("last"), NOW + MOST_ENTRIES)
    assert dropped == 1
    assert first.name not in outbox.names()
    assert len(outbox.names()) == MOST_ENTRIES
    assert outbox_status(str(tmp_path)) == OutboxStatus(waiting=MOST_ENTRIES, dropped=1)


def test_the_bytes_are_bounded_too(outbox: Outbox, tmp_path: Path) -> None:
    os.makedirs(outbox.folder)
    for number in range(41):  # sparse: as long as they say, without taking room
        with open(os.path.join(outbox.folder, f"{NOW + number:020}-x.json"), "wb") as file:
            file.truncate(MOST_ENTRY)
    _, dropped = outbox.add(event(), NOW + 100)
    assert dropped == 2
    assert outbox_status(str(tmp_path)).dropped == 2


def test_an_event_that_is_too_large_is_refused_or_read_from_its_transcript(outbox: Outbox) -> None:
    large = "x" * (MOST_ENTRY + 1)
    with pytest.raises(EntryTooLarge):
        outbox.add(event(last_message=large), NOW)
    assert not os.path.exists(outbox.folder)
    name = outbox.add(event(last_message=large, transcript="/h/t.jsonl"), NOW)[0].name
    entry = outbox.read(name)
    assert entry is not None
    assert (entry.event.transcript, entry.event.last_message) == ("/h/t.jsonl", "")


def test_what_fails_again_and_again_is_put_aside_and_comes_back_on_request(outbox: Outbox, tmp_path: Path) -> None:
    name = outbox.add(event("s"), NOW)[0].name
    for number in range(TRIES):
        entry = outbox.read(name)
        assert entry is not None
        assert entry.failures == number
        assert outbox.failed_once(entry) is (number == TRIES - 1)
    assert outbox.names() == []
    assert outbox_status(str(tmp_path)) == OutboxStatus(failed=1)
    assert outbox.try_failed_again() == 1
    entry = outbox.read(name)
    assert entry is not None
    assert entry.failures == 0
    assert outbox_status(str(tmp_path)) == OutboxStatus(waiting=1)


def test_what_is_put_aside_is_bounded(outbox: Outbox, tmp_path: Path) -> None:
    os.makedirs(outbox.failed)
    for number in range(MOST_FAILED):
        Path(outbox.failed, f"{number:020}-x.json").write_bytes(b"{}")
    outbox.put_aside(outbox.add(event(), NOW)[0].name)
    assert outbox_status(str(tmp_path)) == OutboxStatus(failed=MOST_FAILED, dropped=1)


def test_no_outbox_is_an_empty_one(tmp_path: Path) -> None:
    assert outbox_status(str(tmp_path)) == OutboxStatus()
    Path(tmp_path, "outbox").write_text("a file", encoding="utf-8")
    assert outbox_status(str(tmp_path)) == OutboxStatus()
