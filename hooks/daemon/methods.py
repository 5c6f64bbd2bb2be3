"""Methods: what can be asked of a daemon. Each runs on a thread of the server; what touches the workspace is done by its worker."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from memtree.hooks.daemon.client import PREPARE, SEARCH
from memtree.hooks.daemon.jobs import Busy, Stopped
from memtree.hooks.daemon.searching import serve_search
from memtree.hooks.daemon.server import Method, Progress
from memtree.hooks.daemon.state import ServiceState
from memtree.hooks.daemon.wire import TOO_BUSY, Refused
from memtree.hooks.recall import METHOD, serve_recall

if TYPE_CHECKING:
    from memtree.hooks.daemon.serving import Serving

Params = dict[str, Any]
T = TypeVar("T")

# Seconds until the worker must have begun. Who asks does the work itself then, as without a daemon: a first index takes minutes,
# and another process has other ways around that.
_PATIENCE = 2.0
_PREPARING = 0.1  # the search that follows waits by itself


def methods(serving: Serving, state: Callable[[], ServiceState], stop: Callable[[], None]) -> Mapping[str, Method]:
    """The methods by name; `hello` is the server's own."""

    def asked(job: Callable[[], T]) -> T:
        return serving.work(lambda: _by_present_settings(serving, job), _PATIENCE)

    def search(params: Params, progress: Progress) -> object:
        commit = serving.brought_up()
        return asked(lambda: serve_search(serving.workspace, params, progress, capture=False, remarks=commit()))

    def prepare(_params: Params, _progress: Progress) -> object:
        commit = serving.brought_up(ahead=True)
        return serving.work(lambda: list(commit()), _PREPARING)

    def recall(params: Params, _progress: Progress) -> object:
        return asked(lambda: serve_recall(serving.workspace, params))

    def flush(_params: Params, _progress: Progress) -> object:
        commit = serving.brought_up()
        return serving.work(lambda: {"notes": [*commit(), *serving.indexed()], "head": state().head})

    def notify(_params: Params, _progress: Progress) -> object:
        serving.moved()
        return None

    def sync(_params: Params, _progress: Progress) -> object:
        serving.sync.now()
        return None

    def told(_params: Params, _progress: Progress) -> object:
        return asdict(state())

    def end(_params: Params, _progress: Progress) -> object:
        threading.Timer(0.05, stop).start()  # so that the answer is still sent
        return None

    served = {PREPARE: prepare, SEARCH: search, METHOD: recall, "flush": flush, "notify": notify, "sync": sync, "state": told}
    return {name: _refusing(method) for name, method in served.items()} | {"stop": end}


def _by_present_settings(serving: Serving, job: Callable[[], T]) -> T:
    """The job's result; raise Refused where whoever asks would find something else by itself."""
    key = serving.workspace.settings.embedding.key_env
    if serving.is_outdated() or (key and not os.environ.get(key)):
        raise Refused(TOO_BUSY, "the daemon knows other settings, or not the key for them")
    return job()


def _refusing(method: Method) -> Method:
    def run(params: Params, progress: Progress) -> object:
        try:
            return method(params, progress)
        except Stopped as error:
            raise Refused(TOO_BUSY, "the daemon is ending") from error
        except Busy as error:
            raise Refused(TOO_BUSY, "the daemon is busy") from error

    return run
