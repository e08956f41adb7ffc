# make demo       a guided tour: learns a small network and writes a report
# make test       style, types, layers, tests, documentation: all that must pass
# make test-data  the tests that need the folder of public networks and tables ($TACIT_DATA)
# make test-full  the same and more: many seeds, large networks; takes long
# make bench      how fast counting, inference, EM, rules, posteriors, searches and paths are, beside others
# make docs       the documentation as HTML, in docs/_build/html
# make clean      removes what the others made, the virtual environment too
#
# Python 3.11 or newer, pip and make are all that is needed; PYTHON=... chooses the interpreter.

SHELL := /bin/sh
# workers of the tests share the cores already; small matrices only suffer from more threads
export OPENBLAS_NUM_THREADS := 1
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
TACIT_DATA ?= ../shared/data
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python; do \
	"$$python" -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && { echo "$$python"; break; }; done)

.PHONY: demo test check test-data test-full bench docs clean
.DELETE_ON_ERROR:

demo: $(VENV)/.package
	$(BIN)/tacit demo

test: check
	$(BIN)/python -m pytest -n $(JOBS) -m "not data and not full"

check: $(VENV)/.development
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test-data: $(VENV)/.development
	@test -d "$(TACIT_DATA)" || { \
	  echo "There is no folder '$(TACIT_DATA)' of public networks and tables." >&2; \
	  echo "Name it:  make test-data TACIT_DATA=/path/to/data" >&2; exit 1; }
	TACIT_DATA="$(abspath $(TACIT_DATA))" $(BIN)/python -m pytest -n $(JOBS) -m "data and not full"

test-full: check
	@test -d "$(TACIT_DATA)" || { \
	  echo "There is no folder '$(TACIT_DATA)' of public networks and tables." >&2; \
	  echo "Name it:  make test-full TACIT_DATA=/path/to/data" >&2; exit 1; }
	TACIT_DATA="$(abspath $(TACIT_DATA))" HYPOTHESIS_PROFILE=full $(BIN)/python -m pytest -n $(JOBS)

bench: $(VENV)/.development
	$(BIN)/python benchmarks/parameters.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/em.py
	$(BIN)/python benchmarks/rules.py
	$(BIN)/python benchmarks/posterior.py
	$(BIN)/python benchmarks/posterior.py --library
	$(BIN)/python benchmarks/transfer.py
	$(BIN)/python benchmarks/structure.py
	$(BIN)/python benchmarks/hidden.py
	$(BIN)/python benchmarks/continuous.py
	$(BIN)/python benchmarks/normal_em.py
	$(BIN)/python benchmarks/text.py
	$(BIN)/python benchmarks/processes.py
	$(BIN)/python benchmarks/ibem.py
	$(BIN)/python benchmarks/local.py
	TACIT_DATA="$(abspath $(TACIT_DATA))" $(BIN)/python benchmarks/real_tables.py

docs: $(VENV)/.development
	$(BIN)/python -m sphinx -W -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:
	rm -rf $(VENV) dist build docs/_build demo-output .mypy_cache .ruff_cache .pytest_cache \
	  .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@test -n "$(PYTHON)" || { \
	  echo "Tacit needs Python 3.11 or newer, and none was found." >&2; \
	  echo "Name one:  make demo PYTHON=/path/to/python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c '$(NEW_ENOUGH)' || { \
	  echo "Tacit needs Python 3.11 or newer; this is $$("$(PYTHON)" --version)." >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)
	@touch $@

$(VENV)/.package: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.development: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	@touch $@ $(VENV)/.package
