// Special tokens: how many ids a text has while it is typed, with special tokens honoured and as plain text; both
// streams; the text in a chat; and what a vocabulary is made of.

import { element } from "../../shared/element.js";
import { count } from "../../shared/numbers.js";
import { boxText, makeBoxWithIds } from "../parts/boxes.js";
import { trimToFit } from "../parts/trim_to_fit.js";

/** @typedef {{text: string, ids: number[], is_special?: boolean}} Piece */
/** @typedef {{n: number, n_pieces: number, pieces: Piece[]}} Stream */
/** @typedef {{now: Stream, honoured: Stream, plain: Stream, typed: {character: string, n: [number, number]}[], special: Record<string, number>, chat: Stream, vocabulary: [number, number, number]}} Data */

/** @type {import("./table.js").Mount} */
export default function mount(root) {
  return {
    show(step, /** @type {Data} */ data) {
      const special = new Set(Object.values(data.special));
      if (step === 1) root.replaceChildren(stream("ids", data.now, special), typing(data));
      else if (step === 2) root.replaceChildren(stream("honoured", data.honoured, special), stream("plain", data.plain, special));
      else if (step === 3) root.replaceChildren(stream("chat", data.chat, special));
      else root.replaceChildren(sum(data));
      root.dataset.at = String(step);
      for (const pieces of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".pieces"))) trimToFit(pieces, Number(pieces.dataset.nAll), "piece");
    },
  };
}

/** A stream of tokens and how many they are. @param {string} name @param {Stream} stream @param {Set<number>} special */
function stream(name, { n, n_pieces: nPieces, pieces }, special) {
  const row = element("div", "stream"), box = element("div", "pieces"), head = element("div", "head");
  head.append(element("b", "number", count(n)), element("span", "soft", name));
  box.dataset.nAll = String(nPieces);
  box.append(
    ...pieces.map((piece, k) => {
      const one = makeBoxWithIds(piece.text, piece.ids, k);
      if (piece.is_special ?? (piece.ids.length === 1 && special.has(piece.ids[0]))) one.classList.add("is-special");
      return one;
    }),
  );
  row.append(head, box);
  return row;
}

/** A bar a character: the number of ids when it was typed; plain is drawn behind. @param {Data} data */
function typing({ typed }) {
  const chart = element("div", "typing"), most = Math.max(1, ...typed.map(({ n }) => n[1]));
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", `Ids as each character is typed: ${typed.map(({ n }) => n[0]).join(", ")}`);
  chart.append(
    ...typed.map(({ character, n: [honoured, plain] }) => {
      const column = element("span", "column"), area = element("span", "area"), bar = element("i", "bar-of");
      const ghost = element("i", "ghost");
      bar.style.height = `${(100 * honoured) / most}%`;
      ghost.style.height = `${(100 * plain) / most}%`;
      area.append(ghost, bar);
      if (honoured < plain) column.classList.add("collapsed");
      column.append(element("span", "of", String(honoured)), area, element("span", "typed t", boxText(character)));
      return column;
    }),
  );
  return chart;
}

/** What a vocabulary is made of; the sum is asked. @param {Data} data */
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
