# Every target sets itself up: the first one to run creates .venv and installs the project into it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= auto
# Each process begins with a part of its own, and compiles a part of the loops: tests/compiling.py.
SIDE_BY_SIDE = -n $(JOBS) --dist worksteal -m 'not slow and not browser'
# Folders that need no extra except io, and so test the lowest versions of the core.
LOWEST ?= tests/priors tests/geometry tests/storage tests/neighbors tests/operators tests/affinities tests/forces tests/objectives tests/optimize tests/residual tests/estimators tests/scores tests/files
FUZZ ?= 500
SEED ?= $(shell date +%s)
GET_CHROMIUM = { apt-get update -q && apt-get install -q -y --no-install-recommends chromium; } > /dev/null

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz coverage test-lowest test-browser test-slow lint web check-web docs images notebooks numbers bench package clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("unprior needs Python 3.11 or newer; call make PYTHON=python3.12, say") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

demo: $(VENV)/.installed  ## factor the species out of a map of penguins; pictures and scores in demo/
	$(BIN)/unprior demo --out demo

lint: $(VENV)/.installed  ## style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint  ## lint, types, doctests and tests
	$(BIN)/pytest $(SIDE_BY_SIDE) --doctest-modules src tests
	@echo 'Left out: the tests of the explorer in a browser; make test-browser runs them.'

coverage: $(VENV)/.installed  ## branch coverage, compiled loops run as Python; report in build/coverage, fails below 95 %
	$(BIN)/pytest $(SIDE_BY_SIDE) --cov --cov-report= --doctest-modules src tests
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n $(JOBS) -m 'not compiled' --cov --cov-append --cov-report= -W ignore::RuntimeWarning tests/kernels tests/forces tests/objectives
	$(BIN)/coverage html --quiet --directory build/coverage
	$(BIN)/coverage json --quiet -o build/coverage.json
	$(BIN)/coverage report --skip-covered --fail-under 95

test-lowest:  ## the tests with the lowest versions that pyproject.toml declares, in build/lowest
	$(PYTHON) -m venv build/lowest
	$(PYTHON) packaging/lowest.py io tree > build/lowest.txt
	build/lowest/bin/python -m pip install --quiet -r build/lowest.txt hypothesis networkx pytest
	build/lowest/bin/python -m pip install --quiet --no-deps --editable .
	build/lowest/bin/python -m pytest $(LOWEST)

$(VENV)/.browser: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[dev,browser]'
	@test -n "$$UNPRIOR_CHROMIUM" || command -v chromium > /dev/null || $(GET_CHROMIUM) || \
	  { echo 'There is no Chromium: install it, or set UNPRIOR_CHROMIUM to one.'; exit 1; }
	touch $@

test-browser: $(VENV)/.browser check-web  ## the explorer in a real browser; installs Chromium on Debian
	$(BIN)/pytest -m 'browser and not slow' tests/browser

web/node_modules: web/package-lock.json
	@command -v npm > /dev/null || { echo 'The page is built with Node.js 20 or newer; install it.'; exit 1; }
	cd web && npm ci --no-audit --no-fund --ignore-scripts
	touch $@

web: web/node_modules  ## rebuild the explorer's page from web/
	cd web && npm run --silent check && npm run --silent build

check-web: web/node_modules  ## check that the committed page is what web/ builds
	cd web && npm run --silent check && node build.mjs ../build/web
	cmp build/web/explorer.js src/unprior/explorer/static/explorer.js
	cmp build/web/explorer.css src/unprior/explorer/static/explorer.css

test-slow: $(VENV)/.installed  ## the quality tests on the paper's data, some minutes
	$(BIN)/pytest -m 'slow and not browser' tests

fuzz: $(VENV)/.installed  ## 500 new cases for each public entry, 11 000 in all; FUZZ=N SEED=N for others
	@echo 'UNPRIOR_FUZZ=$(FUZZ) UNPRIOR_FUZZ_SEED=$(SEED) repeats this run.'
	UNPRIOR_FUZZ=$(FUZZ) UNPRIOR_FUZZ_SEED=$(SEED) $(BIN)/pytest -n $(JOBS) tests/fuzz

docs: $(VENV)/.installed  ## the documentation site, in build/docs/; warnings are errors
	$(BIN)/python -m pip install --quiet --editable '.[dev,docs]'
	$(BIN)/sphinx-build -W --keep-going -b html docs build/docs

images: $(VENV)/.installed  ## redraw the pictures of docs/images, some minutes
	for script in examples/*.py; do $(BIN)/python $$script || exit 1; done
	$(BIN)/unprior demo --out build/demo
	cp build/demo/demo.png docs/images/demo.png

notebooks: $(VENV)/.installed  ## run the notebooks of docs/notebooks and keep their outputs, some minutes
	$(BIN)/python docs/notebooks/run.py

numbers: $(VENV)/.installed  ## write the figures of README.md and docs from benchmarks/results
	$(BIN)/python benchmarks/pages.py

package:  ## build wheel and sdist, and test the wheel in an empty environment
	rm -rf build/dist build/again build/empty
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet build
	build/empty/bin/python -m build --outdir build/dist .
	build/empty/bin/python -m build --outdir build/again .
	for file in build/dist/*; do cmp $$file build/again/$$(basename $$file) || exit 1; done  # reproducible
	$(PYTHON) -m venv --clear build/empty
	build/empty/bin/python -m pip install --quiet "$$(echo build/dist/unprior-*.whl)[io,anndata]"
	build/empty/bin/python packaging/try_wheel.py build/empty/bin/unprior

bench: $(VENV)/.installed  ## speed compared with peers, in one run; results in benchmarks/results/
	$(BIN)/python benchmarks/speed exact_jedi

clean:  ## remove everything that the other targets made
	rm -rf $(VENV) web/node_modules demo build docs/api .pytest_cache .mypy_cache .ruff_cache .hypothesis
