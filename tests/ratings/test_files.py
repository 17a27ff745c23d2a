"""Files of every kind, read in pieces; what is wrong with one is said with line and column."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rating_tables import COMMAND, PLAIN, arms_of, ratings, run, small_tables

import maxgap
from maxgap.ratings import cli

STARS = ["--bounds", "1", "5"]
pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.csv", PLAIN.encode()),
        ("r.csv", b"\xef\xbb\xbf" + PLAIN.encode()),
        ("r.csv", PLAIN.replace("\n", "\r\n").encode()),
        ("r.csv", PLAIN.rstrip().encode()),
        ("r.csv", PLAIN.replace("\n", "\n\n").encode() + b"\n  \n"),
        ("r.tsv", PLAIN.replace(",", "\t").encode()),
        ("r.csv", PLAIN.replace(",", ";").encode()),
        ("r.txt", PLAIN.replace(",", "\t").encode()),
        ("r.csv.gz", gzip.compress(PLAIN.encode())),
        ("r.csv", PLAIN.replace("5\n", '"5"\n').encode()),
        ("R.TSV", PLAIN.replace(",", "\t").replace("stars", "stars, of 5, 4, 3, 2, 1").encode()),
        ("R.Tab", PLAIN.replace(",", "\t").replace("stars", "a, b, c").encode()),
        ("R.TSV.GZ", gzip.compress(PLAIN.replace(",", "\t").replace("stars", "a, b").encode())),
        ("r.csv", b"sep=;\r\n" + PLAIN.replace(",", ";").encode()),
        ("r.csv", b'\xef\xbb\xbf"sep=|"\n' + PLAIN.replace(",", "|").encode()),
        ("r.csv", b"SEP=\t\n" + PLAIN.replace(",", "\t").replace("stars", "a, b, c").encode()),
        ("r.csv", PLAIN.replace("item,stars", '"item", "stars"').encode()),
        ("r.csv", PLAIN.replace(",", " , ").encode()),
        ("r.csv", PLAIN.replace("NA", '" NA\u00a0"').encode()),
    ],
    ids=["plain", "mark", "crlf", "no end", "blank lines", "tsv", "semicolon", "tab", "gz",
         "quoted", "TSV", "Tab", "TSV.GZ", "sep", "quoted sep", "sep tab", "blank before a mark",
         "blanks", "quoted blanks"],
)  # fmt: skip
def test_text_of_every_kind_is_read_and_names_stay_as_they_are(called, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    status, out, err = called("split", tmp_path / name, *STARS, "--json")
    assert (status, err) == (0, "")
    assert arms_of(out) == {"01": 2, "1": 2, "NA": 2}


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=2,
                max_size=5, unique=True))  # fmt: skip
def test_any_name_that_csv_can_hold_comes_back(names):
    path = Path(os.environ["PYTEST_FOLDER"]) / "names.csv"
    names = [f"{name}\n{name}" if len(name) > 3 else name for name in names]
    stripped = {name.strip() for name in names}
    assume(len(stripped) == len(names) and "" not in stripped)
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(["item", "stars"])
        writer.writerows([name, k] for k, name in enumerate(names))
    printed = io.StringIO()
    before, sys.stdout = sys.stdout, printed
    try:
        status = cli.main(["next", str(path), "--bounds", "0", "9", "--json", "--batch", "5"])
    finally:
        sys.stdout = before
    assert status == 0
    assert {row["arm"] for row in json.loads(printed.getvalue())["next"]} == stripped


def test_parquet_is_read_with_labels_as_they_are(called, tmp_path):
    pytest.importorskip("pyarrow")
    table = ratings(1)
    table["item"] = table["item"].str[-1].astype(int)
    table.to_parquet(tmp_path / "r.parquet")
    options = ["--arm", "item", "--reward", "stars", *STARS, "--json"]
    status, out, _ = called("split", tmp_path / "r.parquet", *options)
    assert status == 0
    assert set(json.loads(out)["top"]) == {0, 1}
    table.loc[77, "stars"] = 9
    table.to_parquet(tmp_path / "bad.parquet")
    status, _, err = called("split", tmp_path / "bad.parquet", *options)
    assert status == 3
    assert err.endswith("/bad.parquet, row 78, column 'stars': 9 is outside the bounds 1 to 5\n")
    (tmp_path / "no.parquet").write_bytes(b"PAR1 it is not")
    status, _, err = called("split", tmp_path / "no.parquet", *options)
    assert status == 3
    assert "is not a readable Parquet file" in err
    assert called("split", tmp_path / "none.parquet", *options)[0] == 3


def test_parquet_without_its_package_says_what_to_install(called, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, out, err = called("split", tmp_path / "r.parquet", *STARS)
    assert (status, out) == (3, "")
    assert "pip install 'maxgap[parquet]'" in err


GOOD = "item,stars\na,5\nb,1\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (GOOD + "a,6\n", "line 4, column 'stars': 6 is outside the bounds 1 to 5"),
        (GOOD + "\n   \na,6\n", "line 6, column 'stars': 6 is outside"),
        (GOOD + '"a\n\nb",4\nb,0\n', "line 7, column 'stars': 0 is outside"),
        (GOOD + "a,\n", "line 4, column 'stars': is missing"),
        (GOOD + "a\n", "line 4, column 'stars': is missing"),
        (GOOD + ",4\n", "line 4, column 'item': is missing"),
        (GOOD + "a,four\n", "line 4, column 'stars': 'four' is not a number"),
        (GOOD + "a,nan\n", "line 4, column 'stars': 'nan' is not a number"),
        (GOOD + "a,inf\n", "line 4, column 'stars': inf is not a finite number"),
        (GOOD + "a,4,7\n", "line 4: more fields than the 2 columns"),
        ("item,stars\na,5,1\nb,4,1\n", "line 2: more fields than the 2 columns"),
        ("item,stars\na,5,\nb,4,\n", "line 2: more fields than the 2 columns"),
        (GOOD + '"a,4\n', "a quotation mark is opened and never closed"),
        ("item,stars\n", "there are no rows below the names of the columns"),
        ("item,stars\n\n\n", "there are no rows below"),
        ("", "is empty"),
        ("\nitem,stars\na,5\n", "is empty, or its first line is"),
        ("item,stars\na,5\na,4\n", "two arms or more are needed, the table has only 'a'"),
        ("item,stars,day\na,5,1\n", "say which column is meant by --arm: 'item', 'stars', 'day'"),
        ("item\na\n", "say which column is meant by --arm: 'item'"),
        ("tea,5\nmud,1\n", "its first line must name the columns, but has 'tea' and '5'; say by"),
        ("1,tea\n5,mud\n", "its first line must name the columns, but has '1' and 'tea'"),
        ("sep=;\nitem;stars\na;5\n\nb;9\n", "line 5, column 'stars': 9 is outside"),
        ("sep=;\nitem;stars\na;5;5\nb;9\n", "line 3: more fields than the 2 columns"),
        ("sep=;\n", "is empty"),
        (GOOD + '"  ",4\n', "line 4, column 'item': is missing"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_with_line_and_column(called, tmp_path, content, why):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    status, out, err = called("split", path, *STARS)
    assert (status, out) == (3, "")
    assert err.startswith(f"maxgap: {path}")
    assert why in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ["--arm", "thing", "--reward", "stars"],
            "no column 'thing' (--arm); its columns: 'item',",
        ),
        (["--arm", "item", "--reward", "item"], "the column 'item' cannot be arm and reward"),
        (["--arm", "item", "--reward", "stars"], "2 columns 'stars' (--reward); its columns: "),
        (["--encoding", "klingon"], "klingon"),
        (["--encoding", "utf-16"], "is not text in the encoding utf-16"),
    ],
)
def test_columns_and_encodings_that_are_not_there_are_named(called, tmp_path, options, why):
    path = tmp_path / "r.csv"
    path.write_text("item,stars,stars\na,5,5\nb,1,1\n")
    status, out, err = called("split", path, *STARS, *options)
    assert (status, out) == (3, "")
    assert why in err


def test_files_that_cannot_be_read_are_named(called, tmp_path):
    for path, why in (
        (tmp_path / "none.csv", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        status, out, err = called("split", path, *STARS)
        assert (status, out, err) == (3, "", f"maxgap: {path}: {why}\n")
    (tmp_path / "latin.csv").write_bytes("item,stars\ncafé,5\nthé,1\n".encode("latin-1"))
    status, _, err = called("split", tmp_path / "latin.csv", *STARS)
    assert status == 3
    assert "is not text in the encoding utf-8" in err
    assert "--encoding" in err
    options = [*STARS, "--json", "--encoding", "latin-1"]
    assert set(arms_of(called("split", tmp_path / "latin.csv", *options)[1])) == {"café", "thé"}


def test_a_damaged_gz_is_said_whatever_is_wrong_with_it(called, tmp_path):
    rng = np.random.default_rng(0)
    rows = "".join(f"item {rng.integers(30)},{rng.integers(1, 6)}\n" for _ in range(2000))
    whole = gzip.compress(f"item,stars\n{rows}".encode())
    path, said = tmp_path / "r.csv.gz", set()
    for place in (0, 3, 40, len(whole) // 3, len(whole) // 2, len(whole) - 6, None):
        damaged = bytearray(whole[:-30] if place is None else whole)
        if place is not None:
            damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        status, out, err = called("split", path, *STARS)
        if status != 0:  # a byte of the header may mean nothing
            assert (status, out) == (3, "")
            assert err.startswith(f"maxgap: {path}")
            assert err.count("\n") == 1
            said.add(err.split(": ", 2)[2].split(" ")[0])
    assert len(said) >= 3
    assert "Error" in said  # of zlib


def test_a_header_of_numbers_is_taken_if_it_is_meant(called, tmp_path):
    (tmp_path / "years.csv").write_text("item,2026\na,5\nb,1\n")
    options = ["--arm", "item", "--reward", "2026", *STARS]
    assert called("split", tmp_path / "years.csv", *options)[0] == 0
    assert called("split", tmp_path / "years.csv", *STARS)[0] == 3


BAD_PIPES = [
    ("item,stars\na,5\nb,x\n", "line 3, column 'stars': 'x' is not a number"),
    ("item,stars\na,5\n,1\n", "line 3, column 'item': is missing"),
    ("item,stars\na,5\nb,1,2\n", "line 3: more fields than the 2 columns"),
    ("item,stars\na,5,1\nb,1,2\n", "line 2: more fields"),
    ('item,stars\na,5\n"b,1\n', "a quotation mark is opened and never closed"),
    ("item,stars\n", "there are no rows"),
    ("", "is empty"),
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize(("content", "why"), BAD_PIPES)
@pytest.mark.parametrize("kind", ["fifo", "stdin"])
def test_a_pipe_is_read_once_and_says_what_is_wrong(called, tmp_path, content, why, kind):
    if kind == "stdin":
        status, out, err = run("split", "/dev/stdin", *STARS, stdin=content.encode())
    else:
        os.mkfifo(tmp_path / "pipe")
        writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=[content])
        writer.start()
        status, out, err = called("split", tmp_path / "pipe", *STARS)
        writer.join(60)
    assert (status, out) == (3, "")
    assert why in err
    assert err.count("\n") == 1


def test_a_space_after_the_comma_is_no_part_of_a_name(tmp_path, capsys):
    path = tmp_path / "duels.csv"
    path.write_text("won, lost\na, b\nb, c\na, c\n", encoding="utf-8")
    assert cli.main(["split", str(path), "--winner", "won", "--loser", "lost", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sorted(found["top"] + found["bottom"]) == ["a", "b", "c"]


def test_standard_input_is_read_and_says_rows():
    status, out, err = run("split", "-", *STARS, "--json", stdin=PLAIN.encode())
    assert (status, err) == (0, "")
    assert arms_of(out) == {"01": 2, "1": 2, "NA": 2}
    status, out, err = run("split", "-", *STARS, stdin=(PLAIN + "1,9\n").encode())
    assert (status, out) == (3, "")
    assert err == (
        "maxgap: standard input, line 8, column 'stars': 9 is outside the bounds 1 to 5\n"
    )


def test_many_rows_take_little_memory_and_the_last_line_is_counted_right(tmp_path):
    rng = np.random.default_rng(0)
    arms, stars = rng.integers(0, 50, 100_000), rng.integers(1, 6, 100_000)
    block = "".join(
        f"image {a:03d},{s}\n" for a, s in zip(arms.tolist(), stars.tolist(), strict=True)
    )
    measured = {}
    for blocks in (1, 20):
        path = tmp_path / f"{blocks}.csv"
        path.write_text("item,stars\n" + block * blocks)
        code = (
            "import resource, subprocess, sys;"
            "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        command = [sys.executable, "-c", code, *COMMAND, "split", str(path), *STARS]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        measured[blocks] = int(done.stdout)
    # Kilobytes; the file itself has 26 megabytes, a table of it many times that.
    assert measured[20] - measured[1] < 120_000
    with path.open("a") as handle:
        handle.write("image 000,6\n")
    status, _, err = run("split", path, *STARS)
    assert status == 3
    assert "line 2000002, column 'stars': 6 is outside" in err


@settings(max_examples=25)  # each simulates how many ratings more it takes
@given(small_tables())
def test_a_file_says_what_its_table_says(rows):
    text = io.StringIO("item,stars\n" + "".join(f"{arm},{reward}\n" for arm, reward in rows))
    found = maxgap.split(pd.read_csv(text), arm="item", reward="stars", sigma=2.0)
    folder = Path(os.environ["PYTEST_FOLDER"])
    (folder / "rows.csv").write_text(text.getvalue())
    printed = io.StringIO()
    before, sys.stdout = sys.stdout, printed
    try:
        assert cli.main(["split", str(folder / "rows.csv"), "--sigma", "2", "--json"]) == 0
    finally:
        sys.stdout = before
    said = json.loads(printed.getvalue())
    assert [row["arm"] for row in said["arms"]] == found.arms["arm"].tolist()
    for name in ("ratings", "mean", "lower", "upper", "group"):
        assert [row[name] for row in said["arms"]] == found.arms[name].tolist()
