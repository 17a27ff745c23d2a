"""What the chapters' figures draw is what they were given."""

import graphlib
import json
import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from maxgap import MaxGapUCB, RoundRobin, gap_upper_bounds, hardness, problems, simulate
from maxgap.figures import POLICY_STYLES
from maxgap_book import attainment
from maxgap_book.figures import (
    gap_bounds,
    hardness_proved,
    lemmas,
    lower_bound,
    maxgap_problem,
    naive_baseline,
    recommended_method,
    sharper_certificates,
    streetview,
    three_algorithms,
    two_large_gaps,
    why_maxgapucb_works,
)
from maxgap_book.figures import hardness as drawn_hardness

BOOK = Path(__file__).parents[2] / "book"


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("maxgap_book/figures/bounds.html", set()),
        ("maxgap_book/figures/profile.html", set()),
        ("_static/problem.svg", set()),
        ("_static/explorable/explorable.css", set()),
        ("_static/rerun/rerun.css", set()),
        (
            "_static/streetview-error.svg",
            {"RoundRobin", "MaxGapElim", "MaxGapUCB", "MaxGapTop2UCB"},
        ),
    ],
)
def test_pages_draw_policies_in_their_colours_and_nothing_else_in_them(page, shown):
    text = (BOOK / page).read_text(encoding="utf-8").lower()
    names = {to_hex(style["color"]): name for name, style in POLICY_STYLES.items()}
    assert {name for colour, name in names.items() if colour in text} == shown


def test_the_toy_instance_shows_the_hardness_of_every_arm_but_the_two_at_the_gap():
    toy = problems.one_large_gap(4, 5, 1.0, 0.1)
    gamma = hardness.gamma(toy.means).either
    line, below = naive_baseline.one_large_gap(toy.means, gamma, 0.5).axes
    drawn = next(entry for entry in below.lines if entry.get_label() == "computed")
    away = [0, 1, 2, 5, 6, 7, 8]
    assert np.allclose(drawn.get_xdata(), toy.means[away])
    assert np.allclose(drawn.get_ydata(), gamma[away])
    assert {"(1)", "(4)", "(5)", "(9)"} <= set(texts(line))


def test_the_lines_of_the_toy_instance_are_named_where_they_are():
    table = pd.DataFrame(
        {
            "policy": ["RoundRobin"] * 2 + ["MaxGapTop2UCB"] * 2,
            "delta_min": [0.3, 0.01] * 2,
            "mean": [400.0, 240.0, 370.0, 250.0],
        }
    )
    table = table.assign(low=table["mean"], high=table["mean"])
    figure = naive_baseline.samples(table)
    robin = figure.axes[0].lines[-1]
    assert robin.get_ydata().tolist() == [400.0, 240.0]
    assert robin.get_zorder() < figure.axes[0].lines[0].get_zorder()
    assert not figure.legends
    ratio = table.iloc[:2].assign(policy="measured saving")
    predicted = {"paper": ("the paper", [1e4, 11.0]), "gamma": ("gamma", [1.4, 1.2])}
    ax = naive_baseline.saving(ratio, predicted).axes[0]
    assert texts(ax) == ["the paper", "gamma", "measured"]
    drawn = [line for line in ax.lines if line.get_label() in ("the paper", "gamma")]
    assert [line.get_ydata().tolist() for line in drawn] == [[1e4, 11.0], [1.4, 1.2]]


def test_power_laws_draw_every_policy_with_its_bars_and_the_references():
    table = pd.DataFrame(
        {
            "policy": ["RoundRobin"] * 3 + ["MaxGapElim"] * 3,
            "epsilon": [0.4, 0.2, 0.1] * 2,
            "mean": [10.0, 40.0, 160.0, 5.0, 6.0, 7.0],
            "low": [9.0, 38.0, 150.0, 4.0, 5.0, 6.0],
            "high": [11.0, 42.0, 170.0, 6.0, 7.0, 8.0],
        }
    )
    figure = naive_baseline._power_laws(
        table, "epsilon", references={"bound": [100.0, 25.0, 6.25]}, xlabel="x", ylabel="y"
    )
    ax = figure.axes[0]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    robin, elim = ax.containers
    assert robin.lines[0].get_ydata().tolist() == [160.0, 40.0, 10.0]
    assert robin.lines[0].get_linestyle() != elim.lines[0].get_linestyle()
    bars = np.array([bar[:, 1] for bar in elim.lines[2][0].get_segments()])
    assert np.allclose(bars, [[6, 8], [5, 7], [4, 6]])
    bound = next(entry for entry in ax.lines if entry.get_label() == "bound")
    assert bound.get_xdata().tolist() == [0.1, 0.2, 0.4]
    assert bound.get_ydata().tolist() == [100.0, 25.0, 6.25]


def test_samples_of_an_arm_stand_side_by_side_at_each_epsilon():
    table = pd.DataFrame(
        {
            "policy": ["RoundRobin"] * 3 + ["MaxGapElim"] * 3 + ["MaxGapUCB"] * 3,
            "epsilon": [0.4, 0.2, 0.1] * 3,
            "mean": [10.0, 40.0, 160.0] + [5.0, 6.0, 7.0] * 2,
            "low": [9.0, 38.0, 150.0] + [4.0, 5.0, 6.0] * 2,
            "high": [11.0, 42.0, 170.0] + [6.0, 7.0, 8.0] * 2,
        }
    )
    figure = lower_bound.samples_of_an_arm(table, [64.0, 16.0, 4.0], ylabel="y")
    ax = figure.axes[0]
    robin, elim, ucb = (container.lines[0] for container in ax.containers)
    assert np.allclose(robin.get_xdata(), [0.1, 0.2, 0.4])
    assert (elim.get_xdata() < robin.get_xdata()).all()
    assert (ucb.get_xdata() > robin.get_xdata()).all()
    assert elim.get_ydata().tolist() == [7.0, 6.0, 5.0]
    bars = np.array([bar[:, 1] for bar in ax.containers[1].lines[2][0].get_segments()])
    assert np.allclose(bars, [[6, 8], [5, 7], [4, 6]])
    assert texts(ax) == ["RoundRobin", "lower bound"]
    assert ax.lines[-1].get_ydata().tolist() == [64.0, 16.0, 4.0]


def test_moved_means_name_the_largest_gap_of_every_instance():
    means = problems.four_arms(0.25, 1.0).means
    one = np.eye(4)
    instances = {"B": means, "B'": means + 0.525 * one[3], "B''": means + 0.275 * one[0]}
    ax = lower_bound.moved_means(instances, [None, 3, 0]).axes[0]
    shown = [text for text in texts(ax) if text.startswith("largest gap")]
    assert shown == ["largest gap 1.25", "largest gap 1", "largest gap 1.275"]
    diamonds = [entry for entry in ax.lines if entry.get_marker() == "D"]
    assert np.allclose([entry.get_xdata()[0] for entry in diamonds], [0.525, 2.775])


def test_scenes_are_ticks_under_the_bells_of_their_single_answers_and_groups_are_named():
    ax = maxgap_problem.scenes([0.9, 0.1, 0.85, 0.2], {"low": 2, "high": 2}, sigma=0.5).axes[0]
    assert {"low", "high"} <= set(texts(ax))
    bells = [line for line in ax.lines if len(line.get_xdata()) > 2]
    peaks = sorted(bell.get_xdata()[np.argmax(bell.get_ydata())] for bell in bells)
    assert np.allclose(peaks, [0.1, 0.2, 0.85, 0.9], atol=0.003)
    x, bell = bells[0].get_data()
    assert np.isclose(np.interp(0.6, x, bell), np.exp(-0.5), atol=1e-3)
    lines = [lines for lines in ax.collections if isinstance(lines, LineCollection)]
    ticks = sorted(tick[0, 0] for group in lines for tick in group.get_segments())
    assert ticks == [0.1, 0.2, 0.85, 0.9]


def test_one_bin_more_than_numbers_and_the_empty_ones_hatched():
    numbers = [0.0, 0.1, 0.55, 1.0]
    ax = maxgap_problem.bins(numbers).axes[0]
    boxes = sorted(ax.patches, key=lambda box: box.get_x())
    assert len(boxes) == 5
    assert [bool(box.get_hatch()) for box in boxes] == [False, True, False, True, False]
    assert np.allclose([box.get_width() for box in boxes], 0.2)


@pytest.mark.parametrize(("left_out", "named"), [(0, "ranks (4), (5)"), (1, "ranks (1), (2)")])
def test_ranked_means_shade_the_largest_gap_of_those_not_left_out(left_out, named):
    ax = streetview.ranked_means([3.0, 1.0, 1.5, 1.4, -7.0], left_out=left_out).axes[0]
    assert named in " ".join(texts(ax))
    kept, hollow = ax.lines
    assert kept.get_ydata().tolist() == [3.0, 1.5, 1.4, 1.0, -7.0][: 5 - left_out]
    assert hollow.get_ydata().size == left_out


PAIRS = {"first": (2, 3), "second": (5, 6)}


def test_two_gaps_shades_both_gaps_and_names_them():
    means = np.array([3.0, 2.9, 2.0, 1.9, 1.8, 0.8])
    ax = two_large_gaps.two_gaps(means, PAIRS).axes[0]
    shaded = [patch.get_extents().transformed(ax.transData.inverted()) for patch in ax.patches]
    assert np.allclose([[box.y0, box.y1] for box in shaded], [[2.0, 2.9], [0.8, 1.8]])
    assert texts(ax) == ["first", "second"]
    assert {tick.get_text() for tick in ax.get_xticklabels()} == {"(1)", "(2)", "(5)", "(6)"}


def ratio_rows(policy, ratios):
    rows = pd.DataFrame({"policy": policy, "level": [0.2, 0.05], "ratio": ratios})
    return rows.assign(low=rows["ratio"] - 1, high=rows["ratio"] + 1)


def test_error_bands_end_where_a_share_first_falls_below_the_floor_and_brackets_a_level():
    errors = pd.DataFrame(
        {
            "policy": ["RoundRobin"] * 4 + ["MaxGapUCB"] * 4,
            "samples": [1000, 2000, 3000, 4000] * 2,
            "error": [0.5, 0.2, 0.1, 0.05, 0.4, 0.0, 0.02, 0.03],
        }
    ).assign(low=0.0, high=0.6)
    ax = streetview.error_bands(
        errors, {"RoundRobin": ("RR", 2500, 0.3)}, floor=0.01, between=(3600, 1400)
    ).axes[0]
    robin, ucb = ax.lines[:2]
    assert robin.get_ydata().tolist() == [0.5, 0.2, 0.1, 0.05]
    assert ucb.get_xydata().tolist() == [[1000, 0.4], [2000, 0.01]]
    assert ax.get_yscale() == "log"
    assert {"RR", "5%: 1,000 against 4,000"} <= set(texts(ax))
    assert bracket_spans(ax) == [(1400, 3600)]


def test_ratios_of_streetview_are_a_line_a_policy_named_beside_the_claim():
    table = pd.concat(
        [ratio_rows("MaxGapUCB", [3.0, 5.0]), ratio_rows("MaxGapTop2UCB", [2.0, 6.0])]
    )
    names = {"MaxGapUCB": (0.1, 3.0), "MaxGapTop2UCB": (0.1, 5.0)}
    ax = streetview.speedup(table, claimed=(6, 7), names=names).axes[0]
    assert [line.get_ydata().tolist() for line in ax.lines] == [[3.0, 5.0], [2.0, 6.0]]
    assert texts(ax) == ["claimed: 6 to 7", "MaxGapUCB", "MaxGapTop2UCB"]
    left, right = ax.get_xlim()
    assert left > 0.2 > 0.05 > right
    assert ax.get_ylim()[1] > 7


def test_ratios_of_one_policy_are_a_line_a_setting_beside_the_claim_and_the_limit():
    other = ratio_rows("MaxGapElim", [9.0, 9.0])
    settings = {
        "one": (pd.concat([ratio_rows("MaxGapUCB", [3.0, 5.0]), other]), (0.1, 4.0)),
        "two": (ratio_rows("MaxGapUCB", [4.0, 6.0]), (0.1, 5.0)),
    }
    ax = two_large_gaps.speedup(settings, claimed=8, limit=6).axes[0]
    drawn = [list(line.get_ydata()) for line in ax.lines]
    assert drawn == [[3.0, 5.0], [4.0, 6.0], [8, 8], [6, 6]]
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
    assert texts(ax) == ["one", "two", "the paper's 8", "limit: 6"]


def test_the_player_of_the_chapter_shows_one_policy_until_a_time():
    study = simulate.replicate(
        {"RoundRobin": RoundRobin(6), "MaxGapUCB": MaxGapUCB(6)},
        problems.Problem([3.0, 2.9, 2.0, 1.9, 1.8, 0.8]),
        budget=60,
        replicates=4,
        checkpoints=[6, 30, 60],
        seed=1,
        n_jobs=1,
    )
    made = two_large_gaps.two_gaps_player(study, PAIRS, until=40)
    data = json.loads(re.search(r'json">(.*?)</script>', made.html).group(1))
    assert data["samples"] == [6, 30]
    assert data["counts"][0] == [1.0] * 6
    assert sum(data["counts"][1]) == pytest.approx(30, abs=0.3)


def player(**changes):
    words = two_large_gaps.Words("p", "A caption.", "Bars.")._replace(**changes)
    counts = [[1, 1, 1, 1, 1, 1], [1, 2.04, 3, 1, 9, 10.06]]
    return two_large_gaps.profile_player(counts, [6, 26], PAIRS, words)


def test_the_player_asks_for_nothing_from_outside_and_is_the_same_every_time():
    html = player()._repr_html_()
    assert html == player()._repr_html_()
    assert not re.search(r"https?:|//[a-z]|\bsrc=|\bhref=|@import|url\(", html)


def test_the_player_holds_the_counts_to_one_decimal_and_says_what_it_shows():
    made = player()
    data = json.loads(re.search(r'json">(.*?)</script>', made.html).group(1))
    assert data["counts"] == [[1.0] * 6, [1.0, 2.0, 3.0, 1.0, 9.0, 10.1]]
    assert data["samples"] == [6, 26]
    said = "t = 26. first: 2.0 and 3.0 samples. second: 9.0 and 10.1 samples. An even share: 4.3."
    assert data["says"][-1] == repr(made) == said
    assert f">{said}</output>" in made.html


def test_without_scripts_the_player_shows_the_last_time_and_hides_its_controls():
    html = player().html
    assert '<div class="controls" hidden>' in html
    heights = [float(x) for x in re.findall(r'<rect class="bar[^>]* height="([\d.]+)"', html)]
    squares = np.square(heights) / heights[0] ** 2
    assert np.allclose(squares, [1, 2, 3, 1, 9, 10.1], rtol=1e-3)


def test_the_player_can_be_used_by_keyboard_and_is_described():
    html = player(alt='Bars, "quoted".').html
    assert html.count("<button type=") == 3
    assert '<input type="range"' in html
    assert 'role="img" aria-label="Bars, &quot;quoted&quot;."' in html
    assert "prefers-reduced-motion" in html


def test_markup_in_a_caption_or_name_of_a_pair_is_text():
    made = two_large_gaps.profile_player(
        [[1, 1, 1, 1]],
        [4],
        {"</script><b>": (1, 2), "b": (3, 4)},
        two_large_gaps.Words("p", "<i>", ""),
    )
    assert "<b>" not in made.html
    assert "&lt;i&gt;" in made.html
    assert made.html.count("</script>") == 2


def test_a_player_needs_a_row_a_time():
    with pytest.raises(ValueError, match=r"counts must have 2 rows, got shape \(1, 4\)"):
        two_large_gaps.profile_player(
            [[1, 1, 1, 1]], [4, 8], PAIRS, two_large_gaps.Words("p", "", "")
        )


LOWER, UPPER = np.array([0.0, 1.0, 1.5, 4.0]), np.array([2.0, 3.0, 5.0, 6.0])


def bracket_spans(ax):
    """Both ends of every bracket, by the text above it."""
    brackets = [note for note in ax.texts if getattr(note, "arrow_patch", None) is not None]
    return [tuple(sorted((note.xyann[0], note.xy[0]))) for note in brackets]


def test_placements_bracket_the_gap_from_the_arm_to_the_next_mean_above_it():
    placements = [(1.0, [0.0, 1.0, 5.0, 6.0]), (3.0, [0.0, 3.0, 1.5, 6.0])]
    figure = gap_bounds.right_gap_placements(LOWER, UPPER, 1, placements)
    spans = [bracket_spans(ax)[0] for ax in figure.axes]
    assert spans == [(1.0, 5.0), (3.0, 6.0)]
    # Arms that cannot lie at or below the position are dashed.
    dashed = [sum(entry.get_linestyle() == "--" for entry in ax.lines) for ax in figure.axes]
    assert dashed == [2, 1]


def test_the_position_figure_marks_the_widest_gap_and_draws_no_line_across_a_jump():
    x = np.linspace(0, 1, 11)
    gaps = np.where(x < 0.5, 1 - x, 2 - x)
    ax = gap_bounds.right_gap_by_position(x, gaps, [0.0, 0.5], [1.0, 1.5]).axes[0]
    pieces = [
        entry for entry in ax.lines if entry.get_linestyle() == "-" and len(entry.get_xdata()) > 2
    ]
    assert all((np.diff(piece.get_ydata()) < 0).all() for piece in pieces)
    bound = next(entry for entry in ax.lines if entry.get_label() == "largest")
    assert (bound.get_xdata()[0], bound.get_ydata()[0]) == (0.5, 1.5)


def test_slots_have_the_widths_of_their_definition_and_arms_their_bounds():
    ax = gap_bounds.slots(LOWER, UPPER).axes[0]
    widths = [float(text) for text in texts(ax) if re.fullmatch(r"[\d.]+ ", text)]
    # (0, 3), (1, 5), (1.5, 6), and the last one from 4 to the largest other end, 5.
    assert widths == [3.0, 4.0, 4.5, 1.0]
    bounds = [text for text in ax.texts if text.get_text().startswith("bound")]
    assert [text.get_text() for text in bounds] == [
        f"bound {bound:.2f}" for bound in gap_upper_bounds(LOWER, UPPER).either
    ]
    touching = [text.get_fontweight() == "bold" for text in bounds]
    assert touching == [text.get_text() == "bound 4.50" for text in bounds]


def test_the_last_slot_ends_where_the_arm_that_asks_does_not():
    ax = gap_bounds.last_slot([0, 1, 2], [3, 4, 6]).axes[0]
    asked = [entry for entry in ax.lines if entry.get_marker() == "|"]
    assert [list(entry.get_xdata()) for entry in asked] == [[2, 6], [2, 4]]
    assert texts(ax) == ["for arms 0, 1: 4  ", "for arm 2: 2  "]


def test_level_sets_colour_arms_by_level_and_bracket_the_bound():
    levels = attainment.level_sets(0, LOWER, UPPER)
    ends = attainment.right_gap_arms(0, LOWER, UPPER)
    figure = why_maxgapucb_works.level_sets([("now", LOWER, UPPER, levels, ends)], 0, 2.0)
    ax = figure.axes[0]
    assert bracket_spans(ax) == [(1.5, 6.0), (1.5, 3.5)]
    arms = [entry for entry in ax.lines if len(set(entry.get_ydata())) == 1]
    colours = {int(entry.get_ydata()[0]): entry.get_color() for entry in arms}
    assert colours[0] == colours[1] == colours[2] != colours[3]


def test_bounds_over_time_end_where_the_arm_was_last_sampled():
    time = np.array([10, 20, 30, 40])
    bound = np.array([2.5, 2.0, 1.5, 0.5])
    highest = np.array([2.5, 2.0, 1.8, 1.7])
    ax = why_maxgapucb_works.bounds_over_time(
        time, {3: bound}, {3: bound == highest}, highest, 1.0
    ).axes[0]
    cross = next(entry for entry in ax.lines if entry.get_label() == "arm 3")
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (20, 2.0)


def test_sample_ratios_count_every_run_and_place_every_mark():
    ax = why_maxgapucb_works.sample_ratios(
        [0.5, 1.0, 2.0, 3.0], {"one": 1.0, "far": 16.0}, xlabel="x"
    ).axes[0]
    assert sum(bar.get_height() for bar in ax.patches) == 4
    assert [entry.get_xdata()[0] for entry in ax.lines] == [1.0, 16.0]


def test_the_tent_marks_the_best_helper_and_its_worth():
    figure = drawn_hardness.helper_worth({1: 4.6, 2: 4.0, 3: 3.4, 4: 1.7, 5: 0.5}, 4.0, "7")
    ax = figure.axes[0]
    drawn = [
        (line.get_xdata()[0], line.get_ydata()[0])
        for line in ax.lines
        if len(line.get_xdata()) == 1
    ]
    assert np.allclose(drawn, [(4.6, 0), (4.0, 0), (3.4, 0.6), (1.7, 1.7), (0.5, 0.5)])
    level = next(line for line in ax.lines if line.get_linestyle() == ":")
    assert level.get_ydata()[0] == pytest.approx(1.7)
    assert next(text for text in ax.texts if text.get_text() == "4").get_fontweight() == "bold"


def test_samples_by_hardness_draw_both_kinds_of_arms_and_what_would_be_proportional():
    table = pd.DataFrame(
        {"h": [1.0, 0.5, 0.1], "samples": [2, 8, 3], "helped": [True, True, False]}
    )
    figure = drawn_hardness.samples_by_hardness(table, "h", "h", "MaxGapElim")
    helped, free, proportional = figure.axes[0].lines
    assert (helped.get_xdata().tolist(), helped.get_ydata().tolist()) == ([1, 4], [2, 8])
    assert (free.get_ydata().tolist(), free.get_marker()) == ([3], "x")
    assert np.allclose(proportional.get_xdata(), [1, 100])
    assert np.allclose(proportional.get_ydata(), [2, 200])


def test_the_arm_that_goes_and_its_helper_are_named_and_what_touches_is_dashed():
    low, high = [6.0, 3.0, 1.0, 0.0, -9.0], [7.0, 4.0, 2.0, 1.5, -8.0]
    figure = drawn_hardness.helper_arm(low, high, arm=3, helper=1, opening=2, certain=(3, 4))
    ax = figure.axes[0]
    dashed = [int(line.get_ydata()[0]) for line in ax.lines if line.get_linestyle() == "--"]
    assert dashed == [2]
    assert {"arm 3", "helper, arm 1", "certain gap\n8.00", "bound of arm 3\n3.00"} <= set(texts(ax))


def test_measured_against_bound_draws_the_points_and_the_diagonal():
    table = pd.DataFrame(
        {"policy": ["MaxGapElim"] * 2, "measured": [10.0, 50.0], "bound": [100.0, 400.0]}
    )
    ax = hardness_proved.measured_against_bound(table).axes[0]
    points, diagonal = ax.lines
    assert (points.get_xdata().tolist(), points.get_ydata().tolist()) == ([100, 400], [10, 50])
    assert np.allclose(diagonal.get_xdata(), diagonal.get_ydata())


def test_runs_stand_at_their_bound_with_the_worst_noise_at_the_first():
    table = pd.DataFrame(
        {"instance": ["x", "x", "y"], "most": [5, 7, 60], "bound": [100, 100, 1000]}
    )
    ax = recommended_method.rounds_against_bound(table, 20).axes[0]
    x, y, worst, diagonal = ax.lines
    assert (x.get_xdata().tolist(), x.get_ydata().tolist()) == ([100, 100], [5, 7])
    assert (y.get_xdata().tolist(), y.get_ydata().tolist()) == ([1000], [60])
    assert (worst.get_xdata(), worst.get_ydata()) == ([100], [20])
    assert np.allclose(diagonal.get_xdata(), diagonal.get_ydata())
    assert {"x", "y", "worst noise"} <= set(texts(ax))


def test_the_board_names_the_certain_gap_and_the_samples_of_every_arm():
    lower, upper = np.array([-0.5, 1.0, 1.1]), np.array([0.5, 2.0, 2.1])
    estimates = (lower + upper) / 2
    figure = three_algorithms.interval_board(estimates, estimates, lower, upper, [7, 8, 9], [1, 2])
    ax = figure.axes[0]
    assert {"certain: 0.50", "7", "8", "9"} <= set(texts(ax))
    faces = [bar.get_facecolor()[:3] for bar in ax.patches[:3]]
    assert faces[0] == (1, 1, 1)
    assert faces[1] == faces[2] != (1, 1, 1)


def test_the_map_of_lemmas_leads_to_each_and_has_an_arrow_for_every_direct_need():
    list(graphlib.TopologicalSorter(lemmas.NEEDS).static_order())  # no proof in a circle
    direct = set(lemmas.direct_needs())
    assert ("Lemma 9", "Lemma 11") not in direct  # by way of Corollary 2

    def behind(name):
        return {deep for low, high in direct if high == name for deep in (low, *behind(low))}

    for name, needs in lemmas.NEEDS.items():
        assert set(needs) <= behind(name)
    page = lemmas.lemma_map().html
    boxes = dict(re.findall(r'<a href="[^"]*" aria-label="([^"]*)"([^>]*)>', page))
    assert set(boxes) == set(lemmas.NEEDS) == set(lemmas.PLACES)
    assert {name for name, kind in boxes.items() if "mended" in kind} == set(lemmas.MENDED)
    assert page.count("<line") == len(direct)
    for low, high in direct:  # layers from left to right
        assert lemmas.PLACES[low][0] < lemmas.PLACES[high][0]
    table = lemmas.lemma_table()
    assert set(table.index) == set(lemmas.MENDED)
    assert table.loc["Lemma 12", "mended"] == "ends that are equal"
    assert all(len(words.split()) > 2 for words in table["mended"])


def test_the_sketch_of_the_proof_has_helpers_that_hold_an_end_of_the_slot_and_one_that_does_not():
    ax = why_maxgapucb_works.helper_in_slot().axes[0]
    low, high = sorted(
        entry.get_xdata()[0]
        for entry in ax.lines
        if entry.get_linestyle() == "--" and entry.get_color() == "black"
    )
    helpers = [entry.get_xdata() for entry in ax.lines if entry.get_linewidth() == 5]
    held = [[end for end in (low, high) if ends[0] <= end <= ends[1]] for ends in helpers]
    assert held == [[low], [high], []]


def test_samples_needed_says_how_many_times_fewer():
    table = pd.DataFrame(
        {
            "instance": ["a", "a", "b", "b"],
            "policy": ["MaxGapContrasts", "MaxGapTop2UCB"] * 2,
            "median": [100.0, 850.0, 500.0, 1000.0],
            "low": [90.0, 800.0, 450.0, 900.0],
            "high": [110.0, 900.0, 550.0, 1100.0],
        }
    )
    (ax,) = sharper_certificates.samples_needed(table).axes
    assert texts(ax) == ["8.5 times", "2.0 times"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b"]


def test_random_instances_below_the_line_need_fewer_samples():
    table = pd.DataFrame({"MaxGapContrasts": [50.0, 90.0], "MaxGapTop2UCB": [400.0, 100.0]})
    (ax,) = sharper_certificates.random_instances(table).axes
    points = ax.lines[0]
    assert points.get_xdata().tolist() == [400.0, 100.0]
    assert points.get_ydata().tolist() == [50.0, 90.0]
    assert texts(ax) == [" as many", " half", " a tenth"]
