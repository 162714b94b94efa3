// Mounting: one instance of a component for each element that Streamlit creates for it.

/**
 * Arguments from Streamlit at each run of the page, without the element; `Said` are the component's events.
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

/** A page that has not opened after this time is not going to open. */
const LEAVING_MS = 10_000;
/** The page that was left last. @type {{path: string, at: number} | null} */
let left = null;

/** Leave this page for another one of the app, which the server opens. */
export function leave() {
  left = { path: location.pathname, at: performance.now() };
}

/** Note a click on a link to another page of the app, before Streamlit handles it. @param {Event} event */
export function noteLink(event) {
  const { target, ctrlKey, metaKey, shiftKey } = /** @type {MouseEvent & {target: Element}} */ (event);
  const link = /** @type {HTMLAnchorElement | null} */ (target.closest?.("a[href]") ?? null);
  if (link && link.pathname !== location.pathname && link.target !== "_blank" && !(ctrlKey || metaKey || shiftKey)) leave();
}
globalThis.document?.addEventListener("click", noteLink, true);

/**
 * Whether this page was left and the next one has not opened yet. A component's events would call the old page back,
 * because Streamlit runs the page that sends an event; a link clicked within half a second of a key press would be
 * lost.
 */
const isLeaving = () => left !== null && location.pathname === left.path && performance.now() - left.at < LEAVING_MS;

/**
 * Return the default export of a component, which Streamlit calls at each run of the page with new data.
 *
 * `make(root, signal)` creates the instance for the element `selector`; the signal ends its listeners. Until then its
 * controls are inert, and the element has `data-loading`. The export returns a function that ends the instance, unless
 * Streamlit has called the export again.
 * @template Data
 * @template {string} [Said=never]
 * @param {string} selector
 * @param {(root: HTMLElement, signal: AbortSignal) => Instance<Data, Said>} make
 * @returns {(component: Given<Data, Said> & {parentElement: ParentNode}) => () => void}
 */
export function component(selector, make) {
  /** @type {WeakMap<Element, {instance: Instance<Data, Said>, ending: AbortController, n: number}>} */
  const mounted = new WeakMap();
  return ({ parentElement, ...given }) => {
    const root = /** @type {HTMLElement | null} */ (parentElement.querySelector(selector));
    if (!root) throw new Error(`the component has no ${selector}`);
    let mount = mounted.get(root);
    if (!mount) {
      const ending = new AbortController();
      mounted.set(root, (mount = { instance: make(root, ending.signal), ending, n: 0 }));
      for (const part of root.querySelectorAll("[inert]")) part.removeAttribute("inert");
      root.removeAttribute("data-loading");
    }
    const mine = mount, n = ++mine.n;
    mine.instance.update({
      ...given,
      setStateValue: (name, value) => isLeaving() || given.setStateValue(name, value),
      setTriggerValue: (name, value) => isLeaving() || given.setTriggerValue(name, value),
    });
    return () => {
      if (mounted.get(root) !== mine || mine.n !== n) return;
      mounted.delete(root);
      mine.ending.abort();
      mine.instance.destroy?.();
    };
  };
}
