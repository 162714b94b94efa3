// Exports the shown tokens: ids, JSON, Python code, or an SVG picture.

import { button, dataOf, find, svgElement } from "../shared/element.js";
import { copyText, pictureKind, saveFile, savePicture } from "../shared/save.js";
import { hasRightToLeft } from "../shared/unicode.js";
import { counted } from "../shared/wording.js";

const SAID_MS = 9000;
const NAMES = { ids: "ids", json: "JSON", python: "Python" };

/** @typedef {keyof typeof NAMES} CopyKind */
/** @typedef {{tokenizer: string, nTokens: number}} Shown */

/**
 * The buttons below the tokens. `getShown` resolves when everything typed is shown; `getText` resolves to the text to
 * copy; `savePage` saves a page and resolves to a sentence; `isOfVersions`: whether two versions are in view.
 * @typedef {{getShown: () => Promise<Shown>, isOfVersions: () => boolean, getText: (kind: CopyKind) => Promise<import("../shared/wire_types.d.ts").Snippet>,
 *   getFile: (file: string) => Promise<Blob>, savePage: () => Promise<string>}} Source
 */

export class TakeAway {
  /** @param {HTMLElement} root @param {AbortSignal} signal @param {Source} source */
  constructor(root, signal, source) {
    this.root = root;
    this.source = source;
    this.said = find(root, ".take-away .said");
    const onClick = (/** @type {Event} */ event) => {
      const kind = dataOf(event, "copy"), picture = pictureKind(dataOf(event, "picture"));
      const saved = picture ? this.save(picture) : dataOf(event, "page") !== undefined ? this.savePage() : null;
      const done = kind !== undefined ? this.copy(/** @type {CopyKind} */ (kind)) : saved;
      done?.then((sentence) => this.say(sentence), (error) => this.say(error.message));
    };
    find(root, ".take-away").addEventListener("click", onClick, { signal });
  }

  /** @param {CopyKind} kind */
  async copy(kind) {
    const { nTokens } = await this.source.getShown();
    const { snippet, file } = await this.source.getText(kind);
    await copyText(snippet);
    this.offer(file);
    return `Copied ${counted(nTokens, "token")} as ${NAMES[kind]}.`;
  }

  /** Show a button that saves the vocabulary file of a copied program; "" hides it. @param {string} file */
  offer(file) {
    const place = find(this.root, ".program-file"), save = () => {
      this.source.getFile(file).then((content) => saveFile(content, file), (error) => this.say(error.message));
    };
    place.replaceChildren(...(file ? ["The program reads a vocabulary file. ", button(`Save ${file}`, "Save it in the folder of the program", save)] : []));
  }

  /** @param {import("../shared/save.js").PictureKind} kind */
  async save(kind) {
    const { tokenizer, nTokens } = await this.source.getShown();
    const pane = find(this.root, this.source.isOfVersions() ? ".difference" : ".tokens");
    const svg = paneToSvg(pane, `${counted(nTokens, "token")} of ${tokenizer}`);
    await savePicture(svg, kind, `tokens-${tokenizer}`);
    return "Saved the tokens in view.";
  }

  async savePage() {
    await this.source.getShown();
    return this.source.savePage();
  }

  /** Show a message for a moment. @param {string} sentence */
  say(sentence) {
    this.said.textContent = sentence;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.said.textContent = ""), SAID_MS);
  }
}

/** Letters of joining scripts, with their marks, at the end and at the start of a token. */
const JOINS_NEXT = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}]\p{M}*$/u, JOINS_LAST = /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{M}]/u;

/** The elements of a picture: tokens with their ids, dropped text, tokens per line, and sentences about two versions. */
const DRAWN = ":is(.t, .t > small, .dropped):not(.changes-key *), .gutter, .change > *, .parts > *, .gap";

/** Text in one line and one direction. @typedef {{text: string, box: DOMRect, direction?: "ltr" | "rtl"}} Part */
/** @typedef {(name: "title" | "rect" | "text", attributes: Record<string, string | number>, text?: string) => Element} Add */

/**
 * Return an SVG document of the visible tokens of a pane.
 * @param {HTMLElement} root
 * @param {string} title
 */
function paneToSvg(root, title) {
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
  /** The text element written last. @type {{text: Element, left: number, right: number, key: string} | null} */
  let last = null;
  const isSeen = (/** @type {DOMRect} */ box) => box.bottom > home.top + 4 && box.top < home.bottom - 4 && box.width > 0;
  for (const { element, parts } of writtenBelow(root)) {
    if (element.classList.contains("gutter")) {
      const box = element.getBoundingClientRect(), look = getComputedStyle(element, "::before");
      if (box.bottom <= home.top || box.top >= home.bottom) continue;
      bottom = Math.max(bottom, box.bottom - home.top);
      add("text", { x: box.left - home.left + 38, "text-anchor": "end", "font-family": "sans-serif", "font-size": look.fontSize, y: baselineOf(box, home), fill: look.color }, element.dataset.n ?? "");
      continue;
    }
    const look = getComputedStyle(element), boxes = boxesOf(element).filter(isSeen);
    const edge = look.outlineStyle === "solid" ? parseFloat(look.outlineWidth) : 0;
    for (const box of boxes) {
      const x = box.left - home.left, y = box.top - home.top;
      bottom = Math.max(bottom, y + box.height);
      const outline = edge && { stroke: look.outlineColor, "stroke-width": edge };
      if (element.matches(".t, .part")) add("rect", { x: x + edge / 2, y: y + edge / 2, width: Math.max(box.width - (edge || 1), 1), height: box.height - edge, rx: 3, fill: look.backgroundColor, ...outline });
      if (element.classList.contains("many")) markParts(add, element, x, y + box.height, box.width, style.color);
    }
    const font = { "font-family": element.matches(".t, .dropped") ? "monospace" : "sans-serif", "font-size": look.fontSize, "font-weight": look.fontWeight, "font-style": look.fontStyle, "text-decoration": look.textDecorationLine };
    for (const { text, box, direction = "ltr" } of parts) {
      const around = boxes.find((each) => each.top < box.bottom - 2 && each.bottom > box.top + 2);
      if (!around || !text.trim()) continue;
      const y = baselineOf(around, home), key = JSON.stringify([y, font, look.color]);
      // Joining letters, such as Arabic ones, get their shapes from their neighbours, so they share one text element.
      if (last && last.key === key && JOINS_NEXT.test(last.text.textContent ?? "") && JOINS_LAST.test(text) && Math.abs(last.left - box.right) < 1) {
        last.left = box.left;
        last.text.textContent += text;
        last.text.setAttribute("textLength", String(last.right - last.left));
        svg.append(last.text); // above the box of this token
        continue;
      }
      const begin = direction === "rtl" ? box.right : box.left;
      const written = add("text", { x: begin - home.left, direction, textLength: box.width, lengthAdjust: "spacingAndGlyphs", ...font, y, fill: look.color, "xml:space": "preserve" }, text);
      last = { text: written, left: box.left, right: box.right, key };
    }
  }
  const width = Math.ceil(home.width), height = Math.ceil(Math.min(bottom + 10, home.height));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  paper.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(svg);
}

/** The position of a line's letters. @param {DOMRect} box @param {DOMRect} home */
const baselineOf = (box, home) => box.top - home.top + box.height * 0.76;

/** An element's boxes: one for each line and direction. @param {HTMLElement} element */
function boxesOf(element) {
  // A token wider than the pane is one box, with lines inside.
  if (!element.classList.contains("long")) return [...element.getClientRects()];
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()];
}

/** Yield each drawn element with its text. @param {HTMLElement} root */
function writtenBelow(root) {
  const drawn = [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(DRAWN))].map((element) => ({ element, parts: [...writtenIn(element)] }));
  const parts = drawn.flatMap((each) => each.parts);
  parts.forEach((part, i) => (part.direction = directionOf(part, parts[i - 1], parts[i + 1])));
  return drawn;
}

/**
 * The direction of a part: that of its letters. Other characters have the direction of the letters that they touch,
 * or else of those before them; brackets are mirrored accordingly.
 * @param {Part} part @param {Part | undefined} before @param {Part | undefined} after
 */
function directionOf(part, before, after) {
  if (/\p{L}/u.test(part.text) || hasRightToLeft(part.text)) return hasRightToLeft(part.text) ? "rtl" : "ltr";
  const isLeftOf = (/** @type {Part | undefined} */ left, /** @type {Part | undefined} */ right) =>
    left && right && Math.abs(left.box.right - right.box.left) < 1 && Math.abs(left.box.top - right.box.top) < 2;
  if (isLeftOf(after, part) || isLeftOf(part, before)) return "rtl";
  if (isLeftOf(part, after) || isLeftOf(before, part)) return "ltr";
  return before && before.box.top < part.box.bottom && before.box.bottom > part.box.top && before.box.left > part.box.left ? "rtl" : "ltr";
}

/**
 * Yield the texts of an element with their boxes, each in one line and one direction, without tabs, which are only
 * space.
 * @param {HTMLElement} element
 * @returns {Generator<Part>}
 */
function* writtenIn(element) {
  const node = element.firstChild, range = document.createRange();
  if (!(node instanceof Text)) return;
  for (const { index, 0: text } of node.data.matchAll(/[^\t\n]+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + text.length);
    const parts = [...range.getClientRects()].map((box) => ({ text: "", box }));
    if (parts.length === 1) parts[0].text = text;
    yield* parts.length > 1 ? filledParts(parts, node, index, text) : parts;
  }
}

/** Add characters to the parts in reading order; a character without a box, such as an accent, joins the previous part. @param {Part[]} parts @param {Text} node @param {number} start @param {string} text */
function filledParts(parts, node, start, text) {
  const range = document.createRange(), read = new Set();
  let at = parts[0];
  for (const character of text) {
    range.setStart(node, start);
    range.setEnd(node, (start += character.length));
    const { left, right, top, bottom } = range.getBoundingClientRect(), x = (left + right) / 2, y = (top + bottom) / 2;
    at = [at, ...parts].find(({ box }) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom) ?? at;
    at.text += character;
    read.add(at);
  }
  return read;
}

/** Draw a line below each token of a segment. @param {Add} add @param {HTMLElement} element @param {number} x @param {number} y @param {number} width @param {string} color */
function markParts(add, element, x, y, width, color) {
  const n = Number(element.style.getPropertyValue("--n"));
  for (let i = 0; i < n; i++) add("rect", { x: x + (i * width) / n, y: y - 2, width: Math.max(width / n - 2, 0.5), height: 2, fill: color });
}
