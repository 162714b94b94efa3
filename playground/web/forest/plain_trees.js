// Plain trees: finished ones, to hover, walk and save.

import { dataOf, find } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { ForestView } from "../shared/forest_view.js";
import { pictureKind, savePicture } from "../shared/save_file.js";
import { zoomRace } from "./fill_width.js";
import { treesToSvg } from "./tree_picture.js";

/** What the page gives; see `ui/merge_tree/forest_view.py`. @typedef {import("../shared/wire_types.d.ts").PlainTreesData} Data */

class PlainTrees {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.view = new ForestView(find(root, ".forest"), find(root, ".about"), signal);
    this.view.onType = () => this.fit();
    const resizing = new ResizeObserver(() => this.fit());
    resizing.observe(this.view.root);
    signal.addEventListener("abort", () => resizing.disconnect(), { once: true });
    /** @type {Data | null} */
    this.data = null;
    listenForPictures(root, signal, () => this.data);
  }

  /** @param {{data: Data}} given */
  update({ data }) {
    this.data = data;
    this.view.fitType();
    this.view.show(data.trees);
    this.fit();
  }

  fit() {
    for (const race of /** @type {NodeListOf<SVGSVGElement>} */ (this.view.root.querySelectorAll("svg.race"))) {
      zoomRace(race, this.view.root.clientWidth, this.view.scale);
    }
  }
}

export default component(".forest-page", (root, signal) => new PlainTrees(root, signal));

/**
 * Save the trees below `root` when a button asks for their picture.
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 * @param {() => Pick<Data, "file_name" | "tree_css"> | null} getFile
 */
export function listenForPictures(root, signal, getFile) {
  const onClick = (/** @type {Event} */ event) => {
    const kind = pictureKind(dataOf(event, "picture")), file = getFile();
    if (kind && file) savePicture(treesToSvg(find(root, ".forest"), file.tree_css), kind, file.file_name);
  };
  find(root, ".save-as").addEventListener("click", onClick, { signal });
}
