"""Which nodes a summary tree gets: what is sealed stays, what changed is made anew, and a plan that was done leaves nothing."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from memtree.engine.wiki.calendar import of_month, of_week
from memtree.engine.wiki.drafts import Draft, Plan
from memtree.engine.wiki.leaves import Leaf
from memtree.engine.wiki.planning import Allowance, Wanted, is_stale, make_plan
from memtree.engine.wiki_settings import WikiSettings
from memtree.tree.generated import Author
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Node, node_id_of
from support.wikis import CONTENT, DAY, apply, leaf

NOW = 2_000 * DAY
SETTINGS = WikiSettings(seal_tokens=500, fan_in=3, calendar=False)


def never(_: str, __: Sequence[Leaf]) -> bool:
    return False


def always(_: str, __: Sequence[Leaf]) -> bool:
    return True


def plan(
    leaves: Sequence[Leaf],
    nodes: Sequence[Node] = (),
    *,
    settings: WikiSettings = SETTINGS,
    now: float = NOW,
    allow: Callable[[Sequence[Draft]], bool] = lambda _: True,
    waited: Callable[[str, Sequence[Leaf]], bool] = never,
) -> Plan:
    return make_plan(leaves, nodes, Wanted(settings, CONTENT, now, allow, waited))


def grown(leaves: Sequence[Leaf], nodes: Sequence[Node] = (), **how: object) -> list[Node]:
    return apply(plan(leaves, nodes, **how), nodes)  # type: ignore[arg-type]


def shape(nodes: Sequence[Node]) -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = {}
    for node in nodes:
        found[node.namespace, node.level] = found.get((node.namespace, node.level), 0) + 1
    return found


def walks(count: int, *, first: int = 0, **how: object) -> list[Leaf]:
    return [leaf(f"w{number:03}", time=number * DAY, **how) for number in range(first, first + count)]  # type: ignore[arg-type]


class TestASource:
    def test_leaves_wait_until_they_come_to_the_budget(self) -> None:
        assert plan(walks(3)).makes == []
        assert [item.path for item in plan(walks(5)).makes[0].items] == ["w000.md", "w001.md", "w002.md", "w003.md"]
        assert [one.path for one in plan(walks(5)).unsealed["notes"]] == ["w004.md"]

    def test_the_oldest_are_sealed_first_and_undated_ones_last(self) -> None:
        leaves = [leaf("b"), leaf("a"), *reversed(walks(4))]
        (made,) = plan(leaves).makes
        assert [item.path for item in made.items] == ["w000.md", "w001.md", "w002.md", "w003.md"]
        assert [one.path for one in plan(leaves).unsealed["notes"]] == ["a.md", "b.md"]

    def test_an_oversized_leaf_has_a_node_of_its_own(self) -> None:
        leaves = [*walks(2), leaf("long", time=5 * DAY, tokens=9_000), *walks(1, first=6)]
        (made,) = plan(leaves).makes
        assert [item.path for item in made.items] == ["long.md"]
        assert len(plan(leaves).unsealed["notes"]) == 3

    def test_what_is_sealed_stays_and_what_comes_late_waits(self) -> None:
        nodes = grown(walks(5))
        late = [*walks(5), leaf("late", time=0)]
        assert plan(late, nodes).makes == []
        assert [one.path for one in plan(late, nodes).unsealed["notes"]] == ["late.md", "w004.md"]

    def test_levels_are_sealed_when_as_many_as_go_under_one_are_there(self) -> None:
        assert shape(grown(walks(12 * 4))) == {("source-notes", 1): 12, ("source-notes", 2): 4, ("source-notes", 3): 1}
        assert shape(grown(walks(8 * 4))) == {("source-notes", 1): 8, ("source-notes", 2): 2}

    def test_a_tree_that_a_person_copied_to_another_name_goes_and_takes_none_with_it(self) -> None:
        nodes = grown(walks(48))
        copies = [
            replace(node, namespace="source-copy", path=RepoPath(node.path.replace("source-notes", "source-copy")))
            for node in nodes
        ]
        kept = [replace(copies[0], author=Author.PERSON), *copies[1:]]
        done = plan(walks(48), [*nodes, *kept])
        assert not {node.path for node in nodes} & set(done.removes)
        assert {copy.path for copy in kept if not copy.is_persons} == set(done.removes)
        assert done.makes == []
        there = apply(done, [*nodes, *kept])
        again = plan(walks(48), there)
        assert (again.makes, again.removes) == ([], [])

    def test_what_waited_for_long_is_sealed_at_the_bottom_only(self) -> None:
        nodes = grown(walks(2), waited=always)
        assert shape(nodes) == {("source-notes", 1): 1}
        assert plan(walks(2), nodes, waited=always).makes == []

    def test_sources_have_trees_of_their_own(self) -> None:
        leaves = [*walks(5), *[leaf(f"m{number}", source="mail", time=number) for number in range(5)]]
        assert shape(grown(leaves)) == {("source-notes", 1): 1, ("source-mail", 1): 1}

    def test_a_changed_leaf_makes_its_node_and_those_above_anew(self) -> None:
        nodes = grown(walks(12 * 4))
        edited = [one._replace(blob="1") if one.path == "w001.md" else one for one in walks(12 * 4)]
        done = plan(edited, nodes)
        assert [draft.level for draft in done.makes] == [1, 2, 3]
        assert len(done.removes) == 3
        after = apply(done, nodes)
        assert shape(after) == shape(nodes)
        assert plan(edited, after).makes == plan(edited, after).removes == []

    def test_a_leaf_that_is_gone_leaves_its_node(self) -> None:
        nodes = grown(walks(12 * 4))
        after = grown(walks(12 * 4)[1:], nodes)
        assert shape(after) == shape(nodes)
        assert not any("w000.md" in node.links for node in after)

    def test_a_source_that_is_gone_leaves_nothing(self) -> None:
        assert grown([], grown(walks(12 * 4))) == []

    def test_a_leaf_that_grew_beyond_the_budget_parts_from_the_others(self) -> None:
        nodes = grown(walks(5))
        after = grown([one._replace(blob="1", tokens=480) if one.path == "w001.md" else one for one in walks(5)], nodes)
        assert sorted(node.links for node in after if node.level == 1) == ["w000.md", "w001.md", "w002.md\nw003.md"]

    def test_of_two_nodes_over_the_same_leaves_one_stays(self) -> None:
        """Two machines built it at different times, and their trees were merged."""
        one = grown(walks(9))
        two = grown(walks(9)[2:])
        after = grown(walks(9), [*one, *two])
        claimed = [path for node in after for path in node.children]
        assert len(claimed) == len(set(claimed))
        assert plan(walks(9), after).makes == plan(walks(9), after).removes == []

    def test_a_persons_node_is_neither_removed_nor_written(self) -> None:
        nodes = grown(walks(12 * 4))
        theirs = [replace(node, author=Author.PERSON) if node.level < 3 else node for node in nodes]
        done = plan(walks(12 * 4)[4:], theirs)
        persons = {node.path for node in theirs if node.is_persons}
        assert not persons & set(done.removes)
        assert [node.links.split("\n")[0] for node in done.edited] == ["w000.md"]


class TestTheCalendar:
    settings = WikiSettings(seal_tokens=500)

    def grown(self, leaves: Sequence[Leaf], nodes: Sequence[Node] = (), *, now: float = NOW) -> list[Node]:
        return grown(leaves, nodes, settings=self.settings, now=now)

    def test_days_weeks_and_months_that_are_over(self) -> None:
        # The first of January 1970 was a Thursday.
        nodes = self.grown(walks(40))
        assert {name: count for (name, _), count in shape(nodes).items() if not name.startswith("source")} == {
            "day": 40,
            "week": 6,
            "month": 2,
        }
        assert {node.level for node in nodes if node.namespace == "month"} == {3}

    def test_a_day_that_is_not_over_waits(self) -> None:
        assert self.grown(walks(1, first=5), now=6 * DAY - 1) == []
        assert shape(self.grown(walks(1, first=5), now=6 * DAY)) == {("day", 1): 1}

    def test_a_week_of_one_day_has_no_node(self) -> None:
        assert shape(self.grown([*walks(1), *walks(1, first=100)])) == {("day", 1): 2}

    def test_undated_leaves_belong_to_no_day(self) -> None:
        assert self.grown([leaf("a"), leaf("b")]) == []

    def test_a_late_arrival_makes_its_day_anew_and_what_stands_above(self) -> None:
        nodes = self.grown(walks(14))
        late = [*walks(14), leaf("late", time=5 * DAY + 7, source="mail")]
        done = plan(late, nodes, settings=self.settings)
        assert [draft.namespace for draft in done.makes] == ["day", "week", "month"]
        assert [item.path for item in done.makes[0].items] == ["w005.md", "late.md"]
        assert len(done.removes) == 3

    def test_a_late_arrival_gets_a_second_node_beside_a_persons(self) -> None:
        nodes = [replace(node, author=Author.PERSON) if node.namespace == "day" else node for node in self.grown(walks(1))]
        done = plan([*walks(1), leaf("late", time=7)], nodes, settings=self.settings)
        assert [item.path for item in done.makes[0].items] == ["late.md"]
        assert done.removes == []

    def test_a_day_that_holds_very_much_has_several_nodes(self) -> None:
        assert shape(self.grown([leaf(f"n{number}", time=number) for number in range(9)])) == {
            ("day", 1): 3,
            ("week", 2): 1,
            ("month", 3): 1,
            ("source-notes", 1): 2,
        }

    @pytest.mark.parametrize("time", [-(10**15), -(10**11), 10**15, 253_402_300_799, 253_399_708_800, -62_135_596_800])
    def test_times_that_no_calendar_has(self, time: int) -> None:
        self.grown([leaf("x", time=time)], now=10**18)

    def test_spans(self) -> None:
        assert of_week(0) == (-3, 4)
        assert of_week(4) == (4, 11)
        assert of_month(31) == (31, 59)
        assert of_month(334) == (334, 365)


def test_a_limited_pass_does_a_part_and_the_next_goes_on() -> None:
    nodes: list[Node] = []
    for _ in range(40):
        allowance = Allowance(2)
        done = plan(walks(12 * 4), nodes, allow=allowance)
        assert len(done.makes) <= 2
        nodes = apply(done, nodes)
        if not allowance.refused:
            break
    assert shape(nodes) == {("source-notes", 1): 12, ("source-notes", 2): 4, ("source-notes", 3): 1}


def test_a_group_larger_than_the_limit_is_let_through_as_the_first() -> None:
    allowance = Allowance(1)
    (draft,) = plan(walks(5)).makes
    assert allowance((draft, draft, draft))
    assert not allowance((draft,))


@pytest.mark.parametrize(
    ("times", "since", "now", "stale"),
    [
        ((1 * DAY, 2 * DAY), 0, 9 * DAY, True),
        ((1 * DAY, 2 * DAY), 0, 9 * DAY - 1, False),
        ((1 * DAY, None), 8 * DAY, 9 * DAY, False),
        ((1 * DAY, None), 2 * DAY, 9 * DAY, True),
        ((99 * DAY,), 2 * DAY, 9 * DAY, True),
        ((99 * DAY,), 3 * DAY, 9 * DAY, False),
    ],
)
def test_when_leaves_have_waited_for_long(times: tuple[int | None, ...], since: float, now: float, stale: bool) -> None:
    assert is_stale([leaf(str(number), time=time) for number, time in enumerate(times)], since, now, 7) is stale


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_the_tree_says_what_is_there(seed: int) -> None:
    """Leaves come, change and go, people edit nodes, passes are limited: each build leaves a true tree, and nothing to the next."""
    chance = random.Random(seed)
    settings = WikiSettings(seal_tokens=500, fan_in=chance.choice((2, 3)))
    leaves: dict[str, Leaf] = {}
    nodes: list[Node] = []
    for _ in range(25):
        _happen(chance, leaves)
        nodes = [replace(node, author=Author.PERSON) if chance.random() < 0.03 else node for node in nodes]
        persons = {node.path for node in nodes if node.is_persons}
        waited = chance.choice((never, always))
        if chance.random() < 0.5:
            nodes = grown([*leaves.values()], nodes, settings=settings, allow=Allowance(chance.randint(1, 4)), waited=waited)
        nodes = grown([*leaves.values()], nodes, settings=settings, waited=waited)
        again = plan([*leaves.values()], nodes, settings=settings, waited=waited)
        assert (len(again.makes), len(again.removes)) == (0, 0), seed
        assert persons <= {node.path for node in nodes}, seed
        _check(nodes, leaves, settings, again)


def _happen(chance: random.Random, leaves: dict[str, Leaf]) -> None:
    for _ in range(chance.randint(1, 9)):
        name = f"n{chance.randint(0, 60)}"
        if chance.random() < 0.2:
            leaves.pop(name, None)
        else:
            time = chance.choice((None, chance.randint(0, 30) * DAY + chance.randint(0, DAY - 1)))
            source = chance.choice(("notes", "mail"))
            leaves[name] = leaf(
                name, blob=str(chance.randint(0, 9)), time=time, tokens=chance.choice((5, 120, 480, 900)), source=source
            )


def _check(nodes: Sequence[Node], leaves: dict[str, Leaf], settings: WikiSettings, done: Plan) -> None:
    identities = {one.path: one.child.identity for one in leaves.values()} | {node.path: node.node_id for node in nodes}
    sizes = {one.path: one.tokens for one in leaves.values()}
    seen: set[tuple[str, int, str]] = set()
    for node in nodes:
        if node.is_persons:
            continue
        assert all(child in identities for child in node.children)
        assert node.node_id == node_id_of(node.namespace, node.level, (identities[child] for child in node.children))
        assert len(node.children) > 1 or node.level == 1
        if node.level == 1 and len(node.children) > 1:
            assert sum(sizes[child] for child in node.children) <= settings.seal_tokens
        for child in node.children:
            assert (node.namespace, node.level, child) not in seen
            seen.add((node.namespace, node.level, child))
    covered = {child for node in nodes if node.namespace.startswith("source-") for child in node.children}
    waiting = {one.path for found in done.unsealed.values() for one in found}
    assert {one.path for one in leaves.values()} <= covered | waiting


@pytest.mark.parametrize("seed", range(12))
def test_whatever_people_do_to_nodes_builds_come_to_an_end_and_leave_theirs(seed: int) -> None:
    """Headers are edited, nodes moved and copied, clocks jump, passes are limited: in the end nothing is due, and nothing waits."""
    chance = random.Random(seed)
    leaves: dict[str, Leaf] = {}
    nodes: list[Node] = []
    now = chance.choice((0, NOW, 253_402_300_799))
    for _ in range(12):
        settings = WikiSettings(
            seal_tokens=chance.choice((500, 5_000)), fan_in=chance.choice((2, 3)), calendar=chance.random() < 0.8
        )
        _happen(chance, leaves)
        odd = chance.choice((now, now - DAY, now + 9 * DAY, 253_399_708_800, 253_402_300_799, -62_135_596_800, 10**14, -(10**13)))
        leaves["odd"] = leaf("odd", blob=str(chance.random()), time=odd)
        nodes = [*{node.path: node for old in nodes for node in _mistreated(chance, old)}.values()]
        persons = {node.path for node in nodes if node.is_persons}
        now += chance.choice((0, 3_600, -3 * DAY, 9 * DAY))
        waited, most = chance.choice((never, always)), chance.choice((1, 3, 200))
        for _ in range(2_000):
            allowance = Allowance(most)
            done = plan([*leaves.values()], nodes, settings=settings, now=now, allow=allowance, waited=waited)
            assert persons.isdisjoint((*done.removes, *(draft.path for draft in done.makes))), seed
            if not done.makes and not done.removes:
                break
            nodes = apply(done, nodes)
        assert (len(done.makes), len(done.removes), allowance.refused) == (0, 0, 0), seed


def _mistreated(chance: random.Random, node: Node) -> list[Node]:
    """What a person made of a node."""
    author = chance.choice((node.author, Author.PERSON))
    where, level = chance.choice(("source-copy", "day", "month", "source-mail")), chance.choice((1, 2, 999))
    moved = node.path.replace(f"/{node.namespace}/L{node.level}/", f"/{where}/L{level}/")
    copy = replace(node, namespace=where, level=level, path=RepoPath(moved), author=author)
    what = chance.randint(0, 99)
    return {
        0: [],
        1: [copy],
        2: [node, copy],
        3: [replace(node, author=Author.PERSON)],
        4: [replace(node, as_made=False, time_start=None, time_end=None)],
        5: [replace(node, author=author, links=f"{node.links}\n{node.path}")],
        6: [replace(node, author=author, links="gone.md")],
        7: [replace(node, author=author, time_start=253_399_708_800)],
    }.get(what, [node])
