"""The figure of two large gaps that is stepped through, in a browser."""

import pytest
from browser import opened

PAGE = "book/two-large-gaps.html"


@pytest.mark.browser
def test_the_player_opens_on_its_first_time_and_on_the_page_s_own_ground(chromium, home):
    with opened(chromium, home + PAGE, home=home, theme="dark") as (page, _):
        assert page.locator(".profile-player output").inner_text().startswith("t = 20.")
        assert page.locator(".profile-player input").input_value() == "0"
        for figure in (".profile-player", ".maxgap-rerun"):
            card = page.locator(f".text_html:has({figure})")
            ground = card.evaluate("(card) => getComputedStyle(card).backgroundColor")
            assert ground == "rgba(0, 0, 0, 0)", figure
    with opened(chromium, home + PAGE, home=home, scripts=False) as (page, _):
        assert page.locator(".profile-player output").inner_text().startswith("t = 600.")
