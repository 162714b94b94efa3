// Chart line: stands at the merge in view on the live chart, and can be dragged there.

/** Where a chart of merges has its plot: Streamlit draws charts as SVG. */
const PLOT = "svg.marks g.mark-group.role-frame.root > g > path.background";

/** How far beside the plot, in pixels, a press is still meant for it. */
const REACH = { x: 8, above: 8, below: 24 };

export class ChartLine {
  /** `onMerge(k)` is called while the line is dragged, and where the chart is clicked. @param {(k: number) => void} onMerge */
  constructor(onMerge) {
    this.onMerge = onMerge;
    this.k = -1;
    this.last = 1;
    this.frame = 0;
    this.isDragged = false;
    /** @type {HTMLElement | null} */
    this.container = null;
    /** @type {AbortController | null} ends what listens on the container */
    this.ending = null;
    this.line = document.createElement("div");
    Object.assign(this.line.style, { position: "absolute", width: "0", pointerEvents: "none", zIndex: "2", borderLeft: "2px solid currentColor" });
    this.line.className = "film-chart-line";
    this.watcher = new MutationObserver(() => this.placeSoon());
    this.resizing = new ResizeObserver(() => this.placeSoon());
  }

  /** Stand at merge `k` on the chart inside `container`, whose axis ends at `last`. @param {HTMLElement | null} container @param {number} k @param {number} last */
  show(container, k, last) {
    if (container !== this.container) this.attach(container);
    Object.assign(this, { k, last });
    this.place();
  }

  /** @param {HTMLElement | null} container */
  attach(container) {
    this.detach();
    this.container = container;
    if (!container) return;
    Object.assign(container.style, { position: "relative", touchAction: "pan-y", userSelect: "none" });
    container.append(this.line);
    this.ending = new AbortController();
    const { signal } = this.ending, isFirst = { signal, capture: true }; // first, so that the chart's own does not keep the event
    container.addEventListener("pointerdown", (event) => this.start(container, event), isFirst);
    container.addEventListener("pointermove", (event) => this.isDragged && this.onMerge(this.mergeAt(event.clientX)), isFirst);
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, () => (this.isDragged = false), { signal });
    this.watcher.observe(container, { childList: true, subtree: true, attributeFilter: ["viewBox", "d"] });
    this.resizing.observe(container);
  }

  detach() {
    this.watcher.disconnect();
    this.resizing.disconnect();
    this.ending?.abort();
    cancelAnimationFrame(this.frame);
    this.line.remove();
    this.container = null;
  }

  plot() {
    return this.container?.querySelector(PLOT)?.getBoundingClientRect();
  }

  /** @param {HTMLElement} container @param {PointerEvent} event */
  start(container, event) {
    const plot = this.plot();
    if (event.button !== 0 || !plot || event.clientY < plot.top - REACH.above || event.clientY > plot.bottom + REACH.below) return;
    if (event.clientX < plot.left - REACH.x || event.clientX > plot.right + REACH.x) return;
    this.isDragged = true;
    container.setPointerCapture?.(event.pointerId);
    this.onMerge(this.mergeAt(event.clientX));
  }

  /** @param {number} x */
  mergeAt(x) {
    const plot = this.plot();
    return plot ? Math.round(((x - plot.left) / plot.width) * this.last) : this.k;
  }

  placeSoon() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.place());
  }

  place() {
    const plot = this.plot(), { container } = this;
    this.line.hidden = !plot || !container || this.k < 0;
    if (!plot || !container || this.k < 0) return;
    if (this.line.parentElement !== container) container.append(this.line);
    const home = container.getBoundingClientRect();
    const left = plot.left - home.left + (Math.min(this.k, this.last) / this.last) * plot.width - 1;
    Object.assign(this.line.style, { left: `${left}px`, top: `${plot.top - home.top}px`, height: `${plot.height}px` });
    container.style.cursor = "ew-resize";
  }
}
