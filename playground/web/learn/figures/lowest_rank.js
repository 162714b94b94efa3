// Lowest rank: a word as letters, split by longest match, and merged by rank, merge by merge.

import { makeBox, makeBoxWithIds, trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";

/** @typedef {{text: string, id: number}} Token */
/** @typedef {{start: string[], merges: {rank: number, parts: string[]}[], made: string[], ranked: Token[], greedy: Token[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      const merges = data.merges.map(({ rank }, n) => {
        const one = element("span", "with-id merge");
        one.dataset.spot = `merge ${n + 1}: ${data.made[n]}, rank ${rank}`;
        one.append(makeBox(data.made[n], n), element("span", "id", String(rank)));
        return one;
      });
      const whole = (/** @type {Token[]} */ tokens) => tokens.map(({ text, id }, n) => makeBoxWithIds(text, [id], n));
      const lanes = [
        lane("Letters", data.start.map((text, n) => makeBox(text, n)), 1 <= step),
        lane("Longest match", whole(data.greedy), 2 <= step),
        lane("Merges by rank", merges, 3 <= step),
        lane("Lowest rank", whole(data.ranked), 4 <= step),
      ];
      root.replaceChildren(...lanes.map(({ row }) => row));
      for (const { boxes, n } of lanes) trimToFit(boxes, n, "token");
    },
  };
}

/** @param {string} title @param {HTMLElement[]} parts @param {boolean} isSeen */
function lane(title, parts, isSeen) {
  const row = element("div", isSeen ? "lane" : "lane later"), boxes = element("div", "boxes");
  boxes.append(...parts);
  row.append(element("span", "name-of", title), boxes);
  return { row, boxes, n: parts.length };
}
