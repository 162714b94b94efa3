// Merge forest: a text field with the trees of its text and the player, kept in step with the server.

import { component } from "../shared/mount.js";
import { ForestPage } from "./forest_page.js";

export default component(".forest-page", (root, signal) => new ForestPage(root, signal));
