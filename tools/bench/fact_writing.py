"""Facts reconciled without a model, into a workspace without any and one that holds many; beside git committing their files."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from memtree.engine.facts.candidate import Candidate
from memtree.engine.facts.reconciling import reconcile
from memtree.engine.facts.writing import FactReport, commit_plan
from memtree.engine.workspace import Workspace
from memtree.tools.bench.ground import PREFIX, Ground, committed_by_git, git, options
from memtree.tools.bench.measure import Result, Series, figure, ratio
from memtree.tree.fact import FactSource, quote_hash

HELD = 5  # times as many facts as are new are in the full workspace
_OF_SESSION = 50
_YEAR = 365 * 86_400_000  # milliseconds
_START = dt.datetime(2025, 3, 1, 8, tzinfo=dt.UTC)

_PEOPLE = """
Agnes Bruno Celia Dmitri Esra Farid Greta Hamza Ines Jonas Kaori Lars
"""
_THINGS = """
kiln loom boiler cellar piano sloop greenhouse archive router printer ledger telescope kayak oven beehive scanner tractor sauna
"""
_PEOPLE_IN_CHINESE = """
林岚 周启 陈默 何静 吴桐 郑雨 许安 沈舟 韩露 冯川
"""
_THINGS_IN_CHINESE = """
窑炉 织机 锅炉 地窖 钢琴 帆船 温室 档案室 路由器 打印机 账本 望远镜 皮划艇 烤箱 蜂箱 扫描仪 拖拉机
"""
_FORMS = (
    "{person} looks after the {thing} of house {number}.",
    "The {thing} of house {number} was bought for {price} euros.",
    "User always checks the {thing} in house {number} before {person} arrives.",
    "Nobody but {person} may open the {thing} in house {number}.",
    "We repaired the {thing} of house {number} because {person} is allergic to dust.",
)
_FORMS_IN_CHINESE = (
    "{number}号院的{thing}由{person}负责。",
    "{number}号院的{thing}当年花了{price}块钱。",
    "用户每次去{number}号院之前都要检查{thing}。",
    "除了{person}，谁也不能动{number}号院的{thing}。",
)
_ENGLISH = _FORMS, _THINGS.split(), _PEOPLE.split()
_CHINESE = _FORMS_IN_CHINESE, _THINGS_IN_CHINESE.split(), _PEOPLE_IN_CHINESE.split()


def made_facts(count: int, seed: int) -> list[Candidate]:
    """Candidates that all say something else, every fourth in Chinese, each with the turn that said it."""
    random, found = Random(seed), dict[str, Candidate]()
    while len(found) < count:
        number = len(found)
        forms, things, people = _CHINESE if number % 4 == 3 else _ENGLISH
        text = random.choice(forms).format(
            person=random.choice(people),
            thing=random.choice(things),
            number=random.randint(1, 9_999),
            price=random.randint(10, 9_999),
        )
        said = int((_START + dt.timedelta(minutes=7 * number)).timestamp() * 1000)
        source = FactSource(f"2025/{seed}-{number // _OF_SESSION}", number % _OF_SESSION, quote_hash(text))
        found.setdefault(text, Candidate(text, seqs=(source.seq,), sources=(source,), observed=said))
    return list(found.values())


def writing_figures(ground: Ground, count: int) -> Result:
    """Seconds for `count` candidates into an empty workspace, and into a full one, in which half of them are known already.

    A full one holds `HELD` times as many facts.
    """
    new, held = made_facts(count, ground.seed), made_facts(HELD * count, ground.seed + 1)
    root = ground.new("facts")
    with Workspace.init(root, options=options())[0] as workspace:
        seconds, report = _timed(workspace, new)
    made = git(root, "ls-files", "-z", "--", PREFIX).decode().split("\0")[:-1]
    peer = Series()
    peer.time(lambda: committed_by_git(root, made, ground.new("by-git")))
    with Workspace.init(ground.new("many-facts"), options=options())[0] as workspace:
        _timed(workspace, held)
        full_seconds, full = _timed(workspace, [*new[: count // 2], *map(_said_again, held[: count - count // 2])])
    return {
        "git_seconds": figure(peer.median / 1000),
        "seconds": figure(seconds),
        "facts_per_second": figure(count / seconds),
        "ratio": ratio(peer.median / 1000, seconds),
        "made_files": len(made),
        "outcomes": _outcomes(report),
        "full_facts": HELD * count,
        "full_seconds": figure(full_seconds),
        "full_outcomes": _outcomes(full),
    }


def _said_again(one: Candidate) -> Candidate:
    """The candidate as it is said a year later in another session."""
    again = tuple(source._replace(session=f"{source.session}-again") for source in one.sources)
    return replace(one, sources=again, observed=(one.observed or 0) + _YEAR)


def _timed(workspace: Workspace, candidates: Sequence[Candidate]) -> tuple[float, FactReport]:
    now = int(_START.timestamp() * 1000)
    series = Series()
    report = series.time(lambda: commit_plan(workspace, lambda view, known: reconcile(view, candidates, now_ms=now, known=known)))
    return series.median / 1000, report


def _outcomes(report: FactReport) -> dict[str, int]:
    return dict(sorted(Counter(one.outcome.value for one in report.decisions).items()))
