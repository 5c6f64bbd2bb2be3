"""Sources: where a live view has the state of a workspace from: a daemon that runs already, or a service in this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from memtree.engine.daemon_lock import daemon_holder
from memtree.hooks.daemon.client import Client, Unreachable
from memtree.hooks.daemon.service import Service
from memtree.hooks.daemon.state import ServiceState, state_from
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.tree.errors import TransientError

_LEAVING = 30.0  # seconds that a service gets to end
_PATIENCE = 5.0  # seconds for a daemon to answer, to begin, or to come back
_LOOK = 0.1  # seconds between two looks at one that begins


class DaemonGone(TransientError):
    """The daemon that was watched has ended."""

    def __init__(self, pid: int) -> None:
        super().__init__(
            f"the daemon (process {pid}) has ended",
            hint="memtree daemon logs tells why; start it again (memtree daemon start), or watch without it (memtree watch)",
        )
        self.pid = pid


class DaemonSilent(TransientError):
    """The daemon that was watched runs, but says nothing that we understand."""

    def __init__(self, pid: int) -> None:
        super().__init__(
            f"the daemon (process {pid}) does not answer", hint="it is busy, or of another version: memtree daemon restart"
        )
        self.pid = pid


class Source(Protocol):
    """What a view is shown of."""

    def state(self) -> ServiceState | None:
        """How it stands now, None while that is not known yet. Raises why it cannot go on."""
        ...

    def close(self) -> None: ...


class Attached:
    """A daemon that goes on when nobody watches it. One that is started anew is found again."""

    def __init__(self, place: Place, client: Client) -> None:
        self._place = place
        self._client: Client | None = client
        self.pid = client.address.pid
        self._heard = time.monotonic()

    @classmethod
    def to(cls, place: Place) -> Attached | None:
        """The daemon of the workspace; None where none answers. One that begins is waited for."""
        deadline = time.monotonic() + _PATIENCE
        while (client := Client.of(place)) is None:
            if daemon_holder(place.state) is None or time.monotonic() > deadline:
                return None
            time.sleep(_LOOK)
        return cls(place, client)

    def state(self) -> ServiceState | None:
        self._client = self._client or Client.of(self._place)
        if self._client is not None:
            try:
                state = state_from(self._client.call("state", {}, patience=_PATIENCE))
            except (Unreachable, KeyError, TypeError, ValueError):
                self.close()
            else:
                self._heard = time.monotonic()
                self.pid = state.pid
                return state
        silent = time.monotonic() - self._heard
        if silent > _PATIENCE and daemon_holder(self._place.state) is None:
            raise DaemonGone(self.pid)
        if silent > _PATIENCE * 3:
            raise DaemonSilent(self.pid)
        return None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None


class Serving:
    """A service in threads of this process; when it has ended, it is `over` and `told` is called."""

    def __init__(self, place: Place, told: Callable[[], None]) -> None:
        self._told = told
        self.service = Service(place, Surroundings())
        self._failure: BaseException | None = None
        self.over = False
        self._thread = threading.Thread(target=self._run, name="memtree-service", daemon=True)
        self._thread.start()

    def state(self) -> ServiceState | None:
        if self.over:
            self.failed()
        return self.service.state() if self.service.ready.is_set() else None

    def failed(self) -> None:
        """Raise what ended the service, if something did."""
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """End it, and wait for that. One that hangs dies with the process: nothing that was acknowledged is lost by that."""
        self.service.stop()
        self._thread.join(_LEAVING)

    def _run(self) -> None:
        try:
            self.service.run()
        except BaseException as error:  # noqa: BLE001 - raised where somebody sees it
            self._failure = error
        finally:
            self.over = True
            self._told()
