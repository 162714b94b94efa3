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
    mine.instance.update(given);
    return () => {
      if (mounted.get(root) !== mine || mine.n !== n) return;
      mounted.delete(root);
      mine.ending.abort();
      mine.instance.destroy?.();
    };
  };
}
