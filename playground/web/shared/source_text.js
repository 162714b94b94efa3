// Source text: a text exactly as it came beside what a textarea makes of it, and the edit from one to another.

import { isHighSurrogate, isLowSurrogate } from "./utf8.js";

/**
 * The smallest edit from one text to another, never inside a surrogate pair.
 * @param {string} before
 * @param {string} after
 * @returns {[start: number, nDeleted: number, inserted: string]}
 */
export function findEdit(before, after) {
  const limit = Math.min(before.length, after.length);
  let start = commonLength(limit, (from, to) => before.slice(from, to) === after.slice(from, to));
  if (start > 0 && isHighSurrogate(before.charCodeAt(start - 1))) start -= 1;
  const nBefore = before.length, nAfter = after.length;
  let tail = commonLength(
    limit - start,
    (from, to) => before.slice(nBefore - to, nBefore - from) === after.slice(nAfter - to, nAfter - from),
  );
  if (tail > 0 && isLowSurrogate(before.charCodeAt(nBefore - tail))) tail -= 1;
  return [start, nBefore - start - tail, after.slice(start, nAfter - tail)];
}

/**
 * The longest n up to `limit` for which all of [0, n) is the same; whole strings are compared, not characters.
 * @param {number} limit
 * @param {(from: number, to: number) => boolean} isSame
 */
function commonLength(limit, isSame) {
  let known = 0;
  for (let step = 4096; step >= 1; step = step >> 2) {
    while (known + step <= limit && isSame(known, known + step)) known += step;
  }
  return known;
}

/** @type {WeakMap<HTMLTextAreaElement, SourceText>} */
const sources = new WeakMap();

/**
 * The source text of a textarea, the same for as long as it stands: Streamlit takes a component back and mounts it anew on
 * what stands there. @param {HTMLTextAreaElement} area
 */
export function sourceOf(area) {
  const source = sources.get(area) ?? new SourceText("");
  sources.set(area, source);
  return source;
}

/**
 * A textarea turns every line end into LF; this keeps the text as it came.
 * `text` is the true one, `view` what the textarea holds; `adopt(view)` carries an edit of the view over to it.
 */
export class SourceText {
  /** @param {string} text */
  constructor(text) {
    this.text = this.view = "";
    this.set(text);
  }

  /** @param {string} text */
  set(text) {
    this.text = text;
    this.view = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  /** @param {string} view */
  adopt(view) {
    if (view === this.view) return;
    if (!this.text.includes("\r")) {
      this.text = this.view = view;
      return;
    }
    const [start, nDeleted, inserted] = findEdit(this.view, view);
    const from = this.toText(start), to = this.toText(start + nDeleted);
    const lineEnd = /(^|[^\r])\n|\r(?!\n)/.test(this.text) ? "\n" : "\r\n"; // all CRLF stays all CRLF
    const head = this.text.slice(0, from), tail = inserted.replaceAll("\n", lineEnd) + this.text.slice(to);
    // Two line ends that come to stand together would be one: the first becomes a line feed.
    this.text = (head.endsWith("\r") && tail.startsWith("\n") ? `${head.slice(0, -1)}\n` : head) + tail;
    this.view = view;
  }

  /** Where a position of the text lies in the view. @param {number} position */
  toView(position) {
    let n = 0;
    for (let at = this.text.indexOf("\r\n"); at !== -1 && at < position; at = this.text.indexOf("\r\n", at + 2)) n += 1;
    return position - n;
  }

  /** Where a position of the view lies in the text. @param {number} position */
  toText(position) {
    let seen = 0, extra = 0;
    for (;;) {
      const at = this.text.indexOf("\r\n", seen);
      if (at === -1 || at - extra >= position) return position + extra;
      extra += 1;
      seen = at + 2;
    }
  }
}
