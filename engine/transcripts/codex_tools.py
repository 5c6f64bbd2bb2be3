"""Codex's calls of tools: what was called with what, and whether it failed.

Codex does not say in one place that a call failed. It did when the output is an object that says `success: false`; when it is a
JSON text whose metadata has an exit code other than 0; or when it begins with the lines that Codex itself puts before what a
command printed, and those name such a code; or when an event says so of the whole call, the only place where a failed call of an
MCP server shows. Nothing is guessed from what a tool printed itself.
"""

from __future__ import annotations

import re
from typing import Any

from memtree.engine.transcripts.lines import value_in
from memtree.engine.transcripts.reading import Result, bounded, id_of, object_of, text_in, text_of
from memtree.tree.redactor import Json

_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_HEAD = 500  # characters within which Codex's own lines end
_PRINTED = re.compile(r"^Output:[ \t]*$\n?", re.MULTILINE)
_CODE = re.compile(r"^(?:Exit code: |Process exited with code )(-?[0-9]{1,10})[ \t]*$", re.MULTILINE)
_SERVER = "mcp__"  # so begin the namespaces of MCP servers
_FAILED = ("failed", "declined")
_MOST = 4 * 1024 * 1024  # characters of an output that is looked into


def call_in(payload: dict[str, Any]) -> tuple[str, Json] | None:
    """The name and the input of the call that a response item is, None when it is none."""
    match payload.get("type"):
        case "function_call":
            given = payload.get("arguments")
        case "custom_tool_call":
            given = payload.get("input")
            return text_of(payload.get("name")), bounded(given)
        case "local_shell_call":
            return "local_shell", bounded(payload.get("action"))
        case "web_search_call":
            return "web_search", bounded(payload.get("action"))
        case _:
            return None
    name, server = text_of(payload.get("name")), text_of(payload.get("namespace"))
    if server.startswith(_SERVER):
        name = f"{server}__{name}"
    return name, bounded(value_in(given) if isinstance(given, str) else given)


def result_in(payload: dict[str, Any]) -> Result | None:
    """What a call gave back, None when the response item is no output."""
    if payload.get("type") not in _OUTPUTS:
        return None
    output = payload.get("output")
    if isinstance(output, str):
        code, said = _told(output)
        failed = payload.get("success") is False or code not in (None, 0)
    else:
        told = object_of(output)
        said = text_of(told.get("content")) or text_in(told.get("content_items") or output, "input_text")
        failed = payload.get("success") is False or told.get("success") is False
    return Result(failed, str(bounded(said)) if failed else "")


def failure_in(item: dict[str, Any]) -> tuple[str, Result] | None:
    """The id of a call that an event says has failed, and what it gave back; None when the event says no such thing."""
    place = id_of(item.get("id"))
    if not place or item.get("status") not in _FAILED:
        return None
    error, given = item.get("error"), object_of(item.get("result")).get("content")
    said = text_of(error) or text_of(object_of(error).get("message")) or text_in(given) or text_of(item.get("aggregated_output"))
    return place, Result(True, str(bounded(said)))


def _told(output: str) -> tuple[int | None, str]:
    """The exit code, None where none is told, and what the tool printed."""
    if output.startswith("{") and '"exit_code"' in output and len(output) <= _MOST:
        value = object_of(value_in(output))
        code = object_of(value.get("metadata")).get("exit_code")
        return (code if isinstance(code, int) and not isinstance(code, bool) else None), text_of(value.get("output"))
    printed = _PRINTED.search(output, 0, _HEAD)
    code = _CODE.search(output, 0, printed.start()) if printed else None
    return (int(code[1]), output[printed.end() :]) if printed and code else (None, output)
