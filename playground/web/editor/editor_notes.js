// Editor notes: what is wrong, what can be brought back, and what one should know about the text.

import { button } from "../shared/element.js";
import { note } from "../shared/notes.js";
import { count, counted } from "../shared/numbers.js";
import { byteLabel } from "../shared/shown_text.js";
import { validUntil } from "../shared/utf8.js";

/** So many bytes of no character are named. */
const NAMED_BYTES = 6;
/** So many of another tokenizer's special tokens are named. */
const NAMED_SPECIAL = 3;

/** @typedef {import("./editor_actions.js").Totals} Totals */

export class EditorNotes {
  /** @param {HTMLElement} root @param {() => HTMLElement | null} makeUndo @param {() => void} onChat what opens the text as a chat */
  constructor(root, makeUndo, onChat) {
    this.root = root;
    this.makeUndo = makeUndo;
    this.onChat = onChat;
    this.error = "";
    /** What holds of an example, or of ids. */
    this.about = "";
    /** @type {string[]} */
    this.warnings = [];
    this.special = "";
    /** Whether the text is what Chat reads. */
    this.isChat = false;
    // Notes that are higher than their room are scrolled by keys, too.
    new ResizeObserver(() => {
      if (root.scrollHeight > root.clientHeight) root.tabIndex = 0;
      else root.removeAttribute("tabindex");
    }).observe(root);
  }

  /** @param {Partial<{error: string, about: string, warnings: string[], special: string, isChat: boolean}>} changes */
  show(changes) {
    Object.assign(this, changes);
    this.draw();
  }

  draw() {
    /** @type {HTMLElement[]} */
    const notes = this.error ? [note(this.error, "error")] : [], undo = this.makeUndo();
    if (undo) notes.push(undo);
    if (this.isChat) {
      const made = note("These are an API’s messages. Chat counts them as they are sent.");
      made.append(button("Open as a chat", "Read these messages in Chat; the text stays here", this.onChat));
      notes.push(made);
    }
    for (const sentence of [this.about, this.special, ...this.warnings]) if (sentence) notes.push(note(sentence));
    this.root.replaceChildren(...notes);
  }
}

/** Whether a text is JSON with an API's messages: a list of them, or a request with "messages". @param {string} text */
export function isApiChat(text) {
  if (!/^\s*[[{]/.test(text) || !/"role"\s*:/.test(text)) return false;
  try {
    const read = JSON.parse(text), messages = Array.isArray(read) ? read : read.messages;
    return Array.isArray(messages) && messages.length > 0 && messages.every((message) => typeof message?.role === "string");
  } catch {
    return false;
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

/** What to know of special tokens that a text spells, and of what reads like one and is none here. @param {string[]} spelled @param {string[]} elsewhere @param {Totals} totals */
export function specialNote(spelled, elsewhere, { tokenizer, n_tokens_plain = 0, n_tokens_special = 0 }) {
  const sentences = [];
  if (spelled.length) {
    sentences.push(
      `This text contains ${spelled.map(quoted).join(", ")}: ${counted(n_tokens_plain, "token")} as plain text, ` +
      `${count(n_tokens_special)} with special tokens. Text from strangers must stay plain, or they can end your document or forge a message.`,
    );
  }
  if (elsewhere.length) {
    const named = elsewhere.slice(0, NAMED_SPECIAL).map(quoted);
    if (elsewhere.length > NAMED_SPECIAL) named.push("others");
    const [are, them] = named.length === 1 ? ["is no special token", "it"] : ["are no special tokens", "them"];
    sentences.push(`${listed(named)} ${are} of ${tokenizer}: add ${them} under Own special tokens.`);
  }
  return sentences.join(" ");
}

const quoted = (/** @type {string} */ name) => `“${name}”`;

/** All of them, the last after "and". @param {string[]} names */
const listed = (names) => [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
