// Keeps the server's document equal to a text: posts each edit since the last acknowledged text, and reads the pieces of
// tokens in the answer. `server/text_edits.py` is the other side.

import { findEdit } from "./source_text.js";
import { NewestWins } from "./wire.js";

/** @typedef {{version: number, start: number, nDeleted: number, inserted: string}} Edit made to this version */

/**
 * Keeps the server's document in step with a text; one request is in flight, and the newest text wins.
 * @template {{version: number}} Answer
 */
export class TextSync {
  /**
   * `send` posts an edit, `onAnswer` runs after every acknowledged one, `onError` when the server refuses one.
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

  /** What the server is known to hold. @param {string} text @param {number} version */
  reset(text, version) {
    this.acknowledged = text;
    this.version = version;
    this.refused = null;
  }

  /** Ask for these tokens. @param {string} text */
  push(text) {
    return this.queue.push(text);
  }

  /** Send nothing more than what is on its way. */
  cancel() {
    this.queue.cancel();
  }

  /** Resolves when the server holds what was typed. */
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
 * Tokens of a stretch of the text: their ids and lengths in bytes. `marks` tell what they do not spell, as
 * `analysis/token_marks.py` has it; none where they spell the text.
 * @typedef {{nTokens: number, nUtf16: number, ids: Uint32Array, lengths: Uint32Array, marks?: Uint32Array}} Piece
 */

/** What is posted for an edit. @param {Edit} edit @returns {import("./wire_types.d.ts").EditorRequests["edit"]} */
export function bodyOfEdit({ version, start, nDeleted, inserted }) {
  return { version, start, n_deleted: nDeleted, inserted };
}

/**
 * Pieces from their shapes, with the columns of all of them.
 * @param {import("./wire_types.d.ts").RowChange["pieces"]} shapes tokens, UTF-16 units and marks of each
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
