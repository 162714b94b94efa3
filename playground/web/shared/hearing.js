// Hearing: whether the server has heard what the page has said, and what came of it is drawn. Each message has a number
// (`first/first.js`), and each run that ends tells which it has heard, last of all, in a field that nobody sees
// (`ui/state.py`).

const DRAWN = "[class*=st-key-drawn] input";
const LOOK_MS = 20;
/** A page that has not run for so long fails, and whoever waits for it goes on with what is there. */
const PATIENCE_MS = 30_000;
/** Streamlit sends what was said in a task of its own, begun in the one that says it; so long after that it has. */
const SENT_MS = 10;

/** Act once Streamlit has sent what the page has said. @param {() => void} act */
export const onceSent = (act) => void setTimeout(() => setTimeout(act, SENT_MS));

/** The number of the message that was sent last. @returns {number} */
export const nSaid = () => /** @type {{tesseraSaid?: () => number}} */ (globalThis).tesseraSaid?.() ?? 0;

/** The number of the last message whose run is drawn. */
export const nHeard = () =>
  Math.max(0, .../** @type {HTMLInputElement[]} */ ([...document.querySelectorAll(DRAWN)]).map(({ value }) => Number(value.split(" ")[1])));

/**
 * Resolves once the page is drawn with all that it has said until now, its components included: Streamlit tells them of
 * a run by way of an import, so one that begins later ends after them.
 * @param {{said: () => number, heard: () => number, now: () => number}} page
 * @returns {Promise<void>}
 */
export function allHeard(page = { said: nSaid, heard: nHeard, now: () => performance.now() }) {
  const latest = page.now() + PATIENCE_MS;
  return new Promise((resolve) => {
    onceSent(() => {
      const last = page.said();
      const look = () => {
        if (page.heard() < last && page.now() <= latest) setTimeout(look, LOOK_MS);
        else void import(import.meta.url).then(() => resolve());
      };
      look();
    });
  });
}
