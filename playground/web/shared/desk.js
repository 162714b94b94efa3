// The desk: one text for all pages with a live text field. A text typed on one page appears on the others, until the
// reader changes it there: from then on that page keeps its own text.

import { button, note } from "./element.js";
import { TabMemory } from "./tab_memory.js";

/** A page with a live text. @typedef {"tokenize" | "compare" | "merge_tree"} Page */

/** @type {Record<Page, string>} */
export const TITLES = { tokenize: "Tokenize", compare: "Compare", merge_tree: "Merge tree" };
const PAGES = /** @type {Page[]} */ (Object.keys(TITLES));

/** The texts of this tab: each page's own, where it has one, and which was changed last. A reload finds them again. */
export class Desk {
  /** @param {Storage} store of this tab */
  constructor(store) {
    /** @type {TabMemory<{latest: Page | null}>} */
    this.order = new TabMemory(store, "tessera.desk");
    this.stores = /** @type {Record<Page, TabMemory<{text: string}>>} */ (
      Object.fromEntries(PAGES.map((page) => [page, new TabMemory(store, `tessera.text.${page}`)]))
    );
    /** @type {Map<Page, string>} own texts; a page without one follows */
    this.own = new Map();
    for (const page of PAGES) {
      const { text } = this.stores[page].read();
      if (typeof text === "string") this.own.set(page, text);
    }
    const { latest } = this.order.read();
    /** @type {Page | null} the page whose text the others follow */
    this.latest = latest && this.own.has(latest) ? latest : null;
    /** @type {Set<Page>} pages whose text is not yet stored */
    this.unsaved = new Set();
    /** @type {Set<string>} texts that the server has set, and that are known */
    this.seen = new Set();
  }

  /** What stands on a page: its own text, or the one that it follows; null where nobody has changed any. @param {Page} page */
  textOf(page) {
    return this.own.get(page) ?? (this.latest === null ? null : this.own.get(this.latest) ?? null);
  }

  /** The page whose text a page shows, or null where it shows its own. @param {Page} page */
  followed(page) {
    return this.own.has(page) ? null : this.latest;
  }

  /** The page that was changed last, where its text is another than this page's own. @param {Page} page */
  other(page) {
    const own = this.own.get(page), { latest } = this;
    return own === undefined || latest === null || this.own.get(latest) === own ? null : latest;
  }

  /** The text of a page was changed there: it keeps it, and the pages without one follow. @param {Page} page @param {string} text */
  change(page, text) {
    this.give(page, text);
    this.latest = page;
  }

  /** Give a page a text of its own that no other follows. @param {Page} page @param {string} text */
  give(page, text) {
    this.own.set(page, text);
    this.unsaved.add(page);
  }

  /** A page gives up its own text, and follows. @param {Page} page */
  follow(page) {
    this.own.delete(page);
    this.unsaved.add(page);
    if (this.latest === page) this.latest = null;
  }

  /** Whether the server has set a text of a session that this tab has not yet taken; it then has. @param {string} url @param {number} revision 0 where it has set none */
  takes(url, revision) {
    const isNew = this.isNew(url, revision);
    this.seen.add(`${url} ${revision}`);
    return isNew;
  }

  /** Whether it is yet to be taken. @param {string} url @param {number} revision */
  isNew(url, revision) {
    return revision > 0 && !this.seen.has(`${url} ${revision}`);
  }

  /** Store what is new, so that a reload finds it. */
  save() {
    for (const page of this.unsaved) {
      const text = this.own.get(page);
      if (text === undefined) this.stores[page].forget();
      else this.stores[page].write({ text });
    }
    if (this.unsaved.size) this.order.write({ latest: this.latest });
    this.unsaved.clear();
  }
}

/** The desk of this tab. */
export const desk = new Desk(globalThis.sessionStorage);
globalThis.addEventListener?.("pagehide", () => desk.save()); // also what was typed just before a reload

/** What a page does with it. @typedef {{field: import("./text_field.js").TextField, onText: (text: string) => void}} Use */

/** Connects a page's text field with the desk: chooses the text to open with, and says which page the text comes from. */
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
  }

  /**
   * The text to open with: the address's, the server's where it has set one at this revision, or this tab's. A text of
   * one's own that is replaced can be brought back.
   * @param {string} url @param {number} revision @param {string} text the server's @param {string} [linked] the address's
   */
  opening(url, revision, text, linked) {
    const own = this.desk.own.get(this.page), isSet = this.desk.takes(url, revision), given = linked ?? (isSet ? text : undefined);
    if (given !== undefined) {
      this.desk.change(this.page, given);
      if (own !== undefined) this.getUse().field.offerBack(given, "Your text was replaced by another one.", own);
    }
    return this.desk.textOf(this.page) ?? text;
  }

  /** Whoever is here has changed the text. @param {string} text */
  change(text) {
    this.desk.change(this.page, text);
  }

  /** Keep a text that is not shown, for it is too long: no page follows it. @param {string} text */
  keep(text) {
    this.desk.give(this.page, text);
  }

  save() {
    this.desk.save();
  }

  /** A sentence where the text of another page stands here, or could; null elsewhere. */
  note() {
    const followed = this.desk.followed(this.page), other = this.desk.other(this.page);
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

  /** Show the text of another page, and follow it; what stood here can be brought back. @param {Page} other */
  fetch(other) {
    const { field, onText } = this.getUse(), text = this.desk.own.get(other) ?? "";
    this.desk.follow(this.page);
    field.offerBack(text, `The text of ${TITLES[other]} replaced yours.`);
    field.show(text);
    onText(text);
  }
}
