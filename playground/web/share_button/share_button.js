// The Share button of the bar: it asks the component that knows what the page shows, and says what came of it.

import { find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { askToShare } from "../shared/sharing.js";

const SAID_MS = 9000;

export default component(".share-button", (root, signal) => {
  const said = find(root, ".share-said");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const say = (/** @type {string} */ sentence) => {
    said.textContent = sentence;
    clearTimeout(timer);
    timer = setTimeout(() => (said.textContent = ""), SAID_MS);
  };
  const share = () => askToShare().then(say, (error) => say(error.message));
  find(root, ".share").addEventListener("click", share, { signal });
  return { update() {}, destroy: () => clearTimeout(timer) };
});
