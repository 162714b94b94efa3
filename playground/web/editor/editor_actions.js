// Editor actions: requests to the editor's session and their answers; see `server/editor/actions.py`.

import { cutPieces } from "../shared/live_text.js";
import { post, postForColumns, postJson } from "../shared/wire.js";

/** @typedef {import("../shared/wire_types.d.ts").EditorRequests} Requests */
/** @typedef {import("../shared/wire_types.d.ts").EditorTotals} Totals */
/** @typedef {import("../shared/wire_types.d.ts").Inspection} Inspection */
/** @typedef {import("../shared/wire_types.d.ts").Message} Message */
/** @typedef {import("../shared/wire_types.d.ts").Snippet} Snippet */
/** @typedef {import("../shared/wire_types.d.ts").TokenDetails} TokenDetails */
/** @typedef {import("../shared/live_text.js").Piece} Piece */

/** An edit's answer: `pieces` replace `n_removed` pieces. @typedef {import("../shared/wire_types.d.ts").EditorChange & {pieces: Piece[]}} EditAnswer */
/** The whole state. @typedef {import("../shared/wire_types.d.ts").EditorState & {pieces: Piece[]}} WholeAnswer */
/** @typedef {WholeAnswer["mode"]} Mode */
/** @typedef {Requests["settings"]} Changes */

/** A tool of a chat. @typedef {import("../shared/wire_types.d.ts").Tool} Tool */

export class EditorActions {
  /** @param {() => string} getUrl */
  constructor(getUrl) {
    this.getUrl = getUrl;
    /** The latest request for pieces. Answers describe the whole state, so an older one must not come after a newer one. @type {Promise<unknown>} */
    this.lastAsked = Promise.resolve();
  }

  /** @param {string} url @param {Requests["open"]} body @returns {Promise<WholeAnswer>} */
  open(url, body) {
    return this.askForPieces("open", body, url);
  }

  /** @param {string} url @param {Requests["edit"]} edit @returns {Promise<EditAnswer>} */
  edit(url, edit) {
    return this.askForPieces("edit", edit, url);
  }

  /** @param {Requests["chat"]} chat @returns {Promise<WholeAnswer>} */
  chat(chat) {
    return this.askForPieces("chat", chat);
  }

  /** Replace the chat by a pasted one; `number` chooses one of several conversations. @param {string} pasted @param {number} number @returns {Promise<WholeAnswer | import("../shared/wire_types.d.ts").RefusedChat>} */
  readChat(pasted, number = 1) {
    return this.askForPieces("read_chat", { pasted, number });
  }

  /** @param {string} idsText @returns {Promise<WholeAnswer>} */
  ids(idsText) {
    return this.askForPieces("ids", { ids_text: idsText });
  }

  /** @param {Changes} changes @returns {Promise<WholeAnswer>} */
  settings(changes) {
    return this.askForPieces("settings", changes);
  }

  /** The tokens of an earlier version of the text. @param {string} earlier @returns {Promise<import("../shared/wire_types.d.ts").EarlierVersion & {pieces: Piece[]}>} */
  earlier(earlier) {
    return this.askForPieces("earlier", { earlier });
  }

  /** @param {number} nLoneSurrogates in the text, which the server gets without them @returns {Promise<Inspection>} */
  inspect(nLoneSurrogates) {
    return this.ask("inspect", { n_lone_surrogates: nLoneSurrogates });
  }

  /** @param {number} index @returns {Promise<TokenDetails>} */
  token(index) {
    return this.ask("token", { index });
  }

  /** @param {number[]} ids @returns {Promise<import("../shared/wire_types.d.ts").TokenFacts>} */
  facts(ids) {
    return this.ask("facts", { ids });
  }

  /** How the split pattern cuts these pieces of a version of the text. @param {number} version @param {number[]} pieces @returns {Promise<import("../shared/wire_types.d.ts").PatternCuts>} */
  cuts(version, pieces) {
    return this.ask("cuts", { version, pieces });
  }

  /** @returns {Promise<import("../shared/wire_types.d.ts").ExpensiveWords>} */
  expensive() {
    return this.ask("expensive", {});
  }

  /** The shown tokens as JSON or as Python. @param {"json" | "python"} kind */
  async snippet(kind) {
    /** @type {Snippet} */
    const answer = await this.ask("snippet", { kind });
    return answer;
  }

  /** A vocabulary file that a copied program reads. @param {string} file */
  async vocabularyFile(file) {
    return (await post(this.getUrl(), "vocabulary_file", { file })).blob();
  }

  /** @template {keyof Requests} Action @param {Action} action @param {Requests[Action]} body @returns {Promise<any>} */
  ask(action, body) {
    return postJson(this.getUrl(), action, body);
  }

  /** @template {keyof Requests} Action @param {Action} action @param {Requests[Action]} body @param {string} [url] @returns {Promise<any>} */
  async askForPieces(action, body, url) {
    const answered = this.lastAsked.then(() => postForColumns(url ?? this.getUrl(), action, body));
    this.lastAsked = answered.catch(() => {});
    const { header, columns } = await answered;
    return { ...header, pieces: cutPieces(header.pieces, columns) };
  }
}
