// Lowest rank: a word's parts with the rank of each pair, which a player merges; and the tokens by
// longest match and by rank.

import { makeBoxWithIds, trimToFit } from "../boxes.js";
import { makeParts } from "../../merge_tree/step_player.js";
import { element } from "../../shared/element.js";
import { makePlayerBar, Player } from "../../shared/player.js";
import { counted } from "../../shared/wording.js";

/** @typedef {{text: string, id: number}} Token */
/** @typedef {{played: import("../../merge_tree/step_player.js").Played | null, ranked: Token[], greedy: Token[]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root, { signal }) {
  const parts = element("div", "player-parts"), bar = makePlayerBar("Merges"), why = element("p", "why");
  /** @type {Data["played"]} */
  let played = null;
  let last = 0;
  const draw = (/** @type {number} */ nDone) => played && parts.replaceChildren(...makeParts(played, nDone));
  const player = new Player(bar, signal, (nDone) => {
    draw(nDone);
    why.textContent = counted(nDone, "merge");
  });
  bar.append(why);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      const { ranked, greedy } = data, isSame = data.played === played;
      played = data.played;
      if (!played) {
        player.show(0, 0);
        return root.replaceChildren();
      }
      bar.classList.toggle("later", step !== 3);
      if (!isSame) player.show(played.steps.length + 1, 0);
      else if (step !== 3) player.pause();
      if (step === 3 && last !== 3 && player.frame === 0) player.play();
      last = step;
      draw(step === 3 ? player.frame : step < 3 ? 0 : played.steps.length);
      const whole = (/** @type {Token[]} */ tokens) => tokens.map(({ text, id }, n) => makeBoxWithIds(text, [id], n));
      const lanes = [lane("Longest match", whole(greedy), step === 2 || step === 4), lane("Lowest rank", whole(ranked), step === 4)];
      root.replaceChildren(parts, bar, ...lanes.map(({ row }) => row));
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
