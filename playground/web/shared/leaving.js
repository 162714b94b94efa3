// Leaving: once another page of the app is asked for, the page that is left says nothing more to Streamlit.
// What it says names its page: said after a link, or after Back, and before the other page is there, it would call this one back.

/** A server that is slower than this has lost the link; then the page may speak again. */
const LEAVING_MS = 10_000;

/** Where the window is, and which page is drawn. @typedef {{path: string, title: string}} Shown */
/** @returns {Shown} */
const shownNow = () => ({ path: globalThis.location?.pathname ?? "", title: globalThis.document?.title ?? "" });

export class Leaving {
  /**
   * @param {EventTarget | undefined} page where clicks come by
   * @param {() => Shown} shown
   * @param {() => number} now in ms
   */
  constructor(page, shown = shownNow, now = () => performance.now()) {
    this.shown = shown;
    this.now = now;
    /** @type {{title: string, at: number} | null} */
    this.going = null;
    /** The path of the page that is drawn. @type {string | null} */
    this.path = null;
    page?.addEventListener("click", (event) => this.follow(/** @type {MouseEvent} */ (event)), true);
  }

  /** @param {MouseEvent} event */
  follow(event) {
    const link = /** @type {HTMLAnchorElement | null} */ (/** @type {Element} */ (event.target).closest?.("a[href]"));
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || link?.target === "_blank";
    if (link && !isElsewhere && link.pathname !== this.shown().path) this.leave();
  }

  /** Another page was asked for. */
  leave() {
    this.going = { title: this.shown().title, at: this.now() };
  }

  /** Whoever is here went back, or forth: to another page, or to the one that is drawn and stays. */
  goBack() {
    this.going = null;
    if (this.path !== null && this.path !== this.shown().path) this.leave();
  }

  /** Whether another page was asked for that is not there yet. */
  get isLeaving() {
    const { path, title } = this.shown();
    if (this.going && (this.going.title !== title || this.now() - this.going.at > LEAVING_MS)) this.going = null;
    if (!this.going) this.path = path;
    return this.going !== null;
  }
}

/** Whether the page that is shown is being left. */
export const leavingNow = new Leaving(globalThis.document);
