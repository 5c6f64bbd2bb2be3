"""Logs of JSON lines: appended records all stay, each once, and no id stands twice."""

from __future__ import annotations

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from support.laws import LAW
from support.merging import merge_file

LOG = "log.jsonl"


def log(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def merged(base: bytes | None, ours: bytes, theirs: bytes) -> dict[str, bytes]:
    return {str(path): data for path, data in merge_file(LOG, base, ours, theirs).files.items()}


def test_what_both_sides_appended_stays_in_one_file() -> None:
    files = merged(log({"id": 1}), log({"id": 1}, {"id": 2}), log({"id": 1}, {"id": 3}))
    assert files == {LOG: log({"id": 1}, {"id": 2}, {"id": 3})}


def test_a_record_appended_on_both_sides_stands_once() -> None:
    assert merged(b"", log({"id": 1}, {"id": 2}), log({"id": 2}))[LOG] == log({"id": 1}, {"id": 2})


def test_a_record_deleted_on_one_side_stays_deleted() -> None:
    assert merged(log({"id": 1}, {"id": 2}), log({"id": 2}), log({"id": 1}, {"id": 2}, {"id": 3})) == {
        LOG: log({"id": 2}, {"id": 3})
    }


def test_two_edits_of_one_record_stay_apart() -> None:
    files = merged(log({"id": 1, "a": 0}), log({"id": 1, "a": 1}), log({"id": 1, "a": 2}))
    assert sorted(files.values()) == [log({"id": 1, "a": 1}), log({"id": 1, "a": 2})]


def test_lines_that_are_no_json_stay_apart() -> None:
    files = merged(b"", b"{not json\n", log({"id": 1}))
    assert sorted(files.values()) == sorted([b"{not json\n", log({"id": 1})])


records = st.lists(st.builds(lambda n, v: {"id": n, "v": v}, st.integers(0, 9), st.integers(0, 3)), max_size=6)


@LAW
@given(records, records, records)
def test_merging_is_symmetric_and_gives_no_id_twice(base: list[object], ours: list[object], theirs: list[object]) -> None:
    versions = log(*base), log(*ours), log(*theirs)
    files = merged(*versions)
    assert files == merged(versions[0], versions[2], versions[1])
    known = {line for version in versions for line in version.splitlines()}
    for data in files.values():
        assert set(data.splitlines()) <= known
        ids = Counter(json.loads(line)["id"] for line in data.splitlines())
        doubled = {one for one, count in ids.items() if count > 1}
        assert all(any(Counter(r["id"] for r in map(json.loads, v.splitlines()))[one] > 1 for v in versions) for one in doubled)
    kept = {line for data in files.values() for line in data.splitlines()}
    for side in versions[1:]:
        assert set(side.splitlines()) - set(versions[0].splitlines()) <= kept
