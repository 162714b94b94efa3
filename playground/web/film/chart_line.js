// The line on the live chart that stands at the merge in view, and can be dragged there.

/** Where a chart of merges has its plot: Streamlit draws charts as SVG. */
const PLOT = "svg.marks g.mark-group.role-frame.root > g > path.background";

export class ChartLine {
  /** `onMerge(k)` is called while the line is dragged, and where the chart is clicked. */
  constructor(onMerge) {
    this.onMerge = onMerge;
    this.line = document.createElement("div");
    Object.assign(this.line.style, { position: "absolute", width: "0", pointerEvents: "none", zIndex: "2", borderLeft: "2px solid currentColor" });
    this.line.className = "film-chart-line";
    this.watcher = new MutationObserver(() => this.placeSoon());
    this.resizing = new ResizeObserver(() => this.placeSoon());
    this.down = (event) => this.start(event);
    this.moved = (event) => this.isDragged && this.onMerge(this.mergeAt(event.clientX));
    this.up = () => (this.isDragged = false);
  }

  /** Stand at merge `k` on the chart inside `container`, whose axis ends at `last`. */
  show(container, k, last) {
    if (container !== this.container) this.attach(container);
    Object.assign(this, { k, last });
    this.place();
  }

  attach(container) {
    this.detach();
    this.container = container;
    if (!container) return;
    Object.assign(container.style, { position: "relative", touchAction: "pan-y", userSelect: "none" });
    container.append(this.line);
    // A listener that comes first, so that the chart's own does not keep the event.
    container.addEventListener("pointerdown", this.down, true);
    container.addEventListener("pointermove", this.moved, true);
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, this.up);
    this.watcher.observe(container, { childList: true, subtree: true, attributeFilter: ["viewBox", "d"] });
    this.resizing.observe(container);
  }

  detach() {
    this.watcher.disconnect();
    this.resizing.disconnect();
    this.container?.removeEventListener("pointerdown", this.down, true);
    this.container?.removeEventListener("pointermove", this.moved, true);
    for (const name of ["pointerup", "pointercancel"]) window.removeEventListener(name, this.up);
    this.line.remove();
    this.container = null;
  }

  plot() {
    return this.container?.querySelector(PLOT)?.getBoundingClientRect();
  }

  start(event) {
    const plot = this.plot();
    if (event.button !== 0 || !plot || event.clientY < plot.top - 8 || event.clientY > plot.bottom + 24) return;
    if (event.clientX < plot.left - 8 || event.clientX > plot.right + 8) return;
    this.isDragged = true;
    this.container.setPointerCapture?.(event.pointerId);
    this.onMerge(this.mergeAt(event.clientX));
  }

  mergeAt(x) {
    const plot = this.plot();
    return plot ? Math.round(((x - plot.left) / plot.width) * this.last) : this.k;
  }

  placeSoon() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.place());
  }

  place() {
    const plot = this.plot();
    this.line.hidden = !plot || !(this.k >= 0);
    if (this.line.hidden) return;
    if (this.line.parentElement !== this.container) this.container.append(this.line);
    const home = this.container.getBoundingClientRect();
    const left = plot.left - home.left + (Math.min(this.k, this.last) / this.last) * plot.width - 1;
    Object.assign(this.line.style, { left: `${left}px`, top: `${plot.top - home.top}px`, height: `${plot.height}px` });
    this.container.style.cursor = "ew-resize";
  }
}
