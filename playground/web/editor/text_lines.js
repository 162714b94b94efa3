// Text lines: which characters of a textarea are in view, and which line stands at its top.

/** How often a line is looked for at most; a look lays nothing out anew. */
const MAX_LOOKS = 12;

/** Asks the browser where the lines of a textarea are, without laying its text out a second time. */
export class TextLines {
  /** @param {HTMLTextAreaElement} area */
  constructor(area) {
    this.area = area;
  }

  /** Lengths in CSS pixels, and where the text stands on the screen. */
  measure() {
    const { area } = this, style = getComputedStyle(area), box = area.getBoundingClientRect();
    const side = parseFloat(style.paddingLeft), left = box.left + area.clientLeft;
    const [padding, lineHeight] = [style.paddingTop, style.lineHeight].map(parseFloat);
    return { lineHeight, padding, left: left + side + 1, right: left + area.clientWidth - side - 1, top: box.top + area.clientTop };
  }

  /** The stretch of the line that is drawn at this height of the screen, or null. @param {number} y @param {{left: number, right: number}} sides */
  lineAt(y, { left, right }) {
    const { area } = this, root = area.getRootNode(), shadowRoots = root instanceof ShadowRoot ? [root] : [];
    const places = [left, right].map((x) => document.caretPositionFromPoint?.(x, y, { shadowRoots }));
    const offsets = places.filter((place) => place?.offsetNode === area).map((place) => Number(place?.offset));
    // A line from right to left begins at its right.
    return offsets.length ? { from: Math.min(...offsets), to: Math.max(...offsets) } : null;
  }

  /** The first line that one sees, or the last, and how far below the top of the textarea it is drawn; what lies over it, such as the bar of the page, hides lines. @param {"first" | "last"} which */
  seenLine(which) {
    const sides = this.measure(), { lineHeight, padding, top } = sides, { scrollTop, clientHeight } = this.area;
    const start = padding + Math.max(0, Math.ceil((scrollTop - padding) / lineHeight - 0.5)) * lineHeight - scrollTop;
    const nLines = Math.max(1, Math.floor((clientHeight - start) / lineHeight + 0.5));
    for (let i = 0; i < nLines; i++) {
      const y = start + (which === "first" ? i : nLines - 1 - i) * lineHeight, line = this.lineAt(top + y + lineHeight / 2, sides);
      if (line) return { ...line, y };
    }
    return null;
  }

  firstLine() {
    return this.seenLine("first");
  }

  /** The text in view, and where its first line is drawn. */
  view() {
    const first = this.seenLine("first"), last = first && this.seenLine("last");
    return first && last && { from: first.from, to: last.to, y: first.y };
  }

  /** Put the line that holds a place at the top. @param {number} offset */
  scrollTo(offset) {
    const { area } = this, { lineHeight } = this.measure();
    let low = 0, high = area.scrollHeight - area.clientHeight, lowOffset = 0, highOffset = area.value.length;
    for (let look = 0; look < MAX_LOOKS && low < high; look++) {
      const share = look % 3 === 2 ? 0.5 : (offset - lowOffset) / Math.max(highOffset - lowOffset, 1);
      const at = Math.min(Math.max(low + (high - low) * share, low), high);
      area.scrollTop = Math.round(at / lineHeight) * lineHeight;
      const line = this.firstLine();
      if (!line || (line.from <= offset && offset <= line.to)) return;
      if (line.to < offset) [low, lowOffset] = [Math.max(area.scrollTop, low) + lineHeight, line.to];
      else [high, highOffset] = [Math.min(area.scrollTop, high) - lineHeight, line.from];
    }
  }
}
