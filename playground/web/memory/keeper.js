// Keeper: keeps in this browser what the page says, and gives it back to a visit that has nothing yet.
// Tokenizers are kept for all tabs; what is chosen, and the data of Formats, for this one.

/** Days after which what a closed tab has left is thrown away. */
const MAX_DAYS = 30;
const DAY_MS = 86_400_000;
const TOKENIZER = "tokenizer/";

/** Where things are kept. @typedef {Pick<import("../picker/thing_store.js").ThingStore, "all" | "put" | "remove">} Store */
/** A page's session, of which a thing is fetched and to which one is given back. @typedef {{fetch: (name: string) => Promise<string>, giveBack: (name: string, digest: string, packed: string) => Promise<unknown>}} Server */

/** A text by the name of its thing, which is forgotten once that is kept. @typedef {{read: () => {name?: string, text?: string}, forget: () => void}} Typed */

export class Keeper {
  /**
   * `tab` names this tab; `tell` says what went wrong with a thing, and that it no longer is with an empty sentence.
   * `typed` has what was typed last before a reload, which is newer than what was kept of it.
   * @param {{store: Store, tab: string, tell: (name: string, sentence: string) => void, typed: Typed, now?: () => number}} use
   */
  constructor({ store, tab, tell, typed, now = Date.now }) {
    this.store = store;
    this.typed = typed;
    this.tab = tab;
    this.tell = tell;
    this.now = now;
    /** @type {Map<string, string>} digests of what is kept or was tried, by name */
    this.known = new Map();
    /** @type {Set<string>} names that the page has had */
    this.had = new Set();
  }

  /** @param {string} name */
  keyOf(name) {
    return name.startsWith(TOKENIZER) ? name : `tab/${this.tab}/${name}`;
  }

  /** Give back all that was kept, tokenizers first, since choices name them; resolves to how many things were taken. @param {Server} server */
  async giveBack(server) {
    /** @type {Map<string, import("../picker/thing_store.js").Kept>} */
    const none = new Map(), all = await this.store.all().catch(() => none), own = `tab/${this.tab}/`;
    const keys = [...all.keys()], isTokenizer = (/** @type {string} */ key) => key.startsWith(TOKENIZER);
    const { name: typedName, text = "" } = this.typed.read();
    let nTaken = 0;
    for (const key of [...keys.filter(isTokenizer), ...keys.filter((each) => !isTokenizer(each))]) {
      const kept = /** @type {import("../picker/thing_store.js").Kept} */ (all.get(key));
      if (!isTokenizer(key) && !key.startsWith(own)) {
        if (this.now() - kept.at > MAX_DAYS * DAY_MS) await this.store.remove(key).catch(() => {});
        continue;
      }
      const name = key.startsWith(own) ? key.slice(own.length) : key;
      try {
        await server.giveBack(name, kept.digest, kept.packed);
        this.known.set(name, kept.digest);
        nTaken++;
      } catch (error) {
        this.tell(name, `${/** @type {Error} */ (error).message}.`);
      }
    }
    if (typedName) {
      try {
        await server.giveBack(`${typedName}/typed`, "", await packText(text));
        nTaken++;
      } catch (error) {
        this.tell(typedName, `${/** @type {Error} */ (error).message}.`);
      }
    }
    return nTaken;
  }

  /** Keep what is new of these things, in their order, and forget what this tab had and has no more. @param {Record<string, string>} things digests by name @param {Server} server */
  async keep(things, server) {
    for (const name of this.had) {
      if (name in things) continue;
      this.had.delete(name);
      this.known.delete(name);
      this.tell(name, "");
      await this.store.remove(this.keyOf(name)).catch(() => {});
    }
    for (const [name, digest] of Object.entries(things)) {
      this.had.add(name);
      if (this.known.get(name) === digest) continue;
      this.known.set(name, digest); // tried once: what is refused is refused again
      try {
        const packed = await server.fetch(name);
        await this.store.put(this.keyOf(name), { digest, packed, at: this.now() });
        if (this.typed.read().name === name) this.typed.forget();
        this.tell(name, "");
      } catch (error) {
        await this.store.remove(this.keyOf(name)).catch(() => {}); // an older state would come back for it
        this.tell(name, sentenceOf(name, /** @type {Error} */ (error)));
      }
    }
  }
}

/** A text as the server packs things: zlib in base64. @param {string} text */
export async function packText(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer()), parts = [];
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(parts.join(""));
}

/** @param {string} name @param {Error} error */
function sentenceOf(name, error) {
  const isFull = error.name === "QuotaExceededError";
  if (!isFull && error.constructor.name !== "RefusedError") return ""; // a browser that forbids keeping is left alone
  return isFull ? `This browser has no room to keep ${name.replace(TOKENIZER, "")}: a reload of this tab loses it.` : `${error.message}.`;
}
