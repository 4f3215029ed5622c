# Every target sets up what it needs: a virtual environment in .venv with the versions of requirements.lock.
# The first run installs; later runs find the stamp file and start at once.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install -qq --no-input
STAMP := $(VENV)/.stamp
DOCS_STAMP := $(VENV)/.stamp-docs
LOCK_VENV := build/lock-venv
PYTEST_ARGS ?=
BENCH_ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MPLBACKEND ?= Agg

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-slow lint format docs bench-quick bench-papers bench-roofline bench-peers bench-accuracy bench-kernel bench-online lock setup clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(STAMP) ## fit the embedded letter data: plan, choice, accuracy, time, memory, plots
	@$(PY) -m samara.demo

test: $(STAMP) ## run the tests, slow ones aside (PYTEST_ARGS="-k name" narrows)
	@$(PY) -m pytest -n 3 --dist worksteal -m "not slow" $(PYTEST_ARGS)

test-slow: $(STAMP) ## run the slow tests
	@$(PY) -m pytest -m slow $(PYTEST_ARGS)

lint: $(STAMP) ## ruff, mypy --strict and the import contracts
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict
	$(VENV)/bin/lint-imports

format: $(STAMP) ## let ruff sort, fix and format
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

docs: $(DOCS_STAMP) ## build the documentation, warnings are errors
	$(PY) -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench-quick: $(STAMP) ## go through every table of the papers with few repeats and the data there is
	@$(VENV)/bin/samara bench papers --quick

bench-papers: $(STAMP) ## measure what is not measured of the papers, BENCH_ARGS=--fresh all (SAMARA_DATA=folder of data sets)
	@$(VENV)/bin/samara bench papers $(BENCH_ARGS)

bench-roofline: $(STAMP) ## time a fit against its bare matrix products
	@$(PY) -m bench.roofline

bench-peers: $(STAMP) ## make the peers' environments and compare on all data (SAMARA_DATA=folder of data sets)
	@$(PY) -m bench.peers

bench-accuracy: $(STAMP) ## compare AutoELM with boosting, forests and others on all tables (SAMARA_DATA=folder of data sets)
	@$(PY) -m bench.accuracy

bench-kernel: $(STAMP) ## kernel models against scikit-learn (SAMARA_DATA=folder of data sets)
	@$(PY) -m bench.kernel

bench-online: $(STAMP) ## time learning as rows arrive against OS-ELM
	@$(PY) -m bench.online

setup: $(STAMP) ## only make the virtual environment

lock: ## pin the newest versions anew: requirements.lock and docs/requirements.lock
	@$(PYTHON) -m venv --clear $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip install -qq --no-input ".[dev]"
	@$(LOCK_VENV)/bin/python -m pip freeze --exclude samara | LC_ALL=C sort -f > requirements.lock
	@$(LOCK_VENV)/bin/python -m pip install -qq --no-input -c requirements.lock ".[docs]"
	@$(LOCK_VENV)/bin/python -m pip freeze --exclude samara | LC_ALL=C sort -f \
		| grep -vxF -f requirements.lock > docs/requirements.lock
	@rm -rf $(LOCK_VENV)

$(STAMP): pyproject.toml requirements.lock hatch_build.py src/samara/linalg/kernels.c $(wildcard src/samara/linalg/*.h)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Samara needs Python 3.11 or newer: make PYTHON=python3.11 ..." >&2; exit 1; }
	@echo "Setting up $(VENV) (once; takes a minute) ..."
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(DOCS_STAMP): $(STAMP) docs/requirements.lock
	@$(PIP) -r requirements.lock -r docs/requirements.lock
	@touch $@

clean: ## remove the virtual environment and everything that was built
	rm -rf $(VENV) .venv-peers build dist demo-output docs/_build docs/auto_examples docs/reference/generated
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis docs/sg_execution_times.rst
	find src tests bench docs -name __pycache__ -type d -prune -exec rm -rf {} +
