/*
 * The explorable figure: drag the true means, choose a policy, watch its intervals and gap bounds; or two
 * policies beside each other, on the same noise and after as many samples.
 *
 * Draws what maxgap.js decides and decides nothing itself. It takes the place of the static
 * picture with the id in FIGURE; with scripts off, or if anything here fails, the picture stays.
 *
 * The noise of the n-th sample of each arm is drawn once and kept, so a changed mean, scale or
 * policy replays the same run: what moves on the screen is the effect of the change alone.
 *
 * window.maxgapExplorable lets a test feed rewards of its own and read every number back.
 */
"use strict";

(function () {
  const FIGURE = "fig-explorable";
  const START = { policy: "MaxGapTop2UCB", beside: "", means: [0, 0.15, 0.35, 1.25, 1.4, 2.05, 2.25], sigma: 0.4, delta: 0.1 };
  const SPARE_MEANS = [2.4, 0.5, 1.55, 2.15, 0.2]; // where the eighth to the twelfth arm begin
  const [LEAST_ARMS, MOST_ARMS] = [2, 12];
  const [LEAST_MEAN, MOST_MEAN] = [0, 3];
  const AXIS = [-0.6, 3.6];
  const START_ROUNDS = 80; // as in the static picture
  const MOST_ROUNDS = 4000;
  const ROW = 34;
  const MARGIN = { left: 34, right: 54, top: 40, bottom: 42 };
  const CHART = { height: 186, top: 26, bottom: 40 };
  const KEY = "#explore=";

  // -- the run -----------------------------------------------------------------------------------

  const settings = { ...START, means: START.means.slice() };
  let seed = 1;
  let noise = []; // noise[arm][n], standard normal, drawn when needed
  let fed = null; // rewards[arm][n], given by a test
  let steps = 0; // what the reader has asked for: rounds of the first policy, of the second once that has ended

  function reward(arm, n) {
    if (fed !== null) return fed[arm][n];
    if (noise[arm] === undefined) noise[arm] = { next: window.maxgap.normals(seed, arm), values: [] };
    const { next, values } = noise[arm];
    while (values.length <= n) values.push(next());
    return settings.means[arm] + settings.sigma * values[n];
  }

  function advance(rounds) {
    const [first, second] = sides;
    for (let i = 0; i < rounds && canStep(); i += 1) {
      steps += 1;
      const moved = first.advance();
      if (!second) continue;
      if (!moved) second.advance();
      while (second.samples() < first.samples() && second.advance());
    }
  }

  const canStep = () => steps < MOST_ROUNDS && sides.some((side) => side.canAdvance());

  /** Begin afresh and go on for so many rounds. */
  function replay(rounds) {
    steps = 0;
    matchSides();
    sides.forEach((side) => side.begin());
    advance(rounds);
  }

  function trueGap() {
    const sorted = settings.means.slice().sort((a, b) => a - b);
    return Math.max(...sorted.slice(1).map((x, i) => x - sorted[i]));
  }

  function isRight(top) {
    const above = Math.min(...top.map((arm) => settings.means[arm]));
    const below = Math.max(...settings.means.filter((_, arm) => !top.includes(arm)));
    return above - below >= trueGap() - 1e-9;
  }

  // -- small helpers -----------------------------------------------------------------------------

  const { make } = window.maxgap;

  function put(node, attributes) {
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  }

  const show = (node, visible) => node.setAttribute("visibility", visible ? "visible" : "hidden");
  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
  const number = (x, digits = 2) => {
    if (x === Infinity) return "∞";
    if (x === -Infinity) return "−∞";
    return x.toFixed(digits).replace("-", "−");
  };
  const list = (arms) => (arms.length === 0 ? "none" : arms.join(", "));

  // -- the page ----------------------------------------------------------------------------------

  const figure = document.getElementById(FIGURE);
  const picture = figure === null ? null : figure.querySelector("img");
  if (picture === null || !window.maxgap) return;

  const root = make("div", { class: "maxgap-explorable", role: "group", "aria-label": "Explorable figure" });
  const controls = make("div", { class: "controls" }, root);
  const buttons = make("div", { class: "buttons" }, root);
  const besides = make("div", { class: "sides" }, root);
  const legend = make("ul", { class: "legend" }, root);

  function control(label, node) {
    const wrapper = make("label", {}, controls);
    make("span", {}, wrapper, label);
    wrapper.append(node);
    return node;
  }

  const policyBox = control("Policy", make("select"));
  window.maxgap.POLICIES.forEach((name) => make("option", { value: name }, policyBox, name));
  const besideBox = control("Beside it", make("select"));
  make("option", { value: "" }, besideBox, "no other");
  window.maxgap.POLICIES.forEach((name) => make("option", { value: name }, besideBox, name));
  const armsBox = control("Arms", make("input", { type: "number", min: LEAST_ARMS, max: MOST_ARMS, step: 1 }));
  const sigmaBox = control("Noise σ", make("input", { type: "range", min: 0.05, max: 1.5, step: 0.05 }));
  const sigmaText = make("output", {}, sigmaBox.parentNode);
  const deltaBox = control("Error allowed δ", make("input", { type: "range", min: 0.01, max: 0.5, step: 0.01 }));
  const deltaText = make("output", {}, deltaBox.parentNode);

  const button = (text) => make("button", { type: "button" }, buttons, text);
  const stepButton = button("Step");
  const tenButton = button("10 rounds");
  const playButton = button("Play");
  const restartButton = button("Restart");
  const noiseButton = button("New noise");
  const resetButton = button("Means as at first");
  const linkButton = button("Copy link");

  [
    ["next", "interval of an arm sampled next"],
    ["other", "interval of another arm"],
    ["estimate", "estimate"],
    ["handle", "true mean: drag it, or use the arrow keys"],
    ["certain", "a gap that is certain"],
    ["widest", "highest gap bound"],
    ["bound", "bound of each arm’s gap"],
    ["truth", "true largest gap"],
  ].forEach(([kind, text]) => {
    const item = make("li", {}, legend);
    make("span", { class: `key key-${kind}`, "aria-hidden": "true" }, item);
    item.append(text);
  });


  // -- a policy at work, and its drawings ------------------------------------------------------------

  /** `which` is the setting with its name. */
  function makeSide(which) {
    let policy = null;
    let history = []; // one entry a round: samples, highest bound, certain gap, every arm's bound

    function canAdvance() {
      if (policy.stopped) return false;
      return fed === null || policy.ask().every((arm) => policy.counts[arm] < fed[arm].length);
    }

    /** One round, if there is one more. */
    function advance() {
      if (!canAdvance()) return false;
      const arms = policy.ask();
      policy.tell(arms, arms.map((arm) => reward(arm, policy.counts[arm])));
      const { either } = policy.bounds;
      const certain = Math.max(policy.certain.value, 0);
      history.push({ samples: policy.samples, highest: Math.max(...either), certain, either });
      return true;
    }

    function begin() {
      const { delta, sigma, means } = settings;
      policy = new window.maxgap.Policy(settings[which], means.length, { delta, sigma });
      history = [];
    }

    const root = make("div", { class: "side" }, besides);
    const title = make("p", { class: "title" }, root);
    const strip = make("svg", { role: "group", "aria-label": "Intervals of the arms" }, root);
    const status = make("p", { class: "status", role: "status" }, root);
    const certificates = make("ul", { class: "certificates", "aria-label": "Two certificates" }, root);
    const chart = make("svg", { role: "img", "aria-label": "Gap bounds against samples" }, root);
    const details = make("details", {}, root);
    make("summary", {}, details, "All numbers");
    const scroller = make("div", { class: "scroller", role: "region", tabindex: "0", "aria-label": "Numbers of every arm" }, details);
    const table = make("table", {}, scroller);
    details.addEventListener("toggle", () => draw());

    /** A row of the panel: name, bar, how far it is now, when it first held. */
    function certificateRow(kind, title) {
      const item = make("li", { class: kind }, certificates);
      make("strong", {}, item, title);
      // The words say all that the bar shows.
      const track = make("span", { class: "track", "aria-hidden": "true" }, item);
      const row = { fill: make("span", { class: "fill" }, track) };
      row.words = make("span", { class: "words" }, item);
      return row;
    }

    const intervalsRow = certificateRow("by-intervals", "Intervals");
    const contrastsRow = certificateRow("by-contrasts", "Contrasts");

    let width = 0;
    let rows = [];
    let frame = {}; // what is drawn once for a number of arms and a width

    const plotWidth = () => width - MARGIN.left - MARGIN.right;
    const toX = (value) => MARGIN.left + (plotWidth() * (clamp(value, ...AXIS) - AXIS[0])) / (AXIS[1] - AXIS[0]);
    const toValue = (x) => AXIS[0] + ((x - MARGIN.left) * (AXIS[1] - AXIS[0])) / plotWidth();

    /** Make the parts of both drawings anew: after the number of arms or the width has changed. */
    function lay() {
      const focused = rows.findIndex((row) => row.handle === document.activeElement);
      const nArms = settings.means.length;
      const bottom = MARGIN.top + nArms * ROW;
      const height = bottom + MARGIN.bottom;
      strip.replaceChildren();
      put(strip, { viewBox: `0 0 ${width} ${height}`, width, height });
      frame = {};
      for (let value = Math.ceil(AXIS[0]); value <= AXIS[1]; value += 1) {
        make("line", { class: "grid", x1: toX(value), x2: toX(value), y1: MARGIN.top, y2: bottom }, strip);
        make("text", { x: toX(value), y: bottom + 18, "text-anchor": "middle" }, strip, number(value, 0));
      }
      make("text", { x: width - 2, y: MARGIN.top - 25, "text-anchor": "end" }, strip, "samples");
      make("text", { x: 2, y: MARGIN.top - 25 }, strip, "arm");
      make("text", { x: MARGIN.left + plotWidth() / 2, y: height - 4, "text-anchor": "middle" }, strip, "mean reward");
      frame.band = make("rect", { class: "certain", y: MARGIN.top, height: nArms * ROW }, strip);
      frame.bandText = make("text", { y: MARGIN.top - 25, "text-anchor": "middle" }, strip);
      frame.widest = make("path", { class: "widest" }, strip);
      frame.widestText = make("text", { y: MARGIN.top - 3 }, strip);
      rows = settings.means.map((_, arm) => {
        const y = MARGIN.top + (arm + 0.5) * ROW;
        const row = { y };
        row.mark = make("path", { class: "mark", d: `M3 ${y - 5}l8 5l-8 5z` }, strip);
        make("text", { x: 16, y: y + 5 }, strip, String(arm));
        row.bar = make("rect", { y: y - 12, height: 13, rx: 3 }, strip);
        row.estimate = make("line", { class: "estimate", y1: y - 14, y2: y + 3 }, strip);
        row.count = make("text", { x: width - 2, y: y + 5, "text-anchor": "end" }, strip);
        return row;
      });
      // Handles come last, so that no bar covers them.
      rows.forEach((row, arm) => {
        row.handle = make("g", { class: "handle", role: "slider", tabindex: 0, "aria-label": `True mean of arm ${arm}`,
          "aria-orientation": "horizontal", "aria-valuemin": LEAST_MEAN, "aria-valuemax": MOST_MEAN }, strip);
        make("rect", { class: "target", x: -22, y: -ROW / 2, width: 44, height: ROW }, row.handle);
        make("path", { d: "M0 3L7 14H-7Z" }, row.handle);
        listenToHandle(row.handle, arm, strip, (x) => toValue(x * width));
      });
      if (focused >= 0 && focused < nArms) rows[focused].handle.focus({ preventScroll: true });

      chart.replaceChildren();
      put(chart, { viewBox: `0 0 ${width} ${CHART.height}`, width, height: CHART.height });
      frame.grid = make("g", {}, chart);
      frame.truth = make("line", { class: "truth" }, chart);
      frame.bounds = rows.map(() => make("path", { class: "bound" }, chart));
      frame.highest = make("path", { class: "highest" }, chart);
      frame.certain = make("path", { class: "lowest" }, chart);
      make("text", { x: 2, y: 14 }, chart, "bound of the gap");
      const middle = MARGIN.left + plotWidth() / 2;
      make("text", { x: middle, y: CHART.height - 4, "text-anchor": "middle" }, chart, "samples");
    }

    function drawStrip() {
      const known = policy.bounds !== null;
      const next = new Set(policy.ask());
      rows.forEach((row, arm) => {
        const [left, right] = [toX(policy.lower[arm]), toX(policy.upper[arm])];
        const gone = policy.name === "MaxGapElim" && !policy.active[arm];
        put(row.bar, { x: left, width: Math.max(right - left, 1), class: next.has(arm) ? "bar next" : `bar other${gone ? " gone" : ""}` });
        show(row.mark, next.has(arm));
        const x = toX(policy.means[arm]);
        put(row.estimate, { x1: x, x2: x });
        show(row.estimate, policy.counts[arm] > 0);
        row.count.textContent = String(policy.counts[arm]);
        const mean = settings.means[arm];
        put(row.handle, { transform: `translate(${toX(mean)} ${row.y})`, "aria-valuenow": mean.toFixed(2) });
      });

      const certain = known && policy.certain.value > 0;
      show(frame.band, certain);
      show(frame.bandText, certain);
      if (certain) {
        const isTop = (arm) => policy.certain.top.includes(arm);
        const right = toX(Math.min(...policy.lower.filter((_, arm) => isTop(arm))));
        const left = toX(Math.max(...policy.upper.filter((_, arm) => !isTop(arm))));
        put(frame.band, { x: left, width: Math.max(right - left, 1) });
        const text = `${policy.stopped ? "certified" : "certain"}: ${number(policy.certain.value)}`;
        frame.bandText.textContent = text;
        put(frame.bandText, { x: clamp((left + right) / 2, MARGIN.left + 40, width - MARGIN.right - 40) });
      }

      show(frame.widest, known);
      show(frame.widestText, known);
      if (known) {
        const [l, r] = widestSlot();
        const y = MARGIN.top - 8;
        frame.widestText.textContent = `at most ${number(r - l)}`;
        const outside = toX(r) + 6 < width - 80;
        put(frame.widestText, { x: outside ? toX(r) + 6 : toX(l) - 6, "text-anchor": outside ? "start" : "end" });
        put(frame.widest, { d: `M${toX(l)} ${y + 6}V${y - 6}M${toX(l)} ${y}H${toX(r)}M${toX(r)} ${y + 6}V${y - 6}` });
      }
    }

    /** The ends of a gap as wide as the highest bound. */
    function widestSlot() {
      const highest = Math.max(...policy.bounds.either);
      let ends = [0, 0];
      policy.lower.forEach((l) => {
        policy.upper.forEach((r) => {
          if (r - l === highest) ends = [l, r];
        });
      });
      return ends;
    }

    function drawChart() {
      const most = Math.max(2.2 * trueGap(), 0.2);
      const samples = history.length > 0 ? history[history.length - 1].samples : 0;
      const lastSample = Math.max(samples, 20);
      const base = CHART.height - CHART.bottom;
      const x = (n) => MARGIN.left + (plotWidth() * n) / lastSample;
      const y = (value) => base - ((base - CHART.top) * clamp(value, 0, most)) / most;

      frame.grid.replaceChildren();
      const [stepX, stepY] = [niceStep(lastSample / (width < 480 ? 3 : 5)), niceStep(most / 4)];
      for (let n = 0; n <= lastSample; n += stepX) {
        make("text", { x: x(n), y: base + 17, "text-anchor": "middle" }, frame.grid, n.toLocaleString("en"));
      }
      for (let k = 0; k * stepY <= most; k += 1) {
        const value = k * stepY;
        make("line", { class: "grid", x1: x(0), x2: x(lastSample), y1: y(value), y2: y(value) }, frame.grid);
        make("text", { x: MARGIN.left - 4, y: y(value) + 4, "text-anchor": "end" }, frame.grid, number(value, stepY < 0.1 ? 2 : 1));
      }
      const gap = y(trueGap());
      put(frame.truth, { x1: x(0), x2: x(lastSample), y1: gap, y2: gap });

      // No more points than pixels.
      const every = Math.max(1, Math.floor((2 * history.length) / plotWidth()));
      const shown = history.filter((_, i) => i % every === 0 || i === history.length - 1);
      const line = (value) =>
        shown.map((entry, i) => `${i === 0 ? "M" : "L"}${x(entry.samples).toFixed(1)} ${y(value(entry)).toFixed(1)}`).join("");
      frame.bounds.forEach((path, arm) => put(path, { d: line((entry) => entry.either[arm]) }));
      put(frame.highest, { d: line((entry) => entry.highest) });
      put(frame.certain, { d: line((entry) => entry.certain) });
    }

    function drawTable() {
      table.replaceChildren();
      const head = make("tr", {}, make("thead", {}, table));
      ["arm", "samples", "estimate", "lower", "upper", "right gap ≤", "left gap ≤", "next", "cluster"].forEach((title) =>
        make("th", { scope: "col" }, head, title)
      );
      const body = make("tbody", {}, table);
      const top = policy.recommend();
      const next = policy.ask();
      settings.means.forEach((_, arm) => {
        const row = make("tr", {}, body);
        make("th", { scope: "row" }, row, String(arm));
        [
          String(policy.counts[arm]),
          policy.counts[arm] > 0 ? number(policy.means[arm], 3) : "",
          number(policy.lower[arm], 3),
          number(policy.upper[arm], 3),
          top === null ? "" : number(policy.bounds.right[arm], 3),
          top === null ? "" : number(policy.bounds.left[arm], 3),
          next.includes(arm) ? "yes" : "",
          top === null ? "" : top.includes(arm) ? "top" : "bottom",
        ].forEach((text) => make("td", {}, row, text));
      });
    }

    function fillRow(row, share, held, words) {
      row.fill.style.width = `${100 * clamp(share, 0, 1)}%`;
      row.fill.classList.toggle("held", held);
      row.words.textContent = words;
    }

    function drawCertificates() {
      if (policy.bounds === null) {
        fillRow(intervalsRow, 0, false, "No sample yet.");
        fillRow(contrastsRow, 0, false, "No sample yet.");
        return;
      }
      const [gap, rival] = [policy.certain.value, policy.rivalBound()];
      const compared = gap > 0 ? `certain gap ${number(gap)}, a rival at most ${number(rival)}` : "no gap is certain";
      const { stopped, certified } = policy;
      const intervals = stopped ? `Certified at ${count(policy.samples)} samples: certain gap ${number(gap)}, every rival is smaller.` : `Not certified: ${compared}.`;
      fillRow(intervalsRow, stopped ? 1 : gap > 0 ? gap / rival : 0, stopped, intervals);

      const open = policy.openContrast();
      const begin = certified === null ? "Not certified" : `Certified at ${count(certified.samples)} samples${wrongly(certified)}`;
      const now = open === null ? `nothing is open now${certified === null ? ", the next look is due soon" : ""}` : `open now: ${question(open)} Evidence ${number(Math.max(open.evidence, 0), 1)} of ${number(open.needed, 1)}`;
      fillRow(contrastsRow, open === null ? 1 : open.evidence / open.needed, open === null, `${begin}; ${now}.`);
    }

    function sentence() {
      if (policy.bounds === null) return "No sample yet. Every arm is sampled once in the first round.";
      const begin = `Round ${history.length}, ${policy.samples} samples.`;
      const top = policy.recommend();
      if (policy.stopped) {
        const bottom = settings.means.map((_, arm) => arm).filter((arm) => !top.includes(arm));
        const verdict = fed !== null ? "" : isRight(top) ? " This is right." : ` This is wrong; that happens in at most ${number(100 * settings.delta, 0)}% of runs.`;
        return `${begin} Certified: ${list(top)} above ${list(bottom)}.${verdict}`;
      }
      const certain = Math.max(policy.certain.value, 0);
      const highest = Math.max(...policy.bounds.either);
      const contrasts = policy.certified === null ? "" : " Contrasts have certified.";
      const bounds = `Highest gap bound ${number(highest)}, certain gap ${number(certain)}.${contrasts}`;
      if (!canAdvance()) return `${begin} ${bounds} The end: not certified by intervals.`;
      return `${begin} ${bounds} Next: ${policy.ask().length === policy.nArms ? "all arms" : `arms ${list(policy.ask())}`}.`;
    }

    function draw() {
      title.textContent = policy.name;
      title.hidden = sides.length < 2;
      drawStrip();
      drawChart();
      drawCertificates();
      if (details.open) drawTable();
      // A running commentary would drown whoever listens: while playing only the last state is said.
      status.setAttribute("aria-live", timer === null ? "polite" : "off");
      status.textContent = sentence();
    }

    /** Every number that is drawn. */
    function state() {
      const { counts, means, lower, upper, bounds, certain, stopped } = policy;
      return { rounds: history.length, counts: counts.slice(), means: means.slice(), lower: lower.slice(), upper: upper.slice(),
        right: bounds && bounds.right, left: bounds && bounds.left, certain: certain && certain.value,
        next: policy.ask(), stopped, top: policy.recommend(), rival: bounds && policy.rivalBound(),
        open: bounds && policy.openContrast(), certified: policy.certified };
    }

    return {
      begin, advance, canAdvance, draw, state,
      samples: () => policy.samples,
      lay(now) {
        width = now;
        lay();
      },
      say(text) { status.textContent = text; },
      remove: () => root.remove(),
    };
  }

  function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999);
  }

  const count = (samples) => samples.toLocaleString("en");
  const wrongly = ({ top }) => (fed !== null || isRight(top) ? "" : ", wrongly");

  /** What contrasts leave open, as a question. */
  function question({ kind, arms }) {
    if (kind === "order") return `is arm ${arms[1]} above arm ${arms[0]}?`;
    const gaps = kind === "gap" ? [arms] : arms;
    const named = gaps.map(([low, high]) => `from arm ${low} to arm ${high}`);
    if (kind === "gap") return `may the gap ${named[0]} be as large?`;
    return `may the gaps ${named.join(" and ")} both be as large?`;
  }

  const sides = [makeSide("policy")];
  let width = 0;

  /** One side for every policy that is chosen. */
  function matchSides() {
    while (sides.length > (settings.beside === "" ? 1 : 2)) sides.pop().remove();
    if (settings.beside !== "" && sides.length < 2) sides.push(makeSide("beside"));
  }

  function lay() {
    matchSides();
    sides.forEach((side) => side.lay(sides.length > 1 && width >= 640 ? Math.floor((width - 24) / 2) : width));
  }

  function draw() {
    sides.forEach((side) => side.draw());
    policyBox.value = settings.policy;
    besideBox.value = settings.beside;
    armsBox.value = settings.means.length;
    sigmaBox.value = settings.sigma;
    deltaBox.value = settings.delta;
    sigmaText.textContent = number(settings.sigma);
    deltaText.textContent = number(settings.delta);
    const over = !canStep();
    [stepButton, tenButton, playButton].forEach((node) => { node.disabled = over; });
    playButton.textContent = timer !== null ? "Pause" : calm.matches ? "Run to the end" : "Play";
  }

  // -- what the reader does ----------------------------------------------------------------------

  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  let timer = null;
  let pending = false;

  function stopPlaying() {
    if (timer !== null) window.clearInterval(timer);
    timer = null;
  }

  function step(rounds = 1) {
    advance(rounds);
    if (!canStep()) stopPlaying();
    draw();
    rememberSoon();
  }

  function play() {
    if (timer !== null) {
      stopPlaying();
      draw();
    } else if (calm.matches) {
      step(MOST_ROUNDS); // nothing moves: the end is shown at once
    } else {
      // Radii shrink ever more slowly, so more and more rounds pass at a time.
      timer = window.setInterval(() => step(1 + Math.floor(steps / 30)), 120);
      draw();
    }
  }

  /** After a change: the same noise, the same number of rounds; drawn once a frame. */
  function changed() {
    replay(steps);
    rememberSoon();
    if (pending) return;
    pending = true;
    window.requestAnimationFrame(() => {
      pending = false;
      draw();
    });
  }

  function moveMean(arm, value) {
    const mean = Math.round(clamp(value, LEAST_MEAN, MOST_MEAN) * 100) / 100;
    if (mean === settings.means[arm]) return;
    stopPlaying();
    fed = null;
    settings.means[arm] = mean;
    changed();
  }

  function listenToHandle(handle, arm, picture, valueAt) {
    const steps = { ArrowLeft: -0.05, ArrowDown: -0.05, ArrowRight: 0.05, ArrowUp: 0.05, PageDown: -0.25, PageUp: 0.25, Home: -Infinity, End: Infinity };
    handle.addEventListener("keydown", (event) => {
      if (!(event.key in steps)) return;
      event.preventDefault();
      moveMean(arm, settings.means[arm] + steps[event.key]);
    });
    window.maxgap.draggable(handle, picture, (x) => moveMean(arm, valueAt(x)));
  }

  const FIRST_MEANS = [...START.means, ...SPARE_MEANS];

  function setArms(nArms) {
    const kept = settings.means.slice(0, nArms);
    settings.means = [...kept, ...FIRST_MEANS.slice(kept.length, nArms)];
  }

  policyBox.addEventListener("change", () => {
    stopPlaying();
    settings.policy = policyBox.value;
    changed();
  });
  besideBox.addEventListener("change", () => {
    stopPlaying();
    settings.beside = besideBox.value;
    lay();
    changed();
  });
  armsBox.addEventListener("change", () => {
    const wanted = Math.round(Number(armsBox.value));
    // Cleared, or no number: it stays as it was.
    const nArms = armsBox.value === "" || !(wanted > 0) ? settings.means.length : clamp(wanted, LEAST_ARMS, MOST_ARMS);
    armsBox.value = nArms;
    if (nArms === settings.means.length) return;
    stopPlaying();
    fed = null;
    setArms(nArms);
    lay();
    changed();
  });
  sigmaBox.addEventListener("input", () => {
    settings.sigma = Number(sigmaBox.value);
    changed();
  });
  deltaBox.addEventListener("input", () => {
    settings.delta = Number(deltaBox.value);
    changed();
  });
  stepButton.addEventListener("click", () => { stopPlaying(); step(); });
  tenButton.addEventListener("click", () => { stopPlaying(); step(10); });
  playButton.addEventListener("click", play);
  restartButton.addEventListener("click", () => { stopPlaying(); replay(0); draw(); rememberSoon(); });
  noiseButton.addEventListener("click", () => {
    stopPlaying();
    fed = null;
    seed += 1;
    noise = [];
    changed();
  });
  resetButton.addEventListener("click", () => {
    stopPlaying();
    fed = null;
    settings.means = FIRST_MEANS.slice(0, settings.means.length);
    changed();
  });
  linkButton.addEventListener("click", () => {
    remember();
    const failed = () => { sides[0].say(`The link: ${window.location.href}`); };
    const done = () => { sides[0].say("Copied: the link leads to what is seen here."); };
    if (!navigator.clipboard) failed();
    else navigator.clipboard.writeText(window.location.href).then(done, failed);
  });

  // -- the address -------------------------------------------------------------------------------

  let remembering = null;

  /** Keep the state in the address: policy, sigma, delta, seed of the noise, rounds, means. */
  function remember() {
    if (remembering !== null) window.clearTimeout(remembering);
    remembering = null;
    if (fed !== null) return; // rewards of a test are in no address
    const { policy: name, beside, sigma, delta, means } = settings;
    const parts = [beside === "" ? name : `${name}+${beside}`, sigma, delta, seed, steps, ...means];
    window.history.replaceState(null, "", KEY + parts.join(","));
  }

  /** The same, a moment after whatever the reader did last. */
  function rememberSoon() {
    if (remembering !== null) window.clearTimeout(remembering);
    remembering = window.setTimeout(remember, 400);
  }

  /** Take the state from the address if it holds one, within the bounds of the controls. */
  function restore() {
    if (!window.location.hash.startsWith(KEY)) return false;
    const [names, ...texts] = window.location.hash.slice(KEY.length).split(",");
    const [sigma, delta, itsSeed, rounds, ...means] = texts.map(Number);
    const [name, beside = "", ...none] = names.split("+");
    const within = (x, low, high) => x >= low && x <= high;
    const known = [name, beside || name].every((one) => window.maxgap.POLICIES.includes(one)) && none.length === 0;
    const fits = known && within(sigma, 0.05, 1.5) && within(delta, 0.01, 0.5) &&
      Number.isInteger(itsSeed) && within(itsSeed, 1, 1e9) && Number.isInteger(rounds) && within(rounds, 0, MOST_ROUNDS) &&
      within(means.length, LEAST_ARMS, MOST_ARMS) && means.every((mean) => within(mean, LEAST_MEAN, MOST_MEAN));
    if (!fits) return false;
    stopPlaying();
    Object.assign(settings, { policy: name, beside, sigma, delta, means });
    seed = itsSeed;
    noise = [];
    fed = null;
    replay(rounds);
    return true;
  }

  window.addEventListener("hashchange", () => {
    if (!restore()) return;
    lay();
    draw();
  });

  // -- what a test does --------------------------------------------------------------------------

  window.maxgapExplorable = {
    /** Change some of policy, means, sigma, delta; begins afresh. */
    set(change) {
      stopPlaying();
      Object.assign(settings, change);
      lay();
      replay(0);
      draw();
    },
    /** Take the n-th reward of every arm from this table, arms by samples; begins afresh. */
    feed(rewards) {
      stopPlaying();
      fed = rewards;
      if (rewards.length !== settings.means.length) settings.means = rewards.map((own) => clamp(own[0], LEAST_MEAN, MOST_MEAN));
      lay();
      replay(0);
      draw();
    },
    step,
    state: () => sides[0].state(),
    beside: () => (sides.length > 1 ? sides[1].state() : null),
  };

  // -- begin -------------------------------------------------------------------------------------

  figure.insertBefore(root, figure.firstChild);
  const shell = picture.closest("a") || picture;
  shell.hidden = true;
  shell.style.display = "none";
  const shared = restore();
  if (!shared) replay(START_ROUNDS);
  window.maxgap.watchWidth(root, (now) => {
    width = now;
    lay();
    draw();
  });
  if (shared) figure.scrollIntoView({ block: "start" });
})();
