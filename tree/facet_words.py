"""The words that tell what a statement of a user's is about: topics, each with its facet and its key in a profile.

English words are found between word boundaries, Chinese ones anywhere. A topic in lower case is how its key is written in the file.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Topic(NamedTuple):
    """`tools` says that the words are names of things one chooses between, so that each can be a key of its own."""

    facet: str
    key: str
    tools: bool
    words: re.Pattern[str]
    english: str
    chinese: str


class About(NamedTuple):
    """A topic found in a text: where, and the word that told it."""

    topic: Topic
    start: int
    end: int
    word: str


_LANGUAGES = (
    r"python|rust|golang|typescript|javascript|java|kotlin|swift|c\+\+|c#|ruby|php|scala|haskell|elixir|erlang"
    r"|clojure|zig|lua|julia"
    r"|perl|ocaml|dart|cobol|fortran|go(?= code| for| over| and| to |[.,!]?$)"
)
_SPOKEN = (
    "english|german|french|spanish|italian|portuguese|dutch|polish|russian|turkish|arabic|hindi|japanese|korean|chinese|mandarin"
    "|swedish|norwegian|danish|finnish|czech|ukrainian"
)
_SPOKEN_HAN = "中文|汉语|普通话|英文|英语|日语|日文|德语|法语|韩语|西班牙语|俄语"
_ANSWER = "answers?|repl(?:y|ies)|respon[sd]e?s?|explanations?|summar(?:y|ies)|messages?"


def _topic(facet: str, key: str, english: str, chinese: str = "", *, tools: bool = False) -> Topic:
    parts = [rf"(?<![a-z0-9_])(?:{english})(?![a-z0-9_])", *([chinese] if chinese else [])]
    return Topic(facet, key, tools, re.compile("|".join(parts), re.IGNORECASE), english, chinese)


# Of two that begin at one place the first counts.
TOPICS: tuple[Topic, ...] = (
    _topic(
        "communication",
        "language",
        rf"(?:{_ANSWER}|answer(?:ing)?|respond(?:ing)?|write|speak(?:ing)?|talk(?:ing)?|communicat(?:e|ion|ing)|converse) "
        rf"(?:to me )?in (?:{_SPOKEN})|(?:{_SPOKEN}) (?:{_ANSWER})|my (?:native|first) language|mother tongue",
        rf"(?:用|使用|说|讲)(?:{_SPOKEN_HAN})|(?:{_SPOKEN_HAN})(?:的)?(?:回答|回复|交流|沟通|解释)|母语",
    ),
    _topic(
        "communication",
        "length",
        rf"(?:short|shorter|long|longer|brief|concise|terse|detailed|verbose|thorough|lengthy|wordy) (?:and \w+ )?(?:{_ANSWER})"
        r"|concise|brief|terse|verbose|verbosity|to the point|walls? of text|lengthy",
        "简洁|简短|简明|详细|啰嗦|冗长|长篇",
    ),
    _topic("communication", "emoji", "emojis?|emoticons?", "表情符号|表情|颜文字"),
    _topic(
        "communication",
        "tone",
        r"tone|formal|informal|casual|friendly|polite|blunt|humou?r|jokes?|small talk|hedging",
        "语气|正式|随意|口语|礼貌|幽默|直接一点|直接点|客套|客气|友好",
    ),
    _topic("communication", "apologies", r"apolog\w+|(?:saying |say )sorry", "道歉|对不起|抱歉"),
    _topic(
        "communication",
        "flattery",
        r"flatter\w*|praise|praising|compliments|telling me (?:that )?(?:i'm|how great)",
        "夸我|奉承|恭维",
    ),
    _topic("communication", "spelling", r"(?:british|american|uk|us|australian|canadian) (?:english|spelling)"),
    _topic(
        "communication", "jargon", "jargon|buzzwords|filler|fluff|pleasantries|disclaimers|preambles?", "废话|套话|官话|空话|行话"
    ),
    _topic(
        "communication",
        "format",
        "bullet points?|bullets|bulleted|markdown|headings|plain text|prose",
        "列表|表格|要点|分点|纯文本",
    ),
    _topic(
        "communication",
        "explanations",
        rf"explanations?|examples?|step[- ]by[- ]step|analog(?:y|ies)|diagrams?|{_ANSWER}",
        "解释|例子|示例|举例|一步一步|逐步|回答|回复",
    ),
    _topic("communication", "questions", "clarifying questions?|ask (?:me )?(?:first|before)|questions", "先问|反问|澄清|提问"),
    _topic("coding_style", "indentation", r"tabs?|spaces|(?:two|four|eight|2|4|8)[- ]space\w*|indent\w*", "缩进|制表符|空格"),
    _topic(
        "coding_style",
        "naming",
        r"snake[_ -]?case|camel[_ -]?case|pascal[_ -]?case|kebab[_ -]?case|naming|hungarian notation"
        r"|(?:variable|function|class|method|descriptive|short|long|meaningful) names?",
        "命名|变量名|函数名|驼峰|蛇形",
    ),
    _topic(
        "coding_style", "types", r"type (?:hints?|annotations?)|(?:static|strict|strong|dynamic) typ(?:ing|es)|static types", "类型"
    ),
    _topic("coding_style", "comments", "comments?|docstrings?|code comments", "注释|文档字符串"),
    _topic("coding_style", "quotes", "(?:single|double) quotes?", "单引号|双引号"),
    _topic("coding_style", "semicolons", "semicolons?", "分号"),
    _topic(
        "coding_style",
        "line_length",
        r"(?:line|maximum) lengths?|(?:long|short) lines|\d{2,3} (?:columns|characters)",
        "行宽|行长|每行",
    ),
    _topic(
        "coding_style",
        "paradigm",
        r"functional(?: programming| style| code)?|object[- ]oriented(?: \w+)?|oop|immutab\w+|pure functions|composition|classes"
        r"|dataclass(?:es)?|inheritance",
        "函数式|面向对象|不可变|纯函数|继承",
    ),
    _topic(
        "coding_style", "functions", "(?:small|short|long|big|tiny) (?:functions|methods|modules|files)", "短函数|小函数|长函数"
    ),
    _topic(
        "coding_style",
        "errors",
        r"exceptions?|error handling|result types?|early returns?|guard clauses?",
        "异常|错误处理|提前返回",
    ),
    _topic(
        "coding_style", "formatting", r"format(?:ter|ting)|trailing commas?|braces|blank lines|code style", "格式化|代码风格|大括号"
    ),
    _topic(
        "coding_style",
        "readability",
        "readable code|clean code|clever code|one-liners?|magic numbers|simple code",
        "可读性|魔法数字",
    ),
    _topic("stack", "test_framework", "pytest|unittest|jest|vitest|mocha|rspec|junit|playwright|cypress|selenium", tools=True),
    _topic("stack", "linter", "ruff|black|flake8|pylint|eslint|prettier|mypy|pyright|biome|clippy", tools=True),
    _topic("stack", "language", _LANGUAGES, "编程语言", tools=True),
    _topic(
        "stack",
        "database",
        r"postgres(?:ql)?|mysql|mariadb|sqlite|mongodb|mongo|redis|duckdb|dynamodb|cassandra|clickhouse|databases?",
        "数据库",
        tools=True,
    ),
    _topic(
        "stack",
        "frontend",
        r"react|vue|svelte|angular|next\.js|solidjs|htmx|tailwind(?: css)?|bootstrap|jquery",
        "前端",
        tools=True,
    ),
    _topic("stack", "framework", r"django|flask|fastapi|rails|spring boot|laravel|axum|actix|frameworks?", "框架", tools=True),
    _topic("stack", "containers", "docker|podman|kubernetes|k8s|containers?", "容器", tools=True),
    _topic("stack", "cloud", "aws|gcp|google cloud|azure|cloudflare|hetzner|vercel|heroku", "云服务|云平台", tools=True),
    _topic("stack", "infrastructure", "terraform|ansible|nix|pulumi|helm", tools=True),
    _topic(
        "stack", "package_manager", "npm|pnpm|yarn|bun|uv|poetry|pip|conda|cargo|homebrew|package managers?", "包管理", tools=True
    ),
    _topic("stack", "orm", "orms?|sqlalchemy|prisma|raw sql|sql", tools=True),
    _topic("stack", "build_tool", "makefiles?|bazel|cmake|gradle|maven|vite|webpack|monorepos?", tools=True),
    _topic("stack", "api", "rest apis?|graphql|grpc|openapi", tools=True),
    _topic("stack", "queue", "kafka|rabbitmq|nats|celery", "消息队列", tools=True),
    _topic("stack", "search", "tantivy|elasticsearch|opensearch|lucene|meilisearch", tools=True),
    _topic("stack", "version_control", "github|gitlab|mercurial|jujutsu|bitbucket", tools=True),
    _topic("workflow", "tests", r"tdd|test[- ]driven\w*(?: development)?|tests?(?: first)?|testing|test coverage", "测试"),
    _topic("workflow", "commits", r"commits?|committing|commit messages?|squash\w*|rebas\w+|merge commits?|git", "提交|变基"),
    _topic("workflow", "branches", "branch(?:es)?|trunk[- ]based|trunk", "分支|主干"),
    _topic(
        "workflow", "reviews", r"code reviews?|reviews?|pull requests?|prs?|merge requests?", "代码评审|代码审查|审查|评审|合并请求"
    ),
    _topic("workflow", "pairing", "pair(?:ing| programming)|mob programming", "结对"),
    _topic("workflow", "ci", "ci|continuous integration|pipelines?|github actions", "持续集成|流水线"),
    _topic("workflow", "deploys", r"deploy\w*|releas\w+|rollbacks?", "部署|发布|上线"),
    _topic(
        "workflow",
        "planning",
        r"plans?|planning|tickets?|kanban|scrum|agile|stand-?ups?|sprints?|prototyp\w+",
        "计划|看板|站会|敏捷|原型",
    ),
    _topic("workflow", "debugging", "debugger|debugging|print statements|logging|logs|breakpoints?", "调试|断点|日志"),
    _topic("workflow", "documentation", "docs|documentation|readmes?|design docs?", "文档"),
    _topic("workflow", "refactoring", r"refactor\w*", "重构"),
    _topic("workflow", "meetings", "meetings?|calls|video calls?", "会议|开会"),
    _topic(
        "workflow",
        "hours",
        "mornings?|evenings?|at night|late night|working hours|early|late",
        "早上|晚上|夜里|深夜|加班",
    ),
    _topic(
        "environment",
        "editor",
        r"neovim|nvim|vim|emacs|vs ?code|visual studio(?: code)?|intellij|pycharm|helix|zed|sublime(?: text)?"
        r"|jetbrains|editors?|ides?",
        "编辑器",
        tools=True,
    ),
    _topic(
        "environment",
        "os",
        r"linux|ubuntu|debian|fedora|arch linux|nixos|mac ?os|macs?|windows|wsl|freebsd|operating systems?",
        "操作系统|苹果电脑",
        tools=True,
    ),
    _topic("environment", "shell", "zsh|bash|fish shell|powershell|nushell|shells?", tools=True),
    _topic(
        "environment", "terminal", "terminals?|tmux|iterm2?|alacritty|kitty|wezterm|ghostty|command line", "终端|命令行", tools=True
    ),
    _topic("environment", "theme", "(?:dark|light) (?:mode|themes?)|colou?r schemes?|themes?", "深色|暗色|浅色|主题"),
    _topic("environment", "keyboard", "keyboards?|dvorak|colemak|qwerty", "键盘"),
    _topic("environment", "browser", "firefox|chrome|safari|browsers?", "浏览器", tools=True),
    _topic("environment", "timezone", r"time ?zones?|utc(?:[+-]\d+)?|cet|cest|pst|est|gmt", "时区"),
    _topic("environment", "hardware", "laptops?|monitors?|macbook(?: pro| air)?|thinkpad|gpus?", "笔记本电脑|显示器|显卡"),
)

_LANGUAGE_WORD = re.compile(rf"(?<![a-z0-9_])(?:in|for) ({_LANGUAGES}|go)(?![a-z0-9_])", re.IGNORECASE)
_FOR = re.compile(r"(?<![a-z0-9_])for (?:the |my |our |all |any |most )?([a-z][a-z0-9+#-]+)", re.IGNORECASE)


def about(text: str) -> About | None:
    """The first topic that a text names, None for none that is known."""
    found = _english_words().search(text.lower()) if text.isascii() else _all_words().search(text)
    if found is None:
        return None
    at = found.start()
    for topic in TOPICS:
        here = topic.words.match(text, at)
        if here is not None:
            return About(topic, at, here.end(), here[0].casefold())
    return None


# All topics at once find the place of the first word that any of them knows.
@lru_cache(maxsize=1)
def _english_words() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(topic.english for topic in TOPICS)})(?![a-z0-9_])")


@lru_cache(maxsize=1)
def _all_words() -> re.Pattern[str]:
    chinese = (topic.chinese for topic in TOPICS if topic.chinese)
    return re.compile("|".join([_english_words().pattern, *chinese]), re.IGNORECASE)


def qualifier(rest: str, before: str, found: About) -> str:
    """What a choice is limited to, such as `go` of `tabs in Go` and `scripts` of `Python for scripts`; '' for nothing.

    `rest` is the text in which the topic was found, `before` what stands before the statement.
    """
    if found.topic.facet == "coding_style":
        limited = _LANGUAGE_WORD.search(rest) or _LANGUAGE_WORD.search(before)
    elif found.topic.tools:
        limited = _FOR.search(rest, found.end) or _FOR.search(before)
    else:
        return ""
    word = limited[1].casefold() if limited else ""
    return "" if word in _VAGUE else word


# Words that limit nothing.
_VAGUE = frozenset(re.findall(r"\w+", "everything anything me it this that now everyday daily work years all some a an"))

# Words that tell nothing of what a statement is about.
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be been being but by can could did do does doing done dont for from get had has have
        having i if in into is it its just keep kind like made make makes making me more most much my no not of off on
        one or our out over own please put really so some something such than that the their them then there these
        they thing things this those to too up use used using very want was way we well were what when where which
        while who why will with without would you your rather instead always never usually often quite""",
    )
)
