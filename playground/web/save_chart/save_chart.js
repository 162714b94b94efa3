// A chart of the page as a file: Streamlit draws Vega charts as SVG, and what is seen is what is saved.

import { component } from "../shared/mount.js";
import { download, svgToPng } from "../shared/save_file.js";

export default component(".save-chart", (root, signal) => {
  let asked;
  const say = (text) => (root.querySelector(".problem").textContent = text);
  root.addEventListener("click", (event) => save(event, { ...asked, say }), { signal });
  return { update: ({ data }) => (asked = data) };
});

async function save(event, { chart, file_name, say }) {
  const kind = event.target.dataset.picture;
  if (!kind) return;
  const drawn = document.querySelector(`.st-key-${CSS.escape(chart)} svg.marks`);
  say(drawn ? "" : "There is no chart to save yet.");
  if (!drawn) return;
  const svg = chartToSvg(drawn);
  const blob = kind === "png" ? await svgToPng(svg) : new Blob([svg], { type: "image/svg+xml" });
  download(blob, `${file_name}.${kind}`);
}

/** Pixels around a saved chart: where it is opened, another font may take more room than the page's. */
const MARGIN = 24;

/** A drawn chart as an SVG document on the colour of the page. */
function chartToSvg(drawn) {
  const copy = drawn.cloneNode(true);
  copy.removeAttribute("style");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const { width, height } = drawn.viewBox.baseVal;
  const box = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  copy.setAttribute("viewBox", Object.values(box).join(" "));
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries(box)) paper.setAttribute(name, value);
  paper.setAttribute("fill", getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}
