// Merge forest: finished trees, or a text field with the trees of its text and the player, kept in step with the server.

import { component } from "../shared/mount.js";
import { ForestPage } from "./forest_page.js";
import { PlainTrees } from "./plain_trees.js";

/** @typedef {import("./forest_page.js").Data | import("./plain_trees.js").Data} Data */

export default component(".forest-page", (root, signal) => {
  /** @type {ForestPage | PlainTrees | undefined} */
  let page;
  return {
    /** @param {import("../shared/mount.js").Given<Data, import("./forest_page.js").Said>} given */
    update(given) {
      page ??= "trees" in given.data ? new PlainTrees(root, signal) : new ForestPage(root, signal);
      page.update(/** @type {any} */ (given));
    },
    destroy: () => page?.destroy(),
  };
});
