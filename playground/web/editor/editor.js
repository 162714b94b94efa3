// The editor: text, chat and ids, kept in step with the server; `ShownTokens` shows the answers.

import { onShare, showInAddress, takePayload } from "../shared/address.js";
import { desk, DeskField } from "../shared/desk.js";
import { find } from "../shared/element.js";
import { placeMenus } from "../shared/menu.js";
import { component, leave } from "../shared/mount.js";
import { copyText, savePage } from "../shared/save.js";
import { listenForEdits, openText } from "../shared/source_text.js";
import { onUnkept, TabMemory, tabStore, unkeptNote } from "../shared/tab_memory.js";
import { TextField } from "../shared/text_field.js";
import { TextSync } from "../shared/text_sync.js";
import { countLoneSurrogates } from "../shared/unicode.js";
import { NewestWins, Reconnect, RefusedError, sentenceOf, Settling } from "../shared/wire.js";
import { asChat, ChatEditor, TemplateMenu } from "./chat_editor.js";
import { EditorActions } from "./editor_actions.js";
import { brokenNote, ExpensiveWords, EditorNotes, isApiChat, specialNote } from "./editor_notes.js";
import { TakeAway } from "./export_menu.js";
import { LinkedPanes } from "./linked_panes.js";
import { OwnSpecial } from "./own_special.js";
import { ShownTokens } from "./shown_tokens.js";
import { Versions } from "./versions.js";

const SETTLE_MS = 350;
/** Milliseconds after which a slow answer is announced, because the shown tokens are old. */
const PATIENCE_MS = 300;

/** Data from Python; see `ui/tokenize/editor.py`. @typedef {import("../shared/wire_types.d.ts").EditorData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").EditorEvent} Said */

/** @typedef {import("./editor_actions.js").Mode} Mode */

/** Values besides the text that a tab stores for a reload. @typedef {{mode: Mode, messages: import("./editor_actions.js").Message[], tools: import("./editor_actions.js").Tool[], elsewhere: string[], template: string, options: import("./chat_editor.js").Options, ids: string | null, earlier: string | null, honours_special: boolean, cutting: import("../shared/wire_types.d.ts").Cutting, dear: boolean}} Kept */

export default component(".editor", (root, signal) => new Editor(root, signal));

/** The chat in an answer. @param {import("./editor_actions.js").WholeAnswer} answer @returns {import("./chat_editor.js").Chat} */
const chatOf = ({ messages, tools, elsewhere }) => ({ messages: [...messages], tools: [...tools], elsewhere: [...elsewhere] });

class Editor {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    /** @type {number | null} */
    this.revision = null;
    this.isOpen = false;
    /** Whether `sync` matches the session of `data`; until then typed text waits. */
    this.isCurrent = false;
    this.openedUrl = "";
    /** Ids that the reader has typed; until then the field shows the server's. @type {string | null} */
    this.typedIds = null;
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    /** @type {TabMemory<Kept>} */
    this.tab = new TabMemory(tabStore, "tessera.editor");
    /** The values of a copied address, restored as after a reload. */
    this.arrived = takePayload("tokenize");
    if (this.arrived) this.tab.write(/** @type {any} */ ({ mode: "text", ...this.arrived }));
    this.actions = new EditorActions(() => this.data?.url ?? "");
    /** @type {TextSync<import("./editor_actions.js").EditAnswer>} */
    this.sync = new TextSync({
      send: (edit) => this.actions.edit(edit),
      onAnswer: (answer, text) => this.showEdit(answer, text),
      onError: (error) => this.showEditError(error),
    });
    this.settling = new Settling(signal, SETTLE_MS, () => this.onSettled());
    /** Resolves when the server has the values saved in this tab. @type {Promise<void>} */
    this.puttingBack = Promise.resolve();
    this.opening = new NewestWins((/** @type {Data} */ data) => this.open(data));
    this.reconnect = new Reconnect({
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      reopen: () => this.reopen(),
    });
    // Chat and ids are short, so each change sends them completely.
    this.wholes = {
      chat: new NewestWins(() => this.sendWhole("chat", () => this.actions.chat(this.plainChat()))),
      ids: new NewestWins(() => this.sendWhole("ids", () => this.actions.ids(this.typedIds ?? ""))),
    };
    const part = (/** @type {string} */ selector) => find(root, selector);
    this.template = new TemplateMenu(find(root, ".templates", HTMLSelectElement), () => this.wholes.chat.push(null), signal);
    this.idsText = find(root, ".ids-text", HTMLTextAreaElement);
    this.desk = new DeskField("tokenize", () => ({ field: this.field, onText: (text) => this.pushText(text) }));
    this.field = new TextField(root, signal, {
      getLimit: () => this.data?.max_bytes ?? Infinity,
      onText: (text) => {
        this.desk.change(text);
        this.pushText(text);
        this.notes.draw();
      },
      onTooLong: (error) => this.refuse(error),
      onProblem: (error) => this.notes.show({ error: error.message }), // the text is what it was
      onNotes: () => this.notes.draw(),
      takesFiles: () => this.mode === "text",
    });
    this.notes = new EditorNotes(part(".notes"), () => (this.mode === "text" ? this.field.undoNote() ?? this.desk.note() : null) ?? unkeptNote(), () => this.openAsChat());
    onUnkept(() => this.notes.draw(), signal);
    this.chat = new ChatEditor(part(".chat"), () => this.wholes.chat.push(null), (pasted, number) => this.readChat(pasted, number));
    /** @type {ShownTokens} */
    this.shown = new ShownTokens(root, signal, {
      fetchToken: async (index) => (await this.sync.settled(), this.actions.token(index)),
      askFacts: (ids) => this.actions.facts(ids),
      askCuts: async (/** @type {() => number[]} */ placesOf) => {
        await this.sync.settled(); // then the shown pieces are the server's
        return this.actions.cuts(this.shown.totals?.version ?? 0, placesOf());
      },
      recut: (cutting) => this.recut(cutting),
      onError: (error) => this.takeAway.say(error.message),
      openIn: (page, text) => this.openIn(page, text),
    });
    this.linked = new LinkedPanes(root, signal, {
      field: this.field,
      pane: this.shown.pane,
      getText: () => (this.mode === "text" && this.field.text === this.sync.acknowledged ? this.field.text : null),
      onChosen: (nTokens) => this.shown.showChosen(nTokens),
    });
    this.versions = new Versions(root, signal, {
      send: async (earlier) => {
        const answer = await this.actions.earlier(earlier);
        this.settle(); // saved for a reload
        return answer;
      },
      getBlocks: () => (this.mode === "text" && !this.sync.isRunning ? [...this.shown.pane.iterBlocks()] : null),
      getText: () => this.field.text,
      getSettings: () => this.shown.window.used,
      onError: (error) => this.showError(error),
      onTurn: () => {
        this.shown.card.close();
        this.showModes();
      },
      showText: () => this.setMode("text"),
    });
    this.expensiveWords = new ExpensiveWords(root, signal, { fetch: () => this.actions.dear(), onFind: (word) => this.linked.findNext(word) });
    this.takeAway = new TakeAway(root, signal, {
      getShown: async () => {
        await this.settled();
        return this.shown.summary;
      },
      isOfVersions: () => this.mode === "text" && this.versions.isOn,
      getText: async (kind) => (kind === "ids" ? { snippet: this.shown.pane.allIds().join(", "), file: "" } : this.actions.snippet(kind)),
      getFile: (file) => this.actions.vocabularyFile(file),
      savePage: () => savePage(this.data?.url ?? "", { view: this.shown.pane.view }),
    });
    placeMenus(root, signal);
    this.ownSpecial = new OwnSpecial(part(".special-tokens"), signal, (text) => this.setTriggerValue("special", text));
    onShare(signal, () => this.share());
    this.listen(signal);
  }

  /** The values for a copied address: those saved in the tab, the text, and the settings for tokens. */
  async share() {
    await this.settled();
    return { page: "tokenize", text: this.field.text, ...this.remembered, view: this.shown.taste };
  }

  /** @param {AbortSignal} signal */
  listen(signal) {
    const { root } = this;
    const onMode = (/** @type {Event} */ event) => {
      const pressed = event.target instanceof Element && event.target.closest("button"), mode = pressed && pressed.dataset.mode;
      if (!mode) return;
      if (this.versions.isOn) this.versions.turn(null);
      void this.setMode(/** @type {Mode} */ (mode));
    };
    const onIds = () => {
      this.typedIds = this.idsText.value;
      this.wholes.ids.push(null);
    };
    globalThis.addEventListener("pagehide", () => this.save(), { signal }); // includes what was typed just before
    find(root, ".modes").addEventListener("click", onMode, { signal });
    listenForEdits(this.idsText, onIds, { signal });
    const onCopyDecoded = async () => {
      await this.settled();
      await copyText(find(root, ".decoded", HTMLTextAreaElement).value);
      this.takeAway.say("Copied the text.");
    };
    find(root, ".copy-decoded").addEventListener("click", () => onCopyDecoded().catch((error) => this.takeAway.say(error.message)), { signal });
    find(root, ".row.cost").addEventListener("input", () => this.versions.follow(), { signal }); // a difference has a price
    const special = find(root, ".special-switch", HTMLInputElement);
    special.addEventListener("change", () => this.ask({ honours_special: special.checked }), { signal });
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const isNew = data.revision !== this.revision || data.url !== this.data?.url || !this.isOpen;
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.field.offer(data.examples);
    this.template.offer(data.templates);
    this.shown.window.showModel(data.model);
    this.ownSpecial.show(data.special);
    showInAddress({ special: data.special.text });
    if (!isNew) return;
    this.revision = data.revision;
    this.sync.cancel();
    this.reopen();
  }

  destroy() {
    this.save();
    this.reconnect.end();
  }

  // ---- talking with the server

  /** Open the page's newest session. */
  reopen() {
    this.isCurrent = false;
    if (this.data) this.opening.push(this.data);
  }

  /** Fetch the whole state, then send what was typed and the server lacks. @param {Data} data */
  async open(data) {
    await this.sync.settled();
    const isFirst = !this.isOpen, held = this.held;
    try {
      const answer = await this.actions.open();
      if (this.opening.next) return; // the page has a newer session
      const isUnheard = !isFirst && (this.reconnect.isLost || data.url !== this.openedUrl);
      this.reconnect.stop();
      this.openedUrl = data.url;
      this.isCurrent = true;
      if (isFirst) {
        this.isOpen = true;
        this.field.open(this.desk.opening(data.url, data.text_revision, answer.text, this.arrived?.text));
        this.chat.show(chatOf(answer));
        this.chat.options.show(answer);
        if (this.tab.read().ids === answer.ids_text) openText(this.idsText, (this.typedIds = answer.ids_text)); // typed before the page was left
        if (answer.earlier !== null) this.versions.putBack(answer.earlier);
        this.shown.adopt(this.arrived?.view ?? {});
      }
      if (!isUnheard) this.template.choose(answer.template_name);
      this.sync.reset(answer.text, answer.version);
      this.showWhole(answer);
      const isOther = this.field.text !== answer.text && !this.field.isTooLong();
      this.root.classList.toggle("of-another", isOther && this.mode === "text"); // its counts are not those of the shown text
      if (isOther) this.sync.push(this.field.text);
      if (isFirst && (data.is_fresh || this.arrived)) this.restore();
      // Whoever opens the page can type at once; a touch would bring up the keyboard over the tokens.
      if (isFirst && answer.mode === "text" && matchMedia("(pointer: fine)").matches && document.activeElement === document.body) this.field.area.focus({ preventScroll: true });
      if (isUnheard && (held.mode !== "text" || held.honours_special)) this.putBack({ mode: held.mode, honours_special: held.honours_special });
      if (isUnheard) this.shown.controls.patternKey.restore(held.cutting);
    } catch (error) {
      this.showError(error);
    }
  }

  /** Resolves when the server has everything that was typed or saved in this tab, in the page's newest session. */
  async settled() {
    await this.opening.settled();
    await Promise.all([this.puttingBack, ...[this.sync, this.wholes.chat, this.wholes.ids].map((queue) => queue.settled())]);
  }

  /** The chat in the server's format. */
  plainChat() {
    return { ...this.chat.chat, template_name: this.template.name, ...this.chat.options.values };
  }

  /** Send changes besides the text to the server. @param {import("./editor_actions.js").Changes} changes */
  putBack(changes) {
    const ids = this.typedIds === null ? {} : { ids_text: this.typedIds };
    this.puttingBack = this.ask({ ...changes, ...this.plainChat(), ...ids });
    return this.puttingBack;
  }

  /** @param {string} text */
  pushText(text) {
    if (text === this.sync.acknowledged) this.showError(null); // the shown text is back
    if (this.isCurrent) this.sync.push(text);
    else if (!this.opening.running) this.reopen();
  }

  /** A text that is too long is not sent. @param {Error} error */
  refuse(error) {
    this.desk.keep(this.field.text);
    this.sync.cancel();
    this.showError(error);
    this.showAbout(); // the note belonged to the replaced example
  }

  /** @param {Mode} mode @param {() => Promise<import("./editor_actions.js").WholeAnswer>} send */
  async sendWhole(mode, send) {
    const waiting = setTimeout(() => this.root.classList.add("counting"), PATIENCE_MS); // a tokenizer is loaded first
    try {
      const answer = await send();
      if (this.mode === mode) this.showWhole(answer);
    } catch (error) {
      if (this.mode === mode) this.showError(error);
    } finally {
      clearTimeout(waiting);
      this.root.classList.remove("counting");
    }
  }

  /** Read a pasted chat; return what is wrong with it, "" for nothing, null if a message says it already. @param {string} pasted */
  async readChat(pasted, number = 1) {
    try {
      await this.wholes.chat.settled();
      const answer = await this.actions.readChat(pasted, number);
      if ("refused" in answer) return answer.refused;
      if (answer.read) this.chat.replace(chatOf(answer), { ...answer.read, pasted });
      this.showWhole(answer);
      if (answer.read?.model) this.chooseModel(answer.read.model);
      return "";
    } catch (error) {
      this.showError(error);
      return null;
    }
  }

  /** Have the picker choose a model; until the page has run with it, the counts are not the chat's. @param {string} name */
  chooseModel(name) {
    this.root.classList.add("of-another");
    this.setTriggerValue("model", name);
  }

  /** Open the text, an API's messages, in Chat; the text stays in Text, and the replaced chat can be restored. */
  async openAsChat() {
    await this.sync.settled();
    const refused = await this.readChat(this.field.text);
    if (refused) this.showError(new Error(refused));
    if (refused !== "") return;
    await this.setMode("chat");
    find(this.root, ".modes [data-mode=chat]").focus();
  }

  /** @param {Mode} mode */
  async setMode(mode) {
    await this.settled(); // a reload may restore another mode first
    if (mode === this.mode) return;
    this.shown.mode = mode;
    await this.ask({ mode });
  }

  /** Show in the row of modes which one is chosen; *Versions* is the text beside an earlier one. */
  showModes() {
    const isVersions = this.mode === "text" && this.versions.isOn;
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll(".modes button"))) {
      const isChosen = button.dataset.mode ? button.dataset.mode === this.mode && !isVersions : isVersions;
      button.setAttribute("aria-pressed", String(isChosen));
    }
  }

  /** Cut the text by another pattern. Throws if it is invalid. @param {import("../shared/wire_types.d.ts").Cutting} cutting */
  async recut(cutting) {
    await this.sync.settled();
    this.showWhole(await this.actions.settings({ cutting }));
  }

  /** Open a text on another page, with the same tokenizer. @param {import("./token_card.js").Elsewhere} page @param {string} text */
  openIn(page, text) {
    desk.bring(page, text);
    this.setTriggerValue("elsewhere", page);
    leave();
  }

  /** @param {import("./editor_actions.js").Changes} changes */
  async ask(changes) {
    await this.sync.settled();
    try {
      this.showWhole(await this.actions.settings(changes));
    } catch (error) {
      this.showError(error);
    }
  }

  // ---- showing

  get mode() {
    return this.shown.mode;
  }

  /** The key of the shown tokens. */
  get told() {
    return JSON.stringify([this.mode, this.shown.totals?.version, this.shown.summary]);
  }

  /** The settings besides the text. */
  get held() {
    return { mode: this.mode, honours_special: this.shown.totals?.honours_special ?? false, cutting: this.shown.controls.patternKey.cutting };
  }

  /** @param {import("./editor_actions.js").EditAnswer} answer @param {string} text */
  showEdit(answer, text) {
    this.root.classList.remove("of-another");
    if (this.mode !== "text") return;
    this.shown.showEdit(answer, text);
    this.linked.follow();
    this.versions.follow();
    this.takeAway.say("");
    this.showAbout();
    this.showError(null);
    this.settle();
  }

  /** @param {import("./editor_actions.js").WholeAnswer} answer */
  showWhole(answer) {
    this.root.classList.remove("of-another");
    if (answer.raw === undefined) this.sync.reset(answer.text, answer.version);
    const before = this.told;
    this.shown.showWhole(answer, this.data?.has_special ?? false);
    this.showModes();
    this.linked.follow();
    this.versions.retell();
    if (answer.mode === "chat") this.chat.showCosts(answer);
    find(this.root, ".chat-sum").textContent = answer.sum ?? "";
    if (this.typedIds === null) openText(this.idsText, answer.ids_text);
    if (this.told !== before) this.takeAway.say(""); // the message about the copied text is out of date
    this.showAbout();
    this.showError(answer.error ? new Error(answer.error) : null);
    if (answer.mode === "text") this.field.isTooLong(); // a refused text is still refused
    else this.notes.show({ warnings: [], special: "", isChat: false });
    this.settle();
  }

  /** Show messages about the shown tokens while they apply. */
  showAbout() {
    const notes = { text: () => this.field.example?.notice ?? "", chat: () => "", ids: () => brokenNote(this.shown.raw) };
    const about = notes[this.mode]();
    if (about !== this.notes.about) this.notes.show({ about });
  }

  /** @param {unknown} error null where all is well */
  showError(error) {
    if (this.reconnect.seeks(error)) this.isCurrent = false;
    this.root.classList.toggle("stale", error !== null);
    if (error !== null) this.root.classList.remove("of-another"); // the page says already that they belong to the previous text
    this.notes.show({ error: sentenceOf(error) });
  }

  /** @param {unknown} error */
  async showEditError(error) {
    if (error instanceof RefusedError && error.status === 409) {
      // Another tab or a reload changed the document: start from the server's text.
      const answer = await this.actions.open().catch(() => null);
      if (answer) {
        this.showWhole(answer);
        if (!this.field.isTooLong()) this.sync.push(this.field.text); // typed text is kept
        return;
      }
    }
    this.showError(error);
  }

  settle() {
    this.settling.touch();
  }

  /** After a pause, update warnings, this tab's memory, and the parts of the page that Streamlit draws. */
  async onSettled() {
    if (!this.isOpen) return this.settle();
    this.save();
    try {
      await this.sync.settled();
      const { warnings, special_spelled, special_elsewhere } = await this.actions.inspect(countLoneSurrogates(this.field.text));
      const { mode, totals } = this.shown;
      if (mode === "text" && totals) {
        this.notes.show({ warnings: warnings.map(({ sentence }) => sentence), special: specialNote(special_spelled, special_elsewhere, totals), isChat: isApiChat(this.field.text) });
      }
      await this.expensiveWords.settle(`${mode} ${totals?.tokenizer} ${totals?.version} ${totals?.n_tokens}`);
      this.setTriggerValue("settled", `${mode} ${totals?.version}`);
    } catch (error) {
      this.showError(error);
    }
  }

  // ---- what the tab remembers

  save() {
    if (!this.isOpen || !this.data) return;
    this.tab.write(this.remembered);
    this.desk.save();
  }

  /** The values besides the text that a reload restores. */
  get remembered() {
    return {
      ...this.chat.chat, template: this.template.name, options: this.chat.options.values, ids: this.typedIds, earlier: this.versions.earlier,
      dear: this.expensiveWords.isOpen, ...this.held,
    };
  }

  /** After a reload, restore the values saved in this tab. */
  async restore() {
    const kept = this.tab.read();
    if (kept.dear) this.expensiveWords.isOpen = true;
    if (!kept.mode) return;
    if (Array.isArray(kept.messages)) this.chat.show(asChat(kept));
    const { template = "" } = kept, isTitle = this.data?.templates.includes(template);
    if (isTitle) this.template.choose(template);
    if (kept.options) this.chat.options.show(kept.options);
    this.typedIds = kept.ids ?? null;
    if (typeof kept.earlier === "string") this.versions.putBack(kept.earlier);
    openText(this.idsText, kept.ids ?? this.idsText.value);
    await this.putBack({ mode: kept.mode, honours_special: kept.honours_special === true });
    if (template && !isTitle && kept.mode === "chat") this.chooseModel(template); // an earlier version kept the model here
    if (kept.cutting) this.shown.controls.patternKey.restore(kept.cutting);
  }
}
