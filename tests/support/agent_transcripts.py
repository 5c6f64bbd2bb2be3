"""Transcripts as agents' programs write them, made in code: the lines, order and noise of the real ones, with invented values.

    talk = ClaudeTranscript().prompt("Which port?").assistant("8443.", tools=[Tool("Bash", {"command": "grep port"}, "port=8443")])
    path = talk.write_below(home)                     # ~/.claude/projects/-w-demo/<session>.jsonl
    talk.hook("Stop", path, stop_hook_active=False)   # what the program hands to a hook on stdin

Every id and time follows from the session's name and the number of lines so far, so the same calls give the same bytes.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

START = dt.datetime(2026, 1, 5, 9, tzinfo=dt.UTC)
CLAUDE_SESSION = "11111111-2222-4333-8444-555555555555"
CODEX_SESSION = "01990000-aaaa-7bbb-8ccc-dddddddddddd"


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of a tool and what it gave back. `result` None is a call that was never answered."""

    name: str
    input: Any = None
    result: str | None = "done"
    failed: bool = False


class _Lines:
    """What the transcripts share: lines, a clock of one second a line, ids that follow from both."""

    def __init__(self, session: str, cwd: str, model: str) -> None:
        self.session = session
        self.cwd = cwd
        self.model = model
        self.lines: list[bytes] = []
        self.prompts: list[str] = []  # the id of each prompt of a person, as a reading's `prompt_uuid`

    @property
    def data(self) -> bytes:
        """The whole file."""
        return b"".join(self.lines)

    def write(self, path: Path | str) -> Path:
        """Write the file, with its folders, in place of what is there; return its path."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        return path

    def raw(self, line: bytes | str | dict[str, Any]) -> Self:
        """Add a line as it is; a line end is added when it has none."""
        if isinstance(line, dict):
            line = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        self.lines.append(data if data.endswith(b"\n") else data + b"\n")
        return self

    def id(self, kind: str) -> str:
        """An id that no other line has."""
        return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.session}/{kind}/{len(self.lines)}"))

    def now(self) -> str:
        """The time of the next line."""
        moment = START + dt.timedelta(seconds=len(self.lines))
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"


class ClaudeTranscript(_Lines):
    """A Claude Code session. `last` is the uuid that the next line hangs on; setting it rewinds the conversation."""

    def __init__(self, session: str = CLAUDE_SESSION, *, cwd: str = "/w/demo", model: str = "claude-made-1") -> None:
        super().__init__(session, cwd, model)
        self.last: str | None = None
        self.messages = 0
        self._parents: dict[str, str | None] = {}

    def prompt(self, text: str, *, images: int = 0, reminder: str = "", **fields: Any) -> Self:
        """What a person typed, with pictures and with a reminder of the program's own in it when asked."""
        content: Any = text
        if images or reminder:
            content = [{"type": "text", "text": text}]
            content += [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}] * images
            if reminder:
                content.append({"type": "text", "text": f"<system-reminder>\n{reminder}\n</system-reminder>"})
        self.prompts.append(self._user(content, promptId=self.id("prompt"), **fields))
        return self

    def machine(self, text: str, **fields: Any) -> Self:
        """A user line that no person typed, such as the end of a background task."""
        self._user(text, **{"promptSource": "system", "origin": {"kind": "task-notification"}, **fields})
        return self

    def assistant(self, *texts: str, tools: Iterable[Tool] = (), thinking: str = "", **fields: Any) -> Self:
        """An answer: each text is a message of its own, the first after its thoughts; the tools are called by the first one.

        Calls of one message stand behind each other, each result hangs on its own call: as the program does with parallel calls.
        """
        calls = list(tools)
        first, *others = texts or ("",)
        blocks: list[dict[str, Any]] = []
        if thinking:
            blocks.append({"type": "thinking", "thinking": thinking, "signature": "c2ln"})
        if first:
            blocks.append({"type": "text", "text": first})
        ids = [f"toolu_{self.messages:04}{at:02}" for at in range(len(calls))]
        blocks += [
            {"type": "tool_use", "id": name, "name": call.name, "input": call.input or {}}
            for name, call in zip(ids, calls, strict=True)
        ]
        places = self._message(blocks, "tool_use" if calls else "end_turn", fields)[len(blocks) - len(calls) :]
        for name, call, place in zip(ids, calls, places, strict=True):
            if call.result is not None:
                self.last = place
                self.tool_result(name, call.result, failed=call.failed, place=place)
        for text in others:
            self._message([{"type": "text", "text": text}], "end_turn", fields)
        return self

    def queued(self, text: str, **fields: Any) -> Self:
        """What a person typed while the agent was at work: the program keeps it as an attachment, never as a user line."""
        command = {"type": "queued_command", "prompt": text, "commandMode": "prompt", "origin": {"kind": "human"}, **fields}
        self.prompts.append(self._chained("attachment", {"attachment": command}))
        return self

    def tool_result(self, id: str, text: str, *, failed: bool = False, place: str | None = None) -> Self:  # noqa: A002
        """What a tool gave back; `place` is the line of its call."""
        content: Any = f"Exit code 1\n{text}" if failed else [{"type": "text", "text": text}]
        result: Any = f"Error: {text}" if failed else {"stdout": text, "stderr": "", "interrupted": False}
        block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}
        self._user([block], toolUseResult=result, sourceToolAssistantUUID=place or self.last)
        return self

    def api_error(self, text: str = "API Error: 529 Overloaded") -> Self:
        """What the program says itself when the model cannot be reached."""
        self._message([{"type": "text", "text": text}], "stop_sequence", {"isApiErrorMessage": True}, model="<synthetic>")
        return self

    def attachment(self, text: str = "INJECTED", kind: str = "hook_additional_context") -> Self:
        """What the program or a hook put in front of the model."""
        self._chained("attachment", {"attachment": {"type": kind, "content": [text], "hookEvent": "UserPromptSubmit"}})
        return self

    def snapshot(self, size: int = 100_000) -> Self:
        """Two of the huge lines that the program keeps for itself, about `size` bytes each; one of them is part of the chain."""
        text = 'You are an agent. It said "yes".\n' * (size // 34)
        self._chained("attachment", {"attachment": {"type": "prompt_snapshot", "system": text}})
        return self.raw(
            {"type": "api-request-shape", "sessionId": self.session, "timestamp": self.now(), "request": {"system": text}}
        )

    def system(self, subtype: str = "stop_hook_summary", **fields: Any) -> Self:
        """A line of the program's about itself."""
        self._chained("system", {"subtype": subtype, **fields})
        return self

    def compact(self, summary: str = "Summary of the talk so far.") -> Self:
        """The conversation is compacted: a new chain begins with the summary."""
        self._user("<command-name>/compact</command-name>")
        logical, self.last = self.last, None
        details = {"trigger": "manual", "preTokens": 900}
        self._chained("system", {"subtype": "compact_boundary", "logicalParentUuid": logical, "compactMetadata": details})
        self._user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)
        return self

    def sidechain(self, prompt: str = "Look for ports", answer: str = "Found two files.") -> Self:
        """A sub-agent's talk, as older versions kept it in the same file."""
        here, self.last = self.last, None
        self._user(prompt, isSidechain=True, agentId="a1")
        self._message([{"type": "text", "text": answer}], "end_turn", {"isSidechain": True, "agentId": "a1"})
        self.last = here
        return self

    def noise(self) -> Self:
        """Lines outside the chain."""
        self.raw({"type": "queue-operation", "operation": "enqueue", "timestamp": self.now(), "sessionId": self.session})
        self.raw({"type": "file-history-snapshot", "messageId": self.last, "snapshot": {}, "isSnapshotUpdate": False})
        return self.raw({"type": "last-prompt", "lastPrompt": "x", "leafUuid": self.last, "sessionId": self.session})

    def rewind(self, prompts: int = 1) -> Self:
        """Go back to before the last `prompts` prompts: what is said next takes their place."""
        first = self.prompts[-prompts]
        del self.prompts[-prompts:]
        self.last = self._parents[first]
        return self

    def forked(self, session: str) -> ClaudeTranscript:
        """Another session that goes on from here: all lines again, as that session's, with the ids that they had."""
        fork = ClaudeTranscript(session, cwd=self.cwd, model=self.model)
        for line in self.lines:
            fork.raw(line.replace(json.dumps(self.session).encode(), json.dumps(session).encode()))
        fork.last, fork.messages, fork.prompts = self.last, self.messages, list(self.prompts)
        fork._parents = dict(self._parents)
        return fork.attachment("INJECTED", "hook_success")

    def write_below(self, home: Path | str) -> Path:
        """Write it where the program does, below its home (`~/.claude`)."""
        return self.write(Path(home) / "projects" / re.sub(r"[^A-Za-z0-9]", "-", self.cwd) / f"{self.session}.jsonl")

    def hook(self, event: str, path: Path | str, **fields: Any) -> dict[str, Any]:
        """What the program hands to a hook on stdin."""
        common = {"session_id": self.session, "transcript_path": str(path), "cwd": self.cwd, "hook_event_name": event}
        return {**common, "prompt_id": "p-1", "permission_mode": "default", **fields}

    def _user(self, content: Any, **fields: Any) -> str:
        return self._chained("user", {"message": {"role": "user", "content": content}, **fields})

    def _message(self, blocks: list[dict[str, Any]], stop: str, fields: dict[str, Any], model: str | None = None) -> list[str]:
        self.messages += 1
        head = {"id": f"msg_{self.messages:04}", "type": "message", "role": "assistant", "model": model or self.model}
        tail = {"stop_reason": stop, "usage": {"input_tokens": 9, "output_tokens": 4}}
        return [self._chained("assistant", {"message": {**head, "content": [block], **tail}, **fields}) for block in blocks]

    def _chained(self, kind: str, fields: dict[str, Any]) -> str:
        place = self.id("line")
        self._parents[place] = self.last
        common = {"parentUuid": self.last, "isSidechain": False, "userType": "external", "cwd": self.cwd}
        place_of = {"sessionId": self.session, "version": "2.1.332", "gitBranch": "main", "type": kind}
        self.raw({**common, **place_of, "uuid": place, "timestamp": self.now(), **fields})
        self.last = place
        return place


class CodexRollout(_Lines):
    """A Codex session. `kinds` False writes it as older versions do, without saying which user text is a person's."""

    def __init__(
        self,
        session: str = CODEX_SESSION,
        *,
        cwd: str = "/w/demo",
        model: str = "gpt-made-1",
        source: Any = "exec",
        kinds: bool = True,
    ) -> None:
        super().__init__(session, cwd, model)
        self.kinds = kinds
        self.turn = ""
        meta = {"id": session, "timestamp": self.now(), "cwd": cwd, "originator": "codex_exec", "cli_version": "0.171.0"}
        self.line("session_meta", {**meta, "source": source})
        self.injected("INJECTED permissions", "developer", "permissions.instructions")
        self.injected("# AGENTS.md instructions for /w/demo\n\n<INSTRUCTIONS>x</INSTRUCTIONS>", "user", "agents_md.instructions")
        self.injected(
            "<environment_context>\n  <cwd>/w/demo</cwd>\n</environment_context>", "user", "environments.environment_context"
        )

    def line(self, kind: str, payload: dict[str, Any]) -> Self:
        """Add a line of the program's own form."""
        return self.raw({"timestamp": self.now(), "ordinal": len(self.lines), "type": kind, "payload": payload})

    def injected(self, text: str, role: str = "developer", kind: str = "hooks.additional_context") -> Self:
        """What the program or a hook put in front of the model."""
        return self._said(role, "input_text", text, [kind])

    def prompt(self, text: str, *, images: int = 0) -> Self:
        """What a person typed."""
        self.turn = self.id("turn")
        self.line("event_msg", {"type": "task_started", "turn_id": self.turn, "model_context_window": 258_400})
        self.line("turn_context", {"turn_id": self.turn, "cwd": self.cwd, "model": self.model, "approval_policy": "never"})
        self.prompts.append(self.turn)
        self._said("user", "input_text", text, ["user.text"], images=images)
        return self.line("event_msg", {"type": "user_message", "message": text, "images": []})

    def assistant(self, *texts: str, tools: Iterable[Tool] = (), thinking: str = "", done: bool = True) -> Self:
        """An answer: the tools are called after the first text. `done` False leaves the turn open."""
        first, *others = texts or ("",)
        if thinking:
            self.line(
                "response_item", {"type": "reasoning", "summary": [{"type": "summary_text", "text": thinking}], "content": None}
            )
        self._answered([first] if first else [])
        for at, call in enumerate(tools):
            self._call(f"call_{len(self.lines)}_{at}", call)
        self._answered(others)
        self.line("event_msg", {"type": "token_count", "info": None, "rate_limits": None})
        if done:
            self.line("event_msg", {"type": "task_complete", "turn_id": self.turn, "last_agent_message": (texts or ("",))[-1]})
        return self

    def custom(self, name: str, text: str, result: str, *, exit_code: int = 0) -> Self:
        """A call of a tool whose input is a text, such as a patch."""
        place = f"call_{len(self.lines)}"
        self.line(
            "response_item", {"type": "custom_tool_call", "status": "completed", "call_id": place, "name": name, "input": text}
        )
        output = json.dumps({"output": result, "metadata": {"exit_code": exit_code, "duration_seconds": 0.1}})
        return self.line("response_item", {"type": "custom_tool_call_output", "call_id": place, "output": output})

    def served(self, server: str, call: Tool) -> Self:
        """A call of a tool of an MCP server: whether it failed stands in an event alone."""
        place = f"call_{len(self.lines)}"
        named = {"name": call.name, "namespace": f"mcp__{server}", "arguments": json.dumps(call.input or {}), "call_id": place}
        self.line("response_item", {"type": "function_call", "status": "completed", **named})
        result = {"content": [{"type": "text", "text": call.result}], "isError": call.failed}
        item = {"type": "McpToolCall", "id": place, "server": server, "tool": call.name, "arguments": call.input or {}}
        item |= {"status": "failed" if call.failed else "completed", "result": result}
        self.line("event_msg", {"type": "item_completed", "turn_id": self.turn, "item": item})
        texts = [{"type": "input_text", "text": text} for text in ("Wall time: 0.1 seconds\nOutput:", call.result)]
        output: Any = texts if call.failed else f"Wall time: 0.1 seconds\nOutput:\n{call.result}"
        return self.line("response_item", {"type": "function_call_output", "call_id": place, "output": output})

    def compacted(self, summary: str = "Summary of the talk so far.") -> Self:
        """The conversation is compacted."""
        said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": summary}]}
        self.line("compacted", {"message": summary, "replacement_history": [said]})
        return self.line("event_msg", {"type": "context_compacted"})

    def write_below(self, home: Path | str) -> Path:
        """Write it where the program does, below its home (`~/.codex`)."""
        return self.write(Path(home) / f"sessions/2026/01/05/rollout-2026-01-05T09-00-00-{self.session}.jsonl")

    def hook(self, event: str, path: Path | str | None, **fields: Any) -> dict[str, Any]:
        """What the program hands to a hook on stdin."""
        place = None if path is None else str(path)
        common = {"session_id": self.session, "transcript_path": place, "cwd": self.cwd, "hook_event_name": event}
        turn = {"turn_id": self.turn} if self.turn and event != "SessionStart" else {}
        return {**common, **turn, "model": self.model, "permission_mode": "default", **fields}

    def _said(self, role: str, form: str, text: str, kinds: list[str], *, images: int = 0) -> Self:
        content: list[dict[str, Any]] = [{"type": form, "text": text}]
        content += [{"type": "input_image", "image_url": "data:image/png;base64,aGk="}] * images
        payload: dict[str, Any] = {"type": "message", "role": role, "content": content}
        if self.kinds:
            turn = {"turn_id": self.turn} if self.turn else {}
            kinds = [*kinds, *["user.image"] * images]
            payload["internal_chat_message_metadata_passthrough"] = {**turn, "content_item_kinds": kinds}
        return self.line("response_item", payload)

    def _answered(self, texts: Iterable[str]) -> None:
        for text in texts:
            content = [{"type": "output_text", "text": text}]
            self.line("response_item", {"type": "message", "role": "assistant", "content": content})
            self.line("event_msg", {"type": "agent_message", "message": text})

    def _call(self, place: str, call: Tool) -> None:
        arguments = json.dumps(call.input or {})
        self.line("response_item", {"type": "function_call", "name": call.name, "arguments": arguments, "call_id": place})
        if call.result is None:
            return
        output: Any = call.result
        if call.failed:
            output = json.dumps({"output": call.result, "metadata": {"exit_code": 1, "duration_seconds": 0.2}})
        self.line("response_item", {"type": "function_call_output", "call_id": place, "output": output})


class OpenClawSession(_Lines):
    """A legacy OpenClaw session."""

    def __init__(self, session: str = "oc1", *, cwd: str = "/h/.openclaw/workspace", model: str = "made-1") -> None:
        super().__init__(session, cwd, model)
        self.last: str | None = None
        self.raw({"type": "session", "version": 3, "id": session, "timestamp": self.now(), "cwd": cwd})

    def prompt(self, text: str) -> Self:
        """What a person wrote."""
        place = self._message("user", [{"type": "text", "text": text}])
        self.prompts.append(f"{self.session}:{place}")
        return self

    def assistant(self, *texts: str, tools: Iterable[Tool] = ()) -> Self:
        """An answer: the tools are called with the first text."""
        calls = list(tools)
        first, *others = texts or ("",)
        ids = [f"t{len(self.lines)}_{at}" for at in range(len(calls))]
        blocks: list[dict[str, Any]] = [{"type": "text", "text": first}] if first else []
        blocks += [
            {"type": "toolCall", "id": name, "name": call.name, "arguments": call.input or {}}
            for name, call in zip(ids, calls, strict=True)
        ]
        self._message("assistant", blocks, model=self.model, usage={"input": 9, "output": 4})
        for name, call in zip(ids, calls, strict=True):
            content = [{"type": "text", "text": call.result or ""}]
            self._message("toolResult", content, toolCallId=name, toolName=call.name, isError=call.failed)
        for text in others:
            self._message("assistant", [{"type": "text", "text": text}], model=self.model)
        return self

    def entry(self, kind: str, **fields: Any) -> Self:
        """A line that is no message: compaction, branch_summary, custom_message."""
        self._entry(kind, fields)
        return self

    def write_below(self, home: Path | str) -> Path:
        """Write it where the program did, below its home (`~/.openclaw`)."""
        return self.write(Path(home) / f"agents/main/sessions/{self.session}.jsonl")

    def _message(self, role: str, content: list[dict[str, Any]], **fields: Any) -> str:
        return self._entry("message", {"message": {"role": role, "content": content, **fields}})

    def _entry(self, kind: str, fields: dict[str, Any]) -> str:
        place = f"e{len(self.lines)}"
        self.raw({"type": kind, "id": place, "parentId": self.last, "timestamp": self.now(), **fields})
        self.last = place
        return place
