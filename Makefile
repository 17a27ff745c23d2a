# `make book` and `make test` do everything. They need Python 3.11 to 3.14 and make; the packages are
# downloaded once, into .venv. `make PYTHON=python3.12 book` chooses the Python of a new .venv.
PYTHON ?= python3
PY := .venv/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
# `make UNPINNED=1 ...` takes the newest packages that the ranges in pyproject.toml admit.
PACKAGES = $(if $(UNPINNED),'.[book]' '.[test]',-r requirements.txt)
# The chapters in their order, but for the verdict page, which reads what the others offer.
NOTEBOOKS = $(filter-out book/verdicts.ipynb,$(wildcard $(addsuffix .ipynb,$(shell sed -n 's/^ *- file: *//p' _toc.yml)))) book/verdicts.ipynb
READY := .venv/ready
# The stored outputs, executing nothing.
RENDER = mkdir -p _build && sed 's/execute_notebooks: force/execute_notebooks: off/' _config.yml > _build/stored.yml && \
  PYTHONPATH=book/_ext .venv/bin/jupyter-book build . --config _build/stored.yml
# Debian's packages that set the book on paper.
TEX := texlive-xetex texlive-latex-extra texlive-fonts-recommended latexmk fonts-freefont-otf fonts-dejavu-core librsvg2-bin

.DEFAULT_GOAL := help
.PHONY: help book test test-package test-notebooks processors mutants browser refresh pdf lab bench dist lint lock clean

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

# The stamp is written last: after a failure the next run installs again. Of local sockets no kernel needs to warn.
$(READY): requirements.txt pyproject.toml book/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' || \
	  { echo "error: Python 3.11 to 3.14 is needed, for example: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv .venv
	@$(PIP) $(PACKAGES)
	@$(PIP) --no-deps --no-build-isolation -e . -e ./book
	@mkdir -p .venv/etc/ipython && echo 'c.IPKernelApp.log_level = "ERROR"' > .venv/etc/ipython/ipython_kernel_config.py
	@touch $@

# Chapters sample long: what they need is compiled at once, not after some time in plain Python.
book test-notebooks processors refresh bench: export MAXGAP_PATIENCE = 0

# What 'make pdf' made is kept: the pages offer it. STORED=1 renders the stored outputs, executing nothing.
book: $(READY) ## execute every chapter and render the book to _build/html
	@test ! -d _build || find _build -mindepth 1 -maxdepth 1 -not -name pdf -exec rm -rf {} +
	@$(if $(STORED),$(RENDER),.venv/bin/jupyter-book build .) -W -n --keep-going
	@echo "The book is ready: open _build/html/index.html"

test: test-package test-notebooks ## unit, property, statistical and documentation tests, and every stored output
test-package: $(READY)
	@$(PY) -m pytest -q -n auto --dist loadscope -m "not browser" tests
	@$(PY) -m pytest -q --doctest-modules maxgap book/maxgap_book
test-notebooks: $(READY)
	@$(PY) -m pytest -q -n auto --dist loadfile --nbval --nbval-current-env -p tests.stored_outputs $(NOTEBOOKS)

# The same, and once more with the instructions that every x86-64 has.
processors: $(READY) ## every stored output on this processor, and on it as a plain x86-64
	@$(PY) tests/processors.py $(NOTEBOOKS)

# No part of `make test`: every place takes some five hours on two cores, N=300 half an hour.
mutants: $(READY) ## would the tests notice? breaks the package place by place (N=300: a sample)
	@$(PY) tests/mutants.py -n $(or $(N),0)

# Needs `make book` first, and Chromium; without one of them the tests are skipped.
browser: $(READY) ## the built book in headless Chromium: links, formulas, accessibility, search
	@$(PY) -m pytest -q -n auto -m browser tests

refresh: $(READY) ## execute the notebooks in place (NOTEBOOKS=book/streetview.ipynb for one)
	@$(PY) book/_ext/refresh.py $(NOTEBOOKS)

pdf: $(READY) ## the book as one PDF (needs TeX; says which packages)
	@for tool in xelatex latexmk rsvg-convert; do command -v $$tool >/dev/null 2>&1 || { \
	  echo "error: 'make pdf' needs $$tool; on Debian and Ubuntu install $(TEX)" >&2; exit 1; }; done
	@rm -rf _build/pdf && $(RENDER) -q --builder latex --path-output _build/pdf
	@cd _build/pdf && latexmk -cd -xelatex -interaction=nonstopmode -halt-on-error -quiet _build/latex/maxgap.tex
	@$(PY) book/_ext/typeset.py _build/pdf/_build/latex/maxgap.log
	@mv _build/pdf/_build/latex/maxgap.pdf _build/pdf/maxgap.pdf
	@echo "The PDF is ready: _build/pdf/maxgap.pdf; 'make book' will offer it"

lab: $(READY) ## open the chapters in JupyterLab
	@$(PIP) -c requirements.txt "jupyterlab>=4.2,<5" && $(PY) -m jupyterlab book

bench: $(READY) ## speed, as ratios measured in one process
	@$(PY) benchmarks/bench.py

# What would be published, and the tests of the package on it, away from the checkout.
dist: $(READY) ## wheel and sdist, in _build/dist, tested in an empty environment
	@rm -rf _build/dist && $(PY) -m build --no-isolation --outdir _build/dist . >/dev/null
	@$(PY) tests/from_wheel.py _build/dist

lint: $(READY) ## ruff and mypy
	@$(PY) -m ruff check . && $(PY) -m ruff format --check . && $(PY) -m mypy

lock: ## pin requirements.txt anew from the ranges in pyproject.toml (needs uv)
	@{ sed '/^$$/q' requirements.txt; uv pip compile --quiet --universal --fork-strategy fewest --upgrade \
	  --python-version 3.11 --extra book --extra test --no-header --no-annotate --no-emit-index-url \
	  --no-emit-find-links pyproject.toml; } > requirements.new && mv requirements.new requirements.txt

clean: ## remove what the build made; .venv too with 'make clean ALL=1'
	@rm -rf _build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
	@$(if $(ALL),rm -rf .venv maxgap.egg-info book/maxgap_book.egg-info)
