# make run    a guided demonstration, in a minute
# make test   everything that CI checks
# make soak   the long versions of the stress tests
# make bench  how fast it is, against NumPy, SQLite, the embedder and the stores' engines (minutes)

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run setup test soak bench
.DEFAULT_GOAL := run

run: .venv/installed
	@$(BIN)/bethink demo

setup: .venv/ready

# The demonstration needs only what users install; developing needs every provider's client as well.
.venv/installed: pyproject.toml
	@echo "Setting up .venv (about a minute the first time) …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/ready: .venv/installed requirements-dev.txt
	@echo "Installing what development needs (about two minutes the first time) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt -e .
	@touch $@

test: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal

soak: setup
	$(BIN)/pytest -m soak --timeout 7200 -s

bench: setup
	$(BIN)/python benchmarks/embedded.py
	$(BIN)/python benchmarks/kinds.py
	$(BIN)/python benchmarks/learning.py
	$(BIN)/python benchmarks/recall.py
	$(BIN)/python benchmarks/stores.py --users 20 --memories 20000
