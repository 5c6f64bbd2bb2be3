"""Pausing the git program around `index.lock` or in a hook: the gaps in which another program's commit fits.

Git reads HEAD and the index first and locks afterwards. A small library, loaded into git, stops it in between.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from support.gitrepo import ENVIRONMENT

_PATIENCE = 100.0

_SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void pause_at(const char *path, const char *what) {
    const char *folder = getenv("PAUSE_FOLDER"), *wanted = getenv("PAUSE_AT");
    size_t length = strlen(path);
    char name[4096];
    if (!folder || !wanted || strcmp(wanted, what) || length < 10 || strcmp(path + length - 10, "index.lock")) return;
    snprintf(name, sizeof name, "%s/reached", folder);
    if (access(name, F_OK) == 0) return;
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    close(real(name, O_CREAT | O_WRONLY, 0644));
    snprintf(name, sizeof name, "%s/go", folder);
    for (int i = 0; i < 2000 && access(name, F_OK) != 0; i++) usleep(10000);
}
#define WRAP(NAME) \
    int NAME(const char *path, int flags, ...) { \
        va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #NAME); \
        if (flags & O_CREAT) pause_at(path, "open"); \
        return real(path, flags, mode); }
WRAP(open)
WRAP(open64)
int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    pause_at(from, "rename");
    return real(from, to);
}
"""


def build_shim(folder: str) -> str:
    """Compile the library; '' where there is no compiler or no way to load it."""
    compiler = shutil.which("cc") or shutil.which("g++")
    if sys.platform != "linux" or compiler is None:
        return ""
    source, library = os.path.join(folder, "pause.c"), os.path.join(folder, "pause.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(_SHIM)
    done = subprocess.run(
        [compiler, "-x", "c", "-shared", "-fPIC", "-o", library, source, "-ldl"], capture_output=True, check=False
    )
    return library if done.returncode == 0 else ""


@dataclass
class Paused:
    """A git command that waits. `go` lets it run on and returns how it ended."""

    process: subprocess.Popen[str]
    folder: str

    def wait_reached(self) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not os.path.exists(os.path.join(self.folder, "reached")):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline, "git never came to the place"
            time.sleep(0.005)

    def go(self) -> tuple[int, str]:
        with open(os.path.join(self.folder, "go"), "w", encoding="utf-8"):
            pass
        output, errors = self.process.communicate(timeout=_PATIENCE)
        return self.process.returncode, output + errors


@contextlib.contextmanager
def paused_git(root: str, folder: str, *arguments: str, shim: str = "", at: str = "open") -> Iterator[Paused]:
    """Start git and wait until it has stopped: at the lock's `open` or `rename` with `shim`, else where a waiting hook stops it."""
    os.makedirs(folder)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    extra = {"LD_PRELOAD": shim, "PAUSE_AT": at} if shim else {}
    process = subprocess.Popen(
        ["git", *arguments],
        cwd=root,
        env=kept | dict(ENVIRONMENT) | {"PAUSE_FOLDER": folder} | extra,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    paused = Paused(process, folder)
    try:
        paused.wait_reached()
        yield paused
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # with its hook
            process.communicate()


def waiting_hook(root: str, name: str) -> None:
    """A hook that says it was reached and waits."""
    path = os.path.join(root, ".git", "hooks", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\n: > "$PAUSE_FOLDER/reached"\nn=0\n')
        file.write('while [ ! -e "$PAUSE_FOLDER/go" ] && [ $n -lt 1000 ]; do sleep 0.02; n=$((n + 1)); done\n')
    os.chmod(path, 0o755)
