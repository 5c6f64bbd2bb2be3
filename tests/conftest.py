"""Random tests repeat exactly by default; MEMTREE_TEST_PROFILE=deep looks further and differently each time."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow]

settings.register_profile("fast", deadline=None, derandomize=True, print_blob=True, suppress_health_check=_SLOW)
settings.register_profile("deep", deadline=None, max_examples=1_000, print_blob=True, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("MEMTREE_TEST_PROFILE", "fast"))


@pytest.fixture(autouse=True, scope="session")
def _git_without_the_settings_of_this_machine() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield
