"""Random tests repeat exactly by default; MEMTREE_TEST_PROFILE=deep looks further and differently each time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import pytest
from hypothesis import HealthCheck, settings

from support import hanging, templates

_SLOW = [HealthCheck.too_slow]

settings.register_profile("fast", deadline=None, derandomize=True, print_blob=True, suppress_health_check=_SLOW)
settings.register_profile("deep", deadline=None, max_examples=1_000, print_blob=True, suppress_health_check=_SLOW)
_PROFILE = os.environ.get("MEMTREE_TEST_PROFILE", "fast")
settings.load_profile(_PROFILE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    with _in_time():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    with _in_time():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    with _in_time():
        yield


def _in_time() -> AbstractContextManager[None]:
    """No test of the fast profile takes for ever; those of the deep one may take very long."""
    return hanging.bounded(hanging.LONGEST) if _PROFILE == "fast" else nullcontext()


@pytest.fixture(autouse=True, scope="session")
def _git_without_the_settings_of_this_machine() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield


@pytest.fixture(autouse=True, scope="session")
def _a_place_for_what_tests_begin_with(tmp_path_factory: pytest.TempPathFactory) -> None:
    templates.keep_in(tmp_path_factory.mktemp("begun"))
