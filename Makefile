# Each target does its own set-up in .venv from a bare Python 3.11+, a C++ compiler and git.
PYTHON ?= python3
NOTES ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# The tests start hundreds of programs; without compiled files each would first compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: test check fast deep e2e demo bench clean

# Side by side: the type checker would leave one of two cores idle.
test: $(STAMP) .pkg/memtree
	$(MAKE) --no-print-directory -j2 check fast

check: $(STAMP) .pkg/memtree
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	MYPYPATH=.pkg $(BIN)/mypy -p memtree.tree -p memtree.indexers -p memtree.engine -p memtree.hooks -p memtree.tools
	PYTHONPATH=.pkg $(BIN)/lint-imports

fast: $(STAMP)
	$(BIN)/python -m pytest -q -n 2 -m "not deep"

deep: $(STAMP)
	MEMTREE_TEST_PROFILE=deep $(BIN)/python -m pytest -q -n 2

# The real programs are named by MEMTREE_E2E_CLAUDE and MEMTREE_E2E_CODEX (paths); without them their tests are skipped.
e2e: $(STAMP)
	$(BIN)/python -m pytest -q tests/e2e

demo: $(STAMP)
	$(BIN)/memtree demo $(if $(NOTES),--notes "$(NOTES)")

bench: $(STAMP)
	$(BIN)/memtree bench all --json

# Type checker and import linter need the namespace as real paths; the link gives them one without an install step.
.pkg/memtree:
	mkdir -p .pkg && ln -sfn .. .pkg/memtree

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memtree needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) .pkg .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
