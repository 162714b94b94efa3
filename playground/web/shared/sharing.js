// Sharing: the bar's Share button asks, and the component that knows what the page shows answers.

const ASKED = "tessera-share";

/** @typedef {{answer?: Promise<string>}} Asked */

/**
 * Answer when Share is pressed; `share` resolves to the sentence that says what was copied.
 * @param {AbortSignal} signal
 * @param {() => Promise<string>} share
 * @param {EventTarget} page
 */
export function onShare(signal, share, page = document) {
  const answer = (/** @type {Event} */ event) => {
    if (event instanceof CustomEvent) event.detail.answer ??= share();
  };
  page.addEventListener(ASKED, answer, { signal });
}

/** Ask to share: within the press, so that the browser lets the answer copy. @param {EventTarget} page */
export async function askToShare(page = document) {
  /** @type {Asked} */
  const asked = {};
  page.dispatchEvent(new CustomEvent(ASKED, { detail: asked }));
  if (!asked.answer) throw new Error("There is nothing to share yet: this page is still loading.");
  return asked.answer;
}
