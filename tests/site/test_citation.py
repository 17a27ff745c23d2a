"""One version, one title, one author everywhere that the work is described."""

import json
import re
from pathlib import Path

import yaml

import maxgap

ROOT = Path(__file__).parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
ZENODO = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_description_names_the_version_of_the_package():
    # What has landed since stands above it, under "Unreleased".
    newest = re.search(r"^## (\d\S*)", CHANGELOG, re.MULTILINE)[1]
    assert {str(CITATION["version"]), ZENODO["version"], newest} == {maxgap.__version__}


def test_both_records_describe_the_same_work():
    assert ZENODO["title"] == CITATION["title"]
    assert ZENODO["license"] == CITATION["license"]
    assert ZENODO["keywords"] == CITATION["keywords"]
    assert [c["name"] for c in ZENODO["creators"]] == [a["name"] for a in CITATION["authors"]]


def test_the_paper_is_the_reference_of_both():
    (paper,) = CITATION["references"]
    (related,) = ZENODO["related_identifiers"]
    assert related["identifier"] == paper["identifiers"][0]["value"] == "arXiv:1906.00547"
    assert [a["family-names"] for a in paper["authors"]] == ["Katariya", "Tripathy", "Nowak"]


def test_the_citation_file_has_what_its_format_requires():
    assert CITATION["cff-version"] == "1.2.0"
    for field in ("message", "title", "authors"):
        assert CITATION[field]
    # Dates and identifiers are filled in at a release, never invented before.
    assert not {"doi", "date-released"} & CITATION.keys() or "unreleased" not in CHANGELOG
