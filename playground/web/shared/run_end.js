// Run end: what waits until the page has been run and drawn; Streamlit says at its app whether it runs.

const LOOK_MS = 50;
/** After so long a run that was asked for has come and gone between two looks, or comes no more. */
const BEGIN_MS = 3000;

/**
 * Resolves when no run is under way; where one `isAsked` for, after that one.
 * @param {boolean} isAsked
 * @param {() => boolean} isRunning
 * @returns {Promise<void>}
 */
export function runEnd(isAsked, isRunning = () => document.querySelector('.stApp[data-test-script-state="running"]') !== null) {
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
