// Tokens as coloured segments, as every page shows them, and their colours: neighbours differ, and a token that stays keeps
// its own. The styles are in token_strip.css.

import { countCommonEnds, element } from "./element.js";
import { shownText } from "./wording.js";

/**
 * How a segment looks: a colour from 0 to 4, how many tokens it has, whether white space is marked, and what else it
 * is ("special", "new", …). `label` is written instead of its text.
 * @typedef {{color: number, nTokens: number, marks: boolean, kinds?: string[], label?: string}} Look
 */

/**
 * The element of a segment, with a line drawn below each of its tokens where they are several.
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
 * What the marks mean that there are.
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
    const item = element("span", "told");
    item.append(element("span", look, "text"), ` ${meaning}`);
    return item;
  });
}

/** Text that no token stands for. @param {string} text @param {boolean} marks whether white space is marked */
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
  return classes.join(" ");
}

/**
 * Tokens side by side. A space that is shown as a mark breaks no line by itself, so that lines break before it.
 * Where others stand between marked ones, a line would break before marks alone: `starts` says before what else.
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

/** The elements that are lit: of one thing that is pointed at, at a time. */
export class Light {
  /** @param {string} [className] */
  constructor(className = "lit") {
    this.className = className;
    /** @type {Element[]} */
    this.elements = [];
  }

  /** Light these and no others. @param {Element[]} elements */
  show(elements) {
    for (const each of this.elements) each.classList.remove(this.className);
    for (const each of elements) each.classList.add(this.className);
    this.elements = elements;
  }
}

export const N_COLORS = 4;

/** A colour that differs from both neighbours; -1 is none. @param {number} previous @param {number} [after] */
export function colorBetween(previous, after = -1) {
  const color = (previous + 1) % N_COLORS;
  return color === after ? (color + 1) % N_COLORS : color;
}

/** The colour of an id wherever it stands. @param {number} id */
export const colorOfId = (id) => (Math.imul(id, 2654435761) >>> 8) % N_COLORS;

/** The next colour that none of these has; with more of them than colours the next one. @param {number[]} used */
export function firstFree(used) {
  for (let step = 1; step <= N_COLORS; step++) {
    const color = (used[0] + step) % N_COLORS;
    if (!used.includes(color)) return color;
  }
  return (used[0] + 1) % N_COLORS;
}

/**
 * Fill in colours that are still open (-1) so that neighbours differ; `before` and `after` are those around.
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
 * The colours of what stands at both ends of an edit; the middle is open (-1).
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
