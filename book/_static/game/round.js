/*
 * One round of the game on the first page: where is the largest gap?
 *
 * Hidden means, a table of noise, and two players who draw from it: a reader, and MaxGapTop2UCB. The
 * n-th reward of an arm is the same for both. Both are certain of an answer by the same two
 * certificates, intervals and contrasts, each wrong with probability DELTA / 2 at most.
 *
 * No document, no page: it runs in a browser and in Node alike, beside maxgap.js. Arms are numbered
 * from 0; in an address and on the page they are letters.
 */
"use strict";

(function (root) {
  const maxgap = typeof require === "function" ? require("../explorable/maxgap.js") : root.maxgap;

  const SIGMA = 0.6;
  /** A wrong answer is certified in at most this part of the rounds. */
  const DELTA = 0.1;
  /** Gaps between neighbouring means, from the smallest mean up: easy rounds first. */
  const SCENES = [
    [0.6, 4, 0.6],
    [0.5, 1.5, 3.5, 0.6],
    [0.4, 2, 0.4, 3.5, 0.4],
    [0.5, 0.6, 0.5, 0.6, 0.5, 3],
    [0.4, 0.4, 2, 0.4, 0.4, 3.6, 0.4],
    [0.6, 0.6, 0.6, 3, 0.6, 0.6, 0.6, 0.6],
    [0.3, 0.3, 3.8, 0.3, 0.3, 0.3, 2, 0.3, 0.3],
    [0.3, 0.3, 0.3, 2, 0.3, 0.3, 0.3, 4, 0.3, 0.3, 0.3],
  ];
  /** The axis of the scores; every mean lies well inside. */
  const AXIS = [-1, 11];
  const MOST_SAMPLES = 2000;
  const LETTERS = "abcdefghijkl";
  /** Beyond any arm's own stream. */
  const SHUFFLE = 1000;

  /** Hidden means of a scene: its gaps, perhaps mirrored, somewhere on the axis, in any order. */
  function hiddenMeans(seed, scene) {
    const uniform = maxgap.uniforms(seed, SHUFFLE + scene);
    const gaps = uniform() < 0.5 ? SCENES[scene] : SCENES[scene].slice().reverse();
    const span = gaps.reduce((sum, gap) => sum + gap, 0);
    const least = AXIS[0] + 1 + uniform() * (AXIS[1] - AXIS[0] - 2 - span);
    const means = gaps.reduce((sofar, gap) => [...sofar, sofar[sofar.length - 1] + gap], [least]);
    for (let last = means.length - 1; last > 0; last -= 1) {
      const other = Math.floor(uniform() * (last + 1));
      [means[last], means[other]] = [means[other], means[last]];
    }
    return means;
  }

  /** Whether two answers are the same: arms above the gap, in any order. */
  const same = (one, other) => one.length === other.length && one.every((arm) => other.includes(arm));

  class Round {
    constructor(seed, scene) {
      if (!(Number.isInteger(seed) && seed >= 1)) throw new RangeError(`seed: ${seed}`);
      if (SCENES[scene] === undefined) throw new RangeError(`scene: ${scene}`);
      this.seed = seed;
      this.scene = scene;
      this.means = hiddenMeans(seed, scene);
      this.answer = maxgap.largestEmpiricalGap(this.means); // of the true means: the truth
      this.noise = this.means.map((_, arm) => ({
        next: maxgap.normals(seed, scene * LETTERS.length + arm),
        values: [],
      }));
      this.reader = this.policy("RoundRobin"); // the reader chooses; the policy keeps the books
      this.moves = []; // arms in the order of the reader's samples
      this.guess = null;
    }

    policy(name) {
      return new maxgap.Policy(name, this.means.length, { delta: DELTA / 2, sigma: SIGMA });
    }

    /** The n-th reward of an arm, from 0, to two decimals: what is shown is all that is known. */
    reward(arm, n) {
      const { next, values } = this.noise[arm];
      while (values.length <= n) values.push(next());
      return Math.round(100 * (this.means[arm] + SIGMA * values[n])) / 100;
    }

    get samples() {
      return this.moves.length;
    }

    /** One sample of an arm for the reader; its reward, or null when the round is over. */
    take(arm) {
      if (this.guess !== null || this.samples >= MOST_SAMPLES) return null;
      const reward = this.reward(arm, this.reader.counts[arm]);
      this.reader.tell([arm], [reward]);
      this.moves.push(arm);
      return reward;
    }

    /** Whether every arm has a sample: before, no place of the gap can be named. */
    get ready() {
      return this.reader.bounds !== null;
    }

    /** Arms from the smallest empirical mean to the largest. */
    order() {
      const { means } = this.reader;
      return means.map((_, arm) => arm).sort((a, b) => means[a] - means[b] || b - a);
    }

    /** The reader's answer: the arms above the gap. */
    say(top) {
      this.guess = top.slice().sort((a, b) => a - b);
    }

    /** Whether the reader's own samples certify this answer. */
    isCertain(top) {
      const { stopped, certified, sums } = this.reader;
      if (stopped && same(this.reader.top, top)) return true;
      if (certified !== null && same(certified.top, top)) return true;
      return maxgap.openContrast(sums, top, this.reader) === null;
    }

    isRight(top) {
      return same(top, this.answer);
    }

    /**
     * MaxGapTop2UCB on the same noise, until an answer is certified: its answer and samples, one
     * entry of `rounds` for each of its rounds, and what it would have said after as many samples
     * as the reader took (null: it had not seen every arm).
     */
    rival() {
      const policy = this.policy("MaxGapTop2UCB");
      const rounds = [];
      let then = null;
      while (!policy.stopped && policy.certified === null && policy.samples < MOST_SAMPLES) {
        const arms = policy.ask();
        policy.tell(arms, arms.map((arm) => this.reward(arm, policy.counts[arm])));
        const { counts, means, lower, upper, samples } = policy;
        rounds.push({ counts: counts.slice(), means: means.slice(), lower: lower.slice(), upper: upper.slice(), samples });
        if (samples <= this.samples) then = policy.recommend();
      }
      const certain = policy.stopped || policy.certified !== null;
      const top = policy.stopped ? policy.recommend() : (policy.certified || { top: policy.recommend() }).top;
      return { top, samples: policy.samples, certain, rounds, then };
    }

    /** Who needed fewer: "won", "lost" or "drawn" for the reader. A wrong answer needed no samples well. */
    outcome(rival) {
      const [mine, its] = [this.isRight(this.guess), this.isRight(rival.top)];
      if (mine !== its) return mine ? "won" : "lost";
      if (!mine || this.samples === rival.samples) return "drawn";
      return this.samples < rival.samples ? "won" : "lost";
    }
  }

  // -- the address -------------------------------------------------------------------------------

  const SCORES = { "-": null, w: "won", l: "lost", d: "drawn" };
  const letter = (arm) => LETTERS[arm];

  /** A round as text: seed, scene, moves, answer, and the scores of all rounds so far. */
  function written({ seed, scene, moves, guess }, scores) {
    const runs = moves.map(letter).join("").replace(/(.)\1+/g, (run) => run[0] + run.length);
    const marks = scores.map((score) => (score === null ? "-" : score[0])).join("");
    return [seed, scene + 1, runs, guess === null ? "" : guess.map(letter).join(""), marks].join(".");
  }

  /** The round that a text describes, and the scores; null if it describes none. */
  function read(text) {
    const found = /^([1-9]\d{0,8})\.([1-9])\.((?:[a-l]\d{0,4})*)\.([a-l]*)\.([-wld]*)$/.exec(text);
    if (found === null || SCENES[found[2] - 1] === undefined || ![0, SCENES.length].includes(found[5].length)) return null;
    const round = new Round(Number(found[1]), Number(found[2]) - 1);
    const isArm = (name) => LETTERS.indexOf(name) < round.means.length;
    for (const [, name, times] of found[3].matchAll(/([a-l])(\d*)/g)) {
      const more = times === "" ? 1 : Number(times);
      if (!isArm(name) || round.samples + more > MOST_SAMPLES) return null;
      for (let i = 0; i < more; i += 1) round.take(LETTERS.indexOf(name));
    }
    const guess = [...new Set(found[4])];
    if (guess.length > 0) {
      if (!round.ready || !guess.every(isArm) || guess.length === round.means.length) return null;
      round.say(guess.map((name) => LETTERS.indexOf(name)));
      // A reader cuts between estimates: no other answer can have been given.
      if (!same(round.guess, round.order().slice(-guess.length))) return null;
    }
    const scores = SCENES.map((_, i) => SCORES[found[5][i] || "-"]);
    return { round, scores };
  }

  const api = { SCENES, AXIS, SIGMA, DELTA, MOST_SAMPLES, Round, written, read };
  if (typeof module === "object" && module.exports) module.exports = api;
  else root.maxgapRound = api;
})(typeof globalThis === "object" ? globalThis : this);
