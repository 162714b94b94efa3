// Numbers: an addition in columns with token boundaries, and a map of the numbers 0 to 9999 coloured by their cuts.

import { element, svgElement } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** `cuts` has a digit for each number: the sum of 1, 2 and 4 for a cut after digit 1, 2 and 3. @typedef {{cuts: string, rows: {digits: string, tokens: number[]}[]}} Data */

const SIDE = 100;
/** The legend: a cut's digit, or "+" for two or more cuts, with its meaning. */
const LEGEND = [["0", "whole"], ["1", "cut after 1"], ["2", "cut after 2"], ["4", "cut after 3"], ["3567", "more cuts"]];

/** The digits of a number, split at its cuts. @param {number} number @param {string} cut */
export function partsOf(number, cut) {
  const parts = [""];
  for (const [n, digit] of [...String(number)].entries()) {
    if (n > 0 && Number(cut) & (1 << (n - 1))) parts.push("");
    parts[parts.length - 1] += digit;
  }
  return parts;
}

/** An SVG path of the cells with certain cuts; a run of neighbours is one rectangle. @param {string} cuts @param {string} wanted */
export function pathOf(cuts, wanted) {
  let path = "";
  for (let row = 0; row < SIDE; row++) {
    for (let x = 0; x < SIDE; x++) {
      const start = x;
      while (x < SIDE && wanted.includes(cuts[row * SIDE + x])) x++;
      if (x > start) path += `M${start} ${row}h${x - start}v1h${start - x}z`;
    }
  }
  return path;
}

/** @type {import("./table.js").Mount} */
export default function mount(root, { signal }) {
  const addition = element("div", "addition"), map = element("div", "map"), legend = element("div", "legend");
  const field = element("div", "field"), read = element("p", "read");
  field.tabIndex = 0;
  field.dataset.ownArrows = "";
  field.setAttribute("role", "img");
  read.setAttribute("aria-live", "polite");
  map.append(axis("rows", (at) => String(100 * at)), field, axis("columns", (at) => `+${at}`), read);
  root.append(addition, map, legend);
  let chosen = 677, cuts = "";
  /** @param {number} number */
  const choose = (number) => {
    chosen = Math.max(0, Math.min(SIDE * SIDE - 1, number));
    field.querySelector(".at")?.setAttribute("d", `M${(chosen % SIDE) - 0.5} ${Math.floor(chosen / SIDE) - 0.5}h2v2h-2z`);
    if (cuts) read.replaceChildren(...tokensOf(partsOf(chosen, cuts[chosen])));
  };
  const under = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const { left, top, width, height } = field.getBoundingClientRect();
    const [x, y] = [(clientX - left) / width, (clientY - top) / height].map((part) => Math.max(0, Math.min(SIDE - 1, Math.floor(part * SIDE))));
    return y * SIDE + x;
  };
  field.addEventListener("pointermove", (event) => choose(under(event)), { signal });
  field.addEventListener("click", (event) => choose(under(event)), { signal });
  field.addEventListener("keydown", ({ key }) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -SIDE, ArrowDown: SIDE }[key];
    if (by) choose(chosen + by);
  }, { signal });
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      drawAddition(addition, data.rows);
      if (data.cuts !== cuts) {
        cuts = data.cuts;
        drawMap(field, legend, cuts);
      }
      choose(chosen);
      for (const box of [map, legend]) box.classList.toggle("later", step < 2);
    },
  };
}

/** The labels of the map's rows or columns; a cell's number is the sum of both. @param {"rows" | "columns"} side @param {(at: number) => string} tellOf */
function axis(side, tellOf) {
  const box = element("div", `axis ${side}`);
  box.ariaHidden = "true"; // the map has an accessible name that says the same
  box.append(...[0, 25, 50, 75, SIDE - 1].map((at) => {
    const tick = element("span", "tick", tellOf(at));
    tick.style.setProperty("--at", `${at + 0.5}%`);
    return tick;
  }));
  return box;
}

/** @param {HTMLElement} box @param {Data["rows"]} rows the last one is the sum */
function drawAddition(box, rows) {
  box.replaceChildren(
    ...rows.map(({ digits, tokens }, n) => {
      const line = element("div", n === rows.length - 1 ? "row sum" : "row");
      line.append(element("span", "sign", n === 0 ? "" : n === rows.length - 1 ? "=" : "+"));
      let start = 0;
      line.append(...tokensOf(tokens.map((length) => digits.slice(start, (start += length)))));
      return line;
    }),
  );
}

/** @param {string[]} parts */
const tokensOf = (parts) =>
  parts.map((part, k) => {
    const token = element("span", `t c${k % 4}`, part);
    token.dataset.token = "";
    return token;
  });

/** @param {HTMLElement} field @param {HTMLElement} legend @param {string} cuts */
function drawMap(field, legend, cuts) {
  const svg = svgElement("svg", { viewBox: `0 0 ${SIDE} ${SIDE}` });
  for (const [n, [wanted]] of LEGEND.entries()) svg.append(svgElement("path", { class: `cut${n}`, d: pathOf(cuts, wanted) }));
  svg.append(svgElement("path", { class: "at", d: "" }));
  field.replaceChildren(svg);
  const counts = LEGEND.map(([wanted]) => [...cuts].filter((cut) => wanted.includes(cut)).length);
  field.setAttribute("aria-label", `The numbers 0 to 9999, one hundred in each row: ${LEGEND.map(([, label], n) => `${label} ${count(counts[n])}`).join(", ")}`);
  const most = element("p", "most"), nWhole = 1000 - cuts.slice(0, 1000).replaceAll("0", "").length;
  most.append(element("b", "number", count(nWhole)), "of 0–999 are whole; of 0–9,999:");
  legend.replaceChildren(
    most,
    ...LEGEND.map(([, label], n) => {
      const line = element("div", `entry${counts[n] ? "" : " none"}`);
      line.append(element("i", `cut${n}`), element("span", "", label), element("b", "", count(counts[n])));
      return line;
    }),
  );
}
