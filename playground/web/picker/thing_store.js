// Thing store: what a browser keeps of this app, in its IndexedDB.

const STORE = "things";

/** A thing as the server packs it, and when it was kept. @typedef {{digest: string, packed: string, at: number}} Kept */

export class ThingStore {
  /** @param {IDBFactory} factory */
  constructor(factory) {
    this.factory = factory;
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

  /** Throws where there is no room. @param {string} key @param {Kept | string} kept */
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
      this.opening = null; // someone has emptied it while it was opened, and it is closed: a new one is asked for once
      return find();
    });
  }

  async open() {
    const asked = this.factory.open("tessera", 1);
    asked.addEventListener("upgradeneeded", () => asked.result.createObjectStore(STORE));
    const base = await done(asked);
    const forget = () => {
      base.close();
      this.opening = null;
    };
    for (const event of ["versionchange", "close"]) base.addEventListener(event, forget); // someone empties it
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
