// Compare actions: what the page asks of its session, and what is answered; see `server/compare_session.py`.

import { bodyOfEdit, cutPieces } from "../shared/text_edits.js";
import { postForColumns } from "../shared/wire.js";

/**
 * What an edit changes of each row, and how many boundaries stand in all rows, in some, in one.
 * @typedef {{version: number, rows: import("./rows.js").ChangedRow[],
 *   agreement: {in_all: number, in_some: number, in_one: number}}} Answer
 */

export class CompareActions {
  /** @param {() => string} getUrl */
  constructor(getUrl) {
    this.getUrl = getUrl;
  }

  /** The text that the server has, with all pieces of all rows. @returns {Promise<Answer & {text: string}>} */
  open() {
    return this.askForRows("open", {});
  }

  /** @param {import("../shared/text_sync.js").Edit} edit @returns {Promise<Answer>} */
  edit(edit) {
    return this.askForRows("edit", bodyOfEdit(edit));
  }

  /** @param {string} action @param {object} body @returns {Promise<any>} */
  async askForRows(action, body) {
    const { header, columns } = await postForColumns(this.getUrl(), action, body);
    const rows = header.rows.map((/** @type {any} */ row, /** @type {number} */ r) => {
      return { ...row, pieces: cutPieces(row.pieces, columns[2 * r], columns[2 * r + 1]) };
    });
    return { ...header, rows };
  }
}
