// Dead page: Streamlit's browser code gives its server up for good at a message that it cannot read. Nobody hears a
// press then, and only a reload helps, after which all that this browser keeps comes back.

const DEAD = '.stApp[data-test-connection-state="DISCONNECTED_FOREVER"]';
/** A page that dies again sooner than this stays as it is: else it would be reloaded without end. */
const AGAIN_MS = 30_000;

/**
 * Whether to reload a page that is dead now; the store knows when one was.
 * @param {Pick<Storage, "getItem" | "setItem">} store
 * @param {number} now in ms
 */
export function isReloadDue(store, now) {
  const before = Number(store.getItem("tessera.reloaded") ?? -Infinity);
  if (now - before < AGAIN_MS) return false;
  store.setItem("tessera.reloaded", String(now));
  return true;
}

/** Reload the page when it is dead. @returns {() => void} what ends this */
export function reloadDead() {
  const watch = new MutationObserver(() => {
    if (document.querySelector(DEAD) && isReloadDue(sessionStorage, Date.now())) location.reload();
  });
  watch.observe(document, { subtree: true, attributeFilter: ["data-test-connection-state"] });
  return () => watch.disconnect();
}
