"""What answers show, and how to go on from them."""

import math
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rating_tables import STARS, ratings, small_tables

import maxgap


def test_it_says_what_is_found_at_a_terminal_and_in_a_notebook():
    table = ratings(1)
    found = maxgap.split(table, arm="item", reward="stars", **STARS)
    text = str(found)
    assert text == repr(found)
    assert "Top (2): item 0, item 1" in text
    assert ("Certified" in text) == found.certified
    assert all(len(line) < 200 for line in text.splitlines())
    odd = table.replace({"item": {"item 3": "<b>item</b> & more"}})
    html = maxgap.split(odd, arm="item", reward="stars", **STARS)._repr_html_()
    assert "<b>" not in html
    assert html.count("&lt;b&gt;item&lt;/b&gt; &amp; more") >= 2


def test_thousands_of_arms_are_shown_in_a_few_lines():
    rng = np.random.default_rng(0)
    arms = np.arange(3000)
    means = np.where(arms < 1000, 10.0, 0.0) + rng.random(3000)
    found = maxgap.split(arm=np.tile(arms, 2), reward=np.tile(means, 2), sigma=0.2)
    text = str(found)
    assert len(text.splitlines()) < 35
    assert "2,980 arms further from the split are not shown" in text
    assert {"top", "bottom"} == set(" ".join(text.splitlines()[-22:-1]).split()) & {"top", "bottom"}
    assert len(found.top) == 1000
    plt.close(found.plot())


def test_the_picture_has_the_arms_the_split_the_certain_gap_and_the_rival():
    found = maxgap.split(ratings(1, 4000), arm="item", reward="stars", **STARS)
    assert found.certified
    _, ax = plt.subplots()
    assert found.plot(ax) is ax.figure
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == found.arms["arm"].tolist()[::1]
    drawn = sorted(x for line in ax.lines for x in line.get_xdata()[:4])
    assert set(found.arms["mean"]) <= set(drawn)
    texts = " ".join(text.get_text() for text in ax.texts)
    assert "at least" in texts
    assert "inside a group at most" in texts
    segments = np.concatenate(
        [c.get_segments() for c in ax.collections if hasattr(c, "get_segments")]
    )
    ends = {tuple(segment[:, 0]) for segment in segments}
    assert ends == set(zip(found.arms["lower"], found.arms["upper"], strict=True))
    plt.close("all")
    dollars = maxgap.split(arm=["$a$", "b$"], reward=[1, 2], sigma=0.1).plot()
    dollars.canvas.draw()
    plt.close(dollars)


@given(small_tables(), st.integers(1, 40), st.sampled_from(["either", "clusters"]))
def test_a_batch_has_its_size_and_evens_out_the_arms_asked_for(rows, size, stopping):
    arms, rewards = zip(*rows, strict=True)
    found = maxgap.split(arm=arms, reward=rewards, sigma=2.0, stopping=stopping)
    batch = found.batch(size)
    if found.certified:
        assert batch == {}
        return
    assert sum(batch.values()) == size
    # Over more arms where contrasts would ask for one or two at a time.
    assert set(batch) <= set(found.next if stopping == "clusters" else arms)
    assert max(batch.values()) - min(batch.values()) <= 1
    counts = found.arms.set_index("arm")["ratings"]
    left_out = [counts[arm] for arm in found.next if arm not in batch]
    assert not left_out or min(left_out) >= max(counts[arm] for arm in batch)


@pytest.mark.parametrize("size", [0, -1, 1.5, "3", True, None], ids=repr)
def test_a_batch_of_no_size_is_refused(size):
    with pytest.raises(ValueError, match="size must be a whole number"):
        maxgap.split(arm=[*"ab"], reward=[1, 2], sigma=1.0).batch(size)


def test_the_policy_goes_on_from_the_table():
    table = ratings(3, rows=60)
    found = maxgap.split(table, arm="item", reward="stars", **STARS)
    assert not found.certified
    rng = np.random.default_rng(0)
    taken, policy = 0, found.policy()
    while not policy.stopped:
        asked = [arm for arm in policy.ask() for _ in range(10)]
        true = {"item 0": 4.4, "item 1": 4.2, "item 2": 2.1, "item 3": 1.9}
        policy.tell(asked, [np.clip(rng.normal(true[arm], 0.6), 1, 5) for arm in asked])
        taken += len(asked)
    assert policy.certified
    assert policy.recommend().top == {"item 0", "item 1"}
    assert found.more.low / 2 <= taken <= 2 * found.more.high
    assert not found.certified  # the answer is that of the table


def test_nothing_more_is_needed_once_certified():
    found = maxgap.split(ratings(1, 4000), arm="item", reward="stars", **STARS)
    assert found.certified
    assert found.more == (0, 0, 0, 0)
    assert found.next == ()


def test_what_was_not_reached_is_infinite_and_said():
    found = maxgap.split(arm=[*"aabbcc"], reward=[0, 0.1, 1, 1.1, 3, 3.1], sigma=1000.0)
    assert found.more.median == math.inf
    assert re.search(r"if asked for so: more than \d", str(found))


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        (1e-12, "The largest gap is 3e-12, from b (1e-12) up to c (4e-12)."),
        (1e-7, "The largest gap is 3e-07, from b (1e-07) up to c (4e-07)."),
        (1e-3, "The largest gap is 0.00300, from b (0.00100) up to c (0.00400)."),
        (1.0, "The largest gap is 3.00, from b (1.00) up to c (4.00)."),
    ],
)
def test_tiny_numbers_are_said_by_an_exponent(scale, said):
    found = maxgap.split(arm=[*"abc"] * 9, reward=np.array([0, 1, 4] * 9) * scale,
                         sigma=scale / 100)  # fmt: skip
    assert found.lines()[0] == said


def test_what_rounding_leaves_of_a_gap_asks_for_no_decimals():
    found = maxgap.split(arm=[*"ab"] * 3, reward=[0.1, 0.3, 0.2, 0.15, 0.3, 0.15], sigma=1)
    assert 0 < found.gap < 1e-15
    assert " (0.20) up to " in found.lines()[0]
    assert "00000" not in str(found)
