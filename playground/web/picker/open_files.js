// Open files: sends a tokenizer's files to the server, and waits until they are read.

import { withoutWeights } from "./gguf_header.js";
import { post } from "../shared/wire.js";

/** @typedef {import("../shared/wire_types.d.ts").OpenState} State */

/** Files that complete a tokenizer's own files, as in `files/tokenizer_config.py`; the name of a second download contains " (1)". */
const BESIDE = /((tokenizer_config|special_tokens_map|added_tokens)( ?\(\d+\))?\.json|\.jinja)$/i;

/** @param {{name: string}} file */
const isBeside = ({ name }) => BESIDE.test(name);

export class FileOpener {
  /** @param {{post: (action: string, body: object | Blob) => Promise<State>, wait: () => Promise<void>}} server */
  constructor(server) {
    this.server = server;
    /** Refused files, which are sent again with the next ones in case those complete them. @type {File[]} */
    this.waiting = [];
    /** The files of the tokenizer that was opened last; `lastName` is its name. @type {File[]} */
    this.last = [];
    this.lastName = "";
  }

  /** Open files; resolves when they are read. Throws if the server rejects the request. @param {File[]} files @param {string} pattern @param {string} [model] the model whose tokenizer they have @returns {Promise<State>} */
  async open(files, pattern, model = "") {
    const isNew = (/** @type {File} */ file) => !files.some(({ name }) => name === file.name);
    const joins = files.every(isBeside) && this.lastName !== "";
    const earlier = (joins ? this.last : this.waiting).filter(isNew);
    const all = [...earlier, ...(await Promise.all(files.map(withoutWeights)))];
    this.waiting = [];
    const state = await this.finish(await this.server.post("open", packFiles(all, { n_earlier: earlier.length, replaces: joins ? this.lastName : "", pattern, model })));
    if (!state.opened.length) this.waiting = all.slice(-MAX_WAITING);
    else [this.last, this.lastName] = state.opened.length > 1 ? [[], ""] : [all, /** @type {string} */ (state.opened.at(-1))];
    return state;
  }

  /** Open a model on the server's machine, by its name in the list; resolves when it is read. @param {string} name @returns {Promise<State>} */
  async openLocal(name) {
    this.waiting = [];
    [this.last, this.lastName] = [[], ""];
    return this.finish(await this.server.post("open_local", { name }));
  }

  /** Ask until the files are read, and return the last state. @param {State} state */
  async finish(state) {
    while (!state.is_over) {
      await this.server.wait();
      state = await this.server.post("opening", {});
    }
    return state;
  }

  /** Note that a tokenizer was renamed, or with "" removed. @param {string} old @param {string} name */
  rename(old, name) {
    if (this.lastName === old) this.lastName = name;
  }
}

const MAX_WAITING = 4;

/**
 * The body of an `open` request: the length of its header, the header as JSON, and the files.
 * @param {File[]} files @param {{n_earlier: number, replaces: string, pattern: string, model: string}} header
 */
export function packFiles(files, header) {
  const described = { ...header, files: files.map(({ name, size }) => ({ name: name.slice(-255), n_bytes: size })) };
  const head = new TextEncoder().encode(JSON.stringify(described)), length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, head.length, true);
  return new Blob([length, head, ...files]);
}

/** An opener for the session at an address. @param {() => string} url */
export const openerAt = (url) =>
  new FileOpener({
    post: async (action, body) => (await post(url(), action, body)).json(),
    wait: () => new Promise((resolve) => setTimeout(resolve, 300)),
  });
