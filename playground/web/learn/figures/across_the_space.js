// Across the space: a text in the tokens of BPE and of SuperBPE, and the compression by number of merges.

import { fillWithPieces, makeLane, makePieceBox } from "../boxes.js";
import { measure } from "./loop.js";
import { element, svgElement } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{name: string, n_tokens: number, pieces: {text: string, ids: number[], crosses: boolean}[], curve: number[]}} Row */
/** @typedef {{rows: [Row, Row], n_bytes: number, transition: number}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const lanes = [0, 1].map(() => makeLane());
  const plot = element("div", "plot"), chart = element("div", "chart"), line = element("i", "line"), said = element("span", "said-of");
  const svg = svgElement("svg", { viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" });
  const paths = [0, 1].map((kind) => svgElement("path", { class: `of-${kind}` })), ends = [0, 1].map((kind) => element("span", `end of-${kind}`));
  const last = element("span", "soft last");
  svg.append(...paths);
  plot.append(svg, line, said, ...ends);
  chart.append(plot, element("span", "soft", "bytes per token"), last);
  root.append(chart, ...lanes.map(({ row }) => row));
  /** The path data of both curves. @type {string[]} */
  const drawn = ["", ""];
  return {
    show(step, /** @type {Data} */ data) {
      chart.hidden = step > 2;
      const nMerges = Math.max(...data.rows.map(({ curve }) => curve.length)) - 1;
      const most = Math.max(...data.rows.map(({ curve }) => measure(data.n_bytes, Math.min(...curve), "times")));
      const y = (/** @type {number} */ n) => 1000 - (950 * (measure(data.n_bytes, n, "times") - 1)) / (most - 1);
      for (const [kind, { name, n_tokens: n, curve }] of data.rows.entries()) {
        const { row, name: title, boxes, number } = lanes[kind];
        row.hidden = step < 3;
        title.textContent = name;
        number.textContent = count(n);
        if (step > 2) fillWithPieces(boxes, data.rows[kind], (/** @type {Row["pieces"][number]} */ piece, k) => {
          const box = makePieceBox(piece, k);
          box.classList.toggle("crosses", piece.crosses);
          return box;
        });
        const d = curve.map((length, k) => `${k ? "L" : "M"}${(1000 * k) / nMerges} ${y(length).toFixed(1)}`).join("");
        if (d !== drawn[kind]) paths[kind].setAttribute("d", d);
        drawn[kind] = d;
        paths[kind].classList.toggle("later", kind === 1 && step < 2);
        ends[kind].classList.toggle("later", kind === 1 && step < 2);
        ends[kind].textContent = `${name} ${measure(data.n_bytes, curve[curve.length - 1], "times").toFixed(2)}`;
        ends[kind].style.top = `${y(curve[curve.length - 1]) / 10}%`;
      }
      line.style.left = said.style.left = `${(100 * data.transition) / nMerges}%`;
      said.textContent = "transition";
      line.hidden = said.hidden = step < 2;
      last.textContent = `${count(nMerges)} merges`;
      chart.setAttribute("role", "img");
      chart.setAttribute("aria-label", `Bytes per token after ${count(nMerges)} merges: ${ends.filter((end) => !end.classList.contains("later")).map((end) => end.textContent).join(", ")}`);
    },
  };
}
