"""Random tests repeat exactly by default; MEMTREE_TEST_PROFILE=deep looks further and differently each time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow]

settings.register_profile("fast", deadline=None, derandomize=True, print_blob=True, suppress_health_check=_SLOW)
settings.register_profile("deep", deadline=None, max_examples=1_000, print_blob=True, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("MEMTREE_TEST_PROFILE", "fast"))
