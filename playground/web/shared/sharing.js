// Sharing: the bar's Share button asks, and the component that knows what the page shows answers.

const ASKED = "tessera-share";
const LOOK_AGAIN_MS = 100;

/** @typedef {{answer?: Promise<object>}} Asked */
/** What is told by a page whose address says all that it shows: its query part, and what that leaves out. @typedef {{query: string, told: string}} OwnAddress */

/**
 * Answer when Share is pressed; `tell` resolves to what the server does not know of the page, once it knows the rest.
 * @param {AbortSignal} signal
 * @param {() => Promise<object>} tell
 * @param {EventTarget} page
 */
export function onShare(signal, tell, page = document) {
  const answer = (/** @type {Event} */ event) => {
    if (event instanceof CustomEvent) event.detail.answer ??= tell();
  };
  page.addEventListener(ASKED, answer, { signal });
}

/**
 * What a component tells of the page, waited for while the page is loading; nothing where none `isLive`.
 * @param {() => boolean} isLive
 * @param {EventTarget} page
 * @param {number} patienceMs
 * @returns {Promise<object>}
 */
export async function askToShare(isLive, page = document, patienceMs = 5000) {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    /** @type {Asked} */
    const asked = {};
    page.dispatchEvent(new CustomEvent(ASKED, { detail: asked }));
    if (asked.answer || !isLive()) return (await asked.answer) ?? {};
    if (waitedMs >= patienceMs) throw new Error("There is nothing to share yet: this page is still loading.");
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
