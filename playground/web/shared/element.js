// Elements: made with their class and text, and found below a root that must have them.

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
