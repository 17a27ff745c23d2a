/*
 * The three algorithms of the MaxGap bandit, and round robin, for the explorable figure.
 *
 * The same decisions as the Python package `maxgap` with its defaults (radius "normal-mixture",
 * rule "clusters"), written for a dozen arms: plain, O(K^2) a round. A test feeds both the same
 * rewards. No document, no page: it runs in a browser and in Node alike.
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

  /** The corrected cluster rule: inside both clusters every gap is below the certain one. */
  function clustersCertified(bounds, certain) {
    if (!(certain.value > 0)) return false;
    const isTop = new Set(certain.top);
    return bounds.right.every((right, a) =>
      isTop.has(a) ? right < certain.value : bounds.left[a] < certain.value
    );
  }

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
      this.lower = new Array(nArms).fill(-Infinity);
      this.upper = new Array(nArms).fill(Infinity);
      this.active = new Array(nArms).fill(true);
      this.bounds = null; // known once every arm has a sample
      this.certain = null;
      this.stopped = false;
      this.top = null; // the certified answer
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
      if (this.stopped) return;
      this.next = NEXT[this.name](this);
      if (clustersCertified(this.bounds, this.certain)) {
        this.stopped = true;
        this.top = this.certain.top;
        this.next = [];
      }
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
  }

  const api = { POLICIES, Policy, radius, gapBounds, gapLower, largestEmpiricalGap };
  if (typeof module === "object" && module.exports) module.exports = api;
  else root.maxgap = api;
})(typeof globalThis === "object" ? globalThis : this);
