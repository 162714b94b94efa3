// Editor actions: what the editor asks of its session, and what is answered; see `server/editor_actions.py`.

import { bodyOfEdit, cutPieces } from "../shared/text_edits.js";
import { postForColumns, postJson } from "../shared/wire.js";

/** @typedef {"text" | "chat" | "ids"} Mode */
/** @typedef {{role: string, content: string}} Message */

/** @typedef {import("../shared/text_edits.js").Piece} Piece */

/**
 * What is counted, by kind of token in the order of `KINDS`. The numbers for special tokens are those of a text.
 * @typedef {{tokenizer: string, version: number, n_tokens: number, categories: number[],
 *   counts: {n_chars: number, n_bytes: number, n_words: number, n_lines: number}, n_template?: number | null,
 *   honours_special?: boolean, n_tokens_plain?: number, n_tokens_special?: number}} Totals
 */

/** An edit's answer: `pieces` take the place of `n_removed` ones. @typedef {{version: number, first: number, n_removed: number, totals: Totals, pieces: Piece[]}} EditAnswer */

/**
 * The whole state. In other modes than text `raw` has the bytes that the tokens stand for, as base64.
 * @typedef {{mode: Mode, version: number, text: string, messages: Message[], template_name: string, ids_text: string,
 *   view: any, special_ids: number[], totals: Totals, pieces: Piece[], raw?: string, error?: string | null,
 *   template_tokens?: [number, number][]}} WholeAnswer
 */

/** @typedef {{mode?: Mode, honours_special?: boolean, messages?: Message[], template_name?: string, ids_text?: string}} Changes */

/** @typedef {{warnings: {kind: string, sentence: string}[], special_spelled: string[]}} Inspection */

/**
 * Everything about one token.
 * @typedef {{id: number, text: string | null, character: string, rank: number | null, is_special: boolean,
 *   n_occurrences: number, byte_start: number, byte_end: number, char_start: number, char_end: number, hex: string,
 *   code_points: {code_point: string, name: string}[], variants: {text: string, ids: number[]}[]}} TokenDetails
 */

export class EditorActions {
  /** @param {() => string} getUrl */
  constructor(getUrl) {
    this.getUrl = getUrl;
  }

  /** @returns {Promise<WholeAnswer>} */
  open() {
    return this.askForPieces("open", {});
  }

  /** @param {import("../shared/text_sync.js").Edit} edit @returns {Promise<EditAnswer>} */
  edit(edit) {
    return this.askForPieces("edit", bodyOfEdit(edit));
  }

  /** @param {Message[]} messages @param {string} templateName @returns {Promise<WholeAnswer>} */
  chat(messages, templateName) {
    return this.askForPieces("chat", { messages, template_name: templateName });
  }

  /** @param {string} idsText @returns {Promise<WholeAnswer>} */
  ids(idsText) {
    return this.askForPieces("ids", { ids_text: idsText });
  }

  /** @param {Changes} changes @returns {Promise<WholeAnswer>} */
  settings(changes) {
    return this.askForPieces("settings", changes);
  }

  /** @param {number} nLoneSurrogates in the text, which the server gets without them @returns {Promise<Inspection>} */
  inspect(nLoneSurrogates) {
    return postJson(this.getUrl(), "inspect", { n_lone_surrogates: nLoneSurrogates });
  }

  /** @param {number} index @returns {Promise<TokenDetails>} */
  token(index) {
    return postJson(this.getUrl(), "token", { index });
  }

  /** What is shown, as JSON or as Python. @param {"json" | "python"} kind @returns {Promise<string>} */
  async snippet(kind) {
    return (await postJson(this.getUrl(), "snippet", { kind })).snippet;
  }

  /** @param {string} action @param {object} body @returns {Promise<any>} */
  async askForPieces(action, body) {
    const { header, columns: [ids, lengths] } = await postForColumns(this.getUrl(), action, body);
    return { ...header, pieces: cutPieces(header.pieces, ids, lengths) };
  }
}
