// Tokens drawn as boxes, large enough for the last row of a classroom, with their ids below. Boxes that don't fit are
// removed and counted.

import { element, write } from "../shared/element.js";
import { counted, shownInLine } from "../shared/wording.js";

/** The text of a box, with visible marks for invisible characters. @param {string} text */
export const boxText = (text) => (text === "\n" ? "⏎" : shownInLine(text) || "⏎");

/** A box with one token, in one of four colours. @param {string} text @param {number} color */
export function makeBox(text, color) {
  const box = element("span", `t box c${color % 4}`, boxText(text));
  box.dataset.token = "";
  return box;
}

/** A box for a piece of whole characters. "×3" marks three tokens; the spotlight shows their ids. @param {{text: string, ids: number[]}} piece @param {number} color */
export function makePieceBox({ text, ids }, color) {
  const box = makeBox(text, color);
  box.dataset.spot = ids.join(" ");
  if (ids.length > 1) box.append(element("sub", "n-tokens", `×${ids.length}`));
  return box;
}

/**
 * A box with the ids of its tokens below; the spotlight shows the ids in large type.
 * @param {string} text
 * @param {(number | null)[]} ids null if the tokenizer has no id for the text
 * @param {number} color
 */
export function makeBoxWithIds(text, ids, color) {
  const whole = element("span", "with-id"), shown = ids.map((id) => (id === null ? "–" : String(id))).join(" ");
  whole.dataset.spot = `${boxText(text)}  ${shown}`;
  whole.append(makeBox(text, color), element("span", "id", shown));
  return whole;
}

/** The edges of a child, relative to the inside of its box's border. @typedef {{right: number, top: number, bottom: number}} Place */

/**
 * Remove the children of a box that don't fit, and write how many are hidden ("+ 3 tokens").
 * @param {HTMLElement} box has a bounded height
 * @param {number} nAll the number of items, including those that have no element
 * @param {string} unit the items' noun
 * @param {(n: number) => number} nHidden the number of hidden items if the first `n` children are shown
 */
export function trimToFit(box, nAll, unit, nHidden = (n) => nAll - n) {
  if (nHidden(box.childElementCount) === 0 && !isOver(box)) return;
  const more = element("span", "more-of-it");
  keepFitting(box, (n) => {
    more.textContent = moreOf(nHidden(n), unit);
    return nHidden(n) > 0 ? more : null;
  });
}

/** For each box that was filled: its content, the number of visible items, and the size of the box and window. @type {WeakMap<HTMLElement, {key: string, room: string, n: number}>} */
const FILLED = new WeakMap();

/**
 * Fill a box with pieces of a text; hidden pieces are counted in tokens.
 * @template {{ids: unknown[]}} Piece
 * @param {HTMLElement} box
 * @param {{n_tokens: number, pieces: Piece[]}} shown the first pieces, and the number of tokens of the whole text
 * @param {(piece: Piece, n: number) => HTMLElement} make
 * @param {string} [variant]
 */
export const fillWithPieces = (box, { n_tokens: nAll, pieces }, make, variant) =>
  fillToFit(box, pieces, { make, nAll, unit: "token", variant, sizeOf: ({ ids }) => ids.length });

/**
 * Fill a box with an element for each item, and trim it. Elements are reused while the items are the same, as they are
 * while somebody types at the end of a long text.
 * @template Item
 * @param {HTMLElement} box has a bounded height
 * @param {readonly Item[]} items
 * @param {{make: (item: Item, n: number) => HTMLElement, nAll: number, unit: string, variant?: string, sizeOf?: (item: Item) => number}} options
 *   `nAll` counts units, of which an item has `sizeOf`; a change of `variant` makes all elements again
 */
export function fillToFit(box, items, { make, nAll, unit, variant = "", sizeOf = () => 1 }) {
  const nHidden = (/** @type {number} */ n) => items.slice(0, n).reduce((left, item) => left - sizeOf(item), nAll);
  const key = variant + JSON.stringify(items), held = FILLED.get(box), isHeld = held?.key === key;
  const more = box.lastElementChild?.classList.contains("more-of-it") ? box.lastElementChild : null;
  if (isHeld && more) write(more, moreOf(nHidden(held.n), unit)); // written before the size is read: one layout instead of two
  const room = `${box.clientWidth} ${innerWidth} ${innerHeight}`;
  if (isHeld && held.room === room && (nHidden(held.n) > 0) === (more !== null) && !isOver(box)) return;
  box.replaceChildren(...items.map(make));
  trimToFit(box, nAll, unit, nHidden);
  FILLED.set(box, { key, room, n: box.childElementCount - (box.lastElementChild?.classList.contains("more-of-it") ? 1 : 0) });
}

/** @param {number} n @param {string} unit */
const moreOf = (n, unit) => `+ ${counted(n, unit)}`;

/** Remove the children that don't fit into a box; return the number of children left. @param {HTMLElement} box */
export function cutToFit(box) {
  return isOver(box) ? keepFitting(box, () => null) : box.childElementCount;
}

/**
 * Keep as many children as fit, followed by the element that `behind` makes for their number. Reading the layout
 * takes milliseconds, so positions are read once, and the number that leaves room for the last element is computed
 * from them.
 * @param {HTMLElement} box
 * @param {(n: number) => HTMLElement | null} behind makes what follows the first `n` children
 */
function keepFitting(box, behind) {
  const children = [...box.children], places = placesIn(box, children);
  const style = getComputedStyle(box), gap = parseFloat(style.columnGap) || 0;
  const right = box.clientWidth - parseFloat(style.paddingRight);
  const height = box.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  const put = (/** @type {number} */ n) => {
    const last = behind(n);
    box.replaceChildren(...children.slice(0, n), ...(last ? [last] : []));
    return last;
  };
  let n = nWithin(places, right, height);
  const last = put(n);
  if (last && isOver(box)) {
    n = nLeaving(places.slice(0, n), right - gap - last.getBoundingClientRect().width);
    put(n);
  }
  let low = isOver(box) ? 0 : n; // if line heights vary, a smaller number may be needed
  while (low < n) {
    const middle = Math.ceil((low + n) / 2);
    put(middle);
    if (isOver(box)) n = middle - 1;
    else low = middle;
    if (low === n && middle !== n) put(n);
  }
  return n;
}

/** @param {HTMLElement} box @param {Element[]} children @returns {Place[]} */
function placesIn(box, children) {
  const { left, top } = box.getBoundingClientRect(), { clientLeft, clientTop } = box;
  return children.map((child) => {
    const place = child.getBoundingClientRect();
    return { right: place.right - left - clientLeft, top: place.top - top - clientTop, bottom: place.bottom - top - clientTop };
  });
}

/**
 * The number of boxes that fit, from the first on. If lines are centred, the first box can lie above the edge.
 * @param {Place[]} places
 * @param {number} right
 * @param {number} height
 */
export function nWithin(places, right, height) {
  const bottom = Math.min(...places.map(({ top }) => top)) + height;
  const n = places.findIndex((place) => place.bottom > bottom + 1 || place.right > right + 1);
  return n < 0 ? places.length : n;
}

/** The number of boxes to keep so that the last line ends left of `right`, or is empty. @param {Place[]} places @param {number} right */
export function nLeaving(places, right) {
  const top = places.at(-1)?.top ?? 0;
  const n = places.findLastIndex((place) => place.bottom <= top || place.right <= right);
  return n + 1;
}

/** Whether the content of a box overflows. @param {HTMLElement} box */
export const isOver = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

/** A row of a figure: a name, boxes, and the number of what the boxes are. @param {string} [title] */
export function makeLane(title = "") {
  const row = element("div", "lane"), name = element("span", "name-of", title), boxes = element("div", "boxes"), number = element("b", "number");
  row.append(name, boxes, number);
  return { row, name, boxes, number };
}
