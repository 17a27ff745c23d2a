/*
 * The paper's experiment, quickly: round robin and the three algorithms, run many times.
 *
 * The decisions of the package `maxgap`, sample for sample and ties included: a test feeds both the
 * same rewards. No policy stops; each is asked for its answer, the split at the largest gap between
 * the empirical means, at given numbers of samples. The arms are kept in order of their lower ends,
 * repaired after a round; the slots between them give every gap bound (`maxgap.engine.slots`).
 *
 * A page holds this text itself, as a module: from there it is sent to workers, which a page that is
 * opened from a file may not load. It is `maxgapRerun` in the page and in a worker.
 */

const POLICIES = ["RoundRobin", "MaxGapElim", "MaxGapUCB", "MaxGapTop2UCB"];

// -- radii

const LN2_HIGH = 6.93147180369123816490e-1;
const LN2_LOW = 1.90821492927058770002e-10;
const HALF_SQRT = 0.7071067811865476;
const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/** Natural logarithm to the very bit of `maxgap.engine.elementary.log`; browsers differ. */
function log(x) {
  double[0] = x;
  let exponent = ((words[1] >>> 20) & 0x7ff) - 1022;
  words[1] = (words[1] & 0x800fffff) | 0x3fe00000;
  let fraction = double[0];
  if (fraction < HALF_SQRT) {
    fraction *= 2;
    exponent -= 1;
  }
  const f = fraction - 1;
  const s = f / (2 + f);
  const z = s * s;
  let series = 2 / 21;
  for (let k = 19; k >= 3; k -= 2) series = series * z + 2 / k;
  const half = 0.5 * f * f;
  const small = s * (half + series * z) + exponent * LN2_LOW;
  return exponent * LN2_HIGH - (half - small - f);
}

/** Half-widths after n samples at sigma 1, by the names of `maxgap.confidence`. */
const FORMULAS = {
  "normal-mixture": (nArms, delta) => {
    const inverse = log(nArms) - log(delta);
    const r = 100 / (2 * inverse + log(1 + 2 * inverse));
    return (n) => Math.sqrt(((1 + r / n) * (log(1 + n / r) + 2 * inverse)) / n);
  },
  hoeffding: (nArms, delta) => (n) => Math.sqrt((2 * (log(4 * nArms) - log(delta) + 2 * log(n))) / n),
  paper: (nArms, delta) => (n) => Math.sqrt((log(4 * nArms) - log(delta) + 2 * log(n)) / n),
  "authors-lil": (nArms, delta) => (n) => 1.5 * Math.sqrt((2 * log(log(25 * n) - log(delta))) / n),
};

/** Whether all intervals are proved to hold together: `maxgap.confidence.guarantees`. */
function isProved(radius, sigma) {
  if (radius === "paper") return sigma <= Math.sqrt(0.5 * (1 + 1e-12));
  return radius !== "authors-lil";
}

const tables = new Map();

/** Half-widths by number of samples, at least up to `most`; the first is infinite. */
function radii({ radius, delta, sigma }, nArms, most) {
  const key = [radius, delta, sigma, nArms].join();
  const known = tables.get(key);
  if (known && known.length > most) return known;
  const size = Math.max(most + 1, known ? 2 * known.length : 1024);
  const formula = FORMULAS[radius](nArms, delta);
  const factor = radius === "paper" ? 1 : sigma;
  const table = new Float64Array(size).map((_, n) => (n === 0 ? Infinity : factor * formula(n)));
  tables.clear();
  tables.set(key, table);
  return table;
}

// -- a run

function largest(values) {
  let found = -Infinity;
  for (let k = 0; k < values.length; k += 1) if (values[k] > found) found = values[k];
  return found;
}

/** As many arrays as are asked for, one after another. */
function* arrays(Kind, length) {
  for (;;) yield new Kind(length);
}

/** A policy at work: `next` holds the arms to sample, increasing, `nNext` how many they are. */
class Run {
  constructor(policy, nArms, setting) {
    this.policy = POLICIES.indexOf(policy);
    this.nArms = nArms;
    this.setting = setting;
    // Round robin looks at no interval.
    this.radii = this.policy === 0 ? null : radii(setting, nArms, 1023);
    // By arm: samples, mean, interval, whether MaxGapElim still has it, whether it is marked.
    [this.counts, this.active, this.touches] = arrays(Int32Array, nArms);
    [this.means, this.lower, this.upper] = arrays(Float64Array, nArms);
    this.next = new Int32Array(nArms);
    this.ranked = new Int32Array(nArms); // arms by empirical mean
    // Arms by lower end, and the place of each; what follows goes by place.
    [this.order, this.place] = arrays(Int32Array, nArms);
    [this.low, this.high] = arrays(Float64Array, nArms);
    // End and width of the slot that opens at this lower end; largest upper end below, and how far from it.
    [this.end, this.width, this.reach, this.separation] = arrays(Float64Array, nArms);
    this.wide = new Int32Array(nArms); // the first slot from here on that is wide enough
    this.begin();
  }

  begin() {
    this.counts.fill(0);
    this.means.fill(0);
    this.lower.fill(-Infinity);
    this.upper.fill(Infinity);
    this.active.fill(1);
    for (let arm = 0; arm < this.nArms; arm += 1) {
      this.next[arm] = this.order[arm] = this.ranked[arm] = arm;
    }
    this.nNext = this.unsampled = this.nArms;
    this.settled = false;
  }

  take(arm, reward) {
    const n = (this.counts[arm] += 1);
    const mean = this.means[arm] + (reward - this.means[arm]) / n;
    this.means[arm] = mean;
    if (n === 1) this.unsampled -= 1;
    if (this.radii === null) return;
    if (n >= this.radii.length) this.radii = radii(this.setting, this.nArms, n);
    this.lower[arm] = mean - this.radii[n];
    this.upper[arm] = mean + this.radii[n];
  }

  /** List the arms to sample next, after a round. */
  decide() {
    if (this.unsampled > 0 || this.policy === 0) {
      this.listFewest();
      return;
    }
    this.settle();
    if (this.policy === 1) {
      this.eliminate();
      return;
    }
    this.mark(this.policy === 2 ? this.widest() : this.secondWidest());
    this.list(this.touches);
  }

  listFewest() {
    const { counts, nArms } = this;
    let fewest = counts[0];
    for (let arm = 1; arm < nArms; arm += 1) fewest = Math.min(fewest, counts[arm]);
    this.nNext = 0;
    for (let arm = 0; arm < nArms; arm += 1) if (counts[arm] === fewest) this.next[this.nNext++] = arm;
  }

  list(flags) {
    this.nNext = 0;
    for (let arm = 0; arm < this.nArms; arm += 1) if (flags[arm]) this.next[this.nNext++] = arm;
  }

  /** Put right the order and the slots after the arms listed have moved. */
  settle() {
    const { next, nNext, nArms, place } = this;
    if (4 * nNext > nArms || !this.settled) {
      this.settled = true;
      this.low.fill(Infinity); // every arm is let in among those before it
      for (let k = 0; k < nArms; k += 1) this.put(this.order[k], k);
      this.renew(0, nArms - 1);
      return;
    }
    let first = nArms;
    let last = 0;
    for (let i = 0; i < nNext; i += 1) {
      const from = place[next[i]];
      this.put(next[i], from);
      const to = place[next[i]];
      first = Math.min(first, from, to);
      last = Math.max(last, from, to);
    }
    this.renew(first, last);
  }

  /** Move an arm from this place in the order to where its lower end belongs. */
  put(arm, from) {
    const { order, place, low, high, nArms } = this;
    const value = this.lower[arm];
    let k = from;
    for (; k > 0 && low[k - 1] > value; k -= 1) this.shift(k - 1, k);
    for (; k < nArms - 1 && low[k + 1] < value; k += 1) this.shift(k + 1, k);
    order[k] = arm;
    place[arm] = k;
    low[k] = value;
    high[k] = this.upper[arm];
  }

  shift(from, to) {
    const { order, place, low, high } = this;
    order[to] = order[from];
    place[order[from]] = to;
    low[to] = low[from];
    high[to] = high[from];
  }

  /** Slots after the arms at these places have changed; the work ends where nothing changes. */
  renew(first, last) {
    const { low, high, end, reach, width, separation } = this;
    const top = this.nArms - 1;
    let highest = first > 0 ? Math.max(reach[first - 1], high[first - 1]) : -Infinity;
    let k = first;
    for (; k <= top; k += 1) {
      if (k > last && reach[k] === highest) break;
      reach[k] = highest;
      separation[k] = k > 0 ? low[k] - highest : 0;
      if (high[k] > highest) highest = high[k];
    }
    if (k > top) {
      end[top] = reach[top];
      width[top] = Math.max(reach[top] - low[top], 0);
    }
    let smallest = last < top ? high[last + 1] : high[top];
    if (last + 1 < top) smallest = Math.min(smallest, end[last + 1]);
    for (let j = Math.min(last, top - 1); j >= 0; j -= 1) {
      if (j < first && end[j] === smallest) break;
      end[j] = smallest;
      width[j] = smallest - low[j];
      if (high[j] < smallest) smallest = high[j];
    }
  }

  /** The highest gap bound of all arms, M_1. */
  widest() {
    return largest(this.width);
  }

  /** The highest gap bound below it, M_2; M_1 itself if all arms share it. */
  secondWidest() {
    const { order, low, high, end, width, touches, nArms } = this;
    const widest = this.widest();
    this.mark(widest);
    let second = -Infinity;
    let first = 0;
    let seen = 0; // an arm touches the slots from some place to another, and the next arms none before it
    for (let k = 0; k < nArms; k += 1) {
      while (first < nArms - 1 && end[first] < low[k]) first += 1;
      if (touches[order[k]]) continue;
      for (seen = Math.max(seen, first); seen < nArms && low[seen] <= high[k]; seen += 1) {
        second = Math.max(second, width[seen]);
      }
    }
    return second > -Infinity ? second : widest;
  }

  /** Mark the arms with a gap bound of at least `least`, or above it: who touches a slot so wide. */
  mark(least, above = false) {
    const { order, low, high, end, width, wide, touches, nArms } = this;
    let next = nArms;
    for (let k = nArms - 1; k >= 0; k -= 1) {
      if (above ? width[k] > least : width[k] >= least) next = k;
      wide[k] = next;
    }
    let start = 0;
    for (let k = 0; k < nArms; k += 1) {
      while (start < nArms - 1 && end[start] < low[k]) start += 1;
      const slot = wide[start];
      touches[order[k]] = slot < nArms && low[slot] <= high[k] ? 1 : 0;
    }
  }

  /** Algorithm 1: who cannot have the largest gap goes; all return where fewer than two stay. */
  eliminate() {
    const { active, touches } = this;
    this.certain = largest(this.separation); // eq. (9)
    if (this.certain > 0) {
      this.mark(this.certain, true);
      for (let arm = 0; arm < this.nArms; arm += 1) if (!touches[arm]) active[arm] = 0;
    }
    this.list(active);
    if (this.nNext < 2) {
      active.fill(1);
      this.list(active);
    }
  }

  /** Mark in `touches` the arms above the largest gap of the empirical means: the highest such. */
  answer() {
    const { ranked, means, touches, nArms } = this;
    for (let k = 1; k < nArms; k += 1) {
      const arm = ranked[k];
      let j = k;
      for (; j > 0 && means[ranked[j - 1]] > means[arm]; j -= 1) ranked[j] = ranked[j - 1];
      ranked[j] = arm;
    }
    let widest = 0;
    let above = Infinity;
    for (let k = 1; k < nArms; k += 1) {
      const gap = means[ranked[k]] - means[ranked[k - 1]];
      if (gap >= widest && gap > 0) {
        widest = gap;
        above = means[ranked[k]];
      }
    }
    for (let arm = 0; arm < nArms; arm += 1) touches[arm] = means[arm] >= above ? 1 : 0;
    if (above === Infinity) touches[nArms - 1] = 1; // all means are equal
    return touches;
  }

  /** Whether the answer splits the true means at a gap of at least `least`. */
  isRight(truth, least) {
    if (this.unsampled > 0) return false;
    const top = this.answer();
    let above = Infinity;
    let below = -Infinity;
    for (let arm = 0; arm < this.nArms; arm += 1) {
      if (top[arm]) above = Math.min(above, truth[arm]);
      else below = Math.max(below, truth[arm]);
    }
    return above - below >= least;
  }
}

/** Half a last bit of room: of equal largest gaps any is a right answer. */
function leastGap(means) {
  const sorted = Float64Array.from(means).sort();
  let largest = 0;
  for (let k = 1; k < sorted.length; k += 1) largest = Math.max(largest, sorted[k] - sorted[k - 1]);
  return largest * (1 - 1e-9);
}

/**
 * One run up to the last look: adds the samples of every arm at every look to `counts` (looks by
 * arms) and sets `wrong` from `at` on. `normal` gives standard normal deviates.
 */
function runOnce(run, truth, sigma, least, looks, normal, wrong, at, counts) {
  const { nArms } = run;
  run.begin();
  let total = 0;
  let look = 0;
  while (look < looks.length) {
    const { next, nNext } = run;
    for (let i = 0; i < nNext; i += 1) {
      const arm = next[i];
      run.take(arm, truth[arm] + sigma * normal());
      total += 1;
      if (total === looks[look]) {
        wrong[at + look] = run.isRight(truth, least) ? 0 : 1;
        for (let a = 0; a < nArms; a += 1) counts[look * nArms + a] += run.counts[a];
        look += 1;
        if (look === looks.length) return;
      }
    }
    run.decide();
  }
}

/** Runs number `first` to before `first + runs`: the same for the same seed, whoever asks. */
function simulate({ policy, means, sigma, delta, radius, looks, seed, first, runs }) {
  const run = new Run(policy, means.length, { radius, delta, sigma });
  const truth = Float64Array.from(means);
  const wrong = new Uint8Array(runs * looks.length);
  const counts = new Float64Array(looks.length * means.length);
  const least = leastGap(truth);
  for (let i = 0; i < runs; i += 1) {
    const normal = normals(seed, POLICIES.indexOf(policy), first + i);
    runOnce(run, truth, sigma, least, looks, normal, wrong, i * looks.length, counts);
  }
  return { wrong, counts };
}

// -- noise

/** Whole numbers below 2^32 of a stream of its own for every seed and two numbers (sfc32). */
function integers(seed, stream, number) {
  let [a, b, c, counter] = [seed | 0, Math.imul(stream + 1, 0x9e3779b1), Math.imul(number + 1, 0x85ebca6b), 1];
  const next = () => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return t >>> 0;
  };
  for (let i = 0; i < 16; i += 1) next();
  return next;
}

/** Standard normal deviates, two at a time (Marsaglia's polar method). */
function normals(seed, stream, number) {
  const integer = integers(seed, stream, number);
  let spare = 0;
  let isSpare = false;
  return () => {
    if (isSpare) {
      isSpare = false;
      return spare;
    }
    for (;;) {
      const x = (integer() + 0.5) / 2147483648 - 1;
      const y = (integer() + 0.5) / 2147483648 - 1;
      const square = x * x + y * y;
      if (square < 1) {
        const factor = Math.sqrt((-2 * Math.log(square)) / square);
        spare = y * factor;
        isSpare = true;
        return x * factor;
      }
    }
  };
}

// -- statistics, as in maxgap.statistics

/** Wilson's 95% interval for a share. */
function wilson(wrong, runs) {
  const square = 1.959963984540054 ** 2;
  const share = wrong / runs;
  const centre = (share + square / (2 * runs)) / (1 + square / runs);
  const spread = Math.sqrt((share * (1 - share)) / runs + square / (4 * runs * runs));
  const half = (Math.sqrt(square) * spread) / (1 + square / runs);
  return [Math.max(centre - half, 0), Math.min(centre + half, 1)];
}

/** Pools of the non-increasing curve closest to the counts: [sum, length]. */
function pools(counts) {
  const found = [];
  counts.forEach((count) => {
    let pool = [count, 1];
    for (let before = found[found.length - 1]; before && before[0] * pool[1] <= pool[0] * before[1]; before = found[found.length - 1]) {
      found.pop();
      pool = [before[0] + pool[0], before[1] + pool[1]];
    }
    found.push(pool);
  });
  return found;
}

/** The non-increasing curve itself, in shares. */
function nonIncreasing(counts, runs) {
  return pools(counts).flatMap(([sum, length]) => new Array(length).fill(sum / (length * runs)));
}

/** After how many samples the curve meets a level; infinite where it does not. */
function firstBelow(counts, runs, looks, level) {
  let start = 0;
  let before = Infinity;
  for (const [sum, length] of pools(counts)) {
    const value = sum / (length * runs);
    if (value <= level) {
      if (start === 0) return looks[0];
      const step = looks[start] - looks[start - 1];
      return looks[start - 1] + ((before - level) / (before - value)) * step;
    }
    before = value;
    start += length;
  }
  return Infinity;
}

/** Wrong answers at every look, of all runs. */
function summed(wrong, nLooks) {
  const counts = new Array(nLooks).fill(0);
  for (let i = 0; i < wrong.length; i += 1) counts[i % nLooks] += wrong[i];
  return counts;
}

/** Wrong answers at every look of runs drawn from these, with replacement, again and again. */
function resampled(wrong, nLooks, times, seed) {
  const integer = integers(seed, 99, nLooks);
  const runs = wrong.length / nLooks;
  return Array.from({ length: times }, () => {
    const counts = new Int32Array(nLooks);
    for (let i = 0; i < runs; i += 1) {
      const at = (integer() % runs) * nLooks;
      for (let k = 0; k < nLooks; k += 1) counts[k] += wrong[at + k];
    }
    return counts;
  });
}

/** How many times fewer samples: 0 where the other misses the level within its samples. */
const timesFewer = (base, other) => (other === Infinity ? 0 : base / other);

/** Ends of the middle 95% of these. */
function percentiles(values) {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  return [sorted[Math.floor((n - 1) / 40)], sorted[Math.floor((39 * n - 1) / 40)]];
}

globalThis.maxgapRerun = { POLICIES, RADII: Object.keys(FORMULAS), Run, isProved, radii, leastGap, runOnce, simulate, normals, wilson, nonIncreasing, firstBelow, summed, resampled, timesFewer, percentiles };
