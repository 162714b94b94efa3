// The editor: ties text, chat and ids to the token pane and the counts. Mounted by Streamlit.

import { copyLink, copyText } from "../shared/copy.js";
import { component } from "../shared/mount.js";
import { download, svgToPng } from "../shared/save_file.js";
import { count, isDark, note, readStore, TextField, writeStore } from "../shared/text_field.js";
import { TextSync } from "../shared/text_sync.js";
import { postForTokens, postJson } from "../shared/wire.js";
import { ChatEditor } from "./chat_editor.js";
import { paneToSvg } from "./picture.js";
import { drawCard } from "./token_card.js";
import { TokenPane } from "./token_pane.js";

const KINDS = ["letters", "whitespace", "digits", "punctuation", "special", "other"];
const WINDOWS = [4096, 8192, 16385, 32768, 128000, 200000, 400000, 1000000];
const STORE = "tessera.editor"; // sessionStorage: this tab only, so that a reload loses nothing
const VIEW_STORE = "tessera.view"; // localStorage: how one likes to see tokens
export default component(".editor", (root) => new Editor(root));

class Editor {
  constructor(root) {
    this.root = root;
    this.find = (selector) => root.querySelector(selector);
    this.pane = new TokenPane({
      tokensRoot: this.find(".tokens"),
      idsRoot: this.find(".ids"),
      tip: this.find(".tip"),
      live: this.find(".live"),
      onOpen: (index) => this.openCard(index),
    });
    this.sync = new TextSync({
      getUrl: () => this.data.url,
      onTokens: (answer, text) => this.showEdit(answer, text),
      onError: (error) => this.showEditError(error),
    });
    this.field = new TextField(this.root, {
      getLimit: () => this.data.max_bytes,
      onText: (text) => this.pushText(text),
      onTooLong: (error) => this.refuse(error),
      onProblem: (error) => this.showError(error),
      onNotes: () => this.drawNotes(),
      isKnown: (text) => this.data.examples.some((example) => example.text === text),
      takesFiles: () => this.mode === "text",
    });
    this.chat = new ChatEditor({ root: this.find(".chat"), onChange: () => this.pushWhole("chat") });
    this.settings = { window: 128000, priceInput: "", priceOutput: "", ...readStore(localStorage, VIEW_STORE) };
    Object.assign(this.pane.view, this.settings.view);
    this.listen();
    this.drawSettings();
  }

  destroy() {
    this.save();
    clearTimeout(this.idleTimer);
    this.pane.destroy();
    this.themeWatch?.disconnect();
  }

  /** Runs at the first mount and at each rerun of the page. */
  update({ data, setTriggerValue }) {
    const isNew = data.revision !== this.revision || data.url !== this.data?.url || !this.isOpen;
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    fillSelect(this.find(".examples"), [["", "Examples"], ...data.examples.map(({ title }, i) => [String(i), title])]);
    fillSelect(this.find(".templates"), data.templates.map((name) => [name, `template of ${name}`]));
    if (!isNew) return;
    this.revision = data.revision;
    this.open();
  }

  // ---- talking with the server

  /** Fetch the whole state; what was typed and is not yet sent goes first. */
  async open() {
    await this.sync.settled();
    const isFirst = !this.isOpen;
    try {
      const answer = await postForTokens(this.data.url, "open", {});
      if (isFirst) {
        this.isOpen = true;
        this.mode = answer.mode;
        this.field.show(answer.text);
        this.chat.show(answer.messages);
        this.find(".ids-text").value = answer.ids_text;
        this.find(".templates").value = answer.template_name;
        if (answer.view) this.adoptView(answer.view);
      }
      this.sync.reset(answer.text, answer.version);
      this.showWhole(answer);
      if (isFirst && this.data.is_fresh) this.restore();
      else if (this.field.text !== answer.text) this.sync.push(this.field.text);
    } catch (error) {
      this.showError(error);
    }
  }

  /** A server that was started anew does not know this editor: ask the page for a new one, keep the text. */
  recover(error) {
    if (error.status !== 410 || this.isRecovering) return false;
    this.isRecovering = true;
    this.save();
    this.revision = null;
    this.setTriggerValue("lost", Date.now());
    setTimeout(() => (this.isRecovering = false), 3000);
    return true;
  }

  pushText(text) {
    if (this.error && text === this.sync.acknowledged) this.showError(null); // back to what is shown
    this.sync.push(text);
  }

  /** A text that is too long is not sent; what is on its way is enough. */
  refuse(error) {
    this.sync.wanted = this.sync.acknowledged;
    this.showError(error);
  }

  /** Chat and ids are short: each change sends them whole, one request at a time, the newest wins. */
  async pushWhole(action) {
    this.pending = action;
    if (this.isPushing) return;
    this.isPushing = true;
    while (this.pending) {
      const wanted = this.pending;
      this.pending = null;
      const body = wanted === "chat"
        ? { messages: this.chat.messages, template_name: this.find(".templates").value }
        : { ids_text: this.find(".ids-text").value };
      try {
        const answer = await postForTokens(this.data.url, wanted, body);
        if (this.mode === wanted) this.showWhole(answer);
      } catch (error) {
        if (this.mode === wanted) this.showError(error);
      }
    }
    this.isPushing = false;
  }

  async setMode(mode) {
    if (mode === this.mode) return;
    await this.sync.settled();
    this.mode = mode;
    await this.ask("settings", { mode });
  }

  /** An action that answers with the whole state. */
  async ask(action, body) {
    await this.sync.settled();
    try {
      this.showWhole(await postForTokens(this.data.url, action, body));
      this.settle();
    } catch (error) {
      this.showError(error);
    }
  }

  // ---- showing

  showEdit(answer, text) {
    if (this.mode !== "text") return;
    const lengths = this.pane.pieces.slice(0, answer.first).reduce((n, piece) => n + piece.nUtf16, 0);
    let start = lengths;
    const sources = answer.pieces.map(({ nUtf16 }) => text.slice(start, (start += nUtf16)).toWellFormed());
    this.closeCard();
    this.pane.splice(answer.first, answer.n_removed, answer.pieces, sources);
    this.showTotals(answer.totals);
    this.settle();
  }

  showWhole(answer) {
    this.mode = answer.mode;
    this.root.dataset.mode = answer.mode;
    for (const element of this.root.querySelectorAll(".modes button")) element.setAttribute("aria-pressed", element.dataset.mode === answer.mode);
    this.pane.special = new Set(answer.special_ids);
    this.closeCard();
    let sources;
    if (answer.raw !== undefined) sources = [Uint8Array.from(atob(answer.raw), (c) => c.charCodeAt(0))];
    else {
      const { text } = answer;
      this.sync.reset(text, answer.version);
      let start = 0;
      sources = answer.pieces.map(({ nUtf16 }) => text.slice(start, (start += nUtf16)));
    }
    this.find(".tokens").scrollTop = this.find(".ids").scrollTop = 0;
    this.pane.show(answer.pieces, sources, { template: answer.template_tokens });
    this.showTotals(answer.totals);
    if (answer.mode === "ids") this.find(".decoded").value = new TextDecoder("utf-8", { ignoreBOM: true }).decode(sources[0]);
    if (answer.error) this.showError(new Error(answer.error));
    if (answer.mode === "text") this.field.isTooLong(); // a text that was refused is refused still
    this.settle();
  }

  showTotals(totals) {
    this.totals = totals;
    this.showError(null);
    this.find(".n-tokens").textContent = count(totals.n_tokens);
    this.find(".unit").textContent = totals.n_tokens === 1 ? "token" : "tokens";
    this.find(".share-of-template").textContent = typeof totals.n_template === "number" ? `${count(totals.n_template)} of them the template, in ${totals.tokenizer}` : "";
    const special = this.find(".special-switch");
    special.hidden = !this.data.has_special;
    special.setAttribute("aria-pressed", totals.honours_special);
    special.textContent = totals.honours_special ? "special: honoured" : "special: plain text";
    const { n_chars, n_bytes, n_words, n_lines } = totals.counts;
    const numbers = [
      ["characters", count(n_chars)], ["UTF-8 bytes", count(n_bytes)], ["words", count(n_words)], ["lines", count(n_lines)],
      ["bytes / token", ratio(n_bytes, totals.n_tokens)], ["tokens / word", ratio(totals.n_tokens, n_words)],
    ];
    this.find(".numbers").replaceChildren(...numbers.map(([name, value]) => {
      const group = document.createElement("div");
      group.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value }));
      return group;
    }));
    this.root.classList.toggle("one-line", n_lines <= 1);
    this.showKinds(totals.categories, totals.n_tokens);
    this.showCost();
    this.root.dataset.version = totals.version;
    this.root.dataset.tokenizer = totals.tokenizer;
  }

  showKinds(categories, nTokens) {
    const bar = [], key = [];
    KINDS.forEach((name, i) => {
      if (!categories[i]) return;
      const part = document.createElement("span");
      part.className = `kind k${i}`;
      part.style.flexGrow = categories[i];
      part.title = `${name}: ${count(categories[i])}`;
      bar.push(part);
      const label = document.createElement("span");
      const swatch = document.createElement("i");
      swatch.className = `kind k${i}`;
      label.append(swatch, `${name} ${count(categories[i])}`);
      key.push(label);
    });
    this.find(".kinds-bar").replaceChildren(...bar);
    this.find(".kinds-bar").setAttribute("aria-label", `Of ${count(nTokens)} tokens: ` + KINDS.map((name, i) => `${name} ${categories[i]}`).join(", "));
    this.find(".kinds-key").replaceChildren(...key);
  }

  showCost() {
    const n = this.totals?.n_tokens ?? 0, { window: size, priceInput, priceOutput } = this.settings;
    const meter = this.find(".meter");
    meter.classList.toggle("over", n > size);
    meter.firstElementChild.style.width = `${Math.min(100, (100 * n) / size)}%`;
    const share = (100 * n) / size;
    this.find(".window-share").textContent =
      n > size ? `over by ${count(n - size)}` : `${share > 0 && share < 0.1 ? "under 0.1" : share.toFixed(1)} % used, ${count(size - n)} left`;
    const costs = [];
    if (isPrice(priceInput)) costs.push(`${dollars((n * priceInput) / 1e6)} as input`);
    if (isPrice(priceOutput)) costs.push(`${dollars((n * priceOutput) / 1e6)} as output`);
    this.find(".cost-shown").textContent = costs.join(" · ");
  }

  showError(error) {
    if (error && this.recover(error)) return;
    this.root.classList.toggle("stale", !!error);
    this.error = error?.message ?? null;
    this.drawNotes();
  }

  async showEditError(error) {
    if (error.status === 409) {
      // Another tab or a reload changed the document: start from what the server has.
      const answer = await postForTokens(this.data.url, "open", {}).catch(() => null);
      if (answer) {
        this.showWhole(answer);
        return;
      }
    }
    this.showError(error);
  }

  replaceText(text) {
    this.warnings = [];
    this.field.replace(text, "The example replaced your text.");
  }

  drawNotes() {
    const notes = [];
    if (this.error) notes.push(note(this.error, "error"));
    const undo = this.mode === "text" ? this.field.undoNote() : null;
    if (undo) notes.push(undo);
    const { totals } = this;
    if (this.mode === "text" && totals && totals.special_spelled?.length) {
      const spelled = totals.special_spelled.map((name) => `“${name}”`).join(", ");
      notes.push(note(
        `This text contains ${spelled}: ${count(totals.n_tokens_plain)} tokens as plain text, ${count(totals.n_tokens_special)} with special tokens. ` +
          "Text from strangers must stay plain, or they can end your document or forge a message.",
      ));
    }
    for (const warning of this.warnings ?? []) notes.push(note(warning.sentence));
    this.find(".notes").replaceChildren(...notes);
  }

  /** After a pause: warnings, this tab's memory, and the parts of the page that Streamlit draws. */
  settle() {
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(async () => {
      if (this.sync.running || !this.isOpen) return this.settle();
      this.save();
      try {
        const text = this.field.text;
        const nLoneSurrogates = text.isWellFormed() ? 0 : text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "").match(/[\ud800-\udfff]/g).length;
        const answer = await postJson(this.data.url, "inspect", { n_lone_surrogates: nLoneSurrogates });
        this.warnings = answer.warnings;
        if (this.totals) this.totals.special_spelled = answer.special_spelled;
        this.drawNotes();
        this.setTriggerValue("settled", `${this.mode} ${this.totals?.version}`);
      } catch (error) {
        this.showError(error);
      }
    }, 350);
  }

  // ---- the token card

  async openCard(index) {
    await this.sync.settled();
    try {
      const details = await postJson(this.data.url, "token", { index });
      const card = this.find(".card"), focused = getFocused(card);
      if (!card.contains(focused)) this.cardOpener = focused?.closest(".tokens, .ids") ?? this.find(".tokens");
      const label = card.contains(focused) ? focused.getAttribute("aria-label") : null;
      drawCard(card, details, {
        onClose: () => this.closeCard(true),
        onStep: (by) => {
          const next = index + by;
          if (next < 0 || next >= this.totals.n_tokens) return;
          this.openCard(next);
        },
      });
      this.pane.activate(this.pane.spotOf(index));
      this.pane.hideTip();
      const again = [...card.querySelectorAll("button")].find((element) => label && element.getAttribute("aria-label") === label);
      (again ?? card).focus({ preventScroll: true });
    } catch (error) {
      this.say(error.message);
    }
  }

  closeCard(giveFocusBack = false) {
    if (this.find(".card").hidden) return;
    this.find(".card").hidden = true;
    if (giveFocusBack) this.cardOpener.focus({ preventScroll: true });
  }

  // ---- what the tab remembers

  save() {
    if (!this.isOpen) return;
    const state = {
      mode: this.mode, text: this.field.text, messages: this.chat.messages,
      template: this.find(".templates").value, ids: this.find(".ids-text").value,
      choice: this.data.choice, own_special: this.data.own_special,
    };
    writeStore(sessionStorage, STORE, state);
    writeStore(localStorage, VIEW_STORE, { ...this.settings, view: this.pane.view });
  }

  /** After a reload of the page, or a restart of the server, put back what this tab held. */
  async restore() {
    const kept = readStore(sessionStorage, STORE);
    if (!kept.mode) return;
    if (typeof kept.text === "string" && kept.text !== this.field.text) {
      this.field.show(kept.text);
      if (!this.field.isTooLong()) await this.sync.push(kept.text);
    }
    if (Array.isArray(kept.messages)) this.chat.show(kept.messages);
    if (kept.template) this.find(".templates").value = kept.template;
    this.find(".ids-text").value = kept.ids ?? "";
    const { choice, own_special } = kept;
    const isOther = choice !== this.data.choice || JSON.stringify(own_special) !== JSON.stringify(this.data.own_special);
    if (choice && isOther) this.setTriggerValue("restored", { choice, own_special: own_special ?? [] });
    const wholes = { messages: this.chat.messages, template_name: this.find(".templates").value, ids_text: kept.ids ?? "" };
    await this.ask("settings", { mode: kept.mode, ...wholes });
  }

  // ---- settings of the view

  adoptView(view) {
    Object.assign(this.pane.view, view.pane ?? {});
    Object.assign(this.settings, view.settings ?? {});
    this.drawSettings();
  }

  drawSettings() {
    const { view } = this.pane;
    this.root.dataset.label = view.label;
    this.find(".marks").setAttribute("aria-pressed", view.marks);
    this.find(".label").value = view.label;
    this.find(".color-by").value = view.colorBy;
    const size = this.settings.window, isOwn = !WINDOWS.includes(size);
    fillSelect(this.find(".window-size"), [...WINDOWS.map((n) => [String(n), count(n)]), ["own", "own size"]]);
    this.find(".window-size").value = isOwn ? "own" : String(size);
    this.find(".window-own").hidden = !isOwn;
    if (isOwn) this.find(".window-own").value = size;
    this.find(".price-input").value = this.settings.priceInput;
    this.find(".price-output").value = this.settings.priceOutput;
  }

  changeView(change) {
    Object.assign(this.pane.view, change);
    this.drawSettings();
    this.pane.redraw();
    this.save();
  }

  changeSettings(change) {
    Object.assign(this.settings, change);
    this.drawSettings();
    this.showCost();
    this.save();
  }

  // ---- take away

  async copy(kind) {
    await this.sync.settled();
    while (this.isPushing) await new Promise((resolve) => setTimeout(resolve, 10));
    let text;
    if (kind === "ids") text = this.pane.allIds().join(", ");
    else text = (await postJson(this.data.url, "snippet", { kind })).snippet;
    await copyText(text);
    this.say(`Copied ${count(this.totals.n_tokens)} ${this.totals.n_tokens === 1 ? "token" : "tokens"} as ${{ ids: "ids", json: "JSON", python: "Python" }[kind]}.`);
  }

  async share() {
    await this.sync.settled();
    const view = { pane: this.pane.view, settings: this.settings };
    const link = await copyLink(this.data.url, { view });
    this.say(`Copied a link of ${count(link.length)} characters. It holds the text itself: share it as you would the text.`);
  }

  async picture(kind) {
    const shown = this.data.tokenizer_name;
    const svg = paneToSvg(this.find(".tokens"), `${count(this.totals.n_tokens)} tokens of ${shown}`);
    const blob = kind === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await svgToPng(svg);
    download(blob, `tokens-${shown}.${kind}`);
    this.say("Saved the tokens in view.");
  }

  say(sentence) {
    this.find(".said").textContent = sentence;
    clearTimeout(this.sayTimer);
    this.sayTimer = setTimeout(() => (this.find(".said").textContent = ""), 9000);
  }

  // ---- events

  listen() {
    const on = (selector, type, act) => {
      for (const element of this.root.querySelectorAll(selector)) {
        element.addEventListener(type, (event) => {
          const result = act(event, event.currentTarget);
          result?.catch?.((error) => this.say(error.message));
        });
      }
    };
    on(".ids-text", "input", () => this.pushWhole("ids"));
    on(".modes button", "click", (_, element) => this.setMode(element.dataset.mode));
    on(".templates", "change", () => this.pushWhole("chat"));
    on(".special-switch", "click", () => this.ask("settings", { honours_special: !this.totals.honours_special }));
    on(".examples", "change", (_, element) => {
      const example = this.data.examples[Number(element.value)];
      if (element.value !== "" && example) this.replaceText(example.text);
      if (example) this.say(example.notice);
      element.value = "";
    });
    on(".marks", "click", () => this.changeView({ marks: !this.pane.view.marks }));
    on(".label", "change", (_, element) => this.changeView({ label: element.value }));
    on(".color-by", "change", (_, element) => this.changeView({ colorBy: element.value }));
    on(".window-size", "change", (_, element) => this.changeSettings({ window: element.value === "own" ? 100000 : Number(element.value) }));
    on(".window-own", "input", (_, element) => {
      if (element.valueAsNumber >= 1) (this.settings.window = Math.floor(element.valueAsNumber)), this.showCost(), this.save();
    });
    for (const name of ["priceInput", "priceOutput"]) {
      on(name === "priceInput" ? ".price-input" : ".price-output", "input", (_, element) => {
        this.settings[name] = Number.isFinite(element.valueAsNumber) ? element.valueAsNumber : "";
        this.showCost();
        this.save();
      });
    }
    on("[data-copy]", "click", (_, element) => this.copy(element.dataset.copy));
    on("[data-picture]", "click", (_, element) => this.picture(element.dataset.picture));
    on(".share", "click", () => this.share());
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.closeCard(true);
    });
  }
}

const ratio = (a, b) => (b ? (a / b).toFixed(2) : "–");
const isPrice = (price) => typeof price === "number" && price >= 0;
const dollars = (amount) => `$${amount === 0 ? "0" : amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(amount < 1 ? 4 : 2)}`;

function fillSelect(select, options) {
  const wanted = JSON.stringify(options);
  if (select.dataset.options === wanted) return;
  select.dataset.options = wanted;
  select.replaceChildren(...options.map(([value, label]) => new Option(label, value)));
}

/** What has the focus, in the document or the shadow root that an element is in. */
const getFocused = (element) => element.getRootNode().activeElement;
