# Each target sets up .venv by itself with plain python3 and pip. `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK := $(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe \
  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links
# Most of the suite waits for real processes: files run beside each other, in the order of their folders, so the long ones begin early.
BESIDE := --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/pip --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test big check bench format lock clean

help: ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

$(STAMP): pyproject.toml requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit("cardtrail needs Python 3.11 or newer, this is " + sys.version.split()[0] + " (set PYTHON=)" if sys.version_info < (3, 11) else 0)'
	@echo "setting up $(VENV) (once; a minute or two) …"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes -r requirements.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP) ## the worked example, end to end, on a real NATS server
	@$(BIN)/cardtrail demo

test: $(STAMP) ## everything that must hold: the suite on a real nats-server, then the built wheel
	@$(BIN)/python -m pytest $(BESIDE)

big: $(STAMP) ## every question to a log of 200,000 facts about 500 agents (minutes, and 8 GB of memory)
	@CARDTRAIL_BIG=1 $(BIN)/python -m pytest $(BESIDE) --override-ini timeout=3000 \
	  tests/services/test_every_question.py tests/services/test_sealed_log.py tests/services/report tests/services/audit tests/projections/test_store_archive.py tests/projections/test_store_reader.py

check: $(STAMP) ## the gate: format, lint, import contracts, types, the suite with coverage on the built wheel
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/lint-imports
	@$(BIN)/mypy -p cardtrail.events -p cardtrail.projections -p cardtrail.services
	@rm -rf build && $(BIN)/python -m hatchling build -t wheel -d build/wheel
	@$(PIP) install --no-deps --target build/site build/wheel/*.whl
	@PYTHONPATH=$(CURDIR)/build/site $(BIN)/python -m pytest $(BESIDE) --cov --cov-report=term:skip-covered

bench: $(STAMP) ## measured ratios, each beside its yardstick in the same run
	@$(BIN)/python -m tests.bench

format: $(STAMP) ## put the code into house format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lock: ## renew requirements.txt and requirements-image.txt (what runs, without what builds) from pyproject.toml
	@$(BIN)/pip install --quiet pip-tools
	@$(LOCK) --extra a2a --extra report --extra dev --output-file requirements.txt pyproject.toml
	@$(LOCK) --extra otel --extra report --constraint requirements.txt --output-file requirements-image.txt pyproject.toml

clean: ## remove what was built
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
