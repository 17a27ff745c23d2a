# `make book` and `make test` do everything. They need Python 3.11 to 3.14 and make; the packages are
# downloaded once, into .venv. `make INSTALLER=pip book` keeps to pip where uv is there, too;
# `make PYTHON=python3.12 book` chooses the Python of a new .venv.

PYTHON ?=
INSTALLER ?= $(shell command -v uv >/dev/null 2>&1 && echo uv || echo pip)
PY := .venv/bin/python
# `make UNPINNED=1 ...` takes the newest packages that the ranges in pyproject.toml admit.
UNPINNED ?=
comma := ,
PACKAGES = $(if $(UNPINNED),".[book$(comma)test]",-r requirements.txt)
# The chapters in their order: the verdict page comes last, it reads what the others offer.
NOTEBOOKS = $(wildcard $(addsuffix .ipynb,$(shell sed -n 's/^ *- file: *//p' _toc.yml)))
READY := .venv/ready
# Debian's packages that set the book on paper.
TEX := texlive-xetex texlive-latex-extra texlive-fonts-recommended latexmk fonts-freefont-otf fonts-dejavu-core librsvg2-bin

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help book test test-package test-notebooks processors mutants browser refresh preview pdf lab bench dist lint lock clean

help:
	@echo "make book        execute every chapter and render the book to _build/html"
	@echo "make test        unit, property, statistical and documentation tests, and every stored output"
	@echo "make processors  every stored output on this processor, and on it as a plain x86-64"
	@echo "make mutants     would the tests notice? breaks the package place by place (N=300: a sample)"
	@echo "make browser     the built book in headless Chromium: links, formulas, accessibility, search"
	@echo "make refresh     execute the notebooks in place (NOTEBOOKS=book/08-streetview.ipynb for one)"
	@echo "make preview     render the stored outputs, executing nothing, to _build/preview"
	@echo "make lab         open the chapters in JupyterLab"
	@echo "make bench       speed, as ratios measured in one process"
	@echo "make pdf         the book as one PDF (needs TeX; says which packages)"
	@echo "make dist        wheel and sdist, in _build/dist, tested in an empty environment"
	@echo "make lint        ruff and mypy"
	@echo "make lock        pin requirements.txt anew from the ranges in pyproject.toml"
	@echo "make clean       remove what the build made; .venv too with 'make clean ALL=1'"

# The stamp is written last: after a failure the next run installs again.
$(READY): requirements.txt pyproject.toml book/pyproject.toml
	@set -eu; \
	fits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'; \
	if [ "$(INSTALLER)" = uv ]; then \
	  pip="uv pip"; into="--python $(PY)"; works="$$fits"; \
	else \
	  pip="$(PY) -m pip --disable-pip-version-check"; into=; works="import pip; $$fits"; \
	fi; \
	if ! $(PY) -c "$$works" >/dev/null 2>&1; then \
	  python=; \
	  for name in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python); do \
	    if "$$name" -c "$$fits" >/dev/null 2>&1; then python=$$name; break; fi; \
	  done; \
	  if [ -z "$$python" ]; then \
	    echo "error: Python 3.11 to 3.14 is needed; tried $(or $(PYTHON),python3 and python3.11 to python3.14)" >&2; \
	    exit 1; \
	  fi; \
	  echo "Making .venv with $$("$$python" --version)"; \
	  rm -rf .venv; \
	  if [ "$(INSTALLER)" = uv ]; then \
	    uv venv --quiet --python "$$("$$python" -c 'import sys; print(sys.executable)')" .venv; \
	  elif ! "$$python" -m venv .venv >/dev/null 2>&1; then \
	    echo "error: '$$python -m venv' failed; Debian and Ubuntu have it in the package python3-venv" >&2; \
	    exit 1; \
	  fi; \
	fi; \
	echo "Installing the packages with $(INSTALLER)"; \
	if ! { $$pip install $$into --quiet $(PACKAGES) && \
	       $$pip install $$into --quiet --no-deps --no-build-isolation -e . -e ./book; } >.venv/install.log 2>&1; then \
	  echo "error: the packages could not be installed; is there a network? Details: .venv/install.log" >&2; \
	  exit 1; \
	fi; \
	mkdir -p .venv/etc/ipython; \
	: "kernels warn that their local sockets are not encrypted"; \
	echo 'c.IPKernelApp.log_level = "ERROR"' > .venv/etc/ipython/ipython_kernel_config.py; \
	touch $@

book: $(READY)
	@: "what 'make pdf' made is kept: the pages offer it"
	@test ! -d _build || find _build -mindepth 1 -maxdepth 1 -not -name pdf -exec rm -rf {} +
	@.venv/bin/jupyter-book build . -W -n --keep-going
	@echo "The book is ready: open _build/html/index.html"

test: test-package test-notebooks

test-package: $(READY)
	@$(PY) -m pytest -q -n auto --dist loadscope -m "not browser" tests
	@$(PY) -m pytest -q --doctest-modules maxgap book/maxgap_book

# Every cell is executed again, and what it printed must be what is stored.
test-notebooks: $(READY)
	@$(PY) -m pytest -q --nbval --nbval-current-env -p tests.stored_outputs $(NOTEBOOKS)

# The same, and once more with the instructions that every x86-64 has: what is stored must not
# depend on the processor.
processors: $(READY)
	@$(PY) tests/processors.py $(NOTEBOOKS)

# No part of `make test`: every place takes some five hours on two cores, N=300 half
# an hour.
mutants: $(READY)
	@$(PY) tests/mutants.py -n $(or $(N),0)

# Needs `make book` first, and an installed Chromium; without one of them the tests are skipped.
browser: $(READY)
	@$(PY) -m pytest -q -n auto -m browser tests

refresh: $(READY)
	@$(PY) book/_ext/refresh.py $(NOTEBOOKS)

preview: $(READY)
	@mkdir -p _build/preview
	@sed 's/execute_notebooks: force/execute_notebooks: off/' _config.yml > _build/preview/config.yml
	@PYTHONPATH=book/_ext .venv/bin/jupyter-book build . -q --config _build/preview/config.yml --path-output _build/preview
	@echo "Open _build/preview/_build/html/index.html"

# From the stored outputs, which `make test` compares: nothing is executed.
pdf: $(READY)
	@for tool in xelatex latexmk rsvg-convert; do command -v $$tool >/dev/null 2>&1 || { \
	  echo "error: 'make pdf' needs $$tool; on Debian and Ubuntu install $(TEX)" >&2; exit 1; }; done
	@rm -rf _build/pdf && mkdir -p _build/pdf
	@sed 's/execute_notebooks: force/execute_notebooks: off/' _config.yml > _build/pdf/config.yml
	@PYTHONPATH=book/_ext .venv/bin/jupyter-book build . -q --builder latex --config _build/pdf/config.yml --path-output _build/pdf
	@latexmk -cd -xelatex -interaction=nonstopmode -halt-on-error -quiet _build/pdf/_build/latex/maxgap.tex >_build/pdf/latexmk.log 2>&1 || { \
	  echo "error: the book could not be set. Details: _build/pdf/_build/latex/maxgap.log" >&2; exit 1; }
	@$(PY) book/_ext/typeset.py _build/pdf/_build/latex/maxgap.log
	@mv _build/pdf/_build/latex/maxgap.pdf _build/pdf/maxgap.pdf
	@echo "The PDF is ready: _build/pdf/maxgap.pdf; 'make book' will offer it"

lab: $(READY)
	@$(PY) -c "import jupyterlab" 2>/dev/null || { \
	  if [ "$(INSTALLER)" = uv ]; then pip="uv pip install --python $(PY)"; else pip="$(PY) -m pip install"; fi; \
	  $$pip --quiet -c requirements.txt "jupyterlab>=4.2,<5"; }
	@$(PY) -m jupyterlab book

bench: $(READY)
	@$(PY) benchmarks/bench.py

# What would be published, and the tests of the package on it, away from the checkout.
dist: $(READY)
	@rm -rf _build/dist
	@$(PY) -m build --no-isolation --outdir _build/dist . >/dev/null
	@$(PY) tests/from_wheel.py _build/dist

lint: $(READY)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

# For every system and Python at once, which pip cannot do: by uv, installed for this if need be.
lock:
	@set -eu; \
	uv=uv; \
	if ! command -v uv >/dev/null 2>&1; then \
	  [ -x _build/uv/bin/python ] || $(or $(PYTHON),python3) -m venv _build/uv; \
	  _build/uv/bin/python -m pip --disable-pip-version-check install --quiet 'uv>=0.5'; \
	  uv=_build/uv/bin/uv; \
	fi; \
	{ sed '/^$$/q' requirements.txt; \
	  $$uv pip compile --quiet --universal --fork-strategy fewest --upgrade --python-version 3.11 \
	    --extra book --extra test --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	    pyproject.toml; } > requirements.new; \
	mv requirements.new requirements.txt

clean:
	@rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
	@$(if $(ALL),rm -rf .venv maxgap.egg-info book/maxgap_book.egg-info)
