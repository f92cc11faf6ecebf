# Everything runs in a virtual environment of its own; nothing outside this folder is changed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-long mutate lint schemas attacks bench clean

demo: $(READY)  ## the main job: a guided run in a scratch repository
	@$(BIN)/agentpolicy demo

test: lint  ## lint, types, floors, and the everyday tests
	$(BIN)/pytest -n auto -m "not long"

test-long: $(READY)  ## the laws and fuzzers at large amounts
	$(BIN)/pytest -n auto -m long

mutate: $(READY)  ## bend the code in one place at a time; WORDS="order/ direction" picks some
	$(BIN)/python -m tests.mutation.run $(WORDS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

schemas: $(READY)  ## write the JSON Schemas anew from the typed models
	$(BIN)/python -m agentpolicy.workflows.generate

attacks: $(READY)  ## try every attack on real repositories, a line each
	$(BIN)/pytest -q -n auto -m "not long" --no-header tests/attacks

bench: $(READY)  ## time whole commands, both sides in one run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,bench]"
	$(BIN)/python benchmarks/hooks.py
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/history.py
	$(BIN)/python benchmarks/signatures.py
	$(BIN)/python benchmarks/runs.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed as $(PYTHON)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $(READY)
