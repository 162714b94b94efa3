// The text of a page, which its text field owns: the session on the server has a copy of it, and the tab stores it for a
// reload. A page is given each text, and each session that needs it.

import { onShare, takePayload } from "./address.js";
import { button, note } from "./element.js";
import { sharedTexts, TITLES } from "./shared_texts.js";
import { onUnkept, unkeptNote } from "./tab_memory.js";
import { TextField } from "./text_field.js";
import { Settling } from "./wire.js";

const SETTLE_MS = 600;

/** @typedef {import("./wire_types.d.ts").LiveText} LiveData */

/**
 * What a page passes: its name, its notes, which include `notes()` of this field, `onText` for a new text or a session
 * that needs the text, and `share` for the values of a copied address besides the text.
 * @template {LiveData} Data
 * @typedef {{page: import("./shared_texts.js").Page, notes: {problem: (reason: string, sentence: string) => void, draw: () => void},
 *   onText: (text: string, data: Data) => void, onTooLong?: (error: Error) => void, share?: () => object | Promise<object>}} LiveUse
 */

/** @template {LiveData} Data */
export class LiveField {
  /**
   * @param {HTMLElement} root @param {AbortSignal} signal
   * @param {LiveUse<Data> & Pick<import("./text_field.js").FieldUse, "takesFiles" | "onFile">} use
   * @param {typeof sharedTexts} texts
   */
  constructor(root, signal, use, texts = sharedTexts) {
    const { page, notes } = use;
    this.use = use;
    this.texts = texts;
    /** What the page was last given. @type {Data | null} */
    this.data = null;
    /** The newest text that is not too long, which `onText` was given last. */
    this.text = "";
    /** The values of a copied address. */
    this.linked = takePayload(page);
    /** Whether the first text was chosen or typed. */
    this.isOpen = false;
    this.field = new TextField(root, signal, {
      ...use,
      getLimit: () => this.data?.max_bytes ?? Infinity,
      onText: (text) => this.change(text),
      onTooLong: (error) => {
        texts.give(page, this.field.text); // no page follows it
        notes.problem("text", error.message);
        use.onTooLong?.(error);
      },
      onProblem: (error) => notes.problem("file", error.message),
      onNotes: () => notes.draw(),
    });
    this.settling = new Settling(signal, SETTLE_MS, () => texts.save());
    onUnkept(() => notes.draw(), signal);
    onShare(signal, async () => ({ page, text: this.field.text, ...(await use.share?.()) }));
  }

  /** Called at each run of the page. @param {Data} data */
  update(data) {
    const old = this.data, { field, texts, use: { page } } = this, isSet = texts.takes(data.url, data.text_revision);
    this.data = data;
    field.offer(data.examples);
    if (!old) {
      field.takeEarly();
      this.isOpen = true;
      this.replace(this.linked?.text ?? (isSet ? data.given : null));
      field.open(texts.textOf(page) ?? data.given ?? data.examples[0].text);
    } else if (isSet && data.given !== null) {
      this.replace(data.given);
      field.show(data.given);
    }
    if (!old || isSet || old.url !== data.url || old.revision !== data.revision) this.send();
  }

  /** Replace the page's text by one from a link or from the server; the reader's own can be restored. @param {string | null} text */
  replace(text) {
    const { texts, use: { page } } = this, own = texts.own.get(page);
    if (text === null) return;
    texts.takeBack(page);
    texts.change(page, text);
    if (own !== undefined) this.field.offerBack(text, "Your text was replaced by another one.", own);
  }

  /** Save and send what was typed. @param {string} text */
  change(text) {
    const { texts, use: { page } } = this, stored = this.isOpen ? null : texts.textOf(page);
    this.isOpen = true;
    texts.change(page, text);
    if (stored !== null) this.field.offerBack(text, "The text that you typed replaced your earlier text.", stored);
    this.settling.touch();
    this.use.notes.problem("file", "");
    this.send();
  }

  /** Give the page the text; one that is too long stays in the field. */
  send() {
    if (!this.field.isTooLong()) {
      this.text = this.field.text;
      this.use.notes.problem("text", "");
    }
    if (this.data) this.use.onText(this.text, this.data);
    this.use.notes.draw();
  }

  destroy() {
    this.texts.save();
  }

  /** Notes on the text: how to undo a replacement, which page the text comes from, and whether a reload loses it. */
  notes() {
    return [this.field.undoNote() ?? this.originNote(), unkeptNote()];
  }

  /** A sentence if another page's text is shown here or could be; else null. */
  originNote() {
    const { texts, use: { page } } = this, followed = texts.followed(page), other = texts.other(page);
    if (texts.brought.has(page)) {
      const made = note(page === "tokenize" ? "This text comes from X-ray." : "This is the text of a token on Tokenize.");
      made.append(button("Back to your text", "Show the text that was on this page before", () => this.goBack()));
      return made;
    }
    if (followed) return note(`This is the text from ${TITLES[followed]}. If you edit it here, this page keeps its own.`, "quiet");
    if (!other) return null;
    const made = note(`${TITLES[other]} has a different text.`, "quiet");
    made.append(button("Use it here", `Use the text of ${TITLES[other]} here, and keep following it`, () => this.follow(other)));
    return made;
  }

  /** Show the page's own text again, or its first example, instead of the text of a token. */
  goBack() {
    const { field, texts, use: { page } } = this;
    texts.takeBack(page);
    const text = texts.textOf(page) ?? field.examples[0]?.text ?? "";
    field.offerBack(text, "", "");
    field.show(text);
    this.send();
  }

  /** Show another page's text and follow it; the replaced text can be restored. @param {import("./shared_texts.js").Page} other */
  follow(other) {
    const { field, texts } = this, text = texts.own.get(other) ?? "";
    texts.follow(this.use.page);
    field.offerBack(text, `The text of ${TITLES[other]} replaced yours.`);
    field.show(text);
    this.send();
  }
}
