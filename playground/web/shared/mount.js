// Mounting: one instance for each element that Streamlit gives a component, and its end.

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

/** A page that is not there after so long has lost its link. */
const LEAVING_MS = 10_000;
/** The link to another page that was followed last. @type {{path: string, at: number} | null} */
let followed = null;

/** Note a link to another page of the app, before Streamlit hears of it. @param {Event} event */
export function noteLink(event) {
  const { target, ctrlKey, metaKey, shiftKey } = /** @type {MouseEvent & {target: Element}} */ (event);
  const link = /** @type {HTMLAnchorElement | null} */ (target.closest?.("a[href]") ?? null);
  if (link && link.target !== "_blank" && !(ctrlKey || metaKey || shiftKey)) followed = { path: link.pathname, at: performance.now() };
}
globalThis.document?.addEventListener("click", noteLink, true);

/**
 * Whether a link to another page was followed whose page is not there yet. What a component says then would call its own page back,
 * because Streamlit runs the page that speaks: a link pressed within half a second of a key or of the opening was lost.
 */
const isLeaving = () => followed !== null && location.pathname !== followed.path && performance.now() - followed.at < LEAVING_MS;

/**
 * The default export of a component: Streamlit calls it at each run of the page with what changed.
 *
 * `make(root, signal)` makes the instance for the element `selector`; listeners end with the signal. The component's HTML
 * is inert until then. What the export returns ends the instance, unless Streamlit has called the export again since.
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
      root.inert = false;
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
