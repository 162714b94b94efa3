// What a browser remembers, so that a reload loses nothing.

/**
 * A value under a key of `sessionStorage` (this tab) or `localStorage` (this browser).
 * @template {object} T
 */
export class TabMemory {
  /** @param {Storage} store @param {string} key */
  constructor(store, key) {
    this.store = store;
    this.key = key;
  }

  /** What was written last; nothing in it where nothing was, or where it cannot be read. @returns {Partial<T>} */
  read() {
    try {
      const value = JSON.parse(this.store.getItem(this.key) ?? "{}");
      return value !== null && typeof value === "object" ? value : {};
    } catch {
      return {};
    }
  }

  /** @param {T} value */
  write(value) {
    try {
      this.store.setItem(this.key, JSON.stringify(value));
    } catch {
      // A full or forbidden store costs a reload its text, nothing more.
    }
  }

  /** Keep nothing. */
  forget() {
    try {
      this.store.removeItem(this.key);
    } catch {
      // A forbidden store keeps nothing.
    }
  }
}
