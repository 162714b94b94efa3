// A text exactly as it was given, beside the textarea's version of it; the edit between two texts; undo and redo.

import { hasRightToLeft, isHighSurrogate, isLowSurrogate } from "./unicode.js";

/**
 * Return the smallest edit from one text to another; it never splits a surrogate pair.
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
 * The longest n up to `limit` for which `isSame(0, n)`; compares whole strings, which is faster than characters.
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
 * The source text of a textarea. It belongs to the element, because Streamlit may mount a component twice on one
 * element.
 * @param {HTMLTextAreaElement} area
 */
export function sourceOf(area) {
  const source = sources.get(area) ?? new SourceText("");
  sources.set(area, source);
  return source;
}

/**
 * A textarea turns every line end into LF; this class keeps the original. `text` is the original, `view` the
 * textarea's text; `adopt(view)` applies an edit of the view to the original, and `step` undoes or repeats an edit.
 */
export class SourceText {
  /** @param {string} text */
  constructor(text) {
    this.history = new TextHistory();
    this.text = text;
    this.view = viewOf(text);
  }

  /** Start with a text; there is nothing to undo. @param {string} text */
  open(text) {
    this.history = new TextHistory();
    this.text = text;
    this.view = viewOf(text);
  }

  /** @param {string} text */
  set(text) {
    if (!this.text && !this.history.made.length) this.open(text);
    else this.change(text, viewOf(text), false);
  }

  /** @param {string} view @param {boolean} [isTyped] letter by letter */
  adopt(view, isTyped = false) {
    if (view !== this.view) this.change(this.textOf(view), view, isTyped);
  }

  /** Undo the last edit, or repeat an undone one. @param {"back" | "again"} way @returns {number | null} the end of the change in the view; null if there is no edit */
  step(way) {
    const edit = this.history[way]();
    if (!edit) return null;
    const { start, deleted, inserted } = edit, text = this.text.slice(0, start) + inserted + this.text.slice(start + deleted.length);
    this.text = text;
    this.view = viewOf(text);
    return this.toView(start + inserted.length);
  }

  /** @param {string} text @param {string} view @param {boolean} isTyped */
  change(text, view, isTyped) {
    const before = this.text;
    this.text = text;
    this.view = view;
    if (text === before) return;
    const [start, nDeleted, inserted] = findEdit(before, text), deleted = before.slice(start, start + nDeleted);
    this.history.add({ start, deleted, inserted, isTyped, time: performance.now() });
  }

  /** The original text after an edit that led to this view. @param {string} view */
  textOf(view) {
    if (!this.text.includes("\r")) return view;
    const [start, nDeleted, inserted] = findEdit(this.view, view);
    const from = this.toText(start), to = this.toText(start + nDeleted);
    const lineEnd = /(^|[^\r])\n|\r(?!\n)/.test(this.text) ? "\n" : "\r\n"; // a text whose lines all end in CRLF keeps that
    const head = this.text.slice(0, from), tail = inserted.replaceAll("\n", lineEnd) + this.text.slice(to);
    // If an edit would join CR and LF into one line end, the CR becomes LF.
    return (head.endsWith("\r") && tail.startsWith("\n") ? `${head.slice(0, -1)}\n` : head) + tail;
  }

  /** Convert a position in the text to the view. @param {number} position */
  toView(position) {
    let n = 0;
    for (let at = this.text.indexOf("\r\n"); at !== -1 && at < position; at = this.text.indexOf("\r\n", at + 2)) n += 1;
    return position - n;
  }

  /** Convert a position in the view to the text. @param {number} position */
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

/** A text as a textarea stores it. @param {string} text */
const viewOf = (text) => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);

/**
 * Give lines directions of their own only if a text has right-to-left letters: Chromium takes 5 s instead of 0.3 s to
 * lay out a line of 800 KB with a direction of its own.
 * @param {HTMLTextAreaElement} area
 */
function fitDirection(area) {
  const { view } = sourceOf(area), dir = hasRightToLeft(view) || view.includes("\u200f") ? "auto" : "ltr";
  if (area.dir !== dir) area.dir = dir;
}

/** Show a textarea's source. @param {HTMLTextAreaElement} area */
export function showSource(area) {
  fitDirection(area);
  area.value = sourceOf(area).view;
}

/** Set a textarea's first text; there is nothing to undo. @param {HTMLTextAreaElement} area @param {string} text */
export function openText(area, text) {
  sourceOf(area).open(text);
  showSource(area);
}

/** Input types of text typed letter by letter. */
const TYPED = new Set(["insertText", "insertCompositionText", "deleteContentBackward", "deleteContentForward"]);

/** Whether a key press means undo or redo. @param {KeyboardEvent} event @returns {"back" | "again" | null} */
function wayOf({ key, ctrlKey, metaKey, shiftKey, altKey, isComposing }) {
  if (!(ctrlKey || metaKey) || altKey || isComposing) return null;
  const letter = key.toLowerCase();
  if (letter === "z") return shiftKey ? "again" : "back";
  return letter === "y" && ctrlKey ? "again" : null;
}

/**
 * Call `onText` after each edit of a textarea, including undo and redo.
 * @param {HTMLTextAreaElement} area
 * @param {() => void} onText called when the source text has changed
 * @param {{signal?: AbortSignal, isMain?: boolean}} options `isMain`: undo keys work outside of fields, too
 */
export function listenForEdits(area, onText, { signal, isMain = false } = {}) {
  const source = sourceOf(area);
  const step = (/** @type {"back" | "again"} */ way) => {
    const caret = source.step(way), root = /** @type {Document | ShadowRoot} */ (area.getRootNode());
    if (area.value !== source.view) showSource(area);
    if (caret === null) return;
    area.setSelectionRange(caret, caret);
    if (root.activeElement === area) {
      area.blur();
      area.focus(); // scrolls to the caret
    }
    onText();
  };
  const onInput = (/** @type {Event & {inputType?: string}} */ { inputType = "" }) => {
    if (inputType.startsWith("history")) { // undo from a menu or from another field
      showSource(area);
      if (area.checkVisibility()) step(inputType === "historyUndo" ? "back" : "again");
      return;
    }
    source.adopt(area.value, TYPED.has(inputType));
    fitDirection(area);
    onText();
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const way = wayOf(event);
    if (!way) return;
    event.preventDefault();
    source.adopt(area.value); // set by a script
    step(way);
  };
  const onKeyElsewhere = (/** @type {KeyboardEvent} */ event) => {
    const [target] = event.composedPath();
    if (target instanceof Element && !target.matches("input, textarea, [contenteditable]") && area.checkVisibility()) onKey(event);
  };
  area.addEventListener("input", onInput, { signal });
  area.addEventListener("keydown", onKey, { signal });
  if (isMain) document.addEventListener("keydown", onKeyElsewhere, { signal });
}

/**
 * @typedef {{start: number, deleted: string, inserted: string}} TextEdit
 * @typedef {TextEdit & {isTyped: boolean, time: number}} PastEdit when it was made, or last gone on with, in milliseconds
 */

/** A pause of this length in typing begins a new undo step. */
const PAUSE_MS = 1_000;
/** The UTF-16 units of edits that are stored; the oldest are dropped. */
const MAX_KEPT = 8_000_000;

/** The edits of a text, for undo and redo. The browser's own history doesn't contain texts that a page sets. */
export class TextHistory {
  constructor() {
    /** @type {PastEdit[]} */
    this.made = [];
    /** @type {PastEdit[]} the next to be made again is the last */
    this.takenBack = [];
    this.size = 0; // of the stored edits
  }

  /** Store an edit; typing without a pause extends the previous one. @param {PastEdit} edit */
  add(edit) {
    const joined = this.takenBack.length ? null : goneOn(this.made.at(-1), edit);
    this.takenBack = [];
    if (joined) this.take();
    this.put(joined ?? edit);
    while (this.size > MAX_KEPT && this.made.length > 1) this.size -= sizeOf(/** @type {PastEdit} */ (this.made.shift()));
  }

  /** Return the edit that undoes the last one, or null. @returns {TextEdit | null} */
  back() {
    const edit = this.take();
    if (!edit) return null;
    this.takenBack.push({ ...edit, isTyped: false });
    return { start: edit.start, deleted: edit.inserted, inserted: edit.deleted };
  }

  /** Return the edit that was undone last, or null. @returns {TextEdit | null} */
  again() {
    const edit = this.takenBack.pop();
    if (edit) this.put(edit);
    return edit ?? null;
  }

  /** @param {PastEdit} edit */
  put(edit) {
    this.made.push(edit);
    this.size += sizeOf(edit);
  }

  take() {
    const edit = this.made.pop();
    if (edit) this.size -= sizeOf(edit);
    return edit;
  }
}

/** @param {TextEdit} edit */
const sizeOf = ({ deleted, inserted }) => deleted.length + inserted.length + 1;

/**
 * Combine two edits, if the second continues to type or delete where the first ended; else null.
 * @param {PastEdit | undefined} first @param {PastEdit} second @returns {PastEdit | null}
 */
function goneOn(first, second) {
  if (!first?.isTyped || !second.isTyped || second.time - first.time > PAUSE_MS || second.inserted.includes("\n")) return null;
  const from = second.start - first.start, to = from + second.deleted.length;
  if (from >= 0 && to <= first.inserted.length) {
    const inserted = first.inserted.slice(0, from) + second.inserted + first.inserted.slice(to);
    return { ...second, start: first.start, deleted: first.deleted, inserted };
  }
  if (first.inserted || second.inserted) return null;
  if (to === 0) return { ...second, deleted: second.deleted + first.deleted }; // Backspace
  return from === 0 ? { ...second, deleted: first.deleted + second.deleted } : null;
}
