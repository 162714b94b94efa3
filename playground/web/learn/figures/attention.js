// Attention: pairs of bytes and pairs of tokens as two squares to scale, with the context window as a frame.

import { element } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{n_bytes: number, n_tokens: number, n_most: number, window: number, longer: string, ratio: string}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const plot = element("div", "plot"), summary = element("div", "summary");
  root.append(plot, summary);
  return {
    /** @param {number} step @param {Data} data */
    show(step, { n_bytes, n_tokens, n_most, window, longer, ratio }) {
      plot.replaceChildren(
        square("bytes", n_bytes / n_most, true),
        square("tokens", n_tokens / n_most, step > 1),
        square("window", window / n_most, step > 2),
      );
      summary.replaceChildren(
        line("bytes", n_bytes, "pairs of bytes", true),
        line("tokens", n_tokens, "pairs of tokens", step > 1),
        line("window", window, "pairs in the window", step > 2),
        result(longer, "the length", step > 1),
        result(ratio, "the pairs", step > 2),
      );
    },
  };
}

/** @param {string} kind @param {number} share of the side of the plot @param {boolean} isSeen */
function square(kind, share, isSeen) {
  const made = element("i", `square ${kind}`);
  made.style.setProperty("--side", `${100 * share}%`);
  made.hidden = !isSeen;
  return made;
}

/** @param {string} kind @param {number} n @param {string} unit @param {boolean} isSeen */
function line(kind, n, unit, isSeen) {
  const row = element("p", isSeen ? `sum ${kind}` : `sum ${kind} later`);
  row.append(element("i", "key"), element("b", "", `${count(n)}²`), ` = ${count(n * n)} `, element("span", "soft", unit));
  return row;
}

/** How many times as long, or as many. @param {string} times @param {string} what @param {boolean} isSeen */
function result(times, what, isSeen) {
  const row = element("p", isSeen ? "result" : "result later");
  row.append(element("b", "number", `${times} ×`), ` ${what}`);
  return row;
}
