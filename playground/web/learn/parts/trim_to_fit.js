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
  if (box.childElementCount === nAll && !isOver(box)) return;
  const more = element("span", "more-of-it");
  keepFitting(box, (n) => {
    more.textContent = `+ ${counted(nAll - n, unit)}`;
    return n < nAll ? [more] : [];
  });
}

/** Remove the children of a box that stand below its lower edge; how many are left. @param {HTMLElement} box */
export function cutToFit(box) {
  return isOver(box) ? keepFitting(box, () => []) : box.childElementCount;
}

/**
 * Keep as many children as fit, with what stands behind so many.
 * @param {HTMLElement} box
 * @param {(n: number) => HTMLElement[]} behind
 */
function keepFitting(box, behind) {
  const children = [...box.children];
  let low = 0, high = children.length; // the largest number that fits
  while (low < high) {
    const n = Math.ceil((low + high) / 2);
    box.replaceChildren(...children.slice(0, n), ...behind(n));
    if (isOver(box)) high = n - 1;
    else low = n;
  }
  box.replaceChildren(...children.slice(0, low), ...behind(low));
  return low;
}

/** @param {HTMLElement} box */
const isOver = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
