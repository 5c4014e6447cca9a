# What people type. `make` alone prints this list; everything needs Python 3.11 or newer and make, nothing else.
.DEFAULT_GOAL := help
.PHONY: help run test lint format pin openapi states bench bench-names mutants mppx image sbom audit clean

PYTHON ?=
VENV ?= .venv
HOST ?= 127.0.0.1
PORT ?= 8000
PYTEST_ARGS ?=
MUTANTS_ARGS ?=
BENCH_ARGS ?=
ENGINE ?=
IMAGE ?= sos-lookup:$(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
IMAGE_ARGS ?=
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Two thirds of what is installed are never imported: each module is compiled when it first is, and kept then
unexport PYTHONDONTWRITEBYTECODE
INSTALL = -m pip install -qq --no-compile

RUN_LIST := config/requirements/run.txt
REPORTING_LIST := config/requirements/reporting.txt
S3_LIST := config/requirements/s3.txt
TEST_LIST := config/requirements/test.txt
NAMES_LIST := config/requirements/names.txt
PINNING := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
	--custom-compile-command 'make pin'

# The first Python that is new enough, or nothing; a name given as PYTHON=... is the only one asked.
CANDIDATES = $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python)
FOUND = $(shell for p in $(CANDIDATES); do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
OFFERED = $(shell for p in $(CANDIDATES); do "$$p" -V 2>/dev/null && break; done)
NO_PYTHON = $(error Python 3.11 or newer is needed, with its venv module; found: $(or $(OFFERED),none). \
	Name another one with PYTHON=/path/to/python3)
NO_FOLDER = $(error $(dir $(abspath $(VENV))) cannot be written: run from a folder of your own, \
	or name another place with VENV=/path and VAR_DIR=/path)

help:  ## print this list
	@echo "SOS Lookup: what does the state's own registry say about this company, right now?"
	@echo
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "Variables: PORT=$(PORT) HOST=$(HOST) (make run); PYTEST_ARGS='-k name' (make test);"
	@echo "           PYTHON=/path/to/python3 and VENV=$(VENV) (where packages are installed)."

run: installed-run  ## start the whole service here: web, worker and clock (PORT, HOST); Ctrl-C stops it
	@$(VENV)/bin/python manage.py up --host $(HOST) --port $(PORT)

test: installed-test installed-node  ## run the suite on SQLite, then on PostgreSQL + Redis
	@$(VENV)/bin/python -m tests.engines $(PYTEST_ARGS)

lint: export SOS_TEST_VAR := $(abspath $(VENV))/lint-var
lint: installed-test  ## ruff (rules and format) and mypy
	@failed=0; \
	for check in "ruff check ." "ruff format --check ." mypy; do echo "$$check"; $(VENV)/bin/$$check || failed=1; done; \
	exit $$failed

format: installed-test  ## let ruff put the code into shape
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

openapi: installed-test  ## write the OpenAPI document again from the code
	$(VENV)/bin/python manage.py openapi --write

states: installed-test  ## write docs/states.md again from the code
	$(VENV)/bin/python manage.py states_page

bench: installed-test  ## measure rates, charges, bulk and the rest on throw-away servers (BENCH_ARGS="rates charge_rate")
	$(VENV)/bin/python -m tests.bench $(BENCH_ARGS)

bench-names: installed-test installed-names  ## measure matching beside libraries, and on a real registry beside the project
	$(VENV)/bin/python -m tests.bench.matching
	$(VENV)/bin/python -m tests.bench.names $(BENCH_ARGS)

mutants: installed-test  ## change the code in small ways and see which ones no test notices (MUTANTS_ARGS='--sample 60')
	@$(VENV)/bin/python -m tests.mutants $(MUTANTS_ARGS)

mppx: installed-run  ## let a payment client from npm validate and pay the service (needs node 20; optional)
	$(VENV)/bin/python -m tests.clients.mppx

# The image's own health check is lost in the newer of the two formats, which podman and buildah would choose
image: export BUILDAH_FORMAT := docker
image:  ## build the container image with docker, podman or buildah (ENGINE, IMAGE, IMAGE_ARGS)
	@engine="$(ENGINE)"; for one in docker podman buildah; do \
		[ -n "$$engine" ] || ! $$one info >/dev/null 2>&1 || engine=$$one; done; \
	[ -n "$$engine" ] || { echo "No container engine answers here: install docker, podman or buildah," \
		"or start its service. Without one: make run." >&2; exit 1; }; \
	echo "Building $(IMAGE) with $${engine%% *}"; $$engine build $(IMAGE_ARGS) --tag $(IMAGE) .

pin: $(VENV)/bin/python  ## resolve pyproject.toml's ranges into the hashed lists (UPGRADE=1 takes newer versions)
	$(VENV)/bin/python $(INSTALL) 'uv>=0.9'
	$(VENV)/bin/$(PINNING) $(if $(UPGRADE),--upgrade) pyproject.toml --output-file $(RUN_LIST)
	$(VENV)/bin/$(PINNING) $(if $(UPGRADE),--upgrade) pyproject.toml --extra reporting \
		--constraint $(RUN_LIST) --output-file $(REPORTING_LIST)
	$(VENV)/bin/$(PINNING) $(if $(UPGRADE),--upgrade) pyproject.toml --extra s3 \
		--constraint $(REPORTING_LIST) --output-file $(S3_LIST)
	$(VENV)/bin/$(PINNING) $(if $(UPGRADE),--upgrade) pyproject.toml --extra reporting --extra s3 --group test --group lint \
		--constraint $(REPORTING_LIST) --constraint $(S3_LIST) --output-file $(TEST_LIST)
	$(VENV)/bin/$(PINNING) $(if $(UPGRADE),--upgrade) --group names --constraint $(TEST_LIST) --output-file $(NAMES_LIST)

sbom: installed-inventory  ## write what the service runs on to var/sbom.json (CycloneDX), with licenses to var/licenses.md
	@mkdir -p var && $(INVENTORY)/tools/bin/cyclonedx-py environment $(INVENTORY)/run/bin/python --pyproject pyproject.toml \
		--output-reproducible --output-format JSON --output-file var/sbom.json
	@$(INVENTORY)/tools/bin/pip-licenses --python=$(INVENTORY)/run/bin/python --format=markdown --with-urls \
		--ignore-packages pip setuptools --output-file=var/licenses.md

audit: installed-audit  ## ask the package index whether a version that the service runs on has a known weakness
	@log=$(VENV)/audit/log; $(VENV)/audit/bin/pip-audit --requirement $(RUN_LIST) --require-hashes --disable-pip \
		--progress-spinner off --timeout 30 >$$log 2>&1; code=$$?; \
	if [ $$code -ne 0 ] && grep -q 'known vulnerabilit' $$log; then cat $$log; exit 1; fi; \
	if [ $$code -ne 0 ] || grep -q 'could not be audited' $$log; then tail -3 $$log; \
		echo "NOT AUDITED: no index that knows of weaknesses answers for every package."; \
		exit $(if $(WHERE_ANSWERED),0,1); fi; cat $$log

clean:  ## remove the virtualenv, caches and the local data under var/
	rm -rf .venv var .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The list that was installed last is kept inside the virtualenv, so a second run only compares two files. A list is whole,
# so nothing is looked for beside it (--no-deps): pip asks for the newest coverage[toml] though coverage is pinned.
.PHONY: installed-run installed-test installed-node
installed-run installed-test: installed-%: $(VENV)/bin/python
	@cmp -s config/requirements/$*.txt $(VENV)/installed-$*.txt || { \
		echo "Installing what config/requirements/$*.txt names into $(VENV) (once)"; \
		$(VENV)/bin/python $(INSTALL) --no-deps --require-hashes --requirement config/requirements/$*.txt \
		&& cp config/requirements/run.txt $(VENV)/installed-run.txt \
		&& cp config/requirements/$*.txt $(VENV)/installed-$*.txt; }

# The run list alone in an environment of its own, and beside it the tools that read it, which are in no list of ours.
.PHONY: installed-inventory
INVENTORY = $(VENV)/inventory
installed-inventory: $(VENV)/bin/python
	@cmp -s $(RUN_LIST) $(INVENTORY)/installed.txt || { \
		echo "Installing what $(RUN_LIST) names, and the tools that read it, into $(INVENTORY) (once)"; \
		rm -rf $(INVENTORY) && $(VENV)/bin/python -m venv $(INVENTORY)/run && $(VENV)/bin/python -m venv $(INVENTORY)/tools \
		&& $(INVENTORY)/run/bin/python $(INSTALL) --no-deps --require-hashes --requirement $(RUN_LIST) \
		&& $(INVENTORY)/tools/bin/python $(INSTALL) 'cyclonedx-bom>=7,<8' 'pip-licenses>=5,<6' \
		&& cp $(RUN_LIST) $(INVENTORY)/installed.txt; }

.PHONY: installed-audit
installed-audit: $(VENV)/bin/python
	@test -x $(VENV)/audit/bin/pip-audit || { \
		$(VENV)/bin/python -m venv $(VENV)/audit && $(VENV)/audit/bin/python $(INSTALL) 'pip-audit>=2.7,<3'; }

# Libraries beside our matching that are compiled where they are installed: on a machine without a compiler the suite runs.
.PHONY: installed-names
installed-names: installed-test
	@cmp -s $(NAMES_LIST) $(VENV)/installed-names.txt || { \
		$(VENV)/bin/python $(INSTALL) --no-deps --require-hashes --requirement $(NAMES_LIST) \
		&& cp $(NAMES_LIST) $(VENV)/installed-names.txt; }

# What some tests want from npm. They are left out where it is not there, or where it reaches nobody: never a reason to
# stop. No lock file: one names the host it was made with.
installed-node: NODE_LIST := tests/clients/node/package.json
installed-node: $(VENV)/bin/python
	@if command -v npm >/dev/null && ! cmp -s $(NODE_LIST) $(VENV)/node/installed.json; then \
		echo "Installing what $(NODE_LIST) names into $(VENV)/node (once)"; \
		mkdir -p $(VENV)/node && cp $(NODE_LIST) $(VENV)/node/package.json && (cd $(VENV)/node && npm install \
			--no-package-lock --ignore-scripts --no-audit --no-fund --silent --fetch-retries=0 --fetch-timeout=30000) \
		&& cp $(NODE_LIST) $(VENV)/node/installed.json \
		|| echo "npm could not install them: the tests that need them are skipped"; fi

$(VENV)/bin/python:
	@$(if $(FOUND),,$(NO_PYTHON))$(if $(shell mkdir -p $(VENV) 2>/dev/null && test -w $(VENV) && echo yes),,$(NO_FOLDER))
	@$(FOUND) -m venv $(VENV) && rm -f $(VENV)/installed-*.txt
