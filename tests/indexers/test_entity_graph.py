"""EntityGraph keeps every index' promises; what it counts follows from the content alone."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.indexers import entity_routes, entity_state, entity_writer
from memtree.indexers.catch_up import catch_up
from memtree.indexers.entity_answers import EntityFilter, Known, Order
from memtree.indexers.entity_graph import EntityGraph
from memtree.indexers.mentions import mentions_of
from memtree.tree.chunks import chunk
from memtree.tree.entity import EntityKind
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath
from support.index_suite import Recorder, ViewSuite
from support.memory_source import MemorySource

ADA, CHARLES, MARY, WILLIAM = "name:ada lovelace", "name:charles babbage", "name:mary somerville", "name:william whewell"
MAIL = "email:ada@example.org"
PEOPLE = {
    "a.md": b"In May Ada Lovelace met Charles Babbage. Write to ada@example.org #maths\n",
    "b.md": b"---\ndate: 2024-05-01\n---\nIn May Charles Babbage wrote to Mary Somerville.\n",
    "c.txt": b"Mary Somerville knew William Whewell.",
    "p.png": b"Ada Lovelace",
}
CONTENT = "memory_tree/content"
ALIASES = f"{CONTENT}/entities/person/0a/ada.md"
ADAS = b"""---
id: name:ada lovelace
kind: person
display_name: Ada King
aliases: [Countess of Lovelace]
emails: [ada@example.org]
---
"""


def built(folder: Path, files: dict[str, bytes]) -> EntityGraph:
    source, graph = MemorySource(), EntityGraph.open(folder, "settings")
    catch_up(graph, source, source.commit(files))
    return graph


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "graph"


def ids(found: list[Known]) -> list[str]:
    return [one.id for one in found]


# -- what every index promises
_PATHS = st.sampled_from(
    [
        "a.md",
        "b.md",
        "notes/c.md",
        "MEMORY.md",
        "MEMORY_GOALS.md",
        "x.txt",
        "pic.png",
        f"{CONTENT}/episodic/s1/000001.md",
        f"{CONTENT}/chat/conversations-agent/0a/1.md",
        f"{CONTENT}/chat/letters/0a/1.md",
        f"{CONTENT}/raw/mail/0a/1.md",
        f"{CONTENT}/recap/s1/000001-000002.md",
        f"{CONTENT}/wiki/summaries/day/L1/1.md",
        f"{CONTENT}/entities/person/0a/1.md",
        f"{CONTENT}/entities/person/0b/2.md",
        f"{CONTENT}/entities/misc/3.md",
    ]
)
_SENTENCES = st.sampled_from(
    [
        "In May Ada Lovelace met Charles Babbage.",
        "In May Charles Babbage met Mary Somerville, and ADA LOVELACE wrote.",
        "Write to ada@example.org or Ada@Example.org #maths",
        "See [[Difference Engine]] and [[difference engine|the machine]].",
        "Use `parse_entity` of tree/entity.py, see https://example.org/a",
        "nothing at all",
        "王小明 met 李雷 in 北京.",
    ]
)
_HEADERS = st.sampled_from(
    [
        "",
        "",
        "---\ndate: 2024-05-01\ntags: [maths, x]\n---\n",
        "---\nsession_id: s1\nseq: 1\nrole: user\nspeaker: Ada Lovelace\ntimestamp: 2024-05-02T10:00:00.000Z\n---\n",
        ADAS.decode(),
        "---\nid: person:countess of lovelace\ndisplay_name: The Countess\naliases: [Mary Somerville]\n---\n",
        "---\n[\n---\n",
    ]
)
_TEXTS = st.builds(
    lambda header, parts: (header + "\n\n# Head\n\n".join(parts)).encode(), _HEADERS, st.lists(_SENTENCES, max_size=3)
) | st.sampled_from([b"", b"\xff\xfe\x00", b"Ada\0Lovelace met Ada Lovelace\n"])
HISTORIES = st.lists(st.dictionaries(_PATHS, _TEXTS, max_size=7), min_size=1, max_size=6)


class TestSuite(ViewSuite[EntityGraph]):
    snapshots = HISTORIES
    examples = 50

    def make_source(self, folder: Path) -> Recorder:
        return MemorySource()

    def make_index(self, folder: Path) -> EntityGraph:
        return EntityGraph.open(folder, "settings")

    def dump(self, index: EntityGraph) -> object:
        people = [ADA, CHARLES, MARY, MAIL, "wikilink:difference engine"]
        return (
            index.contents(),
            [index.search(text, limit=50) for text in ("a", "ada", "明", "machine")],
            [index.search("a", limit=50, narrowed=EntityFilter(kinds=(Kind.NOTE,)))],
            [(index.group(one), index.neighbours(one)) for one in people],
            index.occurrences(people, 50),
            index.connected(people, 4),
            [index.chunks(order=order) for order in Order],
            index.sources(),
            index.size(),
        )


class TestAgainstCounting:
    """Every number, compared with what counting over all chunks gives."""

    @settings(max_examples=25)
    @given(files=st.dictionaries(_PATHS, _TEXTS, max_size=10))
    def test_counts_weights_and_places(self, files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
        graph = built(tmp_path_factory.mktemp("graph"), files)
        spoken = dict(itertools.chain.from_iterable(_spoken(path, data) for path, data in files.items()))
        counts = Counter(one for found in spoken.values() for one in {name for each in found for name in graph.group(each)})
        for one, known in graph.known(counts).items():
            assert known.mentions == counts[one]
        assert set(graph.known(counts)) == set(counts)
        for one in counts:
            group = graph.group(one)
            places = {place for place, found in spoken.items() if group & found}
            assert {(hit.path, hit.ordinal) for hit in graph.occurrences([one], 1_000)} == places
            for other in graph.neighbours(one, 1_000):
                assert other.weight == sum(1 for found in spoken.values() if group & found and graph.group(other.known.id) & found)
                assert [pair.hops for pair in graph.connected([one, other.known.id], 1)] == [1]
        graph.close()


def _spoken(path: str, data: bytes) -> list[tuple[tuple[str, int], set[str]]]:
    """What each chunk of a file is counted for, told by its path."""
    counted = not any(part in path for part in ("/entities/", "/recap/", "/wiki/", "conversations-agent", "GOALS", ".png"))
    found = []
    for piece in chunk(RepoPath(path), data) if counted else ():
        named = {one.entity.id.replace("\0", "\ufffd") for one in mentions_of(piece.text)}
        if piece.turn is not None and piece.turn.speaker:
            named.add(f"name:{piece.turn.speaker.casefold()}")
        if piece.ordinal == 0:
            named |= {f"hashtag:{tag}" for tag in piece.tags}
        found.append(((path, piece.ordinal), named))
    return found


# -- who is known
def test_who_is_spoken_of_is_found_counted_and_joined(folder: Path) -> None:
    graph = built(folder, PEOPLE)
    assert graph.search("BABB") == [Known(CHARLES, EntityKind.NAME, "Charles Babbage", 2, 1714521600)]
    assert [(one.path, one.ids) for one in graph.occurrences([ADA, CHARLES], 10)] == [("a.md", {ADA, CHARLES}), ("b.md", {CHARLES})]
    assert [(pair.hops, pair.via) for pair in graph.connected([ADA, MARY], 2)] == [(2, (CHARLES,))]
    assert graph.connected([ADA, MARY], 1) == []
    assert graph.connected([ADA, WILLIAM], 2) == []
    assert graph.connected([ADA, WILLIAM], 3)[0].via == (CHARLES, MARY)
    assert graph.count(EntityFilter(since=0)) == 1
    assert [(one.source, one.files, one.chunks) for one in graph.sources()] == [("notes", 3, 3)]


def test_searching_is_by_substring_whatever_case_width_and_accents(folder: Path) -> None:
    files = {
        "a.md": "In May José García met Ada Lovelace. Then José García left for 北京.\n",
        "b.md": "So 王小明 wrote a_b and 100% of `snake_case` to ａｄａ@example.org.\n",
        "c.md": "#maths #math\n",
    }
    graph = built(folder, {path: text.encode() for path, text in files.items()})
    assert ids(graph.search("JOSE")) == ["name:josé garcía"]
    assert ids(graph.search("é g")) == ["name:josé garcía"]
    assert ids(graph.search("ＧＡＲＣ")) == ["name:josé garcía"]
    assert ids(graph.search("小明")) == ids(graph.search("明")) == ["name:王小明"]
    assert ids(graph.search("math")) == ["hashtag:math", "hashtag:maths"]
    assert ids(graph.search("#maths")) == ["hashtag:maths"]
    assert "code:snake_case" in ids(graph.search("e_c"))
    for nothing in ("", "  ", "\n", "%", "*", "e%c", "snake?case", '"', "' OR 1", "[a-z]", "\ud800", "\0", "x" * 10_000_000):
        assert graph.search(nothing) == []


@pytest.mark.parametrize("first_look", [0, 2_000])
@pytest.mark.parametrize("triples", [True, False])
def test_every_way_of_searching_finds_the_same(
    folder: Path, first_look: int, triples: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtree.indexers.entity_reader._FIRST_LOOK", first_look)
    if not triples:
        monkeypatch.setattr(entity_state.EntityState, "optional", "CREATE VIRTUAL TABLE entity_text USING not_there ();")
    names = [f"{first}{last}" for first in ("Al", "Bo", "Qz") for last in ("bert", "ina", "us")]
    text = "".join(f"So {one} Fox met {two} Fox.\n\n" for one in names for two in names if one < two)
    graph = built(folder, {"a.md": text.encode(), "b.md": "In May 王小明 met Qzus Fox.\n".encode()})
    source = MemorySource()
    known = {one: graph.known([one])[one] for one in (f"name:{name.casefold()} fox" for name in names)}
    for wanted in ("q", "qz", "qzu", "qzus", "us", "us fox", "bert", "x", "fox", "z", "zz"):
        expected = sorted((one for name, one in known.items() if wanted in name), key=lambda one: (-one.mentions, one.id))
        assert [one for one in graph.search(wanted, limit=50) if one.id in known] == expected
        assert graph.search(wanted, limit=2) == graph.search(wanted, limit=50)[:2]
        assert graph.search(wanted, limit=50, narrowed=EntityFilter(kinds=(Kind.NOTE,))) == graph.search(wanted, limit=50)
    assert ids(graph.search("王")) == ids(graph.search("小明")) == ["name:王小明"]
    catch_up(graph, source, source.commit({"b.md": b"nothing"}))
    assert graph.search("qz") == []


def test_searching_under_a_filter_counts_only_what_it_admits(folder: Path) -> None:
    files = PEOPLE | {f"{CONTENT}/raw/mail/0a/1.md": b"---\ndate: 2020-01-01\n---\nIn May Charles Babbage wrote.\n"}
    graph = built(folder, files)
    assert graph.search("babb")[0].mentions == 3
    (one,) = graph.search("babb", narrowed=EntityFilter(sources=("mail",)))
    assert (one.mentions, one.last_seen) == (1, 1577836800)
    assert graph.search("babb", narrowed=EntityFilter(since=1_600_000_000))[0].mentions == 1
    assert graph.search("babb", narrowed=EntityFilter(until=0)) == []
    assert graph.search("babb", narrowed=EntityFilter(kinds=(Kind.EPISODE,))) == []
    assert graph.search("ada", [EntityKind.EMAIL]) == graph.search("ada@")
    assert graph.search("ada", [EntityKind.HASHTAG]) == []


def test_words_of_a_query_spell_entities_the_longest_runs_first(folder: Path) -> None:
    graph = built(folder, PEOPLE | {"d.md": "So Ada met 王小明.\n".encode(), ALIASES: ADAS})
    assert graph.named(["what", "did", "ada", "lovelace", "and", "mary", "somerville", "write"]) == [ADA, MARY]
    assert graph.named(["ada", "king"])[0] in graph.group(ADA)
    assert "name:countess of lovelace" in graph.named(["Countess", "OF", "lovelace"])
    assert graph.named(["王小明"]) == graph.named([*"王小明"]) == ["name:王小明"]
    assert graph.named(["maths"]) == ["hashtag:maths"]
    assert graph.named([]) == graph.named(["", "\ud800", "x" * 1_000_000]) == []


# -- which ids mean one
def test_names_of_one_entity_are_one_and_apart_again_when_a_person_takes_one_away(folder: Path) -> None:
    source, graph = MemorySource(), EntityGraph.open(folder, "settings")
    files = PEOPLE | {"d.md": b"Now ada@example.org again. The Countess of Lovelace read it.\n"}
    catch_up(graph, source, source.commit(files | {ALIASES: ADAS}))
    assert graph.group(MAIL) == graph.group(ADA) >= {ADA, MAIL, "name:ada king", "name:countess of lovelace", "person:ada king"}
    for one in (ADA, MAIL):
        assert graph.known([one])[one].mentions == 2
    assert graph.search("ada") == [Known(ADA, EntityKind.PERSON, "Ada King", 2, None)]
    assert ids(graph.search("countess")) == [ADA]
    assert ids(graph.search("ada", [EntityKind.EMAIL])) == [MAIL]
    assert ids(graph.search("ada", [EntityKind.NAME])) == ids(graph.search("ada", [EntityKind.PERSON])) == [ADA]
    assert next((one.path, one.ids) for one in graph.occurrences([MAIL, CHARLES], 10)) == ("a.md", {MAIL, CHARLES})
    assert {one.path for one in graph.occurrences([MAIL], 10)} == {"a.md", "d.md"}
    assert graph.connected([ADA, MAIL], 4) == []
    assert ids([one.known for one in graph.neighbours(MAIL)]) == ["hashtag:maths", CHARLES]

    report = catch_up(graph, source, source.commit(files | {ALIASES: ADAS.replace(b"emails: [ada@example.org]\n", b"")}))
    assert report.changed == 1
    assert MAIL not in graph.group(ADA)
    assert graph.known([MAIL])[MAIL].mentions == 2
    assert graph.connected([ADA, MAIL], 1)[0].hops == 1

    catch_up(graph, source, source.commit(files))
    assert graph.group(ADA) == {ADA}
    assert graph.search("ada king") == []


def test_files_that_share_a_name_make_one_group_with_one_head(folder: Path) -> None:
    def person(*names: str) -> bytes:
        return f"---\nid: person:{names[0]}\naliases: [{', '.join(names[1:])}]\n---\n".encode()

    files = {
        f"{CONTENT}/entities/person/1.md": person("mary", "ann"),
        f"{CONTENT}/entities/person/2.md": person("ann", "bea"),
        f"{CONTENT}/entities/person/3.md": person("bea", "cleo"),
        f"{CONTENT}/entities/person/4.md": person("zoe", "yma"),
    }
    graph = built(folder, files)
    assert graph.group("person:mary") == graph.group("person:cleo")
    assert "person:zoe" not in graph.group("person:cleo")
    assert ids(graph.search("cleo")) == ["person:ann"]
    assert ids(graph.search("yma")) == ["person:zoe"]


# -- what counts
def test_what_is_said_twice_counts_once(folder: Path) -> None:
    said = b"In May Ada Lovelace met Charles Babbage.\n"
    once = [
        f"{CONTENT}/episodic/s1/000001.md",
        "notes/a.md",
        f"{CONTENT}/raw/mail/0a/1.md",
        f"{CONTENT}/chat/letters/0a/1.md",
        "MEMORY.md",
    ]
    again = [
        f"{CONTENT}/recap/s1/000001-000002.md",
        f"{CONTENT}/chat/conversations-agent/0a/1.md",
        f"{CONTENT}/wiki/summaries/day/L1/1.md",
        f"{CONTENT}/facts/0a/1.md",
        f"{CONTENT}/profile/stack.md",
        f"{CONTENT}/entities/person/0a/1.md",
        "MEMORY_GOALS.md",
    ]
    graph = built(folder, dict.fromkeys([*once, *again], said))
    assert graph.known([ADA])[ADA].mentions == len(once)
    assert {one.path for one in graph.occurrences([ADA], 100)} == set(once)
    assert {one.known.id: one.weight for one in graph.neighbours(ADA)} == {CHARLES: len(once)}
    assert {one.path for one in graph.chunks()} == {*once, *again}


def test_a_page_full_of_links_joins_no_more_than_its_most_telling(folder: Path) -> None:
    links = " ".join(f"[[page{number:04}x]]" for number in range(3_000))
    graph = built(folder, {"a.txt": f"So Ada Lovelace met Charles Babbage. {links}".encode()})
    assert graph.size().entities == 3_002
    assert len(graph.neighbours("wikilink:page0001x", 5_000)) < entity_writer.TELLING
    assert graph.occurrences(["wikilink:page2900x"], 10)


def test_a_turn_speaks_of_who_speaks_and_a_note_of_its_tags(folder: Path) -> None:
    turn = b"---\nsession_id: s1\nseq: 1\nrole: user\nspeaker: Ada Lovelace\n---\nI met Charles Babbage.\n"
    graph = built(
        folder, {f"{CONTENT}/episodic/s1/000001.md": turn, "a.md": b"---\ntags: [Maths]\n---\nnothing\n\n# Head\n\nmore\n"}
    )
    assert [one.ids for one in graph.occurrences([ADA, CHARLES], 5)] == [{ADA, CHARLES}]
    assert graph.known(["hashtag:maths"])["hashtag:maths"].mentions == 1


def test_the_surface_is_how_it_is_written_most_often(folder: Path) -> None:
    source, graph = MemorySource(), EntityGraph.open(folder, "settings")
    files = {"a.md": b"#Maths", "b.md": b"#maths", "c.md": b"#maths #Maths #Maths"}
    catch_up(graph, source, source.commit(files))
    assert graph.search("maths")[0].surface == "#Maths"
    catch_up(graph, source, source.commit(files | {"d.md": b"#maths", "c.md": b"#maths"}))
    assert graph.search("maths")[0].surface == "#maths"


# -- what is connected
def test_who_is_everywhere_joins_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entity_routes, "HUB_LEAST", 3)
    files = {f"{number}.md": b"So Mary Somerville wrote.\n" for number in range(4)}
    files |= {"a.md": b"So Ada Lovelace met Mary Somerville.\n", "b.md": b"So Mary Somerville met Charles Babbage.\n"}
    graph = built(folder, files)
    assert graph.connected([ADA, CHARLES], 4) == []
    assert [(pair.a, pair.b) for pair in graph.connected([ADA, MARY, CHARLES], 4)] == [(ADA, MARY), (MARY, CHARLES)]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=14), st.integers(1, 4))
def test_connections_are_the_shortest_ways(
    tmp_path_factory: pytest.TempPathFactory, edges: list[tuple[int, int]], hops: int
) -> None:
    files = {f"{at}.md": f"#n{a}x #n{b}x".encode() for at, (a, b) in enumerate(edges)}
    files |= {f"all{number}.md": f"#n{number}x".encode() for number in range(10)}
    graph = built(tmp_path_factory.mktemp("graph"), files)
    names = [f"hashtag:n{number}x" for number in range(10)]
    near: dict[int, set[int]] = {number: {number} for number in range(10)}
    expected: dict[tuple[str, str], int] = {}
    for step in range(1, hops + 1):
        near = {
            start: reached | {b for one in reached for edge in edges if one in edge for b in edge}
            for start, reached in near.items()
        }
        for a, b in itertools.combinations(range(10), 2):
            if b in near[a]:
                expected.setdefault((names[a], names[b]), step)
    found = graph.connected(names, hops)
    assert {(pair.a, pair.b): pair.hops for pair in found} == expected
    for pair in found:
        way = [pair.a, *pair.via, pair.b]
        assert len(way) == pair.hops + 1
        assert all(graph.occurrences([a, b], 1)[0].ids == {a, b} for a, b in itertools.pairwise(way))
    graph.close()


# -- where
TIMED = {
    "a.md": b"---\ndate: 2024-01-01\n---\nSo Ada Lovelace wrote.\n",
    "b.md": b"---\ndate: 2024-03-01\n---\nSo Ada Lovelace wrote.\n",
    "c.md": b"So Ada Lovelace met Mary Somerville.\n",
    f"{CONTENT}/raw/mail/0a/1.md": b"---\ndate: 2024-02-01\n---\nSo Ada Lovelace wrote.\n",
}
JANUARY, FEBRUARY = 1704067200, 1706745600


@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        (EntityFilter(), ["c.md", "b.md", f"{CONTENT}/raw/mail/0a/1.md", "a.md"]),
        (EntityFilter(since=FEBRUARY), ["b.md", f"{CONTENT}/raw/mail/0a/1.md"]),
        (EntityFilter(until=FEBRUARY), [f"{CONTENT}/raw/mail/0a/1.md", "a.md"]),
        (EntityFilter(since=JANUARY, until=JANUARY), ["a.md"]),
        (EntityFilter(since=FEBRUARY, until=JANUARY), []),
        (EntityFilter(since=-(10**30), until=10**30), ["b.md", f"{CONTENT}/raw/mail/0a/1.md", "a.md"]),
        (EntityFilter(sources=("mail",)), [f"{CONTENT}/raw/mail/0a/1.md"]),
        (EntityFilter(sources=("mail", "notes", "\ud800"), until=JANUARY), ["a.md"]),
        (EntityFilter(sources=("nowhere",)), []),
        (EntityFilter(kinds=(Kind.NOTE,)), ["c.md", "b.md", "a.md"]),
        (EntityFilter(kinds=(Kind.WIKI,)), []),
    ],
)
def test_filters_come_before_limits(folder: Path, narrowed: EntityFilter, expected: list[str]) -> None:
    graph = built(folder, TIMED)
    assert [one.path for one in graph.occurrences([ADA, MARY], 10, narrowed)] == expected
    assert [one.path for one in graph.occurrences([ADA, MARY], 1, narrowed)] == expected[:1]
    assert {one.path for one in graph.chunks(narrowed)} == set(expected)
    assert graph.count(narrowed) == len(expected)
    dated = [one for one in expected if one != "c.md"]
    assert [one.path for one in graph.chunks(narrowed)][: len(dated)] == dated
    assert [one.path for one in graph.chunks(narrowed, order=Order.OLDEST)][: len(dated)] == dated[::-1]
    assert [one.path for one in graph.chunks(narrowed, order=Order.PATH)] == sorted(expected)


@pytest.mark.parametrize("limit", [-1, 0, 1, 10**9, 10**30])
def test_limits_may_be_anything(folder: Path, limit: int) -> None:
    graph = built(folder, TIMED)
    expected = max(0, min(limit, 4))
    assert len(graph.occurrences([ADA], limit)) == expected
    for order in Order:
        assert len(graph.chunks(limit=limit, order=order)) == expected
    assert len(graph.search("a", limit=limit)) == max(0, min(limit, 2))
    assert len(graph.neighbours(ADA, limit)) == max(0, min(limit, 1))
    assert len(graph.connected([ADA, MARY], limit)) == 1


STRANGE = [
    "",
    ":",
    "x",
    "name:",
    "nobody:ada",
    "name:nobody",
    "\ud800",
    "name:\ud800",
    "a\0b",
    "name:" + "x" * 10_000_000,
    "name:' OR 1 --",
]


def test_ids_may_be_anything(folder: Path) -> None:
    graph = built(folder, PEOPLE)
    assert graph.known(STRANGE) == {}
    assert graph.occurrences(STRANGE, 10) == graph.connected(STRANGE, 4) == []
    for one in STRANGE:
        assert len(graph.group(one)) == 1
        assert graph.neighbours(one) == []
    assert list(graph.known(["NAME: Ada  Lovelace "])) == ["NAME: Ada  Lovelace "]
    assert graph.occurrences([*STRANGE, "Name:ADA LOVELACE"], 10)[0].ids == {"Name:ADA LOVELACE"}
    assert graph.chunks_of(["a.md", "nowhere", "\ud800"])[0].ids == {ADA, CHARLES, MAIL, "hashtag:maths"}
    assert len(graph.known([ADA, *(f"name:x{number}" for number in range(100_000))])) == 1


def test_a_graph_that_was_never_built_knows_nothing(folder: Path) -> None:
    graph = EntityGraph.open(folder, "settings")
    assert graph.position() is None
    assert graph.vacancy() == "it was never built"
    assert not graph.exists()
    assert graph.search("ada") == graph.named(["ada"]) == graph.chunks() == graph.chunks_of(["a"]) == graph.sources() == []
    assert graph.known([ADA]) == graph.contents() == {}
    assert graph.group(ADA) == {ADA}
    assert graph.occurrences([ADA], 5) == graph.connected([ADA, MARY]) == graph.neighbours(ADA) == graph.verify() == []
    assert graph.size() == (0, 0, 0)
    assert graph.count() == 0
    graph.compact()
    assert not folder.exists() or not graph.exists()
