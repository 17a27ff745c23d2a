/*
 * Draw runs again and again: how many times fewer samples, by so many runs of each policy?
 *
 * The runs are stored in the page, simulated by the chapter: whether the answer was wrong at each
 * number of samples, one bit each. Needs maxgap.js for its numbers at random; draws are the same for
 * everyone. The part above the line is without a page, and is tested in Node's place.
 */
"use strict";

(function (root) {
  const maxgap = root.maxgap;

  /** Rows of bits, each beginning at a whole byte, from base 64. */
  function unpacked(text, columns) {
    const bytes = Uint8Array.from(root.atob(text), (letter) => letter.charCodeAt(0));
    const width = Math.ceil(columns / 8);
    return Array.from({ length: bytes.length / width }, (_, row) =>
      Array.from({ length: columns }, (__, k) => (bytes[row * width + (k >> 3)] >> (7 - (k & 7))) & 1)
    );
  }

  /** Where the non-increasing curve closest to counts / runs meets a level; see maxgap.statistics. */
  function firstBelow(counts, runs, samples, level) {
    const pools = [];
    counts.forEach((count) => {
      let pool = { total: count, length: 1 };
      while (pools.length > 0 && pools[pools.length - 1].total * pool.length <= pool.total * pools[pools.length - 1].length) {
        const before = pools.pop();
        pool = { total: before.total + pool.total, length: before.length + pool.length };
      }
      pools.push(pool);
    });
    let start = 0;
    let before = Infinity;
    for (const { total, length } of pools) {
      const value = total / (length * runs);
      if (value <= level) {
        if (start === 0) return samples[0];
        const step = samples[start] - samples[start - 1];
        return samples[start - 1] + ((before - level) / (before - value)) * step;
      }
      before = value;
      start += length;
    }
    return Infinity;
  }

  /** So many rows, none twice: the beginning of a shuffle. */
  function drawn(rows, many, uniform) {
    const order = rows.slice();
    for (let i = 0; i < many; i += 1) {
      const other = i + Math.floor(uniform() * (order.length - i));
      [order[i], order[other]] = [order[other], order[i]];
    }
    return order.slice(0, many);
  }

  const summed = (rows) => rows[0].map((_, k) => rows.reduce((sum, row) => sum + row[k], 0));

  /** One draw: wrong answers and samples to the level of both policies, and their ratio. */
  function oneDraw(policies, { runs, level }, uniform) {
    const both = policies.map(({ rows, samples }) => {
      const counts = summed(drawn(rows, runs, uniform));
      return { counts, until: firstBelow(counts, runs, samples, level) };
    });
    const [base, other] = both.map(({ until }) => until);
    return { both, ratio: other === Infinity ? 0 : base / other };
  }

  root.maxgapDraws = { unpacked, firstBelow, drawn, oneDraw };

  // -- the page ----------------------------------------------------------------------------------

  if (typeof document === "undefined") return;
  document.querySelectorAll(".draws-figure:not([data-ready])").forEach((figure) => {
    figure.dataset.ready = "yes";
    const data = JSON.parse(figure.querySelector("script").textContent);
    const policies = data.policies.map(({ bits, samples }) => ({ samples, rows: unpacked(bits, samples.length) }));
    const curves = Array.from(figure.querySelectorAll(".curve"));
    const marks = Array.from(figure.querySelectorAll(".until"));
    const dots = figure.querySelector(".dots");
    const says = figure.querySelector("output");
    const whole = (x) => Math.round(x).toLocaleString("en");
    let uniform = maxgap.uniforms(1, 0);
    let ratios = [];

    function drawCurve(k, { counts, until }) {
      const { samples } = policies[k];
      const points = samples.map((n, i) => [data.x.left + n * data.x.scale, data.y.base - (counts[i] / data.runs) * data.y.scale]);
      const inside = points.filter(([x, y]) => x <= data.x.right && y >= data.y.top);
      curves[k].setAttribute("d", inside.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""));
      const x = Math.min(data.x.left + until * data.x.scale, data.x.right);
      marks[k].setAttribute("cx", x);
    }

    /** Dots stand on each other; a tall stack moves closer together. */
    function drawDots() {
      const stacks = new Map();
      const places = ratios.map((ratio) => {
        const bin = Math.min(Math.floor(ratio / data.ratio.bin), data.ratio.bins - 1);
        stacks.set(bin, (stacks.get(bin) || 0) + 1);
        return [bin, stacks.get(bin)];
      });
      const step = Math.min(data.ratio.dot, data.ratio.height / Math.max(...stacks.values(), 1));
      dots.replaceChildren(...places.map(([bin, height], i) => {
        const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
        dot.setAttribute("cx", data.ratio.left + (bin + 0.5) * data.ratio.bin * data.ratio.scale);
        dot.setAttribute("cy", data.ratio.base - (height - 0.5) * step);
        dot.setAttribute("r", 3.2);
        if (i === places.length - 1) dot.setAttribute("class", "new");
        return dot;
      }));
    }

    function say(last) {
      const sorted = ratios.slice().sort((a, b) => a - b);
      const middle = sorted[Math.floor((sorted.length - 1) / 2)];
      const high = ratios.filter((ratio) => ratio >= data.claimed).length;
      const [base, other] = last.both.map(({ until }) => whole(until));
      says.textContent =
        `Draw ${ratios.length}: ${base} samples against ${other}, ${last.ratio.toFixed(1)} times fewer. ` +
        (ratios.length > 1 ? `So far from ${sorted[0].toFixed(1)} to ${sorted[sorted.length - 1].toFixed(1)}, half below ${middle.toFixed(1)}; ${data.claimed} or more in ${high} of ${ratios.length}.` : "");
    }

    function draw(times) {
      let last = null;
      for (let i = 0; i < times; i += 1) {
        last = oneDraw(policies, data, uniform);
        ratios.push(last.ratio);
      }
      last.both.forEach((one, k) => drawCurve(k, one));
      drawDots();
      say(last);
    }

    figure.querySelectorAll("[data-times]").forEach((button) =>
      button.addEventListener("click", () => draw(Number(button.dataset.times)))
    );
    figure.querySelector("[data-again]").addEventListener("click", () => {
      uniform = maxgap.uniforms(1, 0);
      ratios = [];
      draw(1);
    });
    // One dot says nothing on paper.
    root.addEventListener("beforeprint", () => {
      if (ratios.length < 50) draw(50);
    });
    figure.querySelector(".controls").hidden = false;
    draw(1);
  });
})(typeof globalThis === "object" ? globalThis : this);
