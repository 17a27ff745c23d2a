/*
 * Intervals to drag: how large can the gap of each arm be, and how small the largest gap?
 *
 * Draws what maxgap.js computes from the intervals alone. It takes the place of the picture in the
 * figure with the id in FIGURE and begins with the intervals of that picture; with scripts off, or
 * if anything here fails, the picture stays.
 */
"use strict";

(function () {
  const figure = document.querySelector(".bounds-figure");
  const picture = figure === null ? null : figure.querySelector("svg");
  if (picture === null || !window.maxgap) return;
  const START = JSON.parse(figure.querySelector("script").textContent);
  const KEY = "#intervals=";
  const { axis: AXIS, steps: STEPS } = START; // so many steps in a unit: ends tie exactly
  const STEP = 1 / STEPS;
  const SHAPES = { low: "M6 -9H0V9H6", mean: "M0 -9L6 0L0 9L-6 0Z", high: "M-6 -9H0V9H-6" };
  const WORDS = { low: "lower end", mean: "whole interval", high: "upper end" };
  const ROW = 46;
  const MARGIN = { left: 58, right: 74, top: 46, bottom: 44 };

  let ends = START.lower.map((low, arm) => [low, START.upper[arm]]);
  let chosen = START.arm;
  let width = 0;
  let under = null; // all that is drawn anew at each change
  let handles = [];

  const { make } = window.maxgap;

  const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
  const number = (x) => x.toFixed(2).replace("-", "−");
  const snapped = (x) => Math.round(x * STEPS) / STEPS;
  const plotWidth = () => width - MARGIN.left - MARGIN.right;
  const toX = (value) => MARGIN.left + (plotWidth() * (value - AXIS[0])) / (AXIS[1] - AXIS[0]);
  const toValue = (x) => AXIS[0] + ((x - MARGIN.left) * (AXIS[1] - AXIS[0])) / plotWidth();

  const root = make("div", { class: "bounds-explorer", role: "group", "aria-label": "Intervals to drag" });
  const buttons = make("div", { class: "buttons" }, root);
  const armBox = make("select");
  const label = make("label", {}, buttons, "Widest gap of ");
  label.append(armBox);
  ends.forEach((_, arm) => make("option", { value: arm }, armBox, `arm ${arm}`));
  const resetButton = make("button", { type: "button" }, buttons, "As at first");
  const board = make("svg", { role: "group", "aria-label": "Intervals of the arms" }, root);
  const status = make("p", { class: "status", role: "status" }, root);
  figure.insertBefore(root, picture);
  picture.style.display = "none";

  // -- what is computed ----------------------------------------------------------------------------

  /** Every bound, where an arm's widest gap lies, and the gap that is certain. */
  function found() {
    const lower = ends.map(([low]) => low);
    const upper = ends.map(([, high]) => high);
    const bounds = window.maxgap.gapBounds(lower, upper);
    const middle = ends.map(([low, high]) => (low + high) / 2);
    return { bounds, certain: window.maxgap.gapLower(middle, lower, upper), slot: slot(bounds, chosen) };
  }

  /** From which lower to which upper end the widest gap of an arm reaches; null if it has none. */
  function slot({ either }, arm) {
    const wide = either[arm];
    if (!(wide > 0)) return null;
    const [low, high] = ends[arm];
    const inside = (x) => x >= low && x <= high;
    for (const [l] of ends) {
      for (const [, r] of ends) {
        if (Math.abs(r - l - wide) < 1e-9 && (inside(l) || inside(r))) return [l, r];
      }
    }
    return null;
  }

  // -- drawing -------------------------------------------------------------------------------------

  const heightOf = () => MARGIN.top + ends.length * ROW + MARGIN.bottom;

  /** Make the handles, which stay while they are dragged; after the width has changed. */
  function lay() {
    const focused = handles.findIndex(({ node }) => node === document.activeElement);
    board.replaceChildren();
    board.setAttribute("viewBox", `0 0 ${width} ${heightOf()}`);
    board.setAttribute("height", heightOf());
    under = make("g", {}, board);
    // The interval as a whole comes first: the ends lie over it, and can be taken when it is short.
    handles = ends.flatMap((_, arm) => ["mean", "low", "high"].map((part) => handle(arm, part)));
    if (focused >= 0) handles[focused].node.focus({ preventScroll: true });
  }

  function handle(arm, part) {
    const node = make("g", { class: `handle ${part}`, role: "slider", tabindex: 0, "aria-label": `Arm ${arm}, ${WORDS[part]}`,
      "aria-orientation": "horizontal", "aria-valuemin": AXIS[0], "aria-valuemax": AXIS[1] }, board);
    const [from, wide] = { low: [-22, 22], mean: [-11, 22], high: [0, 22] }[part];
    make("rect", { class: "target", x: from, width: wide, y: -ROW / 2, height: ROW }, node);
    make("path", { d: SHAPES[part] }, node);
    listen(node, arm, part);
    return { node, arm, part };
  }

  function at(arm, part) {
    const [low, high] = ends[arm];
    return { low, mean: (low + high) / 2, high }[part];
  }

  function draw() {
    const { bounds, certain, slot: widest } = found();
    const bottom = MARGIN.top + ends.length * ROW;
    under.replaceChildren();
    for (let value = Math.ceil(AXIS[0]); value <= AXIS[1]; value += 1) {
      make("line", { class: "grid", x1: toX(value), x2: toX(value), y1: MARGIN.top, y2: bottom }, under);
      make("text", { x: toX(value), y: bottom + 17, "text-anchor": "middle" }, under, String(value));
    }
    make("text", { x: MARGIN.left + plotWidth() / 2, y: heightOf() - 6, "text-anchor": "middle" }, under, "mean");
    make("text", { x: width - 2, y: MARGIN.top - 8, "text-anchor": "end" }, under, "gap bound");
    if (certain.value > 0) {
      const above = Math.min(...certain.top.map((arm) => ends[arm][0]));
      const below = above - certain.value;
      make("rect", { class: "certain", x: toX(below), width: toX(above) - toX(below), y: MARGIN.top, height: ends.length * ROW }, under);
    }
    if (widest !== null) {
      const [l, r] = widest.map(toX);
      make("path", { class: "widest", d: `M${l} ${MARGIN.top - 16}V${MARGIN.top - 6}M${l} ${MARGIN.top - 11}H${r}M${r} ${MARGIN.top - 16}V${MARGIN.top - 6}` }, under);
      make("text", { x: clamp((l + r) / 2, 70, width - 70), y: MARGIN.top - 24, "text-anchor": "middle" }, under, `arm ${chosen}: at most ${number(bounds.either[chosen])}`);
    }
    const highest = Math.max(...bounds.either);
    ends.forEach(([low, high], arm) => {
      const y = MARGIN.top + (arm + 0.5) * ROW;
      const kind = arm === chosen ? "chosen" : "other";
      make("text", { x: 2, y: y + 5, class: kind }, under, `arm ${arm}`);
      make("rect", { class: `bar ${kind}`, x: toX(low), width: Math.max(toX(high) - toX(low), 1), y: y - 6, height: 12 }, under);
      const mark = bounds.either[arm] === highest ? "▲ " : "";
      make("text", { x: width - 2, y: y + 5, "text-anchor": "end" }, under, mark + number(bounds.either[arm]));
    });
    handles.forEach(({ node, arm, part }) => {
      node.setAttribute("transform", `translate(${toX(at(arm, part))} ${MARGIN.top + (arm + 0.5) * ROW})`);
      node.setAttribute("aria-valuenow", at(arm, part).toFixed(2));
    });
    armBox.value = chosen;
    status.textContent = sentence(bounds, certain);
  }

  function sentence({ either }, certain) {
    const highest = Math.max(...either);
    const arms = either.map((_, arm) => arm).filter((arm) => either[arm] === highest);
    const least = certain.value > 0 ? `The largest gap is at least ${number(certain.value)}.` : "No gap is certain.";
    return `Arm ${chosen}: a gap of at most ${number(either[chosen])}. Highest bound ${number(highest)}, arms ${arms.join(", ")} (▲). ${least}`;
  }

  // -- what the reader does --------------------------------------------------------------------------

  function move(arm, part, value) {
    const [low, high] = ends[arm];
    const to = snapped(value);
    if (part === "low") ends[arm] = [clamp(to, AXIS[0], high), high];
    if (part === "high") ends[arm] = [low, clamp(to, low, AXIS[1])];
    if (part === "mean") {
      const by = clamp(snapped(value - (low + high) / 2), AXIS[0] - low, AXIS[1] - high);
      ends[arm] = [snapped(low + by), snapped(high + by)];
    }
    chosen = arm;
    draw();
    rememberSoon();
  }

  function listen(node, arm, part) {
    const steps = { ArrowLeft: -STEP, ArrowDown: -STEP, ArrowRight: STEP, ArrowUp: STEP, PageDown: -5 * STEP, PageUp: 5 * STEP };
    node.addEventListener("keydown", (event) => {
      if (!(event.key in steps)) return;
      event.preventDefault();
      move(arm, part, at(arm, part) + steps[event.key]);
    });
    window.maxgap.draggable(node, board, (x) => move(arm, part, toValue(x * width)));
  }

  armBox.addEventListener("change", () => {
    chosen = Number(armBox.value);
    draw();
    rememberSoon();
  });
  resetButton.addEventListener("click", () => {
    ends = START.lower.map((low, arm) => [low, START.upper[arm]]);
    chosen = START.arm;
    draw();
    rememberSoon();
  });

  // -- the address -----------------------------------------------------------------------------------

  let pending = null;

  function rememberSoon() {
    if (pending !== null) window.clearTimeout(pending);
    pending = window.setTimeout(() => {
      pending = null;
      const parts = [chosen, ...ends.flat().map((x) => Number(x.toFixed(2)))];
      window.history.replaceState(null, "", KEY + parts.join(","));
    }, 400);
  }

  function restore() {
    if (!window.location.hash.startsWith(KEY)) return false;
    const [arm, ...values] = window.location.hash.slice(KEY.length).split(",").map(Number);
    const pairs = ends.map((_, k) => values.slice(2 * k, 2 * k + 2).map(snapped));
    const fits = values.length === 2 * ends.length && ends[arm] !== undefined &&
      pairs.every(([low, high]) => low >= AXIS[0] && low <= high && high <= AXIS[1]);
    if (fits) [chosen, ends] = [arm, pairs];
    return fits;
  }

  window.addEventListener("hashchange", () => restore() && draw());

  /** For a test: what is drawn. */
  window.maxgapBounds = { state: () => ({ ends: ends.map((pair) => pair.slice()), chosen, ...found() }) };

  const shared = restore();
  window.maxgap.watchWidth(root, (now) => {
    width = now;
    lay();
    draw();
  });
  if (shared) figure.scrollIntoView({ block: "start" });
})();
