// Byte patches: a bar of uncertainty before each byte with a threshold; the bytes in patches; and the text in tokens.

import { fillWithPieces, makePieceBox } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{bytes: {text: string, bits: number}[], threshold: number, patches: number[], tokens: {n_tokens: number, pieces: {text: string, ids: number[]}[]}}} Data */

/** Bits at the top of the chart: a byte has at most 8. */
const MOST_BITS = 6;

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const chart = element("div", "chart"), patches = makeTotal("patches"), tokens = makeTotal("tokens of GPT-4"), pieces = element("div", "boxes"), blocks = element("div", "blocks");
  patches.row.append(blocks);
  tokens.row.append(pieces);
  root.append(chart, patches.row, tokens.row);
  return {
    show(step, /** @type {Data} */ data) {
      const line = element("i", "threshold");
      line.style.bottom = `${(100 * data.threshold) / MOST_BITS}%`;
      line.hidden = step < 2;
      /** The patch of each byte. @type {number[]} */
      const patchOf = data.patches.flatMap((n, patch) => Array.from({ length: n }, () => patch));
      chart.setAttribute("role", "img");
      chart.setAttribute("aria-label", `Bits of uncertainty before each byte: ${data.bytes.map(({ text, bits }) => `${text} ${bits}`).join(", ")}`);
      const bars = element("div", "bars"), letters = element("div", "letters");
      bars.append(line, ...data.bytes.map(({ bits }, n) => {
        const bar = element("i", step < 2 ? "bar-of" : `bar-of c${patchOf[n] % 4}`);
        bar.style.height = `${(100 * Math.min(bits, MOST_BITS)) / MOST_BITS}%`;
        return bar;
      }));
      letters.append(...data.bytes.map(({ text }) => element("span", "", text === " " ? "·" : text)));
      chart.style.setProperty("--n", String(data.bytes.length));
      chart.replaceChildren(bars, letters);
      drawTotal(patches, data.patches.length, "patch", "patches", step >= 2);
      drawTotal(tokens, data.tokens.n_tokens, "token of GPT-4", "tokens of GPT-4", step >= 3);
      let at = 0;
      blocks.replaceChildren(...data.patches.map((n, k) => {
        const text = data.bytes.slice(at, at + n).map((byte) => (byte.text === " " ? "·" : byte.text)).join("");
        at += n;
        return element("span", `t c${k % 4}`, text);
      }));
      fillWithPieces(pieces, data.tokens, makePieceBox);
    },
  };
}

/** @param {string} title */
function makeTotal(title) {
  const row = element("div", "total"), head = element("div", "head"), number = element("b", "number"), unit = element("span", "soft", title);
  head.append(number, unit);
  row.append(head);
  return { row, number, unit };
}

/** @param {ReturnType<typeof makeTotal>} total @param {number} n @param {string} one @param {string} several @param {boolean} isSeen */
function drawTotal({ row, number, unit }, n, one, several, isSeen) {
  row.classList.toggle("later", !isSeen);
  number.textContent = count(n);
  unit.textContent = n === 1 ? one : several;
}
