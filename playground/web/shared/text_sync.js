// Keeps the server's document equal to a text: posts each edit since the last acknowledged text, and reads the tokens
// in the answer. The server's side is `server/text_edits.py`.

import { findEdit } from "./source_text.js";
import { NewestWins } from "./wire.js";

/** @typedef {{version: number, start: number, nDeleted: number, inserted: string}} Edit made to this version */

/**
 * Synchronizes the server's document with a text. One request is in flight; the newest text wins.
 * @template {{version: number}} Answer
 */
export class TextSync {
  /**
   * `send` posts an edit; `onAnswer` runs after each acknowledged edit, `onError` after each rejected one.
   * @param {{send: (edit: Edit) => Promise<Answer>, onAnswer: (answer: Answer, text: string) => void,
   *   onError: (error: unknown) => void | Promise<void>}} how
   */
  constructor({ send, onAnswer, onError }) {
    this.send = send;
    this.onAnswer = onAnswer;
    this.onError = onError;
    this.acknowledged = "";
    this.version = 0;
    /** @type {string | null} */
    this.refused = null;
    this.queue = new NewestWins((/** @type {string} */ text) => this.sendText(text));
  }

  get isRunning() {
    return this.queue.running !== null;
  }

  /** Set the text and version that the server has. @param {string} text @param {number} version */
  reset(text, version) {
    this.acknowledged = text;
    this.version = version;
    this.refused = null;
  }

  /** Send a text. @param {string} text */
  push(text) {
    return this.queue.push(text);
  }

  /** Cancel the waiting text; a request in flight continues. */
  cancel() {
    this.queue.cancel();
  }

  /** Resolves when the server has the newest text. */
  settled() {
    return this.queue.settled();
  }

  /** @param {string} text */
  async sendText(text) {
    if (text === this.acknowledged || text === this.refused) return;
    const [start, nDeleted, inserted] = findEdit(this.acknowledged, text);
    try {
      const answer = await this.send({ version: this.version, start, nDeleted, inserted });
      this.reset(text, answer.version);
      this.onAnswer(answer, text);
    } catch (error) {
      this.refused = text;
      await this.onError(error);
    }
  }
}

/**
 * The tokens of a part of the text: ids and lengths in bytes. `marks` describe differences from the text, as in
 * `analysis/token_marks.py`; empty if there are none.
 * @typedef {{nTokens: number, nUtf16: number, ids: Uint32Array, lengths: Uint32Array, marks?: Uint32Array}} Piece
 */

/** The JSON body for an edit. @param {Edit} edit @returns {import("./wire_types.d.ts").EditorRequests["edit"]} */
export function bodyOfEdit({ version, start, nDeleted, inserted }) {
  return { version, start, n_deleted: nDeleted, inserted };
}

/**
 * Build pieces from their shapes and the columns of all pieces.
 * @param {import("./wire_types.d.ts").RowChange["pieces"]} shapes numbers of tokens, UTF-16 units and marks
 * @param {Uint32Array[]} columns ids, lengths and marks
 * @returns {Piece[]}
 */
export function cutPieces(shapes, [ids, lengths, marks]) {
  let start = 0, mark = 0;
  return shapes.map(([nTokens, nUtf16, nMarks]) => {
    const end = start + nTokens, own = marks.subarray(mark, (mark += nMarks));
    const piece = { nTokens, nUtf16, ids: ids.subarray(start, end), lengths: lengths.subarray(start, end), marks: own };
    start = end;
    return piece;
  });
}
