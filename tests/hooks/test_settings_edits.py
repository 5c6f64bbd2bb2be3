"""Settings with and without our entries, as texts: nothing else in them ever changes."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.hooks.connect.agent_hooks import AGENTS, HookEntries
from memtree.hooks.connect.command_line import Call, call_words, program_words, recognised, shell_line, shell_words
from memtree.hooks.connect.connecting import Target, connecting, disconnecting
from memtree.hooks.connect.errors import Misread, UnspeakableFolder
from memtree.hooks.connect.json_settings import JsonSettings
from memtree.hooks.connect.mcp_servers import CLIENTS, NAME, TAIL, ServerEntry
from memtree.hooks.connect.settings_file import Backup
from memtree.hooks.connect.toml_settings import TomlSettings
from support.settings_texts import Style, settings_values, styles, toml_texts, values

CLAUDE = Target("Claude Code", "settings.json", JsonSettings(), HookEntries(AGENTS["claude-code"]), ("hook", "claude-code"))
CURSOR = Target("Cursor", "mcp.json", JsonSettings(), ServerEntry(CLIENTS["cursor"]), TAIL)
CODEX = Target("Codex", "config.toml", TomlSettings("mcp_servers", NAME), ServerEntry(CLIENTS["codex"]), TAIL)


def words(target: Target, root: str = "/home/ada/my notes", program: str = "/bin/memtree") -> list[str]:
    return call_words((program,), root, target.tail)


def installed(target: Target, text: str, root: str = "/home/ada/my notes", program: str = "/bin/memtree") -> str:
    content = connecting(target, words(target, root, program), text.encode()).content
    assert content is not None
    return content.decode()


def removed(target: Target, text: str, saved: str | None) -> str | None:
    content = disconnecting(target, text.encode(), None if saved is None else saved.encode()).content
    return None if content is None else content.decode()


def without_whitespace(text: str) -> str:
    return "".join(text.split())


@given(settings_values, styles)
def test_hooks_put_in_and_taken_out_leave_the_same_bytes(value: object, style: Style) -> None:
    text = style.written(value)
    once = installed(CLAUDE, text)
    assert once != text
    assert installed(CLAUDE, once) == once
    assert removed(CLAUDE, once, text) == text
    parsed = json.loads(once.removeprefix("\ufeff"), parse_int=str)
    for event, seconds in AGENTS["claude-code"].events.items():
        ours = [one for group in parsed["hooks"][event] if isinstance(group, dict) for one in listed(group) if one == mine(seconds)]
        assert len(ours) == 1


def listed(group: dict[str, object]) -> list[object]:
    found = group.get("hooks")
    return found if isinstance(found, list) else []


def mine(seconds: int) -> dict[str, str]:
    return {"type": "command", "command": "/bin/memtree -w '/home/ada/my notes' hook claude-code", "timeout": str(seconds)}


@given(settings_values, styles, st.lists(st.sampled_from(["one", "two", "out"]), max_size=6))
def test_no_sequence_touches_what_others_have(value: object, style: Style, steps: list[str]) -> None:
    text = now = style.written(value)
    for step in steps:
        now = (removed(CLAUDE, now, text) or "") if step == "out" else installed(CLAUDE, now, f"/notes/{step}")
    assert removed(CLAUDE, now, text) == text
    # Without the copy the meaning is the same, but for lists that were empty before.
    alone = removed(CLAUDE, now, None)
    form = JsonSettings()
    assert pruned(form.parse(alone or "{}")) == pruned(form.parse(text))


def pruned(settings: dict[str, object]) -> dict[str, object]:
    """The settings without empty lists of hooks, and without hooks where nothing is left."""
    events = settings.get("hooks")
    if isinstance(events, dict):
        events = {event: groups for event, groups in events.items() if groups != []}
    return {key: value for key, value in (settings | {"hooks": events}).items() if value or key != "hooks"}


@given(values, styles)
def test_a_server_put_in_and_taken_out_leaves_the_same_bytes(value: object, style: Style) -> None:
    text = style.written({"mcpServers": {"other": {"command": "x", "env": value}}, "last": value})
    once = installed(CURSOR, text)
    assert installed(CURSOR, once) == once
    assert removed(CURSOR, once, text) == text
    assert removed(CURSOR, once, None) == text


@given(toml_texts)
def test_a_toml_table_put_in_and_taken_out_leaves_the_same_bytes(text: str) -> None:
    tomllib.loads(text)
    once = installed(CODEX, text)
    assert tomllib.loads(once)["mcp_servers"]["memtree"] == {"command": "/bin/memtree", "args": ["-w", "/home/ada/my notes", "mcp"]}
    assert once.startswith(text)
    assert installed(CODEX, once) == once
    moved = installed(CODEX, once, "/else")
    assert moved == once.replace("/home/ada/my notes", "/else")
    assert removed(CODEX, moved, text) == text
    left = removed(CODEX, moved, None)
    assert (left or "").rstrip("\r\n") == text.rstrip("\r\n") or not without_whitespace(text.replace("[mcp_servers]", ""))


def test_what_stands_around_is_written_the_same_way() -> None:
    four = '{\n    "a": 1,\n    "hooks": {\n        "Stop": [{"hooks": []}]\n    }\n}\n'
    once = installed(CLAUDE, four)
    assert '        "Stop": [{"hooks": []}, {"hooks": [{"type": "command",' in once
    assert '\n        "SessionEnd": [\n            {\n                "hooks": [\n' in once
    assert installed(CURSOR, '{"a":1}') == (
        '{"a":1,"mcpServers":{"memtree":{"command":"/bin/memtree","args":["-w","/home/ada/my notes","mcp"]}}}'
    )
    assert installed(CURSOR, "").startswith('{\n  "mcpServers": {\n    "memtree": {\n')
    assert installed(CURSOR, "").endswith("}\n")
    assert "\n" not in installed(CURSOR, '{\r\n\t"a": 1\r\n}').replace("\r\n", "")


def test_the_users_own_changes_to_our_entries_stay() -> None:
    once = installed(CLAUDE, "{}").replace('"timeout": 5', '"timeout": 25, "statusMessage": "…"')
    assert installed(CLAUDE, once) == once
    moved = installed(CLAUDE, once, "/else", "/new/memtree")
    assert moved == once.replace("'/home/ada/my notes'", "/else").replace("/bin/memtree", "/new/memtree")
    toml = (
        installed(CODEX, "").replace("\n", "\nenabled = false # for now\n", 1)
        + "[mcp_servers.memtree.env]\nA = '1'\n# theirs\n[x]\n"
    )
    moved = installed(CODEX, toml, "/else")
    assert moved == toml.replace("/home/ada/my notes", "/else")
    assert removed(CODEX, moved, None) == "# theirs\n[x]\n"


def test_an_event_that_is_no_longer_used_and_a_second_entry_go() -> None:
    old = {"type": "command", "command": "/old/memtree -w /n hook claude-code"}
    python = {"type": "command", "command": "/usr/bin/python3 -m memtree.tools -w /n hook claude-code"}
    other = {"type": "command", "command": "say done"}
    text = json.dumps({"hooks": {"PostToolUse": [{"hooks": [old]}], "Stop": [{"hooks": [old, other]}, {"hooks": [python]}]}})
    found = json.loads(installed(CLAUDE, text))["hooks"]
    assert "PostToolUse" not in found
    assert found["Stop"] == [{"hooks": [old | {"command": shell_line(words(CLAUDE))}, other]}]
    assert json.loads(removed(CLAUDE, text, None) or "") == {"hooks": {"Stop": [{"hooks": [other]}]}}


def test_what_another_program_changed_meanwhile_stays() -> None:
    text = '{"numStartups": 1, "hooks": {}}'
    edited = installed(CLAUDE, text).replace('"numStartups": 1', '"numStartups": 2')
    edit = disconnecting(CLAUDE, edited.encode(), text.encode())
    assert edit.content == b'{"numStartups": 2, "hooks": {}}'
    assert edit.backup is Backup.REMOVE


def test_a_file_that_lost_the_rest_does_not_cost_the_copy() -> None:
    edit = disconnecting(CURSOR, installed(CURSOR, "").encode(), b'{"mcpServers2": 1}')
    assert (edit.content, edit.backup) == (b"{}\n", Backup.KEEP)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ('{\n  "a": 1,\n}', 3, 1, "expecting property name"),
        ('{\n  // mine\n  "a": 1\n}', 2, 3, "a comment"),
        ('{"a": 1} /* mine */', 1, 10, "a comment"),
        ('{"a": 1,\n "b": {"c": 1, "c": 2}}', 2, 16, 'the key "c" stands twice'),
        ('{"a":\n [NaN]}', 2, 3, "a number"),
        ('{"a": -Infinity}', 1, 7, "a number"),
        ("[]", 1, 1, "not an object"),
        ("\n  7", 2, 3, "not an object"),
        ('{"a": "\t"}', 1, 8, "invalid control character"),
        ('{"hooks": []}', 1, 11, "hooks is not an object"),
        ('{"hooks": {\n "Stop": {}}}', 2, 10, "hooks.Stop is not a list"),
        ('{"a":' * 100_000, 1, 1, "nested too deep"),
    ],
)
def test_json_that_cannot_be_edited_safely_is_refused(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(Misread) as caught:
        connecting(CLAUDE, words(CLAUDE), text.encode())
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("target", "text", "reason"),
    [
        (CODEX, "a = \n", "not TOML"),
        (CODEX, 'mcp_servers = {other = {command = "x"}}\n', "cannot be put there"),
        (CODEX, "mcp_servers = 3\n", "not an object"),
        (CODEX, '[mcp_servers.memtree]\ncommand = "their"\nargs = []\n', "did not put there"),
        (CURSOR, '{"mcpServers": {"memtree": {"url": "http://localhost"}}}', "did not put there"),
        (CURSOR, '{"mcpServers": 3}', "not an object"),
    ],
)
def test_what_is_somebody_elses_is_refused(target: Target, text: str, reason: str) -> None:
    with pytest.raises(Misread, match=reason):
        connecting(target, words(target), text.encode())


def test_what_is_not_utf8_is_refused_where_it_stands() -> None:
    with pytest.raises(Misread) as caught:
        connecting(CLAUDE, words(CLAUDE), '{\n "a": "é"}'.encode("latin-1"))
    assert (caught.value.line, caught.value.column) == (2, 8)


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"])), st.sampled_from(list(AGENTS)))
def test_our_command_is_known_again(root: str, agent: str) -> None:
    tail = AGENTS[agent].tail
    for program in (
        ("/a b/memtree",),
        ("/usr/bin/python3", "-m", "memtree.tools"),
        ("/usr/bin/python3", "-P", "-m", "memtree.tools"),
    ):
        line = shell_line(call_words(program, root, tail))
        assert recognised(shell_words(line), tail) == Call(root)
        assert recognised(shell_words(line + " -v"), tail) is None


def test_how_memtree_is_called() -> None:
    assert program_words("/opt/bin/memtree", "/x/memtree", "/usr/bin/python3") == ("/opt/bin/memtree",)
    assert program_words(None, "/x/bin/memtree", "/usr/bin/python3") == ("/x/bin/memtree",)
    assert program_words(None, "/x/tools/__main__.py", "/usr/bin/python3") == ("/usr/bin/python3", "-P", "-m", "memtree.tools")
    for root in ("/n\udcff", "/a\nb"):
        with pytest.raises(UnspeakableFolder):
            call_words(("memtree",), root, TAIL)
