// Coloured tokens, as on every page. Neighbours have different colours, and a token keeps its colour after an edit
// elsewhere. Styles are in token_strip.css.

import { countCommonEnds, element } from "./element.js";
import { shownText } from "./wording.js";

/**
 * A segment's appearance: its colour from 0 to 4, its number of tokens, whether white space is marked, and further
 * CSS classes ("special", "new", …). `label` replaces its text.
 * @typedef {{color: number, nTokens: number, marks: boolean, kinds?: string[], label?: string}} Look
 */

/**
 * A segment's element; several tokens are underlined separately.
 * @param {string} text
 * @param {Look} look
 */
export function makeToken(text, { color, nTokens, marks, kinds = [], label }) {
  const token = document.createElement("span");
  token.className = tokenClass(text, { color, nTokens, kinds });
  if (nTokens > 1) token.style.setProperty("--n", String(nTokens));
  token.textContent = label ?? shownText(text, marks);
  if (label !== undefined && text.includes("\n")) token.append(document.createElement("br"));
  return token;
}

/**
 * The legend for the marks in a text.
 * @param {import("./segments.js").MarkKinds} kinds
 * @returns {HTMLElement[]}
 */
export function makeMarkKey({ isDropped, isChanged, isInserted }) {
  /** @type {[boolean, string, string][]} */
  const all = [
    [isDropped, "dropped", "dropped: no token represents it"],
    [isChanged, "t c0 changed", "changed by normalization: the token shows the result"],
    [isInserted, "t c1 inserted", "a space that the tokenizer adds"],
  ];
  return all.filter(([isThere]) => isThere).map(([, look, meaning]) => {
    const item = element("span", "key-item");
    item.append(element("span", look, "text"), ` ${meaning}`);
    return item;
  });
}

/** Show the legend for the marks in a text in `box`, which is hidden without marks. @param {HTMLElement} box @param {import("./segments.js").MarkKinds} kinds */
export function showMarkKey(box, kinds) {
  box.replaceChildren(...makeMarkKey(kinds));
  box.hidden = !box.childElementCount;
}

/** An element for text that no token represents. @param {string} text @param {boolean} marks whether white space is visible */
export function makeDropped(text, marks) {
  const dropped = document.createElement("span");
  dropped.className = "dropped";
  dropped.title = "Dropped: no token represents this text";
  dropped.textContent = shownText(text, marks);
  return dropped;
}

/**
 * @param {string} text
 * @param {{color: number, nTokens: number, kinds: string[]}} look
 */
export function tokenClass(text, { color, nTokens, kinds }) {
  const classes = ["t", `c${color}`, ...kinds];
  if (nTokens > 1) classes.push("many");
  if (text === "\n" || text === "\r\n") classes.push("line");
  if (!kinds.length && !text.trim()) classes.push("blank");
  return classes.join(" ");
}

/**
 * Tokens side by side, with a possible line break before each visible space. `starts` says which tokens may begin a
 * line.
 * @param {Iterable<HTMLElement>} tokens
 */
export function layTokens(tokens, starts = /^·/) {
  const fragment = document.createDocumentFragment();
  for (const token of tokens) {
    if (starts.test(token.textContent ?? "")) fragment.append(document.createElement("wbr"));
    fragment.append(token);
  }
  return fragment;
}

/** Highlighted elements; at most one group at a time. */
export class Light {
  /** @param {string} [className] */
  constructor(className = "lit") {
    this.className = className;
    /** @type {Element[]} */
    this.elements = [];
  }

  /** Highlight these elements only. @param {Element[]} elements */
  show(elements) {
    for (const each of this.elements) each.classList.remove(this.className);
    for (const each of elements) each.classList.add(this.className);
    this.elements = elements;
  }
}

export const N_COLORS = 4;

/** A colour that differs from both neighbours; -1 for no neighbour. @param {number} previous @param {number} [after] */
export function colorBetween(previous, after = -1) {
  const color = (previous + 1) % N_COLORS;
  return color === after ? (color + 1) % N_COLORS : color;
}

/** A fixed colour for each id. @param {number} id */
export const colorOfId = (id) => (Math.imul(id, 2654435761) >>> 8) % N_COLORS;

/** The next colour that is not in `used`, or simply the next if all are. @param {number[]} used */
export function firstFree(used) {
  for (let step = 1; step <= N_COLORS; step++) {
    const color = (used[0] + step) % N_COLORS;
    if (!used.includes(color)) return color;
  }
  return (used[0] + 1) % N_COLORS;
}

/**
 * Replace missing colours (-1) so that neighbours differ; `before` and `after` are the colours around.
 * @param {number[]} colors
 * @param {number} before
 * @param {number} after
 */
export function fillColors(colors, before, after) {
  let previous = before;
  return colors.map((color, k) => {
    const next = k + 1 < colors.length ? colors[k + 1] : after;
    return (previous = color === -1 ? colorBetween(previous, next) : color);
  });
}

/**
 * Keep the colours before and after an edit; new items get -1.
 * @template T
 * @param {T[]} old
 * @param {number[]} oldColors
 * @param {T[]} now
 * @param {(one: T, other: T) => boolean} isSame
 */
export function keepColors(old, oldColors, now, isSame) {
  const [nHead, nTail] = countCommonEnds(old, now, isSame);
  return now.map((_, k) => {
    if (k < nHead) return oldColors[k];
    return k >= now.length - nTail ? oldColors[old.length - now.length + k] : -1;
  });
}
