// Desk field: a page's text field and the desk: which text stands in it, and what is said of where it comes from.

import { button } from "./element.js";
import { desk, TITLES } from "./desk.js";
import { note } from "./notes.js";

/** @typedef {import("./desk.js").Page} Page */
/** What a page does with it. @typedef {{field: import("./text_field.js").TextField, onText: (text: string) => void}} Use */

export class DeskField {
  /**
   * @param {Page} page
   * @param {() => Use} getUse known once the page is made; `onText` runs for a text that was fetched from another page
   * @param {import("./desk.js").Desk} of
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
      if (own !== undefined) this.getUse().field.offerBack(given, "Another text took the place of yours.", own);
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
      const made = note(`This is the text of ${TITLES[followed]}. Change it, and this page keeps its own.`);
      made.classList.add("quiet");
      return made;
    }
    if (!other) return null;
    const made = note(`${TITLES[other]} has another text.`);
    made.classList.add("quiet");
    made.append(button("Use it here", `Put the text of ${TITLES[other]} here, and follow it`, () => this.fetch(other)));
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
