// The prompt's edge: a prompt's last tokens, what follows the last one in a novel, and what may follow after healing.

import { boxText, makeBoxWithIds, trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count, times } from "../../shared/wording.js";

/** @typedef {{text: string, id: number, n?: number}} Token */
/** @typedef {{n_tokens: number, tokens: Token[], next: Token[], n_next: number, healed: Token[], n_healed: number, removed: string, n_removed: number}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  const prompt = element("div", "boxes"), plain = makeLane("as it is"), healed = makeLane("healed");
  root.append(prompt, plain.row, healed.row);
  return {
    show(step, /** @type {Data} */ data) {
      prompt.replaceChildren(...data.tokens.map(({ text, id }, n) => {
        const box = makeBoxWithIds(text, [id], n);
        if (n >= data.tokens.length - (step === 3 ? data.n_removed : 1)) box.classList.add(step === 3 ? "taken" : "last");
        return box;
      }));
      if (step === 3) prompt.append(element("span", "must", `→ ${boxText(data.removed)}…`));
      drawLane(plain, data.next, data.n_next, step >= 2);
      drawLane(healed, data.healed, data.n_healed, step >= 3);
    },
  };
}

/** @param {string} title */
function makeLane(title) {
  const row = element("div", "lane"), head = element("div", "head"), boxes = element("div", "boxes"), n = element("b", "number"), unit = element("span", "soft");
  head.append(element("span", "name-of", title), n, unit);
  row.append(head, boxes);
  return { row, boxes, n, unit };
}

/** @param {ReturnType<typeof makeLane>} lane @param {Token[]} tokens the most frequent ones @param {number} nAll @param {boolean} isSeen */
function drawLane({ row, boxes, n, unit }, tokens, nAll, isSeen) {
  row.classList.toggle("later", !isSeen);
  n.textContent = count(nAll);
  unit.textContent = nAll === 1 ? "continuation" : "continuations";
  boxes.replaceChildren(...tokens.map(({ text, n: often = 0 }, k) => {
    const box = makeBoxWithIds(text, [], k);
    box.dataset.spot = `${boxText(text)}  ${times(often)}`;
    /** @type {HTMLElement} */ (box.lastElementChild).textContent = count(often);
    return box;
  }), ...(tokens.length ? [] : [element("span", "none", "nothing")]));
  trimToFit(boxes, boxes.childElementCount, "token");
}
