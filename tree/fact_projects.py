"""What statements say of projects and services: which port, which database, which branch something has.

The billing service uses PostgreSQL.          ->  project.billing.database
The log level in production must be WARN.     ->  project.production.log_level
结算服务的端口是8080                            ->  project.结算.port
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memtree.tree.facet_words import TOPICS, about
from memtree.tree.facets import normal_key
from memtree.tree.fact_people import KIN

_LONGEST = 40
_ATTRIBUTES = {
    "port": r"(?:default |listening |http )?port(?: number)?",
    "database": r"(?:main |primary |default )?(?:database|db|data ?store)",
    "branch": r"(?:default|main|release|deploy(?:ment)?|production|trunk)? ?branch",
    "log_level": r"(?:default |debug )?log(?:ging)?[ -]level",
    "language": r"(?:programming |main )?language",
    "framework": r"(?:web |test )?framework",
    "version": r"(?:current |minimum |python |node )?version",
    "region": r"(?:cloud |aws |deployment )?region",
    "timeout": r"(?:request |connection )?time-?out",
    "owner": r"(?:code |product )?owner|maintainer|tech lead",
    "url": r"(?:base |repo(?:sitory)? |production |staging )?url|domain|host ?name|endpoint",
    "repository": r"repo(?:sitory)?",
    "queue": r"(?:message )?(?:queue|broker)",
    "cache": r"cache",
    "license": r"licen[cs]e",
    "name": r"(?:code ?)?name",
    "deadline": r"deadline|due date|release date|launch date",
    "rate_limit": r"rate[ -]limit",
    "retention": r"retention(?: period)?",
    "source_of_truth": r"(?:single )?source of truth",
    "package_manager": r"package manager",
    "schedule": r"(?:backup |deploy |release )?(?:schedule|cadence)",
}
_ALL = "|".join(f"(?P<{name}>{words})" for name, words in _ATTRIBUTES.items())
_NAME = r"(?P<of>[\w./#+-]+(?: [\w./#+-]+){0,2}?)"
_THING = (
    r"(?:service|server|project|app(?:lication)?|api|backend|frontend|repo(?:sitory)?|cluster|pipeline"
    r"|website|site|module|library|bot|worker|job|gateway|system|platform|environment|package|database)"
)
_IS = (
    r"(?:is|are|was|must be|should be|has to be|needs to be|will be|shall be|=|:|has been|stays|remains"
    r"|must stay|must not be|is not|isn't|changed to|moved to|defaults to)"
)
_DATABASE = next(topic.english for topic in TOPICS if (topic.facet, topic.key) == ("stack", "database")).replace("|databases?", "")
_LANGUAGE = next(topic.english for topic in TOPICS if (topic.facet, topic.key) == ("stack", "language"))
_OF_NAMED = re.compile(
    rf"(?:(?:the|our|my) )?(?:{_ALL}) (?:of|for|in|on) (?:the |our |my |all )?{_NAME}(?: {_THING})? {_IS}(?= )", re.IGNORECASE
)
_NAMED = re.compile(rf"(?:(?:the|our|my) )?{_NAME}(?: {_THING})?'s (?:{_ALL}) {_IS}(?= )", re.IGNORECASE)
_OWN = re.compile(
    rf"(?:the|our) (?:(?P<of>(?!default|main|primary|log|current|source|single|code|release|request"
    rf"|message)[\w.-]+(?: (?!default|main|log)[\w.-]+)?) )?(?:{_ALL}) (?:(?:of|for"
    rf"|in) (?P<place>[\w.-]+) )?{_IS}(?= )",
    re.IGNORECASE,
)
_DOES = re.compile(
    rf"(?:(?:the|our|my) )?(?:project )?{_NAME}(?: {_THING})? (?:now |still |currently |always |also "
    rf"|no longer |never |must |should |will |does not |doesn't |has to |only ){{0,2}}"
    r"(?:(?P<port>uses? (?:tcp )?port\b|(?:runs?|listens?|serves?|is (?:running|listening|served|exposed)|lives?|moved"
    r"|is reachable) (?:locally )?(?:on|to|at) (?:tcp )?port\b)"
    rf"|(?P<database>(?:uses?|runs? on|stores? (?:its |all )?data in|stores? .{{1,30}} in|is backed by"
    rf"|switched to|moved to|migrated to|relies on) (?=(?:an? |the )?(?:{_DATABASE})(?![\w-])))"
    r"|(?P<branch>(?:is )?(?:deploys?|deployed|releases?|released|builds?|built|ships?"
    r"|shipped) from (?=(?:the )?[\w/.-]+(?: branch)?\W*\Z))"
    rf"|(?P<language>(?:is|are|was) (?:re)?written in (?=(?:{_LANGUAGE})(?![\w-])))"
    r"|(?P<log_level>logs? at\b)"
    r"|(?P<deadline>(?:is due|launches|ships|goes live|must be (?:finished|done|ready|delivered) by)(?= ))"
    r"|(?P<host>(?:is|are) (?:hosted|deployed) (?:on|in|to|at)\b))",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"(?:(?P<log_level>(?:default |debug )?log(?:ging)? level)|(?P<branch>(?:default|main) branch)|(?P<rate_limit>rate limit)"
    r"|(?P<source_of_truth>(?:single )?source of truth)) (?:must be|should be|is|has to be|stays)(?= )",
    re.IGNORECASE,
)
_TRUTH = re.compile(
    r"(?:the )?[\w.-]+(?: [\w.-]+)? (?:is|stays|remains|must be) (?P<source_of_truth>(?:the"
    r"|our) (?:single )?source of truth) for (?:the |our |all )?(?P<of>[\w.-]+)",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\b(?:in|on) (production|prod|staging|development|dev|testing|test|ci)\W*\Z", re.IGNORECASE)
_ASIDE = re.compile(r"\s*(?:an? |the )?(redis|duckdb|clickhouse|elasticsearch|cassandra|dynamodb)(?![\w-])", re.IGNORECASE)
_FORMS = (_OF_NAMED, _NAMED, _OWN, _SHORT, _TRUTH, _DOES)
_PEOPLE = re.compile(rf"(?<![a-z])(?:{KIN})(?![a-z])")
# No name of a project has one of these in it.
_NOBODY = frozenset(
    (
        *(
            "i",
            "we",
            "you",
            "it",
            "they",
            "he",
            "she",
            "this",
            "that",
            "there",
            "the",
            "my",
            "our",
            "which",
            "what",
            "who",
            "user",
            "to",
        ),
        *(
            "decided",
            "want",
            "think",
            "use",
            "is",
            "are",
            "was",
            "have",
            "has",
            "and",
            "or",
            "if",
            "when",
            "because",
            "please",
            "let",
            "us",
        ),
    )
)
_ONE = frozenset(("database", "language", "framework", "frontend", "queue", "package_manager"))
_GENERAL = frozenset(("work", "everything", "scripts", "fun", "now", "years", "coding", "writing", "notes", "that", "home", "most"))
_TOOLS = [topic for topic in TOPICS if topic.tools and topic.facet == "stack"]
_CHOSE = re.compile(
    r"(?:we|I|the team|our team|user)(?:'ve| have)? (?:all |finally |already )?(?:(?:decided|chose"
    r"|agreed|opted|voted|plan) (?:to |on |for )"
    r"(?:use |using |go with |switch to |move to |adopt |keep |stay with )?|(?:use|uses|chose|picked"
    r"|adopted|went with|settled on|are using|switched to"
    r"|moved to|migrated to) )(?P<what>(?:an? |the )?[\w.+#-]+(?: [\d.]+)?)(?: instead of [\w.+#-]+"
    r"| over [\w.+#-]+| as (?:the|our) [\w ]{1,24}?)?"
    r" (?:for|in|on|behind|as the database of) (?:the |our |all )?(?P<of>[\w.-]+(?: (?!because|since|as"
    r"|so|from|instead)[\w.-]+)?)",
    re.IGNORECASE,
)

_HAN_ATTRIBUTES = {
    "port": "端口号?",
    "database": "数据库",
    "branch": "(?:默认|主|发布|部署)?分支",
    "log_level": "日志级别|日志等级",
    "language": "编程语言|开发语言",
    "framework": "框架",
    "version": "版本号?",
    "region": "区域",
    "timeout": "超时(?:时间)?",
    "owner": "负责人|维护者",
    "url": "域名|地址|网址",
    "queue": "消息队列",
    "cache": "缓存",
    "deadline": "截止日期|上线时间|发布日期|截止时间",
}
_HAN_ALL = "|".join(f"(?P<{name}>{words})" for name, words in _HAN_ATTRIBUTES.items())
_HAN_THING = "服务器?|项目|系统|环境|平台|应用|网关|后端|前端|集群|模块"
_HAN_NAMED = re.compile(
    rf"(?P<of>(?!我的?(?:编辑|时区|地址|家|住))[\w\u4e00-\u9fff-]{{1,16}}?)(?:{_HAN_THING})?的?(?:默认|主)?(?:{_HAN_ALL})"
    r"(?:必须|应该|现在|已经|要|不)*(?:是|为|改为|改成|改用|换成|换为|变成|迁移到|用|使用|设为|设置为|叫)了?",
    re.IGNORECASE,
)
_HAN_USES = re.compile(
    rf"(?P<of>(?!我|用户)[\w\u4e00-\u9fff-]{{1,16}}?)(?:{_HAN_THING})(?:现在|目前|已经|都|必须|不再|不)*(?:"
    rf"(?P<database>(?:使用|用|改用|迁移到|换成)了?(?=\s?(?:{_DATABASE})))|(?P<port>(?:运行在|监听|跑在)(?=.{{0,4}}\d{{2,5}}.{{0,4}}(?:端口)?)"
    rf"|(?:使用|用|改用|换成|改成)了?(?=.{{0,4}}\d{{2,5}}\s?(?:号)?端口))|(?P<branch>从(?=\S{{1,16}}分支(?:部署|发布))))",
    re.IGNORECASE,
)


class Attribute(NamedTuple):
    """`slot` is `project.<name>.<attribute>`; the value stands behind `end`."""

    slot: str
    end: int


def attribute_of(text: str) -> Attribute | None:
    """What a statement says of a project, None where it says nothing known of one."""
    for form in _FORMS:
        found = form.match(text)
        if found is not None and (made := _made(found, form)) is not None:
            return made
    chosen = _chosen(text)
    if chosen is not None:
        return chosen
    for form in (_HAN_NAMED, _HAN_USES):
        found = form.match(text)
        if found is not None and (made := _made(found, form)) is not None:
            return made
    return None


def _chosen(text: str) -> Attribute | None:
    """A tool that a team chose for a part of its work."""
    found = _CHOSE.match(text)
    topic = about(found["what"]) if found is not None else None
    if found is None or topic is None or topic.topic not in _TOOLS:
        return None
    words = normal_key(re.sub(rf" {_THING}\Z", "", found["of"], flags=re.IGNORECASE))
    if _NOBODY & {*words.split("_")} or words in _GENERAL:
        return None
    key = topic.topic.key if topic.topic.key in _ONE and _ASIDE.match(topic.word) is None else f"uses.{normal_key(topic.word)}"
    return Attribute(f"project.{words.strip('._-')[:_LONGEST]}.{key}", found.start("what"))


def _made(found: re.Match[str], form: re.Pattern[str]) -> Attribute | None:
    groups = found.groupdict()
    name = groups.pop("of", None) or ""
    place = groups.pop("place", None) or ""
    told = next(key for key, value in groups.items() if value is not None)
    words = normal_key(
        re.sub(
            rf"^(?:the|our|my) |(?: {_THING}|{_HAN_THING})$|^(?:我们|我|该|这个)的?",
            "",
            f"{name} {place}".strip(),
            flags=re.IGNORECASE,
        )
    )
    if _NOBODY & {*words.split("_")} or _PEOPLE.search(words):
        return None
    rest = found.string[found.end() :]
    where = _WHERE.search(rest)
    if not words and where is not None:
        words = where[1].casefold()
    aside = _ASIDE.match(rest) if told == "database" and form is _DOES else None
    if aside is not None:  # what a service uses beside its database
        told = f"uses.{aside[1].casefold()}"
    return Attribute(f"project.{(words or 'main').strip('._-')[:_LONGEST] or 'main'}.{told}", found.end())
