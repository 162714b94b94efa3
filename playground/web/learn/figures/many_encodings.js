// Many encodings: BPE's tokens and the fewest tokens of a text, and a bar for the number of encodings of each length.

import { makeBoxWithIds, makeLane, trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";
import { counted } from "../../shared/wording.js";

/** @typedef {{text: string, id: number}} Token */
/** @typedef {{first: number, bars: string[], total: string, bpe: Token[], fewest: Token[]}} Data numbers of encodings are texts, because they can be too large for a number */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const bpe = makeLane("BPE"), fewest = makeLane("Shortest"), chart = element("div", "chart"), total = element("p", "total");
  root.append(bpe.row, chart, total, fewest.row);
  return {
    show(step, /** @type {Data} */ data) {
      drawLane(bpe, data.bpe);
      drawLane(fewest, data.fewest);
      chart.classList.toggle("later", step < 2);
      total.classList.toggle("later", step < 2);
      fewest.row.classList.toggle("later", step < 3);
      total.replaceChildren(element("b", "number", data.total), element("span", "", "encodings"));
      const most = Math.max(...data.bars.map(Number));
      chart.replaceChildren(...data.bars.map((n, at) => {
        const column = element("span", "column"), bar = element("i"), length = data.first + at;
        bar.style.height = `${(100 * Number(n)) / most}%`;
        bar.classList.toggle("of-bpe", length === data.bpe.length);
        column.title = `${Number(n).toLocaleString("en")} encodings of ${counted(length, "token")}`;
        column.append(element("span", "n", short(n)), bar, element("span", "length", String(length)));
        return column;
      }));
      chart.setAttribute("role", "img");
      chart.setAttribute("aria-label", `Encodings by number of tokens, from ${data.first}: ${data.bars.map(short).join(", ")}`);
    },
  };
}

/** A number in at most four characters; larger ones as a power of ten. @param {string} n */
export const short = (n) => (n.length <= 4 ? n : `10${[...String(n.length - 1)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`);

/** @param {ReturnType<typeof makeLane>} lane @param {Token[]} tokens */
function drawLane({ boxes, number }, tokens) {
  boxes.replaceChildren(...tokens.map(({ text, id }, k) => makeBoxWithIds(text, [id], k)));
  trimToFit(boxes, tokens.length, "token");
  number.textContent = String(tokens.length);
}
