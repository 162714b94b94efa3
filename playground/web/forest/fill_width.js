// Fill width: the trees of a short text are spread until they fill their line; letters and joints keep their shape.

/** Leaves are spread so far at most, and trees enlarged so far. */
const MAX_SPREAD = 4, MAX_ZOOM = 1.5;
/** Of the window's height trees are enlarged to: what stands below them is to be seen too. */
const PART_OF_HEIGHT = 0.34;
/** Pixels that stand beside each pretoken's trees. */
const BESIDE = 13;

/**
 * How far trees of this natural width are enlarged and then spread to fill a line: 1 and 1 where they need more.
 * They are enlarged to a height of `maxHeight` at most, the highest being `height`.
 * @param {{width: number, nPretokens: number, room: number, height?: number, maxHeight?: number}} line in pixels
 */
export function spreadOf({ width, nPretokens, room, height = 0, maxHeight = Infinity }) {
  const free = room - nPretokens * BESIDE;
  if (width <= 0 || free <= width) return { zoom: 1, spread: 1 };
  const zoom = Math.min(MAX_ZOOM, Math.sqrt(free / width), Math.max(1, maxHeight / height));
  return { zoom, spread: Math.max(1, Math.min(MAX_SPREAD, (free - 1) / zoom / width)) };
}

/**
 * A path of a tree with its x moved: "M12 3V4H5" and 2 is "M24 3V4H10".
 * @param {string} path
 * @param {number} by
 */
export function spreadPath(path, by) {
  return path.replace(/([MH])(-?[\d.]+)/g, (_, letter, x) => `${letter}${round(Number(x) * by)}`);
}

/** @param {number} x */
const round = (x) => Math.round(x * 1000) / 1000;

/** Let the trees below `root` fill its width where they need less; `scale` is how large the page's type is. @param {HTMLElement} root @param {number} scale */
export function fillWidth(root, scale) {
  const style = getComputedStyle(root), pretokens = root.children;
  const room = (root.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) / scale;
  if (!(room > 0)) return; // hidden, or gone: then there is no padding either
  const trees = pretokens.length > 60 ? [] : [.../** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("svg.tree"))];
  const natural = (/** @type {SVGSVGElement} */ tree) => Number(tree.dataset.width ??= tree.getAttribute("width") ?? "0");
  const width = trees.reduce((sum, tree) => sum + natural(tree), 0);
  const height = Math.max(0, ...trees.map((tree) => Number(tree.getAttribute("height"))));
  const maxHeight = (PART_OF_HEIGHT * innerHeight) / scale;
  const { zoom, spread } = spreadOf({ width, nPretokens: pretokens.length, room, height, maxHeight });
  root.style.setProperty("--scale", String(round(scale * zoom)));
  for (const tree of trees.length ? trees : /** @type {NodeListOf<SVGSVGElement>} */ (root.querySelectorAll("svg[data-spread]"))) {
    spreadTree(tree, natural(tree), trees.length ? spread : 1);
  }
}

/** Let a race be as large as the page's type, and fill its line. @param {SVGSVGElement} race @param {number} room in pixels @param {number} scale */
export function zoomRace(race, room, scale) {
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
