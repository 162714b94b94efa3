// The aligned view: columns of all rows, wrapped together, in blocks that are filled when they come near the view.

import { countCommonEnds, element } from "../shared/element.js";
import { firstFree, Light, N_COLORS } from "../shared/token_strip.js";
import { baseDirection, hasJoiningLetters, hasRightToLeft, joinedText, layByLevel, levelsOf } from "../shared/unicode.js";
import { shownInLine } from "../shared/wording.js";
import { makeTimes } from "./views.js";
import { blockEnds, groupAt, isDropped, iterColumns, kindsOf, signature, tokensOf } from "./rows.js";

/** @typedef {import("./rows.js").Column} Column */
/** @typedef {import("./rows.js").Row} Row */

/**
 * A part of the text with its rows. It stays while its text and tokens are the same, so its positions count from its
 * own start; `firstGroups` are the rows' groups there.
 * @typedef {{element: HTMLElement, text: string, start: number, end: number, firstGroups: number[],
 *   isFilled: boolean, signature: string}} Block
 */

/** The column of an element, relative to the start of its block. @typedef {{block: Block, column: Column}} Place */

export class AlignedView {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.text = "";
    /** @type {Row[]} */
    this.rows = [];
    this.names = "";
    /** @type {Block[]} */
    this.blocks = [];
    /** @type {WeakMap<Element, Block>} */
    this.blockOf = new WeakMap();
    /** @type {WeakMap<Element, Place>} */
    this.placeOf = new WeakMap();
    /** @type {Element | null} */
    this.pointed = null;
    this.light = new Light();
    this.observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          const block = this.blockOf.get(target);
          if (isIntersecting && block) this.fill(block);
        }
      },
      { root, rootMargin: "200px 0px" },
    );
    this.wrapping = new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries) this.nameRows(/** @type {HTMLElement} */ (target), contentRect.height);
    });
    root.replaceChildren();
  }

  destroy() {
    this.observer.disconnect();
    this.wrapping.disconnect();
  }

  /** @param {string} text @param {Row[]} rows */
  show(text, rows) {
    this.point(null);
    const names = rows.map((row) => row.tokenizer_name).join();
    const old = names === this.names ? this.blocks : [];
    Object.assign(this, { text, rows, names });
    const places = cutPlaces(text, Math.max(1200 / Math.max(rows.length, 1), 200));
    const [nBefore, nAfter] = countCommonEnds(old, places, (block, place) => this.isSame(block, place));
    const removed = old.slice(nBefore, old.length - nAfter);
    const wasSeen = removed.some((block) => block.isFilled) || old.length === 0;
    const added = places.slice(nBefore, places.length - nAfter).map((place) => this.makeBlock(place));
    this.blocks = [...old.slice(0, nBefore), ...added, ...old.slice(old.length - nAfter)];
    this.blocks.forEach((block, i) => {
      Object.assign(block, places[i]);
      block.firstGroups = rows.map((row) => groupAt(row, block.start));
    });
    if (wasSeen) for (const block of added.slice(0, Math.max(removed.length, 1)).slice(0, 3)) this.fill(block);
    if (old.length === 0) this.root.replaceChildren();
    for (const block of removed) {
      for (const line of block.element.children) this.wrapping.unobserve(line);
      block.element.remove();
    }
    const fragment = document.createDocumentFragment();
    fragment.append(...added.map((block) => block.element));
    this.root.insertBefore(fragment, this.blocks[nBefore + added.length]?.element ?? null);
    for (const block of removed) this.observer.unobserve(block.element);
    for (const block of added) this.observer.observe(block.element);
  }

  /** @param {{start: number, end: number}} place @returns {Block} */
  makeBlock({ start, end }) {
    const made = element("div", "block");
    made.style.containIntrinsicSize = `auto ${Math.ceil((end - start) / 90) * (this.rows.length * 1.7 + 0.6)}rem`;
    const block = { element: made, text: this.text.slice(start, end), start, end, firstGroups: [], isFilled: false, signature: "" };
    this.blockOf.set(made, block);
    return block;
  }

  /** Whether a block shows the current state of a part of the text. @param {Block} block @param {{start: number, end: number}} place */
  isSame(block, { start, end }) {
    return block.text === this.text.slice(start, end) && (!block.isFilled || block.signature === signature(this.rows, start, end));
  }

  /** @param {Block} block */
  fill(block) {
    if (block.isFilled) return;
    block.isFilled = true;
    block.signature = signature(this.rows, block.start, block.end);
    const lines = [];
    /** @type {{column: Column, element: HTMLElement}[]} */
    let columns = [];
    let hasText = false, isEnded = false; // whether the line has text, and whether it has ended
    const colors = this.rows.map(() => -1), last = this.rows.map(() => -1);
    for (const column of iterColumns(this.rows, block.start, block.end)) {
      // If all rows start a token at a column, their tokens have the same colour, so that differences are visible.
      const common = column.nFound === this.rows.length ? firstFree(colors) : null;
      column.groups.forEach((group, r) => {
        if (group === last[r]) return;
        if (!isDropped(this.rows[r], group)) colors[r] = common ?? (colors[r] + 1) % N_COLORS;
        last[r] = group;
      });
      const text = this.text.slice(column.from, column.to), isBreak = /^[\r\n]+$/.test(text);
      // Empty lines have no rows of their own: their line breaks are drawn at the end of the previous line.
      if (isEnded && hasText && !isBreak) {
        lines.push(this.makeLine(columns));
        columns = [];
        hasText = isEnded = false;
      }
      columns.push({ column, element: this.makeColumn(block, column, colors) });
      hasText ||= !isBreak;
      isEnded ||= text.includes("\n");
    }
    if (columns.length) lines.push(this.makeLine(columns));
    block.element.append(...lines);
    for (const line of lines) this.wrapping.observe(line);
  }

  /** A line of the text, which may wrap, with the names of the rows before it. @param {{column: Column, element: HTMLElement}[]} columns */
  makeLine(columns) {
    const line = element("div", "text-line"), { from } = columns[0].column, { to } = columns[columns.length - 1].column;
    line.append(this.makeNames());
    if (!hasRightToLeft(this.text.slice(from, to))) {
      line.append(...this.togetherUntilCommon(columns));
      return line;
    }
    const lineStart = this.text.lastIndexOf("\n", from - 1) + 1, base = baseDirection(this.text.slice(from > 0 ? lineStart : 0, to));
    // White space before a word is separate, because a line may break there.
    const stretches = columns.flatMap(({ column, element: item }) => {
      const text = this.text.slice(column.from, column.to), space = /^\s+(?=\S)/.exec(text)?.[0] ?? "";
      item.classList.toggle("joined", hasJoiningLetters(text));
      const own = { text: text.slice(space.length), item: /** @type {Node} */ (item) };
      return space ? [{ text: space, item: /** @type {Node} */ (document.createTextNode("")) }, own] : [own];
    });
    const levels = levelsOf(stretches.map(({ text }) => text), base);
    stretches.forEach(({ item }, i) => item instanceof Element && item.classList.toggle("right-to-left", levels[i] === 1));
    line.dir = base;
    layByLevel(line, stretches.map(({ item }) => item), levels, base === "rtl" ? 1 : 0, (direction) => {
      const run = element("span", "run");
      run.dir = direction;
      return run;
    });
    return line;
  }

  /** Keep columns up to a common boundary on one line, unless the line is too narrow. @param {{column: Column, element: HTMLElement}[]} columns */
  togetherUntilCommon(columns) {
    /** @type {HTMLElement[][]} */
    const parts = [];
    for (const { column, element: item } of columns) {
      const last = parts.at(-1);
      if (last && column.nFound < this.rows.length) last.push(item);
      else parts.push([item]);
    }
    return parts.map((items) => {
      if (items.length === 1) return items[0];
      const together = element("span", "run");
      together.append(...items);
      return together;
    });
  }

  /** The name of each row. */
  makeNames() {
    const names = element("div", "names");
    names.append(...this.rows.map((row) => element("span", "name", row.tokenizer_name)));
    return names;
  }

  /** Repeat the names before each wrapped line. @param {HTMLElement} line @param {number} height */
  nameRows(line, height) {
    const gap = parseFloat(getComputedStyle(line).rowGap) || 0;
    const period = (line.querySelector(".col")?.getBoundingClientRect().height ?? 0) + gap;
    if (period <= gap) return;
    const nWanted = Math.max(1, Math.round((height + gap) / period)), names = /** @type {HTMLElement[]} */ ([...line.querySelectorAll(":scope > .names")]);
    for (const extra of names.splice(nWanted)) extra.remove();
    while (names.length < nWanted) {
      const made = this.makeNames();
      made.setAttribute("aria-hidden", "true"); // screen readers have read it already
      line.append(made);
      names.push(made);
    }
    // Also for existing ones, because the text size may have changed.
    names.forEach((made, n) => { made.style.top = `${n * period}px`; });
  }

  /** @param {Block} block @param {Column} column @param {number[]} colors */
  makeColumn(block, column, colors) {
    const made = element("span", "col"), shown = shownInLine(joinedText(this.text, column.from, column.to));
    const found = column.nFound === this.rows.length ? "all" : column.nFound === 1 ? "one" : "some";
    const groups = column.groups.map((group, r) => group - block.firstGroups[r]);
    this.rows.forEach((row, r) => {
      const [first, end] = tokensOf(row, column.groups[r]);
      const marks = kindsOf(row, column.groups[r]).filter((kind) => kind !== "inserted" || column.starts[r]);
      const kinds = [...(column.starts[r] ? [" start", found] : [""]), ...(end - first > 1 ? ["many"] : []), ...marks].join(" ");
      const look = first === end ? "dropped" : `c${colors[r]}`;
      const cell = element("span", `cell ${look}${kinds}`, shown);
      if (end - first > 1 && column.starts[r]) cell.append(makeTimes(end - first));
      cell.dataset.g = `${r}.${groups[r]}`;
      made.append(cell);
    });
    this.placeOf.set(made, { block, column: { ...column, from: column.from - block.start, to: column.to - block.start, groups } });
    return made;
  }

  // ---- pointing

  /** The column at a pointer. @param {EventTarget | null} target */
  spotAt(target) {
    const col = target instanceof Element ? target.closest(".col") : null;
    return col && this.placeOf.has(col) ? col : null;
  }

  /** Highlight the tokens of every row that cover a column; null removes the highlight. @param {Element | null} col @returns {Column | null} */
  point(col) {
    if (col && col === this.pointed) return this.columnOf(col);
    this.pointed = col;
    const column = col && this.columnOf(col);
    this.light.show(column ? this.cellsOf(column) : []);
    return column;
  }

  /** A column with positions in the whole text. @param {Element} col @returns {Column | null} */
  columnOf(col) {
    const place = this.placeOf.get(col);
    if (!place) return null;
    const { block, column } = place, groups = column.groups.map((group, r) => group + block.firstGroups[r]);
    return { ...column, from: block.start + column.from, to: block.start + column.to, groups };
  }

  /** @param {Column} column */
  cellsOf(column) {
    return column.groups.flatMap((group, r) => {
      const { positions } = this.rows[r], from = positions[group], to = positions[group + 1] ?? this.text.length;
      const blocks = this.blocks.filter((block) => block.isFilled && block.end > from && block.start < to);
      return blocks.flatMap((block) => [...block.element.querySelectorAll(`[data-g="${r}.${group - block.firstGroups[r]}"]`)]);
    });
  }

  /** The column before or after the highlighted one. @param {1 | -1} by */
  step(by) {
    const cols = [...this.root.querySelectorAll(".col")];
    const at = this.pointed ? cols.indexOf(this.pointed) : -1;
    const next = cols[at + by] ?? (at === -1 ? cols[0] : null);
    next?.scrollIntoView({ block: "nearest" });
    return next;
  }
}

/** Yield parts of a text of about `nUnits`. @param {string} text @param {number} nUnits */
function cutPlaces(text, nUnits) {
  let start = 0;
  return blockEnds(text, nUnits).map((end) => {
    const place = { start, end };
    start = end;
    return place;
  });
}
