// Speaker: the notes of the current lesson in a second window, for the screen that the class doesn't see.

import { element } from "../shared/element.js";

/** CSS variables copied from the page, in its light or dark theme. */
const LOOK = ["color-scheme", "--ink", "--paper", "--line", "--soft", "--st-font"];
const SHEET = new URL("speaker.css", import.meta.url).href;

/**
 * The content of the window: the lesson, the place, what the class sees now and next, and the notes.
 * @typedef {[name: string, text: string][]} Lines
 * @typedef {{title: string, where: string, seen: Lines, said: Lines}} Notes
 */

export class Speaker {
  /**
   * @param {(event: KeyboardEvent) => void} onKey keys that are pressed in that window
   * @param {import("../shared/tab_memory.js").TabMemory<{isOpen: boolean, since: number}>} memory whether it was open when the page was left, and since when
   */
  constructor(onKey, memory) {
    this.onKey = onKey;
    this.memory = memory;
    /** @type {Window | null} */
    this.window = null;
    /** The time at which it was opened, as Date.now(). */
    this.since = 0;
    /** @type {{time: HTMLElement, minutes: HTMLElement} | null} */
    this.clock = null;
  }

  /** After a reload, connect to a window that is still open. */
  resume() {
    const { isOpen, since } = this.memory.read();
    this.memory.forget();
    if (isOpen && this.open()) this.since = since ?? this.since;
  }

  /** Open the window or bring it to the front; return false if the browser blocks it. */
  open() {
    if (!this.isOpen) this.since = Date.now();
    clearInterval(this.ticking);
    this.window = window.open("", "tessera-speaker", "popup,width=1120,height=760");
    this.window?.addEventListener("keydown", this.onKey); // the same listener is added only once
    if (this.window) this.ticking = setInterval(() => this.tick(), 1000);
    return this.window !== null;
  }

  get isOpen() {
    return this.window !== null && !this.window.closed;
  }

  /** Write the notes. @param {HTMLElement} root the element whose theme is copied @param {Notes} notes */
  show(root, { title, where, seen, said }) {
    if (!this.window || !this.isOpen) return;
    const { document } = this.window, look = getComputedStyle(root);
    document.documentElement.lang = "en";
    for (const name of LOOK) document.documentElement.style.setProperty(name, look.getPropertyValue(name));
    if (!document.querySelector(`link[href="${SHEET}"]`)) document.head.replaceChildren(...makeLinks());
    document.title = "Notes";
    const header = element("header"), main = element("main"), clock = element("div", "clock"), lesson = element("div");
    this.clock = { time: element("p", "time"), minutes: element("p", "soft minutes") };
    lesson.append(element("h1", "", title), element("p", "soft", where));
    clock.append(this.clock.time, this.clock.minutes);
    header.append(lesson, clock);
    main.append(makeLines("seen", seen), makeLines("said", said));
    document.body.replaceChildren(header, main, element("footer", "soft", "The keys of the lesson work here too: PageDown and PageUp step it."));
    this.tick();
  }

  /** Show the time of day and the minutes since the window was opened. */
  tick() {
    if (!this.clock) return;
    const now = new Date();
    this.clock.time.textContent = now.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
    this.clock.minutes.textContent = `open for ${Math.floor((now.getTime() - this.since) / 60_000)} min`;
  }

  /** Disconnect from the window when the page is left; it stays open. */
  end() {
    clearInterval(this.ticking);
    this.memory.write({ isOpen: this.isOpen, since: this.since });
    this.window?.removeEventListener("keydown", this.onKey);
  }
}

/** @param {string} className @param {Lines} lines */
function makeLines(className, lines) {
  const list = element("dl", className);
  for (const [name, text] of lines) list.append(element("dt", "", name), element("dd", "", text));
  return list;
}

/** Links to the page's style sheets, which load its fonts, and to the window's own. */
function makeLinks() {
  const addresses = [...document.querySelectorAll("link")].filter(({ rel }) => rel === "stylesheet").map(({ href }) => href);
  return [...addresses, SHEET].map((address) => {
    const link = element("link");
    link.rel = "stylesheet";
    link.href = address;
    return link;
  });
}
