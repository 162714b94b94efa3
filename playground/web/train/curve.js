// Curve: compression after each merge as SVG. The current merge is marked, and dragging chooses another.

import { svgElement } from "../shared/element.js";
import { count, fixed } from "../shared/wording.js";

/** @typedef {import("./run_log.js").Curve} Columns */

/**
 * Units of the curve: the value for a number of bytes per token, its format, and the title of the axis.
 * @typedef {"times" | "share" | "saved"} UnitName
 * @type {Record<UnitName, {title: string, of: (bytesPerToken: number) => number, write: (value: number) => string}>}
 */
export const UNITS = {
  times: { title: "bytes per token", of: (x) => x, write: fixed },
  share: { title: "tokens saved, in %", of: (x) => 100 * (1 - 1 / x), write: (x) => `${x.toFixed(1)} %` },
  saved: { title: "tokens saved by a step (log)", of: (x) => x, write: (x) => count(Math.round(x)) },
};

/** Sizes in rem, so that they scale with the page's text. */
const MARGIN = { left: 2.9, right: 8.25, top: 1.4, bottom: 2.1 }, LINE = 0.94;

/**
 * About `n` ticks at round numbers in a closed range.
 * @param {number} low @param {number} high @param {number} n
 */
export function niceTicks(low, high, n) {
  const rough = (high - low) / n, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? rough;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/**
 * Vertical positions of labels from top to bottom, at least `gap` apart and not below `bottom`.
 * @param {number[]} wanted sorted @param {number} gap @param {number} bottom
 */
export function spread(wanted, gap, bottom) {
  const places = [...wanted];
  for (let i = 1; i < places.length; i++) places[i] = Math.max(places[i], places[i - 1] + gap);
  for (let i = places.length - 1, limit = bottom; i >= 0; i--, limit -= gap) places[i] = Math.min(places[i], limit);
  return places;
}

/**
 * The curve's lines in a unit as points `[merges, value]`, named after the measured text.
 * @param {Columns} curve @param {UnitName} unit
 * @returns {{name: string, points: [number, number][]}[]}
 */
export function linesOf({ merges, training, held_out, saved }, unit) {
  /** @param {number[]} values @returns {[number, number][]} */
  const points = (values) => merges.map((k, i) => [k, UNITS[unit].of(values[i])]);
  if (unit === "saved") return [{ name: "saved", points: points(saved).filter(([, value]) => value > 0) }];
  return [...(held_out ? [{ name: "held-out", points: points(held_out) }] : []), { name: "training", points: points(training) }];
}

/**
 * The range of an axis, never empty; at least 1 on a logarithmic axis.
 * @param {number[]} values @param {boolean} isLog
 */
export function rangeOf(values, isLog) {
  const low = Math.min(...values), high = Math.max(...values);
  if (!isLog) return [low, high];
  return values.length ? [Math.max(1, low), Math.max(10, high, 2 * low)] : [1, 10];
}

/**
 * The size of the vocabulary after merge `k`, by a straight line between two points.
 * @param {Pick<Columns, "merges" | "vocabulary">} curve @param {number} k
 */
export const vocabularyAt = ({ merges, vocabulary }, k) => between(merges, vocabulary, k);

/**
 * The merge after which the vocabulary had about this size: the inverse of `vocabularyAt`.
 * @param {Pick<Columns, "merges" | "vocabulary">} curve @param {number} size
 */
export function mergeAt({ merges, vocabulary }, size) {
  const sign = (vocabulary.at(-1) ?? 0) < vocabulary[0] ? -1 : 1;
  return Math.round(between(vocabulary.map((value) => sign * value), merges, sign * size));
}

/** The value at `x` of a line through points with rising `xs`. @param {number[]} xs @param {number[]} ys @param {number} x */
function between(xs, ys, x) {
  const i = xs.findIndex((at) => at >= x);
  if (i <= 0) return i < 0 ? (ys.at(-1) ?? 0) : ys[0];
  return ys[i - 1] + ((ys[i] - ys[i - 1]) * (x - xs[i - 1])) / (xs[i] - xs[i - 1]);
}

/** Whether a run begins with many tokens and removes them. @param {Pick<Columns, "vocabulary" | "size">} curve */
export const shrinks = ({ vocabulary, size }) => size < vocabulary[0];

/**
 * The horizontal scale of runs: where a step of a run is, from 0 to 1 from left to right, and which step of the first
 * run is at a place. It shows sizes of the vocabulary, from large to small on a logarithmic scale if the runs remove
 * tokens. Runs that grow and runs that shrink have no direction in common, so they show the share of their steps.
 * @param {Pick<Columns, "vocabulary" | "size" | "merges" | "last">[]} curves
 */
export function stepScale(curves) {
  const [first] = curves, nFalling = curves.filter(shrinks).length;
  if (nFalling && nFalling < curves.length) {
    return {
      title: "share of each run’s steps",
      of: (/** @type {Pick<Columns, "last">} */ { last }, /** @type {number} */ k) => k / last,
      at: (/** @type {number} */ place) => Math.round(place * first.last),
      ticks: (/** @type {number} */ _n) => [0, 25, 50, 75, 100].map((share) => /** @type {[number, string]} */ ([share / 100, `${share} %`])),
    };
  }
  const sizes = curves.flatMap(({ vocabulary, size }) => [...vocabulary, size]), isDown = nFalling > 0;
  const low = Math.min(...sizes), high = Math.max(...sizes, low + 1);
  const [a, b] = isDown ? [Math.log(high), Math.log(low)] : [low, high];
  const placeOf = (/** @type {number} */ size) => ((isDown ? Math.log(size) : size) - a) / (b - a);
  return {
    title: isDown ? "vocabulary size (log), from large to small" : "vocabulary size",
    of: (/** @type {Pick<Columns, "vocabulary" | "merges">} */ curve, /** @type {number} */ k) => placeOf(vocabularyAt(curve, k)),
    at: (/** @type {number} */ place) => mergeAt(first, isDown ? Math.exp(a + place * (b - a)) : a + place * (b - a)),
    ticks: (/** @type {number} */ n) => sizeTicks(low, high, isDown, n).map((size) => /** @type {[number, string]} */ ([placeOf(size), count(size)])),
  };
}

/** The last value at or before merge `k`. @param {[number, number][]} points @param {number} k */
export const valueAt = (points, k) => points.findLast(([merge]) => merge <= k)?.[1];

export class Curve {
  /** `onMerge(k)` is called when a merge is chosen. @param {HTMLElement} root @param {AbortSignal} signal @param {(k: number) => void} onMerge */
  constructor(root, signal, onMerge) {
    this.root = root;
    /** @type {Columns | null} */
    this.data = null;
    /** @type {UnitName} */
    this.unit = "times";
    /** @type {number[]} the step that is shown of each run */
    this.steps = [0];
    /** @type {number[]} */
    this.ofWord = [];
    /** @type {{curve: Columns}[]} */
    this.beside = [];
    this.width = this.rem = this.left = this.inner = 0;
    this.cursor = svgElement("g", { "pointer-events": "none" });
    this.plot = svgElement("g");
    this.svg = svgElement("svg", { role: "img" });
    this.svg.append(this.plot, this.cursor);
    root.append(this.svg);
    const choose = (/** @type {PointerEvent} */ event) => {
      if (this.scale) onMerge(this.scale.at((event.clientX - this.svg.getBoundingClientRect().left - this.left) / this.inner));
    };
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.svg.setPointerCapture(event.pointerId);
      choose(event);
    }, { signal });
    this.svg.addEventListener("pointermove", (event) => this.svg.hasPointerCapture(event.pointerId) && choose(event), { signal });
    const watch = new ResizeObserver(() => this.draw());
    watch.observe(root);
    signal.addEventListener("abort", () => watch.disconnect(), { once: true });
  }

  /**
   * @param {Columns} curve @param {UnitName} unit
   * @param {{curve: Columns}[]} beside runs whose lines are drawn too
   */
  show(curve, unit, beside) {
    this.data = curve;
    this.beside = beside;
    this.unit = unit;
    this.draw();
  }

  /** Mark the merges that made a word, shown from the next drawing of the cursor on. @param {number[]} merges */
  markWord(merges) {
    this.ofWord = merges;
    this.drawCursor();
  }

  /** Mark the shown step of each run, the newest run first. @param {number[]} steps */
  mark(steps) {
    this.steps = steps;
    this.drawCursor();
  }

  draw() {
    this.width = this.root.clientWidth;
    if (!this.data || !this.width) return;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize), left = MARGIN.left * rem, height = this.root.clientHeight;
    Object.assign(this, { rem, left, inner: Math.max(40, this.width - left - MARGIN.right * rem) });
    const top = MARGIN.top * rem, bottom = height - MARGIN.bottom * rem, right = left + this.inner;
    const curve = this.data, { write, of, title } = UNITS[this.unit], isLog = this.unit === "saved";
    const others = this.beside.flatMap((run, i) => linesOf(run.curve, this.unit).slice(0, 1).map(({ points }) => ({ name: `other b${i + 1}`, points, curve: run.curve, of: i + 1 })));
    const own = linesOf(curve, this.unit).map((line) => ({ ...line, curve, of: 0 }));
    const lines = others.length ? [...own.slice(0, 1), ...others] : own, further = this.unit === "times" && !others.length ? Object.entries(curve.lines) : [];
    const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
    const references = isLog ? [] : Object.entries(curve.references).map(([name, value]) => ({ name, value: of(value), color: `var(--reference-${name})` }));
    const [low, high] = rangeOf(isLog ? values : [...values, ...further.flatMap(([, line]) => (isShared(line) ? line : [])), ...(values.length ? [] : [of(1), of(2)]), ...references.map(({ value }) => value)], isLog);
    const scale = (/** @type {number} */ value) => (isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
    this.y = (/** @type {number} */ value) => bottom - scale(value) * (bottom - top);
    const steps = (this.scale = stepScale([curve, ...this.beside.map((run) => run.curve)]));
    this.x = (/** @type {Columns} */ run, /** @type {number} */ k) => left + steps.of(run, k) * this.inner;
    const { x, y } = this;
    this.svg.setAttribute("width", String(this.width));
    this.svg.setAttribute("height", String(height));
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    const made = [];
    const yTicks = isLog ? niceTicks(Math.log10(low), Math.log10(high), 4).filter(Number.isInteger).map((power) => 10 ** power) : niceTicks(low, high, 4);
    for (const tick of yTicks) {
      made.push(svgElement("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }));
      made.push(label(left - 7, y(tick), count(tick), "end"));
    }
    for (const [place, text] of steps.ticks(Math.max(2, this.inner / (7 * rem)))) {
      const at = left + place * this.inner;
      made.push(svgElement("line", { class: "axis", x1: at, x2: at, y1: bottom, y2: bottom + 4 }), label(at, bottom + 0.8 * rem, text, "middle"));
    }
    made.push(svgElement("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
    made.push(label(right, height - 0.4 * rem, steps.title, "end"), label(4, 0.5 * rem, title, "start"));
    for (const { value, color } of references) {
      const line = svgElement("line", { class: "reference", x1: right - 14, x2: right, y1: y(value), y2: y(value) });
      line.style.stroke = color;
      made.push(line);
    }
    for (const { name, points, curve: ofRun } of lines) {
      if (points.length) made.push(svgElement("path", { class: `series coming ${name}`, d: stairs(points, (k) => x(ofRun, k), y) }));
    }
    /** @type {{name: string, value: number, color: string, shown?: number}[]} */
    const ends = lines.flatMap(({ name, points }) => {
      const value = points.at(-1)?.[1];
      return value === undefined || isLog ? [] : [{ name, value, color: "" }];
    });
    for (const [name, line] of further) {
      const shown = line.at(-1), [least, most] = rangeOf(line, false);
      if (shown === undefined) continue;
      // A line in another unit has a scale of its own; its label says the value.
      const placed = (/** @type {number} */ n) => (isShared(line) ? n : low + ((n - least) / (most - least || 1)) * (high - low));
      made.push(svgElement("path", { class: "series further", d: stairs(curve.merges.map((k, i) => [k, placed(line[i])]), (k) => x(curve, k), y) }));
      ends.push({ name, value: placed(shown), color: "", shown });
    }
    /** @type {typeof ends} */
    const known = references;
    const labels = [...known, ...ends].toSorted((a, b) => b.value - a.value);
    const places = spread(labels.map(({ value }) => y(value)), LINE * rem, bottom);
    labels.forEach(({ name, value, color, shown }, i) => {
      const other = this.beside[Number(/^other b(\d)/.exec(name)?.[1] ?? 0) - 1];
      const sample = svgElement("line", { class: color ? "reference" : `series ${shown === undefined ? name : "further"}`, x1: right + 6, x2: right + 20, y1: places[i], y2: places[i] });
      sample.style.stroke = color;
      made.push(sample, label(right + 25, places[i], `${other ? other.curve.name : others.length && !color ? curve.name : name.replace("_base", "")} ${shown === undefined ? write(value) : shown.toPrecision(3)}`, "start"));
    });
    this.plot.replaceChildren(...made);
    this.lines = lines;
    this.svg.setAttribute("aria-label", [`${title} against vocabulary size`, ...labels.map(({ name, value }) => `${name} ${write(value)}`)].join("; "));
    this.drawCursor();
  }

  /** Mark the current merge on each line. */
  drawCursor() {
    const { x, y, lines, steps, rem, data, beside } = this, [k] = steps;
    if (!x || !y || !lines || !data) return;
    /** @type {SVGElement[]} */
    const made = beside.length ? [] : [svgElement("line", { class: "cursor", x1: x(data, k), x2: x(data, k), y1: MARGIN.top * rem, y2: this.root.clientHeight - MARGIN.bottom * rem })];
    for (const { name, points, curve: ofRun, of: nth } of lines) {
      const at = steps[nth] ?? 0, value = valueAt(points, at), before = valueAt(points, at - 1), shown = points.filter(([merge]) => merge <= at);
      if (shown.length && value !== undefined) made.push(svgElement("path", { class: `series ${name}`, d: stairs([...shown, [at, value]], (step) => x(ofRun, step), y) }));
      if (before !== undefined && value !== undefined && this.unit !== "saved") made.push(svgElement("line", { class: "saving", x1: x(ofRun, at), x2: x(ofRun, at), y1: y(before), y2: y(value) }));
      for (const merge of name === lines[0].name ? this.ofWord : []) {
        const height = valueAt(points, merge);
        if (height !== undefined) made.push(svgElement("circle", { class: "of-word", cx: x(ofRun, merge), cy: y(height), r: 4 }));
      }
      if (value !== undefined) made.push(svgElement("circle", { class: `spot ${name}`, cx: x(ofRun, at), cy: y(value), r: 4 }));
    }
    this.cursor.replaceChildren(...made);
  }

  /** The drawing as a self-contained SVG document. */
  document() {
    const copy = /** @type {SVGSVGElement} */ (this.svg.cloneNode(true)), originals = this.svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((part, i) => {
      const style = getComputedStyle(originals[i]);
      for (const name of ["fill", "opacity", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family"]) part.setAttribute(name, style.getPropertyValue(name));
      part.removeAttribute("style");
    });
    return copy;
  }
}

/**
 * The path of a line with a step at each point; the height of a step is what its merges save.
 * @param {[number, number][]} points @param {(k: number) => number} x @param {(value: number) => number} y
 */
export function stairs(points, x, y) {
  const [[first, value], ...rest] = points;
  return [`M${x(first).toFixed(1)} ${y(value).toFixed(1)}`, ...rest.map(([k, next]) => `H${x(k).toFixed(1)}V${y(next).toFixed(1)}`)].join("");
}

/** Whether a further line is in bytes per token, as the chart is. @param {number[]} line */
const isShared = (line) => line.every((value) => value > 0);

/** About `n` round sizes on a scale of vocabularies. @param {number} low @param {number} high @param {boolean} isLog @param {number} n */
function sizeTicks(low, high, isLog, n) {
  if (!isLog) return niceTicks(low, high, n).filter(Number.isInteger);
  const ticks = [];
  for (let power = 1; power <= high; power *= 10) for (const tick of [power, 2 * power, 5 * power]) if (tick >= low && tick <= high) ticks.push(tick);
  return ticks;
}

/** @param {number} x @param {number} y @param {string} text @param {"start" | "middle" | "end"} anchor */
function label(x, y, text, anchor) {
  const made = svgElement("text", { x, y, "text-anchor": anchor, "dominant-baseline": "middle" });
  made.textContent = text;
  return made;
}
