// Cuts: a text's pretokens, each with the number of the alternative that matched it; the alternatives as switches;
// and the text cut by each named pattern.

import { fillToFit, trimToFit } from "../boxes.js";
import { element } from "../../shared/element.js";
import { count, shorten, shownInLine, unitOf } from "../../shared/wording.js";

/** @typedef {{text: string, is_on: boolean, n: number}} Alternative */
/** @typedef {{name: string, n_pieces: number, cells: string[][]}} Row */
/** @typedef {{pattern: string, own: string, off: string[], n_pieces: number, pieces: {text: string, by: number | null}[], alternatives: Alternative[], matrix: Row[], n_joining: number, n_gpt2: number}} Data */

const MAX_CHARS = 60, N_KINDS = 6;

/** The CSS class of an alternative; from the seventh on it has stripes. @param {number | null} by */
export const kindOf = (by) => (by === null ? "left-out" : `kind${by % N_KINDS}${by >= N_KINDS ? " striped" : ""}`);

/** @type {import("./table.js").Mount} */
export default function mount(root, frame) {
  const top = element("div", "top"), pieces = element("div", "pieces"), total = element("div", "total"), below = element("div", "below");
  const own = element("input", "own"), list = element("div", "list"), matrix = element("div", "matrix");
  own.type = "text";
  own.spellcheck = false;
  own.maxLength = 400;
  own.setAttribute("aria-label", "Own pattern");
  top.append(pieces, total);
  const joining = element("p", "joining");
  below.append(own, list, joining, matrix);
  root.append(top, below);
  /** @type {Data | null} */
  let shown = null;
  own.addEventListener("input", () => {
    const off = (shown?.off ?? []).filter((one) => !one.startsWith("own:"));
    frame.change({ own: [own.value.toWellFormed()], off });
  }, { signal: frame.signal });
  list.addEventListener("click", (event) => {
    const pressed = /** @type {Element} */ (event.target).closest("button");
    if (!pressed || !shown) return;
    const key = `${shown.pattern}:${pressed.dataset.place}`, isOff = shown.off.includes(key);
    frame.change({ off: isOff ? shown.off.filter((one) => one !== key) : [...shown.off, key] });
  }, { signal: frame.signal });
  return {
    show(step, /** @type {Data} */ data) {
      shown = data;
      root.classList.toggle("first", step < 2);
      total.replaceChildren(element("b", "number", count(data.n_pieces)), element("span", "soft", unitOf(data.n_pieces, "piece")));
      const nLeft = data.pieces.filter((piece) => piece.by === null).length;
      if (nLeft) total.append(element("span", "dropped", `${count(nLeft)} left out`));
      own.hidden = data.pattern !== "own";
      if (own.value !== data.own && !own.matches(":focus")) own.value = data.own;
      below.hidden = step < 2 && own.hidden;
      list.hidden = step !== 2;
      if (step === 2) drawList(list, data);
      matrix.hidden = joining.hidden = step < 3;
      joining.replaceChildren(element("b", "number", count(data.n_joining)), `of ${count(data.n_gpt2)} GPT-2 tokens join letters and digits`);
      matrix.replaceChildren(...(step < 3 ? [] : data.matrix.flatMap((row) => matrixRow(row, data.pattern))));
      for (const cell of matrix.querySelectorAll(".whole")) {
        const row = /** @type {Row} */ (data.matrix.find((one) => one.name === /** @type {HTMLElement} */ (cell).dataset.name));
        trimToFit(/** @type {HTMLElement} */ (cell), row.n_pieces, "piece");
      }
      fillToFit(pieces, data.pieces, { make: (piece) => makePiece(piece.text, piece.by), nAll: data.n_pieces, unit: "piece", variant: step < 2 ? "first" : "" });
    },
  };
}

/** @param {string} text @param {number | null} by */
function makePiece(text, by) {
  const piece = element("span", "piece"), token = element("span", `t ${kindOf(by)}`, shorten(shownInLine(text), MAX_CHARS));
  const number = element("span", "by", by === null ? "–" : String(by + 1));
  piece.append(token, number);
  return piece;
}

/** Draw the switches; the focused switch keeps the focus. @param {HTMLElement} list @param {Data} data */
function drawList(list, data) {
  const focused = /** @type {HTMLElement | null} */ (list.querySelector(":focus"))?.dataset.place;
  list.replaceChildren(
    ...data.alternatives.map(({ text, is_on, n }, place) => {
      const one = element("button", "alternative");
      one.type = "button";
      one.dataset.place = String(place);
      one.setAttribute("aria-pressed", String(is_on));
      one.append(
        element("span", "place", String(place + 1)),
        element("code", `t ${kindOf(place)}`, text.replaceAll(" ", "·")),
        element("span", "n", is_on ? `× ${count(n)}` : "off"),
      );
      return one;
    }),
  );
  if (focused !== undefined) /** @type {HTMLElement | null} */ (list.querySelector(`[data-place="${focused}"]`))?.focus();
}

/** @param {Row} row @param {string} pattern */
function matrixRow(row, pattern) {
  const name = element("span", row.name === pattern ? "name-of chosen" : "name-of", row.name);
  const cells = row.cells.map((pieces, n) => {
    const cell = element("span", n === row.cells.length - 1 ? "cell whole" : "cell");
    cell.dataset.name = row.name;
    cell.append(...pieces.map((piece, k) => element("span", `t c${k % 4}`, shorten(shownInLine(piece), MAX_CHARS))));
    return cell;
  });
  return [name, ...cells, element("b", "n-of", count(row.n_pieces))];
}
