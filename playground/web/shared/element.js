// Creates and finds elements: buttons, links, icons and notes; and updates only the changed elements of a list.

/**
 * An element with a class and a text. The text is never parsed as markup.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [className]
 * @param {string} [text]
 */
export function element(name, className = "", text = undefined) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Texts joined by " + ", each in the direction of its own script. @param {string[]} texts @returns {(string | HTMLElement)[]} */
export const joined = (texts) => texts.flatMap((text, i) => [i ? " + " : "", element("bdi", "", text)]);

/**
 * An SVG element with attributes.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} [attributes]
 */
export function svgElement(name, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/**
 * A button with a tooltip, which is also its accessible name if its text is only a sign.
 * @param {string} text
 * @param {string} label
 * @param {() => void} onClick
 */
export function button(text, label, onClick) {
  const made = element("button", "", text);
  made.type = "button";
  made.title = label;
  if (text.length < 3) made.setAttribute("aria-label", label);
  made.addEventListener("click", onClick);
  return made;
}

/**
 * Return the first element below `root` that matches a selector. Throws an Error if there is none of this kind.
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} [kind]
 * @returns {T}
 */
export function find(root, selector, kind = /** @type {any} */ (HTMLElement)) {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`${selector} is ${found ? `a ${found.nodeName}` : "missing"}; a ${kind.name} is needed`);
}

/**
 * Replace the options of a select if they have changed, so that an open list stays open.
 * @param {HTMLSelectElement} select
 * @param {[value: string, label: string][]} options
 */
export function fillSelect(select, options) {
  const wanted = JSON.stringify(options);
  if (select.dataset.options === wanted) return;
  select.dataset.options = wanted;
  select.replaceChildren(...options.map(([value, label]) => new Option(label, value)));
}

/**
 * The closest element with a data attribute to an event's target, and the attribute's value.
 * @param {Event} event
 * @param {string} name as in `dataset`
 */
export function dataOf(event, name) {
  const target = event.target;
  if (!(target instanceof Element)) return undefined;
  const attribute = `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return target.closest(`[${attribute}]`)?.getAttribute(attribute) ?? undefined;
}

/**
 * A sentence below the field; of kind "error" for a problem.
 * @param {string} sentence
 * @param {"" | "error" | "quiet"} [kind]
 */
export const note = (sentence, kind = "") => element("div", `note ${kind}`, sentence);

/** The problems of a page, one sentence for each reason, followed by notes that are computed each time. */
export class Notes {
  /**
   * @param {HTMLElement} root
   * @param {() => (HTMLElement | null)[]} makeLast notes below the others, such as a way back
   * @param {HTMLElement} [page] marked as stale while the text or the server has a problem: what it shows is older
   */
  constructor(root, makeLast = () => [], page = undefined) {
    this.root = root;
    this.page = page;
    this.makeLast = makeLast;
    /** @type {Map<string, string>} */
    this.problems = new Map();
  }

  /** Set the problem for a reason; "" removes it. @param {string} reason @param {string} sentence */
  problem(reason, sentence) {
    if ((this.problems.get(reason) ?? "") === sentence) return;
    if (sentence) this.problems.set(reason, sentence);
    else this.problems.delete(reason);
    this.page?.classList.toggle("stale", this.problems.has("text") || this.problems.has("server"));
    this.draw();
  }

  draw() {
    const problems = [...this.problems.values()].map((sentence) => note(sentence, "error"));
    this.root.replaceChildren(...problems, ...this.makeLast().filter((made) => made !== null));
  }
}

/** The icons, as paths in a box of 24 by 24. */
const PATHS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
};

/** @typedef {keyof typeof PATHS} IconName */

/** An icon as tall as the text beside it, hidden from screen readers. @param {IconName} name */
function icon(name) {
  const made = svgElement("svg", { viewBox: "0 0 24 24", width: "1em", height: "1em", fill: "currentColor", "aria-hidden": "true" });
  made.classList.add("icon");
  made.dataset.icon = name;
  made.append(svgElement("path", { d: PATHS[name] }));
  return made;
}

/** Show an icon in a button, followed by a text if there is room. @param {HTMLElement} made @param {IconName} name @param {string} [text] */
export function showIcon(made, name, text = "") {
  if (made.dataset.shows === `${name} ${text}`) return; // replacing the content would interrupt a press
  made.dataset.shows = `${name} ${text}`;
  made.replaceChildren(icon(name), ...(text ? [` ${text}`] : []));
}

/**
 * The number of items that two lists share at the start, and of the remaining ones at the end.
 * @template T, U
 * @param {T[]} old
 * @param {U[]} now
 * @param {(one: T, other: U) => boolean} isSame
 * @returns {[nHead: number, nTail: number]}
 */
export function countCommonEnds(old, now, isSame) {
  const limit = Math.min(old.length, now.length);
  let nHead = 0, nTail = 0;
  while (nHead < limit && isSame(old[nHead], now[nHead])) nHead++;
  while (nTail < limit - nHead && isSame(old[old.length - 1 - nTail], now[now.length - 1 - nTail])) nTail++;
  return [nHead, nTail];
}

/** The items that the first children of a box show, as JSON. @type {WeakMap<Node, string[]>} */
const SHOWN = new WeakMap();

/**
 * Update the first children of a box to show these items. Items before and after the change keep their elements,
 * because each new element is styled, laid out and painted. Further children of the box stay.
 * @template Item
 * @param {Element} box
 * @param {readonly Item[]} items plain data that determines the element
 * @param {(item: Item) => Node} make
 */
export function fillKept(box, items, make) {
  const before = SHOWN.get(box) ?? [], after = items.map((item) => JSON.stringify(item));
  const [nHead, nTail] = countCommonEnds(before, after, (one, other) => one === other);
  for (const gone of [...box.children].slice(nHead, before.length - nTail)) gone.remove();
  const next = box.children[nHead] ?? null;
  for (const item of items.slice(nHead, items.length - nTail)) box.insertBefore(make(item), next);
  SHOWN.set(box, after);
}

/** Set an element's text, if it has changed. @param {Element} box @param {string} text */
export function write(box, text) {
  if (box.textContent !== text) box.textContent = text;
}
