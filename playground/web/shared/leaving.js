// Leaving: once a link to another page of the app is followed, the page that is left says nothing more to Streamlit.
// What it says names its page: said after the link and before the other page is there, it would call this one back.

/** A server that is slower than this has lost the link; then the page may speak again. */
const LEAVING_MS = 10_000;

export class Leaving {
  /**
   * @param {EventTarget | undefined} page where clicks come by
   * @param {() => string} path of the page that is shown
   * @param {() => number} now in ms
   */
  constructor(page, path = () => location.pathname, now = () => performance.now()) {
    this.path = path;
    this.now = now;
    /** @type {{path: string, at: number} | null} */
    this.going = null;
    page?.addEventListener("click", (event) => this.follow(/** @type {MouseEvent} */ (event)), true);
  }

  /** @param {MouseEvent} event */
  follow(event) {
    const link = /** @type {HTMLAnchorElement | null} */ (/** @type {Element} */ (event.target).closest?.("a[href]"));
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || link?.target === "_blank";
    if (link && !isElsewhere && link.pathname !== this.path()) this.leave(link.pathname);
  }

  /** Another page was asked for in another way than by a link. @param {string} path */
  leave(path) {
    this.going = { path, at: this.now() };
  }

  /** The page is not left after all: whoever is here went back. */
  stay() {
    this.going = null;
  }

  /** Whether a link was followed whose page is not there yet. */
  get isLeaving() {
    if (this.going && (this.going.path === this.path() || this.now() - this.going.at > LEAVING_MS)) this.going = null;
    return this.going !== null;
  }
}

/** Whether the page that is shown is being left. */
export const leavingNow = new Leaving(globalThis.document);
globalThis.addEventListener?.("popstate", () => leavingNow.stay());
