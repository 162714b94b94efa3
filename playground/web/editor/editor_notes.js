// Editor notes: what is wrong, what can be brought back, and what one should know about the text.

import { note } from "../shared/notes.js";
import { count, counted } from "../shared/numbers.js";

/** @typedef {import("./editor_actions.js").Totals} Totals */

export class EditorNotes {
  /** @param {HTMLElement} root @param {() => HTMLElement | null} makeUndo */
  constructor(root, makeUndo) {
    this.root = root;
    this.makeUndo = makeUndo;
    this.error = "";
    /** @type {string[]} */
    this.warnings = [];
    this.special = "";
  }

  /** @param {Partial<{error: string, warnings: string[], special: string}>} changes */
  show(changes) {
    Object.assign(this, changes);
    this.draw();
  }

  draw() {
    /** @type {HTMLElement[]} */
    const notes = this.error ? [note(this.error, "error")] : [], undo = this.makeUndo();
    if (undo) notes.push(undo);
    for (const sentence of [this.special, ...this.warnings]) if (sentence) notes.push(note(sentence));
    this.root.replaceChildren(...notes);
  }
}

/** What to know of special tokens that a text spells. @param {string[]} spelled @param {Totals} totals */
export function specialNote(spelled, { n_tokens_plain = 0, n_tokens_special = 0 }) {
  if (!spelled.length) return "";
  return (
    `This text contains ${spelled.map((name) => `“${name}”`).join(", ")}: ${counted(n_tokens_plain, "token")} as plain text, ` +
    `${count(n_tokens_special)} with special tokens. Text from strangers must stay plain, or they can end your document or forge a message.`
  );
}
