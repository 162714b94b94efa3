// Neighbours: two words as arrows of their counts, their cosine, and a map of a novel's word with its nearest words.

import { element, svgElement } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{text: string, at: [number, number], like: string | null}} Point */
/** @typedef {{words: string[], axes: string[], counts: [number, number][], cosine: string | null, points: Point[]}} Data */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** The side of the arrows' plot, in pixels for a window of 1280 × 800, and the space to its left for numbers. */
const SIDE = 300, MARGIN = 50;

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const plot = element("div", "arrows"), side = element("div", "side");
  root.append(plot, side);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      plot.replaceChildren(...drawArrows(data, step > 1));
      if (step > 2) {
        const map = element("div", "map");
        side.replaceChildren(map);
        drawMap(map, data.points);
      } else side.replaceChildren(table(data), formula(data, step > 1));
    },
  };
}

/** At most five round numbers from 0 up to `most`. @param {number} most */
export function ticksOf(most) {
  let apart = 1;
  while (most / apart >= 6) apart *= String(apart)[0] === "2" ? 2.5 : 2; // 1, 2, 5, 10, 20, …
  return Array.from({ length: Math.floor(most / apart) }, (_, n) => (n + 1) * apart);
}

/** 5,000 as 5K. @param {number} n */
const short = (n) => n.toLocaleString("en", { notation: "compact" });

/** @param {Data} data @param {boolean} hasAngle */
function drawArrows({ words, axes, counts, cosine }, hasAngle) {
  const most = Math.max(3, ...counts.flat()), scale = SIDE / (1.35 * most);
  const across = (/** @type {number} */ n) => MARGIN + n * scale, up = (/** @type {number} */ n) => SIDE - n * scale;
  const ending = cosine === null ? "" : `, cosine ${cosine}`;
  const name = `${words.map((word, n) => `${word}: ${axes[0]} ${counts[n][0]}, ${axes[1]} ${counts[n][1]}`).join("; ")}${ending}`;
  const svg = svgElement("svg", { viewBox: `0 0 ${SIDE + MARGIN} ${SIDE + MARGIN}`, role: "img", "aria-label": name });
  svg.append(svgElement("path", { class: "axes", d: `M${across(0)} 0V${up(0)}H${SIDE + MARGIN}` }));
  for (const n of ticksOf(most)) {
    svg.append(svgElement("path", { class: "grid", d: `M${across(n)} 0V${up(0)}M${across(0)} ${up(n)}H${SIDE + MARGIN}` }));
    for (const [x, y, anchor] of /** @type {[number, number, string][]} */ ([[across(n), SIDE + 30, "middle"], [MARGIN - 10, up(n) + 8, "end"]])) {
      const tick = svgElement("text", { x, y, "text-anchor": anchor });
      tick.textContent = short(n);
      svg.append(tick);
    }
  }
  const names = [];
  const angles = counts.map(([x, y]) => Math.atan2(y, x));
  if (hasAngle && cosine !== null) {
    const [low, high] = [Math.min(...angles), Math.max(...angles)], radius = SIDE * 0.3;
    const at = (/** @type {number} */ angle) => `${MARGIN + radius * Math.cos(angle)} ${SIDE - radius * Math.sin(angle)}`;
    svg.append(svgElement("path", { class: "angle", d: `M${MARGIN} ${SIDE}L${at(high)}A${radius} ${radius} 0 0 1 ${at(low)}Z` }));
  }
  const upper = angles[0] >= angles[1] ? 0 : 1;
  for (const [n, [x, y]] of counts.entries()) {
    if (!x && !y) continue;
    svg.append(svgElement("path", { class: `arrow of-${n}`, d: arrowPath(across(0), up(0), across(x), up(y)) }));
    const label = element("span", `t word c${n}`, words[n]);
    label.dataset.spot = `${words[n]}: ${x}, ${y}`;
    const isBelow = n !== upper && (angles[n] > 0.12 || angles[upper] < 0.12); // beside the axis it would cover the numbers
    label.style.setProperty("--x", String(isBelow ? Math.sin(angles[n]) : 0));
    label.style.setProperty("--y", String(isBelow ? Math.cos(angles[n]) : -1));
    label.style.left = `max(${(100 * across(x)) / (SIDE + MARGIN)}%, calc(62 * var(--u)))`;
    label.style.top = `${(100 * up(y)) / (SIDE + MARGIN)}%`;
    names.push(label);
  }
  return [element("span", "axis up", axes[1]), svg, ...names, element("span", "axis across", axes[0])];
}

/** An SVG path of a line with an arrowhead. @param {number} x0 @param {number} y0 @param {number} x @param {number} y */
function arrowPath(x0, y0, x, y) {
  const angle = Math.atan2(y - y0, x - x0);
  const [left, right] = [angle - 0.4, angle + 0.4].map((turned) => `${(x - 20 * Math.cos(turned)).toFixed(1)} ${(y - 20 * Math.sin(turned)).toFixed(1)}`);
  return `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x.toFixed(1)} ${y.toFixed(1)}M${left}L${x.toFixed(1)} ${y.toFixed(1)}L${right}`;
}

/** @param {Data} data */
function table({ words, axes, counts }) {
  const made = element("div", "counts");
  made.append(element("span"), ...axes.map((axis) => element("span", "soft", axis)));
  for (const [n, word] of words.entries()) {
    const name = element("span", `t word c${n}`, word);
    name.dataset.spot = `${word}: ${counts[n].join(", ")}`;
    made.append(name, ...counts[n].map((times) => element("b", "number", count(times))));
  }
  return made;
}

/** The formula of the cosine with its numbers. @param {Data} data @param {boolean} isShown */
function formula({ counts: [left, right], cosine }, isShown) {
  const made = element("div", "formula");
  made.classList.toggle("later", !isShown || cosine === null);
  const fraction = element("span", "fraction");
  const length = (/** @type {[number, number]} */ [x, y]) => `√(${count(x)}² + ${count(y)}²)`;
  fraction.append(
    element("span", "", `${count(left[0])} × ${count(right[0])} + ${count(left[1])} × ${count(right[1])}`),
    element("span", "", `${length(left)} × ${length(right)}`),
  );
  made.append(fraction, element("span", "", "="), element("b", "number", cosine ?? ""));
  return made;
}

/** Draw words at their coordinates; a word without room is only a dot. @param {HTMLElement} map @param {Point[]} points */
function drawMap(map, points) {
  const { clientWidth: width, clientHeight: height } = map;
  if (!width || !height) return;
  const labels = points.map(({ text, like }, n) => {
    const label = element("span", like === null ? "mark" : n ? "t near c1" : "t chosen c2", text);
    label.dataset.spot = like === null || !n ? text : `${text}  ${like}`;
    if (like !== null && n) label.append(element("span", "like", like));
    return label;
  });
  map.append(...labels);
  const edge = labels[0].offsetHeight, dot = edge / 8;
  const at = points.map(({ at: [x, y] }) => ({
    x: edge + Math.min(Math.max(x, 0), 1) * (width - 2 * edge),
    y: edge + (1 - Math.min(Math.max(y, 0), 1)) * (height - 2 * edge),
  }));
  const dots = at.map(({ x, y }) => ({ x: x - dot, y: y - dot, width: 2 * dot, height: 2 * dot }));
  const sizes = labels.map(({ offsetWidth, offsetHeight }) => ({ width: offsetWidth, height: offsetHeight }));
  const found = placeLabels(at, sizes, dots, { width, height }, points.map(({ like }) => like !== null));
  const lines = svgElement("svg", { "aria-hidden": "true", viewBox: `0 0 ${width} ${height}` });
  for (const [n, box] of found.entries()) {
    const { x, y } = at[n];
    if (box) {
      labels[n].style.transform = `translate(${box.x}px, ${box.y}px)`;
      const nearX = Math.min(Math.max(x, box.x), box.x + box.width), nearY = Math.min(Math.max(y, box.y), box.y + box.height);
      lines.append(svgElement("path", { d: `M${x} ${y}L${nearX} ${nearY}` }));
    } else labels[n].remove();
    lines.append(svgElement("circle", { class: points[n].like === null ? "" : n ? "near" : "chosen", cx: x, cy: y, r: dot }));
  }
  map.prepend(lines);
}

/**
 * Positions for labels: near their points, not over other labels or dots; null if there is no room. The first labels
 * are placed first; needed ones may be placed far away, connected by a line.
 * @param {{x: number, y: number}[]} at
 * @param {{width: number, height: number}[]} sizes
 * @param {Box[]} dots
 * @param {{width: number, height: number}} room
 * @param {boolean[]} isNeeded
 * @returns {(Box | null)[]}
 */
export function placeLabels(at, sizes, dots, room, isNeeded) {
  /** @type {Box[]} */
  const taken = [];
  return at.map(({ x, y }, n) => {
    const { width, height } = sizes[n];
    for (let ring = 0; ring < (isNeeded[n] ? 14 : 1); ring++) {
      const away = height * (0.25 + 0.5 * ring);
      for (let turn = 0; turn < 16; turn++) {
        const angle = (Math.PI * turn) / 8, cos = Math.cos(angle), sin = Math.sin(angle);
        const box = { x: x + cos * (away + width / 2) - width / 2, y: y + sin * (away + height / 2) - height / 2, width, height };
        const isInside = box.x >= 0 && box.y >= 0 && box.x + width <= room.width && box.y + height <= room.height;
        const isFree = isInside && !taken.some((other) => overlap(box, other)) && !dots.some((other) => overlap(box, other));
        if (isFree) {
          taken.push(box);
          return box;
        }
      }
    }
    return null;
  });
}

/** @param {Box} one @param {Box} other */
const overlap = (one, other) =>
  one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
