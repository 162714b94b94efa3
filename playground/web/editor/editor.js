// The editor: text, chat and ids, kept in step with the server; `ShownTokens` shows the answers.

import { showInAddress } from "../shared/address.js";
import { find } from "../shared/element.js";
import { LiveField } from "../shared/live_field.js";
import { LiveText } from "../shared/live_text.js";
import { placeMenus } from "../shared/menu.js";
import { component, leave } from "../shared/mount.js";
import { copyText, savePage } from "../shared/save.js";
import { sharedTexts } from "../shared/shared_texts.js";
import { listenForEdits, openText } from "../shared/source_text.js";
import { TabMemory, tabStore } from "../shared/tab_memory.js";
import { countLoneSurrogates } from "../shared/unicode.js";
import { NewestWins, RefusedError, sentenceOf, Settling } from "../shared/wire.js";
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
const MODES = new Set(["text", "chat", "ids"]);

/** Data from Python; see `ui/tokenize/editor.py`. @typedef {import("../shared/wire_types.d.ts").EditorData} Data */
/** Events that the component sends to Python. @typedef {import("../shared/wire_types.d.ts").EditorEvent} Said */

/** @typedef {import("./editor_actions.js").Mode} Mode */

/** Values besides the text that a tab stores for a reload. @typedef {{mode: Mode, messages: import("./editor_actions.js").Message[], tools: import("./editor_actions.js").Tool[], elsewhere: string[], template: string, options: import("./chat_editor.js").Options, ids: string | null, earlier: string | null, honours_special: boolean, cutting: import("../shared/wire_types.d.ts").Cutting, expensive: boolean, dear?: boolean}} Kept */

export default component(".editor", (root, signal) => new Editor(root, signal));

/** The chat in an answer. @param {import("./editor_actions.js").WholeAnswer} answer @returns {import("./chat_editor.js").Chat} */
const chatOf = ({ messages, tools, elsewhere }) => ({ messages: [...messages], tools: [...tools], elsewhere: [...elsewhere] });

class Editor {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    this.honoursSpecial = false;
    /** Ids that the reader has typed; until then the field shows the server's. @type {string | null} */
    this.typedIds = null;
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    /** @type {TabMemory<Kept>} */
    this.tab = new TabMemory(tabStore, "tessera.editor");
    this.actions = new EditorActions(() => this.data?.url ?? "");
    /** @type {LiveText<import("./editor_actions.js").WholeAnswer, import("./editor_actions.js").EditAnswer>} */
    this.live = new LiveText({
      open: (url, text, isNew) => this.open(url, text, isNew),
      edit: (url, edit) => this.actions.edit(url, edit),
      onOpen: (answer, _text, isNew) => this.showOpened(answer, isNew),
      onEdit: (answer, text) => this.showEdit(answer, text),
      askForSession: () => this.setTriggerValue("lost", Date.now()),
      onProblem: (sentence) => this.showProblem(sentence),
    });
    this.settling = new Settling(signal, SETTLE_MS, () => this.onSettled());
    // Chat and ids are short, so each change sends them completely.
    this.wholes = {
      chat: new NewestWins(() => this.sendWhole("chat", () => this.actions.chat(this.plainChat()))),
      ids: new NewestWins(() => this.sendWhole("ids", () => this.actions.ids(this.typedIds ?? ""))),
    };
    const part = (/** @type {string} */ selector) => find(root, selector);
    this.template = new TemplateMenu(find(root, ".templates", HTMLSelectElement), () => this.wholes.chat.push(null), signal);
    this.idsText = find(root, ".ids-text", HTMLTextAreaElement);
    const onTextNotes = () => (this.mode === "text" ? this.text.notes() : this.text.notes().slice(1));
    this.notes = new EditorNotes(part(".notes"), onTextNotes, root, () => this.openAsChat());
    /** @type {LiveField<Data>} */
    this.text = new LiveField(root, signal, {
      page: "tokenize",
      notes: this.notes,
      onText: (text, data) => void this.live.push(data, text),
      onTooLong: () => this.showAbout(), // the note belonged to the replaced example
      takesFiles: () => this.mode === "text",
      share: async () => (await this.settled(), { ...this.remembered, view: this.shown.taste }),
    });
    this.chat = new ChatEditor(part(".chat"), () => this.wholes.chat.push(null), (pasted, number) => this.readChat(pasted, number));
    /** @type {ShownTokens} */
    this.shown = new ShownTokens(root, signal, {
      fetchToken: async (index) => (await this.live.settled(), this.actions.token(index)),
      askFacts: (ids) => this.actions.facts(ids),
      askCuts: async (/** @type {() => number[]} */ placesOf) => {
        await this.live.settled(); // then the shown pieces are the server's
        return this.actions.cuts(this.shown.totals?.version ?? 0, placesOf());
      },
      recut: (cutting) => this.recut(cutting),
      onError: (error) => this.takeAway.say(error.message),
      openIn: (page, text) => this.openIn(page, text),
    });
    this.linked = new LinkedPanes(root, signal, {
      field: this.text.field,
      pane: this.shown.pane,
      getText: () => (this.mode === "text" && this.text.field.text === this.live.text ? this.live.text : null),
      onChosen: (nTokens) => this.shown.showChosen(nTokens),
    });
    this.versions = new Versions(root, signal, {
      send: async (earlier) => {
        const answer = await this.actions.earlier(earlier);
        this.settle(); // saved for a reload
        return answer;
      },
      getBlocks: () => (this.mode === "text" && !this.live.isRunning ? [...this.shown.pane.iterBlocks()] : null),
      getText: () => this.text.field.text,
      getSettings: () => this.shown.window.used,
      onError: (error) => this.showError(error),
      onTurn: () => {
        this.shown.card.close();
        this.showModes();
      },
      showText: () => this.setMode("text"),
    });
    this.expensiveWords = new ExpensiveWords(root, signal, { fetch: () => this.actions.expensive(), onFind: (word) => this.linked.findNext(word) });
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
    this.listen(signal);
    this.restore(this.text.linked ? /** @type {any} */ ({ mode: "text", ...this.text.linked }) : this.tab.read());
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
    const onSpecial = () => {
      this.honoursSpecial = special.checked;
      void this.ask({ honours_special: special.checked });
    };
    special.addEventListener("change", onSpecial, { signal });
  }

  /** Called at the first mount and at each run of the page. @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const isFirst = this.data === null, { area } = this.text.field;
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.template.offer(data.templates);
    this.shown.window.showModel(data.model);
    this.ownSpecial.show(data.special);
    showInAddress({ special: data.special.text });
    this.text.update(data);
    // Whoever opens the page can type at once; a touch would bring up the keyboard over the tokens.
    if (isFirst && this.mode === "text" && matchMedia("(pointer: fine)").matches && document.activeElement === document.body) area.focus({ preventScroll: true });
  }

  destroy() {
    this.save();
    this.text.destroy();
    this.live.end();
  }

  // ---- talking with the server

  /** Open a session with the text, and a new one with the settings. @param {string} url @param {string} text @param {boolean} isNew */
  async open(url, text, isNew) {
    try {
      return await this.actions.open(url, { text, ...(isNew && this.settings) });
    } catch (error) {
      if (!isNew || !(error instanceof RefusedError) || error.status !== 400) throw error;
      return this.actions.open(url, { text }); // a link has settings that can't be used
    }
  }

  /** Resolves when the server has everything that was typed, in the page's newest session. */
  async settled() {
    await Promise.all([this.live, this.wholes.chat, this.wholes.ids].map((queue) => queue.settled()));
  }

  /** The settings that the server has, besides the split pattern. */
  get settings() {
    const chat = this.chat.messages.length ? this.plainChat() : {}, ids = this.typedIds === null ? {} : { ids_text: this.typedIds };
    return { mode: this.mode, honours_special: this.honoursSpecial, ...chat, ...ids };
  }

  /** The chat in the server's format. */
  plainChat() {
    return { ...this.chat.chat, template_name: this.template.name, ...this.chat.options.values };
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
    await this.live.settled();
    const refused = await this.readChat(this.text.field.text);
    this.notes.problem("file", refused ?? ""); // until the text changes; the tokens are still those of the text
    if (refused !== "") return;
    await this.setMode("chat");
    find(this.root, ".modes [data-mode=chat]").focus();
  }

  /** @param {Mode} mode */
  async setMode(mode) {
    await this.settled();
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
    await this.live.settled();
    this.showWhole(await this.actions.settings({ cutting }));
  }

  /** Open a text on another page, with the same tokenizer. @param {import("./token_card.js").Elsewhere} page @param {string} text */
  openIn(page, text) {
    sharedTexts.bring(page, text);
    this.setTriggerValue("elsewhere", page);
    leave();
  }

  /** @param {import("./editor_actions.js").Changes} changes */
  async ask(changes) {
    await this.live.settled();
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
  get shownKey() {
    return JSON.stringify([this.mode, this.shown.totals?.version, this.shown.summary]);
  }

  /** Show an opened session. @param {import("./editor_actions.js").WholeAnswer} answer @param {boolean} isNew */
  showOpened(answer, isNew) {
    const { patternKey } = this.shown.controls, { cutting } = patternKey;
    if (!this.chat.messages.length) this.chat.show(chatOf(answer));
    this.showWhole(answer);
    if (isNew) patternKey.restore(cutting);
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
    this.settle();
  }

  /** @param {import("./editor_actions.js").WholeAnswer} answer */
  showWhole(answer) {
    this.root.classList.remove("of-another");
    this.live.version = answer.version;
    this.honoursSpecial = answer.totals.honours_special ?? this.honoursSpecial;
    const before = this.shownKey;
    this.shown.showWhole(answer, this.live.text, this.data?.has_special ?? false);
    this.showModes();
    this.linked.follow();
    this.versions.retell();
    if (answer.mode === "chat") this.chat.showCosts(answer);
    find(this.root, ".chat-sum").textContent = answer.sum ?? "";
    if (this.typedIds === null) openText(this.idsText, answer.ids_text);
    if (this.shownKey !== before) this.takeAway.say(""); // the message about the copied text is out of date
    this.showAbout();
    this.notes.problem("tokens", answer.error ?? "");
    if (answer.mode === "text") this.text.field.isTooLong(); // a text that is too long still is
    else {
      this.notes.problem("text", "");
      this.notes.show({ warnings: [], special: "", isChat: false });
    }
    this.settle();
  }

  /** Show messages about the shown tokens while they apply. */
  showAbout() {
    const notes = { text: () => this.text.field.example?.notice ?? "", chat: () => "", ids: () => brokenNote(this.shown.raw) };
    const about = notes[this.mode]();
    if (about !== this.notes.about) this.notes.show({ about });
  }

  /** @param {unknown} error of another request than the text's */
  showError(error) {
    this.live.heed(error);
    this.showProblem(sentenceOf(error));
  }

  /** @param {string} sentence "" where all is well */
  showProblem(sentence) {
    if (sentence) this.root.classList.remove("of-another"); // the page says already that they belong to the previous text
    this.notes.problem("server", sentence);
  }

  settle() {
    this.settling.touch();
  }

  /** After a pause, update warnings, this tab's memory, and the parts of the page that Streamlit draws. */
  async onSettled() {
    this.save();
    try {
      await this.live.settled();
      const { warnings, special_spelled, special_elsewhere } = await this.actions.inspect(countLoneSurrogates(this.text.field.text));
      const { mode, totals } = this.shown;
      if (mode === "text" && totals) {
        this.notes.show({ warnings: warnings.map(({ sentence }) => sentence), special: specialNote(special_spelled, special_elsewhere, totals), isChat: isApiChat(this.text.field.text) });
      }
      await this.expensiveWords.settle(`${mode} ${totals?.tokenizer} ${totals?.version} ${totals?.n_tokens}`);
      this.setTriggerValue("settled", `${mode} ${totals?.version}`);
    } catch (error) {
      this.showError(error);
    }
  }

  // ---- what the tab remembers

  save() {
    this.tab.write(this.remembered);
  }

  /** The values besides the text that a reload or a link restores. */
  get remembered() {
    return {
      ...this.chat.chat, template: this.template.name, options: this.chat.options.values, ids: this.typedIds, earlier: this.versions.earlier,
      expensive: this.expensiveWords.isOpen, mode: this.mode, honours_special: this.honoursSpecial, cutting: this.shown.controls.patternKey.cutting,
    };
  }

  /** Show the values of a link, or those that this tab remembers. @param {Partial<Kept> & {view?: any}} kept */
  restore({ mode, messages, template = "", options, ids, earlier, honours_special, cutting, expensive, dear, view, ...chat }) {
    this.shown.mode = mode && MODES.has(mode) ? mode : "text";
    this.honoursSpecial = honours_special === true;
    this.expensiveWords.isOpen = Boolean(expensive ?? dear);
    if (Array.isArray(messages)) this.chat.show(asChat({ messages, ...chat }));
    this.template.name = template;
    if (options) this.chat.options.show(options);
    this.typedIds = ids ?? null;
    openText(this.idsText, ids ?? "");
    if (cutting) this.shown.controls.patternKey.cutting = cutting;
    if (typeof earlier === "string") this.versions.show(earlier);
    this.shown.adopt(view ?? {});
  }
}
