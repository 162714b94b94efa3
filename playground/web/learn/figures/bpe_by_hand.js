// BPE by hand: the board as the rule merges it, the class's own board, and the pairs of that board as buttons.

import { boxText, makeBox, trimToFit } from "../boxes.js";
import { button, element } from "../../shared/element.js";
import { counted } from "../../shared/wording.js";

/** @typedef {{left: string, right: string, count: number, is_best: boolean}} Pair */
/** @typedef {{symbols: string[], n_letters: number, n_first: number, names: string[], merges: {name: string, left: string, right: string}[], pairs: Pair[], is_tie: boolean}} Board */
/** @typedef {{rule: Board[], own: Board & {picks: string[], beside: number}}} Data */

/** Merges that are written out beside a board: as many as the rule makes. */
const MAX_MADE = 3;

/** The positions that a merge of `marked` would use, from the left without overlaps. @param {Board} board @param {Pair | undefined} marked */
export function markedPlaces({ symbols }, marked) {
  const places = new Set();
  if (!marked) return places;
  for (let n = 0; n + 1 < symbols.length; n++) {
    if (symbols[n] === marked.left && symbols[n + 1] === marked.right) {
      places.add(n).add(n + 1);
      n += 1;
    }
  }
  return places;
}

/** The last merged symbols with their parts, such as "Z = aa". @param {Pick<Board, "merges">} board */
export const legendOf = ({ merges }) => merges.slice(-MAX_MADE).map(({ name, left, right }) => `${name} = ${boxText(left)}${boxText(right)}`);

/** @type {import("./table.js").Mount} */
export default function mount(root, { change }) {
  const rule = element("div", "row"), own = element("div", "row own"), pairs = element("div", "boxes pairs");
  const counts = element("div", "boxes pairs counts"), below = element("div", "board");
  root.append(rule, counts, own, below);
  /** @type {Data | null} */
  let shown = null;
  const undo = button("Undo", "Undo the last merge", () => shown && change({ picks: shown.own.picks.slice(0, -1) }));
  below.append(pairs, undo);
  return {
    /** @param {number} step @param {Data} data */
    show(step, data) {
      shown = data;
      const board = data.rule[Math.min(step, data.rule.length) - 1];
      const isLast = step >= data.rule.length;
      drawRow(rule, "By the rule", board, isLast ? undefined : board.pairs[0]);
      counts.replaceChildren(...(isLast ? [] : board.pairs.map((pair) => {
        const one = element("span", pair.is_best ? "pair best" : "pair");
        one.dataset.token = "";
        one.append(...pairParts(pair, board.is_tie));
        return one;
      })));
      trimToFit(counts, isLast ? 0 : board.pairs.length, "pair");
      drawRow(own, "Yours", data.own, undefined);
      own.classList.toggle("longer", data.own.symbols.length > data.own.beside);
      const focused = /** @type {ShadowRoot} */ (root.getRootNode()).activeElement?.getAttribute("data-pair");
      pairs.replaceChildren(...data.own.pairs.map((pair) => makePair(pair, data.own, change)));
      trimToFit(pairs, data.own.pairs.length, "pair");
      undo.disabled = data.own.picks.length === 0;
      if (focused !== null && focused !== undefined) {
        /** @type {HTMLElement | null} */ (pairs.querySelector(`[data-pair="${CSS.escape(focused)}"]`) ?? below.querySelector("button:enabled"))?.focus();
      }
    },
  };
}

/** @param {HTMLElement} row @param {string} title @param {Board} board @param {Pair | undefined} marked */
function drawRow(row, title, board, marked) {
  const boxes = element("div", "boxes"), places = markedPlaces(board, marked);
  boxes.append(...board.symbols.map((name, n) => {
    const box = makeBox(name, board.names.indexOf(name));
    if (places.has(n)) box.classList.add("marked");
    return box;
  }));
  boxes.append(...legendOf(board).map((text) => {
    const line = element("span", "made", text);
    line.dataset.token = "";
    return line;
  }));
  const figures = element("span", "lengths"), units = element("span", "soft units");
  units.append(element("span", "", "long"), element("span", "", counted(board.n_letters, "symbol")));
  figures.append(element("b", "number", String(board.symbols.length)), units);
  row.replaceChildren(element("span", "name-of", title), boxes, figures);
}

/** @param {Pair} pair @param {Data["own"]} own @param {import("./table.js").Frame["change"]} change */
function makePair(pair, own, change) {
  const { left, right } = pair;
  const made = button("", `Merge ${boxText(left)} ${boxText(right)}`, () => change({ picks: [...own.picks, `${left}\t${right}`] }));
  made.dataset.pair = `${left} ${right}`;
  made.dataset.token = "";
  made.className = pair.is_best ? "pair best" : "pair";
  made.removeAttribute("aria-label");
  made.append(...pairParts(pair, own.is_tie));
  return made;
}

/** A pair with its count, and "tie" if another pair has the same count. @param {Pair} pair @param {boolean} isTie */
function pairParts({ left, right, count, is_best }, isTie) {
  const parts = [element("span", "", boxText(left) + boxText(right)), element("b", "times", `×${count}`)];
  if (is_best && isTie && count > 1) parts.push(element("span", "tie", "tie"));
  return parts;
}
