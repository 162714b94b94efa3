// Tokens as boxes, large enough for the last row of a room, with their ids below; boxes that don't fit are left out and counted.

import { element, write } from "../shared/element.js";
import { counted, shownInLine } from "../shared/wording.js";

/** What a box shows of a text: marks for what is invisible. @param {string} text */
export const boxText = (text) => (text === "\n" ? "⏎" : shownInLine(text) || "⏎");

/** A token of one of four colours. @param {string} text @param {number} color */
export function makeBox(text, color) {
  const box = element("span", `t box c${color % 4}`, boxText(text));
  box.dataset.token = "";
  return box;
}

/** A box for a piece of whole characters: "×3" says that it is three tokens; the spotlight shows their ids. @param {{text: string, ids: number[]}} piece @param {number} color */
export function makePieceBox({ text, ids }, color) {
  const box = makeBox(text, color);
  box.dataset.spot = ids.join(" ");
  if (ids.length > 1) box.append(element("sub", "n-tokens", `×${ids.length}`));
  return box;
}

/**
 * A token with its ids below it; the spotlight tells them large.
 * @param {string} text
 * @param {(number | null)[]} ids none where it has no row
 * @param {number} color
 */
export function makeBoxWithIds(text, ids, color) {
  const whole = element("span", "with-id"), shown = ids.map((id) => (id === null ? "–" : String(id))).join(" ");
  whole.dataset.spot = `${boxText(text)}  ${shown}`;
  whole.append(makeBox(text, color), element("span", "id", shown));
  return whole;
}

/** Where a child of a box begins and ends, from within the box's border. @typedef {{right: number, top: number, bottom: number}} Place */

/**
 * Remove the children of a box that stand below its lower edge, and say at its end how many are not shown.
 * @param {HTMLElement} box of a bounded height
 * @param {number} nAll how many there are, also of those that are no children
 * @param {string} unit what is counted
 */
export function trimToFit(box, nAll, unit) {
  if (box.childElementCount === nAll && !isOver(box)) return;
  const more = element("span", "more-of-it");
  keepFitting(box, (n) => {
    more.textContent = moreOf(nAll - n, unit);
    return n < nAll ? more : null;
  });
}

/** What a box was filled with, how many of it are shown, and how much room there was. @type {WeakMap<HTMLElement, {key: string, room: string, n: number}>} */
const FILLED = new WeakMap();

/**
 * Fill a box with what `make` gives for each item, and trim it. While one types at the end of a long text the first items
 * stay, and so does what is drawn of them.
 * @template Item
 * @param {HTMLElement} box of a bounded height
 * @param {readonly Item[]} items
 * @param {{make: (item: Item, n: number) => HTMLElement, nAll: number, unit: string, manner?: string}} how `manner` names what else the look depends on
 */
export function fillToFit(box, items, { make, nAll, unit, manner = "" }) {
  const key = manner + JSON.stringify(items), held = FILLED.get(box), isHeld = held?.key === key;
  const more = box.lastElementChild?.classList.contains("more-of-it") ? box.lastElementChild : null;
  if (isHeld && more) write(more, moreOf(nAll - held.n, unit)); // before the room is asked for: one layout instead of two
  const room = `${box.clientWidth} ${innerWidth} ${innerHeight}`;
  if (isHeld && held.room === room && (more ? nAll > held.n : nAll === held.n) && !isOver(box)) return;
  box.replaceChildren(...items.map(make));
  trimToFit(box, nAll, unit);
  FILLED.set(box, { key, room, n: box.childElementCount - (box.lastElementChild?.classList.contains("more-of-it") ? 1 : 0) });
}

/** @param {number} n @param {string} unit */
const moreOf = (n, unit) => `+ ${counted(n, unit)}`;

/** Remove the children of a box that stand below its lower edge; how many are left. @param {HTMLElement} box */
export function cutToFit(box) {
  return isOver(box) ? keepFitting(box, () => null) : box.childElementCount;
}

/**
 * Keep as many children as fit, with what stands behind so many. Each look at the page's layout takes milliseconds, so
 * where the children end is asked once, and from that is told how many leave room for what stands behind.
 * @param {HTMLElement} box
 * @param {(n: number) => HTMLElement | null} behind
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
  let low = isOver(box) ? 0 : n; // where lines are as high as what stands in them, another number may fit
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
 * How many stand within a box, from the first; where lines are centred, the first stands above the box.
 * @param {Place[]} places
 * @param {number} right
 * @param {number} height
 */
export function nWithin(places, right, height) {
  const bottom = Math.min(...places.map(({ top }) => top)) + height;
  const n = places.findIndex((place) => place.bottom > bottom + 1 || place.right > right + 1);
  return n < 0 ? places.length : n;
}

/** How many stay so that the last line ends before a place, or is free altogether. @param {Place[]} places @param {number} right */
export function nLeaving(places, right) {
  const top = places.at(-1)?.top ?? 0;
  const n = places.findLastIndex((place) => place.bottom <= top || place.right <= right);
  return n + 1;
}

/** Whether a box has more in it than it shows. @param {HTMLElement} box */
export const isOver = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
