// A text exactly as it was given, beside what a textarea makes of it; the edits that lead from one text to another; undo and redo.

import { hasRightToLeft, isHighSurrogate, isLowSurrogate } from "./unicode.js";

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
 * `text` is the true one, `view` what the textarea holds; `adopt(view)` carries an edit of the view over to it, `step` takes
 * the last one back.
 */
export class SourceText {
  /** @param {string} text */
  constructor(text) {
    this.history = new TextHistory();
    this.text = text;
    this.view = viewOf(text);
  }

  /** Begin with a text, which no edit made: there is nothing to take back. @param {string} text */
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

  /** Take the last edit back, or make it again. @param {"back" | "again"} way @returns {number | null} where the view ends that has changed; null: there is none */
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

  /** The text of which an edit made this view. @param {string} view */
  textOf(view) {
    if (!this.text.includes("\r")) return view;
    const [start, nDeleted, inserted] = findEdit(this.view, view);
    const from = this.toText(start), to = this.toText(start + nDeleted);
    const lineEnd = /(^|[^\r])\n|\r(?!\n)/.test(this.text) ? "\n" : "\r\n"; // all CRLF stays all CRLF
    const head = this.text.slice(0, from), tail = inserted.replaceAll("\n", lineEnd) + this.text.slice(to);
    // Two line ends that come to stand together would be one: the first becomes a line feed.
    return (head.endsWith("\r") && tail.startsWith("\n") ? `${head.slice(0, -1)}\n` : head) + tail;
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

/** What a textarea makes of a text. @param {string} text */
const viewOf = (text) => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);

/**
 * Lines have directions of their own only where something is read from right to left: Chromium takes 5 s for a line of
 * 800 KB that may have its own, and 0.3 s for others. @param {HTMLTextAreaElement} area
 */
function fitDirection(area) {
  const { view } = sourceOf(area), dir = hasRightToLeft(view) || view.includes("\u200f") ? "auto" : "ltr";
  if (area.dir !== dir) area.dir = dir;
}

/** Show in a textarea what its source has. @param {HTMLTextAreaElement} area */
export function showSource(area) {
  fitDirection(area);
  area.value = sourceOf(area).view;
}

/** Put a text into a textarea that nobody has written there: there is nothing to take back. @param {HTMLTextAreaElement} area @param {string} text */
export function openText(area, text) {
  sourceOf(area).open(text);
  showSource(area);
}

/** What a person types letter by letter comes as these. */
const TYPED = new Set(["insertText", "insertCompositionText", "deleteContentBackward", "deleteContentForward"]);

/** What keys ask for. @param {KeyboardEvent} event @returns {"back" | "again" | null} */
function wayOf({ key, ctrlKey, metaKey, shiftKey, altKey, isComposing }) {
  if (!(ctrlKey || metaKey) || altKey || isComposing) return null;
  const letter = key.toLowerCase();
  if (letter === "z") return shiftKey ? "again" : "back";
  return letter === "y" && ctrlKey ? "again" : null;
}

/**
 * Hear of each edit of a textarea, undo and redo among them. @param {HTMLTextAreaElement} area
 * @param {() => void} onText its source has another text
 * @param {{signal?: AbortSignal, isMain?: boolean}} options main: the keys are for it wherever one stands, but in another field
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
    if (inputType.startsWith("history")) { // from a menu, or of another field
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

/** Who types on after so many milliseconds begins another edit. */
const PAUSE_MS = 1_000;
/** So many UTF-16 units of edits are kept, the newest. */
const MAX_KEPT = 8_000_000;

/** The edits of a text, for undo and redo; the browser's own history doesn't contain what a page writes into the field. */
export class TextHistory {
  constructor() {
    /** @type {PastEdit[]} */
    this.made = [];
    /** @type {PastEdit[]} the next to be made again is the last */
    this.takenBack = [];
    this.size = 0; // of what was made
  }

  /** Keep an edit; what is typed without a pause is one. @param {PastEdit} edit */
  add(edit) {
    const joined = this.takenBack.length ? null : goneOn(this.made.at(-1), edit);
    this.takenBack = [];
    if (joined) this.take();
    this.put(joined ?? edit);
    while (this.size > MAX_KEPT && this.made.length > 1) this.size -= sizeOf(/** @type {PastEdit} */ (this.made.shift()));
  }

  /** The edit that takes the last one back, or null. @returns {TextEdit | null} */
  back() {
    const edit = this.take();
    if (!edit) return null;
    this.takenBack.push({ ...edit, isTyped: false });
    return { start: edit.start, deleted: edit.inserted, inserted: edit.deleted };
  }

  /** The edit that was taken back last, or null. @returns {TextEdit | null} */
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
 * Two edits as one, where the second goes on typing or deleting at the place of the first; else null.
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
  if (to === 0) return { ...second, deleted: second.deleted + first.deleted }; // backwards
  return from === 0 ? { ...second, deleted: first.deleted + second.deleted } : null;
}
