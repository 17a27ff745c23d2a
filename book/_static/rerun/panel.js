/*
 * The rerun panel: guess how many times fewer samples, then repeat the paper's experiment and see.
 *
 * It draws what core.js computes, in workers or, where there are none, in the page itself. What is
 * known before a run, the instances, the paper's number, the book's and what is proved, is in the
 * page, put there by the chapters that computed it. A panel with `data-small` has no settings.
 *
 * The n-th run of a policy is the same for the same seed, so an address holds a whole experiment.
 */
const core = window.maxgapRerun;
const PRESETS = JSON.parse(document.getElementById("rerun-presets").textContent.replaceAll("'", "’"));
const WORKER = `${document.getElementById("rerun-core").textContent}
onmessage = ({ data }) => {
  const { wrong, counts } = maxgapRerun.simulate(data);
  postMessage({ wrong, counts }, [wrong.buffer, counts.buffer]);
};`;
const LETTERS = { E: "MaxGapElim", U: "MaxGapUCB", T: "MaxGapTop2UCB" };
const RADII = { "authors-lil": "of the scripts", paper: "as printed", "normal-mixture": "normal mixture", hoeffding: "Hoeffding’s" };
const RUNS = [120, 480, 1200]; // of one press; the first is the paper's
const [MOST_RUNS, MOST_SETS] = [4800, 60];
const MOST = 12; // end of the axis of guesses
const BATCH = 10; // runs between two pictures
const RESAMPLES = 400;
const KEY = "#rerun=";
const KEPT = ["sigma", "radius", "runs", "delta", "seed", "level", "guess"]; // in the address

// -- small helpers -----------------------------------------------------------------------------

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const whole = (x) => Math.round(x).toLocaleString("en");
const short = (x) => (x === Infinity ? "∞" : whole(Number(x.toPrecision(3))));
const times = (x) => (x === Infinity ? "∞" : x.toFixed(1));
const range = (low, high) => `${times(low)}–${times(high)}`;
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
const SVG = ["svg", "g", "rect", "line", "path", "text", "circle"];

function make(tag, attributes = {}, parent = null, text = null) {
  const node = SVG.includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  if (text !== null) node.textContent = text;
  if (parent !== null) parent.append(node);
  return node;
}

const line = (parent, kind, x1, y1, x2, y2) => make("line", { class: kind, x1, y1, x2, y2 }, parent);
const label = (parent, x, y, text, anchor = "middle", kind = "") => make("text", { x, y, "text-anchor": anchor, class: kind }, parent, text);
const pathOf = (points) => `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;

/** A slider: `move` is told the place of the pointer in the picture, `step` a number of steps. */
function slide(node, picture, move, step) {
  const follow = (event) => {
    const box = picture.getBoundingClientRect();
    move(event.clientX - box.left, event.clientY - box.top);
  };
  node.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    follow(event);
    node.addEventListener("pointermove", follow);
  });
  ["pointerup", "pointercancel"].forEach((kind) => node.addEventListener(kind, () => node.removeEventListener("pointermove", follow)));
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -100, End: 100 };
  node.addEventListener("keydown", (event) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    step(steps[event.key]);
  });
}

// -- where runs are computed ---------------------------------------------------------------------

/** Computes pieces of work one after another, as many at a time as there are processors. */
function makeRunner() {
  let workers = [];
  let job = null;
  let inPage = false;

  function newWorker() {
    const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = ({ data }) => {
      const { piece } = worker;
      worker.piece = null;
      job.done(piece, data);
      if (job !== null) feed(worker);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const lost = workers.map((one) => one.piece).filter(Boolean);
      drop();
      inPage = true;
      if (job !== null) start([...lost, ...job.pieces], job.done);
    };
    return worker;
  }

  function feed(worker) {
    worker.piece = job.pieces.shift();
    if (worker.piece) worker.postMessage(worker.piece.setting);
  }

  function drop() {
    workers.forEach((worker) => worker.terminate());
    workers = [];
  }

  function workInPage(mine) {
    if (job !== mine) return;
    const piece = mine.pieces.shift();
    mine.done(piece, core.simulate(piece.setting));
    setTimeout(workInPage, 0, mine);
  }

  function start(pieces, done) {
    job = { pieces, done };
    try {
      while (!inPage && workers.length < Math.min(navigator.hardwareConcurrency || 2, 8)) workers.push(newWorker());
    } catch (problem) {
      inPage = true;
    }
    if (inPage) setTimeout(workInPage, 0, job);
    else workers.forEach(feed);
  }

  /** After the last piece, or before it. */
  function stop() {
    if (workers.some((worker) => worker.piece)) drop();
    job = null;
  }

  return { start, stop };
}

// -- a panel ---------------------------------------------------------------------------------------

function begin(root) {
  const small = "small" in root.dataset;
  const runner = makeRunner();
  const state = { delta: 0.1, seed: 1, level: 5, guess: null, runs: RUNS[0], policies: ["MaxGapUCB"], preset: root.dataset.preset };
  let shown = null; // the curves of the experiment on the page
  let before = []; // wrong answers of earlier experiments, for their dots
  let number = 0; // of the experiment on the page
  let working = null; // what a press asked for, while it is computed
  let told = "";

  const preset = () => PRESETS.find(({ key }) => key === state.preset);
  const policies = () => ["RoundRobin", ...state.policies];
  const compared = () => ["MaxGapUCB", "MaxGapTop2UCB", "MaxGapElim"].find((name) => state.policies.includes(name));
  const asPreset = () => state.sigma === preset().sigma && state.radius === preset().radius && state.delta === preset().delta;
  const name = (policy) => (policy === "RoundRobin" ? "round robin" : policy);

  function take(key) {
    state.preset = key;
    const { sigma, radius, delta } = preset();
    Object.assign(state, { sigma, radius, delta });
  }

  /** Numbers of samples to look at, as ranges [first, last, step]: with sigma they grow as its square. */
  function ranges(policy) {
    const factor = (state.sigma / preset().sigma) ** 2;
    let end = 0;
    return preset().looks[policy === "RoundRobin" ? "base" : "others"].map(([first, last, step]) => {
      const scaled = Math.max(1, Math.round(step * factor));
      const begins = Math.max(Math.round(first / step), Math.floor(end / scaled) + 1) * scaled;
      end = Math.max(Math.round(last / step) * scaled, begins);
      return [begins, end, scaled];
    });
  }

  const looksOf = (policy) => ranges(policy).flatMap(([first, last, step]) => Array.from({ length: (last - first) / step + 1 }, (_, k) => first + k * step));

  // -- what was run --------------------------------------------------------------------------------

  function fresh() {
    return Object.fromEntries(policies().map((policy) => [policy, { looks: looksOf(policy), pieces: [], resampled: null }]));
  }

  function clear() {
    cancel();
    [shown, before, number] = [null, [], 0];
  }

  /** Wrong answers at every look, of the first runs. */
  function wrongOf({ looks, pieces }, runs = Infinity) {
    const found = { runs: 0, wrong: new Array(looks.length).fill(0) };
    pieces.forEach(({ first, counted, size }) => {
      if (first >= runs) return;
      found.runs += size;
      counted.forEach((count, k) => { found.wrong[k] += count; });
    });
    return found;
  }

  const crossing = ({ runs, wrong }, looks) => (runs === 0 ? Infinity : core.firstBelow(wrong, runs, looks, state.level / 100));

  /** Ratio of the first runs of an experiment, which are as many as the paper's or as are asked for. */
  function ratioOf(counts) {
    const [base, other] = ["RoundRobin", compared()].map((policy) => crossing(counts[policy], looksOf(policy)));
    return base === Infinity ? null : core.timesFewer(base, other);
  }

  const firstRuns = (curves) => Object.fromEntries(policies().map((policy) => [policy, wrongOf(curves[policy], state.runs)]));

  /** Add runs to the experiments of these numbers: [number, first run, runs]. */
  function run(parts) {
    if (working !== null) return;
    const started = performance.now();
    const all = policies().flatMap((policy) => parts.flatMap(([set, first, runs]) =>
      Array.from({ length: Math.ceil(runs / BATCH) }, (_, k) => ({ policy, set, first: first + k * BATCH, runs: Math.min(BATCH, runs - k * BATCH) }))));
    // Batch by batch, so that all curves grow together.
    all.sort((one, other) => one.set - other.set || one.first - other.first);
    const { sigma, delta, radius, seed } = state;
    const pieces = all.map(({ policy, set, first, runs }) => ({
      policy, set, press: started,
      setting: { policy, means: preset().means, sigma, delta, radius, looks: looksOf(policy), seed, first: first + 1e6 * set, runs },
    }));
    const size = ({ setting }) => setting.runs * setting.looks[setting.looks.length - 1];
    working = { all: sum(pieces.map(size)), done: 0, parts, started, before, number, shown, sets: new Map([[number, shown]]) };
    if (parts[0][0] > number) before = [...before, firstRuns(shown)];
    parts.forEach(([set]) => { if (!working.sets.get(set)) working.sets.set(set, fresh()); });
    number = parts[parts.length - 1][0];
    shown = working.sets.get(parts[0][0]);
    told = "";
    draw();
    runner.start(pieces, (piece, { wrong, counts }) => {
      const curve = working.sets.get(piece.set)[piece.policy];
      const { first, runs } = piece.setting;
      curve.pieces.push({ press: piece.press, first: first % 1e6, size: runs, wrong, counts, counted: core.summed(wrong, curve.looks.length) });
      working.done += size(piece);
      shown = working.sets.get(piece.set);
      if (working.done === working.all) finish();
      else drawSoon();
    });
  }

  function finish() {
    const { parts, sets, all, started } = working;
    working = null;
    runner.stop();
    parts.slice(0, -1).forEach(([set]) => before.push(firstRuns(sets.get(set))));
    shown = sets.get(number);
    Object.values(shown).forEach((curve) => {
      curve.resampled = null;
      curve.pieces.sort((one, other) => one.first - other.first); // whichever worker was first
    });
    const seconds = (performance.now() - started) / 1000;
    told = `${all >= 1e6 ? `${(all / 1e6).toFixed(1)} million` : whole(all)} samples in ${seconds.toFixed(1)} seconds.`;
    draw();
    remember();
  }

  /** What was asked for last is undone. */
  function cancel() {
    if (working === null) return;
    const { parts, started } = working;
    runner.stop();
    ({ before, number, shown } = working);
    working = null;
    if (shown !== null) Object.values(shown).forEach((curve) => { curve.pieces = curve.pieces.filter(({ press }) => press !== started); });
    told = `Cancelled; ${parts.length > 1 ? "these experiments are" : "this run is"} not counted.`;
    draw();
  }

  const runsShown = () => (shown === null ? 0 : wrongOf(shown.RoundRobin).runs);

  /** Ratio of all runs of a policy, with its interval once they are done. */
  function result(policy) {
    const until = (each) => crossing(wrongOf(shown[each]), shown[each].looks);
    const [base, other] = [until("RoundRobin"), until(policy)];
    const found = { base, other, ratio: base === Infinity ? Infinity : core.timesFewer(base, other) };
    if (working !== null) return found;
    const drawn = ["RoundRobin", policy].map((each) => {
      const curve = shown[each];
      if (!curve.resampled) {
        const rows = new Uint8Array(sum(curve.pieces.map(({ wrong }) => wrong.length)));
        curve.pieces.reduce((at, { wrong }) => { rows.set(wrong, at); return at + wrong.length; }, 0);
        curve.resampled = core.resampled(rows, curve.looks.length, RESAMPLES, core.POLICIES.indexOf(each));
      }
      const runs = wrongOf(curve).runs;
      return curve.resampled.map((wrong) => core.firstBelow(wrong, runs, curve.looks, state.level / 100));
    });
    [found.low, found.high] = core.percentiles(drawn[0].map((slow, k) => core.timesFewer(slow, drawn[1][k])));
    return found;
  }

  // -- the page ------------------------------------------------------------------------------------

  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Rerun the experiment");
  root.querySelectorAll(".without").forEach((node) => { node.hidden = true; });
  const page = make("div", { class: "page" }, root);
  const question = make("p", { class: "question" }, page);
  const scale = make("svg", { class: "scale", role: "group", "aria-label": "Times fewer samples" }, page);
  const buttons = make("div", { class: "buttons" }, page);
  const button = (text, press, parent = buttons) => {
    const node = make("button", { type: "button" }, parent, text);
    node.addEventListener("click", press);
    return node;
  };
  const runButton = button("Run", () => run([[0, 0, state.runs]]));
  runButton.className = "main";
  const moreButton = button("More", () => run([[number, runsShown(), state.runs]]));
  const anotherButton = button("Another", () => run([[number + 1, 0, state.runs]]));
  const manyButton = button("Many", () => run(Array.from({ length: Math.min(20, MOST_SETS - number - 1) }, (_, k) => [number + 1 + k, 0, state.runs])));
  const cancelButton = button("Cancel", cancel);
  const progress = make("progress", { max: 1, "aria-label": "Runs done" }, buttons);
  const answer = make("div", { class: "answer" }, page);
  const bold = make("p", { class: "number" }, answer);
  const status = make("p", { role: "status" }, answer);
  const dotsSay = make("p", { class: "dots-say" }, answer);
  const tries = make("p", { class: "buttons tries" }, answer);
  const panels = make("div", { class: "panels" }, page);
  const [left, right] = ["instance", "errors"].map((kind) => make("figure", { class: kind }, panels));
  const bars = make("svg", { role: "img" }, left);
  const barsSay = make("figcaption", {}, left);
  const curves = make("svg", { role: "group", "aria-label": "Share of wrong answers against samples" }, right);
  make("figcaption", {}, right, "Share of wrong answers against samples, both axes logarithmic; bands: 95% Wilson intervals. Drag the level.");
  const details = make("details", { class: "numbers" }, page);
  make("summary", {}, details, "The numbers");
  const scroller = make("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "The numbers" }, details);
  const table = make("table", {}, scroller);
  const controls = make("div", { class: "controls" }, page);
  const foot = make("div", { class: "buttons" }, page);

  // -- guess and result: one axis ------------------------------------------------------------------

  const AXIS = 112; // its height in the picture
  const MARGIN = 16;
  let width = 0;
  const toX = (value) => MARGIN + ((width - 2 * MARGIN) * clamp(value, 0, MOST)) / MOST;
  const scaleUnder = make("g", {}, scale);
  const handle = make("g", { class: "guess", role: "slider", tabindex: 0, "aria-label": "Your guess, times fewer samples", "aria-valuemin": 0, "aria-valuemax": MOST }, scale);
  const ground = make("rect", { class: "target", x: 0, y: 20, height: AXIS }, handle);
  const pin = make("path", {}, handle);
  const pinSays = make("text", { "text-anchor": "middle", y: 14 }, handle);

  function setGuess(value) {
    if (shown !== null || working !== null) return; // a guess comes before the result
    state.guess = clamp(Math.round(value * 2) / 2, 0, MOST);
    draw();
  }
  slide(handle, scale, (x) => setGuess(((x - MARGIN) * MOST) / (width - 2 * MARGIN)), (steps) => setGuess((state.guess || 0) + steps / 2));

  /** What is marked on the axis, from the right to the left: text, from, to, kind. */
  function marks() {
    const { claimed, says, limit, book, runs } = preset();
    const own = asPreset() && (book[compared()] || {})[state.level];
    return [
      { text: says, from: claimed[0], to: claimed[1], at: claimed[0], kind: "claimed" },
      limit && { text: `proved limit: ${limit}`, from: limit, to: limit, at: limit, kind: "limit" },
      own && { text: `this book, ${whole(runs)} runs: ${times(own[0])} (${range(own[1], own[2])})`, from: own[1], to: own[2], at: own[0], kind: "book" },
    ].filter(Boolean).sort((one, other) => other.at - one.at);
  }

  /** Ratios of all experiments so far, where round robin comes down to the level. */
  const allRatios = () => [...before, ...(shown !== null && working === null ? [firstRuns(shown)] : [])].map(ratioOf).filter((ratio) => ratio !== null);

  function drawScale(found) {
    // Nothing is given away before the first result.
    const all = shown === null || (working !== null && working.shown === null) ? [] : marks();
    const height = AXIS + 26 + (shown === null ? 0 : 17 * 3);
    scale.setAttribute("viewBox", `0 0 ${width} ${height}`);
    scale.setAttribute("height", height);
    scaleUnder.replaceChildren();
    line(scaleUnder, "axis", MARGIN, AXIS, width - MARGIN, AXIS);
    all.forEach(({ from, to, at, kind }, row) => {
      make("rect", { class: `mark ${kind}`, x: toX(from) - 1, width: Math.max(toX(to) - toX(from), 2), y: 26, height: AXIS - 26 }, scaleUnder);
      line(scaleUnder, `mark ${kind}`, toX(at), 26, toX(at), AXIS + 31 + 17 * row);
    });
    for (let value = 0; value <= MOST; value += 1) {
      line(scaleUnder, "axis", toX(value), AXIS, toX(value), AXIS + 4);
      if (value % (width < 500 ? 2 : 1) === 0) label(scaleUnder, toX(value), AXIS + 18, `${value}${value === MOST && shown !== null ? "+" : ""}`);
    }
    all.forEach(({ text, at, kind }, row) => {
      const wide = 6.6 * text.length;
      const beside = toX(at) + 6 + wide < width;
      label(scaleUnder, beside ? toX(at) + 6 : Math.max(toX(at) - 6, wide), AXIS + 36 + 17 * row, text, beside ? "start" : "end", kind);
    });
    const [least] = preset().claimed;
    const stacks = new Map();
    const places = allRatios().map((ratio) => {
      const bin = Math.min(Math.floor(ratio * 4), 4 * MOST - 1);
      stacks.set(bin, (stacks.get(bin) || 0) + 1);
      return { bin, up: stacks.get(bin), high: ratio >= least };
    });
    const spread = Math.min(9, (AXIS - 54) / Math.max(...stacks.values(), 1));
    places.forEach(({ bin, up, high }, k) => {
      const kind = `dot${high ? " high" : ""}${k === places.length - 1 ? " last" : ""}`;
      make("circle", { class: kind, cx: toX((bin + 0.5) / 4), cy: AXIS - 22 - (up - 0.5) * spread, r: 4 }, scaleUnder);
    });
    if (found && found.base !== Infinity) {
      const y = AXIS - 10;
      if (found.low !== undefined) make("path", { class: "interval", d: `M${toX(found.low)} ${y - 6}v12m0 -6H${toX(found.high)}m0 -6v12` }, scaleUnder);
      make("circle", { class: `estimate ${compared()}`, cx: toX(found.ratio), cy: y, r: 6 }, scaleUnder);
    }
    const at = toX(state.guess || 0);
    ground.setAttribute("width", width);
    pin.setAttribute("d", `M${at} ${AXIS}V28m-7 -8h14l-7 9z`);
    pinSays.setAttribute("x", clamp(at, 44, width - 44));
    pinSays.textContent = state.guess === null ? "your guess?" : `your guess: ${state.guess}`;
    handle.classList.toggle("unset", state.guess === null);
    handle.classList.toggle("fixed", shown !== null);
    handle.setAttribute("aria-valuenow", state.guess || 0);
    handle.setAttribute("aria-valuetext", state.guess === null ? "not set" : `${state.guess} times`);
    handle.setAttribute("aria-disabled", String(shown !== null));
  }

  // -- the instance ----------------------------------------------------------------------------------

  /** Mean samples of every arm by the look at which the compared policy meets the level. */
  function drawBars(found, wide) {
    const policy = compared();
    const { means } = preset();
    const [low, high] = [Math.min(...means), Math.max(...means)];
    const [x0, x1, top, base] = [10, wide - 10, 44, 190];
    const x = (mean) => x0 + ((x1 - x0) * (mean - low)) / (high - low);
    bars.replaceChildren();
    bars.setAttribute("viewBox", `0 0 ${wide} ${base + 22}`);
    bars.setAttribute("height", base + 22);
    const sorted = means.slice().sort((a, b) => a - b);
    const gaps = sorted.slice(1).map((mean, k) => [mean - sorted[k], sorted[k]]).sort((a, b) => b[0] - a[0]);
    gaps.slice(0, 2).forEach(([gap, from], k) => {
      const [a, b] = [x(from), x(from + gap)];
      make("rect", { class: `gap rank${k}`, x: a, width: b - a, y: 24, height: 20 }, bars);
      if (b - a > 34 || k === 0) label(bars, clamp((a + b) / 2, 64, wide - 64), 16, `${k === 0 ? "largest gap " : ""}${Number(gap.toPrecision(3))}`);
    });
    line(bars, "axis", x0, top, x1, top);
    const curve = shown && shown[policy];
    const runs = curve ? wrongOf(curve).runs : 0;
    let samples = "";
    if (found !== null) {
      const { looks } = curve;
      let look = looks.findIndex((n) => n >= Math.min(found.other, looks[looks.length - 1]));
      if (working !== null) look = Math.floor((looks.length - 1) / 4); // the same while it grows
      const all = means.map((_, arm) => sum(curve.pieces.map(({ counts }) => counts[look * means.length + arm])));
      const planned = working === null ? runs : Math.max(runs, sum(working.parts.filter(([set]) => working.sets.get(set) === shown).map((part) => part[2])));
      const most = Math.max(...all) * (planned / runs);
      const thick = clamp((x1 - x0) / means.length - 1, 2, 8);
      all.forEach((count, arm) => make("rect", { class: `bar ${policy}`, x: x(means[arm]) - thick / 2, width: thick, y: top + 6, height: ((base - top - 6) * count) / most }, bars));
      const even = (looks[look] * planned) / means.length;
      const y = top + 6 + ((base - top - 6) * even) / most;
      line(bars, "even", x0, y, x1, y);
      label(bars, x1, base + 16, `longest bar: ${short(most / planned)} samples`, "end");
      samples = `${policy}: mean samples of each arm after ${short(looks[look])} in all; dashed: an even share.`;
    }
    means.forEach((mean) => line(bars, "tick", x(mean), 28, x(mean), top));
    barsSay.textContent = `The means of the ${means.length} arms and their two largest gaps. ${samples}`;
    bars.setAttribute("aria-label", barsSay.textContent);
  }

  // -- error against samples ---------------------------------------------------------------------------

  const LEAST = 0.6; // per cent, the lower end of the picture
  const frame = { x0: 40, top: 44, base: 220 };
  const curvesUnder = make("g", {}, curves);
  const level = make("g", { class: "level", role: "slider", tabindex: 0, "aria-label": "Error level", "aria-orientation": "vertical", "aria-valuemin": 1, "aria-valuemax": 20 }, curves);
  const levelTarget = make("rect", { class: "target", height: 32, y: -16 }, level);
  const levelLine = make("line", {}, level);
  const levelGrip = make("path", { d: "M-9 0l9 -9 9 9 -9 9z" }, level);
  const levelSays = make("text", { "text-anchor": "end", x: frame.x0 - 5, y: 4 }, level);
  const toY = (percent) => frame.top + ((frame.base - frame.top) * Math.log(100 / clamp(percent, LEAST, 100))) / Math.log(100 / LEAST);

  function setLevel(percent) {
    state.level = clamp(Math.round(percent), 1, 20);
    drawSoon();
    rememberSoon();
  }
  const toPercent = (y) => 100 * (LEAST / 100) ** ((y - frame.top) / (frame.base - frame.top));
  slide(level, curves, (_, y) => setLevel(toPercent(y)), (steps) => setLevel(state.level + steps));

  function drawCurves(wide) {
    const [x0, x1] = [frame.x0, wide - 12];
    const last = looksOf("RoundRobin").pop();
    const first = Math.max(Math.min(...policies().map((policy) => looksOf(policy)[0])), preset().means.length);
    const x = (n) => x0 + ((x1 - x0) * Math.log(clamp(n, first, last) / first)) / Math.log(last / first);
    curves.setAttribute("viewBox", `0 0 ${wide} ${frame.base + 36}`);
    curves.setAttribute("height", frame.base + 36);
    curvesUnder.replaceChildren();
    [100, 50, 20, 10, 5, 2, 1].forEach((percent) => {
      line(curvesUnder, "grid", x0, toY(percent), x1, toY(percent));
      if (Math.abs(toY(percent) - toY(state.level)) > 12) label(curvesUnder, x0 - 5, toY(percent) + 4, `${percent}%`, "end");
    });
    for (let power = 10 ** Math.ceil(Math.log10(first)); power <= last; power *= 10) {
      line(curvesUnder, "grid", x(power), frame.top, x(power), frame.base);
      label(curvesUnder, x(power), frame.base + 16, whole(power));
    }
    label(curvesUnder, (x0 + x1) / 2, frame.base + 32, "samples");
    const crossings = [];
    policies().filter((policy) => shown !== null && shown[policy]).forEach((policy) => {
      const { looks } = shown[policy];
      const counted = wrongOf(shown[policy]);
      if (counted.runs === 0) return;
      const from = looks.findIndex((n) => n >= first);
      const ends = counted.wrong.map((wrong) => core.wilson(wrong, counted.runs).map((end) => toY(100 * end)));
      const band = [...ends.map(([, high], k) => [x(looks[k]), high]).slice(from), ...ends.map(([low], k) => [x(looks[k]), low]).slice(from).reverse()];
      make("path", { class: `band ${policy}`, d: `${pathOf(band)}Z` }, curvesUnder);
      const points = core.nonIncreasing(counted.wrong, counted.runs).map((share, k) => [x(looks[k]), toY(100 * share)]);
      make("path", { class: `curve ${policy}`, d: pathOf(points.slice(from)) }, curvesUnder);
      const until = crossing(counted, looks);
      if (until < Infinity && ["RoundRobin", compared()].includes(policy)) crossings.push([policy, until]);
    });
    const y = toY(state.level);
    crossings.forEach(([policy, until]) => {
      line(curvesUnder, `drop ${policy}`, x(until), y, x(until), policy === "RoundRobin" ? 16 : 32);
      make("circle", { class: `estimate ${policy}`, cx: x(until), cy: y, r: 5 }, curvesUnder);
      const text = `${name(policy)}: ${short(until)}`;
      const half = 3.4 * text.length;
      label(curvesUnder, clamp(x(until), half, wide - half), policy === "RoundRobin" ? 12 : 28, text);
    });
    level.setAttribute("transform", `translate(0 ${y})`);
    level.setAttribute("aria-valuenow", state.level);
    level.setAttribute("aria-valuetext", `${state.level}%: ${crossings.map(([policy, until]) => `${name(policy)} after ${short(until)} samples`).join(", ") || "not reached"}`);
    levelTarget.setAttribute("width", wide);
    [["x1", x0], ["x2", x1]].forEach(([key, value]) => levelLine.setAttribute(key, value));
    levelGrip.setAttribute("transform", `translate(${x1} 0)`);
    levelSays.textContent = `${state.level}%`;
  }

  // -- words ---------------------------------------------------------------------------------------------

  /** What the runs can tell and what not. */
  function verdict(found) {
    const policy = compared();
    const end = (each) => whole(looksOf(each).pop());
    const runs = whole(runsShown());
    if (found.base === Infinity) return `Round robin does not come down to ${state.level}% within ${end("RoundRobin")} samples in these ${runs} runs: there is no ratio to read off.`;
    if (found.other === Infinity) return `${policy} does not come down to ${state.level}% within ${end(policy)} samples, round robin does after ${short(found.base)}: the gain is below ${times(found.base / looksOf(policy).pop())}.`;
    const { low, high } = found;
    const within = (a, b) => low <= b && high >= a;
    const [claimed, own] = ["claimed", "book"].map((kind) => marks().find((mark) => mark.kind === kind));
    const { says: claim } = preset();
    const says = [`These ${runs} runs ${low > 1 ? "show a gain" : "do not even show that there is a gain"}.`];
    if (!within(claimed.from, claimed.to)) says.push(`They leave no room for ${claim}, which lies ${high < claimed.from ? "above" : "below"} the interval; such an interval misses once in 20.`);
    else if (own && within(own.at, own.at)) says.push(`They cannot tell ${claim} from the ${times(own.at)} of this book: both lie in the interval.`);
    else says.push(`They do not exclude ${claim}.`);
    if (own && !within(own.at, own.at)) says.push(`They miss the ${times(own.at)} of this book, as one such interval in 20 does.`);
    const guess = state.guess === null ? "" : ` Your guess, ${state.guess}, lies ${within(state.guess, state.guess) ? "inside" : "outside"}.`;
    return `${says.join(" ")}${guess}`;
  }

  function say(found) {
    question.textContent = `How many times fewer samples than round robin does ${compared()} need until it errs in ${state.level}% of the runs? ${shown === null ? "Set your guess on the axis, then run." : ""}`;
    answer.classList.toggle("ran", shown !== null);
    bold.textContent = "";
    let words = told;
    if (found && working === null) {
      if (found.base !== Infinity && found.other !== Infinity) bold.textContent = `${compared()}: ${times(found.ratio)} times fewer (${range(found.low, found.high)}) at ${state.level}%, from ${whole(runsShown())} runs`;
      words = `${verdict(found)} ${told}`;
    }
    if (status.textContent !== words) status.textContent = words;
    const ratios = allRatios();
    const [claimed] = preset().claimed;
    const high = ratios.filter((ratio) => ratio >= claimed).length;
    dotsSay.textContent = ratios.length < 2 ? "" : `${ratios.length} experiments of ${state.runs} runs, a dot each: from ${times(Math.min(...ratios))} to ${times(Math.max(...ratios))}; ${claimed} or more in ${high} of ${ratios.length}.`;
  }

  function drawTable() {
    table.replaceChildren();
    if (shown === null || working !== null) return;
    const row = (cells, tag) => {
      const node = make("tr", {}, table);
      cells.forEach((text, k) => make(k === 0 ? "th" : tag, k === 0 || tag === "th" ? { scope: tag === "th" ? "col" : "row" } : {}, node, text));
    };
    row(["policy", "runs", `samples to ${state.level}%`, "times fewer", "95%, bootstrap", "this book"], "th");
    policies().forEach((policy) => {
      const found = result(policy);
      const own = asPreset() && (preset().book[policy] || {})[state.level];
      const base = policy === "RoundRobin";
      row([policy, whole(wrongOf(shown[policy]).runs), short(found.other), base ? "" : times(found.ratio), base ? "" : range(found.low, found.high), own ? `${times(own[0])} (${range(own[1], own[2])})` : ""], "td");
    });
  }

  // -- drawing --------------------------------------------------------------------------------------------

  let pending = false;

  function drawSoon() {
    if (pending) return;
    pending = true;
    window.requestAnimationFrame(() => {
      pending = false;
      draw();
    });
  }

  function draw() {
    if (width === 0) return;
    const found = shown !== null && runsShown() > 0 && wrongOf(shown[compared()]).runs > 0 ? result(compared()) : null;
    drawScale(found);
    say(found);
    const runs = whole(state.runs);
    const done = shown !== null && working === null;
    runButton.textContent = `Run ${runs}`;
    moreButton.textContent = `${runs} more`;
    anotherButton.textContent = `Another ${runs}`;
    manyButton.textContent = `20 × ${runs}`;
    const { activeElement } = document;
    [[runButton, shown === null && working === null], [moreButton, done && !small && runsShown() + state.runs <= MOST_RUNS],
      [anotherButton, done && number + 1 < MOST_SETS], [manyButton, done && !small && number + 1 < MOST_SETS],
      [cancelButton, working !== null], [progress, working !== null]].forEach(([node, on]) => { node.hidden = !on; });
    // Whoever has pressed a button that has gone is led to the next.
    if (buttons.contains(activeElement) && activeElement.hidden) buttons.querySelector("button:not([hidden])").focus({ preventScroll: true });
    if (working !== null) progress.value = working.done / working.all;
    if (small) return;
    const wide = panels.clientWidth < 620 ? panels.clientWidth : (panels.clientWidth - 24) / 2;
    drawBars(found, wide);
    drawCurves(wide);
    drawTable();
    drawControls();
  }

  // -- settings ----------------------------------------------------------------------------------------------

  const field = (text, tag, attributes, parent = controls) => {
    const wrapper = make("label", {}, parent);
    make("span", {}, wrapper, text);
    return make(tag, attributes, wrapper);
  };
  const inputs = {};
  const listed = (key, text, values) => {
    inputs[key] = field(text, "select");
    values.forEach(([value, title]) => make("option", { value }, inputs[key], title));
  };
  listed("preset", "Instance", PRESETS.map(({ key, name: title }) => [key, title]));
  listed("radius", "Radius", core.RADII.map((radius) => [radius]));
  inputs.sigma = field("Noise σ", "input", { type: "number", step: "any" });
  listed("runs", "Runs", RUNS.map((runs) => [runs, whole(runs)]));
  const more = make("details", {}, controls);
  make("summary", {}, more, "More");
  inputs.delta = field("Error allowed δ", "input", { type: "number", step: "any" }, more);
  inputs.seed = field("Seed", "input", { type: "number" }, more);
  const chosen = make("fieldset", {}, controls);
  make("legend", {}, chosen, "Policies");
  const boxes = ["RoundRobin", ...Object.values(LETTERS)].map((policy) => {
    const wrapper = make("label", {}, chosen);
    const box = make("input", { type: "checkbox", value: policy }, wrapper);
    make("span", { class: `swatch ${policy}`, "aria-hidden": "true" }, wrapper);
    wrapper.append(policy);
    return box;
  });

  /** A value near to what is asked for that a setting can have; nonsense changes nothing. */
  function fit(key, asked) {
    const { sigma } = preset();
    const lists = { preset: PRESETS.map((one) => one.key), radius: core.RADII, runs: RUNS.map(String) };
    if (key in lists && !lists[key].includes(asked)) return state[key];
    if (key === "preset" || key === "radius") return asked;
    const [low, high] = { sigma: [sigma / 4, sigma * 4], delta: [0.001, 0.5], seed: [1, 999999], level: [1, 20], guess: [0, MOST] }[key] || [0, Infinity];
    if (asked === "" || !Number.isFinite(Number(asked))) return state[key];
    const value = clamp(Number(asked), low, high);
    return key === "seed" || key === "level" ? Math.round(value) : value;
  }

  function drawControls() {
    Object.entries(inputs).forEach(([key, box]) => { box.value = state[key]; });
    Array.from(inputs.radius.options).forEach((option) => {
      option.textContent = `${RADII[option.value]} (${core.isProved(option.value, state.sigma) ? "proved" : "not proved"})`;
    });
    boxes.forEach((box, k) => {
      box.checked = policies().includes(box.value);
      box.disabled = k === 0;
    });
    tries.hidden = shown === null || working !== null;
    printedTry.hidden = state.radius === "paper" || preset().radius === "paper";
    allTry.hidden = state.preset !== "streetview-90";
    resetButton.hidden = asPreset();
  }

  /** After a change of settings nothing that was run counts. */
  function change(changes) {
    clear();
    told = "";
    Object.assign(state, changes);
    draw();
    remember();
  }

  Object.entries(inputs).forEach(([key, box]) => box.addEventListener("change", () => {
    const value = fit(key, box.value);
    if (key === "preset") take(value);
    change({ [key]: value });
  }));
  boxes.forEach((box) => box.addEventListener("change", () => {
    const wanted = boxes.filter((one, k) => k > 0 && one.checked).map((one) => one.value);
    if (wanted.length > 0) change({ policies: wanted });
    else box.checked = true; // something has to be compared
  }));
  make("span", {}, tries, "Try:");
  const printedTry = button("the radius as printed", () => { change({ radius: "paper" }); run([[0, 0, state.runs]]); }, tries);
  const allTry = button("all 100 scenes", () => { take("streetview-100"); change({}); run([[0, 0, state.runs]]); }, tries);
  const resetButton = button("back to the published setting", () => { take(state.preset); change({}); }, tries);

  // -- to take away ----------------------------------------------------------------------------------------------

  /** The same experiment at full size, in Python. */
  function python() {
    const { code, means, runs } = preset();
    const text = (ends) => (ends.length === 1 && ends[0][0] === ends[0][1] ? `[${ends[0][0]}]` : `[${ends.map(([first, last, step]) => `*range(${first}, ${last + 1}, ${step})`).join(", ")}]`);
    const budget = looksOf("RoundRobin").pop();
    return [
      `from maxgap import ${policies().slice().sort().join(", ")}, problems, simulate`,
      "",
      `problem = ${code.replace("SIGMA", state.sigma)}`,
      `settings = dict(delta=${state.delta}, sigma=${state.sigma}, confidence="${state.radius}", stopping=None)`,
      "study = simulate.replicate(",
      `    {${policies().map((policy) => `"${policy}": ${policy}(${means.length}, **settings)`).join(",\n     ")}},`,
      `    problem, budget=${budget}, replicates=${runs}, seed=${state.seed},`,
      `    checkpoints=${text(ranges("RoundRobin"))},`,
      ")",
      `print(study.speedup("RoundRobin", ${state.level / 100}))`,
      "",
    ].join("\n");
  }

  function csv() {
    const rows = ["policy,samples,wrong,runs,error,low,high"];
    policies().filter((policy) => shown !== null).forEach((policy) => {
      const { wrong, runs } = wrongOf(shown[policy]);
      wrong.forEach((count, k) => rows.push([policy, shown[policy].looks[k], count, runs, count / runs, ...core.wilson(count, runs)].join()));
    });
    return `${rows.join("\n")}\n`;
  }

  function copy(text, done) {
    const says = (words) => { told = words; draw(); };
    const failed = () => window.prompt("To copy:", text);
    if (!navigator.clipboard) failed();
    else navigator.clipboard.writeText(text).then(() => says(done), failed);
  }

  if (small) {
    const link = make("a", { href: root.dataset.more }, foot, "All settings, curves and numbers");
    link.addEventListener("click", () => { link.href = root.dataset.more.split("#")[0] + address(); });
  } else {
    button("Copy link", () => { remember(); copy(window.location.href, "The link to this experiment is copied."); }, foot);
    button("Copy as Python", () => copy(python(), "The same at full size is copied, as Python."), foot);
    button("Save as CSV", () => {
      const link = make("a", { href: URL.createObjectURL(new Blob([csv()], { type: "text/csv" })), download: `${state.preset}.csv` });
      link.click();
      URL.revokeObjectURL(link.href);
    }, foot);
  }
  if (small) [controls, panels, details, tries].forEach((node) => node.remove());

  // -- the address ---------------------------------------------------------------------------------------------------

  function address(runs = runsShown(), sets = shown === null ? 0 : number + 1) {
    const letters = Object.keys(LETTERS).filter((letter) => state.policies.includes(LETTERS[letter])).join("");
    return KEY + [state.preset, letters, ...KEPT.map((key) => state[key]), runs, sets].join(); // a guess not set is empty
  }

  let remembering = null;

  function remember() {
    window.clearTimeout(remembering);
    if (working === null) window.history.replaceState(null, "", address());
  }

  function rememberSoon() {
    window.clearTimeout(remembering);
    remembering = window.setTimeout(remember, 400);
  }

  /** Take what an address says, if it is one that would be written; what was run is run again. */
  function restore() {
    const { hash } = window.location;
    if (!hash.startsWith(KEY)) return false;
    const [key, letters = "", ...values] = hash.slice(KEY.length).split(",");
    const [ran, sets] = values.slice(KEPT.length).map(Number);
    const before = { ...state };
    if (fit("preset", key) === key) take(key);
    state.guess = null;
    state.policies = Object.values(LETTERS).filter((policy, k) => letters.includes(Object.keys(LETTERS)[k]));
    KEPT.forEach((name, k) => { state[name] = fit(name, values[k]); });
    const counted = Number.isInteger(ran / state.runs) && Number.isInteger(sets) && ran >= 0 && ran <= MOST_RUNS && sets >= 0 && sets <= MOST_SETS && (ran > 0) === (sets > 0);
    if (!counted || letters === "" || address(ran, sets) !== hash) {
      Object.assign(state, before);
      return false;
    }
    clear();
    draw();
    if (sets > 0) run(Array.from({ length: sets }, (_, set) => [set, 0, set === sets - 1 ? ran : state.runs]));
    return true;
  }

  window.addEventListener("hashchange", restore);

  // -- begin --------------------------------------------------------------------------------------------------------------

  take(state.preset);
  const shared = restore();
  new ResizeObserver(([{ contentRect }]) => {
    const now = Math.floor(contentRect.width);
    if (now === width || now < 100) return; // it is not laid out yet
    width = now;
    draw();
  }).observe(page);
  if (shared) root.scrollIntoView({ block: "start" });

  /** For a test: what is drawn, and what is copied. */
  root.rerun = {
    state: () => ({ ...state, runs: runsShown(), experiments: number + 1, working: working !== null, ratios: allRatios(), found: shown && result(compared()) }),
    python,
    csv,
  };
}

document.querySelectorAll(".maxgap-rerun").forEach(begin);
