"""Samples a second of the rerun panel in Chromium, beside those of the package.

``python benchmarks/rerun.py``: one core each, Streetview's 90 scenes, as far as the panel goes. The
best of several tries, so that other work on the machine matters little.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import maxgap
from maxgap import problems, simulate

CORE = Path(__file__).parents[1] / "book" / "_static" / "rerun" / "core.js"
LEAST = 150_000  # samples a second
TIMED = """
(setting) => {
  maxgapRerun.simulate({ ...setting, runs: 2 });
  const times = Array.from({ length: 12 }, () => {
    const start = performance.now();
    maxgapRerun.simulate(setting);
    return performance.now() - start;
  });
  return Math.min(...times) / 1000;
}
"""


def main() -> None:
    """Measure, and print one table."""
    problem, chromium = problems.streetview(0.05), shutil.which("chromium")
    settings = {"delta": 0.1, "sigma": 0.05}
    print(f"{'policy':15}{'radius':16}{'Chromium':>12}{'package':>12}  samples a second")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.add_script_tag(content=CORE.read_text(encoding="utf-8"))
        for policy in ("RoundRobin", "MaxGapElim", "MaxGapUCB", "MaxGapTop2UCB"):
            for radius in ("authors-lil", "paper"):
                budget = 500_000 if policy == "RoundRobin" else 60_000
                case = {"policy": policy, "means": problem.means.tolist(), "radius": radius}
                case |= {"looks": list(range(500, budget + 1, 500)), "runs": 1}
                case |= {"seed": 1, "first": 0}
                seconds = page.evaluate(TIMED, case | settings)
                theirs = budget / seconds
                made = getattr(maxgap, policy)(90, confidence=radius, stopping=None, **settings)
                rng = np.random.default_rng(1)
                simulate.run(made, problem, budget=budget, rng=rng)
                start = time.thread_time()
                simulate.run(made, problem, budget=budget, rng=rng)
                ours = budget / (time.thread_time() - start)
                met = "" if theirs >= LEAST else "  below the least"
                print(f"{policy:15}{radius:16}{theirs:12,.0f}{ours:12,.0f}{met}")
        browser.close()


if __name__ == "__main__":
    main()
