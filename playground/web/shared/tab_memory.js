// Values stored in the browser, which survive a reload; where a browser blocks its storage, they live as long as the page.

import { note } from "./element.js";

/** Why this browser keeps nothing; "" if it does. */
let unkept = "";
const UNKEPT = new EventTarget();

/** @param {"blocked" | "full"} why */
function sayUnkept(why) {
  if (unkept) return;
  unkept = `The storage of this browser is ${why}, so what you type is not kept: a reload loses it. Copy or save what you need.`;
  UNKEPT.dispatchEvent(new Event("unkept"));
}

/** Call `draw` when `unkeptNote` appears. @param {() => void} draw @param {AbortSignal} signal */
export const onUnkept = (draw, signal) => UNKEPT.addEventListener("unkept", draw, { signal });

/** A note that says that nothing is kept, or null. */
export const unkeptNote = () => (unkept ? note(unkept) : null);

/** The storage of this tab or of this browser, or undefined where it is blocked. @param {"sessionStorage" | "localStorage"} name */
function open(name) {
  try {
    return /** @type {Storage | undefined} */ (globalThis[name]);
  } catch { // a browser that blocks storage raises when it is asked for it
    sayUnkept("blocked");
    return undefined;
  }
}

export const tabStore = open("sessionStorage"), browserStore = open("localStorage");

/**
 * A value under a key of `tabStore` or `browserStore`.
 * @template {object} T
 */
export class TabMemory {
  /** @param {Storage | undefined} store @param {string} key */
  constructor(store, key) {
    this.store = store;
    this.key = key;
    /** The latest value, if the storage could not take it. @type {Partial<T> | null} */
    this.unkept = null;
  }

  /** Return the stored value; {} if there is none or it can't be read. @returns {Partial<T>} */
  read() {
    if (this.unkept) return this.unkept;
    try {
      const value = JSON.parse(this.store?.getItem(this.key) ?? "{}");
      return value !== null && typeof value === "object" ? value : {};
    } catch {
      return {};
    }
  }

  /** @param {T} value */
  write(value) {
    this.unkept = value;
    if (!this.store) return;
    try {
      this.store.setItem(this.key, JSON.stringify(value));
      this.unkept = null;
    } catch {
      sayUnkept("full");
    }
  }

  /** Remove the value. */
  forget() {
    this.unkept = null;
    this.store?.removeItem(this.key);
  }
}
