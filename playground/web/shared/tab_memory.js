// Values stored in the browser, which survive a reload.

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

  /** Return the stored value; {} if there is none or it can't be read. @returns {Partial<T>} */
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
      // If the storage is full or blocked, only a reload loses the value.
    }
  }

  /** Remove the value. */
  forget() {
    try {
      this.store.removeItem(this.key);
    } catch {
      // Blocked storage has no value.
    }
  }
}
