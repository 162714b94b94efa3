// Scroll link: panes that show the same tokens scroll together; the one that the reader moves leads.

/** @typedef {import("./blocks.js").Spot} Spot */
/** A pane: the element that scrolls, the spot at its top, and what puts one there. @typedef {{element: HTMLElement, read: () => Spot | null, write: (spot: Spot) => void}} Side */

/** A pane that takes longer to follow does so when the scrolling rests. */
const SLOW_MS = 8, REST_MS = 120;

export class ScrollLink {
  /** @param {Side[]} sides @param {AbortSignal} signal ends it @param {() => boolean} isLinked asked before each step */
  constructor(sides, signal, isLinked) {
    this.sides = sides;
    this.isLinked = isLinked;
    /** @type {Side | null} */
    this.leader = null;
    this.isAsked = false;
    this.isSlow = false;
    /** Counts who leads and who follows: what was begun for an earlier one of them ends. */
    this.turn = 0;
    for (const side of sides) {
      const lead = () => {
        if (this.leader !== side) this.turn++;
        this.leader = side;
      };
      for (const name of ["wheel", "pointerdown", "touchstart", "keydown"]) side.element.addEventListener(name, lead, { signal, passive: true });
      side.element.addEventListener("scroll", () => this.leader === side && this.ask(), { signal, passive: true });
    }
  }

  /** The others follow at the next frame, or when the scrolling rests. */
  ask() {
    if (this.isSlow) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.follow(), REST_MS);
    } else if (!this.isAsked) {
      this.isAsked = true;
      requestAnimationFrame(() => this.follow());
    }
  }

  follow() {
    this.isAsked = false;
    const { leader } = this;
    if (!leader || !this.isLinked()) return;
    const start = performance.now(), others = this.sides.filter((side) => side !== leader), end = edgeOf(leader.element);
    const spot = end ? null : leader.read(), turn = ++this.turn;
    for (const { element, write } of others) {
      if (end) putAtEnd(element, end, () => turn === this.turn);
      else if (spot && element.clientHeight) write(spot);
    }
    this.isSlow = performance.now() - start > SLOW_MS;
  }
}

/** So often what comes into view at the end may turn out higher than it was taken to be. */
const MAX_TIMES = 5;

/** @param {HTMLElement} element @param {"top" | "bottom"} end @param {() => boolean} isDue asked before each further time */
function putAtEnd(element, end, isDue, times = MAX_TIMES) {
  element.scrollTop = end === "top" ? 0 : element.scrollHeight;
  if (times > 0) requestAnimationFrame(() => edgeOf(element) === end || (isDue() && putAtEnd(element, end, isDue, times - 1)));
}

/** The end that a pane stands at, if any: both ends of all are reached together. @param {HTMLElement} element @returns {"top" | "bottom" | null} */
export function edgeOf({ scrollTop, scrollHeight, clientHeight }) {
  if (scrollTop <= 1) return "top";
  return scrollTop + clientHeight >= scrollHeight - 1 ? "bottom" : null;
}
