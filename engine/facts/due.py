"""Due: the facts of closed segments that wait to be learned, by a model one segment at a time, by words many of them in one commit.

A step leaves the queue when its facts are committed. Killed in between it is done again, and finds them there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memtree.engine.closing.queue import FACTS, Queue, Step
from memtree.engine.facts.candidate import Outcome
from memtree.engine.facts.candidate import Step as Stage
from memtree.engine.facts.extraction import ROLE as ROLE
from memtree.engine.facts.pipeline import Learned, learn_by_rules, learn_segment
from memtree.tree.errors import StateError

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

TOGETHER = 200  # segments in one commit: what an import closes must not make thousands of them
_ROUNDS = 20  # over the same segments in one run
_HOPELESS = 5  # tries of what a model answers with nonsense


class FactBlocked(StateError):
    """A file or a folder of a person stands where a fact must go, or a secret is in it."""


class FactsDue:
    """Does the steps of a queue. `told` is a list to which a line is added for what was done."""

    def __init__(self, workspace: Workspace, queue: Queue, told: list[str]) -> None:
        self._workspace = workspace
        self._queue = queue
        self._told = told
        self._blocked: dict[tuple[str, int], str] = {}  # what could not be written, of stretches by where they begin

    def by_rules(self, steps: Sequence[Step], alone: Callable[[Step, Callable[[Step], None]], None]) -> None:
        """Do steps without a model, many at once.

        Where many cannot be done together each is done by itself, by `alone`, which keeps what fails for later.
        """
        left, why = [step for step in steps if step.first >= 0], self._why_not()
        most = _ROUNDS * (len(left) // TOGETHER + 1)
        while left and most:
            together, left, most = left[:TOGETHER], left[TOGETHER:], most - 1
            try:
                left += self._learned(together, self._rules(together, why))
            except Exception:  # noqa: BLE001 - whatever one of them does to us, the others are done
                for step in together:
                    alone(step, self._by_rules_alone)
            else:
                for step in together:
                    if (step.session, step.first) in self._blocked:
                        alone(step, self._by_rules_alone)
                    else:
                        self._queue.done(step)

    def _by_rules_alone(self, step: Step) -> None:
        self._learned([step], self._rules([step], self._why_not()))
        self._see_written(step)

    def by_model(self, step: Step) -> None:
        """Do one step with a model. What it answers with nonsense again and again is done without it.

        Raises what asking raises, and the store.
        """
        from memtree.engine.llm.asking import Asker
        from memtree.engine.llm.errors import BadReply

        if step.first < 0:
            return
        try:
            learned = learn_segment(self._workspace, step.session, step.first, step.last, Asker(self._workspace, agent="facts"))
        except BadReply as error:
            if step.tries < _HOPELESS:
                raise
            learned = self._rules([step], f"{error}, {step.tries + 1} times")
        self._learned([step], learned)
        self._see_written(step)

    def _see_written(self, step: Step) -> None:
        """Raise FactBlocked where not all could be written: the step waits until nothing stands in its way."""
        if why := self._blocked.get((step.session, step.first)):
            raise FactBlocked(why)

    def settle(self, _: Step) -> None:
        """Close the older of two facts that cannot both hold, as two machines may have written them."""
        from memtree.engine.facts.settling import settle

        self._told.extend(settle(self._workspace))

    def _why_not(self) -> str:
        """Why a model that is named may not be asked here; '' where none is named."""
        if self._workspace.settings.models.named(ROLE) is None:
            return ""
        from memtree.engine.llm.roles import Models

        return Models.of(self._workspace).why_not(ROLE)

    def _rules(self, steps: Sequence[Step], why: str) -> Learned:
        return learn_by_rules(self._workspace, [(step.session, step.first, step.last) for step in steps], why)

    def _learned(self, steps: Sequence[Step], learned: Learned) -> list[Step]:
        """Tell what was done; the steps for what was too much at once, which wait in the queue."""
        stuck = {record.session for record in learned.records if any(one.step is Stage.COMMIT for one in record.fallen)}
        why = next((note for note in learned.notes if "not stored" in note), "something stands in the way of a fact")
        for step in steps:
            self._blocked.pop((step.session, step.first), None)
            if step.session in stuck:
                self._blocked[step.session, step.first] = why
        rest = [Step(FACTS, folder, first, last) for folder, first, last in learned.rest]
        for step in rest:
            self._queue.put(step)
        count = sum(one.outcome is not Outcome.NOOP for one in learned.decisions)
        if count:
            first_step = steps[0]
            turns = f"turns {first_step.first}-{first_step.last} of session {first_step.session}"
            where = turns if len(steps) == 1 else f"{len(steps)} segments"
            self._told.append(f"{count} {'fact' if count == 1 else 'facts'} of {where}")
        return rest
