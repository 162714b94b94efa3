// Keeps the text of a page's session equal to the page's: opens the session with the whole text, then sends each edit.
// The server's side is `server/text_edits.py`.

import { findEdit } from "./source_text.js";
import { isLost, RefusedError, Requests } from "./wire.js";

/** A session of the page; `revision` changes when its state has to be fetched again. @typedef {{url: string, revision: number}} Session */
/** An edit made to this version, as JSON. @typedef {import("./wire_types.d.ts").EditorRequests["edit"]} Edit */

/** The edit was made to another version: an answer was lost, or the page has changed the text. */
const CONFLICT = 409;

/** @param {Session} session */
const keyOf = ({ url, revision }) => `${url} ${revision}`;

/**
 * One request is in flight; the newest text wins.
 * @template {{version: number}} Whole
 * @template {{version: number}} Change
 */
export class LiveText {
  /**
   * `open` sends the whole text and `edit` an edit; their answers go to `onOpen` and `onEdit`. A session that `isNew` has
   * nothing yet of what this page has sent. `askForSession` and `onProblem` are those of `Requests`.
   * @param {{open: (url: string, text: string, isNew: boolean) => Promise<Whole>, edit: (url: string, edit: Edit) => Promise<Change>,
   *   onOpen: (answer: Whole, text: string, isNew: boolean) => void, onEdit: (answer: Change, text: string) => void,
   *   askForSession: () => void, onProblem: (sentence: string, error?: unknown) => void}} use
   */
  constructor(use) {
    this.use = use;
    /** The session that is open, and the text that it has at this version. */
    this.key = "";
    this.text = "";
    this.version = 0;
    /** The session that has all that this page has sent. */
    this.url = "";
    /** @type {Requests<Session & {text: string}>} */
    this.requests = new Requests({ ...use, ask: (wanted) => this.send(wanted) });
  }

  /** Have this session take this text. @param {Session} session @param {string} text */
  push({ url, revision }, text) {
    return this.requests.push({ url, revision, text });
  }

  get isRunning() {
    return this.requests.queue.running !== null;
  }

  /** Resolves when the server has the newest text. */
  settled() {
    return this.requests.queue.settled();
  }

  /** Open the session again if another request to it shows that it was lost. @param {unknown} error */
  heed(error) {
    if (isLost(error)) this.key = this.url = "";
    this.requests.reconnect.seeks(error);
  }

  /** The page was left. */
  end() {
    this.requests.end();
  }

  /** @param {Session & {text: string}} wanted @returns {Promise<void>} */
  async send(wanted) {
    const { url, text } = wanted, key = keyOf(wanted), { use } = this;
    try {
      if (key !== this.key) {
        const isNew = url !== this.url, answer = await use.open(url, text, isNew);
        Object.assign(this, { key, url, text, version: answer.version });
        if (this.requests.wanted && keyOf(this.requests.wanted) === key) use.onOpen(answer, text, isNew); // else another state is on its way
      } else if (text !== this.text) {
        const [start, n_deleted, inserted] = findEdit(this.text, text);
        const answer = await use.edit(url, { version: this.version, start, n_deleted, inserted });
        Object.assign(this, { text, version: answer.version });
        use.onEdit(answer, text);
      }
    } catch (error) {
      if (error instanceof RefusedError && error.status === CONFLICT && this.key) {
        this.key = "";
        return this.send(wanted);
      }
      if (isLost(error)) this.key = this.url = "";
      throw error;
    }
  }
}

/**
 * The tokens of a part of the text: ids and lengths in bytes. `marks` describe differences from the text, as in
 * `analysis/token_marks.py`; empty if there are none.
 * @typedef {{nTokens: number, nUtf16: number, ids: Uint32Array, lengths: Uint32Array, marks?: Uint32Array}} Piece
 */

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
