// The merge trees of a text with their player in a saved page.

import { PlayedTrees } from "../merge_tree/played_trees.js";
import { drawPage, NEVER } from "./page.js";

drawPage(".merge-tree-page", (root, { header }) => {
  const trees = new PlayedTrees(root, NEVER);
  trees.view.fitType();
  trees.draw(header.pretokens.map((/** @type {number} */ number) => header.new[number]));
  trees.play(header, header.step);
});
