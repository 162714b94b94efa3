// Mounting: one instance for each element that Streamlit gives a component, and its end.

/**
 * The default export of a component: Streamlit calls it at each run of the page with what changed.
 *
 * `make(root, signal)` makes the instance for the element `selector`; listeners end with the signal. It has
 * `update(given)`, and may have `destroy()`. What the export returns takes the mount back. Streamlit also takes back
 * a mount that answered late, after a newer one: then the newer one keeps the instance.
 */
export function component(selector, make) {
  const mounted = new WeakMap();
  return ({ parentElement, ...given }) => {
    const root = parentElement.querySelector(selector);
    let mount = mounted.get(root);
    if (!mount) {
      const ending = new AbortController();
      mounted.set(root, (mount = { instance: make(root, ending.signal), ending, n: 0 }));
    }
    const n = ++mount.n;
    mount.instance.update(given);
    return () => {
      if (n !== mount.n || mounted.get(root) !== mount) return;
      mounted.delete(root);
      mount.ending.abort();
      mount.instance.destroy?.();
    };
  };
}
