"""Duels: held to `split` of the rewards that they are, and to the truth that they come from."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest

import maxgap
from maxgap import split_duels
from maxgap.ratings import cli, duels

LABELS = [*"abcdef"]
#: Three above, three below, and above the first beats the second, the second the third, in turn.
P = np.full((6, 6), 0.5)
P[:3, 3:], P[3:, :3] = 0.85, 0.15
for one, other in ((0, 1), (1, 2), (2, 0)):
    P[one, other], P[other, one] = 0.9, 0.1
SCORES = dict(zip(LABELS, (P.sum(axis=1) - 0.5) / 5, strict=True))
COLUMNS = {"winner": "won", "loser": "lost"}


def drawn(n, seed, probabilities=None, first=None):
    """Duels of arms drawn uniformly, or of these, against opponents drawn uniformly or so."""
    rng = np.random.default_rng(seed)
    if first is None:
        first = rng.integers(0, 6, n)
    if probabilities is None:
        probabilities = (1 - np.eye(6)) / 5
    second = (rng.random((n, 1)) > np.cumsum(probabilities, axis=1)[first]).sum(axis=1)
    won = rng.random(n) < P[first, second]
    names = np.array(LABELS)
    return pd.DataFrame(
        {
            "won": names[np.where(won, first, second)],
            "lost": names[np.where(won, second, first)],
            "asked": names[first],
        }
    )


# -- tables ------------------------------------------------------------------------------------


def same(found, expected):
    assert [line for line in found.lines() if line not in found.notes] == expected.lines()
    pd.testing.assert_frame_equal(found.arms, expected.arms)


def test_a_duel_of_a_random_pair_is_a_reward_of_both():
    table = drawn(900, 1)
    arms = table[["won", "lost"]].to_numpy().ravel()
    values = [1, 0] * len(table)
    expected = maxgap.split(arm=arms, reward=values, bounds=(0, 1), delta=0.1, stopping="clusters")
    found = split_duels(table, **COLUMNS, delta=0.1)
    same(found, expected)
    assert found.top == {*"abc"}
    same(split_duels(winner=table["won"], loser=list(table["lost"]), delta=0.1), expected)
    assert found.arms["ratings"].sum() == 1800


def test_a_duel_of_a_chosen_arm_is_a_reward_of_it_alone():
    table = drawn(900, 2, first=np.repeat(np.arange(6), 150)).sample(frac=1, random_state=3)
    won = (table["won"] == table["asked"]).astype(int)
    expected = maxgap.split(
        arm=table["asked"], reward=won, bounds=(0, 1), confidence="normal-mixture",
        stopping="clusters",
    )  # fmt: skip
    found = split_duels(table, **COLUMNS, chosen="asked", confidence="normal-mixture")
    # Equal arms are named in the order of the duels, not of who was chosen.
    by_name = [answer.arms.set_index("arm").sort_index() for answer in (found, expected)]
    pd.testing.assert_frame_equal(*by_name)
    assert (found.top, found.certain_gap) == (expected.top, expected.certain_gap)
    assert set(found.next) == set(expected.next)
    assert found.arms["ratings"].tolist() == [150] * 6


def uneven():
    """Everybody meets the arms named first most of the time."""
    weights = np.tile([4.0, 3.0, 2.0, 1.0, 1.0, 1.0], (6, 1))
    np.fill_diagonal(weights, 0)
    return weights / weights.sum(axis=1, keepdims=True)


def test_opponents_that_were_drawn_unevenly_are_refused():
    with pytest.raises(ValueError, match=r"opponents of .* were not drawn uniformly"):
        split_duels(drawn(30_000, 4, uneven()), **COLUMNS, chosen="asked")


def test_pairs_that_were_not_drawn_uniformly_are_refused():
    adaptive = drawn(600, 6, first=np.tile([0, 3], 300))
    with pytest.raises(ValueError, match=r"meet in \d+ of 600 duels where about 40 are expected"):
        split_duels(adaptive, **COLUMNS)
    for seed in range(300):
        split_duels(drawn(60, seed), **COLUMNS)


def test_the_capital_against_a_true_claim_is_one_on_average():
    for n in (1, 4):
        total = 0.0
        for draws in itertools.product(range(3), repeat=n):
            _, counts = np.unique(draws, return_counts=True)
            total += math.exp(duels.surprise(counts, 3)) / 3**n
        assert total == pytest.approx(1, abs=1e-12)


def test_the_odds_against_a_refusal_hold_however_often_one_looks():
    """The check at odds of ten to one is wrong in at most a tenth of the cases, at all times."""
    rng = np.random.default_rng(7)
    refused = 0
    for _ in range(150):
        table = drawn(100, rng.integers(2**31))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(duels, "RARE", 0.1)
            try:
                for n in (20, 50, 100):
                    split_duels(table[:n], **COLUMNS)
            except ValueError:
                refused += 1
    assert refused <= 15 + 3 * 4


def test_certificates_keep_delta_for_random_pairs():
    """Counting both: the two rewards of a duel depend on each other, and it does no harm."""
    wrong = 0
    for seed in range(60):
        found = split_duels(drawn(3000, seed), **COLUMNS, delta=0.3)
        wrong += found.certified and found.top != {*"abc"}
        missed = [not r.lower <= SCORES[r.arm] <= r.upper for r in found.arms.itertuples()]
        wrong += any(missed)
    assert wrong <= 18


GOOD = {"won": [*"abaabb"] * 9, "lost": [*"bacccc"] * 9}


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        ({"won": [None, *"baabb"] * 9}, {}, "column 'won', row 0, counted from 0.*is missing"),
        ({"lost": [*"baccc", math.nan] * 9}, {}, "column 'lost', row 5, .*is missing"),
        ({"lost": [*"bbcccc"] * 9}, {}, "column 'lost', row 1, .*'b' plays itself"),
        ({}, {"winner": "who"}, "winner='who' is not a column"),
        ({}, {"loser": "won"}, "winner and loser must be two columns"),
        ({}, {"pair": ("won", "lost")}, "give loser= or else pair="),
        ({}, {"loser": None}, "give loser= or else pair="),
        ({}, {"draws": "half"}, "draws must be 'half' or 'drop' and come with pair"),
        ({}, {"loser": None, "pair": "won"}, "pair must be two columns"),
        ({}, {"loser": None, "pair": ("won",)}, "pair must be two columns"),
        ({}, {"loser": None, "pair": ("won", "who")}, r"pair\[1\]='who' is not a column"),
        ({"asked": [*"abaabz"] * 9}, {"chosen": "asked"}, "row 5.*'z' is neither of the two"),
        ({"asked": [*"abaaba"] * 9}, {"chosen": "asked"}, "row 5.*'a' is neither of the two"),
        ({"asked": [*"abaab", None] * 9}, {"chosen": "asked"}, "column 'asked', row 5.*missing"),
        ({"asked": [*"abaabb"] * 9}, {"chosen": "asked"}, "'c' never was chosen"),
        ({}, {"delta": 2}, "delta"),
        ({}, {"confidence": "no"}, "confidence must be"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_row_and_the_column(change, arguments, message):
    with pytest.raises(ValueError, match=message):
        split_duels(pd.DataFrame(GOOD | change), **(COLUMNS | arguments))


def test_labels_of_every_kind_name_the_same_arms_in_both_columns():
    table = pd.DataFrame(GOOD)
    codes = {"a": 1, "b": 2, "c": 3}
    numbers = split_duels(table.replace(codes).astype({"won": int, "lost": float}), **COLUMNS)
    assert numbers.bottom == {3}
    for kind in ("category", "string", object):
        assert split_duels(table.astype(kind), **COLUMNS).bottom == {"c"}
    chosen = pd.DataFrame(GOOD | {"asked": [*"abcabc"] * 9}).astype({"asked": "category"})
    assert split_duels(chosen, **COLUMNS, chosen="asked").bottom == {"c"}


def test_one_may_go_on_with_its_policy():
    policy = split_duels(drawn(60, 8), **COLUMNS).policy()
    before = policy.counts.sum()
    policy.tell("a", 1)
    assert policy.counts.sum() == before + 1


# -- draws -------------------------------------------------------------------------------------


def arena(n, seed, ties=0.4):
    """As arenas publish them: two columns of who met, one of which has won, or a tie."""
    rng = np.random.default_rng(seed)
    table = drawn(n, seed)
    swap = rng.random(n) < 0.5
    a, b = (np.where(swap ^ side, table["won"], table["lost"]) for side in (True, False))
    winner = np.where(swap, "model_b", "model_a").astype(object)
    winner[rng.random(n) < ties] = "tie (both bad)"
    return pd.DataFrame({"model_a": a, "model_b": b, "winner": winner})


ARENA = {"winner": "winner", "pair": ("model_a", "model_b")}


@pytest.mark.parametrize("named", ["the column", "the arm"])
def test_a_draw_is_half_a_win_for_both_or_left_out(named):
    table = arena(900, 12)
    tie = table["winner"].str.startswith("tie")
    a_won = table["winner"] == "model_a"
    if named == "the arm":
        table["winner"] = np.where(tie, "draw", np.where(a_won, table["model_a"], table["model_b"]))
    values = np.where(tie, 0.5, a_won)
    arms = table[["model_a", "model_b"]].to_numpy().ravel()
    rewards = np.column_stack([values, 1 - values]).ravel()
    same(
        split_duels(table, **ARENA, draws="half"),
        maxgap.split(arm=arms, reward=rewards, bounds=(0, 1), stopping="clusters"),
    )
    kept = np.repeat(~tie.to_numpy(), 2)
    left = maxgap.split(arm=arms[kept], reward=rewards[kept], bounds=(0, 1))
    found = split_duels(table, **ARENA, draws="drop")
    assert found.top == left.top == {*"abc"}
    assert found.arms["ratings"].sum() == 2 * (~tie).sum()
    alone = split_duels(
        winner=table["winner"].replace({"model_a": "draw", "model_b": "draw"}),
        pair=(table["model_a"], table["model_b"]), draws="half",
    )  # fmt: skip
    assert alone.arms["ratings"].sum() == 1800


def test_a_draw_of_a_chosen_arm_counts_for_it_alone():
    table = arena(900, 13)
    table["asked"] = table["model_a"]
    tie, won = table["winner"].str.startswith("tie"), table["winner"] == "model_a"
    for draws, kept in (("half", tie | True), ("drop", ~tie)):
        found = split_duels(table, **ARENA, draws=draws, chosen="asked").arms.set_index("arm")
        means = pd.Series(np.where(tie, 0.5, won))[kept].groupby(table["asked"][kept]).mean()
        assert found["mean"].to_dict() == pytest.approx(means.to_dict())


@pytest.mark.parametrize("word", ["tie", "Draw", "both", "neither", " tie (bothbad)", "TIED"])
def test_a_draw_among_the_winners_is_no_arm_and_certifies_nothing(word):
    table = drawn(300, 14)
    table.loc[::3, "won"] = word
    with pytest.raises(ValueError, match=r"wins 100 and loses 0 duels: a draw has no place.*pair="):
        split_duels(table, **COLUMNS)
    with pytest.raises(ValueError, match="a draw has no place"):
        split_duels(table, winner="lost", loser="won")


def test_an_arm_that_is_called_so_and_loses_is_one():
    table = drawn(300, 15).replace({"a": "Draw", "b": "tiella"})
    assert split_duels(table, **COLUMNS).top <= {"Draw", "tiella", *"cdef"}
    best = drawn(300, 16).replace({"a": "drawing", "b": "bother"})
    best = best[(best["lost"] != "drawing") & (best["lost"] != "bother")]
    with pytest.raises(ValueError, match="pairs were not drawn uniformly"):
        split_duels(pd.concat([best] * 20), **COLUMNS)


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        ({}, {}, "column 'winner', row 1, .*'tie' is neither of the two; say what a draw is: half"),
        ({"winner": ["a", "tie", "clade"]}, {"draws": "half"}, "row 2.*'clade' is neither of the"),
        ({"winner": ["a", None, "b"]}, {"draws": "half"}, "column 'winner', row 1.*is missing"),
        ({"model_b": ["b", None, "a"]}, {"draws": "half"}, "column 'model_b', row 1.*is missing"),
        ({"model_b": ["b", "b", "a"]}, {"draws": "half"}, "column 'model_b', row 1.*plays itself"),
        ({"winner": ["tie"] * 3}, {"draws": "drop"}, "'a' has only draws: nothing counts for it"),
        ({"x": ["a", "tie", "b"]}, {"draws": "half", "chosen": "x"}, "row 1.*'tie' is neither"),
    ],
)  # fmt: skip
def test_what_is_no_draw_is_refused(change, arguments, message):
    table = {"winner": ["a", "tie", "b"], "model_a": [*"abb"], "model_b": [*"bca"]}
    with pytest.raises(ValueError, match=message):
        split_duels(pd.DataFrame(table | change), **ARENA, **arguments)


@pytest.mark.parametrize("missing", [pd.NA, None, math.nan, pd.NaT])
@pytest.mark.parametrize("change", ["winner", "model_a", "asked"])
def test_a_label_that_is_missing_is_said_to_be_missing(missing, change):
    table = pd.DataFrame({"winner": ["a", "tie", "b"], "model_a": [*"abb"], "model_b": [*"bca"]})
    table = table.assign(asked=[*"acb"]).astype(object)
    table.loc[1, change] = missing
    with pytest.raises(ValueError, match=f"column '{change}', row 1.*: is missing"):
        split_duels(table, **ARENA, draws="half", chosen="asked")
    words = pd.Series(["a", [1], "b"], dtype=object)
    with pytest.raises(ValueError, match=r"winner, row 1.*: \[1\] is neither of the two"):
        split_duels(winner=words, pair=([*"abb"], [*"bca"]), draws="half")


def test_draws_are_part_of_the_pairs_that_are_checked():
    table = arena(600, 17)
    table.loc[: len(table) // 2, ["model_a", "model_b"]] = ["a", "b"]
    for draws in ("half", "drop"):
        with pytest.raises(ValueError, match="not drawn uniformly"):
            split_duels(table, **ARENA, draws=draws)


# -- what a refusal is worth -------------------------------------------------------------------


def log_capital(counts, chance, n_kinds):
    """The bets by hand: after every draw the mixture expects the next in proportion."""
    total, seen = 0.0, dict.fromkeys(range(n_kinds), 0)
    for kind in (kind for kind, times in enumerate(counts) for _ in range(times)):
        total += math.log((seen[kind] + 0.5) / (sum(seen.values()) + n_kinds / 2) / chance)
        seen[kind] += 1
    return total


def test_a_table_is_refused_from_odds_of_a_million_to_one_and_not_before():
    """Pairs of three arms; of these counts the odds are worked out by hand."""
    odds = {n: log_capital([n, n // 2, n // 4], 1 / 3, 3) for n in range(4, 80, 4)}
    for n, capital in odds.items():
        table = {"won": [*"a" * n, *"a" * (n // 2), *"b" * (n // 4)],
                 "lost": [*"b" * n, *"c" * (n // 2), *"c" * (n // 4)]}  # fmt: skip
        if capital > math.log(1e6):
            with pytest.raises(ValueError, match="not drawn uniformly"):
                split_duels(table, **COLUMNS)
        else:
            split_duels(table, **COLUMNS)
    assert min(odds.values()) < math.log(1e6) < max(odds.values()) < math.log(1e7) * 1.5


def test_with_many_arms_each_has_a_share_of_the_odds():
    """One of four arms meets the others unevenly: its capital is divided by the number of arms."""
    refused = {}
    for n in range(10, 60):
        won, lost, asked = [], [], []
        for arm in "abcd":
            others = [x for x in "abcd" if x != arm]
            met = [others[0]] * n + others[1:] if arm == "a" else others * (n // 3)
            won, lost, asked = won + [arm] * len(met), lost + met, asked + [arm] * len(met)
        capitals = [log_capital([n, 1, 1], 1 / 3, 3)] + 3 * [log_capital([n // 3] * 3, 1 / 3, 3)]
        average = math.log(sum(map(math.exp, capitals)) / 4)
        table = {"won": won, "lost": lost, "asked": asked}
        refused[average] = False
        try:
            split_duels(table, **COLUMNS, chosen="asked")
        except ValueError:
            refused[average] = True
    assert all(no == (average > math.log(1e6)) for average, no in refused.items())
    assert set(refused.values()) == {True, False}


# -- the command line --------------------------------------------------------------------------


@pytest.fixture
def called(capsys, tmp_path):
    """A command on a file of duels: status, output, errors."""
    path = tmp_path / "duels.csv"

    def call(table, *options, command="split"):
        path.write_text(table if isinstance(table, str) else table.to_csv(index=False))
        status = cli.main([command, str(path), *options])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


WHO = ("--winner", "won", "--loser", "lost")


def printed(found):
    return f"{found}\n\nFor a report: {found.sentence}\n"


def test_the_command_says_what_the_function_says(called):
    table = drawn(900, 9)
    found = split_duels(table, **COLUMNS)
    status, out, err = called(table, *WHO)
    assert (status, out, err) == (0, printed(found), "")
    assert found.notes == ("Ratings: a duel is two, one of each arm.",)
    assert found.notes[0] in out.splitlines()
    said = json.loads(called(table, *WHO, "--json", "--delta", "0.3")[1])
    assert said["certain_gap"] == split_duels(table, **COLUMNS, delta=0.3).certain_gap
    assert called(table, *WHO, "--batch", "3", command="next")[0] == 0
    assert "ratings in all" in called(table, *WHO, command="plan")[1]
    # Names that look like numbers are names.
    codes = dict(zip(LABELS, ["01", "1", "1.0", "2", "3", "4"], strict=True))
    said = json.loads(called(table.replace(codes), *WHO, "--json")[1])
    assert {row["arm"] for row in said["arms"]} == set(codes.values())


def test_the_command_takes_draws_and_who_was_chosen(called):
    table = arena(900, 18)
    table["asked"] = table["model_b"]
    pair = ("--winner", "winner", "--pair", "model_a", "model_b")
    status, out, err = called(table, *pair)
    assert (status, out) == (3, "")
    assert "'tie (both bad)' is neither of the two; say what a draw is" in err
    for draws, said in (("half", "count half a win."), ("drop", "are left out.")):
        status, out, err = called(table, *pair, "--draws", draws, "--chosen", "asked")
        found = split_duels(table, **ARENA, draws=draws, chosen="asked")
        assert (status, out, err) == (0, printed(found), "")
        what, of_draws = found.notes
        assert what == "Ratings: a duel is one rating, of the arm that was chosen."
        assert of_draws.endswith(f" draws {said}")
    table.loc[4, "asked"] = "z"
    status, _, err = called(table, *pair, "--draws", "half", "--chosen", "asked")
    assert status == 3
    assert "line 6, column 'asked': 'z' is neither of the two" in err


def test_duels_in_a_parquet_file(called, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    table = drawn(300, 10)
    table.to_parquet(tmp_path / "duels.parquet")
    assert cli.main(["split", str(tmp_path / "duels.parquet"), *WHO]) == 0
    assert capsys.readouterr().out == printed(split_duels(table, **COLUMNS))


@pytest.mark.parametrize(
    ("text", "options", "status", "message"),
    [
        ("won,lost\na,b\nb,b\n", WHO, 3, "line 3, column 'lost': 'b' plays itself"),
        ("won,lost\na,b\n,b\n", WHO, 3, "line 3, column 'won': is missing"),
        ("won,lost\n" + "a,b\n" * 50 + "a,c\n", WHO, 3, "pairs were not drawn uniformly"),
        ("won,lost,x\na,b,1\n", ("--winner", "who", "--loser", "lost"), 3, "'who' (--winner)"),
        ("won,lost\na,b\n", WHO[:2], 2, "go together"),
        ("won,lost\na,b\n", WHO[2:], 2, "go together"),
        ("won,lost\na,b\n", (*WHO, "--pair", "won", "lost"), 2, "go together"),
        ("won,lost\na,b\n", (*WHO, "--draws", "half"), 2, "--draws and --pair go together"),
        ("won,lost\na,b\n", ("--chosen", "won", "--bounds", "0", "1"), 2, "go together"),
        ("won,lost\na,b\n", (*WHO, "--chosen", "won"), 3, "cannot be winner and chosen"),
        ("won,lost\n" + "a,b\nc,b\ntie,a\ntie,b\n", WHO, 3, "'tie' wins 2 and loses 0 duels"),
        ("won,lost\na,b\n", (*WHO, "--bounds", "0", "1"), 2, "not with"),
        ("won,lost\na,b\n", (*WHO, "--sigma", "1"), 2, "not with"),
        ("won,lost\na,b\n", (*WHO, "--arm", "won"), 2, "not with"),
        ("won,lost\na,b\n", (*WHO, "--stopping", "contrasts"), 2, "depend on each other"),
        ("won,lost\na,b\n", (), 2, "--bounds --sigma is required"),
        ("won,lost\na,b\n", (WHO[0], "won", WHO[2], "won"), 3, "cannot be winner and loser"),
    ],
)
def test_a_command_that_cannot_be_used_says_why(called, text, options, status, message):
    got, out, err = called(text, *options)
    assert (got, out) == (status, "")
    assert message in err


def test_duels_in_more_than_one_piece_are_those_in_one(called):
    table = drawn(270_000, 11)
    assert called(table, *WHO)[1] == printed(split_duels(table, **COLUMNS))
    table.iloc[269_998] = "a"
    status, _, err = called(table, *WHO)
    assert status == 3
    assert "line 270000, column 'lost': 'a' plays itself" in err


def test_large_numbers_that_name_items_are_not_rounded_together():
    winner = pd.Series([2**63, 2**63 + 1, 7, 7], dtype="uint64")
    answer = maxgap.split_duels(winner=winner, loser=pd.Series([7, 7, 8, 8]))
    assert set(answer.arms["arm"]) == {2**63, 2**63 + 1, 7, 8}


def test_true_is_not_the_chosen_arm_1():
    table = pd.DataFrame({"won": [1, 2, 3] * 9, "lost": [2, 3, 1] * 9})
    table["asked"] = pd.Series([True, 2, 3] * 9, dtype=object)
    with pytest.raises(ValueError, match=r"row 0.* True is neither of the two"):
        split_duels(table, winner="won", loser="lost", chosen="asked")
