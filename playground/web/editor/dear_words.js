// Dear words: the words of the text that cost the most tokens, each with why, and a way to where it stands.

import { button, element, find } from "../shared/element.js";
import { count, times } from "../shared/numbers.js";

/** @typedef {import("../shared/wire_types.d.ts").DearWord} DearWord */

/** A longer word is cut in the list. */
const SHOWN_CHARACTERS = 40;

/**
 * `fetch` gets the words of what is shown; `onFind` is to show the next place where a word stands, null where it
 * stands nowhere any longer.
 * @typedef {{fetch: () => Promise<{words: DearWord[]}>, onFind: ((word: string) => void)}} DearUse
 */

/** A list that is asked for while it is open, once what is typed has settled. */
export class DearWords {
  /** @param {HTMLElement} root @param {AbortSignal} signal @param {DearUse} use */
  constructor(root, signal, use) {
    this.use = use;
    this.details = find(root, ".dear", HTMLDetailsElement);
    this.list = find(root, ".dear-list");
    /** What is shown is of this version of the text. @type {string | null} */
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

  /** What is typed has settled. @param {string} version tells one text from another */
  settle(version) {
    this.version = version;
    return this.show();
  }

  async show() {
    const { version } = this;
    if (!this.details.open || this.shown === version) return;
    const { words } = await this.use.fetch();
    this.shown = version;
    this.list.replaceChildren(...(words.length ? [this.table(words)] : [element("p", "", "Each word is one token: none is costly.")]));
  }

  /** @param {DearWord[]} words */
  table(words) {
    const table = element("table"), head = table.createTHead().insertRow(), body = table.createTBody();
    for (const name of ["word", "stands", "tokens each", "tokens in all", "what makes it costly"]) {
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
