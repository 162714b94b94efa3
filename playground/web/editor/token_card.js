// What the reader chooses in the token pane: a floating tip on a token, a card with everything about it, and a selection of several.

import { button, element } from "../shared/element.js";
import { term } from "../shared/glossary.js";
import { count, shownInLine } from "../shared/wording.js";

/** @typedef {import("./editor_actions.js").TokenDetails} TokenDetails */
/** Pages that can open a token's text. @typedef {"merge_tree" | "compare"} Elsewhere */

/**
 * `fetchToken` gets a token by index, null if it was replaced meanwhile; `onShow` is called when its card is shown,
 * `onError` if it can't be; `openIn` opens a text on another page.
 * @typedef {{fetchToken: (index: number) => Promise<TokenDetails | null>, getLength: () => number,
 *   onShow: (index: number) => void, onClose: () => void, onError: (error: Error) => void,
 *   openIn: (page: Elsewhere, text: string) => void}} CardUse
 */

export class TokenCard {
  /** @param {HTMLElement} root @param {CardUse} use */
  constructor(root, use) {
    this.root = root;
    this.use = use;
    /** @type {HTMLElement | null} what had the focus before, and gets it back */
    this.opener = null;
    this.nAsked = 0;
    this.index = 0;
  }

  /** Handle a key inside the card. @param {KeyboardEvent} event */
  walk({ key, ctrlKey, metaKey, altKey, shiftKey }) {
    if (ctrlKey || metaKey || altKey || shiftKey) return;
    if (key === "ArrowLeft") this.step(-1);
    if (key === "ArrowRight") this.step(1);
  }

  /** Show the previous or next token. @param {1 | -1} by */
  step(by) {
    const next = this.index + by;
    if (next >= 0 && next < this.use.getLength()) this.open(next, this.opener ?? this.root);
  }

  /** Show a token by index. @param {number} index @param {HTMLElement} opener gets the focus when the card closes */
  async open(index, opener) {
    const n = ++this.nAsked;
    this.index = index; // a second key press continues from here
    try {
      const details = await this.use.fetchToken(index);
      if (details && n === this.nAsked) this.draw(details, index, opener);
    } catch (error) {
      this.use.onError(/** @type {Error} */ (error));
    }
  }

  /** @param {TokenDetails} details @param {number} index @param {HTMLElement} opener */
  draw(details, index, opener) {
    const { root } = this, focused = getFocused(root), isInside = root.contains(focused);
    const pane = /** @type {HTMLElement | null | undefined} */ (focused?.closest(".tokens"));
    if (!isInside) this.opener = pane ?? opener;
    const label = isInside ? focused?.getAttribute("aria-label") : null;
    const buttons = [
      button("←", "Previous token (←)", () => this.step(-1)),
      button("→", "Next token (→)", () => this.step(1)),
      button("×", "Close (Esc)", () => this.close(true)),
    ];
    root.replaceChildren(makeHeading(details, buttons), makeFacts(details), ...makeUnstable(details), this.makeLinks(details), makeTables(details));
    root.hidden = false;
    // On a phone, where the page scrolls, the card is at the foot of the window.
    const isSheet = getComputedStyle(root).getPropertyValue("--sheet") !== "";
    root.popover = isSheet ? "manual" : null;
    if (isSheet) root.showPopover();
    this.use.onShow(index);
    const again = label ? buttons.find((each) => each.getAttribute("aria-label") === label) : undefined;
    (again ?? root).focus({ preventScroll: true });
  }

  /** The pages that can show the token, or the character that it is a part of. @param {TokenDetails} details */
  makeLinks({ text, character }) {
    const links = element("p", "elsewhere"), open = (/** @type {Elsewhere} */ page) => this.use.openIn(page, text ?? character);
    links.append(
      button("Open in Merge tree", "The merges that produce this token in this tokenizer", () => open("merge_tree")),
      button("Compare", "This token's text in several tokenizers", () => open("compare")),
    );
    return links;
  }

  /** Close it, or cancel opening it. */
  close(isAsked = false) {
    if (isAsked) this.nAsked += 1;
    if (this.root.hidden) return;
    this.root.hidden = true;
    if (isAsked) this.opener?.focus({ preventScroll: true });
    this.use.onClose();
  }
}

/** The focused element, in the document or shadow root of an element. @param {Element} near */
const getFocused = (near) => /** @type {ShadowRoot} */ (near.getRootNode()).activeElement;

/** @param {TokenDetails} details @param {HTMLElement[]} buttons */
function makeHeading({ id, text, character }, buttons) {
  const heading = element("h2"), tools = element("span", "tools");
  tools.append(...buttons);
  heading.append(
    element("span", "", String(id)),
    element("span", "", text === null ? `part of "${shownInLine(character)}"` : `"${shownInLine(text)}"`),
    tools,
  );
  return heading;
}

/** @param {TokenDetails} details */
function makeFacts(details) {
  /** @type {[name: string | HTMLElement, value: string, isWide?: boolean][]} */
  const facts = [
    [term("rank"), details.rank === null ? (details.is_special ? "none: a special token" : "none") : count(details.rank)],
    ["in this text", `${count(details.n_occurrences)} ×`],
    ["bytes", `${count(details.byte_start)} to ${count(details.byte_end)}`],
    ["characters", `${count(details.char_start)} to ${count(details.char_end)}`],
    ["hex", details.hex, true],
  ];
  const { spelled, text, character, is_special, is_in_byte_letters } = details;
  if (text !== null && text !== character) facts.push(["typed", character ? `"${shownInLine(character)}"` : "nothing: the tokenizer adds it", true]);
  if (is_in_byte_letters) facts.push(["byte letters", spelled, true]);
  else if (spelled !== text && !is_special) facts.push(["in its file", spelled, true]);
  const list = element("dl");
  for (const [name, value, isWide] of facts) {
    list.appendChild(element("dt")).append(name);
    list.append(element("dd", isWide ? "wide" : "", value));
  }
  return list;
}

/** Say whether further text may change this token. @param {TokenDetails} details */
function makeUnstable({ unstable }) {
  if (!unstable) return [];
  const { n_tokens, n_completions, first } = unstable, line = element("p", "unstable");
  const what = n_tokens === 1 ? "This token" : `The last ${count(n_tokens)} tokens`;
  line.append(`${what} can still change as you type: ${count(n_completions)} continuations are possible, such as `);
  for (const text of first) line.append(element("code", "", shownInLine(text)), " ");
  if (n_completions > first.length) line.append("…");
  return [line];
}

/** @param {TokenDetails} details */
function makeTables({ code_points, variants }) {
  const tables = element("div", "tables");
  const points = code_points.map((point) => [point.code_point, point.name, point.utf8, point.utf16, point.utf32]);
  tables.append(makeTable([term("code point"), "name", "UTF-8", "UTF-16", "UTF-32"], points));
  const rows = variants.map(({ text, ids }) => [`"${shownInLine(text)}"`, String(ids.length), ids.join(" ")]);
  if (rows.length) tables.append(makeTable(["other spelling", "tokens", "ids"], rows));
  return tables;
}

/** @param {(string | HTMLElement)[]} head @param {string[][]} rows */
function makeTable(head, rows) {
  const table = element("table");
  const addRow = (/** @type {(string | HTMLElement)[]} */ cells, /** @type {"th" | "td"} */ name) => {
    const row = table.insertRow();
    for (const cell of cells) row.appendChild(element(name)).append(cell);
  };
  addRow(head, "th");
  for (const cells of rows) addRow(cells, "td");
  return table;
}

const GAP = 6, EDGE = 4; // in CSS pixels, to the token and to the sides of the editor

/** A short description that floats beside a token. */
export class TokenTip {
  /** @param {HTMLElement} tip */
  constructor(tip) {
    this.tip = tip;
  }

  /** Show a sentence beside a token, above it if there is room. @param {string} sentence @param {Element | undefined} token */
  show(sentence, token) {
    const { tip } = this;
    tip.textContent = sentence;
    tip.hidden = false;
    const box = token?.getClientRects()[0] ?? token?.getBoundingClientRect(), home = tip.offsetParent?.getBoundingClientRect();
    if (!box || !home) return this.hide();
    const left = Math.max(EDGE, Math.min(box.left - home.left, home.width - tip.offsetWidth - EDGE));
    const above = box.top - home.top - tip.offsetHeight - GAP;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 0 ? above : box.bottom - home.top + GAP}px`;
  }

  hide() {
    this.tip.hidden = true;
  }
}

/** The first and last token that a selection touches; null if it touches none. @param {HTMLElement} root @returns {[Element, Element] | null} */
export function selectedTokens(root) {
  const range = rangeIn(root);
  if (!range) return null;
  const { startContainer, startOffset, endContainer, endOffset } = range;
  let first = tokenOf(startContainer), last = tokenOf(endContainer);
  if (first && startOffset === startContainer.textContent?.length) first = stepToken(first, 1);
  if (last && endOffset === 0) last = stepToken(last, -1);
  if (!first || !last) {
    // It begins or ends between tokens, or outside the pane.
    const live = document.createRange();
    live.setStart(startContainer, startOffset);
    live.setEnd(endContainer, endOffset);
    const touched = [...root.querySelectorAll(".t")].filter((token) => live.intersectsNode(token));
    first ??= touched[0] ?? null;
    last ??= touched.at(-1) ?? null;
  }
  const isOrdered = first && last && (first === last || first.compareDocumentPosition(last) & Node.DOCUMENT_POSITION_FOLLOWING);
  return first && last && isOrdered ? [first, last] : null;
}

/** The selection, if it touches an element and is not empty. @param {HTMLElement} root @returns {StaticRange | Range | null} */
function rangeIn(root) {
  const tree = root.getRootNode(), selection = document.getSelection();
  if (!selection) return null;
  const shadowRoots = tree instanceof ShadowRoot ? [tree] : [];
  const range = selection.getComposedRanges?.({ shadowRoots })[0] ?? (selection.rangeCount ? selection.getRangeAt(0) : null);
  if (!range || range.collapsed) return null;
  return root.contains(range.startContainer) || root.contains(range.endContainer) ? range : null;
}

/** @param {Node} node @returns {Element | null} */
const tokenOf = (node) => (node instanceof Element ? node : node.parentElement)?.closest(".t") ?? null;

/** The previous or next token, also in a neighbouring block. @param {Element} token @param {1 | -1} by @returns {Element | null} */
function stepToken(token, by) {
  const next = (/** @type {Element} */ from) => (by > 0 ? from.nextElementSibling : from.previousElementSibling);
  for (let found = next(token); found; found = next(found)) if (found.matches(".t")) return found;
  for (let block = token.parentElement && next(token.parentElement); block; block = next(block)) {
    const tokens = [...block.querySelectorAll(".t")];
    if (tokens.length) return tokens.at(by > 0 ? 0 : -1) ?? null;
  }
  return null;
}
