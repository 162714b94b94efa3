// Picture: the tokens in view as SVG, exactly as they are laid out.

import { svgElement } from "../shared/element.js";

/** @typedef {(name: "title" | "rect" | "text", attributes: Record<string, string | number>, text?: string) => Element} Add */

/**
 * An SVG document of the visible tokens of a pane, as text.
 * @param {HTMLElement} root
 * @param {string} title
 */
export function paneToSvg(root, title) {
  const style = getComputedStyle(root), home = root.getBoundingClientRect();
  const svg = svgElement("svg");
  /** @type {Add} */
  const add = (name, attributes, text) => {
    const element = svgElement(name, attributes);
    if (text !== undefined) element.textContent = text;
    svg.append(element);
    return element;
  };
  add("title", {}, title);
  const paper = add("rect", { width: "100%", height: "100%", fill: style.getPropertyValue("--st-background-color") });
  let bottom = 0;
  const isSeen = (/** @type {DOMRect} */ box) => box.bottom > home.top + 4 && box.top < home.bottom - 4 && box.width > 0;
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".t, .dropped, .gutter"))) {
    const isGutter = element.classList.contains("gutter");
    const look = getComputedStyle(element, isGutter ? "::before" : null);
    const lines = isGutter ? [{ text: element.dataset.n ?? "", box: element.getBoundingClientRect() }] : textLines(element);
    for (const { text, box } of lines) {
      if (!isSeen(box) && !(isGutter && box.bottom > home.top && box.top < home.bottom)) continue;
      const x = box.left - home.left, y = box.top - home.top;
      bottom = Math.max(bottom, y + box.height);
      if (element.classList.contains("t")) add("rect", { x, y, width: Math.max(box.width - 1, 1), height: box.height, rx: 3, fill: look.backgroundColor });
      if (element.classList.contains("many")) markParts(add, element, x, y + box.height, box.width, style.color);
      if (!text.trim()) continue;
      /** @type {Record<string, string | number>} */
      const anchor = isGutter ? { x: x + 38, "text-anchor": "end" } : { x, textLength: box.width, lengthAdjust: "spacingAndGlyphs" };
      const font = { "font-family": isGutter ? "sans-serif" : "monospace", "font-size": look.fontSize, "text-decoration": isGutter ? "none" : look.textDecorationLine };
      add("text", { ...anchor, ...font, y: y + box.height * 0.76, fill: look.color, "xml:space": "preserve" }, text);
    }
  }
  const width = Math.ceil(home.width), height = Math.ceil(Math.min(bottom + 10, home.height));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  paper.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(svg);
}

/** The text of an element line by line, as it was broken, each with its box. @param {HTMLElement} element */
function textLines(element) {
  const range = document.createRange(), node = element.firstChild;
  range.selectNodeContents(element);
  // One that is wider than the pane is a box of its own, with lines inside.
  const boxes = [...(element.classList.contains("long") ? range : element).getClientRects()];
  const text = (element.textContent ?? "").replaceAll("\n", "");
  if (boxes.length <= 1 || !(node instanceof Text)) return boxes.slice(0, 1).map((box) => ({ text, box }));
  const lines = boxes.map((box) => ({ text: "", box }));
  for (let i = 0; i < node.length; i++) {
    range.setStart(node, i);
    range.setEnd(node, i + 1);
    const at = range.getBoundingClientRect();
    const line = lines.find(({ box }) => at.top < box.bottom - 2 && at.bottom > box.top + 2);
    if (line && node.data[i] !== "\n") line.text += node.data[i];
  }
  return lines;
}

/** A line below each token of a segment. @param {Add} add @param {HTMLElement} element @param {number} x @param {number} y @param {number} width @param {string} color */
function markParts(add, element, x, y, width, color) {
  const n = Number(element.style.getPropertyValue("--n"));
  for (let i = 0; i < n; i++) add("rect", { x: x + (i * width) / n, y: y - 2, width: Math.max(width / n - 2, 0.5), height: 2, fill: color });
}
