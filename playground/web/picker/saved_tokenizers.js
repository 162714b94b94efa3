// Tokenizers saved in this browser's IndexedDB for later visits. A saved one is sent to the server when it is chosen.

import { onceFree, postJson, RefusedError } from "../shared/wire.js";

const STORE = "things";

/** A packed tokenizer, and the time at which it was saved. @typedef {{digest: string, packed: string, at: number}} KeptTokenizer */

/** A store of named values in the browser's IndexedDB. */
export class ThingStore {
  /** @param {() => IDBFactory} getFactory asked for later, because a browser that blocks storage raises */
  constructor(getFactory) {
    this.getFactory = getFactory;
    /** @type {Promise<IDBDatabase> | null} */
    this.opening = null;
  }

  /** @returns {Promise<string[]>} */
  async keys() {
    return (await done((await this.store("readonly")).getAllKeys())).map(String);
  }

  /** @param {string} key */
  async get(key) {
    return done((await this.store("readonly")).get(key));
  }

  /** Store a value. Throws if there is no room. @param {string} key @param {KeptTokenizer | string} kept */
  async put(key, kept) {
    await done((await this.store("readwrite")).put(kept, key));
  }

  /** @param {string} key */
  async remove(key) {
    await done((await this.store("readwrite")).delete(key));
  }

  /** @param {IDBTransactionMode} mode */
  store(mode) {
    const find = async () => (await (this.opening ??= this.open())).transaction(STORE, mode).objectStore(STORE);
    return find().catch(() => {
      this.opening = null; // the database was deleted or closed meanwhile: open it once more
      return find();
    });
  }

  async open() {
    const asked = this.getFactory().open("tessera", 1);
    asked.addEventListener("upgradeneeded", () => asked.result.createObjectStore(STORE));
    const base = await done(asked);
    const forget = () => {
      base.close();
      this.opening = null;
    };
    for (const event of ["versionchange", "close"]) base.addEventListener(event, forget); // the database is being deleted
    return base;
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function done(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

const TOKENIZER = "tokenizer/", ABOUT = "about/";

/** @typedef {Pick<ThingStore, "keys" | "get" | "put" | "remove">} Store */

export class SavedTokenizers {
  /**
   * @param {Store} store
   * @param {(action: string, body: object) => Promise<any>} ask a request to the picker's session
   */
  constructor(store, ask) {
    this.store = store;
    this.ask = ask;
    /** Versions that were saved or tried, by name. @type {Record<string, string>} */
    this.known = {};
  }

  /** Return the names of saved tokenizers with descriptions; empty if the browser saves nothing. @returns {Promise<Map<string, string>>} */
  async list() {
    const keys = await this.store.keys().catch(() => []), names = keys.filter((key) => key.startsWith(TOKENIZER));
    const abouts = names.map(async (key) => {
      const name = key.slice(TOKENIZER.length);
      return /** @type {[string, string]} */ ([name, String((await this.store.get(ABOUT + name).catch(() => "")) ?? "")]);
    });
    return new Map(await Promise.all(abouts));
  }

  /**
   * Save new tokenizers of the server, and remove those that the server had and no longer has. Resolves to sentences
   * about those that can't be saved.
   * @param {Record<string, string>} versions by name
   */
  async follow(versions) {
    const gone = Object.keys(this.known).filter((name) => !(name in versions)), problems = [];
    for (const name of gone) await this.forget(name);
    for (const [name, version] of Object.entries(versions)) {
      if (this.known[name] === version) continue;
      this.known[name] = version; // not tried again
      try {
        const { packed, about } = await this.ask("pack", { name });
        await this.store.put(TOKENIZER + name, { digest: version, packed, at: Date.now() });
        await this.store.put(ABOUT + name, about);
      } catch (error) {
        await this.store.remove(TOKENIZER + name).catch(() => {}); // so that an older version doesn't come back
        const isFull = /** @type {Error} */ (error).name === "QuotaExceededError";
        if (isFull) problems.push(`This browser has no room to keep ${name}: after a reload, open its file again.`);
        else if (error instanceof RefusedError && error.status === 400) problems.push(`${error.message}.`);
      }
    }
    return problems;
  }

  /** Send a saved tokenizer to the server; resolve to whether there was one. Throws the server's refusal. @param {string} name */
  async giveBack(name) {
    const kept = await this.store.get(TOKENIZER + name).catch(() => undefined);
    if (!kept) return false;
    await this.ask("give_back", { name, version: kept.digest, packed: kept.packed });
    this.known[name] = kept.digest;
    return true;
  }

  /** Save a tokenizer under its new name. @param {string} old @param {string} name */
  async rename(old, name) {
    try {
      for (const kind of [TOKENIZER, ABOUT]) {
        const thing = await this.store.get(kind + old);
        if (thing) await this.store.put(kind + name, thing);
      }
      this.known[name] = this.known[old];
    } catch {} // `follow` then fetches it from the server
    await this.forget(old);
  }

  /** @param {string} name */
  async forget(name) {
    delete this.known[name];
    await this.store.remove(TOKENIZER + name).catch(() => {});
    await this.store.remove(ABOUT + name).catch(() => {});
  }
}

/** Requests to a session, repeated while the server is busy. @param {() => string} url */
export const asker = (url) => (/** @type {string} */ action, /** @type {object} */ body) => onceFree(() => postJson(url(), action, body));
