// Text history: the edits of a text, to be taken back and made again.
//
// A browser's own history does not know what a page writes, nor carriage returns; Chromium's mixes texts of several lines.

/**
 * @typedef {{start: number, deleted: string, inserted: string}} TextEdit
 * @typedef {TextEdit & {isTyped: boolean, time: number}} PastEdit when it was made, or last gone on with, in milliseconds
 */

/** Who types on after so many milliseconds begins another edit. */
const PAUSE_MS = 1_000;
/** So many UTF-16 units of edits are kept, the newest. */
const MAX_KEPT = 8_000_000;

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
