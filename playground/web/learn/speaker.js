// Speaker: the notes of the present lesson in a window of their own, for the screen that the class does not see.

import { element } from "../shared/element.js";

/** What the window takes over of the page, in its light or in its dark. */
const LOOK = ["color-scheme", "--ink", "--paper", "--line", "--soft", "--st-font"];
const SHEET = new URL("speaker.css", import.meta.url).href;

/**
 * What the window shows: the lesson, where one is in it, what the class sees now and next, and what is said of it.
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
    /** When it was opened, as Date.now() gives it. */
    this.since = 0;
    /** @type {{time: HTMLElement, minutes: HTMLElement} | null} */
    this.clock = null;
  }

  /** After a reload, take up the window that is still open; none is opened. */
  resume() {
    const { isOpen, since } = this.memory.read();
    this.memory.forget();
    if (isOpen && this.open()) this.since = since ?? this.since;
  }

  /** Open the window, or bring it to the front; false where the browser forbids it. */
  open() {
    if (!this.isOpen) this.since = Date.now();
    clearInterval(this.ticking);
    this.window = window.open("", "tessera-speaker", "popup,width=1120,height=760");
    this.window?.addEventListener("keydown", this.onKey); // once, however often it is opened
    if (this.window) this.ticking = setInterval(() => this.tick(), 1000);
    return this.window !== null;
  }

  get isOpen() {
    return this.window !== null && !this.window.closed;
  }

  /** Write the notes. @param {HTMLElement} root whose look they take @param {Notes} notes */
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

  /** Tell the time of day, and since when the window is open. */
  tick() {
    if (!this.clock) return;
    const now = new Date();
    this.clock.time.textContent = now.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
    this.clock.minutes.textContent = `open for ${Math.floor((now.getTime() - this.since) / 60_000)} min`;
  }

  /** The lessons are left: the window stays, and hears no more. */
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

/** The style sheets of the page, which bring its type, and the window's own. */
function makeLinks() {
  const addresses = [...document.querySelectorAll("link")].filter(({ rel }) => rel === "stylesheet").map(({ href }) => href);
  return [...addresses, SHEET].map((address) => {
    const link = element("link");
    link.rel = "stylesheet";
    link.href = address;
    return link;
  });
}
