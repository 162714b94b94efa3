// Special tokens: the number of ids while a text is typed, which a player repeats; the text with special tokens and as plain text; the text
// in a chat; and the parts of a vocabulary.

import { boxText, fillWithPieces, makeBoxWithIds } from "../boxes.js";
import { element, write } from "../../shared/element.js";
import { makePlayerBar, Player } from "../../shared/player.js";
import { count } from "../../shared/wording.js";

/** @typedef {{text: string, ids: number[], is_special?: boolean}} Piece */
/** @typedef {{n_tokens: number, pieces: Piece[]}} Stream */
/** @typedef {{now: Stream, special_ids: Stream, plain: Stream, typed: {character: string, n: [number, number]}[], added: string, special: Record<string, number>, chat: Stream, vocabulary: [number, number, number]}} Data */

/** How long the player waits for the next character. */
const TYPING_MS = 300;

/** @type {import("./table.js").Mount} */
export default function mount(root, { signal }) {
  const [now, asSpecial, asPlain, chat] = ["ids", "special token", "plain text", "GPT-4 chat"].map((name) => makeRow(name));
  const chart = element("div", "typing");
  const added = element("p", "soft"), bar = makePlayerBar("Characters typed");
  chart.setAttribute("role", "img");
  /** @type {Data | null} */
  let data = null;
  const player = new Player(bar, signal, (nTyped) => data && drawMoment(data, nTyped), TYPING_MS);
  /** Draw the first step after some of the characters were typed. @param {Data} shown @param {number} nTyped */
  const drawMoment = ({ typed, added: { length: nAdded }, now: nowStream, special_ids: whole, special }, nTyped) => {
    drawTyping(chart, typed, nTyped);
    const isWhole = nTyped === typed.length, isKnown = isWhole || nTyped === typed.length - nAdded;
    if (isKnown) drawStream(now, isWhole ? whole : nowStream, new Set(Object.values(special)), "1");
    else write(now.number, count(typed[nTyped - 1]?.n[0] ?? 0));
    now.pieces.classList.toggle("unknown", !isKnown);
  };
  return {
    show(step, /** @type {Data} */ shown) {
      const special = new Set(Object.values(shown.special)), at = String(step), isSame = shown === data;
      data = shown;
      const rows = step === 1 ? [now.row, chart, bar] : step === 2 ? [asSpecial.row, asPlain.row, added] : step === 3 ? [chat.row, added] : [sum(data)];
      if (root.dataset.at !== at || step > 3) root.replaceChildren(...rows);
      root.dataset.at = at;
      added.hidden = !data.added;
      bar.hidden = !data.typed.length;
      write(added, `Shown with “${data.added}” typed at the end.`);
      if (!isSame) player.show(data.typed.length + 1, data.typed.length - data.added.length);
      else if (step === 1) drawMoment(data, player.frame);
      else player.pause();
      if (step === 2) {
        drawStream(asSpecial, data.special_ids, special, at);
        drawStream(asPlain, data.plain, special, at);
      } else if (step === 3) drawStream(chat, data.chat, special, at);
    },
  };
}

/** @typedef {{row: HTMLElement, number: HTMLElement, pieces: HTMLElement}} Row */

/** A row with the number of tokens and the tokens. @param {string} name @returns {Row} */
function makeRow(name) {
  const row = element("div", "stream"), pieces = element("div", "pieces"), head = element("div", "head"), number = element("b", "number");
  head.append(number, element("span", "soft", name));
  row.append(head, pieces);
  return { row, number, pieces };
}

/** @param {Row} row @param {Stream} stream @param {Set<number>} special @param {string} at the step, on which the size depends */
function drawStream({ number, pieces: box }, stream, special, at) {
  write(number, count(stream.n_tokens));
  fillWithPieces(box, stream, (piece, k) => {
    const one = makeBoxWithIds(piece.text, piece.ids, k);
    if (piece.is_special ?? (piece.ids.length === 1 && special.has(piece.ids[0]))) one.classList.add("is-special");
    return one;
  }, at);
}

/**
 * A bar for each character: the number of ids after it was typed; the number as plain text is drawn behind.
 * @param {HTMLElement} chart @param {Data["typed"]} typed @param {number} nTyped
 */
function drawTyping(chart, typed, nTyped) {
  const most = Math.max(1, ...typed.map(({ n }) => n[1]));
  chart.setAttribute("aria-label", `Ids as each character is typed: ${typed.slice(0, nTyped).map(({ n }) => n[0]).join(", ")}`);
  const keys = typed.map(({ character }) => character), held = /** @type {HTMLElement[]} */ ([...chart.children]);
  const nGone = nSlidOut(held.map((column) => column.dataset.key ?? ""), keys);
  for (const column of held.splice(0, nGone)) column.remove();
  for (const column of held.splice(keys.length)) column.remove();
  chart.append(...keys.slice(held.length).map(makeColumn));
  for (const [k, column] of [...chart.children].entries()) {
    const { n: [nSpecial, nPlain] } = typed[k], [of, area] = column.children;
    column.classList.toggle("collapsed", nSpecial < nPlain);
    column.classList.toggle("untyped", k >= nTyped);
    column.classList.toggle("falling", k === nTyped - 1 && nSpecial < nPlain);
    write(of, String(nSpecial));
    for (const [bar, n] of [[0, nPlain], [1, nSpecial]]) {
      // Heights are rounded to less than a pixel.
      /** @type {HTMLElement} */ (area.children[bar]).style.height = `${((100 * n) / most).toFixed(1)}%`;
    }
  }
}

/** @param {string} character */
function makeColumn(character) {
  const column = element("span", "column"), area = element("span", "area");
  column.dataset.key = character;
  area.append(element("i", "ghost"), element("i", "bar-of"));
  column.append(element("span", "of"), area, element("span", "typed t", boxText(character)));
  return column;
}

/**
 * The number of items to remove from the start of `before` so that the rest begins `after`; all if nothing matches.
 * @param {string[]} before @param {string[]} after
 */
export function nSlidOut(before, after) {
  for (let n = 0; n < before.length; n++) {
    const kept = before.slice(n, n + after.length);
    if (kept.every((key, k) => key === after[k])) return n;
  }
  return before.length;
}

/** The parts of a vocabulary. Their sum is left out, because the question asks for it. @param {Data} data */
function sum({ vocabulary, special }) {
  const all = element("div", "sum"), line = element("div", "terms"), total = vocabulary.reduce((a, b) => a + b, 0);
  const scale = element("div", "scale"), names = element("div", "names");
  for (const [k, part] of ["bytes", "merges", "special"].entries()) {
    const term = element("span", "term");
    term.append(element("b", "number", count(vocabulary[k])), element("span", "soft", part));
    line.append(...(k ? [element("span", "sign", "+")] : []), term);
    const band = element("i", `band kind${k}`);
    band.style.flexGrow = String(vocabulary[k] / total);
    scale.append(band);
  }
  line.append(element("span", "sign", "= ?"));
  names.append(...Object.entries(special).map(([name, id]) => {
    const one = makeBoxWithIds(name, [id], 0);
    one.classList.add("is-special");
    return one;
  }));
  all.append(line, scale, names);
  return all;
}
