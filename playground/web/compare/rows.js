// Rows: each tokenizer's tokens over the characters of one text, and where they agree.

import { shownText } from "../shared/segments.js";
import { isLowSurrogate } from "../shared/text_sync.js";
import { postForColumns } from "../shared/wire.js";

const INSIDE = 0x80000000; // set on a token that starts inside a character

/**
 * POST a text; resolves to {agreement, rows: [{…figures, ids, starts, positions, firsts}]}, or throws an Error with
 * a sentence. `held` is the answer before, or null: tokens at both ends that it has are not sent again.
 */
export async function fetchRows(url, text, held) {
  const { columns, ...answer } = await postForColumns(url, "rows", { text, held: held?.version ?? null });
  answer.rows.forEach((row, r) => {
    row.ids = splice(row, columns[2 * r], held?.rows[r].ids);
    row.starts = splice(row, columns[2 * r + 1], held?.rows[r].starts);
    for (let token = row.n_tokens - row.n_after; answer.shift && token < row.n_tokens; token++) row.starts[token] += answer.shift;
    Object.assign(row, groupTokens(row.starts));
  });
  return answer;
}

/** A column with what is new of it between what is kept of the old one's start and end. */
function splice({ n_tokens, n_before, n_after }, fresh, old) {
  if (!n_before && !n_after) return fresh;
  const column = new Uint32Array(n_tokens);
  column.set(old.subarray(0, n_before));
  column.set(fresh, n_before);
  column.set(old.subarray(old.length - n_after), n_tokens - n_after);
  return column;
}

/**
 * Groups: the shortest runs of tokens that start on a character. `positions[g]` is where group g starts in the
 * text, in UTF-16 units; `firsts[g]` its first token. Both are for one row.
 */
function groupTokens(starts) {
  const positions = new Uint32Array(starts.length), firsts = new Uint32Array(starts.length);
  let n = 0;
  for (let token = 0; token < starts.length; token++) {
    if (starts[token] >= INSIDE) continue;
    positions[n] = starts[token];
    firsts[n++] = token;
  }
  return { positions: positions.subarray(0, n), firsts: firsts.subarray(0, n) };
}

/** The last group that starts at or before a position. */
export function groupAt(row, position) {
  let low = 0, high = row.positions.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (row.positions[middle] <= position) low = middle;
    else high = middle;
  }
  return low;
}

/** The tokens of a group, half-open. */
export function tokensOf(row, group) {
  return [row.firsts[group], group + 1 < row.firsts.length ? row.firsts[group + 1] : row.ids.length];
}

/**
 * Columns of `start … end`: the text between two neighbouring boundaries of any row, with each row's group.
 * `nFound` is in how many rows a token starts at the column; `starts[r]` whether one of row r does.
 */
function* iterColumns(rows, start, end) {
  const groups = rows.map((row) => groupAt(row, start));
  for (let from = start; from < end; ) {
    let to = end;
    const starts = rows.map((row, r) => row.positions[groups[r]] === from);
    rows.forEach((row, r) => {
      const next = row.positions[groups[r] + 1];
      if (next !== undefined && next < to) to = next;
    });
    yield { from, to, groups: [...groups], starts, nFound: starts.filter(Boolean).length };
    rows.forEach((row, r) => {
      if (row.positions[groups[r] + 1] === to) groups[r] += 1;
    });
    from = to;
  }
}

/** Cut a text into stretches of about `nUnits`, after line feeds or spaces where there are any: their ends. */
function cutBlocks(text, nUnits) {
  const ends = [];
  let start = 0;
  while (text.length - start > nUnits * 1.5) {
    let end = text.indexOf("\n", start + nUnits) + 1;
    if (end === 0 || end > start + nUnits * 1.5) end = text.indexOf(" ", start + nUnits);
    if (end <= start || end > start + nUnits * 1.5) end = start + nUnits;
    if (isLowSurrogate(text.charCodeAt(end))) end += 1;
    ends.push(end);
    start = end;
  }
  if (start < text.length) ends.push(text.length);
  return ends;
}

export function make(name, className, text) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const N_COLORS = 5;

/** The next colour that no row has just used; with more rows than colours the next one. */
function firstFree(used) {
  for (let step = 1; step <= N_COLORS; step++) {
    const color = (used[0] + step) % N_COLORS;
    if (!used.includes(color)) return color;
  }
  return (used[0] + 1) % N_COLORS;
}

/** How text is shown in a cell: all white space is visible, and lines break between columns. */
export const cellText = (text) => shownText(text, true).replaceAll("\n", "").replaceAll("\t", "");

/**
 * The aligned view: columns of all rows, wrapped together, in blocks. A block is filled when it comes near the
 * view, and stays as long as its text and tokens do; all that it holds counts from its own start.
 */
export class AlignedView {
  constructor(root) {
    Object.assign(this, { root, blocks: [], lit: null, names: "" });
    this.observer = new IntersectionObserver(
      (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && this.fill(target)),
      { root, rootMargin: "200px 0px" },
    );
  }

  show(text, rows) {
    this.light(null);
    const names = rows.map((row) => row.tokenizer_name).join();
    const old = names === this.names ? this.blocks : [];
    Object.assign(this, { text, rows, names });
    let start = 0;
    const places = cutBlocks(text, Math.max(1200 / Math.max(rows.length, 1), 200)).map((end) => {
      const place = { start, end };
      start = end;
      return place;
    });
    const limit = Math.min(old.length, places.length);
    let nBefore = 0, nAfter = 0;
    while (nBefore < limit && this.isSame(old[nBefore], places[nBefore])) nBefore++;
    while (nAfter < limit - nBefore && this.isSame(old.at(-1 - nAfter), places.at(-1 - nAfter))) nAfter++;
    const removed = old.slice(nBefore, old.length - nAfter);
    const wasSeen = removed.some((block) => block.isFilled) || old.length === 0;
    const added = places.slice(nBefore, places.length - nAfter).map((place) => this.makeBlock(place));
    this.blocks = [...old.slice(0, nBefore), ...added, ...old.slice(old.length - nAfter)];
    this.blocks.forEach((block, i) => {
      Object.assign(block, places[i]);
      block.firstGroups = rows.map((row) => groupAt(row, block.start));
    });
    if (wasSeen) for (const block of added.slice(0, Math.max(removed.length, 1)).slice(0, 3)) this.fill(block);
    if (old.length === 0) this.root.replaceChildren(...added);
    else {
      for (const block of removed) block.remove();
      this.root.insertBefore(fragmentOf(added), this.blocks[nBefore + added.length] ?? null);
    }
    for (const block of removed) this.observer.unobserve(block);
    for (const block of added) this.observer.observe(block);
  }

  makeBlock({ start, end }) {
    const block = make("div", "block");
    block.style.containIntrinsicSize = `auto ${Math.ceil((end - start) / 90) * (this.rows.length * 1.7 + 0.6)}rem`;
    block.text = this.text.slice(start, end);
    return block;
  }

  isSame(block, { start, end }) {
    return block.text === this.text.slice(start, end) && (!block.isFilled || block.signature === this.signature(start, end));
  }

  /** The tokens of a stretch, counted from its start. */
  signature(start, end) {
    return this.rows
      .map((row) => {
        const parts = [], first = groupAt(row, start);
        for (let g = first; g < row.positions.length && row.positions[g] < end; g++) {
          const [from, to] = tokensOf(row, g);
          parts.push(row.positions[g] - start, to - from);
        }
        return parts.join();
      })
      .join(";");
  }

  fill(block) {
    if (block.isFilled) return;
    block.isFilled = true;
    block.signature = this.signature(block.start, block.end);
    const { rows } = this;
    const lines = [this.makeLine()];
    const colors = rows.map(() => -1), last = rows.map(() => -1);
    for (const column of iterColumns(rows, block.start, block.end)) {
      const text = this.text.slice(column.from, column.to), shown = cellText(text);
      const found = column.nFound === rows.length ? "all" : column.nFound === 1 ? "one" : "some";
      const col = make("span", "col");
      const groups = column.groups.map((group, r) => group - block.firstGroups[r]);
      col.column = { from: column.from - block.start, to: column.to - block.start, groups };
      // Where all rows start a token they take the same colour, so that a difference stands out.
      const common = found === "all" ? firstFree(colors) : null;
      rows.forEach((row, r) => {
        if (column.groups[r] !== last[r]) {
          colors[r] = common ?? (colors[r] + 1) % N_COLORS;
          last[r] = column.groups[r];
        }
        const [first, end] = tokensOf(row, column.groups[r]);
        const cell = make("span", `cell c${colors[r]}${column.starts[r] ? ` start ${found}` : ""}${end - first > 1 ? " many" : ""}`, shown);
        cell.dataset.g = `${r}.${groups[r]}`;
        col.append(cell);
      });
      lines.at(-1).append(col);
      if (text.includes("\n") && column.to < block.end) lines.push(this.makeLine());
    }
    block.append(...lines);
  }

  /** A line of the text, which may wrap; the names of the rows stand before it. */
  makeLine() {
    const line = make("div", "line"), names = make("span", "col names");
    names.append(...this.rows.map((row) => make("span", "cell", row.tokenizer_name)));
    line.append(names);
    return line;
  }

  columnAt(target) {
    const col = target.closest?.(".col");
    return col?.column ? this.columnOf(col) : null;
  }

  columnOf(col) {
    const { column } = col, block = col.closest(".block");
    const groups = column.groups.map((group, r) => group + block.firstGroups[r]);
    return { from: block.start + column.from, to: block.start + column.to, groups, col };
  }

  /** Mark, in every row, the tokens that cover a column. */
  light(column) {
    if (column?.col === this.lit && column) return;
    for (const cell of this.root.querySelectorAll(".lit")) cell.classList.remove("lit");
    this.lit = column?.col ?? null;
    if (!column) return;
    column.groups.forEach((group, r) => {
      const { positions } = this.rows[r], from = positions[group], to = positions[group + 1] ?? this.text.length;
      for (const block of this.blocks) {
        if (!block.isFilled || block.end <= from || block.start >= to) continue;
        for (const cell of block.querySelectorAll(`[data-g="${r}.${group - block.firstGroups[r]}"]`)) cell.classList.add("lit");
      }
    });
  }

  step(by) {
    const columns = [...this.root.querySelectorAll(".col")].filter((col) => col.column);
    const at = columns.indexOf(this.lit);
    const next = columns[at + by] ?? (at === -1 ? columns[0] : null);
    if (!next) return null;
    next.scrollIntoView({ block: "nearest" });
    return this.columnOf(next);
  }
}

function fragmentOf(elements) {
  const fragment = document.createDocumentFragment();
  fragment.append(...elements);
  return fragment;
}

/** The plain view: a card of coloured tokens for each row. */
export class CardsView {
  constructor(root) {
    this.root = root;
  }

  show(text, rows) {
    this.observers?.forEach((observer) => observer.disconnect());
    this.observers = [];
    const scrolls = [...this.root.querySelectorAll(".body")].map((body) => body.scrollTop);
    this.text = text;
    this.root.replaceChildren(...rows.map((row, r) => this.makeCard(row, r)));
    this.root.querySelectorAll(".body").forEach((body, r) => (body.scrollTop = scrolls[r] ?? 0));
  }

  makeCard(row, r) {
    const card = make("div", "card"), heading = make("h2", "", row.tokenizer_name), body = make("div", "body");
    heading.append(make("span", "", `${row.n_tokens.toLocaleString("en")} tokens`));
    body.tabIndex = 0;
    const observer = new IntersectionObserver(
      (entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && this.fill(target, row, r)),
      { root: body, rootMargin: "400px 0px" },
    );
    this.observers.push(observer);
    let start = 0;
    cutBlocks(this.text, 1200).forEach((end, i) => {
      const block = make("div", "block");
      Object.assign(block, { start, end });
      block.style.containIntrinsicSize = `auto ${Math.ceil((end - start) / 45) * 1.6}rem`;
      start = end;
      body.append(block);
      if (i === 0) this.fill(block, row, r);
      observer.observe(block);
    });
    card.append(heading, body);
    return card;
  }

  fill(block, row, r) {
    if (block.isFilled) return;
    block.isFilled = true;
    let color = 0;
    for (const { from, to, groups } of iterColumns([row], block.start, block.end)) {
      const [first, end] = tokensOf(row, groups[0]);
      const token = make("span", `t c${color}${end - first > 1 ? " many" : ""}`, shownText(this.text.slice(from, to), true));
      token.column = { from, to };
      color = (color + 1) % N_COLORS;
      if (token.textContent.startsWith("·")) block.append(make("wbr")); // a space that is shown breaks no line
      block.append(token);
    }
  }

  columnAt(target) {
    return target.closest?.(".t")?.column ?? null;
  }

  /** Mark, in every card, the tokens that cover what is pointed at. */
  light(column) {
    for (const token of this.root.querySelectorAll(".lit")) token.classList.remove("lit");
    if (!column) return;
    for (const token of this.root.querySelectorAll(".t")) {
      if (token.column.from < column.to && token.column.to > column.from) token.classList.add("lit");
    }
  }

  step() {
    return null;
  }
}
