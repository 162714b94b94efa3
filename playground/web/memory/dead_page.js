// Dead page: Streamlit's browser code gives its server up for good at a message that it cannot read. Nobody hears a
// press then, and only a reload helps, after which all that this browser keeps comes back.

import { TabMemory } from "../shared/tab_memory.js";

const DEAD = '.stApp[data-test-connection-state="DISCONNECTED_FOREVER"]';
/** A page that dies again sooner than this stays as it is: else it would be reloaded without end. */
const AGAIN_MS = 30_000;

/**
 * Whether to reload a page that is dead now; the tab remembers when one was.
 * @param {Pick<TabMemory<{at: number}>, "read" | "write">} memory
 * @param {number} now in ms
 */
export function isReloadDue(memory, now) {
  if (now - (memory.read().at ?? -Infinity) < AGAIN_MS) return false;
  memory.write({ at: now });
  return memory.read().at === now; // a browser that keeps nothing would lose the text, and reload without end
}

/** Reload the page when it is dead. @returns {() => void} what ends this */
export function reloadDead() {
  /** @type {TabMemory<{at: number}>} */
  const memory = new TabMemory(sessionStorage, "tessera.reloaded");
  const watch = new MutationObserver(() => {
    if (document.querySelector(DEAD) && isReloadDue(memory, Date.now())) location.reload();
  });
  watch.observe(document, { subtree: true, attributeFilter: ["data-test-connection-state"] });
  return () => watch.disconnect();
}
