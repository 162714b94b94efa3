// Editor notes: what is wrong, what can be brought back, and what one should know about the text.

import { note } from "../shared/notes.js";
import { count, counted } from "../shared/numbers.js";
import { byteLabel } from "../shared/shown_text.js";
import { validUntil } from "../shared/utf8.js";

/** So many bytes of no character are named. */
const NAMED_BYTES = 6;

/** @typedef {import("./editor_actions.js").Totals} Totals */

export class EditorNotes {
  /** @param {HTMLElement} root @param {() => HTMLElement | null} makeUndo */
  constructor(root, makeUndo) {
    this.root = root;
    this.makeUndo = makeUndo;
    this.error = "";
    /** What holds of an example, or of ids. */
    this.about = "";
    /** @type {string[]} */
    this.warnings = [];
    this.special = "";
  }

  /** @param {Partial<{error: string, about: string, warnings: string[], special: string}>} changes */
  show(changes) {
    Object.assign(this, changes);
    this.draw();
  }

  draw() {
    /** @type {HTMLElement[]} */
    const notes = this.error ? [note(this.error, "error")] : [], undo = this.makeUndo();
    if (undo) notes.push(undo);
    for (const sentence of [this.about, this.special, ...this.warnings]) if (sentence) notes.push(note(sentence));
    this.root.replaceChildren(...notes);
  }
}

/** Why bytes show "�": those that are no whole character. @param {Uint8Array} bytes */
export function brokenNote(bytes) {
  const broken = [];
  for (let end = validUntil(bytes, 0); end < bytes.length; end = validUntil(bytes, end + 1)) broken.push(byteLabel(bytes[end]));
  if (!broken.length) return "";
  const named = broken.slice(0, NAMED_BYTES).join(" ") + (broken.length > NAMED_BYTES ? " …" : "");
  const [are, them] = broken.length === 1 ? ["is", "it"] : ["are", "them"];
  return (
    `${counted(broken.length, "byte")} (${named}) ${are} no whole character, so the text has “�” for ${them}. ` +
    "A token may hold only some bytes of a character; the rest must stand in the ids beside it."
  );
}

/** What to know of special tokens that a text spells. @param {string[]} spelled @param {Totals} totals */
export function specialNote(spelled, { n_tokens_plain = 0, n_tokens_special = 0 }) {
  if (!spelled.length) return "";
  return (
    `This text contains ${spelled.map((name) => `“${name}”`).join(", ")}: ${counted(n_tokens_plain, "token")} as plain text, ` +
    `${count(n_tokens_special)} with special tokens. Text from strangers must stay plain, or they can end your document or forge a message.`
  );
}
