"""The command line: the same answers as in Python, errors that name the line, quiet pipes."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from rating_tables import COMMAND, arms_of, ratings, run

import maxgap
from maxgap.ratings import cli

ROOT = Path(__file__).parents[2]
STARS = ["--bounds", "1", "5"]
RATINGS = ratings(1, 200)
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "ratings.csv"
    RATINGS.to_csv(path, index=False)
    return path


def test_the_answer_is_that_of_the_function(called, file):
    status, out, err = called("split", file, "--arm", "item", "--reward", "stars", *STARS)
    found = maxgap.split(RATINGS, arm="item", reward="stars", bounds=(1, 5))
    assert found.certain_gap > 0
    assert not found.certified
    assert (status, out, err) == (0, f"{found}\n\nFor a report: {found.sentence}\n", "")
    status, out, _ = called("split", file, "--arm", "item", "--reward", "stars", *STARS, "--json")
    said = json.loads(out)
    assert set(said["top"]) == found.top
    assert set(said["bottom"]) == found.bottom
    assert (said["gap"], said["certified"]) == (found.gap, found.certified)
    assert said["certain_gap"] == found.certain_gap
    assert said["next"] == list(found.next)
    assert (said["notes"], said["sentence"]) == (list(found.notes), found.sentence)
    assert said["more_ratings"] == found.more._asdict()
    assert said["rival"] == {
        "gap": found.rival.gap, "below": found.rival.below, "above": found.rival.above,
    }  # fmt: skip
    assert pd.DataFrame(said["arms"]).equals(found.arms.astype({"arm": "str", "group": "str"}))


def test_next_says_the_batch(called, file):
    options = ["--arm", "item", "--reward", "stars", *STARS, "--batch", "7"]
    batch = maxgap.split(RATINGS, arm="item", reward="stars", bounds=(1, 5)).batch(7)
    status, out, _ = called("next", file, *options, "--json")
    said = json.loads(out)
    assert status == 0
    assert {row["arm"]: row["ratings"] for row in said["next"]} == batch
    _, out, _ = called("next", file, *options)
    assert [line.split("  ") for line in out.splitlines()] == [
        [a, str(n)] for a, n in batch.items()
    ]


def test_next_asks_for_nothing_once_certified(called, tmp_path):
    path = tmp_path / "sure.csv"
    path.write_text("item,stars\n" + "good,5\nbad,1\n" * 100)
    assert called("next", path, *STARS)[1] == "Certified already: nothing more to rate.\n"
    assert json.loads(called("next", path, *STARS, "--json")[1]) == {"certified": True, "next": []}


def test_next_asks_for_nothing_where_intervals_without_a_proof_have_stopped(called, tmp_path):
    path = tmp_path / "sure.csv"
    path.write_text("item,stars\n" + "good,9\nbad,1\n" * 100)
    how = ["--sigma", "1", "--confidence", "paper", "--stopping", "clusters"]
    assert called("next", path, *how) == (0, "Stopped already: nothing more to rate.\n", "")


def test_plan_from_guessed_means_and_from_a_file(called, file):
    status, out, _ = called("plan", 4.5, 4.3, 2, "--sd", 0.8, *STARS, "--json")
    made = maxgap.plan([4.5, 4.3, 2], sd=0.8, bounds=(1, 5))
    assert status == 0
    assert json.loads(out) == {k: v._asdict() for k, v in made._asdict().items()}
    status, out, _ = called("plan", file, "--arm", "item", "--reward", "stars", *STARS)
    found = maxgap.split(RATINGS, arm="item", reward="stars", bounds=(1, 5))
    means, sd = found.estimates()
    assert out == f"{maxgap.plan(means, sd=sd, bounds=(1, 5))}\n"


def test_the_lines_of_the_readme_run(tmp_path):
    (lines,) = re.findall(r"```sh\n(printf.*?)```", README, re.DOTALL)
    here = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-ec", lines], cwd=tmp_path, env=here, capture_output=True, text=True, check=True
    )
    assert "The largest gap seems to be 2.50, from toast (1.50) up to pie (4.00)." in done.stdout
    assert "3 groups, cut at the 2 largest gaps: 0.500, 2.500." in done.stdout
    assert done.stderr == ""


# -- files of every kind ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (
            "tea,5\nTea ,4\nmud,1\n",
            "Labels that look alike are arms of their own: 'tea' and 'Tea'.",
        ),
        ("the\u0301,5\nth\u00e9,4\nmud,1\n", r"'the\u0301' and 'th\xe9'."),
        (
            "".join(f"{c}{k},{k + 1 - 0.1 * k * (c == 'X')}\n" for c in "xX" for k in range(5)),
            "'x0' and 'X0'; 'x1' and 'X1'; 'x2' and 'X2' and 2 more.",
        ),
        ("tea,4\nmud,4\nmud,4\n", "Every reward is 4: is this the right column?"),
        ("tea,5\n tea ,4\nmud,1\n", None),
    ],
    ids=["case", "accents", "many", "constant", "blanks"],
)
def test_what_is_odd_but_may_be_meant_is_said_in_a_line(called, tmp_path, content, note):
    path = tmp_path / "odd.csv"
    path.write_text("item,stars\n" + content, encoding="utf-8")
    for command in ("split", "next", "plan"):
        if command != "plan" or "Every" not in str(note):
            status, _, err = called(command, path, *STARS)
            assert status == 0
            assert bool(err) == (command != "split" and note is not None)
            assert err.rstrip().endswith(note if err else "")
    _, out, _ = called("split", path, *STARS)
    notes = json.loads(called("split", path, *STARS, "--json")[1])["notes"]
    assert len(notes) == (note is not None)
    for said in notes:
        assert said.endswith(note)
        assert said in out.splitlines()


def test_the_ratings_of_a_rater_count_once_if_the_file_says_who_rated(called, tmp_path):
    path = tmp_path / "r.csv"
    rows = [("tea", 5, "a"), ("mud", 1, "b"), (" tea ", 4, " a "), ("tea", 3, "c"), ("mud", 2, "d")]
    path.write_text("item,stars,who\n" + "".join(f"{a},{n},{who}\n" for a, n, who in rows))
    columns = ["--arm", "item", "--reward", "stars", "--rater", "who", *STARS]
    found = maxgap.split(
        arm=["tea", "mud", "tea", "mud"], reward=[4.5, 1, 3, 2], rater=[*"abcd"], bounds=(1, 5)
    )
    status, out, err = called("split", path, *columns)
    assert (status, out, err) == (0, f"{found}\n\nFor a report: {found.sentence}\n", "")
    assert arms_of(called("split", path, *columns[2:], "--arm", "item", "--json")[1]) == {
        "tea": 2, "mud": 2,
    }  # fmt: skip
    for arms in ([], ["--arms", " tea", "mud"]):
        batch = called("next", path, *columns, "--batch", "3", "--json", *arms)[1]
        asked = json.loads(batch)["next"]
        assert {row["arm"]: row["ratings"] for row in asked} == found.batch(3)
    assert called("plan", path, *columns)[0] == 0
    path.write_text(path.read_text() + "tea,5,\n")
    status, out, err = called("split", path, *columns)
    assert (status, out) == (3, "")
    assert err == f"maxgap: {path}, line 7, column 'who': is missing\n"
    status, _, err = called("split", path, *columns[:4], "--rater", "whom", *STARS)
    assert status == 3
    assert "no column 'whom' (--rater)" in err


# -- pipes and closed ends -------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="a shell closes them")
def test_closed_ends_lose_nothing_in_silence(tmp_path):
    (tmp_path / "r.csv").write_text("item,stars\ntea,5\nTea,1\n")
    start = [*COMMAND, "split", str(tmp_path / "r.csv")]

    def closing(end, *options):
        quoted = " ".join(map(shlex.quote, [*start, *options]))
        return subprocess.run(["sh", "-c", f"{quoted} {end}"], capture_output=True, text=True)

    done = closing(">&-", *STARS)
    assert (done.returncode, done.stderr) == (3, "maxgap: standard output: is closed\n")
    done = closing("2>&-", *STARS)  # nothing was to be said there
    assert done.returncode == 0
    assert done.stdout.startswith("The largest gap")
    done = closing("2>&-", "--bounds", "1", "4")
    assert (done.returncode, done.stdout) == (3, "")
    assert closing("<&-", *STARS).returncode == 0


def test_a_name_that_the_locale_cannot_decode_is_the_one_of_the_file(tmp_path):
    (tmp_path / "r.csv").write_text("thé,étoiles\nà,5\nb,1\n", encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    options = ["--arm", "thé", "--reward", "étoiles", *STARS]
    status, out, err = run(
        "split", tmp_path / "r.csv", *options, "--json", env={**os.environ, **plain}
    )
    assert (status, err) == (0, "")
    assert json.loads(out)["top"] == ["à"]
    options += ["--arms", "ç", "à"]
    status, out, err = run(
        "next", tmp_path / "r.csv", *options, "--json", env={**os.environ, **plain}
    )
    assert json.loads(out)["next"] == [{"arm": "ç", "ratings": 20}]


# -- collecting ------------------------------------------------------------------------------------


def asked(called, *arguments):
    status, out, err = called("next", *arguments, *STARS, "--json")
    assert (status, err) == (0, "")
    return {row["arm"]: row["ratings"] for row in json.loads(out)["next"]}


@pytest.mark.parametrize("content", ["", "item,stars\n"])
def test_next_begins_with_an_empty_file_if_it_is_told_the_arms(called, tmp_path, content):
    path, waiting = tmp_path / "r.csv", tmp_path / "waiting.csv"
    path.write_text(content)
    assert asked(called, path, "--batch", 7, "--arms", *"ABC") == {"A": 3, "B": 2, "C": 2}
    assert asked(called, path, "--batch", 4, "--arms", *"ABCA", "--pending", *"AAB") == {
        "C": 2, "B": 1, "A": 1,
    }  # fmt: skip
    waiting.write_text("item\nA\n A \nB\n")
    assert asked(called, path, "--batch", 3, "--arms", *"ABC", "--pending", waiting) == {
        "C": 2, "B": 1,
    }  # fmt: skip
    waiting.write_text(content.replace(",stars", ""))
    assert sum(asked(called, path, "--arms", *"AB", "--pending", waiting).values()) == 20
    status, out, err = called("next", path, *STARS)
    assert (status, out) == (3, "")
    assert "is empty" in err or "no rows" in err
    status, _, err = called("next", path, "--arms", "A", *STARS)
    assert status == 3
    assert "arms must be at least two" in err
    status, _, err = called("next", path, "--arms", *"AB", "--pending", *"CC", *STARS)
    assert status == 3
    assert "pending: arms holds the unknown label 'C'" in err
    assert called("split", path, *STARS)[0] == 3


@pytest.mark.parametrize("groups", [2, 3])
def test_an_arm_without_a_rating_is_asked_for_first(called, file, groups):
    options = ["--arm", "item", "--reward", "stars", "--groups", groups]
    told = [f"item {k}" for k in range(4)]
    assert asked(called, file, *options, "--arms", "new", *told, "newer") == {
        "new": 10, "newer": 10,
    }  # fmt: skip
    assert asked(called, file, *options, "--arms", *told) == asked(called, file, *options)
    found = maxgap.split(RATINGS, arm="item", reward="stars", bounds=(1, 5))
    waits = dict.fromkeys(found.next[1:], 30)
    pending = [arm for arm, n in waits.items() for _ in range(n)]
    if groups == 2:
        wanted = Counter(found.policy().batch(20, waits))
        assert asked(called, file, *options, "--pending", *pending) == wanted


def test_numbers_of_a_parquet_file_are_its_arms_by_name(called, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "r.parquet"
    pd.DataFrame({"item": [1, 2, 3], "stars": [1, 3, 5]}).to_parquet(path)
    assert asked(called, path, "--arms", "1", "2", "4", "--batch", 3) == {"4": 3}
    assert asked(called, path, "--pending", "1", "1", "--batch", 2) == {2: 1, 3: 1}


def test_a_thousand_million_questions_are_counted_at_once(called, file):
    begun = time.monotonic()
    batch = asked(called, file, "--arm", "item", "--reward", "stars", "--batch", 10**9)
    assert sum(batch.values()) == 10**9
    assert time.monotonic() - begun < 20


def test_a_plan_takes_the_spread_that_is_given_and_means_below_nought(called, file):
    reading = ["--arm", "item", "--reward", "stars", *STARS]
    found = maxgap.split(RATINGS, arm="item", reward="stars", bounds=(1, 5))
    wide = maxgap.plan(found.estimates()[0], sd=1.4, bounds=(1, 5))
    assert called("plan", file, *reading, "--sd", 1.4)[1] == f"{wide}\n"
    assert called("plan", file, *reading)[1] != f"{wide}\n"
    made = maxgap.plan([-1, -2.5], sigma=0.5)
    assert called("plan", -1, -2.5, "--sigma", 0.5)[1] == f"{made}\n"
    assert called("plan", "--sigma", 0.5, -1, -2.5)[1] == f"{made}\n"
    status, _, err = called("plan", file, file, *STARS)
    assert status == 2
    assert "give means, which are numbers, or one FILE" in err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["cut", "r.csv"],
        ["split"],
        ["split", "r.csv"],
        ["split", "r.csv", "--bounds", "1"],
        ["split", "r.csv", "--bounds", "5", "1"],
        ["split", "r.csv", "--bounds", "1", "5", "--sigma", "1"],
        ["split", "r.csv", "--sigma", "-1"],
        ["split", "r.csv", "--sigma", "1", "--delta", "2"],
        ["split", "r.csv", "--sigma", "1", "--stopping", "paper"],
        ["split", "r.csv", "--sigma", "1", "--confidence", "none"],
        ["split", "r.csv", "--sigma", "1", "--groups", "1"],
        ["next", "r.csv", "--sigma", "1", "--batch", "0"],
        ["next", "r.csv", "--sigma", "1", "--batch", "x"],
        ["plan", "--sigma", "1"],
        ["plan", "1", "--sigma", "1"],
        ["plan", "1", "1", "--sigma", "1"],
        ["plan", "r.csv", "1", "2", "--sigma", "1"],
    ],
    ids=" ".join,
)
def test_a_command_that_cannot_be_understood_ends_with_two(called, arguments):
    status, out, err = called(*arguments)
    assert (status, out) == (2, "")
    assert "usage: maxgap" in err


def test_help_says_every_exit_status_and_the_version_is_the_packages(called):
    for arguments in (["--help"], ["split", "--help"], ["plan", "--help"]):
        status, out, _ = called(*arguments)
        assert status == 0
        for number in (cli.OK, cli.USAGE, cli.BAD_DATA, cli.INTERRUPTED, cli.CLOSED):
            assert f" {number} " in " ".join(out.split())
    assert called("--version")[1] == f"maxgap {maxgap.__version__}\n"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"maxgap": "maxgap.ratings.cli:main"}


def test_help_names_what_there_is_and_what_harms(called):
    for command in ("split", "next"):
        said = " ".join(called(command, "--help")[1].split())
        assert "rows sorted by rating" in said
        assert "Raters who rate one item more than once need care" in said
        for name in ("normal-mixture", "empirical-bernstein", "clusters", "contrasts"):
            assert name in said
    for name in ("--confidence", "--stopping"):
        status, _, err = called("split", "r.csv", *STARS, name, "none")
        assert status == 2
        assert "choose from" in err


def test_bounds_may_be_negative(called, tmp_path):
    (tmp_path / "r.csv").write_text("item,mark\na,-1\nb,1\n")
    assert called("split", tmp_path / "r.csv", "--bounds", "-1", "1")[0] == 0
