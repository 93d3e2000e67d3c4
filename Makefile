# The commands of the project. A machine with python3 and make needs nothing else.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Histories that `make fuzz` invents, each repaired and judged.
FUZZ ?= 100000
INVENTED := tests/laws $(addprefix tests/test_,random_histories.py random_conversions.py template_hostile.py template_peers.py)
# Times that `make crash` kills a writer.
CRASH ?= 10000

# pyright would otherwise look on the network whether there is a newer one.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.PHONY: help demo test check fix fuzz crash bench docs wheel clean

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name what; do printf 'make %-6s %s\n' "$$name" "$$what"; done

demo: $(VENV)/.cli ## see a broken history checked, repaired and compared
	@PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

test: $(VENV)/.dev ## everything a push must pass: style, types, layers, tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n 2

check: $(VENV)/.dev ## the fast inner loop: style, and the tests without the laws
	$(BIN)/ruff check .
	$(BIN)/pytest -q -x -n 2 --ignore=tests/laws --ignore=tests/test_shape.py

fix: $(VENV)/.dev ## let ruff mend and format what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

fuzz: $(VENV)/.dev ## the laws over many more invented histories and templates (FUZZ=100000)
	HYPOTHESIS_PROFILE=long REJOINDER_FUZZ=$(FUZZ) $(BIN)/pytest -n 2 $(INVENTED)

crash: $(VENV)/.dev ## writers killed, calls failing, files damaged, many times over (CRASH=10000)
	REJOINDER_CRASH=$(CRASH) $(BIN)/pytest tests/crash

bench: $(VENV)/.dev ## measure it on this machine
	$(BIN)/python bench/run.py

docs: $(VENV)/.dev ## write docs/reference.md from the code
	$(BIN)/python docs/make_reference.py

wheel: $(VENV)/.dev ## build the distributions into dist/
	$(BIN)/python -m build

clean: ## remove the environment and what the commands left behind
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps: an environment is made once, and again only when what it installs has changed.
$(BIN)/python:
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.cli: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing rejoinder and its command into $(VENV) (once)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing rejoinder, its command and what checks it into $(VENV) (once)"
	@$(PIP) --editable '.[dev]'
	@touch $@ $(VENV)/.cli
