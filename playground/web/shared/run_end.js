// Run end: whether the page runs, and what waits until it has been run and drawn; Streamlit says it at its app.

/** The attribute of Streamlit's app that says it. */
export const RUN_STATE = "data-test-script-state";
const LOOK_MS = 50;
/** After so long a run that was asked for has come and gone between two looks, or comes no more. */
const BEGIN_MS = 3000;

/** Whether a run of the page is under way, or yet to come. */
export const isPageRunning = () => document.querySelector(`.stApp[${RUN_STATE}="notRunning"]`) === null;

/**
 * Resolves when no run is under way; where one `isAsked` for, after that one.
 * @param {boolean} isAsked
 * @param {() => boolean} isRunning
 * @returns {Promise<void>}
 */
export function runEnd(isAsked, isRunning = isPageRunning) {
  const latest = performance.now() + BEGIN_MS;
  let isDue = !isAsked;
  return new Promise((resolve) => {
    const looking = setInterval(() => {
      const runs = isRunning();
      isDue ||= runs || performance.now() > latest;
      if (!isDue || runs) return;
      clearInterval(looking);
      resolve();
    }, LOOK_MS);
  });
}
