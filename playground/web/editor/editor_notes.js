// Notes below the text (errors and warnings), and the words that need the most tokens.

import { button, element, find, note, Notes } from "../shared/element.js";
import { validUntil } from "../shared/unicode.js";
import { byteLabel, count, counted, times } from "../shared/wording.js";

/** The most invalid bytes that are listed. */
const NAMED_BYTES = 6;
/** The most special tokens of other tokenizers that are listed. */
const NAMED_SPECIAL = 3;

/** @typedef {import("./editor_actions.js").Totals} Totals */

export class EditorNotes extends Notes {
  /** @param {HTMLElement} root @param {() => (HTMLElement | null)[]} makeLast @param {HTMLElement} page @param {() => void} onChat what opens the text as a chat */
  constructor(root, makeLast, page, onChat) {
    super(root, makeLast, page);
    this.onChat = onChat;
    /** The note of an example, or of ids. */
    this.about = "";
    /** @type {string[]} */
    this.warnings = [];
    this.special = "";
    /** Whether the text can be opened in Chat. */
    this.isChat = false;
  }

  /** @param {Partial<{about: string, warnings: string[], special: string, isChat: boolean}>} changes */
  show(changes) {
    Object.assign(this, changes);
    this.draw();
  }

  /** Draw errors in full, and the rest as one line that opens, so that nothing moves while one types. @override */
  draw() {
    const wasOpen = this.root.querySelector("details")?.open ?? false;
    super.draw();
    if (this.isChat) {
      const made = note("This looks like an API request.");
      made.append(button("Open as a chat", "Read these messages in Chat; the text stays here", this.onChat));
      this.root.append(made);
    }
    const sentences = [this.about, this.special, ...this.warnings].filter(Boolean);
    if (sentences.length) this.root.append(folded(sentences, wasOpen));
  }
}

/** One line with the first sentence and the number of others; opened, it shows all of them over the text. @param {string[]} sentences @param {boolean} isOpen */
function folded(sentences, isOpen) {
  const details = element("details", "folded-notes"), summary = element("summary", "note");
  details.open = isOpen;
  summary.append(element("span", "first", sentences[0]));
  if (sentences.length > 1) summary.append(element("span", "more", counted(sentences.length, "note")));
  const all = element("div", "all");
  all.append(...sentences.map((sentence) => note(sentence)));
  details.append(summary, all);
  return details;
}

/** Whether a text looks like a chat that Chat can read: a request in JSON, Python or a curl command. @param {string} text */
export function isApiChat(text) {
  const begins = /^\s*(?:[[{]|```|[$%>]?\s*curl\s)|\b(?:messages|contents|input)["']?\s*[:=]\s*\[/.test(text);
  const has = (/** @type {string} */ name) => new RegExp(`\\b${name}["']?\\s*[:=]`).test(text);
  const isGemini = has("contents") && has("parts"), isOfResponses = has("model") && has("input");
  return begins && (isGemini || isOfResponses || (ROLE.test(text) && (has("content") || has("parts"))));
}

const ROLE = /\brole["']?\s*[:=]\s*["'](?:system|developer|user|assistant|model|tool)["']/;

/** Explain "�": list the bytes that are not a whole character. @param {Uint8Array} bytes */
export function brokenNote(bytes) {
  const broken = [];
  for (let end = validUntil(bytes, 0); end < bytes.length; end = validUntil(bytes, end + 1)) broken.push(byteLabel(bytes[end]));
  if (!broken.length) return "";
  const named = broken.slice(0, NAMED_BYTES).join(" ") + (broken.length > NAMED_BYTES ? " …" : "");
  const [are, them] = broken.length === 1 ? ["is", "it"] : ["are", "them"];
  return (
    `${counted(broken.length, "byte")} (${named}) ${are} not a complete character, so the text shows “�” for ${them}. ` +
    "A token can contain only part of a character; its neighbours must supply the rest."
  );
}

/** Explain special tokens that a text spells, and names that look like special tokens but are not. @param {string[]} spelled @param {string[]} elsewhere @param {Totals} totals */
export function specialNote(spelled, elsewhere, { tokenizer, n_tokens_plain = 0, n_tokens_special = 0 }) {
  const sentences = [];
  if (spelled.length) {
    sentences.push(
      `This text contains ${spelled.map(quoted).join(", ")}: ${counted(n_tokens_plain, "token")} as plain text, ` +
      `${count(n_tokens_special)} as special tokens. Keep untrusted text plain: special tokens in it could end the document or forge a message.`,
    );
  }
  if (elsewhere.length) {
    const named = elsewhere.slice(0, NAMED_SPECIAL).map(quoted);
    if (elsewhere.length > NAMED_SPECIAL) named.push("others");
    const [are, them] = named.length === 1 ? ["is not a special token", "it"] : ["are not special tokens", "them"];
    sentences.push(`${listed(named)} ${are} of ${tokenizer}: add ${them} in the menu More, under Special tokens.`);
  }
  return sentences.join(" ");
}

const quoted = (/** @type {string} */ name) => `“${name}”`;

/** Names joined with commas and "and". @param {string[]} names */
const listed = (names) => [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");

/** @typedef {import("../shared/wire_types.d.ts").ExpensiveWord} ExpensiveWord */

/** Longer words are shortened in the list. */
const SHOWN_CHARACTERS = 40;

/**
 * `fetch` gets the words of the current text; `onFind` shows the next occurrence of a word, or gets null if there is
 * none any more.
 * @typedef {{fetch: () => Promise<{words: ExpensiveWord[]}>, onFind: ((word: string) => void)}} ExpensiveUse
 */

/** A list that is requested while it is open, when typing has stopped. */
export class ExpensiveWords {
  /** @param {HTMLElement} root @param {AbortSignal} signal @param {ExpensiveUse} use */
  constructor(root, signal, use) {
    this.use = use;
    this.details = find(root, ".expensive", HTMLDetailsElement);
    this.list = find(root, ".expensive-list");
    /** The version of the text that the list belongs to. @type {string | null} */
    this.shown = null;
    /** @type {string} */
    this.version = "";
    this.details.addEventListener("toggle", () => this.show(), { signal });
  }

  get isOpen() {
    return this.details.open;
  }

  set isOpen(isOpen) {
    this.details.open = isOpen;
  }

  /** Typing has stopped. @param {string} version identifies the text */
  settle(version) {
    this.version = version;
    return this.show();
  }

  async show() {
    const { version } = this;
    if (!this.details.open || this.shown === version) return;
    const { words } = await this.use.fetch();
    this.shown = version;
    this.list.replaceChildren(...(words.length ? [this.table(words)] : [element("p", "", "Every word is a single token.")]));
  }

  /** @param {ExpensiveWord[]} words */
  table(words) {
    const table = element("table"), head = table.createTHead().insertRow(), body = table.createTBody();
    for (const name of ["word", "occurrences", "tokens each", "tokens in total", "why it is costly"]) {
      const cell = element("th", "", name);
      cell.scope = "col";
      head.append(cell);
    }
    for (const { word, n_times, n_tokens_each, n_tokens, why } of words) {
      const shown = word.length > SHOWN_CHARACTERS ? `${word.slice(0, SHOWN_CHARACTERS)}…` : word;
      const go = button(shown, `Find “${shown}” in the text`, () => this.use.onFind(word)), row = body.insertRow();
      go.dir = "auto";
      row.insertCell().append(go);
      for (const value of [times(n_times), count(n_tokens_each), count(n_tokens), why]) row.insertCell().textContent = value;
    }
    return table;
  }
}
