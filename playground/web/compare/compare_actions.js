// Compare actions: what the page asks of its session, and what is answered; see `server/compare_session.py`.

import { bodyOfEdit, cutPieces } from "../shared/text_edits.js";
import { postForColumns, postJson } from "../shared/wire.js";

/** @typedef {import("../shared/wire_types.d.ts").CompareRequests} Requests */
/** @typedef {import("../shared/wire_types.d.ts").CompareState} State */

/** What an edit changes of each row. @typedef {Omit<State, "rows" | "text"> & {rows: import("./rows.js").ChangedRow[]}} Answer */

export class CompareActions {
  /** @param {() => string} getUrl */
  constructor(getUrl) {
    this.getUrl = getUrl;
  }

  /** The text that the server has, with all pieces of all rows. @returns {Promise<Answer & Pick<State, "text">>} */
  open() {
    return this.askForRows("open", {});
  }

  /** @param {import("../shared/text_sync.js").Edit} edit @returns {Promise<Answer>} */
  edit(edit) {
    return this.askForRows("edit", bodyOfEdit(edit));
  }

  /** The figures of all rows as a CSV file. @returns {Promise<import("../shared/wire_types.d.ts").CsvAnswer>} */
  csv() {
    return postJson(this.getUrl(), "csv", {});
  }

  /** @template {keyof Requests} Action @param {Action} action @param {Requests[Action]} body @returns {Promise<any>} */
  async askForRows(action, body) {
    const { header, columns } = await postForColumns(this.getUrl(), action, body);
    const rows = header.rows.map((/** @type {any} */ row, /** @type {number} */ r) => {
      return { ...row, pieces: cutPieces(row.pieces, columns.slice(3 * r, 3 * r + 3)) };
    });
    return { ...header, rows };
  }
}
