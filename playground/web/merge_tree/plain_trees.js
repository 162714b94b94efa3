// Finished merge trees that can be hovered, walked by keys and saved as a picture; those of a short text are spread
// over the line.

import { dataOf, find } from "../shared/element.js";
import { TreeView } from "../shared/tree_view.js";
import { component } from "../shared/mount.js";
import { pictureKind, savePicture } from "../shared/save.js";

/** Data from Python; see `ui/merge_tree/trees.py`. @typedef {import("../shared/wire_types.d.ts").PlainTreesData} Data */

class PlainTrees {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.view = new TreeView(find(root, ".trees"), find(root, ".about"), signal);
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

export default component(".merge-tree-page", (root, signal) => new PlainTrees(root, signal));

/**
 * Save the trees below `root` when a button asks for their picture.
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 * @param {() => Pick<Data, "file_name" | "tree_css"> | null} getFile
 */
export function listenForPictures(root, signal, getFile) {
  const onClick = (/** @type {Event} */ event) => {
    const kind = pictureKind(dataOf(event, "picture")), file = getFile();
    if (kind && file) savePicture(treesToSvg(find(root, ".trees"), file.tree_css), kind, file.file_name);
  };
  find(root, ".save-as").addEventListener("click", onClick, { signal });
}

const TREE_VARIABLES = ["ink", "paper", "root", "leaf", "edge", "line", "muted", "lit"].map((name) => `--tree-${name}`);

/**
 * Return all trees inside an element as one SVG document, in the colours of the page.
 * @param {HTMLElement} root
 * @param {string} css
 */
function treesToSvg(root, css) {
  const home = root.getBoundingClientRect(), probe = document.createElement("span");
  root.append(probe);
  /** @type {[string, string][]} */
  const colors = TREE_VARIABLES.map((name) => {
    probe.style.color = `var(${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  let width = 1, height = 1;
  const parts = [];
  for (const tree of root.querySelectorAll("svg.tree")) {
    const box = tree.getBoundingClientRect(), copy = /** @type {Element} */ (tree.cloneNode(true));
    const x = box.left - home.left + root.scrollLeft, y = box.top - home.top + root.scrollTop;
    // scaled with the page's text
    for (const [name, value] of Object.entries({ x, y, width: box.width, height: box.height })) copy.setAttribute(name, String(value));
    for (const element of copy.querySelectorAll(".lit")) element.classList.remove("lit", "top");
    width = Math.max(width, x + box.width + 8);
    height = Math.max(height, y + box.height + 8);
    parts.push(new XMLSerializer().serializeToString(copy));
  }
  const variables = colors.map(([name, color]) => `${name}:${color}`).join(";");
  const paper = colors.find(([name]) => name === "--tree-paper")?.[1];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" ` +
    `viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" style="${variables}">` +
    `<style>${css}</style><rect width="100%" height="100%" fill="${paper}"/>${parts.join("")}</svg>`
  );
}

/** Limits of spreading leaves and of enlarging trees. */
const MAX_SPREAD = 4, MAX_ZOOM = 1.5;
/** The share of the window's height to which trees are enlarged, so that the content below stays visible. */
const PART_OF_HEIGHT = 0.34;
/** Pixels beside the trees of each pretoken. */
const BESIDE = 13;

/**
 * The factors by which trees of this natural width are enlarged and then spread to fill a line; 1 and 1 if they need
 * more. They are enlarged up to a height of `maxHeight`; the highest has `height`.
 * @param {{width: number, nPretokens: number, room: number, height?: number, maxHeight?: number}} line in pixels
 */
export function spreadOf({ width, nPretokens, room, height = 0, maxHeight = Infinity }) {
  const free = room - nPretokens * BESIDE;
  if (width <= 0 || free <= width) return { zoom: 1, spread: 1 };
  const zoom = Math.min(MAX_ZOOM, Math.sqrt(free / width), Math.max(1, maxHeight / height));
  return { zoom, spread: Math.max(1, Math.min(MAX_SPREAD, (free - 1) / zoom / width)) };
}

/**
 * Multiply the x coordinates of a tree's path: "M12 3V4H5" times 2 is "M24 3V4H10".
 * @param {string} path
 * @param {number} by
 */
export function spreadPath(path, by) {
  return path.replace(/([MH])(-?[\d.]+)/g, (_, letter, x) => `${letter}${round(Number(x) * by)}`);
}

/** @param {number} x */
const round = (x) => Math.round(x * 1000) / 1000;

/** Let the trees below `root` fill its width if they are narrower; `scale` is the scale of the page's text. @param {HTMLElement} root @param {number} scale */
export function fillWidth(root, scale) {
  const style = getComputedStyle(root), pretokens = root.children;
  const room = (root.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) / scale;
  if (!(room > 0)) return; // hidden or removed, so padding is unknown
  const trees = pretokens.length > 60 ? [] : [.../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("svg.tree"))];
  const natural = (/** @type {SVGSVGElement} */ tree) => Number(tree.dataset.width ??= tree.getAttribute("width") ?? "0");
  const width = trees.reduce((sum, tree) => sum + natural(tree), 0);
  const height = Math.max(0, ...trees.map((tree) => Number(tree.getAttribute("height"))));
  const maxHeight = (PART_OF_HEIGHT * innerHeight) / scale;
  const { zoom, spread } = spreadOf({ width, nPretokens: pretokens.length, room, height, maxHeight });
  root.style.setProperty("--scale", String(round(scale * zoom)));
  root.style.setProperty("--tallest", `${Math.ceil(height * scale * zoom + parseFloat(style.paddingTop) + parseFloat(style.paddingBottom)) + 2}px`);
  for (const tree of trees.length ? trees : /** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("svg[data-spread]"))) {
    spreadTree(tree, natural(tree), trees.length ? spread : 1);
  }
}

/** Scale a race with the page's text, up to the width of its line. @param {SVGSVGElement} race @param {number} room in pixels @param {number} scale */
function zoomRace(race, room, scale) {
  const fitting = (room - 2 * BESIDE * scale) / Number(race.getAttribute("width"));
  race.style.zoom = String(round(scale * Math.max(1, Math.min(MAX_ZOOM, fitting / scale))));
}

/** @param {SVGSVGElement} tree @param {number} width its natural one @param {number} spread */
function spreadTree(tree, width, spread) {
  const by = spread / Number(tree.dataset.spread ?? 1);
  if (Math.abs(by - 1) < 1e-4) return;
  if (spread === 1) delete tree.dataset.spread;
  else tree.dataset.spread = String(spread);
  tree.setAttribute("width", String(round(width * spread)));
  tree.setAttribute("viewBox", `0 0 ${round(width * spread)} ${tree.getAttribute("height")}`);
  for (const element of tree.querySelectorAll("path, text, rect")) {
    if (element.localName === "path") element.setAttribute("d", spreadPath(element.getAttribute("d") ?? "", by));
    else if (element.localName === "text") element.setAttribute("x", String(round(Number(element.getAttribute("x")) * by)));
    else {
      const x = Number(element.getAttribute("x")), own = Number(element.getAttribute("width")), isJoint = element.classList.contains("joint");
      element.setAttribute("x", String(round(isJoint ? (x + own / 2) * by - own / 2 : x * by)));
      if (!isJoint) element.setAttribute("width", String(round(own * by)));
    }
  }
}
