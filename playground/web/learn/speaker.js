// Speaker: the notes of the present lesson in a window of their own, for the screen that the class does not see.

const STYLE = "font: 20px/1.45 system-ui, sans-serif; margin: 0; padding: 24px; background: Canvas; color: CanvasText; color-scheme: light dark";

export class Speaker {
  /**
   * @param {(event: KeyboardEvent) => void} onKey keys that are pressed in that window
   * @param {import("../shared/tab_memory.js").TabMemory<{isOpen: boolean}>} memory whether it was open when the page was left
   */
  constructor(onKey, memory) {
    this.onKey = onKey;
    this.memory = memory;
    /** @type {Window | null} */
    this.window = null;
  }

  /** After a reload, take up the window that is still open; none is opened. */
  resume() {
    const { isOpen } = this.memory.read();
    this.memory.forget();
    if (isOpen) this.open();
  }

  /** Open the window, or bring it to the front; false where the browser forbids it. */
  open() {
    this.window = window.open("", "tessera-speaker", "popup,width=760,height=560");
    this.window?.addEventListener("keydown", this.onKey); // once, however often it is opened
    return this.window !== null;
  }

  /**
   * Write the notes: a title, and lines with their names.
   * @param {string} title
   * @param {[name: string, text: string][]} lines
   */
  show(title, lines) {
    if (!this.window || this.window.closed) return;
    const { document } = this.window;
    document.title = "Notes";
    document.documentElement.lang = "en";
    document.body.style.cssText = STYLE;
    const heading = document.createElement("h1");
    heading.textContent = title;
    heading.style.cssText = "font-size: 26px; margin: 0 0 16px";
    const list = document.createElement("dl");
    for (const [name, text] of lines) {
      const term = document.createElement("dt"), said = document.createElement("dd");
      term.textContent = name;
      term.style.cssText = "font-weight: 700; margin-top: 12px";
      said.textContent = text;
      said.style.cssText = "margin: 0";
      list.append(term, said);
    }
    const keys = document.createElement("p");
    keys.textContent = "PageDown and PageUp step the lesson from here, too.";
    keys.style.cssText = "margin: 24px 0 0; font-size: 16px; opacity: 0.75";
    const main = document.createElement("main");
    main.append(heading, list, keys);
    document.body.replaceChildren(main);
  }

  /** The lessons are left: the window stays, and hears no more. */
  end() {
    this.memory.write({ isOpen: this.window !== null && !this.window.closed });
    this.window?.removeEventListener("keydown", this.onKey);
  }
}
