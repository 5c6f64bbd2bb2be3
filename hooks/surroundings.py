"""Surroundings: what a worker takes from outside, so that it can be put to work anywhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtree.engine.workspace import Options


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`environment` tells where agents keep their files; `options` is what the workspace is opened with, None for its defaults."""

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    options: Options | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
