/*
 * The game on the first page: spend samples, say where the largest gap is, see what
 * MaxGapTop2UCB needs on the same noise. Everything that is decided is decided in round.js.
 *
 * It takes the place of the picture inside #maxgap-game; with scripts off, in print, or if anything
 * here fails, the picture and its sentence stay. The address holds the round: seed, round, samples, answer.
 */
"use strict";

(function () {
  const place = document.getElementById("maxgap-game");
  const rules = window.maxgapRound;
  if (place === null || !rules || !window.maxgap) return;

  const KEY = "#game=";
  const { SCENES, AXIS, DELTA } = rules;
  const WORDS = { won: "you needed fewer", lost: "the policy needed fewer", drawn: "a draw" };
  const MARKS = { won: "✓", lost: "✗", drawn: "=" };

  let round = new rules.Round(1, 0);
  let scores = SCENES.map(() => null);
  let rival = null; // what the policy did, once the reader has answered
  let shown = Infinity; // how many of the policy's rounds are shown
  let cut = null; // where the reader last put the cut, on the axis
  let timer = null;

  // -- small helpers -----------------------------------------------------------------------------

  function make(tag, attributes = {}, parent = null, text = null) {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    if (text !== null) node.textContent = text;
    if (parent !== null) parent.append(node);
    return node;
  }

  const percent = (x) => (100 * (Math.min(Math.max(x, AXIS[0]), AXIS[1]) - AXIS[0])) / (AXIS[1] - AXIS[0]);
  const number = (x, digits = 1) => x.toFixed(digits).replace("-", "−");
  const name = (arm) => "ABCDEFGHIJKL"[arm];
  const many = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;
  const list = (arms) => arms.slice().sort((a, b) => a - b).map(name).join(", ");
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  // -- the page ----------------------------------------------------------------------------------

  const root = make("div", { class: "maxgap-game", role: "group", "aria-label": "Game: where is the largest gap?" });
  const pips = make("div", { class: "pips", role: "group", "aria-label": "Rounds" }, root);
  const pipButtons = SCENES.map((_, scene) => {
    const pip = make("button", { type: "button" }, pips);
    pip.addEventListener("click", () => begin(round.seed, scene));
    return pip;
  });
  const scoreText = make("p", { class: "score" }, root);
  const board = make("div", { class: "board", role: "group", "aria-label": "Scenes: press one to ask one more person" }, root);
  const status = make("p", { class: "status", role: "status", "aria-live": "polite" }, root);

  const asking = make("div", { class: "buttons" }, root);
  const allButton = make("button", { type: "button" }, asking, "Ask once about every scene");
  const fiveLabel = make("label", {}, asking);
  const fiveBox = make("input", { type: "checkbox" }, fiveLabel);
  fiveLabel.append("five at a time");

  const answering = make("div", { class: "answer" }, root);
  const cutLabel = make("label", {}, answering);
  make("span", {}, cutLabel, "The largest gap is ");
  const cutText = make("strong", {}, cutLabel);
  const cutBox = make("input", { type: "range", min: 1, step: 1 }, cutLabel);
  const sayButton = make("button", { type: "button", class: "main" }, answering, "That is my answer");

  const after = make("div", { class: "after" }, root);
  const result = make("div", { class: "result" }, after);
  const next = make("div", { class: "buttons" }, after);
  const nextButton = make("button", { type: "button", class: "main" }, next);
  const linkButton = make("button", { type: "button" }, next, "Copy a link to this result");
  const dareButton = make("button", { type: "button" }, next, "Copy a link to play this round");

  const note = make("p", { class: "note", "aria-hidden": "true" }, after); // the status line says it, too

  const legend = make("ul", { class: "legend" }, root);
  [
    ["mine", "your interval and estimate"],
    ["reward", "the last answer"],
    ["rival", "the policy’s interval"],
    ["truth", "true score"],
  ].forEach(([kind, text]) => {
    const item = make("li", { class: `of-${kind}` }, legend);
    make("span", { class: `key key-${kind}`, "aria-hidden": "true" }, item);
    item.append(text);
  });

  let rows = [];
  let line = null;

  /** Make the board of the round anew. */
  function lay() {
    board.replaceChildren();
    rows = round.means.map((_, arm) => {
      const row = { button: make("button", { type: "button", class: "arm" }, board) };
      make("span", { class: "name", "aria-hidden": "true" }, row.button, name(arm));
      const track = make("span", { class: "track", "aria-hidden": "true" }, row.button);
      ["mine", "rival", "estimate", "reward", "truth"].forEach((part) => {
        row[part] = make("span", { class: part }, track);
      });
      row.reward.hidden = true; // until there is one
      row.count = make("span", { class: "count", "aria-hidden": "true" }, row.button);
      row.button.addEventListener("click", () => sample(arm));
      row.button.addEventListener("keydown", (event) => walk(event, arm));
      return row;
    });
    line = make("div", { class: "line", "aria-hidden": "true" }, make("div", { class: "overlay" }, board));
    const axis = make("div", { class: "axis", "aria-hidden": "true" }, board);
    for (let value = 0; value <= 10; value += 2) {
      make("span", { style: `left: ${percent(value)}%` }, axis, value === 10 ? "10" : String(value));
    }
    make("p", { class: "axis-name", "aria-hidden": "true" }, board, "score");
    cutBox.max = round.means.length - 1;
  }

  function walk(event, arm) {
    const steps = { ArrowDown: arm + 1, ArrowUp: arm - 1, Home: 0, End: rows.length - 1 };
    if (!(event.key in steps) || rows[steps[event.key]] === undefined) return;
    event.preventDefault();
    rows[steps[event.key]].button.focus();
  }

  /** A part of a row from one value of the axis to another, or at one; hidden without. */
  function put(node, from, to = from) {
    const visible = Number.isFinite(from) || Number.isFinite(to);
    node.hidden = !visible;
    if (!visible) return;
    node.style.left = `${percent(from)}%`;
    if (to !== from) node.style.width = `${percent(to) - percent(from)}%`;
  }

  // -- the cut -----------------------------------------------------------------------------------

  /** Number of arms below the cut: where the reader put it last, between the estimates of now. */
  function below() {
    const { means } = round.reader;
    const count = cut === null ? 1 : means.filter((mean) => mean < cut).length;
    return Math.min(Math.max(count, 1), means.length - 1);
  }

  const sides = () => [round.order()[below() - 1], round.order()[below()]];
  const top = () => round.order().slice(below());

  function moveCut() {
    const order = round.order();
    const { means } = round.reader;
    const k = Number(cutBox.value);
    cut = (means[order[k - 1]] + means[order[k]]) / 2;
    draw();
  }

  // -- drawing -----------------------------------------------------------------------------------

  function drawRow(row, arm) {
    const { counts, means, lower, upper } = round.reader;
    const over = round.guess !== null;
    const n = counts[arm];
    put(row.mine, n > 0 ? lower[arm] : NaN, upper[arm]);
    if (n === 0) row.mine.hidden = true;
    put(row.estimate, n > 0 ? means[arm] : NaN);
    put(row.truth, over ? round.means[arm] : NaN);
    if (over || n === 0) row.reward.hidden = true;
    const its = over && rival !== null ? rival.rounds[Math.min(shown, rival.rounds.length) - 1] : null;
    if (its) put(row.rival, its.lower[arm], its.upper[arm]);
    else row.rival.hidden = true;
    row.count.textContent = its ? `${n} : ${its.counts[arm]}` : String(n);
    const known = n === 0 ? "not asked yet" : `${many(n, "answer")}, estimate ${number(means[arm])}, from ${number(lower[arm])} to ${number(upper[arm])}`;
    const end = over ? `, true score ${number(round.means[arm])}` : "";
    row.button.setAttribute("aria-label", `Scene ${name(arm)}: ${known}${end}`);
    row.button.setAttribute("aria-disabled", String(over));
  }

  function draw() {
    const over = round.guess !== null;
    rows.forEach(drawRow);
    root.classList.toggle("over", over);
    board.classList.toggle("ready", round.ready);

    cutBox.disabled = !round.ready;
    sayButton.disabled = !round.ready;
    if (round.ready) {
      const [low, high] = sides();
      const { means } = round.reader;
      const text = `between ${name(low)} and ${name(high)}, ${number(means[high] - means[low])} apart`;
      cutText.textContent = text;
      cutBox.value = below();
      cutBox.setAttribute("aria-valuetext", text);
      line.hidden = false;
      line.style.left = `${percent((means[low] + means[high]) / 2)}%`;
      rows.forEach((row, arm) => row.button.classList.toggle("top", top().includes(arm)));
    } else {
      cutText.textContent = "… (ask about every scene first)";
      cutBox.value = 1;
      line.hidden = true;
      rows.forEach((row) => row.button.classList.remove("top"));
    }

    answering.hidden = over;
    asking.hidden = over;
    after.hidden = !over;
    const [won, lost] = ["won", "lost"].map((kind) => scores.filter((one) => one === kind).length);
    scoreText.textContent = `Round ${round.scene + 1} of ${SCENES.length}: ${round.means.length} scenes. You ${won} : ${lost} the policy.`;
    pipButtons.forEach((pip, scene) => {
      const mark = scores[scene];
      pip.textContent = `${scene + 1}${mark === null ? "" : ` ${MARKS[mark]}`}`;
      pip.setAttribute("aria-label", `Round ${scene + 1}${mark === null ? "" : `: ${WORDS[mark]}`}`);
      pip.setAttribute("aria-current", String(scene === round.scene));
    });
  }

  // -- what happened, in words ----------------------------------------------------------------------

  function say(text) {
    status.textContent = text;
  }

  function opening() {
    return `Each row is a scene with a hidden score. Press it to ask one more person. ${round.means.length} scenes, no answer yet.`;
  }

  function gapWords(above) {
    return `between ${list(round.means.map((_, arm) => arm).filter((arm) => !above.includes(arm)))} and ${list(above)}`;
  }

  /** The result, one sentence a line. */
  function verdict() {
    const right = round.isRight(round.guess);
    const certain = round.isCertain(round.guess);
    const spent = many(round.samples, "sample");
    const lines = [];
    const headline = { won: "You needed fewer.", lost: right ? "The policy needed fewer." : "Not there.", drawn: "A draw." };
    lines.push(headline[round.outcome(rival)]);
    let sure = certain ? `and your answer was certain (wrong in at most ${100 * DELTA}% of rounds)` : "but your answer was not certain: other gaps could still have been as large";
    if (!right) sure = certain ? "although it seemed certain; that happens in at most one round of ten" : "and it was not certain: other gaps could still have been as large";
    lines.push(`You: ${spent}, ${right ? "right" : `wrong, the gap lies ${gapWords(round.answer)}`}, ${sure}.`);
    lines.push(`MaxGapTop2UCB: ${many(rival.samples, "sample")} until ${rival.certain ? "it was certain" : "it gave up"}, ${round.isRight(rival.top) ? "right" : "wrong"}.`);
    if (rival.then === null) lines.push(`After your ${spent} it had not yet asked about every scene.`);
    else {
      const [its, too] = [round.isRight(rival.then), right === round.isRight(rival.then) ? ", too" : ""];
      lines.push(`Made to guess after no more than your ${spent}, it would have been ${its ? "right" : "wrong"}${too}.`);
    }
    return lines;
  }

  function showVerdict() {
    result.replaceChildren();
    note.textContent = "";
    verdict().forEach((text, i) => make("p", i === 0 ? { class: "headline" } : {}, result, text));
    const last = scores.every((one) => one !== null);
    nextButton.textContent = last ? "New game, new noise" : "Next round";
  }

  // -- what the reader does ----------------------------------------------------------------------

  function sample(arm) {
    if (round.guess !== null) return;
    const wanted = fiveBox.checked ? 5 : 1;
    const heard = [];
    for (let i = 0; i < wanted; i += 1) {
      const reward = round.take(arm);
      if (reward !== null) heard.push(reward);
    }
    const row = rows[arm];
    draw();
    if (heard.length === 0) {
      say("No samples are left in this round.");
      return;
    }
    put(row.reward, heard[heard.length - 1]);
    const { means, lower, upper } = round.reader;
    say(`Scene ${name(arm)}: ${heard.map((x) => number(x, 2)).join(", ")}. Estimate ${number(means[arm], 2)}, from ${number(lower[arm])} to ${number(upper[arm])}. ${many(round.samples, "sample")} spent.`);
    remember();
  }

  function sampleAll() {
    const five = fiveBox.checked;
    rows.forEach((_, arm) => {
      const reward = round.take(arm);
      for (let i = 1; five && i < 5; i += 1) round.take(arm);
      if (reward !== null) put(rows[arm].reward, round.reward(arm, round.reader.counts[arm] - 1));
    });
    draw();
    say(`Every scene was asked about ${five ? "five times" : "once"}. ${many(round.samples, "sample")} spent.`);
    remember();
  }

  function answer() {
    if (!round.ready || round.guess !== null) return;
    round.say(top());
    reveal(!calm.matches);
    score(round.outcome(rival));
    draw();
    showVerdict();
    if (timer === null) say(verdict().join(" "));
    remember();
    nextButton.focus({ preventScroll: true });
  }

  /** The first time counts: afterwards the truth is known. */
  function score(outcome) {
    if (scores[round.scene] === null) scores[round.scene] = outcome;
  }

  /** Let the policy play: its rounds one after another in two seconds, or the end at once. */
  function reveal(moving) {
    rival = round.rival();
    stop();
    shown = rival.rounds.length;
    if (!moving) return;
    shown = 1;
    say("MaxGapTop2UCB plays the same noise.");
    const step = Math.max(1, Math.ceil(rival.rounds.length / 40));
    timer = window.setInterval(() => {
      shown += step;
      if (shown >= rival.rounds.length) {
        stop();
        shown = rival.rounds.length;
        say(verdict().join(" "));
      }
      draw();
    }, 50);
  }

  function stop() {
    if (timer !== null) window.clearInterval(timer);
    timer = null;
  }

  function begin(seed, scene) {
    stop();
    round = new rules.Round(seed, scene);
    rival = null;
    cut = null;
    lay();
    draw();
    say(opening());
    remember();
  }

  function goOn() {
    if (scores.every((one) => one !== null)) {
      scores = SCENES.map(() => null);
      begin(round.seed + 1, 0);
    } else {
      const later = SCENES.map((_, i) => (round.scene + 1 + i) % SCENES.length);
      begin(round.seed, later.find((scene) => scores[scene] === null));
    }
    rows[0].button.focus({ preventScroll: true });
  }

  allButton.addEventListener("click", sampleAll);
  cutBox.addEventListener("input", moveCut);
  sayButton.addEventListener("click", answer);
  nextButton.addEventListener("click", goOn);

  // -- the address -------------------------------------------------------------------------------

  let pending = null;

  /** Keep the round in the address, seldom enough for browsers that mind. */
  function remember() {
    if (pending !== null) window.clearTimeout(pending);
    pending = window.setTimeout(() => {
      pending = null;
      window.history.replaceState(null, "", KEY + rules.written(round, scores));
    }, 250);
  }

  /** The round of the address, if it holds one. */
  function restore() {
    if (!window.location.hash.startsWith(KEY)) return false;
    const found = rules.read(window.location.hash.slice(KEY.length));
    if (found === null) {
      say("The address holds no round of this game.");
      return false;
    }
    stop();
    ({ round, scores } = found);
    rival = null;
    cut = null;
    lay();
    if (round.guess !== null) {
      const { means } = round.reader;
      const others = means.filter((_, arm) => !round.guess.includes(arm));
      cut = (Math.min(...round.guess.map((arm) => means[arm])) + Math.max(...others)) / 2;
      reveal(false);
      score(round.outcome(rival));
      showVerdict();
    }
    draw();
    say(round.guess !== null ? verdict().join(" ") : round.samples > 0 ? `The round goes on: ${many(round.samples, "sample")} spent.` : opening());
    return true;
  }

  function copy(text, done) {
    const address = window.location.href.split("#")[0] + KEY + text;
    const tell = (words) => {
      say(words);
      note.textContent = words;
    };
    const failed = () => tell(`The link: ${address}`);
    if (!navigator.clipboard) failed();
    else navigator.clipboard.writeText(address).then(() => tell(done), failed);
  }

  linkButton.addEventListener("click", () => copy(rules.written(round, SCENES.map(() => null)), "Copied: whoever opens the link sees this round as you played it."));
  dareButton.addEventListener("click", () => copy(rules.written(new rules.Round(round.seed, round.scene), SCENES.map(() => null)), "Copied: whoever opens the link plays this round, with the same noise."));
  window.addEventListener("hashchange", restore);

  // -- begin -------------------------------------------------------------------------------------

  lay();
  draw();
  say(opening());
  const shared = restore();
  place.prepend(root); // the picture stays below for print
  place.classList.add("ready");
  if (shared) place.scrollIntoView({ block: "start" });
})();
