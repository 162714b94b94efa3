// Trim to fit: of a row of elements, those that do not fit their box are left out, and how many is said.

import { element } from "../../shared/element.js";
import { counted } from "../../shared/numbers.js";

/**
 * Remove the children of a box that stand below its lower edge, and say at its end how many are not shown.
 * @param {HTMLElement} box of a bounded height
 * @param {number} nAll how many there are, also of those that are no children
 * @param {string} unit what is counted
 */
export function trimToFit(box, nAll, unit) {
  const isOver = () => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
  const children = [...box.children];
  if (children.length === nAll && !isOver()) return;
  const more = element("span", "more-of-it");
  let low = 0, high = children.length; // the largest number that fits
  while (low < high) {
    const n = Math.ceil((low + high) / 2);
    more.textContent = `+ ${counted(nAll - n, unit)}`;
    box.replaceChildren(...children.slice(0, n), ...(n < nAll ? [more] : []));
    if (isOver()) high = n - 1;
    else low = n;
  }
  more.textContent = `+ ${counted(nAll - low, unit)}`;
  box.replaceChildren(...children.slice(0, low), ...(low < nAll ? [more] : []));
}
