"""Desk: an event loop in a thread of its own, while the thread that asked waits and does what the loop hands it.

So a question may be asked from anywhere, also inside a running loop, and what a model calls runs where its caller's things belong.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memtree.engine.llm.errors import ModelAway

_GRACE = 5.0  # seconds that a loop gets to close its connections

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Work:
    """What the loop wants done, and how it is told."""

    do: Callable[[], Any]
    done: Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class _End:
    """The loop has finished, with a result or an error."""

    result: Any
    error: BaseException | None


class Desk(Generic[Result]):
    """Runs one coroutine. `patience` is how long it may go without a sign of life, in seconds."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._inbox: queue.SimpleQueue[_Work | _End] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Result] | None = None

    async def do(self, work: Callable[[], Any]) -> Any:
        """Have work done in the thread that asked, and return what came of it. What it raises is raised there and ends the run."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def done(result: Any) -> None:
            loop.call_soon_threadsafe(lambda: None if future.done() else future.set_result(result))

        self._inbox.put(_Work(work, done))
        return await future

    def run(self, coroutine: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The coroutine's result, or what it or work of its raised; raise ModelAway when nothing happened for too long."""
        thread = threading.Thread(target=self._serve, args=(coroutine,), name="memtree-model", daemon=True)
        thread.start()
        try:
            return self._attend()
        finally:
            self._cancel()
            thread.join(_GRACE)

    def _attend(self) -> Result:
        while True:
            try:
                item = self._inbox.get(timeout=self._patience)
            except queue.Empty:
                raise ModelAway(f"the model did not answer within {self._patience:g} seconds") from None
            if isinstance(item, _Work):
                item.done(item.do())
            elif item.error is not None:
                raise item.error
            else:
                result: Result = item.result
                return result

    def _serve(self, coroutine: Callable[[], Coroutine[Any, Any, Result]]) -> None:
        async def served() -> Result:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            return await coroutine()

        try:
            self._inbox.put(_End(asyncio.run(served()), None))
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that asked
            self._inbox.put(_End(None, error))

    def _cancel(self) -> None:
        loop, task = self._loop, self._task
        if loop is None or task is None or loop.is_closed():
            return
        try:
            loop.call_soon_threadsafe(task.cancel)
        except RuntimeError:
            return  # it closed just now
