// Kept: of a row of elements, those that show the same as before stay as they are drawn.

import { countCommonEnds } from "../../shared/common_ends.js";

/** What the first children of a box show. @type {WeakMap<Node, string[]>} */
const SHOWN = new WeakMap();

/**
 * Make the first children of a box those that `make` gives for each item. Items before and after what has changed keep their
 * elements, for each new one is styled, laid out and painted; what stands behind them in the box stays, too.
 * @template Item
 * @param {Element} box
 * @param {readonly Item[]} items plain data, all that the look of one depends on
 * @param {(item: Item) => Node} make
 */
export function fillKept(box, items, make) {
  const before = SHOWN.get(box) ?? [], after = items.map((item) => JSON.stringify(item));
  const [nHead, nTail] = countCommonEnds(before, after, (one, other) => one === other);
  for (const gone of [...box.children].slice(nHead, before.length - nTail)) gone.remove();
  const next = box.children[nHead] ?? null;
  for (const item of items.slice(nHead, items.length - nTail)) box.insertBefore(make(item), next);
  SHOWN.set(box, after);
}

/** Write a text into an element, unless it stands there. @param {Element} box @param {string} text */
export function write(box, text) {
  if (box.textContent !== text) box.textContent = text;
}
