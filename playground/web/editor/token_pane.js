// Token pane: coloured segments and their ids, in blocks that are filled only when they come near the view.

import { hex, makeSegments, shownText } from "../shared/segments.js";

const N_COLORS = 5;
const BLOCK_TOKENS = 1200; // a piece with more is shown as several blocks

export class TokenPane {
  /**
   * `tokensRoot` and `idsRoot` scroll on their own; `onOpen(index)` gets the index of a chosen token.
   * `tip` is an element that floats beside the token under the pointer.
   */
  constructor({ tokensRoot, idsRoot, tip, live, onOpen }) {
    Object.assign(this, { tokensRoot, idsRoot, tip, live, onOpen });
    this.pieces = [];
    this.view = { marks: false, label: "text", colorBy: "position" };
    this.special = new Set();
    this.active = null; // {block, k}
    this.lit = null;
    this.observers = [tokensRoot, idsRoot].filter(Boolean).map(
      (root) => new IntersectionObserver((entries) => this.fillSeen(entries), { root, rootMargin: "800px 0px" }),
    );
    for (const root of this.roots()) {
      root.addEventListener("pointerover", (event) => this.light(this.find(event.target), event));
      root.addEventListener("pointerleave", () => this.light(null));
      root.addEventListener("click", (event) => this.choose(event));
      root.addEventListener("keydown", (event) => this.walk(event));
      root.addEventListener("focus", () => !this.active && root.matches(":focus-visible") && this.activate(this.firstSpot()));
      root.addEventListener("blur", () => this.hideTip());
      root.addEventListener("scroll", () => this.hideTip(), { passive: true });
    }
  }

  roots() {
    return [this.tokensRoot, this.idsRoot].filter(Boolean);
  }

  destroy() {
    for (const observer of this.observers) observer.disconnect();
  }

  /** Show everything anew: `sources` are strings, or bytes that need not be UTF-8. */
  show(pieces, sources, { template = [] } = {}) {
    this.template = template;
    this.splice(0, this.pieces.length, pieces, sources);
  }

  /** Replace pieces `first … first + nRemoved`; colours of tokens that stay do not change. */
  splice(first, nRemoved, pieces, sources) {
    const removed = this.pieces.slice(first, first + nRemoved).flatMap((piece) => piece.blocks);
    const isFirst = this.pieces.length === 0;
    const wasSeen = isFirst || removed.some((block) => block.hasTokens);
    const hadIds = isFirst || removed.some((block) => block.hasIds);
    const before = removed.every((block) => block.segments && block.colors) ? removed : [];
    const fresh = pieces.map((piece, i) => ({ ...piece, blocks: this.makeBlocks(piece, sources[i]) }));
    const blocks = fresh.flatMap((piece) => piece.blocks);
    this.pieces.splice(first, nRemoved, ...fresh);
    this.relink();
    // What was in view is filled at once, or a frame would be empty; of a whole new text only its start.
    const seen = blocks.length <= 8 ? blocks : blocks.slice(0, 3);
    if (wasSeen) {
      if (seen === blocks) this.keepColors(before, blocks);
      for (const block of seen) this.fillTokens(block);
    }
    if (hadIds) for (const block of seen) this.fillIds(block);
    this.place(removed, blocks);
    if (this.active && removed.includes(this.active.block)) this.active = null;
    if (this.lit && removed.includes(this.lit.block)) this.light(null);
    const previous = blocks.length ? blocks[0].previous : this.pieces[first - 1]?.blocks.at(-1);
    this.refreshOpenLine(previous);
  }

  /** Draw all seen blocks again, after a change of view or of the special tokens. */
  redraw() {
    for (const block of this.iterBlocks()) {
      if (!block.hasTokens) continue;
      block.hasTokens = false;
      this.fillTokens(block);
    }
  }

  *iterBlocks() {
    for (const piece of this.pieces) yield* piece.blocks;
  }

  // ---- blocks

  makeBlocks(piece, source) {
    if (piece.nTokens <= BLOCK_TOKENS) return [this.makeBlock(source, piece.ids, piece.lengths, 0)];
    const segments = makeSegments(source, piece.lengths);
    const blocks = [];
    let first = 0, text = "", bytes = 0, firstByte = 0;
    for (const segment of segments) {
      text += segment.text;
      bytes += segment.nBytes;
      const isFull = segment.last - first >= BLOCK_TOKENS || (segment.last - first >= BLOCK_TOKENS / 2 && segment.text.endsWith("\n"));
      if (isFull || segment === segments.at(-1)) {
        const part = typeof source === "string" ? text : source.subarray(firstByte, bytes);
        blocks.push(this.makeBlock(part, piece.ids.subarray(first, segment.last), piece.lengths.subarray(first, segment.last), first));
        first = segment.last;
        firstByte = bytes;
        text = "";
      }
    }
    return blocks;
  }

  makeBlock(source, ids, lengths) {
    const block = { source, ids, lengths, segments: null, colors: null, hasTokens: false, hasIds: false, previous: null, next: null };
    block.tokensEl = document.createElement("div");
    block.idsEl = document.createElement("div");
    block.tokensEl.className = block.idsEl.className = "block";
    block.tokensEl.block = block.idsEl.block = block;
    // The size until it is filled: lines of about 60 characters, of about 12 ids.
    const nLines = typeof source === "string" ? source.length / 60 + (source.length > 200 ? source.split("\n").length / 2 : 0) : source.length / 60;
    block.tokensEl.style.containIntrinsicSize = `auto ${Math.ceil(nLines + 1) * 1.75}em`;
    block.idsEl.style.containIntrinsicSize = `auto ${Math.ceil(ids.length / 12 + 1) * 1.6}em`;
    return block;
  }

  relink() {
    let previous = null;
    for (const block of this.iterBlocks()) {
      block.previous = previous;
      if (previous) previous.next = block;
      previous = block;
    }
    if (previous) previous.next = null;
  }

  place(removed, blocks) {
    const anchor = blocks.at(-1)?.next ?? null;
    for (const [root, name] of [[this.tokensRoot, "tokensEl"], [this.idsRoot, "idsEl"]]) {
      if (!root) continue;
      const observer = this.observers[this.roots().indexOf(root)];
      for (const block of removed) {
        observer.unobserve(block[name]);
        block[name].remove();
      }
      const fragment = document.createDocumentFragment();
      for (const block of blocks) fragment.append(block[name]);
      root.insertBefore(fragment, anchor ? anchor[name] : null);
      for (const block of blocks) observer.observe(block[name]);
    }
  }

  fillSeen(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      if (target === target.block.idsEl) this.fillIds(target.block);
      else this.fillTokens(target.block);
    }
  }

  segmentsOf(block) {
    return (block.segments ??= makeSegments(block.source, block.lengths));
  }

  fillTokens(block) {
    if (block.hasTokens) return;
    const segments = this.segmentsOf(block);
    block.colors ??= this.chooseColors(block, new Array(segments.length).fill(-1));
    const startsLine = !block.previous || endsLine(block.previous);
    const fragment = document.createDocumentFragment();
    let isLineStart = startsLine;
    segments.forEach((segment, k) => {
      if (isLineStart) fragment.append(this.makeGutter(block, k));
      isLineStart = segment.text.includes("\n");
      fragment.append(this.makeSegment(block, segment, k));
    });
    block.tokensEl.replaceChildren(fragment);
    // A block that begins with a line feed ends the line of the one before it.
    block.tokensEl.classList.toggle("continues", !startsLine && segments[0]?.text.startsWith("\n"));
    block.hasTokens = true;
  }

  fillIds(block) {
    if (block.hasIds) return;
    const fragment = document.createDocumentFragment();
    this.segmentsOf(block).forEach((segment, k) => fragment.append(this.makeIds(block, segment, k), " "));
    block.idsEl.replaceChildren(fragment);
    block.hasIds = true;
  }

  fillBoth(block) {
    this.fillTokens(block);
    this.fillIds(block);
  }

  makeSegment(block, segment, k) {
    const element = document.createElement("span");
    element.k = k;
    const ids = block.ids.subarray(segment.first, segment.last);
    element.className = this.segmentClass(block, segment, k);
    if (ids.length > 1) element.style.setProperty("--n", ids.length);
    if (this.view.label === "text") element.textContent = shownText(segment.text, this.view.marks);
    else {
      element.textContent = this.view.label === "ids" ? ids.join(" ") : this.bytesOf(block, segment).map(hex).join("|");
      if (segment.text.includes("\n")) element.append(document.createElement("br"));
    }
    return element;
  }

  segmentClass(block, segment, k) {
    const ids = block.ids.subarray(segment.first, segment.last);
    const color = this.view.colorBy === "id" ? Math.imul(ids[0], 2654435761) >>> 8 : block.colors[k];
    const classes = [`t c${color % N_COLORS}`];
    if (ids.length > 1) classes.push("many");
    if (this.special.has(ids[0])) classes.push("special");
    if (segment.text === "\n" || segment.text === "\r\n") classes.push("line");
    if (this.isTemplate(block, segment)) classes.push("template");
    return classes.join(" ");
  }

  isTemplate(block, segment) {
    if (!this.template?.length) return false;
    const index = this.firstToken(block) + segment.first;
    return this.template.some(([first, last]) => index >= first && index < last);
  }

  makeIds(block, segment, k) {
    const group = document.createElement("span");
    group.k = k;
    group.className = "i";
    group.textContent = block.ids.subarray(segment.first, segment.last).join(" ");
    return group;
  }

  makeGutter(block, k) {
    const mark = document.createElement("i");
    mark.className = "gutter";
    mark.dataset.n = this.tokensOfLine(block, k);
    return mark;
  }

  /** The tokens from a segment to the end of its line, which may lie blocks further on. */
  tokensOfLine(block, k) {
    const segments = this.segmentsOf(block);
    const end = segments.findIndex((segment, i) => i >= k && segment.text.includes("\n"));
    if (end >= 0) return segments[end].last - segments[k].first;
    let n = block.ids.length - segments[k].first;
    for (let next = block.next; next; next = next.next) {
      const head = this.tokensOfHead(next);
      n += head;
      if (next.hasLineEnd) break;
    }
    return n;
  }

  tokensOfHead(block) {
    if (block.hasLineEnd === undefined) {
      block.hasLineEnd = typeof block.source === "string" ? block.source.includes("\n") : block.source.includes(10);
      if (!block.hasLineEnd) block.nHead = block.ids.length;
      else block.nHead = this.segmentsOf(block).find((segment) => segment.text.includes("\n")).last;
    }
    return block.nHead;
  }

  /** A change further on may change the count of the line that was open before it. */
  refreshOpenLine(block) {
    while (block && !block.hasTokens) block = block.previous;
    for (; block; block = block.previous) {
      const marks = block.tokensEl.getElementsByClassName("gutter");
      const mark = marks[marks.length - 1];
      if (mark) {
        mark.dataset.n = this.tokensOfLine(block, mark.nextElementSibling.k);
        return;
      }
    }
  }

  bytesOf(block, segment) {
    block.bytes ??= typeof block.source === "string" ? new TextEncoder().encode(block.source) : block.source;
    let offset = 0;
    for (let t = 0; t < segment.first; t++) offset += block.lengths[t];
    const parts = [];
    for (let t = segment.first; t < segment.last; t++) {
      parts.push(block.bytes.subarray(offset, offset + block.lengths[t]));
      offset += block.lengths[t];
    }
    return parts;
  }

  // ---- colours

  /** Segments that stand at both ends of an edit keep their colours; the middle is chosen to differ. */
  keepColors(removed, blocks) {
    const old = removed.flatMap((b) => b.segments.map((s, k) => [s.text, s.last - s.first, b.colors[k]]));
    const now = blocks.flatMap((b) => this.segmentsOf(b).map((s) => [s.text, s.last - s.first]));
    const isSame = (a, b) => a[0] === b[0] && a[1] === b[1];
    const colors = new Array(now.length).fill(-1);
    let head = 0, tail = 0;
    const limit = Math.min(old.length, now.length);
    while (head < limit && isSame(old[head], now[head])) colors[head] = old[head++][2];
    while (tail < limit - head && isSame(old.at(-1 - tail), now.at(-1 - tail))) (colors[now.length - 1 - tail] = old.at(-1 - tail)[2]), (tail += 1);
    let start = 0;
    for (const block of blocks) {
      const n = block.segments.length;
      block.colors = this.chooseColors(block, colors.slice(start, start + n), colors[start + n]);
      start += n;
    }
  }

  /** Fill in colours that are still open (-1) so that neighbours differ, also across blocks. */
  chooseColors(block, colors, nextColor = block.next?.colors?.[0] ?? -1) {
    let previous = block.previous?.colors?.at(-1) ?? -1;
    for (let k = 0; k < colors.length; k++) {
      const after = k + 1 < colors.length ? colors[k + 1] : nextColor;
      if (colors[k] === -1) {
        let color = (previous + 1) % N_COLORS;
        while (color === previous || color === after) color = (color + 1) % N_COLORS;
        colors[k] = color;
      }
      previous = colors[k];
    }
    return colors;
  }

  // ---- linking, choosing, walking

  find(target) {
    const element = target.closest?.(".t, .i");
    const block = element?.parentElement?.block;
    return block ? { block, k: element.k } : null;
  }

  elementsOf({ block, k }) {
    const token = block.tokensEl.querySelectorAll(".t")[k], ids = block.idsEl.querySelectorAll(".i")[k];
    return [token, ids].filter(Boolean); // a block far from the view of a pane is not filled there
  }

  light(spot, event) {
    if (this.lit) for (const element of this.elementsOf(this.lit)) element.classList.remove("lit");
    this.lit = spot;
    if (!spot) return this.hideTip();
    for (const element of this.elementsOf(spot)) element.classList.add("lit");
    if (event) this.showTip(spot, event.target.closest(".t, .i"));
  }

  activate(spot) {
    if (!spot) return;
    if (this.active) for (const element of this.elementsOf(this.active)) element.classList.remove("active");
    this.fillBoth(spot.block);
    this.active = spot;
    const elements = this.elementsOf(spot);
    for (const element of elements) element.classList.add("active");
    for (const element of elements) element.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.showTip(spot, elements[0]);
    this.live.textContent = `token ${this.firstTokenOf(spot) + 1}: ${this.describe(spot)}`;
  }

  firstSpot() {
    const block = this.pieces[0]?.blocks[0];
    return block && block.ids.length ? { block, k: 0 } : null;
  }

  firstToken(block) {
    let n = 0;
    for (let b = block.previous; b; b = b.previous) n += b.ids.length;
    return n;
  }

  firstTokenOf({ block, k }) {
    return this.firstToken(block) + this.segmentsOf(block)[k].first;
  }

  /** Where the token at an index is shown. */
  spotOf(index) {
    let first = 0;
    for (const block of this.iterBlocks()) {
      const k = index - first < block.ids.length ? this.segmentsOf(block).findIndex(({ last }) => index - first < last) : -1;
      if (k >= 0) return { block, k };
      first += block.ids.length;
    }
    return null;
  }

  describe({ block, k }) {
    const segment = this.segmentsOf(block)[k];
    const ids = Array.from(block.ids.subarray(segment.first, segment.last));
    const bytes = this.bytesOf(block, segment);
    const text = JSON.stringify(segment.text.length > 40 ? `${segment.text.slice(0, 40)}…` : segment.text);
    if (ids.length === 1) return `${ids[0]}  ${text}  ${hex(bytes[0].subarray(0, 16))}${bytes[0].length > 16 ? " …" : ""}`;
    return `${text} is ${ids.length} tokens: ` + ids.slice(0, 12).map((id, i) => `${id} (${hex(bytes[i])})`).join(", ") + (ids.length > 12 ? ", …" : "");
  }

  showTip(spot, element) {
    if (!element) return;
    this.tip.textContent = this.describe(spot);
    this.tip.hidden = false;
    const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
    const home = this.tip.offsetParent.getBoundingClientRect();
    const left = Math.max(4, Math.min(box.left - home.left, home.width - this.tip.offsetWidth - 4));
    const above = box.top - home.top - this.tip.offsetHeight - 6;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${above > 0 ? above : box.bottom - home.top + 6}px`;
  }

  hideTip() {
    this.tip.hidden = true;
  }

  choose(event) {
    if (!window.getSelection().isCollapsed) return; // the reader is selecting text
    const spot = this.find(event.target);
    if (!spot) return;
    this.activate(spot);
    this.onOpen(this.firstTokenOf(spot));
  }

  walk(event) {
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: "down", ArrowUp: "up", Home: "home", End: "end" };
    const move = moves[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && this.active) {
      event.preventDefault();
      this.onOpen(this.firstTokenOf(this.active));
    }
    if (move === undefined) return;
    event.preventDefault();
    const from = this.active;
    if (!from || move === "home") this.activate(this.firstSpot());
    else if (move === "end") this.activate(this.lastSpot());
    else if (typeof move === "number") this.activate(this.step(from, move));
    else this.activate(this.stepLine(from, move === "down" ? 1 : -1, event.currentTarget));
  }

  lastSpot() {
    const block = this.pieces.at(-1)?.blocks.at(-1);
    return block && block.ids.length ? { block, k: this.segmentsOf(block).length - 1 } : null;
  }

  step({ block, k }, by) {
    if (by > 0 && k + 1 < this.segmentsOf(block).length) return { block, k: k + 1 };
    if (by < 0 && k > 0) return { block, k: k - 1 };
    const other = by > 0 ? block.next : block.previous;
    return other ? { block: other, k: by > 0 ? 0 : this.segmentsOf(other).length - 1 } : null;
  }

  /** The nearest segment on the line above or below, as drawn. */
  stepLine(from, by, root) {
    const place = (spot) => {
      this.fillBoth(spot.block);
      return this.elementsOf(spot)[root === this.idsRoot ? 1 : 0]?.getClientRects()[0];
    };
    const start = place(from);
    let best = null, bestDistance = Infinity, lineTop = null;
    for (let spot = this.step(from, by), n = 0; spot && n < 500; spot = this.step(spot, by), n++) {
      const box = place(spot);
      if (!box || Math.abs(box.top - start.top) < start.height / 2) continue;
      lineTop ??= box.top;
      if (Math.abs(box.top - lineTop) > start.height / 2) break;
      const distance = Math.abs(box.left - start.left);
      if (distance < bestDistance) [best, bestDistance] = [spot, distance];
    }
    return best;
  }

  /** All ids, in order. */
  allIds() {
    return this.pieces.flatMap((piece) => Array.from(piece.ids));
  }
}

function endsLine(block) {
  const { source } = block;
  return typeof source === "string" ? source.endsWith("\n") : source.at(-1) === 10;
}
