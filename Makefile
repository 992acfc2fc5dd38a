# Two commands matter: `make serve` starts Waypost, `make test` proves it. Both set themselves up; the second time at once.
# Paths are relative or quoted, so that a folder with spaces in its name works.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help serve test check test-fast test-contract promises bite crash bench node clients lock clean

PY := .venv/bin/python
RUN := PYTHONPATH="$(CURDIR)/src" $(PY)
# How many processes run the tests, which tests (T="tests/rules -k lease"), and what a command is given (ARGS="--port 8000").
N ?= 2
T ?=
ARGS ?=

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

serve: ## set up and start Waypost; says where to look
	@sh requirements/install.sh base
	@$(RUN) -m waypost serve $(ARGS)

test: check ## set up and run every check and the whole suite
	$(RUN) -m pytest -n $(N) $(T)

check: ## set up and run formatter, linter, types and the import rule
	@sh requirements/install.sh dev
	$(PY) -m ruff format --check
	$(PY) -m ruff check
	$(PY) -m mypy
	@$(RUN) -c "from importlinter.cli import lint_imports_command; lint_imports_command()" --no-logo

test-fast: ## run the suite without its slow, browser, node and clients tests
	@sh requirements/install.sh dev
	$(RUN) -m pytest -q -n $(N) -m "not slow and not browser and not node and not clients" $(T)

test-contract: ## drive the mail verbs through the command line alone and check every record against the schema
	@sh requirements/install.sh dev
	@$(RUN) -m tests.contract $(ARGS)

promises: ## list the promises set aside, and the live ones that no test names
	@sh requirements/install.sh dev
	@$(RUN) -m tests.promises
	@$(RUN) -m tests.promises --unproved

bite: ## take each guard out in turn and see its promise's test fail
	@sh requirements/install.sh dev
	@$(RUN) -m tests.bite $(ARGS)

crash: ## run the long kill campaign: 20,000 sends, 60 kills (ARGS="--engine postgres --seed 7": three nodes)
	@sh requirements/install.sh dev
	@$(RUN) -m tests.crash.campaign $(ARGS)

bench: ## run the benchmarks
	@sh requirements/install.sh dev
	@$(RUN) -m benchmarks $(ARGS)

node: ## install the Node programs that some tests drive
	@sh tests/node/install.sh

clients: ## install the coding agents that some tests drive (0.7 GB)
	@sh tests/clients/install.sh

lock: ## compile requirements/*.in with hashes (needs uv)
	@command -v uv >/dev/null || { echo "make lock: install uv first" >&2; exit 1; }
	@for in in requirements/*.in; do \
		echo "compiling $$in"; \
		uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
			--no-annotate --no-header "$$in" -o "$${in%.in}.txt" || exit 1; \
	done

clean: ## remove what these commands made, the environment included
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist tests/node/node_modules tests/clients/node_modules
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
