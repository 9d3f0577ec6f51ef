# Two commands for a newcomer: `make demo` and `make test`. Everything lands in .venv; nothing else is touched.
#
# PIP_ARGS passes what your package index needs. On Linux, plain PyPI brings PyTorch with several gigabytes of CUDA;
# for the CPU build:
#   make demo PIP_ARGS="--extra-index-url https://download.pytorch.org/whl/cpu"
PYTHON ?= python3
PIP_ARGS ?=
TESTS ?= tests
PIP = .venv/bin/python -m pip --disable-pip-version-check install -q $(PIP_ARGS) -c constraints.txt

.PHONY: demo test check static fast format docs clean

demo: .venv/demo.stamp  ## languages, a model, planted heads, an exam: runs/demo/report.html
	.venv/bin/headcount demo --to runs/demo

test: .venv/dev.stamp static  ## everything that CI runs
	.venv/bin/python -m pytest $(TESTS) -n auto --dist loadgroup

check: .venv/dev.stamp static fast  ## format, lint, types, import contracts, fast tests

static:
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo

fast:
	.venv/bin/python -m pytest $(TESTS) -m "not slow" -q -n auto --dist loadgroup

format: .venv/dev.stamp  ## put files into the house style
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

docs: .venv/dev.stamp  ## write the generated parts of docs/ again
	.venv/bin/python -m docs.generate

clean:  ## forget the environment; runs/ stays
	rm -rf .venv

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "headcount needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make demo PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv

# torch first, by its exact pin: whatever asks for it later is then content with what is there
.venv/demo.stamp: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) torch
	$(PIP) hatchling editables
	$(PIP) --no-build-isolation -e '.[all]'
	touch $@

.venv/dev.stamp: .venv/demo.stamp
	$(PIP) --no-build-isolation -e '.[dev]'
	touch $@
