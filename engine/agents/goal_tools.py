"""The tools of the agent for goals. They change a draft of the list; what differs in the end is written in one commit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memtree.engine.agents.deeds import ToolRefused
from memtree.engine.writers.goals import change_goals, given_before
from memtree.tree.context_fence import fenced
from memtree.tree.errors import UserError
from memtree.tree.goal_edits import standing, with_goal, with_text, without_goal
from memtree.tree.goal_text import goal_text
from memtree.tree.objects import CommitId
from memtree.tree.writing_systems import is_foreign

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

MOST_DELETED = 2


@dataclass(frozen=True, slots=True)
class GoalChanges:
    """How a list of goals became another: labels with their texts; `deleted` with the text that went."""

    added: dict[int, str] = field(default_factory=dict)
    edited: dict[int, str] = field(default_factory=dict)
    deleted: dict[int, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.added or self.edited or self.deleted)

    @property
    def told(self) -> str:
        """Such as `Added g4; edited g1.`"""
        parts = [f"{verb} {', '.join(f'g{label}' for label in labels)}" for verb, labels in self._verbs() if labels]
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}." if text else "No goal was changed."

    @property
    def sentences(self) -> tuple[str, ...]:
        """Such as `Added goal g4.`, one for each."""
        return tuple(f"{verb.capitalize()} goal g{label}." for verb, labels in self._verbs() for label in labels)

    def _verbs(self) -> tuple[tuple[str, dict[int, str]], ...]:
        return ("added", self.added), ("edited", self.edited), ("deleted", self.deleted)


def changes_between(before: bytes, after: bytes) -> GoalChanges:
    """What was added, edited and deleted, by label."""
    old, new = _by_label(before), _by_label(after)
    return GoalChanges(
        {label: text for label, text in new.items() if label not in old},
        {label: text for label, text in new.items() if label in old and old[label] != text},
        {label: text for label, text in old.items() if label not in new},
    )


def applied(data: bytes, before: bytes, wanted: GoalChanges, *, above: int = 0) -> tuple[bytes, list[str]]:
    """The file with changes that were made to an older version of it, and what was left as it is because it changed meanwhile.

    No label up to `above` is given.
    """
    old, now, left = _by_label(before), _by_label(data), []
    for label in (*wanted.deleted, *wanted.edited, *wanted.added):
        if label in old and now.get(label) != old[label]:
            left.append(f"g{label} was changed meanwhile: it stays as it is")
            continue
        try:
            data = _with(data, label, wanted, above)
        except UserError as error:
            left.append(f"g{label} stays as it is: {error}" if label in old else f"a goal was not added: {error}")
    return data, left


def _with(data: bytes, label: int, wanted: GoalChanges, above: int) -> bytes:
    if label in wanted.deleted:
        return without_goal(data, f"g{label}")[0]
    if label in wanted.edited:
        return with_text(data, f"g{label}", wanted.edited[label])[0]
    return with_goal(data, wanted.added[label], above=above)[0]


class GoalTools:
    """A draft of the goals. `said` is what the goals were learnt from, and tells their language."""

    def __init__(self, workspace: Workspace, data: bytes, said: str) -> None:
        self._workspace = workspace
        self._before = data
        self._draft = data
        self._said = said
        self._given = given_before(workspace, data)
        self._listed = False

    @property
    def changes(self) -> GoalChanges:
        return changes_between(self._before, self._draft)

    def goals_list(self) -> str:
        self._listed = True
        goals = standing(self._draft)
        # People write into this file too: what they wrote goes to a model without secrets, and as data.
        lines = (f"[{goal.name}] {' '.join(self._workspace.redactor.text(goal.text).split())}" for goal in goals)
        return fenced("\n".join(lines)) if goals else "There are no goals yet."

    def goals_add(self, text: str) -> str:
        self._refuse_unlisted()
        self._draft, label = with_goal(self._draft, self._fit(text), above=self._given)
        return f"Added goal g{label}."

    def goals_edit(self, id: str, text: str) -> str:  # noqa: A002 - what the model knows it by
        self._refuse_unlisted()
        self._draft, label = with_text(self._draft, id, self._fit(text))
        return f"Edited goal g{label}."

    def goals_delete(self, id: str) -> str:  # noqa: A002
        self._refuse_unlisted()
        draft, label = without_goal(self._draft, id)
        if len(changes_between(self._before, draft).deleted) > MOST_DELETED:
            raise ToolRefused(
                f"{MOST_DELETED} goals were deleted already, and no more may go at once", hint="leave the rest of the list as it is"
            )
        self._draft = draft
        return f"Deleted goal g{label}."

    def write(self, trailers: str, *, deleting: bool = True) -> tuple[GoalChanges, CommitId | None, tuple[str, ...]]:
        """Write what differs in one commit, merged with what the file became meanwhile: what was changed, and what was left.

        Without `deleting`, no goal goes.
        """
        wanted, left = self.changes, list[str]()
        whole = deleting or not wanted.deleted
        if not whole:
            wanted = replace(wanted, deleted={})
        if not wanted:
            return wanted, None, ()
        was = made = self._before

        def change(data: bytes) -> bytes:
            nonlocal was, made, left
            was = data
            made, left = (
                (self._draft, []) if whole and data == self._before else applied(data, self._before, wanted, above=self._given)
            )
            return made

        commit = change_goals(self._workspace, change, "curate the goals", trailers=trailers)
        return changes_between(was, made), commit.after if commit.changed else None, tuple(left)

    def _fit(self, text: str) -> str:
        line = goal_text(text)
        if is_foreign(line, f"{self._said}\n{self._draft.decode('utf-8', 'replace')}"):
            raise ToolRefused("the goal is not in the user's language", hint="say it in the words that the user used")
        return line

    def _refuse_unlisted(self) -> None:
        if not self._listed:
            raise ToolRefused("the goals were not listed yet", hint="call goals_list first, then change as little as possible")


def _by_label(data: bytes) -> dict[int, str]:
    found: dict[int, str] = {}
    for goal in standing(data):
        found.setdefault(goal.label, goal.text)
    return found
