// Saves a chart of the page: Streamlit draws Vega charts as SVG, which is saved as shown.

import { dataOf, find, svgElement } from "../shared/element.js";
import { component } from "../shared/mount.js";
import { pictureKind, savePicture } from "../shared/save.js";

/** Data from Python: the key of the chart's container, and a name. @typedef {import("../shared/wire_types.d.ts").ChartData} Data */

export default component(".save-chart", (root, signal) => {
  /** @type {Data | null} */
  let asked = null;
  /** @type {import("../shared/save.js").PictureKind | null} pressed while the chart is being drawn */
  let wanted = null;
  const save = () => {
    if (!wanted || !asked) return;
    // Vega begins with an empty group.
    const place = document.querySelector(`.st-key-${CSS.escape(asked.chart)}`), drawn = place?.querySelector("svg.marks:has(g > *)");
    const isDrawn = drawn instanceof SVGSVGElement, hasTable = place?.querySelector("[data-testid=stDataFrame]");
    const why = hasTable ? "The chart's data is shown: press Show chart first." : "It is saved as soon as the chart is drawn.";
    if (isDrawn) savePicture(chartToSvg(drawn), wanted, asked.file_name);
    if (isDrawn || hasTable) wanted = null;
    drawing.disconnect();
    find(root, ".problem").textContent = isDrawn ? "" : why;
    if (wanted) drawing.observe(document.body, { childList: true, subtree: true });
  };
  const drawing = new MutationObserver(save);
  const onClick = (/** @type {Event} */ event) => {
    wanted = pictureKind(dataOf(event, "picture")) ?? wanted;
    save();
  };
  root.addEventListener("click", onClick, { signal });
  return {
    /** @param {import("../shared/mount.js").Given<Data>} given */
    update: ({ data }) => {
      asked = data;
    },
    destroy: () => drawing.disconnect(),
  };
});

/** Pixels around a saved chart, because other programs may use a wider font. */
const MARGIN = 24;

/** Return a drawn chart as an SVG document on the page's background colour. @param {SVGSVGElement} drawn */
export function chartToSvg(drawn) {
  const copy = /** @type {SVGSVGElement} */ (drawn.cloneNode(true));
  copy.removeAttribute("style");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const { width, height } = drawn.viewBox.baseVal;
  const box = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  copy.setAttribute("viewBox", Object.values(box).join(" "));
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  const fill = getComputedStyle(find(document, ".stApp")).backgroundColor;
  copy.prepend(svgElement("rect", { ...box, fill }));
  return new XMLSerializer().serializeToString(copy);
}
