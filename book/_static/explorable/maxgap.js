/*
 * The three algorithms of the MaxGap bandit, and round robin, for the explorable figure.
 *
 * The same decisions as the Python package `maxgap` with its defaults (radius "normal-mixture",
 * rule "clusters"), written for a dozen arms: plain, O(K^2) a round. A test feeds both the same
 * rewards. Besides them the certificate of contrasts, as `maxgap.reference.contrasts` has it: policies
 * here do not stop by it, it is shown beside the rule. No document, no page: it runs in a browser and in Node alike.
 *
 * It is a classic script and no ES module, because browsers refuse to load modules from a file
 * and this book must open without a server. In a browser everything is `window.maxgap`.
 *
 * "Right" means towards larger means; arms are numbered from 0. Equation numbers are the paper's.
 */
"use strict";

(function (root) {
  /** The normal mixture is tuned to be narrowest near this many samples. */
  const MIXTURE_T0 = 100;

  const POLICIES = ["RoundRobin", "MaxGapElim", "MaxGapUCB", "MaxGapTop2UCB"];

  /**
   * Half-width of an arm's interval after n samples: Howard et al. 2021, eq. (14), delta / K each.
   */
  function radius(n, { delta, nArms, sigma }) {
    if (n === 0) return Infinity;
    const logInverse = Math.log(nArms / delta);
    const r = MIXTURE_T0 / (2 * logInverse + Math.log1p(2 * logInverse));
    return sigma * Math.sqrt(((1 + r / n) * (Math.log1p(n / r) + 2 * logInverse)) / n);
  }

  /** Largest right gap of every arm, eqs. (7) and (8). */
  function rightBounds(lower, upper) {
    // Where each lower end's gap closes at the latest: the smallest upper end above it.
    const closing = lower.map((x) => {
      let smallest = Infinity;
      lower.forEach((l, j) => {
        if (l > x) smallest = Math.min(smallest, upper[j]);
      });
      return smallest;
    });
    const highest = Math.max(...lower);
    return lower.map((low, a) => {
      let bound = 0;
      lower.forEach((x, i) => {
        if (x < low || x > upper[a]) return;
        let end = closing[i];
        if (x === highest) {
          end = -Infinity; // every arm can lie at or below x: the furthest other one goes right
          upper.forEach((r, j) => {
            if (j !== a) end = Math.max(end, r);
          });
        }
        bound = Math.max(bound, end - x);
      });
      return bound;
    });
  }

  /** Largest right gap, left gap, and gap that each arm can have (Algorithm 4). */
  function gapBounds(lower, upper) {
    const right = rightBounds(lower, upper);
    const negative = (x) => -x;
    const left = rightBounds(upper.map(negative), lower.map(negative));
    return { right, left, either: right.map((x, a) => Math.max(x, left[a])) };
  }

  /** Arms from the largest value to the smallest, equal ones by number. */
  function ranked(values) {
    return values.map((_, arm) => arm).sort((a, b) => values[b] - values[a] || a - b);
  }

  /** Lower bound on the largest gap and the arms above it, eq. (9); not positive: none certain. */
  function gapLower(means, lower, upper) {
    const order = ranked(means);
    let best = { value: -Infinity, top: [] };
    for (let k = 1; k < order.length; k += 1) {
      const top = order.slice(0, k);
      const bottom = order.slice(k);
      const lowestAbove = Math.min(...top.map((a) => lower[a]));
      const highestBelow = Math.max(...bottom.map((a) => upper[a]));
      const value = lowestAbove - highestBelow;
      if (value > best.value) best = { value, top };
    }
    return best;
  }

  /** The arms above the largest gap between neighbouring empirical means. */
  function largestEmpiricalGap(means) {
    const order = ranked(means);
    let best = -1;
    let split = 1;
    for (let k = 1; k < order.length; k += 1) {
      const gap = means[order[k - 1]] - means[order[k]];
      if (gap > best) {
        best = gap;
        split = k;
      }
    }
    return order.slice(0, split);
  }

  /** The largest bound of a gap inside one of the two clusters. */
  function rivalBound(bounds, certain) {
    const isTop = new Set(certain.top);
    return Math.max(...bounds.right.map((right, a) => (isTop.has(a) ? right : bounds.left[a])));
  }

  /** The corrected cluster rule: inside both clusters every gap is below the certain one. */
  function clustersCertified(bounds, certain) {
    if (!(certain.value > 0)) return false;
    return rivalBound(bounds, certain) < certain.value;
  }

  // -- the certificate of contrasts --------------------------------------------------------------

  /** Weight of the two arms of the gap itself. */
  const NEAREST = 0.9;
  /** Shares of delta: orders; the split at the second largest gap; the splits at smaller ones. */
  const SHARES = { order: 0.1, gap: 0.6, pair: 0.3 };
  /** Numbers of samples around which the tests are sharpest. */
  const RHO = { orders: 4, contrasts: 12 };
  /** Contrasts are looked at again after this part of the samples more. */
  const LOOK_AT_GROWTH = 64;

  /** Evidence needed: for an order, for the second largest gap, and for the smaller ones. */
  function thresholds(nArms, delta) {
    return {
      order: Math.log((nArms * (nArms - 1)) / 2 / (delta * SHARES.order)),
      gap: Math.log(1 / (delta * SHARES.gap)),
      pair: Math.log((2 * Math.max(1, nArms - 3)) / (delta * SHARES.pair)),
    };
  }

  /** Standard normal distribution function, z >= 0, by a series whose terms are all positive. */
  function normalCdf(z) {
    if (z > 9) return 1; // to the last bit
    let term = z;
    let sum = 0;
    for (let k = 3; sum + term > sum; k += 2) {
      sum += term;
      term *= (z * z) / k;
    }
    return 0.5 + (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
  }

  /** Logarithms of the shares of the arms 0, 1, 2, ... places from the gap. */
  function logWeights(nArms) {
    const others = Array.from({ length: nArms - 1 }, (_, h) => 1 / (h + 1));
    const harmonic = others.reduce((sum, x) => sum + x, 0);
    return [NEAREST, ...others.map((x) => ((1 - NEAREST) * x) / harmonic)].map(Math.log);
  }

  // Below, sums[arm][n] is the sum of the arm's first n rewards.

  /** Evidence that the mean of arm a is above that of arm b. */
  function orderEvidence(sums, a, b, sigma) {
    const [nA, nB] = [sums[a].length - 1, sums[b].length - 1];
    if (nA === 0 || nB === 0) return -Infinity;
    const distance = sums[a][nA] / nA - sums[b][nB] / nB;
    if (!(distance > 0)) return -Infinity;
    const rho = RHO.orders;
    const spread = sigma ** 2 * (1 / nA + rho / nA ** 2 + 1 / nB + rho / nB ** 2);
    return distance ** 2 / (2 * spread) - (Math.log1p(nA / rho) + Math.log1p(nB / rho)) / 2;
  }

  /** Evidence against "y is at least as far above x as i is above j". */
  function evidence(sums, [j, i], x, y, sigma) {
    if (y === i || x === j) return -Infinity;
    const places = { [i]: 0, [j]: 0, [x]: 0, [y]: 0 };
    [i, j, x, y].forEach((arm) => { places[arm] += 1; });
    const arms = Object.keys(places);
    const n = Math.min(...arms.map((arm) => Math.floor((sums[arm].length - 1) / places[arm])));
    const first = (arm) => sums[arm][places[arm] * n];
    // An arm with two places is i and x, or j and y: its rewards count once, with one sign.
    const total = first(i) + (x === i ? 0 : first(x)) - first(j) - (y === j ? 0 : first(y));
    if (n === 0 || !(total > 0)) return -Infinity;
    const z = total / (sigma * Math.sqrt(4 * (n + RHO.contrasts)));
    const shrunk = Math.log(RHO.contrasts / (n + RHO.contrasts)) / 2;
    return Math.log(2) + shrunk + z ** 2 / 2 + Math.log(normalCdf(z));
  }

  /** At most how many places arm a lies from the gap's own arm, by what is certain. */
  function position(a, own, side, isBeyond) {
    if (a === own) return 0;
    return Math.max(1, side.filter((b) => b !== a && !isBeyond(a, b) && !isBeyond(b, own)).length);
  }

  /**
   * The largest evidence c for which the gap (low, high) is refuted: "neighbours, and at least as
   * far apart as the boundary". Each label of an arm, low or high, holds up to some c; the plain
   * lines ask for one c at a time, here a label carries the largest. `toLow` and `toHigh` are the
   * weights of the side's arms, `links` the evidence between any two of them.
   */
  function refutation([j, i], [low, high], side, above, toLow, toHigh, links) {
    if (above[low][high]) return Infinity;
    const label = (isSure) => side.map((a) => (isSure(a) ? Infinity : -Infinity));
    const lows = label((a) => a === low || a === i || above[high][a]);
    const highs = label((a) => a === high || a === j || above[a][low]);
    // A link from x to y: not both is x low and y high.
    for (let changed = true; changed; ) {
      changed = false;
      side.forEach((_, x) => {
        side.forEach((__, y) => {
          if (x === y) return;
          const link = links[x][y] + toLow[x] + toHigh[y];
          const [newLow, newHigh] = [Math.min(lows[x], link), Math.min(highs[y], link)];
          changed = changed || newLow > lows[y] || newHigh > highs[x];
          lows[y] = Math.max(lows[y], newLow);
          highs[x] = Math.max(highs[x], newHigh);
        });
      });
    }
    return Math.max(...lows.map((c, k) => Math.min(c, highs[k])));
  }

  /** Whether two gaps of one side may both be gaps between neighbours. */
  function compatible([low, high], [otherLow, otherHigh], above) {
    if (low === otherLow || high === otherHigh) return false;
    return !(above[high][otherLow] && above[otherHigh][low]);
  }

  /** Every gap (low, high) inside a side, with the least evidence that refutes it. */
  function gapsInside(sums, sides, above, sigma) {
    const [bottom, top] = sides;
    const lowest = top.filter((i) => !top.some((a) => above[i][a]));
    const highest = bottom.filter((j) => !bottom.some((b) => above[b][j]));
    const boundaries = highest.flatMap((j) => lowest.map((i) => [j, i]));
    const weights = logWeights(above.length);
    const isAbove = (a, b) => above[a][b];
    const isBelow = (a, b) => above[b][a];
    return sides.flatMap((side) => {
      const links = boundaries.map((boundary) =>
        side.map((x) => side.map((y) => (x === y ? -Infinity : evidence(sums, boundary, x, y, sigma))))
      );
      const weighed = (own, isBeyond) => side.map((a) => weights[position(a, own, side, isBeyond)]);
      const toLow = new Map(side.map((low) => [low, weighed(low, isAbove)]));
      const toHigh = new Map(side.map((high) => [high, weighed(high, isBelow)]));
      const pairs = side.flatMap((low) => side.filter((a) => a !== low).map((high) => [low, high]));
      return pairs.map((arms) => {
        const [low, high] = [toLow.get(arms[0]), toHigh.get(arms[1])];
        const each = boundaries.map((boundary, k) =>
          refutation(boundary, arms, side, above, low, high, links[k])
        );
        return { arms, side, evidence: Math.min(...each) };
      });
    });
  }

  /**
   * What keeps contrasts from certifying that the largest gap lies below the arms of `top`, and
   * above all others; null if nothing does. What is open is the first line that fails, with the
   * least evidence there: `order`, two arms not certainly in this order; `gap`, a gap that may be
   * as large as the boundary; `pair`, two such gaps, of which one must be refuted more clearly.
   */
  function openContrast(sums, top, { delta, sigma }) {
    const arms = sums.map((_, arm) => arm);
    const bottom = arms.filter((arm) => !top.includes(arm));
    const needed = thresholds(sums.length, delta);
    const orders = arms.map((a) => arms.map((b) => orderEvidence(sums, a, b, sigma)));
    const above = orders.map((row) => row.map((found) => found >= needed.order));
    const least = (kind, all) => {
      const open = all.filter((one) => !(one.evidence >= needed[kind]));
      if (open.length === 0) return null;
      const worst = open.reduce((one, other) => (other.evidence < one.evidence ? other : one));
      return { kind, arms: worst.arms, evidence: worst.evidence, needed: needed[kind] };
    };
    const across = top.flatMap((a) => bottom.map((b) => ({ arms: [b, a], evidence: orders[a][b] })));
    const order = least("order", across);
    if (order !== null) return order;
    const gaps = gapsInside(sums, [bottom, top], above, sigma);
    const gap = least("gap", gaps);
    if (gap !== null) return gap;
    const open = gaps.filter((one) => one.evidence < needed.pair);
    const pairs = open.flatMap((one, k) =>
      open
        .slice(k + 1)
        .filter((other) => one.side !== other.side || compatible(one.arms, other.arms, above))
        .map((other) => ({ arms: [one.arms, other.arms], evidence: Math.max(one.evidence, other.evidence) }))
    );
    return least("pair", pairs);
  }

  // -- the policies ------------------------------------------------------------------------------

  const allArms = (policy) => policy.counts.map((_, arm) => arm);

  const armsWith = (policy, condition) => allArms(policy).filter(condition);

  /** What each policy samples next, from its bounds. */
  const NEXT = {
    RoundRobin(policy) {
      const fewest = Math.min(...policy.counts);
      return armsWith(policy, (a) => policy.counts[a] === fewest);
    },

    // Algorithm 1, line 6: an arm that cannot have the largest gap goes for good.
    MaxGapElim(policy) {
      const { value } = policy.certain;
      if (value > 0) {
        policy.active = policy.active.map((on, a) => on && policy.bounds.either[a] > value);
      }
      let next = armsWith(policy, (a) => policy.active[a]);
      if (next.length < 2) {
        // Both arms of the largest gap cannot go while the intervals hold: one has missed.
        policy.active = policy.active.map(() => true);
        next = allArms(policy);
      }
      return next;
    },

    // Algorithm 2, line 5.
    MaxGapUCB(policy) {
      const { either } = policy.bounds;
      const highest = Math.max(...either);
      return armsWith(policy, (a) => either[a] === highest);
    },

    // Algorithm 3, lines 5 and 6.
    MaxGapTop2UCB(policy) {
      const { either } = policy.bounds;
      const highest = Math.max(...either);
      const others = either.filter((bound) => bound < highest);
      const least = others.length > 0 ? Math.max(...others) : highest;
      return armsWith(policy, (a) => either[a] >= least);
    },
  };

  /** A policy: ask which arms come next, tell it their rewards. */
  class Policy {
    constructor(name, nArms, { delta = 0.05, sigma = 1 } = {}) {
      if (!POLICIES.includes(name)) throw new RangeError(`name: unknown policy ${name}`);
      if (!(Number.isInteger(nArms) && nArms >= 2)) throw new RangeError(`nArms: ${nArms}`);
      if (!(delta > 0 && delta < 1)) throw new RangeError(`delta: ${delta}`);
      if (!(sigma > 0 && sigma < Infinity)) throw new RangeError(`sigma: ${sigma}`);
      this.name = name;
      this.nArms = nArms;
      this.delta = delta;
      this.sigma = sigma;
      this.counts = new Array(nArms).fill(0);
      this.means = new Array(nArms).fill(0);
      this.sums = Array.from({ length: nArms }, () => [0]); // of the first n rewards of each arm
      this.lower = new Array(nArms).fill(-Infinity);
      this.upper = new Array(nArms).fill(Infinity);
      this.active = new Array(nArms).fill(true);
      this.bounds = null; // known once every arm has a sample
      this.certain = null;
      this.stopped = false;
      this.top = null; // the certified answer
      this.lastLook = 0; // number of samples when contrasts were last looked at
      this.certified = null; // by contrasts: the answer, and the samples when it was first certified
      this.next = allArms(this);
    }

    /** Arms to sample next, once each; empty once stopped. */
    ask() {
      return this.next.slice();
    }

    /** Take one reward of each of these arms, then decide. */
    tell(arms, rewards) {
      arms.forEach((arm, i) => {
        const n = this.counts[arm] + 1;
        this.counts[arm] = n;
        this.sums[arm].push(this.sums[arm][n - 1] + rewards[i]);
        this.means[arm] += (rewards[i] - this.means[arm]) / n;
        const half = radius(n, this);
        this.lower[arm] = this.means[arm] - half;
        this.upper[arm] = this.means[arm] + half;
      });
      this.decide();
    }

    decide() {
      const unsampled = armsWith(this, (a) => this.counts[a] === 0);
      if (unsampled.length > 0) {
        this.next = unsampled;
        return;
      }
      this.bounds = gapBounds(this.lower, this.upper);
      this.certain = gapLower(this.means, this.lower, this.upper);
      this.lookAtContrasts();
      if (this.stopped) return;
      this.next = NEXT[this.name](this);
      if (clustersCertified(this.bounds, this.certain)) {
        this.stopped = true;
        this.top = this.certain.top;
        this.next = [];
      }
    }

    /** The package, stopping by contrasts, looks at these times, too. */
    lookAtContrasts() {
      const { samples, lastLook } = this;
      if (this.certified !== null || LOOK_AT_GROWTH * (samples - lastLook) < lastLook) return;
      this.lastLook = samples;
      if (this.openContrast() === null) this.certified = { samples, top: this.recommend() };
    }

    get samples() {
      return this.counts.reduce((sum, n) => sum + n, 0);
    }

    /** Arms above the split, in increasing order; null while some arm has no sample. */
    recommend() {
      if (this.bounds === null) return null;
      const top = this.stopped ? this.top : largestEmpiricalGap(this.means);
      return top.slice().sort((a, b) => a - b);
    }

    /** What keeps contrasts from certifying this answer; null if nothing does. */
    openContrast() {
      return openContrast(this.sums, this.recommend(), this);
    }

    /** The largest bound of a rival to the certain gap. */
    rivalBound() {
      return rivalBound(this.bounds, this.certain);
    }
  }

  // -- noise -------------------------------------------------------------------------------------

  /** Numbers in [0, 1) of one stream: the same for the same seed and stream (mulberry32). */
  function uniforms(seed, stream) {
    let state = (Math.imul(seed, 0x9e3779b1) + Math.imul(stream, 0x85ebca6b)) >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  /** Standard normal deviates of one stream (Box-Muller). */
  function normals(seed, stream) {
    const uniform = uniforms(seed, stream);
    return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  }

  // -- pictures --------------------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";

  /** An element of a page or of a drawing. */
  function make(tag, attributes = {}, parent = null, text = null) {
    const isSvg = ["svg", "g", "rect", "line", "path", "text"].includes(tag);
    const node = isSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    if (text !== null) node.textContent = text;
    if (parent !== null) parent.append(node);
    return node;
  }

  /** Let a handle be dragged: `move` is told how far across the picture the pointer is, 0 to 1. */
  function draggable(handle, picture, move) {
    const follow = (event) => {
      const box = picture.getBoundingClientRect();
      move((event.clientX - box.left) / box.width);
    };
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.focus({ preventScroll: true });
      handle.setPointerCapture(event.pointerId);
      handle.addEventListener("pointermove", follow);
    });
    ["pointerup", "pointercancel"].forEach((kind) =>
      handle.addEventListener(kind, () => handle.removeEventListener("pointermove", follow))
    );
  }

  /** Tell whoever draws into an element how wide it is, at first and whenever that changes. */
  function watchWidth(element, draw) {
    let width = 0;
    new ResizeObserver(() => {
      const now = Math.floor(element.clientWidth);
      if (now === width || now === 0) return;
      width = now;
      draw(width);
    }).observe(element);
  }

  const api = { POLICIES, Policy, make, draggable, watchWidth, uniforms, normals, radius, gapBounds, gapLower, largestEmpiricalGap, normalCdf, openContrast };
  if (typeof module === "object" && module.exports) module.exports = api;
  else root.maxgap = api;
})(typeof globalThis === "object" ? globalThis : this);
