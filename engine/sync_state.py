"""When each remote was last synced, and what went wrong since: local knowledge for `status`, never synced itself."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LastSync:
    """Epoch seconds of the last success, and the message of a failure since then."""

    succeeded: float | None = None
    failed: float | None = None
    error: str = ""


class SyncState:
    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, "sync.json")

    def of(self, remote: str) -> LastSync:
        raw = self._read().get(remote)
        raw = raw if isinstance(raw, dict) else {}
        return LastSync(_number(raw.get("succeeded")), _number(raw.get("failed")), str(raw.get("error", "")))

    def succeeded(self, remote: str, when: float) -> None:
        self._write(remote, {"succeeded": when})

    def failed(self, remote: str, error: str, when: float) -> None:
        self._write(remote, {"succeeded": self.of(remote).succeeded, "failed": when, "error": error})

    def _read(self) -> dict[str, object]:
        try:
            with open(self._path, encoding="utf-8") as file:
                raw = json.load(file)
        except (FileNotFoundError, ValueError):
            return {}
        return raw if isinstance(raw, dict) else {}

    def _write(self, remote: str, state: dict[str, object]) -> None:
        raw = self._read()
        raw[remote] = state
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        temp = f"{self._path}.{os.getpid()}"
        with open(temp, "w", encoding="utf-8") as file:
            json.dump(raw, file)
        os.replace(temp, self._path)


def _number(raw: object) -> float | None:
    return float(raw) if isinstance(raw, int | float) else None
