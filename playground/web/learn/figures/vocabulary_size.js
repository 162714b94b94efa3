// Vocabulary size: a model's parameters as a bar to scale, and the number of a novel's tokens by vocabulary size.

import { makeBox } from "../boxes.js";
import { element, svgElement } from "../../shared/element.js";
import { count, unitOf } from "../../shared/wording.js";

/**
 * @typedef {{size: number, width: number, n_in_rows: number, n_others: number, is_tied: boolean, n_tokens: number, n_rarest: number, n_half: number | null, n_per_row: number, newest: string[],
 *   curve: [number, number][]}} Data
 */

const WIDTH = 1000, HEIGHT = 1000;
/** The largest value of the slider. */
const MOST_ROWS = 256_257;

/** A number in millions or billions, with a unit. @param {number} n */
const inMillions = (n) => (n < 1e9 ? `${(n / 1e6).toFixed(1)} M` : `${(n / 1e9).toFixed(2)} B`);

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const bar = element("div", "bar-of-all"), numbers = element("div", "numbers"), novel = element("div", "novel");
  root.append(numbers, bar, novel);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      const all = data.n_in_rows + data.n_others, nMatrices = data.is_tied ? 1 : 2;
      bar.replaceChildren(
        ...Array.from({ length: nMatrices }, () => part("", "rows", data.n_in_rows / nMatrices / all)),
        part("layers", "others", data.n_others / all),
      );
      numbers.replaceChildren(
        element("b", "number", inMillions(data.n_in_rows)),
        element("span", "soft", `embedding ${data.is_tied ? "=" : "+"} lm_head: ${data.is_tied ? "" : "2 × "}${count(data.size)} × ${count(data.width)}`),
        element("b", "number rest", inMillions(data.n_others)),
        ...(step > 2 ? [element("span", "one-more", `+ 1 token = + ${count(data.n_per_row)} parameters`)] : []),
      );
      novel.classList.toggle("later", step < 2);
      const summary = element("div", "summary");
      summary.append(element("b", "number", count(data.n_tokens)), element("span", "", "tokens"));
      if (step !== 2) summary.append(element("b", "number", count(data.n_rarest)), element("span", "", `${unitOf(data.n_rarest, "use")} of the newest token`));
      if (step === 2 && data.n_half) summary.append(element("b", "number", `${Math.round(100 * (1 - data.n_tokens / data.n_half))} %`), element("span", "", `fewer than with ${count(Math.floor(data.size / 2))} rows`));
      const words = element("div", "boxes newest");
      words.append(...data.newest.map(makeBox));
      summary.append(words);
      novel.replaceChildren(chart(data), summary);
    },
  };
}

/** @param {string} name @param {string} kind @param {number} share */
function part(name, kind, share) {
  const box = element("span", `part ${kind}`);
  box.style.width = `${100 * share}%`;
  if (name && share > 0.1) box.append(element("span", "label", name));
  return box;
}

/** The novel's tokens by vocabulary size, on a logarithmic axis, with a line at the slider's value. @param {Data} data */
function chart({ curve, size }) {
  const box = element("div", "chart");
  const svg = svgElement("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `From ${count(curve[0][1])} tokens with ${count(curve[0][0])} rows to ${count(curve.at(-1)?.[1] ?? 0)}`,
  });
  const first = Math.log(curve[0][0]), last = Math.log(MOST_ROWS), most = curve[0][1];
  /** @param {number} rows */
  const x = (rows) => (WIDTH * (Math.log(rows) - first)) / (last - first);
  const points = [...curve, [MOST_ROWS, curve.at(-1)?.[1] ?? 0]];
  const line = `M${points.map(([rows, n]) => `${x(rows).toFixed(1)} ${(HEIGHT * (1 - n / most)).toFixed(1)}`).join("L")}`;
  svg.append(
    svgElement("path", { class: "area", d: `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}z` }),
    svgElement("path", { class: "line", d: line }),
    svgElement("path", { class: "at", d: `M${x(size)} 0V${HEIGHT}` }),
  );
  box.append(svg, element("span", "soft", count(curve[0][0])), element("span", "soft last", `${count(MOST_ROWS)} rows, log scale`));
  return box;
}
