# make run, test, quick, fuzz, mutants, check, clean. Each installs what it needs in .venv, once.
PORT ?= 8501
ADDRESS ?= localhost
ALLOW_HOST ?= $(TESSERA_ALLOW_HOST)
MODELS ?= $(TESSERA_MODELS)
MINUTES ?= 60
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# Chromium from Playwright goes beside the packages, so that an empty HOME works and `make clean` removes it.
export PLAYWRIGHT_BROWSERS_PATH ?= $(CURDIR)/$(VENV)/browsers
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Deno keeps what it has checked beside the packages too, and asks no other machine for a newer one of itself.
export DENO_DIR ?= $(CURDIR)/$(VENV)/deno
export DENO_NO_UPDATE_CHECK := 1
# Compiled modules are kept: the tests start some forty Pythons. `make clean` removes them.
export PYTHONDONTWRITEBYTECODE :=
# NumPy's threads for algebra, of which there is hardly any here, wait for work while a Python starts.
export OPENBLAS_NUM_THREADS ?= 1

# Two processes on two cores; a third one makes it no quicker.
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.DELETE_ON_ERROR:
.PHONY: help run test quick fuzz mutants check format lock audit clean

help:
	@echo "make run [PORT=8501] [ADDRESS=localhost] [ALLOW_HOST=name] [MODELS=dir]   start the app"
	@echo "make test [ARGS='-k api']                                    run the tests, with a real browser"
	@echo "make quick                                                   run the tests that need no browser and no model"
	@echo "make fuzz [MINUTES=60]                                       try new random cases"
	@echo "make mutants [ARGS=playground/shell]                         change a line at a time, and list what no test sees"
	@echo "make check                                                   format, lint, types and tests"
	@echo "make format                                                  format the code"
	@echo "make lock                                                    pin all packages with hashes, after a change of requirements"
	@echo "make audit                                                   known vulnerabilities of the packages, and sbom.json"
	@echo "make clean                                                   remove .venv and caches"

run: $(VENV)/.app-ready
	@echo "Tessera: http://$(ADDRESS):$(PORT)"
	@headless=true; \
	if [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ] || [ "$$(uname)" = Darwin ]; then headless=false; fi; \
	TESSERA_ALLOW_HOST="$(ALLOW_HOST)" TESSERA_MODELS="$(MODELS)" exec $(BIN)/python -m streamlit run streamlit_app.py \
		--server.port "$(PORT)" --server.address "$(ADDRESS)" --server.headless $$headless

test: $(VENV)/.chromium-ready
	@rm -rf test-results
	@$(PYTEST) $(ARGS)

quick: $(VENV)/.checks-ready
	@$(PYTEST) -m "not e2e and not model" $(ARGS)

# A finding becomes an `@example` of a test.
fuzz: $(VENV)/.checks-ready
	@$(PYTEST) -m hypothesis --hypothesis-profile=new $(ARGS)
	@$(BIN)/python -m benchmarks.fuzz --minutes $(MINUTES)

mutants: $(VENV)/.checks-ready
	@$(BIN)/python -m scripts.mutants $(ARGS)

check: $(VENV)/.chromium-ready
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/oxlint --quiet --deny-warnings playground/web
	@$(BIN)/deno check --quiet playground/web
	@$(PYTEST) $(ARGS)

format: $(VENV)/.checks-ready
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

COMPILE = $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-annotate \
	--custom-compile-command "make lock" $(LOCK_ARGS)
# LOCK_ARGS=--upgrade takes newer versions of what requirements.txt leaves open.
lock: $(VENV)/.checks-ready
	@$(COMPILE) requirements.txt --output-file requirements.lock
	@$(COMPILE) requirements-dev.txt --constraints requirements.lock --output-file requirements-dev.lock

# Strict: a package that could not be looked up is a failure.
audit: $(VENV)/.checks-ready
	@$(BIN)/pip-audit --strict --disable-pip --require-hashes -r requirements.lock --format cyclonedx-json --output sbom.json

clean:
	@if [ -L $(VENV) ]; then rm $(VENV); else rm -rf $(VENV); fi
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is made anew when its lock file is newer.
$(VENV)/.app-ready: requirements.lock scripts/make_venv.sh
	@PYTHON="$(PYTHON)" sh scripts/make_venv.sh $(VENV)
	@echo "Installing requirements.lock"
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.checks-ready: requirements-dev.lock $(VENV)/.app-ready
	@echo "Installing requirements-dev.lock"
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.chromium-ready: tests/browser.py $(VENV)/.checks-ready
	@$(BIN)/python tests/browser.py
	@touch $@
