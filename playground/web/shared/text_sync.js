// Text sync: one request in flight, each the difference from the text the server last acknowledged.

import { postForTokens } from "./wire.js";

/** Finds the smallest edit from one text to another: [start, nDeleted, inserted], never inside a surrogate pair. */
function findEdit(before, after) {
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

/** The longest n ≤ limit for which all of [0, n) is the same; whole strings are compared, not characters. */
function commonLength(limit, isSame) {
  let known = 0;
  for (let step = 4096; step >= 1; step = step >> 2) {
    while (known + step <= limit && isSame(known, known + step)) known += step;
  }
  return known;
}

export const isHighSurrogate = (unit) => unit >= 0xd800 && unit < 0xdc00;
export const isLowSurrogate = (unit) => unit >= 0xdc00 && unit < 0xe000;

/**
 * A textarea turns every line end into LF; this keeps the text as it came.
 * `text` is the true one; `adopt(view)` carries an edit of the textarea's value over to it.
 */
export class SourceText {
  constructor(text) {
    this.set(text);
  }

  set(text) {
    this.text = text;
    this.view = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  adopt(view) {
    if (view === this.view) return;
    if (!this.text.includes("\r")) {
      this.text = this.view = view;
      return;
    }
    const [start, nDeleted, inserted] = findEdit(this.view, view);
    const from = this.toText(start), to = this.toText(start + nDeleted);
    const lineEnd = /(^|[^\r])\n|\r(?!\n)/.test(this.text) ? "\n" : "\r\n"; // all CRLF stays all CRLF
    this.text = this.text.slice(0, from) + inserted.replaceAll("\n", lineEnd) + this.text.slice(to);
    this.view = view;
  }

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

/**
 * Keeps the server's document in step with a text.
 * `onTokens(answer, text)` runs after every acknowledged edit, `onError(error)` when the server refuses one.
 */
export class TextSync {
  constructor({ getUrl, onTokens, onError }) {
    Object.assign(this, { getUrl, onTokens, onError });
    this.acknowledged = "";
    this.version = 0;
    this.wanted = "";
    this.refused = null;
    this.running = null;
  }

  /** What the server is known to hold, after `open`. */
  reset(text, version) {
    this.acknowledged = text;
    this.version = version;
    this.refused = null;
  }

  /** Ask for these tokens; the newest text wins. */
  push(text) {
    this.wanted = text;
    this.running ??= this.run().finally(() => (this.running = null));
    return this.running;
  }

  /** Resolves when the server holds what was typed. */
  async settled() {
    while (this.running) await this.running;
  }

  async run() {
    while (this.wanted !== this.acknowledged && this.wanted !== this.refused) {
      const text = this.wanted;
      const [start, nDeleted, inserted] = findEdit(this.acknowledged, text);
      try {
        const answer = await postForTokens(this.getUrl(), "edit", { version: this.version, start, n_deleted: nDeleted, inserted });
        this.reset(text, answer.version);
        this.onTokens(answer, text);
      } catch (error) {
        this.refused = text;
        if (!error.status && !(error instanceof TypeError)) console.error(error);
        await this.onError(error);
      }
    }
  }
}
