// Makes and finds elements: buttons, links, icons and notes; and redraws only what has changed in a row of elements.

/**
 * An element with a class and a text; the text is never read as markup.
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

/** Texts with " + " between them, each in the direction of its own script. @param {string[]} texts @returns {(string | HTMLElement)[]} */
export const joined = (texts) => texts.flatMap((text, i) => [i ? " + " : "", element("bdi", "", text)]);

/**
 * An element of a drawing with its attributes.
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
 * A button; `label` is its title, and its name where the text is only a sign.
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
 * The first element below `root` that a selector finds. Throws an Error where there is none of this kind.
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
 * Replace the options of a select, unless they are these already: a list that is open stays open.
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
 * The element with a data attribute that an event came from or from within, and the attribute's value.
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
 * A sentence below the field; of kind "error" where something is wrong.
 * @param {string} sentence
 * @param {"" | "error" | "quiet"} [kind]
 */
export const note = (sentence, kind = "") => element("div", `note ${kind}`, sentence);

/** What is wrong with a page, one sentence a reason, and the last notes, which are asked for each time. */
export class Notes {
  /**
   * @param {HTMLElement} root
   * @param {() => (HTMLElement | null)[]} makeLast notes below the others, such as a way back
   */
  constructor(root, makeLast = () => []) {
    this.root = root;
    this.makeLast = makeLast;
    /** @type {Map<string, string>} */
    this.problems = new Map();
  }

  /** Say what is wrong for a reason, or that it is no longer: an empty sentence. @param {string} reason @param {string} sentence */
  problem(reason, sentence) {
    if ((this.problems.get(reason) ?? "") === sentence) return;
    if (sentence) this.problems.set(reason, sentence);
    else this.problems.delete(reason);
    this.draw();
  }

  /** Whether something is wrong for one of these reasons. @param {string[]} reasons */
  hasProblem(...reasons) {
    return reasons.some((reason) => this.problems.has(reason));
  }

  draw() {
    const problems = [...this.problems.values()].map((sentence) => note(sentence, "error"));
    this.root.replaceChildren(...problems, ...this.makeLast().filter((made) => made !== null));
  }
}

/** The shape of each icon, as a path in a box of 24 by 24. */
const PATHS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
};

/** @typedef {keyof typeof PATHS} IconName */

/** An icon as an element, as large as the text beside it; reading aids pass it over. @param {IconName} name */
function icon(name) {
  const made = svgElement("svg", { viewBox: "0 0 24 24", width: "1em", height: "1em", fill: "currentColor", "aria-hidden": "true" });
  made.classList.add("icon");
  made.dataset.icon = name;
  made.append(svgElement("path", { d: PATHS[name] }));
  return made;
}

/** Show an icon in a button, with text beside it where there is room. @param {HTMLElement} made @param {IconName} name @param {string} [text] */
export function showIcon(made, name, text = "") {
  if (made.dataset.shows === `${name} ${text}`) return; // a press that has begun stays on its element
  made.dataset.shows = `${name} ${text}`;
  made.replaceChildren(icon(name), ...(text ? [` ${text}`] : []));
}

/**
 * How many items two lists share at the start, and of the rest at the end.
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

/** What the first children of a box show. @type {WeakMap<Node, string[]>} */
const SHOWN = new WeakMap();

/**
 * Make the first children of a box those that `make` gives for each item. Items before and after what has changed keep their
 * elements, for each new one is styled, laid out and painted; what stands behind them in the box stays, too.
 * @template Item
 * @param {Element} box
 * @param {readonly Item[]} items plain data, all that the look of one depends on
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

/** Write a text into an element, unless it stands there. @param {Element} box @param {string} text */
export function write(box, text) {
  if (box.textContent !== text) box.textContent = text;
}
