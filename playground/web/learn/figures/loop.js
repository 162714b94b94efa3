// The loop: a chart of the text's length after each merge, with a line that can be dragged, and a sentence after that
// many merges; in the last step its tokens are trees, which grow with each merge.

import { boxText, fillToFit } from "../boxes.js";
import { element, svgElement } from "../../shared/element.js";
import { count, counted } from "../../shared/wording.js";

/** @typedef {{text: string, parts: Tree[]}} Tree */
/** @typedef {"times" | "share"} Unit */
/** @typedef {{k: number, unit: Unit, n_bytes: number, n_tokens: number[], half: number, made: string, n_text_bytes: number, film: (Tree & {color: number})[]}} Data */

/** The compression in a unit: the ratio, or the percentage saved. @param {number} nBytes @param {number} nTokens @param {Unit} unit */
export const measure = (nBytes, nTokens, unit) => (unit === "times" ? nBytes / nTokens : 100 * (1 - nTokens / nBytes));

/** @param {number} value @param {Unit} unit */
export const written = (value, unit) => (unit === "times" ? `${value.toFixed(2)} ×` : `${value.toFixed(1)} %`);

/** @type {import("./table.js").Mount} */
export default function mount(root, { change, signal }) {
  const film = element("div", "film"), chart = element("div", "chart"), plot = element("div", "plot"), side = element("div", "side");
  const line = element("i", "line"), half = element("i", "half"), halfText = element("span", "half-text");
  const top = element("span", "y"), low = element("span", "x", "0"), high = element("span", "x last");
  const path = svgElement("path"), svg = svgElement("svg", { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(path);
  plot.append(svg, half, halfText, line, top);
  chart.append(plot, low, high);
  root.append(film, chart, side);
  let last = 1, curve = "";
  /** @param {PointerEvent} event */
  const drag = (event) => {
    const { left, width } = plot.getBoundingClientRect();
    change({ k: Math.round(Math.min(Math.max((event.clientX - left) / width, 0), 1) * last) });
  };
  plot.addEventListener("pointerdown", (event) => {
    plot.setPointerCapture(event.pointerId);
    drag(event);
  }, { signal });
  plot.addEventListener("pointermove", (event) => plot.hasPointerCapture(event.pointerId) && drag(event), { signal });
  return {
    show(step, /** @type {Data} */ data) {
      last = data.n_tokens.length - 1;
      const values = data.n_tokens.map((n) => measure(data.n_bytes, n, data.unit)), most = values[last] * 1.06;
      const base = data.unit === "times" ? 1 : 0;
      const y = (/** @type {number} */ value) => 1000 - (1000 * (value - base)) / (most - base);
      const drawn = values.map((value, n) => `${n ? "L" : "M"}${(1000 * n) / last} ${y(value)}`).join("");
      if (drawn !== curve) path.setAttribute("d", drawn);
      curve = drawn;
      line.style.left = `${(100 * data.k) / last}%`;
      half.style.left = halfText.style.left = `${(100 * data.half) / last}%`;
      half.hidden = halfText.hidden = step < 2;
      halfText.textContent = `${counted(data.half, "merge")}: half`;
      top.textContent = written(values[last], data.unit);
      high.textContent = `${count(last)} merges`;
      side.replaceChildren(
        element("span", "soft", "Pride and Prejudice"),
        element("b", "number", written(values[data.k], data.unit)),
        element("span", "", `${counted(data.n_bytes, "byte")} → ${counted(data.n_tokens[data.k], "token")}`),
        ...(data.made ? [madeLine(data.k, data.made)] : []),
      );
      root.classList.toggle("nested", step > 2);
      const make = (/** @type {Data["film"][number]} */ token) => (step > 2 ? makeTree(token, token.color) : makeToken(token.text, token.color));
      fillToFit(film, data.film, { make, nAll: data.film.length, unit: "token", variant: step > 2 ? "nested" : "" });
    },
  };
}

/** @param {string} text @param {number} color */
function makeToken(text, color) {
  const token = element("span", `t token c${color}`, boxText(text));
  token.dataset.token = "";
  return token;
}

/** A token as a tree: its text above the two tokens that it joins. @param {Tree} tree @param {number} color of the whole token @returns {HTMLElement} */
function makeTree({ text, parts }, color) {
  const tree = element("span", "tree"), children = element("span", "children");
  tree.append(makeToken(text, color));
  children.append(...parts.map((part) => makeTree(part, color)));
  if (parts.length) tree.append(children);
  return tree;
}

/** The line about the latest merge. @param {number} k @param {string} made */
function madeLine(k, made) {
  const row = element("span", "made");
  row.append(element("span", "soft", `merge ${count(k)}:`), makeToken(made, 0));
  return row;
}
