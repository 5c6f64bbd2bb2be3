"""Lesson: what an agent may add to curated memory by itself, told from what it may not before anything is written."""

from __future__ import annotations

import re

from memtree.engine.agents.deeds import ToolRefused
from memtree.tree.redactor import Redactor
from memtree.tree.secrets import find_secrets
from memtree.tree.sentences import sentences
from memtree.tree.writing_systems import is_foreign

SENTENCES = 2
LONGEST = 500  # characters
_MARK = re.compile(r"\A\s*(?:[-*+]|\d{1,3}[.)])\s+")


def lesson(text: str, said: str, redactor: Redactor) -> str:
    """The lesson as it is written: one line without a list mark. `said` is what it was learnt from. Raise ToolRefused."""
    kept = [_MARK.sub("", line).strip() for line in text.strip().splitlines() if line.strip()]
    if not kept:
        raise ToolRefused("there is no lesson in this call", hint="say it in one or two sentences, or keep nothing")
    if len(kept) > SENTENCES or any(line.startswith(("#", "```", "|", ">")) for line in kept):
        raise ToolRefused("this is more than one lesson", hint="call once for each, with one or two plain sentences")
    line = " ".join(kept)
    if len(line) > LONGEST:
        raise ToolRefused(f"the lesson has {len(line):,} characters, more than {LONGEST}", hint="say it shorter, or leave it")
    if len(sentences(line)) > SENTENCES:
        raise ToolRefused(f"the lesson has more than {SENTENCES} sentences", hint="say it shorter, or call once for each")
    refuse_secrets(line, redactor)
    if is_foreign(line, said):
        raise ToolRefused("the lesson is not in the language of the conversation", hint="write it in the user's own language")
    return line


def refuse_secrets(text: str, redactor: Redactor) -> None:
    """Raise ToolRefused for a text with a secret, or with personal data that this workspace takes out; never repeat it."""
    found = sorted({secret.rule for secret in find_secrets(text)})
    if found or redactor.text(text) != text:
        kinds = f" ({', '.join(found)})" if found else ""
        raise ToolRefused(f"the text holds a secret or personal data{kinds}", hint="say it without, or leave it")
