// Mounting: one instance for each element that Streamlit gives a component, and its end.

import { leavingNow } from "./leaving.js";

/**
 * What Streamlit gives a component at each run of the page, but its element; `Said` are the events that the page hears.
 * @template Data
 * @template {string} [Said=never]
 * @typedef {{data: Data, setStateValue: (name: Said, value: unknown) => void,
 *   setTriggerValue: (name: Said, value: unknown) => void}} Given
 */

/**
 * @template Data
 * @template {string} [Said=never]
 * @typedef {{update: (given: Given<Data, Said>) => void, destroy?: () => void}} Instance
 */

/**
 * The default export of a component: Streamlit calls it at each run of the page with what changed.
 *
 * `make(root, signal)` makes the instance for the element `selector`; listeners end with the signal. What the export
 * returns takes the mount back. Streamlit also takes back a mount that answered late, after a newer one: then the
 * newer one keeps the instance.
 * @template Data
 * @template {string} [Said=never]
 * @param {string} selector
 * @param {(root: HTMLElement, signal: AbortSignal) => Instance<Data, Said>} make
 * @param {{isLeaving: boolean}} leaving
 * @returns {(component: Given<Data, Said> & {parentElement: ParentNode}) => () => void}
 */
export function component(selector, make, leaving = leavingNow) {
  /** @type {WeakMap<Element, {instance: Instance<Data, Said>, ending: AbortController, n: number}>} */
  const mounted = new WeakMap();
  return ({ parentElement, ...given }) => {
    const root = /** @type {HTMLElement | null} */ (parentElement.querySelector(selector));
    if (!root) throw new Error(`the component has no ${selector}`);
    void leaving.isLeaving; // the page that was gone to is there: who goes back from it may speak
    let mount = mounted.get(root);
    const isNew = !mount;
    if (!mount) {
      const ending = new AbortController();
      mounted.set(root, (mount = { instance: make(root, ending.signal), ending, n: 0 }));
      root.inert = false; // now a press is heard
    }
    const mine = mount, n = ++mine.n;
    mine.instance.update({
      ...given,
      setStateValue: (name, value) => leaving.isLeaving || given.setStateValue(name, value),
      setTriggerValue: (name, value) => leaving.isLeaving || given.setTriggerValue(name, value),
    });
    if (isNew) pressedBefore(root)?.click();
    return () => {
      if (mounted.get(root) !== mine || mine.n !== n) return;
      mounted.delete(root);
      mine.ending.abort();
      mine.instance.destroy?.();
    };
  };
}

/** The button that was pressed before its code came; see `first/first.js`. @param {HTMLElement} root */
const pressedBefore = (root) =>
  /** @type {{tesseraPresses?: {take: (root: HTMLElement) => HTMLElement | undefined}}} */ (globalThis).tesseraPresses?.take(root);
