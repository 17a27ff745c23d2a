/*
 * The rerun panel: guess how many times fewer samples, then repeat the paper's experiment and see.
 *
 * It draws what core.js computes, in workers or, where there are none, in the page. What is known
 * before a run is put into the page by the chapters. One with `data-small` has no settings. Runs are
 * the same for the same seed, so an address holds a whole experiment.
 */
const core = window.maxgapRerun;
const PRESETS = JSON.parse(document.getElementById("rerun-presets").textContent.replaceAll("'", "’"));
const WORKER = `${document.getElementById("rerun-core").textContent}
onmessage = ({ data }) => {
  const { wrong, counts } = maxgapRerun.simulate(data);
  postMessage({ wrong, counts }, [wrong.buffer, counts.buffer]);
};`;
const [BASE, ...ALGORITHMS] = core.POLICIES;
const RADII = { "authors-lil": "of the scripts", paper: "as printed", "normal-mixture": "normal mixture", hoeffding: "Hoeffding’s" };
const RUNS = [120, 480, 1200]; // of one press; the first is the paper's
const [MOST_RUNS, MOST_SETS] = [4800, 60];
const MOST = 12; // end of the axis of guesses
const BATCH = 10; // runs between two pictures
const RESAMPLES = 400;
const KEY = "#rerun=";
const KEPT = ["sigma", "radius", "runs", "delta", "seed", "level", "guess"]; // in the address

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const whole = (x) => Math.round(x).toLocaleString("en");
const short = (x) => (x === Infinity ? "∞" : whole(Number(x.toPrecision(3))));
const times = (x) => (x === Infinity ? "∞" : x.toFixed(1));
const range = (low, high) => `${times(low)}–${times(high)}`;
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
const byPolicy = (value) => Object.fromEntries(policies().map((policy) => [policy, value(policy)]));
const named = (policy) => (policy === BASE ? "round robin" : policy);
const letterOf = (policy) => policy[6]; // in the address: E, U or T

function setAll(node, attributes) {
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
}

function make(tag, attributes, parent, text = "") {
  const drawn = tag === "svg" || parent instanceof SVGElement;
  const node = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  setAll(node, attributes);
  node.textContent = text;
  parent.append(node);
  return node;
}

function button(text, press, parent) {
  const node = make("button", { type: "button" }, parent, text);
  node.onclick = press;
  return node;
}

const line = (parent, kind, x1, y1, x2, y2) => make("line", { class: kind, x1, y1, x2, y2 }, parent);
const label = (parent, x, y, text, anchor = "middle", kind = "") => make("text", { x, y, "text-anchor": anchor, class: kind }, parent, text);
const pathOf = (points) => `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
const resize = (picture, wide, height) => setAll(picture, { viewBox: `0 0 ${wide} ${height}`, height });

/** A slider: `move` is told where in the picture, `step` how many steps. */
function slide(node, picture, move, step) {
  const follow = (event) => {
    const box = picture.getBoundingClientRect();
    move(event.clientX - box.left, event.clientY - box.top);
  };
  node.onpointerdown = (event) => {
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    follow(event);
    node.onpointermove = follow;
  };
  node.onpointerup = node.onpointercancel = () => { node.onpointermove = null; };
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -5, PageUp: 5, Home: -100, End: 100 };
  node.onkeydown = (event) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    step(steps[event.key]);
  };
}

// -- where runs are computed: as many pieces at a time as there are processors

let workers = [];
let waiting = []; // pieces that nobody has begun
let inPage = false;

function newWorker() {
  const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  worker.onmessage = ({ data }) => {
    const { piece } = worker;
    feed(worker);
    count(piece, data);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    inPage = true;
    const lost = workers.map((one) => one.piece).filter(Boolean);
    const left = [...lost, ...waiting];
    stopWork();
    startWork(left);
  };
  return worker;
}

function feed(worker) {
  worker.piece = waiting.shift();
  if (worker.piece) worker.postMessage(worker.piece.setting);
}

function workInPage() {
  const piece = waiting.shift();
  if (!piece) return;
  count(piece, core.simulate(piece.setting));
  setTimeout(workInPage);
}

function startWork(pieces) {
  waiting = pieces;
  try {
    while (!inPage && workers.length < Math.min(navigator.hardwareConcurrency || 2, 8)) workers.push(newWorker());
  } catch (problem) {
    inPage = true;
  }
  if (inPage) setTimeout(workInPage);
  else workers.forEach(feed);
}

function stopWork() {
  waiting = [];
  if (!workers.some((worker) => worker.piece)) return;
  workers.forEach((worker) => worker.terminate());
  workers = [];
}

// -- what is asked for

const root = document.querySelector(".maxgap-rerun");
const small = "small" in root.dataset;
const state = { seed: 1, level: 5, guess: null, runs: RUNS[0], policies: ["MaxGapUCB"] };
let shown = null; // the experiment on the page: pieces of its runs, by policy
let before = []; // wrong answers of earlier experiments, for their dots
let number = 0; // of the experiment on the page
let working = null; // what a press asked for, while it is computed
let drawn = {}; // the bootstrap's runs of the experiment on the page, by policy
let told = "";

const preset = () => PRESETS.find(({ key }) => key === state.preset);
const policies = () => [BASE, ...state.policies];
const compared = () => ["MaxGapUCB", "MaxGapTop2UCB", "MaxGapElim"].find((policy) => state.policies.includes(policy));
const asPreset = () => ["sigma", "radius", "delta"].every((key) => state[key] === preset()[key]);

function take(key) {
  state.preset = key;
  const { sigma, radius, delta } = preset();
  Object.assign(state, { sigma, radius, delta });
}

/** Samples to look at, as ranges [first, last, step]: they grow as sigma squared. */
function ranges(policy) {
  const factor = (state.sigma / preset().sigma) ** 2;
  let end = 0;
  return preset().looks[policy === BASE ? "base" : "others"].map(([first, last, step]) => {
    const scaled = Math.max(1, Math.round(step * factor));
    const begins = Math.max(Math.round(first / step), Math.floor(end / scaled) + 1) * scaled;
    end = Math.max(Math.round(last / step) * scaled, begins);
    return [begins, end, scaled];
  });
}

const looksOf = (policy) => ranges(policy).flatMap(([first, last, step]) => Array.from({ length: (last - first) / step + 1 }, (_, k) => first + k * step));
const lastOf = (policy) => looksOf(policy).pop();

// -- what was run

/** Add runs to the experiments of these numbers: [number, first run, runs]. */
function run(parts) {
  if (working !== null) return;
  const { sigma, delta, radius, seed } = state;
  const { means } = preset();
  // A copy of what is there, so that it can be cancelled.
  const sets = new Map(parts.map(([set]) => [set, byPolicy((policy) => (set === number && shown !== null ? shown[policy].slice() : []))]));
  // Batch by batch, so that all curves grow together.
  const pieces = parts.flatMap(([set, from, runs]) => Array.from({ length: runs / BATCH }, (_, k) => from + k * BATCH).flatMap((first) =>
    policies().map((policy) => ({
      policy, set, first,
      setting: { policy, means, sigma, delta, radius, looks: looksOf(policy), seed, first: first + 1e6 * set, runs: BATCH },
    }))));
  const all = sum(pieces.map(({ policy }) => BATCH * lastOf(policy)));
  working = { parts, sets, all, done: 0, started: performance.now(), before, number, shown };
  if (parts[0][0] > number) before = [...before, firstRuns(shown)];
  number = parts[parts.length - 1][0];
  shown = sets.get(parts[0][0]);
  told = "";
  draw();
  startWork(pieces);
}

function count({ policy, set, first }, { wrong, counts }) {
  shown = working.sets.get(set);
  shown[policy].push({ first, wrong, counts, counted: core.summed(wrong, looksOf(policy).length) });
  working.done += BATCH * lastOf(policy);
  if (working.done === working.all) finish();
  else drawSoon();
}

function finish() {
  const { parts, sets, all, started } = working;
  working = null;
  stopWork();
  before = [...before, ...parts.slice(0, -1).map(([set]) => firstRuns(sets.get(set)))];
  shown = sets.get(number);
  Object.values(shown).forEach((pieces) => pieces.sort((one, other) => one.first - other.first)); // whichever worker was first
  drawn = {};
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  told = `${all >= 1e6 ? `${(all / 1e6).toFixed(1)} million` : whole(all)} samples in ${seconds} seconds.`;
  draw();
  remember();
}

function cancel() {
  if (working === null) return;
  stopWork();
  told = `Cancelled; ${working.parts.length > 1 ? "these experiments are" : "this run is"} not counted.`;
  ({ before, number, shown } = working);
  working = null;
  draw();
}

/** Wrong answers at every look, of the first runs. */
function wrongOf(policy, experiment = shown, runs = Infinity) {
  const found = { runs: 0, wrong: looksOf(policy).fill(0) };
  experiment[policy].filter(({ first }) => first < runs).forEach(({ counted }) => {
    found.runs += BATCH;
    counted.forEach((wrong, k) => { found.wrong[k] += wrong; });
  });
  return found;
}

const runsOf = (policy) => (shown === null ? 0 : BATCH * shown[policy].length);
const crossing = ({ runs, wrong }, looks) => (runs === 0 ? Infinity : core.firstBelow(wrong, runs, looks, state.level / 100));

/** An experiment's first runs, as many as the paper's or as are asked for. */
const firstRuns = (experiment) => byPolicy((policy) => wrongOf(policy, experiment, state.runs));

/** Ratios of all experiments so far, where round robin comes down to the level. */
function allRatios() {
  const all = shown === null || working !== null ? before : [...before, firstRuns(shown)];
  const ends = all.map((counts) => [BASE, compared()].map((policy) => crossing(counts[policy], looksOf(policy))));
  return ends.filter(([base]) => base < Infinity).map(([base, other]) => core.timesFewer(base, other));
}

/** Ratio of all runs of a policy, with its interval once they are done. */
function result(policy) {
  const both = [BASE, policy];
  const [base, other] = both.map((each) => crossing(wrongOf(each), looksOf(each)));
  const found = { base, other, ratio: core.timesFewer(base, other) };
  if (working !== null) return found;
  const [slow, fast] = both.map((each) => {
    const [looks, { runs }] = [looksOf(each), wrongOf(each)];
    drawn[each] ||= core.resampled(shown[each].flatMap(({ wrong }) => Array.from(wrong)), looks.length, RESAMPLES, core.POLICIES.indexOf(each));
    return drawn[each].map((wrong) => crossing({ runs, wrong }, looks));
  });
  [found.low, found.high] = core.percentiles(slow.map((until, k) => core.timesFewer(until, fast[k])));
  return found;
}

/** The book's own ratio with the ends of its interval, where it is known. */
const stored = (policy) => asPreset() && preset().book[policy]?.[state.level];
const storedText = ([ratio, low, high]) => `${times(ratio)} (${range(low, high)})`;

// -- the page

setAll(root, { role: "group", "aria-label": "Rerun the experiment" });
root.querySelectorAll(".without").forEach((node) => { node.hidden = true; });
const page = make("div", { class: "page" }, root);
const question = make("p", { class: "question" }, page);
const scale = make("svg", { class: "scale", role: "group", "aria-label": "Times fewer samples" }, page);
const buttons = make("div", { class: "buttons" }, page);
const others = (most) => Array.from({ length: Math.min(most, MOST_SETS - number - 1) }, (_, k) => [number + 1 + k, 0, state.runs]);
const runFirst = () => run([[0, 0, state.runs]]);
const choices = [
  ["Run #", runFirst, () => shown === null],
  ["# more", () => run([[number, runsOf(BASE), state.runs]]), () => shown !== null && !small && runsOf(BASE) + state.runs <= MOST_RUNS],
  ["Another #", () => run(others(1)), () => shown !== null && others(1).length > 0],
  ["20 × #", () => run(others(20)), () => shown !== null && !small && others(20).length > 0],
].map(([text, press, isThere]) => ({ text, isThere, node: button("", press, buttons) }));
choices[0].node.className = "main";
// Not by the second half of a double press.
const cancelButton = button("Cancel", () => { if (performance.now() - working.started > 400) cancel(); }, buttons);
const progress = make("progress", { max: 1, "aria-label": "Runs done" }, buttons);
const answer = make("div", { class: "answer" }, page);
const bold = make("p", { class: "number" }, answer);
const status = make("p", { role: "status" }, answer);
const dotsSay = make("p", { class: "dots-say" }, answer);
const tries = make("p", { class: "buttons" }, answer, "Try:");
const full = make("div", {}, page);
const panels = make("div", { class: "panels" }, full);
const left = make("figure", {}, panels);
const bars = make("svg", { role: "img" }, left);
const barsSay = make("figcaption", {}, left);
const right = make("figure", {}, panels);
const curves = make("svg", { role: "group", "aria-label": "Share of wrong answers against samples" }, right);
make("figcaption", {}, right, "Share of wrong answers against samples, both axes logarithmic; bands: 95% Wilson intervals. Drag the level.");
const details = make("details", { class: "numbers" }, full);
make("summary", {}, details, "The numbers");
const table = make("table", {}, make("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "The numbers" }, details));
const controls = make("div", { class: "controls", role: "group", "aria-label": "Settings" }, full);
const foot = make("div", { class: "buttons" }, page);

// -- guess and result: one axis

const AXIS = 112; // its height in the picture
const MARGIN = 16;
let width = 0;
const toX = (value) => MARGIN + ((width - 2 * MARGIN) * clamp(value, 0, MOST)) / MOST;
const scaleUnder = make("g", {}, scale);
const handle = make("g", { role: "slider", tabindex: 0, "aria-label": "Your guess, times fewer samples", "aria-valuemin": 0, "aria-valuemax": MOST }, scale);
const ground = make("rect", { class: "target", y: 20, height: AXIS }, handle);
const pin = make("path", {}, handle);
const pinSays = label(handle, 0, 14, "");

function setGuess(value) {
  if (shown !== null || working !== null) return; // a guess comes before the result
  state.guess = clamp(Math.round(value * 2) / 2, 0, MOST);
  draw();
}
slide(handle, scale, (x) => setGuess(((x - MARGIN) * MOST) / (width - 2 * MARGIN)), (steps) => setGuess((state.guess || 0) + steps / 2));

/** What is marked on the axis, from the right to the left. */
function marks() {
  const { claimed, says, limit, runs } = preset();
  const own = stored(compared());
  return [
    { text: says, from: claimed[0], to: claimed[1], at: claimed[0], kind: "claimed" },
    limit && { text: `proved limit: ${limit}`, from: limit, to: limit, at: limit, kind: "limit" },
    own && { text: `this book, ${whole(runs)} runs: ${storedText(own)}`, from: own[1], to: own[2], at: own[0], kind: "book" },
  ].filter(Boolean).sort((one, other) => other.at - one.at);
}

function drawScale(found) {
  // Nothing is given away before the first result.
  const all = shown === null || (working !== null && working.shown === null) ? [] : marks();
  resize(scale, width, AXIS + 26 + (shown === null ? 0 : 17 * 3));
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
  const stacks = new Map();
  const places = allRatios().map((ratio) => {
    const bin = Math.min(Math.floor(ratio * 4), 4 * MOST - 1);
    stacks.set(bin, (stacks.get(bin) || 0) + 1);
    return { bin, up: stacks.get(bin), high: ratio >= preset().claimed[0] };
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
  const { guess } = state;
  const at = toX(guess || 0);
  setAll(ground, { width });
  setAll(pin, { d: `M${at} ${AXIS}V28m-7 -8h14l-7 9z` });
  setAll(pinSays, { x: clamp(at, 44, width - 44) });
  pinSays.textContent = guess === null ? "your guess?" : `your guess: ${guess}`;
  setAll(handle, {
    class: `guess${guess === null ? " unset" : ""}${shown === null ? "" : " fixed"}`,
    "aria-valuenow": guess || 0, "aria-valuetext": guess === null ? "not set" : `${guess} times`, "aria-disabled": shown !== null,
  });
}

// -- the instance

/** Mean samples of every arm when the compared policy meets the level. */
function drawBars(found, wide) {
  const policy = compared();
  const { means } = preset();
  const sorted = means.slice().sort((a, b) => a - b);
  const [x0, x1, top, base] = [10, wide - 10, 50, 190]; // of the bars
  const x = (mean) => x0 + ((x1 - x0) * (mean - sorted[0])) / (sorted[means.length - 1] - sorted[0]);
  bars.replaceChildren();
  resize(bars, wide, base + 22);
  const gaps = sorted.slice(1).map((mean, k) => [mean - sorted[k], sorted[k]]).sort((a, b) => b[0] - a[0]);
  gaps.slice(0, 2).forEach(([gap, from], k) => {
    const [a, b] = [x(from), x(from + gap)];
    make("rect", { class: `gap rank${k}`, x: a, width: b - a, y: 24, height: 20 }, bars);
    if (b - a > 34 || k === 0) label(bars, clamp((a + b) / 2, 64, wide - 64), 16, `${k === 0 ? "largest gap " : ""}${Number(gap.toPrecision(3))}`);
  });
  line(bars, "axis", x0, 44, x1, 44);
  let samples = "";
  if (found !== null) {
    const looks = looksOf(policy);
    // While it grows, always the same look.
    const look = working === null ? looks.findIndex((n) => n >= Math.min(found.other, lastOf(policy))) : Math.floor((looks.length - 1) / 4);
    const all = means.map((_, arm) => sum(shown[policy].map(({ counts }) => counts[look * means.length + arm])));
    const runs = Math.max(runsOf(policy), state.runs); // in the end
    const most = Math.max(...all) * (runs / runsOf(policy));
    const thick = clamp((x1 - x0) / means.length - 1, 2, 8);
    const down = (count) => ((base - top) * count) / most;
    all.forEach((count, arm) => make("rect", { class: `bar ${policy}`, x: x(means[arm]) - thick / 2, width: thick, y: top, height: down(count) }, bars));
    const even = top + down((looks[look] * runs) / means.length);
    line(bars, "even", x0, even, x1, even);
    label(bars, x1, base + 16, `longest bar: ${short(most / runs)} samples`, "end");
    samples = `${policy}: mean samples of each arm after ${short(looks[look])} in all; dashed: an even share.`;
  }
  means.forEach((mean) => line(bars, "tick", x(mean), 28, x(mean), 44));
  barsSay.textContent = `The means of the ${means.length} arms and their two largest gaps. ${samples}`;
  setAll(bars, { "aria-label": barsSay.textContent });
}

// -- error against samples

const LEAST = 0.6; // per cent, the lower end of the picture
const [LEFT, TOP, BOTTOM] = [40, 44, 220];
const curvesUnder = make("g", {}, curves);
const level = make("g", { class: "level", role: "slider", tabindex: 0, "aria-label": "Error level", "aria-orientation": "vertical", "aria-valuemin": 1, "aria-valuemax": 20 }, curves);
const levelTarget = make("rect", { class: "target", height: 32, y: -16 }, level);
const levelLine = line(level, "", LEFT, 0, LEFT, 0);
const levelGrip = make("path", { d: "M-9 0l9 -9 9 9 -9 9z" }, level);
const levelSays = label(level, LEFT - 5, 4, "", "end");
const toY = (percent) => TOP + ((BOTTOM - TOP) * Math.log(100 / clamp(percent, LEAST, 100))) / Math.log(100 / LEAST);
const toPercent = (y) => 100 * (LEAST / 100) ** ((y - TOP) / (BOTTOM - TOP));

function setLevel(percent) {
  state.level = clamp(Math.round(percent), 1, 20);
  drawSoon();
  clearTimeout(remembering);
  remembering = setTimeout(remember, 400);
}
slide(level, curves, (_, y) => setLevel(toPercent(y)), (steps) => setLevel(state.level + steps));

function drawCurves(wide) {
  const x1 = wide - 12;
  const last = lastOf(BASE);
  const first = Math.max(Math.min(...policies().map((policy) => looksOf(policy)[0])), preset().means.length);
  const x = (n) => LEFT + ((x1 - LEFT) * Math.log(clamp(n, first, last) / first)) / Math.log(last / first);
  const y = toY(state.level);
  resize(curves, wide, BOTTOM + 36);
  curvesUnder.replaceChildren();
  [100, 50, 20, 10, 5, 2, 1].forEach((percent) => {
    line(curvesUnder, "grid", LEFT, toY(percent), x1, toY(percent));
    if (Math.abs(toY(percent) - y) > 12) label(curvesUnder, LEFT - 5, toY(percent) + 4, `${percent}%`, "end");
  });
  for (let power = 10 ** Math.ceil(Math.log10(first)); power <= last; power *= 10) {
    line(curvesUnder, "grid", x(power), TOP, x(power), BOTTOM);
    label(curvesUnder, x(power), BOTTOM + 16, whole(power));
  }
  label(curvesUnder, (LEFT + x1) / 2, BOTTOM + 32, "samples");
  const crossings = [];
  if (shown !== null) policies().forEach((policy) => {
    const looks = looksOf(policy);
    const { wrong, runs } = wrongOf(policy);
    if (runs === 0) return;
    // From the first look on that is in the picture.
    const points = (shares) => shares.map((share, k) => [x(looks[k]), toY(100 * share)]).slice(looks.findIndex((n) => n >= first));
    const [lows, highs] = [0, 1].map((end) => points(wrong.map((count) => core.wilson(count, runs)[end])));
    make("path", { class: `band ${policy}`, d: `${pathOf([...highs, ...lows.reverse()])}Z` }, curvesUnder);
    make("path", { class: `curve ${policy}`, d: pathOf(points(core.nonIncreasing(wrong, runs))) }, curvesUnder);
    const until = crossing({ wrong, runs }, looks);
    if (until < Infinity && [BASE, compared()].includes(policy)) crossings.push([policy, until]);
  });
  crossings.forEach(([policy, until]) => {
    const up = policy === BASE ? 16 : 32;
    line(curvesUnder, `drop ${policy}`, x(until), y, x(until), up);
    make("circle", { class: `estimate ${policy}`, cx: x(until), cy: y, r: 5 }, curvesUnder);
    const text = `${named(policy)}: ${short(until)}`;
    const half = 3.4 * text.length;
    label(curvesUnder, clamp(x(until), half, wide - half), up - 4, text);
  });
  const read = crossings.map(([policy, until]) => `${named(policy)} after ${short(until)} samples`).join(", ");
  setAll(level, { transform: `translate(0 ${y})`, "aria-valuenow": state.level, "aria-valuetext": `${state.level}%: ${read || "not reached"}` });
  setAll(levelTarget, { width: wide });
  setAll(levelLine, { x2: x1 });
  setAll(levelGrip, { transform: `translate(${x1} 0)` });
  levelSays.textContent = `${state.level}%`;
}

// -- words

/** What the runs can tell and what not. */
function verdict({ base, other, low, high }) {
  const policy = compared();
  const runs = whole(runsOf(BASE));
  if (base === Infinity) return `Round robin does not come down to ${state.level}% within ${whole(lastOf(BASE))} samples in these ${runs} runs: there is no ratio to read off.`;
  if (other === Infinity) return `${policy} does not come down to ${state.level}% within ${whole(lastOf(policy))} samples, round robin does after ${short(base)}: the gain is below ${times(base / lastOf(policy))}.`;
  const within = (a, b = a) => low <= b && high >= a;
  const { says: claim, claimed: [least, most] } = preset();
  const [own] = stored(policy) || [];
  const says = [`These ${runs} runs ${low > 1 ? "show a gain" : "do not even show that there is a gain"}.`];
  const at = `At ${state.level}% they`;
  if (!asPreset() || preset().elsewhere) says.push(`Of this setting ${claim} says nothing.`);
  else if (!within(least, most)) says.push(`${at} leave no room for ${claim}, which lies ${high < least ? "above" : "below"} the interval; one such interval in 20 misses.`);
  else if (own && within(own)) says.push(`${at} cannot tell ${claim} from the ${times(own)} of this book: both lie inside.`);
  else says.push(`${at} do not exclude ${claim}.`);
  if (own && !within(own)) says.push(`They miss the ${times(own)} of this book, as one in 20 does.`);
  if (state.guess !== null) says.push(`Your guess, ${state.guess}, lies ${within(state.guess) ? "inside" : "outside"}.`);
  return says.join(" ");
}

function say(found) {
  question.textContent = `How many times fewer samples than round robin does ${compared()} need until it errs in ${state.level}% of the runs? ${shown === null ? "Set your guess on the axis, then run." : ""}`;
  answer.classList.toggle("ran", shown !== null);
  bold.textContent = "";
  let words = told;
  if (found && working === null) {
    if (found.base !== Infinity && found.other !== Infinity) bold.textContent = `${compared()}: ${times(found.ratio)} times fewer${found.ratio < 1 ? ", which is more" : ""} (${range(found.low, found.high)}) at ${state.level}%, from ${whole(runsOf(BASE))} runs`;
    words = `${verdict(found)} ${told}`;
  }
  if (status.textContent !== words) status.textContent = words;
  const ratios = allRatios();
  const [claimed] = preset().claimed;
  const high = ratios.filter((ratio) => ratio >= claimed).length;
  const lost = before.length + (shown !== null && working === null) - ratios.length;
  const least = Math.min(...ratios);
  dotsSay.textContent = ratios.length < 2 ? "" : `${ratios.length} experiments of ${state.runs} runs, a dot each: from ${least ? times(least) : "0 (level not reached)"} to ${times(Math.max(...ratios))}; ${claimed} or more in ${high} of ${ratios.length}.${lost ? ` In ${lost} more round robin did not reach the level.` : ""}`;
}

function drawTable() {
  table.replaceChildren();
  if (shown === null || working !== null) return;
  const row = (first, ...cells) => {
    const node = make("tr", {}, table);
    make("th", { scope: first === "policy" ? "col" : "row" }, node, first);
    cells.forEach((text) => (first === "policy" ? make("th", { scope: "col" }, node, text) : make("td", {}, node, text)));
  };
  row("policy", "runs", `samples to ${state.level}%`, "times fewer", "95%, bootstrap", "this book");
  policies().forEach((policy) => {
    const { base, other, ratio, low, high } = result(policy);
    const own = stored(policy);
    const compares = policy !== BASE && base < Infinity;
    row(policy, whole(runsOf(policy)), short(other), compares ? times(ratio) : "", compares ? range(low, high) : "", own ? storedText(own) : "");
  });
}

// -- drawing

let pending = false;

function drawSoon() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    draw();
  });
}

function draw() {
  if (width === 0) return;
  const found = runsOf(BASE) > 0 && runsOf(compared()) > 0 ? result(compared()) : null;
  drawScale(found);
  say(found);
  const { activeElement } = document;
  choices.forEach(({ node, text, isThere }) => {
    node.textContent = text.replace("#", whole(state.runs));
    node.hidden = working !== null || !isThere();
  });
  cancelButton.hidden = progress.hidden = working === null;
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

// -- settings

const inputs = {};

function field(key, text, tag, attributes = {}, parent = controls) {
  const wrapper = make("label", {}, parent);
  make("span", {}, wrapper, text);
  inputs[key] = make(tag, attributes, wrapper);
}

function listed(key, text, values) {
  field(key, text, "select");
  values.forEach(([value, title]) => make("option", { value }, inputs[key], title));
}
make("p", {}, controls, "Settings");
listed("preset", "Instance", PRESETS.map(({ key, name }) => [key, name]));
listed("radius", "Radius", core.RADII.map((radius) => [radius]));
field("sigma", "Noise σ", "input", { type: "number", step: "any" });
listed("runs", "Runs", RUNS.map((runs) => [runs, whole(runs)]));
const more = make("details", {}, controls);
make("summary", {}, more, "More");
field("delta", "Error allowed δ", "input", { type: "number", step: "any" }, more);
field("seed", "Seed", "input", { type: "number" }, more);
const chosen = make("fieldset", {}, controls);
make("legend", {}, chosen, "Policies");
const boxes = core.POLICIES.map((policy) => {
  const wrapper = make("label", {}, chosen);
  const box = make("input", { type: "checkbox", value: policy }, wrapper);
  make("span", { class: `swatch ${policy}`, "aria-hidden": "true" }, wrapper);
  wrapper.append(policy);
  return box;
});

/** The nearest value that a setting can have; nonsense changes nothing. */
function fit(key, asked) {
  const { sigma } = preset();
  const list = { preset: PRESETS.map((one) => one.key), radius: core.RADII, runs: RUNS }[key];
  if (list) return list.find((value) => String(value) === asked) ?? state[key];
  const ends = { sigma: [sigma / 4, sigma * 4], delta: [0.001, 0.5], seed: [1, 999999], level: [1, 20], guess: [0, MOST] }[key];
  const value = clamp(Number(asked), ...ends);
  if (asked === "" || Number.isNaN(value)) return state[key];
  return key === "seed" || key === "level" ? Math.round(value) : value;
}

function drawControls() {
  Object.entries(inputs).forEach(([key, box]) => { box.value = state[key]; });
  Array.from(inputs.radius.options).forEach((option) => {
    option.textContent = `${RADII[option.value]} (${core.isProved(option.value, state.sigma) ? "proved" : "not proved"})`;
  });
  boxes.forEach((box) => {
    box.checked = policies().includes(box.value);
    box.disabled = box.value === BASE;
  });
  tries.hidden = shown === null || working !== null;
  printedTry.hidden = state.radius === "paper" || preset().radius === "paper";
  allTry.hidden = state.preset !== "streetview-90";
  resetButton.hidden = asPreset();
  tries.hidden ||= [printedTry, allTry, resetButton].every((node) => node.hidden);
}

/** After a change of settings nothing that was run counts. */
function change(changes) {
  clear();
  told = "";
  Object.assign(state, changes);
  draw();
  remember();
}

function clear() {
  cancel();
  [shown, before, number] = [null, [], 0];
}

Object.entries(inputs).forEach(([key, box]) => box.addEventListener("change", () => {
  const value = fit(key, box.value);
  if (key === "preset") take(value);
  change({ [key]: value });
}));
boxes.forEach((box) => box.addEventListener("change", () => {
  const wanted = ALGORITHMS.filter((policy, k) => boxes[k + 1].checked);
  if (wanted.length > 0) change({ policies: wanted });
  else box.checked = true; // something has to be compared
}));
const printedTry = button("the radius as printed", () => { change({ radius: "paper" }); runFirst(); }, tries);
const allTry = button("all 100 scenes", () => { take("streetview-100"); change({}); runFirst(); }, tries);
const resetButton = button("back to the published setting", () => { take(state.preset); change({}); }, tries);

// -- to take away

/** The same experiment at full size, in Python. */
function python() {
  const { code, means, runs } = preset();
  const looks = ranges(BASE).map(([first, last, step]) => `*range(${first}, ${last + 1}, ${step})`);
  return [
    `from maxgap import ${policies().sort().join(", ")}, problems, simulate`,
    "",
    `problem = ${code.replace("SIGMA", state.sigma)}`,
    `settings = dict(delta=${state.delta}, sigma=${state.sigma}, confidence="${state.radius}", stopping=None)`,
    "study = simulate.replicate(",
    `    {${policies().map((policy) => `"${policy}": ${policy}(${means.length}, **settings)`).join(",\n     ")}},`,
    `    problem, budget=${lastOf(BASE)}, replicates=${runs}, seed=${state.seed},`,
    `    checkpoints=[${looks.join(", ")}],`,
    ")",
    `print(study.speedup("RoundRobin", ${state.level / 100}))`,
    "",
  ].join("\n");
}

function csv() {
  const rows = ["policy,samples,wrong,runs,error,low,high"];
  if (shown !== null) policies().forEach((policy) => {
    const { wrong, runs } = wrongOf(policy);
    looksOf(policy).forEach((n, k) => rows.push([policy, n, wrong[k], runs, wrong[k] / runs, ...core.wilson(wrong[k], runs)].join()));
  });
  return `${rows.join("\n")}\n`;
}

function copy(text, done) {
  const failed = () => prompt("To copy:", text);
  if (!navigator.clipboard) failed();
  else navigator.clipboard.writeText(text).then(() => { told = done; draw(); }, failed);
}

if (small) {
  full.remove();
  tries.remove();
  const link = make("a", { href: root.dataset.more }, foot, "All settings, curves and numbers");
  link.onclick = () => { link.href = root.dataset.more.split("#")[0] + address(); };
} else {
  button("Copy link", () => { remember(); copy(location.href, "The link to this experiment is copied."); }, foot);
  button("Copy as Python", () => copy(python(), "The same at full size is copied, as Python."), foot);
  button("Save as CSV", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    link.download = `${state.preset}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  }, foot);
}

// -- the address

let remembering = null;

function address(runs = runsOf(BASE), sets = shown === null ? 0 : number + 1) {
  return KEY + [state.preset, state.policies.map(letterOf).join(""), ...KEPT.map((key) => state[key]), runs, sets].join(); // a guess not set is empty
}

function remember() {
  clearTimeout(remembering);
  if (working === null) history.replaceState(null, "", address());
}

/** Take what an address says, if it would be written so; run again what was run. */
function restore() {
  const { hash } = location;
  if (!hash.startsWith(KEY)) return false;
  const [key, letters = "", ...values] = hash.slice(KEY.length).split(",");
  const [ran, sets] = values.slice(KEPT.length).map(Number);
  const old = { ...state };
  if (fit("preset", key) === key) take(key);
  state.guess = null;
  state.policies = ALGORITHMS.filter((policy) => letters.includes(letterOf(policy)));
  KEPT.forEach((name, k) => { state[name] = fit(name, values[k]); });
  const counted = Number.isInteger(ran / state.runs) && Number.isInteger(sets) && ran >= 0 && ran <= MOST_RUNS && sets >= 0 && sets <= MOST_SETS && (ran > 0) === (sets > 0);
  if (!counted || letters === "" || address(ran, sets) !== hash) {
    Object.assign(state, old);
    return false;
  }
  clear();
  draw();
  if (sets > 0) run(Array.from({ length: sets }, (_, set) => [set, 0, set === sets - 1 ? ran : state.runs]));
  return true;
}

window.addEventListener("hashchange", restore);

// -- begin

take(root.dataset.preset);
const shared = restore();
new ResizeObserver(([{ contentRect }]) => {
  const now = Math.floor(contentRect.width);
  if (now === width || now < 100) return; // it is not laid out yet
  width = now;
  draw();
}).observe(page);
if (shared) root.scrollIntoView({ block: "start" });

// For tests.
root.rerun = {
  state: () => ({ ...state, runs: runsOf(BASE), experiments: number + 1, working: working !== null, ratios: allRatios(), found: shown && result(compared()) }),
  python,
  csv,
};
