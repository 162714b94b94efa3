// Texts that the pages with a live text field share. A text typed on one page appears on the others, until it is changed
// on one of them; that page then keeps its own text. The data of Formats stay there.

import { TabMemory, tabStore } from "./tab_memory.js";

/** A page with a live text field. @typedef {"tokenize" | "compare" | "merge_tree" | "expect" | "formats"} Page */

/** @type {Record<Page, string>} */
export const TITLES = { tokenize: "Tokenize", compare: "Compare", merge_tree: "Merge tree", expect: "Expect", formats: "Formats" };
const PAGES = /** @type {Page[]} */ (Object.keys(TITLES));

/** The texts of this tab: each page's own text, if it has one, and the page that changed its text last. Stored for a reload. */
export class SharedTexts {
  /** @param {Storage | undefined} store of this tab */
  constructor(store) {
    /** @type {TabMemory<{latest: Page | null}>} */
    this.order = new TabMemory(store, "tessera.texts");
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
    const followed = this.followed(page);
    return this.brought.get(page) ?? this.own.get(page) ?? (followed && this.own.get(followed)) ?? null;
  }

  /** The page whose text is shown on a page; null if it shows its own. @param {Page} page */
  followed(page) {
    return this.own.has(page) || this.brought.has(page) || page === "formats" ? null : this.latest;
  }

  /** The page that changed its text last, if its text differs from this page's own. @param {Page} page */
  other(page) {
    const own = this.own.get(page), { latest } = this;
    return own === undefined || latest === null || page === "formats" || this.brought.has(page) || this.own.get(latest) === own ? null : latest;
  }

  /** Save the text that was changed on a page; pages without a text of their own follow it. @param {Page} page @param {string} text */
  change(page, text) {
    this.give(page, text);
    if (!this.brought.has(page) && page !== "formats") this.latest = page;
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
    const key = `${url} ${revision}`, isNew = revision > 0 && !this.seen.has(key);
    this.seen.add(key);
    return isNew;
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

/** The texts of this tab. */
export const sharedTexts = new SharedTexts(tabStore);
globalThis.addEventListener?.("pagehide", () => sharedTexts.save()); // includes what was typed just before a reload
