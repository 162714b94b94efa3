// The desk: texts that the pages with a live text field share. A text typed on one page appears on the others, until
// it is changed on one of them; that page then keeps its own text.

import { button, note } from "./element.js";
import { TabMemory, tabStore } from "./tab_memory.js";

/** A page with a live text field. @typedef {"tokenize" | "compare" | "merge_tree" | "expect"} Page */

/** @type {Record<Page, string>} */
export const TITLES = { tokenize: "Tokenize", compare: "Compare", merge_tree: "Merge tree", expect: "Expect" };
const PAGES = /** @type {Page[]} */ (Object.keys(TITLES));

/** The texts of this tab: each page's own text, if it has one, and the page that changed its text last. Stored for a reload. */
export class Desk {
  /** @param {Storage | undefined} store of this tab */
  constructor(store) {
    /** @type {TabMemory<{latest: Page | null}>} */
    this.order = new TabMemory(store, "tessera.desk");
    this.stores = /** @type {Record<Page, TabMemory<{text: string | null, brought: string | null}>>} */ (
      Object.fromEntries(PAGES.map((page) => [page, new TabMemory(store, `tessera.text.${page}`)]))
    );
    /** @type {Map<Page, string>} own texts; a page without one follows */
    this.own = new Map();
    /** @type {Map<Page, string>} texts of tokens, each shown on a page instead of its text until the reader goes back to that */
    this.brought = new Map();
    for (const page of PAGES) {
      const { text, brought } = this.stores[page].read();
      if (typeof text === "string") this.own.set(page, text);
      if (typeof brought === "string") this.brought.set(page, brought);
    }
    const { latest } = this.order.read();
    /** @type {Page | null} the page whose text the others follow */
    this.latest = latest && this.own.has(latest) ? latest : null;
    /** @type {Set<Page>} pages whose text is not yet stored */
    this.unsaved = new Set();
    /** @type {Set<string>} texts that the server has set, and that are known */
    this.seen = new Set();
  }

  /** The text for a page: the one brought there, its own, or the one it follows; null if no page has changed its text. @param {Page} page */
  textOf(page) {
    return this.brought.get(page) ?? this.own.get(page) ?? (this.latest === null ? null : this.own.get(this.latest) ?? null);
  }

  /** The page whose text is shown on a page; null if it shows its own. @param {Page} page */
  followed(page) {
    return this.own.has(page) || this.brought.has(page) ? null : this.latest;
  }

  /** The page that changed its text last, if its text differs from this page's own. @param {Page} page */
  other(page) {
    const own = this.own.get(page), { latest } = this;
    return own === undefined || latest === null || this.brought.has(page) || this.own.get(latest) === own ? null : latest;
  }

  /** Save the text that was changed on a page; pages without a text of their own follow it. @param {Page} page @param {string} text */
  change(page, text) {
    this.give(page, text);
    if (!this.brought.has(page)) this.latest = page;
  }

  /** Give a page a text of its own that other pages don't follow. @param {Page} page @param {string} text */
  give(page, text) {
    (this.brought.has(page) ? this.brought : this.own).set(page, text);
    this.unsaved.add(page);
  }

  /** Show a text on a page instead of its own, which is kept. @param {Page} page @param {string} text */
  bring(page, text) {
    this.brought.set(page, text);
    this.unsaved.add(page);
  }

  /** Take the brought text from a page, which then shows its own again. @param {Page} page */
  takeBack(page) {
    if (this.brought.delete(page)) this.unsaved.add(page);
  }

  /** Drop a page's own text, so that it follows the others. @param {Page} page */
  follow(page) {
    this.own.delete(page);
    this.unsaved.add(page);
    if (this.latest === page) this.latest = null;
  }

  /** Whether the server has set a session's text that this tab has not taken yet; marks it as taken. @param {string} url @param {number} revision 0 if it has set no text */
  takes(url, revision) {
    const isNew = this.isNew(url, revision);
    this.seen.add(`${url} ${revision}`);
    return isNew;
  }

  /** Whether this revision of a session's text is new to this tab. @param {string} url @param {number} revision */
  isNew(url, revision) {
    return revision > 0 && !this.seen.has(`${url} ${revision}`);
  }

  /** Store changes for a reload. */
  save() {
    for (const page of this.unsaved) {
      const text = this.own.get(page) ?? null, brought = this.brought.get(page) ?? null;
      if (text === null && brought === null) this.stores[page].forget();
      else this.stores[page].write({ text, brought });
    }
    if (this.unsaved.size) this.order.write({ latest: this.latest });
    this.unsaved.clear();
  }
}

/** The desk of this tab. */
export const desk = new Desk(tabStore);
globalThis.addEventListener?.("pagehide", () => desk.save()); // includes what was typed just before a reload

/** The text field of a page, and a callback for texts from other pages. @typedef {{field: import("./text_field.js").TextField, onText: (text: string) => void}} Use */

/** Connects a page's text field with the desk: chooses the first text, and names the page that a shared text comes from. */
export class DeskField {
  /**
   * @param {Page} page
   * @param {() => Use} getUse known once the page is made; `onText` runs for a text that was fetched from another page
   * @param {Desk} of
   */
  constructor(page, getUse, of = desk) {
    this.page = page;
    this.getUse = getUse;
    this.desk = of;
    /** Whether the page's first text was chosen or typed. */
    this.isOpen = false;
  }

  /**
   * The text to open with: from the address, else the server's if this revision is new, else this tab's. A replaced
   * text can be restored.
   * @param {string} url @param {number} revision @param {string} text the server's @param {string} [linked] the address's
   */
  opening(url, revision, text, linked) {
    this.getUse().field.takeEarly();
    this.isOpen = true;
    const own = this.desk.own.get(this.page), isSet = this.desk.takes(url, revision), given = linked ?? (isSet ? text : undefined);
    if (given !== undefined) {
      this.desk.takeBack(this.page);
      this.desk.change(this.page, given);
      if (own !== undefined) this.getUse().field.offerBack(given, "Your text was replaced by another one.", own);
    }
    return this.desk.textOf(this.page) ?? text;
  }

  /** Save a text that was typed on this page. @param {string} text */
  change(text) {
    const stored = this.isOpen ? null : this.desk.textOf(this.page);
    this.isOpen = true;
    this.desk.change(this.page, text);
    if (stored !== null) this.getUse().field.offerBack(text, "The text that you typed replaced your earlier text.", stored);
  }

  /** Save a text that is too long to be shown; no page follows it. @param {string} text */
  keep(text) {
    this.desk.give(this.page, text);
  }

  save() {
    this.desk.save();
  }

  /** A sentence if another page's text is shown here or could be; else null. */
  note() {
    const followed = this.desk.followed(this.page), other = this.desk.other(this.page);
    if (this.desk.brought.has(this.page)) {
      const made = note("This is the text of a token on Tokenize.");
      made.append(button("Back to your text", "Show the text that was on this page before", () => this.goBack()));
      return made;
    }
    if (followed) {
      const made = note(`This is the text from ${TITLES[followed]}. If you edit it here, this page keeps its own.`);
      made.classList.add("quiet");
      return made;
    }
    if (!other) return null;
    const made = note(`${TITLES[other]} has a different text.`);
    made.classList.add("quiet");
    made.append(button("Use it here", `Use the text of ${TITLES[other]} here, and keep following it`, () => this.fetch(other)));
    return made;
  }

  /** Show the page's own text again, or its first example, instead of the text of a token. */
  goBack() {
    const { field, onText } = this.getUse();
    this.desk.takeBack(this.page);
    const text = this.desk.textOf(this.page) ?? field.examples[0]?.text ?? "";
    field.offerBack(text, "", "");
    field.show(text);
    onText(text);
  }

  /** Show another page's text and follow it; the replaced text can be restored. @param {Page} other */
  fetch(other) {
    const { field, onText } = this.getUse(), text = this.desk.own.get(other) ?? "";
    this.desk.follow(this.page);
    field.offerBack(text, `The text of ${TITLES[other]} replaced yours.`);
    field.show(text);
    onText(text);
  }
}
