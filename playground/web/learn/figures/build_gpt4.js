// Build GPT-4: a ladder of four rungs, one for each step. The current rung shows the text's tokens and the result of
// its check; the last step compares the first merges of three trainings.

import { fillWithPieces, makeBox, makeBoxWithIds, makePieceBox } from "../boxes.js";
import { button, element, fillKept, svgElement } from "../../shared/element.js";
import { count } from "../../shared/wording.js";

/** @typedef {{text: string, ids: number[], crosses: boolean, is_cut: boolean, is_special: boolean}} Piece */
/** @typedef {{n: number, n_crossing: number, pieces: Piece[], passes: boolean}} Rung */
/** @typedef {{rungs: Rung[], shuffle: number[], used: number[], n_recovered: number, asked: number, first_ids: number[], firsts: string[][]}} Data */

const TITLES = ["Basic", "Pattern", "GPT-4's merges", "Special tokens"];
const CHECKS = ["the text comes back", "no token crosses", "tiktoken's ids", "tiktoken's ids"];
const WIDTH = 900, HEIGHT = 96;

/** @type {import("./table.js").Mount} */
export default function mount(root, { change }) {
  const ladder = element("div", "ladder"), content = element("div", "content"), lines = element("div");
  const [basic, crossed, cut, recovered, special] = ["", "crossed", "cut", "", ""].map((mode) => element("div", `boxes ${mode}`));
  const beside = [[basic], [numbered("1", crossed), numbered("2", cut)], [recovered, lines], [special]];
  return {
    show(step, /** @type {Data} */ data) {
      const isSame = root.dataset.at === String(step), { rungs } = data;
      root.dataset.at = String(step);
      if (step > rungs.length) return root.replaceChildren(firsts(data, (id) => change({ asked: [String(id)] })));
      if (!isSame) {
        content.replaceChildren(...beside[step - 1]);
        root.replaceChildren(ladder, content);
      }
      fillKept(ladder, rungs.map(({ n, passes }, k) => ({ n, passes, k, step })).toReversed(), makeRung); // the first rung is at the bottom
      if (step === 3) fillKept(lines, [{ ids: data.shuffle, used: data.used }], shuffle);
      if (step === 1) fillLane(basic, rungs[0], pieceAlone);
      if (step === 2) fillLane(crossed, rungs[0], pieceAlone);
      if (step === 2) fillLane(cut, rungs[1], pieceAlone);
      if (step === 3) fillLane(recovered, rungs[2], pieceWithIds);
      if (step === 4) fillLane(special, rungs[3], pieceWithIds);
    },
  };
}

/** A rung: finished rungs show their check, the current one is open, later ones are blank. @param {{n: number, passes: boolean, k: number, step: number}} rung */
function makeRung({ n, passes, k, step }) {
  const isOpen = k + 1 === step, row = element("div", `rung ${isOpen ? "open" : k + 1 > step ? "ahead" : "below"}`);
  row.append(element("span", "place", String(k + 1)));
  if (k + 1 > step) return row;
  row.append(
    element("b", "title", isOpen ? `${TITLES[k]}: tokens` : TITLES[k]),
    element("span", isOpen ? "n number" : "n", count(n)),
    element("span", "check", `${passes ? "✓" : "✗"}${isOpen ? ` ${CHECKS[k]}` : ""}`),
  );
  return row;
}

/** @param {string} place @param {HTMLElement} boxes */
function numbered(place, boxes) {
  const row = element("div", "numbered");
  row.append(element("span", "place", place), boxes);
  return row;
}

/** @param {HTMLElement} boxes @param {Rung} rung @param {(piece: Piece, n: number) => HTMLElement} make */
const fillLane = (boxes, { n, pieces }, make) => fillWithPieces(boxes, { n_tokens: n, pieces }, make);

/** @param {Piece} piece @param {number} n */
function pieceAlone({ crosses, is_cut: isCut, ...piece }, n) {
  const box = makePieceBox(piece, n);
  if (crosses) box.classList.add("crosses");
  if (isCut) box.classList.add("at-cut");
  return box;
}

/** @param {Piece} piece @param {number} n */
function pieceWithIds({ text, ids, is_special: isSpecial }, n) {
  const one = makeBoxWithIds(text, ids, n);
  if (isSpecial) one.classList.add("is-special");
  return one;
}

/** Lines from each byte value to its id; bytes of the text are drawn last, on top. @param {{ids: number[], used: number[]}} bytes */
function shuffle({ ids, used }) {
  const box = element("div", "shuffle"), marked = new Set(used);
  const svg = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": "Each byte and its id in cl100k" });
  const x = (/** @type {number} */ place) => (WIDTH * (place + 0.5)) / 256;
  const line = (/** @type {number} */ byte) => `M${x(byte)} 0L${x(ids[byte])} ${HEIGHT}`;
  const all = ids.map((_, byte) => byte);
  svg.append(
    svgElement("path", { d: all.filter((byte) => !marked.has(byte)).map(line).join(""), class: "other" }),
    svgElement("path", { d: used.map(line).join(""), class: "used" }),
  );
  box.append(element("span", "soft", "bytes 0–255"), svg, element("span", "soft", "ids 0–255"));
  return box;
}

/**
 * The first merges of three trainings. Pressing an id asks for that token of GPT-4.
 * @param {Data} data
 * @param {(id: number) => void} choose
 */
function firsts({ asked, first_ids: ids, firsts: rows }, choose) {
  const table = element("div", "firsts");
  table.append(
    element("span"),
    ...ids.map((id) => {
      const head = button(String(id), `Ask for token ${id}`, () => choose(id));
      head.className = "t id";
      head.setAttribute("aria-pressed", String(id === asked));
      return head;
    }),
  );
  for (const [n, texts] of rows.entries()) {
    const isGpt4 = n === rows.length - 1;
    table.append(
      element("b", "title", isGpt4 ? "GPT-4" : TITLES[n]),
      ...texts.map((text, k) => {
        const box = makeBox(isGpt4 && ids[k] === asked ? "?" : text, n);
        if (isGpt4 && ids[k] === asked) box.classList.add("asked");
        else box.dataset.spot = `${ids[k]}  ${box.textContent}`;
        return box;
      }),
    );
  }
  return table;
}
