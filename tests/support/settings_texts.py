"""Settings files as people and programs write them: random values in random styles, for JSON and for TOML."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd")
# Commands of others, some of which look much like ours.
FOREIGN = (
    "say done",
    "echo memtree hook claude-code # no",
    "memtree search hook",
    "/usr/bin/notmemtree -w /x hook claude-code",
    "wrapper && memtree -w /x hook claude-code",
    "memtree -w /x hook claude-code --verbose",
    "memtree -w /x hook codex",
    "a 'quote that never ends",
    "",
)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8) | st.sampled_from(
    ["记", "é", '"', "\\", "\u2028"]
)
leaves = st.none() | st.booleans() | st.integers() | st.just(10**4000 // 7) | texts
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8)
handlers = st.builds(
    lambda command, more: {"type": "command", "command": command, **more},
    st.sampled_from(FOREIGN),
    st.dictionaries(st.sampled_from(["timeout", "async", "x"]), st.integers(0, 99), max_size=2),
)
groups = st.builds(
    lambda matcher, found: {**matcher, "hooks": found},
    st.sampled_from([{}, {"matcher": "startup"}, {"matcher": ""}]),
    st.lists(handlers | st.just({"type": "http", "url": "http://localhost"}), max_size=3),
)
odd_groups = st.sampled_from([None, 5, {}, {"hooks": 7}, {"hooks": [None, 3, {}]}])
hooks = st.dictionaries(st.sampled_from(EVENTS), st.lists(groups | odd_groups, max_size=3), max_size=4)


@dataclass(frozen=True, slots=True)
class Style:
    """How a program sets JSON."""

    indent: int | str | None
    colon: str
    comma: str
    ascii_only: bool
    crlf: bool
    before: str
    end: str

    def written(self, value: Any) -> str:
        comma = self.comma if self.indent is None else ","
        text = json.dumps(value, indent=self.indent, separators=(comma, self.colon), ensure_ascii=self.ascii_only)
        text = self.before + text + self.end
        return text.replace("\n", "\r\n") if self.crlf else text


styles = st.builds(
    Style,
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.sampled_from([": ", ":", " : "]),
    st.sampled_from([", ", ",", " , "]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "\n", "  ", "\ufeff"]),
    st.sampled_from(["", "\n", "\n\n", " "]),
)
settings_values = st.builds(
    lambda head, inner, tail: {**head, **inner, **tail},
    st.dictionaries(texts, values, max_size=3),
    st.just({}) | st.builds(lambda found: {"hooks": found}, hooks),
    st.dictionaries(texts.filter(lambda key: key != "hooks"), values, max_size=2),
).filter(lambda value: isinstance(value.get("hooks", {}), dict))

# TOML as pieces that may stand in any order after the bare keys.
TOML_HEADS = (
    "",
    "# my settings\n",
    'model = "o4"  # the best\n\n',
    "x = [\n  [1],\n  # [mcp_servers.memtree]\n]\n",
    't = """\n[mcp_servers.memtree]\n"""\n',
)
TOML_TABLES = (
    '[mcp_servers.other]\ncommand = "other"\nargs = []\n',
    "[mcp_servers]\n",
    "\n# projects\n[projects.\"/w/a.b\"]\ntrust_level = 'trusted' # yes\n\n",
    "[[hooks.Stop]]\nn = nan\n",
    "[tui]\n\n\nnotifications = true\n",
    "[mcp_servers.other2.env]\nTOKEN = 'é记'\n",
)


def _toml(head: str, tables: list[str], cut: bool, crlf: bool) -> str:
    text = head + "".join(tables)
    text = text.rstrip("\n") if cut else text
    return text.replace("\n", "\r\n") if crlf else text


toml_texts = st.builds(
    _toml,
    st.sampled_from(TOML_HEADS),
    st.lists(st.sampled_from(TOML_TABLES), unique=True, max_size=5),
    st.booleans(),
    st.booleans(),
)
