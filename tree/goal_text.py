"""GoalText: what a goal may say. One line, something in it that shows, and nothing that a list sent everywhere must not hold."""

from __future__ import annotations

import re
import unicodedata

from memtree.tree.context_fence import without_fenced
from memtree.tree.errors import UserError
from memtree.tree.pii import find_pii
from memtree.tree.pii_rules import PiiClass
from memtree.tree.redactor import Redactor
from memtree.tree.scalars import clean
from memtree.tree.secrets import find_secrets

# As it stands in the file, which is how an agent may give it back.
_AS_LISTED = re.compile(r"\A(?:[-*+]\s+)?\[[gG][0-9]{1,9}\](?:\s+|\Z)")
_BLOCK_ID = re.compile(r"(?:\s|\A)\^[A-Za-z0-9-]+\s*\Z")
_OURS = ("^m-", "[g_]")  # a merge of goals writes these behind goals and in place of labels
_EVERY_CLASS = frozenset(PiiClass)


class UnfitGoal(UserError):
    """A text that cannot be a goal. The message never holds it."""


def goal_text(text: str) -> str:
    """Return a text as a goal says it, without a list mark, a label and a block id. Raise UnfitGoal."""
    line = without_fenced(clean(text)).strip()
    if len(line.splitlines()) > 1:
        raise UnfitGoal("goal text must be a single line", hint="say it in one sentence, or add several goals")
    if any(unicodedata.category(char) == "Cc" and char != "\t" for char in line):
        raise UnfitGoal("goal text must not contain control characters", hint="write it in plain words")
    line = " ".join(_BLOCK_ID.sub("", _AS_LISTED.sub("", line)).split())
    if not any(char.isprintable() and not char.isspace() for char in line):
        raise UnfitGoal("goal text must not be empty", hint="say what the goal is")
    kinds = forbidden_kinds(line)
    if kinds:
        raise UnfitGoal(
            f"goal text must not contain secrets or PII ({', '.join(kinds)})", hint="say it without them: goals go to every machine"
        )
    for ours in _OURS:
        if ours in line:
            raise UnfitGoal(f"goal text must not contain {ours}", hint="say it without: merging goals uses it")
    return line


def forbidden_kinds(text: str) -> list[str]:
    """Return the kinds of secrets and personal data that a text holds, of every class whatever the settings take out.

    Also where it is written wide, or with characters between that nobody sees.
    """
    plain = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    kinds = {secret.rule for form in {text, plain} for secret in find_secrets(form)}
    kinds |= {one.kind.value for form in {text, plain} for one in find_pii(form, _EVERY_CLASS)}
    if not kinds and Redactor(_EVERY_CLASS).text(text) != text:
        kinds = {"personal data"}
    return sorted(kinds)
