"""The package: every public name is there, documented with an example, and on the API page."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import maxgap

BOOK = Path(__file__).parent.parent / "book"
PAGE = "\n".join(path.read_text(encoding="utf-8") for path in sorted(BOOK.glob("api*.md")))

# Functions and classes, by module; classes with what their instances offer.
CONTRACT = {
    "maxgap": {
        "Problem": "n_arms means sigma gaps delta_max split_rank top bottom arm_gaps",
        "gap_upper_bounds": "",
        "gap_lower_bound": "",
        "GapBounds": "right left either",
        "GapLowerBound": "value split_rank",
        "Policy": "ask tell stopped certified recommend counts means lower upper gap_bounds "
        "gap_lower report save",
        "RoundRobin": "",
        "SortThenSearch": "",
        "MaxGapElim": "",
        "MaxGapUCB": "",
        "MaxGapTop2UCB": "",
        "MaxGapContrasts": "",
        "Split": "top bottom gap",
        "load": "",
        "Run": "samples stopped certified correct counts split",
        "Study": "errors counts stops samples_to_error speedup",
        "split": "",
        "TableSplit": "top bottom gap certified certain_gap rival next arms more batch plot policy "
        "estimates lines",
        "split_duels": "",
        "partition": "",
        "TablePartition": "groups gaps certified certain_gaps rival next arms more batch plot "
        "policy estimates lines",
        "MaxGapPartition": "ask tell stopped certified recommend report",
        "Partition": "groups gaps",
        "plan": "",
        "Plan": "adaptive equal",
        "Forecast": "median low high simulated",
    },
    "maxgap.problems": {
        "streetview": "",
        "two_large_gaps": "",
        "one_large_gap": "",
        "four_arms": "",
        "stopping_time_family": "",
    },
    "maxgap.confidence": {"radius": "", "guarantees": ""},
    "maxgap.simulate": {"run": "", "replicate": ""},
    "maxgap.hardness": {
        "gamma": "",
        "gamma_naive": "",
        "rho": "",
        "sample_bound": "",
        "lower_bound": "",
        "Hardness": "right left either",
        "nearest_alternative": "",
        "NearestAlternative": "distance means",
        "characteristic_time": "",
        "CharacteristicTime": "value weights low high",
    },
    "maxgap.reference": {
        "gap_upper_bounds": "",
        "gap_upper_bounds_mip": "",
        "largest_gap_noise_free": "",
        "right_gap_at": "",
    },
}
MODULES = [name for name in maxgap.__all__ if inspect.ismodule(getattr(maxgap, name))]
NAMES = sorted({(module, name) for module, names in CONTRACT.items() for name in names})


def on_page(qualified: str) -> bool:
    """Whether the page documents it: by itself, or as a member that is listed."""
    if re.search(rf"^\.\. auto(class|function):: {re.escape(qualified)}$", PAGE, re.MULTILINE):
        return True
    module, _, name = qualified.rpartition(".")
    listed = re.search(
        rf"^\.\. automodule:: {re.escape(module)}\n   :members: (.*)$", PAGE, re.MULTILINE
    )
    return listed is not None and name in listed[1].split(", ")


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_name_of_the_contract_is_documented_with_an_example(module, name):
    documented = getattr(importlib.import_module(module), name)
    assert ">>> " in inspect.getdoc(documented)
    assert on_page(f"{module}.{name}")


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_classes_offer_what_the_contract_says(module, name):
    documented = getattr(importlib.import_module(module), name)
    members = CONTRACT[module][name].split()
    owners = inspect.getmro(documented) if inspect.isclass(documented) else ()
    fields = {name for owner in owners for name in getattr(owner, "__annotations__", {})}
    for member in members:
        described = inspect.getdoc(getattr(documented, member, None)) or ""
        assert member in fields or described.strip(), member


def test_every_exported_name_is_in_the_contract_or_a_module_with_examples():
    exported = set(maxgap.__all__) - set(MODULES)
    assert exported == set(CONTRACT["maxgap"])
    for module in MODULES:
        assert f".. automodule:: maxgap.{module}\n" in PAGE
        source = inspect.getsource(getattr(maxgap, module))
        assert ">>> " in source


@pytest.mark.parametrize("module", [*MODULES, "figures", "statistics"])
def test_what_a_module_exports_is_on_the_page(module):
    exporting = importlib.import_module(f"maxgap.{module}")
    for name in exporting.__all__:
        thing = getattr(exporting, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            top = f"maxgap.{name}"
            assert on_page(f"maxgap.{module}.{name}") or (
                getattr(maxgap, name, None) is thing and on_page(top)
            ), name


def test_a_name_that_is_not_documented_is_noticed():
    assert not on_page("maxgap.problems.rounding")
    assert not on_page("maxgap.nothing")


# -- what `import maxgap` brings along -------------------------------------------------------------


def printed(code):
    """What a new process prints; it must say nothing else."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.strip()


def test_importing_maxgap_loads_no_drawing_and_no_statistics():
    heavy = ["matplotlib", "pandas", "scipy.stats", "scipy.optimize", "IPython"]
    heavy += ["maxgap.ratings", "maxgap.contrasts"]
    code = f"import sys, maxgap; print([name for name in {heavy} if name in sys.modules])"
    assert printed(code) == "[]"


def test_the_heavy_parts_are_there_once_asked_for():
    code = (
        "import sys, maxgap, maxgap.figures\n"
        "maxgap.RoundRobin(2).report()\n"
        "print([name in sys.modules for name in ('matplotlib', 'pandas')])\n"
    )
    assert printed(code) == "[True, True]"


def test_the_wing_of_ratings_comes_with_its_first_name():
    code = "import sys, maxgap; maxgap.split; print('maxgap.ratings' in sys.modules, dir(maxgap))"
    assert printed(code).startswith("True")
    assert "'split_duels'" in printed(code)
    lost = "import maxgap; print(getattr(maxgap, 'spilt', 'nothing of that name'))"
    assert printed(lost) == "nothing of that name"


def test_every_public_name_is_there():
    import maxgap

    assert sorted(maxgap.__all__) == maxgap.__all__
    for name in maxgap.__all__:
        assert hasattr(maxgap, name)
