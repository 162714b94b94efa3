// Lowest rank: a word's parts with the rank of each pair, after some merges; and the tokens by longest match and by rank.

import { makeBoxWithIds, trimToFit } from "../boxes.js";
import { makeParts } from "../../forest/step_player.js";
import { element } from "../../shared/element.js";
import { counted } from "../../shared/wording.js";

/** @typedef {{text: string, id: number}} Token */
/** @typedef {{played: import("../../forest/step_player.js").Played | null, done: number, ranked: Token[], greedy: Token[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  return {
    /** @param {number} step @param {Data} data */
    show(step, { played, done, ranked, greedy }) {
      if (!played) return root.replaceChildren();
      const whole = (/** @type {Token[]} */ tokens) => tokens.map(({ text, id }, n) => makeBoxWithIds(text, [id], n));
      const nDone = step === 3 ? done : step < 3 ? 0 : played.steps.length, parts = element("div", "player-parts");
      parts.append(...makeParts(played, nDone));
      const why = element("p", "why", step === 3 ? `${counted(nDone, "merge")} of ${played.steps.length}` : "");
      const lanes = [lane("Longest match", whole(greedy), step === 2 || step === 4), lane("Lowest rank", whole(ranked), step === 4)];
      root.replaceChildren(parts, why, ...lanes.map(({ row }) => row));
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
