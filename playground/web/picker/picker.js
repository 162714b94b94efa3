// Picker: a field that shows the chosen tokenizers, and a panel below it to search, choose, open and manage them. The
// page owns the choice: the picker sends the whole list, and shows what the page passes back.

import { button, element, fillSelect, find, note } from "../shared/element.js";
import { showInAddress } from "../shared/address.js";
import { component } from "../shared/mount.js";
import { NewestWins, post } from "../shared/wire.js";
import { asker, SavedTokenizers, ThingStore } from "./saved_tokenizers.js";
import { openerAt } from "./open_files.js";
import { afterOpening, afterPress, named } from "./options.js";
import { VisitorList } from "./visitor_list.js";

/** Data from Python; see `ui/picker.py`. @typedef {import("../shared/wire_types.d.ts").PickerData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").PickerEvent} Said */
/** @typedef {import("../shared/wire_types.d.ts").PickerRow} Row */
/** @typedef {import("../shared/wire_types.d.ts").PickerList} List */
/** @typedef {import("./options.js").Chosen} Chosen */

/** Milliseconds for which a message stays at the bottom of the window. */
const TOAST_MS = 8000;
const INVITATION = "Drop a tokenizer file anywhere to open it";
/** Elements that accept dropped files themselves: text fields, Formats' data, and Streamlit's uploaders. */
const TAKERS = "[data-testid=stFileUploaderDropzone], .field, .st-key-formats-live";
const same = (/** @type {string[]} */ one, /** @type {string[]} */ other) => one.join() === other.join();
const namesOf = (/** @type {{name: string}[]} */ rows) => rows.map(({ name }) => name);
/** @param {Row} row */
const isLocal = (row) => row.badge === "on this machine";
/** The key of a row: its name, where a model on this machine may have that of another row, or its search text. @param {Row} row */
const keyOf = (row) => (isLocal(row) ? `local ${row.name}` : row.name || `search ${row.detail}`);
/** @type {List} */
const NOTHING = { groups: [], first: "", sentence: "" };

let url = "";
const ask = asker(() => url);
/** Shared by all pages of a visit, which use the same session's tokenizers. */
const kept = new SavedTokenizers(new ThingStore(() => globalThis.indexedDB), ask);
const opener = openerAt(() => url);
const keeping = new NewestWins(async (/** @type {{versions: Record<string, string>, tell: (sentence: string) => void}} */ { versions, tell }) => {
  for (const problem of await kept.follow(versions)) tell(problem);
});

class Picker {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    this.input = find(root, ".typed", HTMLInputElement);
    this.panel = find(root, ".panel");
    this.toast = find(root, ".toast");
    this.messages = find(root, ".messages");
    /** @type {Data | null} */
    this.data = null;
    /** The rows shown as chosen. @type {Chosen[]} */
    this.chosen = [];
    /** The time of the last choice that was made here. */
    this.at = 0;
    this.send = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    this.keep = this.send;
    /** The server's list for the typed text. */
    this.list = NOTHING;
    /** The visitor's own tokenizers. @type {Row[]} */
    this.yours = [];
    /** Tokenizers that only this browser has. @type {Row[]} */
    this.away = [];
    /** The drawn rows by their keys. @type {Map<string, Row>} */
    this.rows = new Map();
    /** The model whose file is requested. @type {Row | null} */
    this.wanted = null;
    /** @type {Set<string>} missing names that were looked for */
    this.sought = new Set();
    this.typed = "";
    /** The name put into the field last. */
    this.shown = "";
    this.active = "";
    this.view = "list";
    this.mine = new VisitorList(find(root, ".mine ul"), {
      post: (action, body) => post(url, action, body),
      forget: (name) => kept.forget(name),
      onChange: async (old, name, changed) => {
        opener.rename(old, name);
        if (name) await kept.rename(old, name);
        await this.followChange(changed);
      },
      onProblem: (sentence) => this.tell([sentence], "error"),
    });
    this.searching = new NewestWins(async (/** @type {string} */ typed) => {
      const list = await ask("search", { typed: typed.slice(0, 200) }).catch(() => null);
      if (!list || typed !== this.typed) return;
      this.list = list;
      this.drawList();
    });
    this.listen(signal);
  }

  get isOpen() {
    return this.panel.matches(":popover-open");
  }

  get isSeveral() {
    return (this.data?.n_max ?? 1) > 1;
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setStateValue, setTriggerValue }) {
    this.keep = setStateValue;
    this.send = setTriggerValue;
    const isFirst = !this.data;
    const isNewList = !this.data || !same(Object.keys(this.data.visitor_tokenizers), Object.keys(data.visitor_tokenizers));
    if (data.at >= this.at) this.chosen = data.chosen; // otherwise the page has not had the newest choice yet
    this.data = data;
    if (url !== data.url) kept.known = {}; // a new session, which has none of them yet
    url = data.url;
    if (data.is_main) void keeping.push({ versions: data.visitor_tokenizers, tell: (sentence) => this.say(sentence) });
    if (isFirst) fillSelect(find(this.root, ".pattern", HTMLSelectElement), data.patterns.map((name) => [name, name || "not chosen"]));
    showInAddress(data.address);
    this.drawBox();
    if (this.isOpen && isNewList) void this.load();
    void this.seek(data.missing);
  }

  /** Send chosen tokenizers that the server lacks, if this browser has saved them. @param {Record<string, string>} missing */
  async seek(missing) {
    let nFound = 0;
    for (const [name, sentence] of Object.entries(missing)) {
      if (this.sought.has(name)) continue;
      this.sought.add(name);
      try {
        if (await kept.giveBack(name)) nFound++;
        else this.say(sentence);
      } catch (error) {
        this.say(`${name} cannot be opened again: ${/** @type {Error} */ (error).message}.`);
      }
    }
    if (nFound) this.run();
  }

  /** @param {Chosen[]} chosen */
  choose(chosen) {
    const names = namesOf(chosen), [parameter] = Object.keys(this.data?.address ?? {});
    this.chosen = chosen;
    this.at = Date.now();
    this.keep("chosen", { names, at: this.at });
    if (parameter) {
      showInAddress({ [parameter]: names.join(",") }); // so that the next press of Share includes it
      if (this.data?.is_main) document.cookie = `tessera-${parameter}=${encodeURIComponent(names.join(","))}; path=/; max-age=31536000; samesite=lax`;
    }
    this.drawBox();
    if (this.isOpen) this.drawList();
  }

  /** Send the choice that remains after a change of the visitor's tokenizers, even if it is the same. @param {Chosen[]} chosen */
  change(chosen) {
    if (this.data?.n_max && !same(namesOf(chosen), namesOf(this.chosen))) this.choose(chosen);
    else this.run();
  }

  /** Ask for a run of the page with the server's new tokenizers. */
  run() {
    this.send("changed", Date.now());
  }

  /** @param {AbortSignal} signal */
  listen(signal) {
    const { root, input } = this;
    const on = (/** @type {EventTarget} */ target, /** @type {string} */ kind, /** @type {(event: any) => void} */ act) => target.addEventListener(kind, act, { signal });
    on(find(root, ".box"), "click", (event) => {
      if (event.target instanceof Element && event.target.closest("button")) return;
      // On touch, the first tap opens the list, and a second one brings up the keyboard for searching.
      if (matchMedia("(pointer: coarse)").matches) input.inputMode = this.isOpen ? "text" : "none";
      this.open();
      input.focus();
    });
    on(input, "input", () => {
      this.open("list");
      this.search(input.value);
    });
    on(input, "keydown", (event) => this.onKey(event));
    // On the document, because a rename or removal redraws the focused row, which then has no focus.
    on(document, "keydown", (event) => {
      if (event.key !== "Escape" || !this.isOpen) return;
      event.stopPropagation();
      this.close();
      input.focus();
    });
    on(find(root, "[role=listbox]"), "click", (event) => {
      const option = event.target instanceof Element && event.target.closest("[role=option]");
      if (option instanceof HTMLElement) void this.press(option.dataset.key ?? "");
    });
    on(find(root, ".foot"), "click", (event) => {
      const pressed = event.target instanceof Element && event.target.closest("button");
      this.wanted = null;
      if (pressed instanceof HTMLElement) this.show(this.view === pressed.dataset.view && this.data?.n_max ? "list" : pressed.dataset.view ?? "list");
    });
    // A press beside a control keeps the focus where it is, because losing the focus would close the panel.
    on(this.panel, "mousedown", (event) => {
      if (event.target instanceof Element && !event.target.closest("input, select, button")) event.preventDefault();
    });
    const files = find(root, "input[type=file]", HTMLInputElement);
    // A button, not a label around the input: Chromium ignores a press on a label while text is selected, as the field's is.
    on(find(root, ".choose"), "click", () => files.click());
    // Refused files are opened again with the pattern that they lack.
    on(find(root, ".pattern", HTMLSelectElement), "change", () => void this.openFiles([...opener.waiting]));
    on(files, "change", () => {
      void this.openFiles([...(files.files ?? [])]);
      files.value = "";
    });
    on(document, "pointerdown", (event) => this.isOpen && !event.composedPath().includes(root) && this.close());
    on(document, "focusin", (event) => this.isOpen && !event.composedPath().includes(root) && this.close());
    for (const kind of ["resize", "scroll"]) globalThis.addEventListener(kind, () => this.isOpen && this.place(), { signal, capture: true });
    this.listenForDrops(on);
  }

  /** @param {(target: EventTarget, kind: string, act: (event: any) => void) => void} on */
  listenForDrops(on) {
    const isTaken = (/** @type {DragEvent} */ event) => event.composedPath().some((at) => at instanceof Element && at.matches(TAKERS));
    on(globalThis, "dragover", (/** @type {DragEvent} */ event) => {
      const isFree = Boolean(this.data?.is_main && event.dataTransfer?.types.includes("Files")) && !isTaken(event);
      if (isFree) event.preventDefault();
      if (isFree !== (this.toast.textContent === INVITATION && this.toast.matches(":popover-open"))) this.say(isFree ? INVITATION : "");
    });
    on(globalThis, "dragleave", (/** @type {DragEvent} */ event) => !event.relatedTarget && this.say(""));
    on(globalThis, "drop", (/** @type {DragEvent} */ event) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (!this.data?.is_main || isTaken(event) || !files.length) return;
      event.preventDefault();
      this.say("");
      void this.openFiles(files);
    });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const rows = [...this.rows.keys()];
    const at = rows.indexOf(this.active), step = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!this.isOpen || this.view !== "list") return this.open("list");
      this.active = rows[Math.min(Math.max(at + step, 0), rows.length - 1)] ?? "";
      this.markActive();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (!this.isOpen) return this.open();
      void this.searching.settled().then(() => {
        if (this.active) void this.press(this.active);
      });
    } else if (event.key === "Backspace" && this.isSeveral && !this.input.value && this.chosen.length) {
      this.choose(this.chosen.slice(0, -1));
    }
  }

  /** Show the server's list for a text. @param {string} typed */
  search(typed) {
    this.typed = typed;
    void this.searching.push(typed);
  }

  /** Choose a row of the list; a row without a tokenizer explains what it needs. @param {string} key */
  async press(key) {
    const row = this.rows.get(key);
    if (!row) return;
    this.tell([]);
    if (!row.name) {
      this.input.value = row.detail;
      return this.search(row.detail);
    }
    if (isLocal(row)) return this.read(row.name, () => opener.openLocal(row.name));
    if (!row.tokenizer) {
      this.wanted = row;
      return this.show("open");
    }
    if (this.away.some(({ name }) => name === row.name)) {
      try {
        await kept.giveBack(row.name);
      } catch (error) {
        return this.tell([`${row.name} cannot be opened again: ${/** @type {Error} */ (error).message}.`]);
      }
      this.away = this.away.filter(({ name }) => name !== row.name);
    }
    const nMax = this.data?.n_max ?? 1, next = afterPress(this.chosen, row, nMax);
    if (!next) return this.tell([`At most ${nMax} tokenizers fit. Remove one first.`]);
    if (!this.isSeveral) this.close();
    this.input.value = "";
    this.choose(next);
    if (this.isOpen) this.search("");
  }

  /** @param {string} [view] */
  open(view) {
    if (!this.data?.n_max && view === "list") view = "mine"; // pages without a choice only manage tokenizers
    if (!this.isOpen) {
      this.panel.showPopover();
      this.input.setAttribute("aria-expanded", "true");
      this.root.classList.add("is-open");
      this.active = this.chosen[0]?.name ?? "";
      this.tell([]);
      if (view !== "list") this.input.select(); // what is being typed stays
      this.show(view ?? (this.data?.n_max ? "list" : "mine"));
      void this.load();
    } else if (view && view !== this.view) this.show(view);
  }

  close() {
    if (!this.isOpen) return;
    this.panel.hidePopover();
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.root.classList.remove("is-open");
    this.typed = "";
    this.wanted = null;
    this.drawBox();
  }

  /** @param {string} view */
  show(view) {
    this.view = view;
    const why = find(this.root, ".why");
    why.hidden = !this.wanted;
    find(this.root, ".kinds").hidden = Boolean(this.wanted);
    why.replaceChildren(...(this.wanted ? [element("strong", "", this.wanted.label), ` ${this.wanted.badge}. ${this.wanted.note}`] : []));
    for (const part of this.panel.querySelectorAll(".view")) /** @type {HTMLElement} */ (part).hidden = !part.classList.contains(view);
    for (const pressed of this.panel.querySelectorAll(".foot button")) pressed.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (pressed).dataset.view === view));
    this.drawMine();
    this.place();
  }

  /** Fetch the list, and add what only this browser has. */
  async load() {
    const [list, here] = await Promise.all([ask("search", { typed: "" }).catch(() => this.list), kept.list()]);
    const versions = this.data?.visitor_tokenizers ?? {};
    this.away = [...here].filter(([name]) => !(name in versions)).map(([name, about]) => ({ ...named(name), detail: [about, "kept in this browser"].filter(Boolean).join(" · "), badge: "", note: "" }));
    this.yours = [...(list.groups.find((/** @type {{title: string}} */ { title }) => title === "Yours")?.rows ?? []), ...this.away];
    if (this.typed) this.search(this.typed);
    else this.list = list;
    this.drawList();
    this.drawMine();
    this.place();
  }

  /** Place the panel below the field, as wide as its content, within the window. */
  place() {
    const box = find(this.root, ".box").getBoundingClientRect(), gap = 8, wide = Math.min(Math.max(box.width, 448), 576, innerWidth - 2 * gap);
    const left = Math.max(gap, Math.min(box.left, innerWidth - wide - gap));
    Object.assign(this.panel.style, { top: `${box.bottom + 4}px`, left: `${left}px`, width: `${wide}px`, maxHeight: `${innerHeight - box.bottom - 4 - gap}px` });
  }

  drawBox() {
    const { data, chosen, input } = this;
    if (!data) return;
    const isOne = data.n_max === 1, shown = chosen[0]?.label ?? "";
    this.root.classList.toggle("in-bar", data.is_main);
    this.root.dataset.kind = isOne ? "one" : data.n_max ? "several" : "none";
    find(this.root, ".label").textContent = data.label;
    input.setAttribute("aria-label", data.label);
    // While the panel is open, an untouched name follows the choice, for example after "Remove".
    if (!this.isOpen || input.value === this.shown) input.value = this.shown = isOne ? shown : "";
    const nOwn = Object.keys(data.visitor_tokenizers).length;
    input.placeholder = isOne || chosen.length ? "" : data.n_max ? "Choose tokenizers" : `${data.label}${nOwn ? ` (${nOwn})` : ""}`;
    input.readOnly = !data.n_max;
    input.size = Math.max(isOne && !this.isOpen ? shown.length : 4, 1);
    this.root.classList.toggle("is-loading", this.at > data.at);
    find(this.root, ".detail").textContent = isOne ? chosen[0]?.detail ?? "" : "";
    const chips = isOne ? [] : chosen.map(({ name, label, tokenizer }) => {
      const chip = element("span", "chip", label);
      if (tokenizer !== label) chip.append(element("span", "of", ` · ${tokenizer}`));
      chip.append(button("×", `Remove ${label}`, () => this.choose(this.chosen.filter((one) => one.name !== name))));
      return chip;
    });
    find(this.root, ".chips").replaceChildren(...chips);
    if (this.isOpen) this.place();
  }

  drawList() {
    const list = find(this.root, "[role=listbox]"), { groups, first, sentence } = this.withAway(this.list);
    list.setAttribute("aria-label", this.data?.label ?? "");
    list.setAttribute("aria-multiselectable", String(this.isSeveral));
    if (this.typed) this.active = first;
    this.rows = new Map(groups.flatMap(({ rows }) => rows.map((row) => [keyOf(row), row])));
    let n = 0;
    list.replaceChildren(...groups.map(({ title, rows }) => {
      const group = element("div", "family");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", title);
      const heading = element("div", "heading", title);
      heading.setAttribute("aria-hidden", "true");
      group.append(heading, ...rows.map((row) => this.option(row, n++)));
      return group;
    }));
    find(this.root, ".found").replaceChildren(...(sentence ? [note(sentence, "quiet")] : []));
    this.markActive();
  }

  /** A list with the visitor's tokenizers that only this browser has. @param {List} list @returns {List} */
  withAway(list) {
    const text = this.typed.trim().toLowerCase(), rows = this.away.filter(({ name }) => name.toLowerCase().includes(text));
    if (!rows.length) return list;
    const yours = list.groups.find(({ title }) => title === "Yours")?.rows ?? [];
    const groups = [{ title: "Yours", rows: [...yours, ...rows] }, ...list.groups.filter(({ title }) => title !== "Yours")];
    return { groups, first: rows.find(({ name }) => name.toLowerCase() === text)?.name ?? (list.first || (rows[0]?.name ?? "")), sentence: "" };
  }

  /** @param {Row} row @param {number} n */
  option(row, n) {
    const option = element("div", row.name ? "option" : "option more");
    option.id = `option-${n}`;
    option.dataset.key = keyOf(row);
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", String(this.chosen.some(({ name }) => name === row.name)));
    // Spaces separate the words of the option's accessible name; the grid does not show them.
    option.append(element("span", "name", row.label), " ", element("span", "badge", row.badge));
    if (row.name) option.append(" ", element("span", "about", row.detail));
    return option;
  }

  markActive() {
    for (const option of /** @type {NodeListOf<HTMLElement>} */ (this.panel.querySelectorAll("[role=option]"))) {
      const isActive = option.dataset.key === this.active;
      option.classList.toggle("is-active", isActive);
      if (!isActive) continue;
      this.input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    }
  }

  /** Draw the visitor's own tokenizers, and the button that shows them. */
  drawMine() {
    const mine = this.yours, toggle = find(this.root, "[data-view=mine]");
    toggle.textContent = `Your tokenizers (${mine.length})`;
    toggle.hidden = !mine.length;
    this.mine.draw(mine, this.data?.visitor_tokenizers ?? {});
  }

  /** Update the choice after a rename or removal. @param {(chosen: string[]) => string[]} changed */
  async followChange(changed) {
    this.tell([]);
    const names = changed(namesOf(this.chosen)), left = names.length || this.isSeveral ? names : (this.data?.default ?? []);
    this.change(left.map((name) => this.chosen.find((one) => one.name === name) ?? named(name)));
    await this.load();
  }

  /** Open files with the chosen split pattern. @param {File[]} files */
  async openFiles(files) {
    if (!files.length) return;
    const { wanted } = this;
    this.open("open");
    await this.read(files.map(({ name }) => name).join(", "), () => opener.open(files, find(this.root, ".pattern", HTMLSelectElement).value, wanted?.name));
  }

  /** Show that a tokenizer is read, and choose it once it is. @param {string} what @param {() => Promise<import("./open_files.js").State>} open */
  async read(what, open) {
    const reading = note(`Reading ${what} … `, "quiet");
    reading.append(button("Stop", "Stop reading", () => void ask("stop", {})));
    this.messages.replaceChildren(reading);
    let state;
    try {
      state = await open();
    } catch (error) {
      return this.tell([`${/** @type {Error} */ (error).message}.`], "error");
    }
    const nMax = this.data?.n_max ?? 1, { chosen, gone } = afterOpening(this.chosen, state.opened.map(named), nMax);
    const messages = [...state.messages, ...(gone.length ? [`At most ${nMax} fit, so ${gone.map(({ label }) => label).join(", ")} is no longer shown.`] : [])];
    if (state.opened.length) this.change(chosen);
    if (messages.length) this.say(messages.join(" "));
    if (!state.refused.length && (this.view === "open" || !this.isSeveral)) return this.close();
    this.tell(state.refused, "error");
    await this.load();
  }

  /** Show sentences in the panel. @param {string[]} sentences @param {"" | "error"} [kind] */
  tell(sentences, kind = "") {
    this.messages.replaceChildren(...sentences.map((sentence) => note(sentence, kind)));
  }

  /** Show a sentence at the bottom of the window for some seconds; "" removes it. @param {string} sentence */
  say(sentence) {
    this.toast.textContent = sentence;
    if (!sentence) return this.toast.hidePopover();
    this.toast.showPopover();
    if (sentence !== INVITATION) setTimeout(() => this.toast.textContent === sentence && this.say(""), TOAST_MS);
  }
}

export default component(".picker", (root, signal) => new Picker(root, signal));
