// The chat editor: messages as cards with roles, the menu of chat templates, and the variables of a template.

import { button, element, fillSelect, note } from "../shared/element.js";
import { listenForEdits, openText, sourceOf } from "../shared/source_text.js";
import { count, counted } from "../shared/wording.js";
import { plainExtras } from "./editor_actions.js";

/** @typedef {import("./editor_actions.js").Message} Message */
/** @typedef {import("./editor_actions.js").Extra} Extra */
/** @typedef {import("../shared/wire_types.d.ts").ReadChat} ReadChat */
/** @typedef {Pick<import("./editor_actions.js").WholeAnswer, "totals" | "message_tokens" | "extras" | "not_counted" | "notes" | "is_jinja" | "asks_for">} Costs */

const ABOUT =
  "OpenAI publishes neither its chat templates nor how a model sees tools. This template is the ChatML convention; a service may add " +
  "a system prompt of its own. The tokens of tools and calls are estimated from compact JSON.";
const ABOUT_JINJA =
  "This is the model’s own chat template, run in a sandbox as transformers’ apply_chat_template does. A service may add a system prompt of its own.";

/** The sum of the tokens of messages and of the template around them, in words; "" for no chat. @param {readonly number[]} messages @param {number} nAll */
export function sentenceOfSum(messages, nAll) {
  const own = messages.filter((n) => n > 0), nMessages = own.reduce((sum, n) => sum + n, 0), nAround = nAll - nMessages;
  if (!nMessages || nAround < 0) return "";
  const parts = own.length > 8 ? [counted(nMessages, "token") + " of messages"] : own.map(count);
  if (!nAround) return parts.length > 1 ? `${parts.join(" + ")} = ${counted(nAll, "token")}.` : "";
  return `The template adds ${count(nAround)} around the messages: ${parts.join(" + ")} + ${count(nAround)} = ${counted(nAll, "token")}.`;
}

/** The tokens of a message in words, given its tokens, those of the template among them, and the number of messages counted together. @param {readonly number[]} tokens */
export function costOfMessage([n = 0, nTemplate = 0, nMessages = 0]) {
  if (!n) return nMessages ? "0 tokens: the template leaves this message out" : ""; // they are counted with the next message
  const others = nMessages > 1 ? `, with the previous ${nMessages === 2 ? "message" : `${nMessages - 1} messages`}` : "";
  return `${counted(n, "token")}, ${count(nTemplate)} of them from the template${others}`;
}

/**
 * An estimate of the tokens of a message's calls, which the conventions' templates don't count; 0 without calls.
 * @param {string} fields a message's fields besides its content, as JSON @param {readonly Extra[]} extras
 */
export function nTokensOfCalls(fields, extras) {
  const own = new Set((JSON.parse(fields || "{}").tool_calls ?? []).map((/** @type {any} */ call) => JSON.stringify(call.function ?? call)));
  return extras.reduce((sum, { text, is_tool, n_tokens }) => (!is_tool && own.has(JSON.stringify(JSON.parse(text))) ? sum + n_tokens : sum), 0);
}

/** Tools and calls with the tokens from an answer, unless it is about others. @param {Extra[]} extras @param {readonly Extra[]} answered @returns {Extra[]} */
export const withTokens = (extras, answered) =>
  JSON.stringify(plainExtras(extras)) === JSON.stringify(plainExtras([...answered])) ? [...answered] : extras;

export class ChatEditor {
  /** `onChange()` is called after every change of `messages`; `onPaste` reads a pasted chat and returns what is wrong with it; `number` chooses one of several. @param {HTMLElement} root @param {() => void} onChange @param {(pasted: string, number: number) => Promise<string | null>} onPaste */
  constructor(root, onChange, onPaste) {
    this.root = root;
    this.onChange = onChange;
    this.onPaste = onPaste;
    /** Tools and tool calls. @type {Extra[]} */
    this.extras = [];
    this.foot = element("div", "extras");
    /** The sum of the tokens, in words. */
    this.sum = "";
    /** The sentence beside the chat's count. */
    this.beside = "";
    this.options = new ChatOptions(() => this.onChange());
    /** The chat that another one has replaced, and the sentence beside its button. @type {{messages: Message[], extras: Extra[], sentence: string} | null} */
    this.replaced = null;
    /** The pasted chat as it was read, until the chat changes to another. @type {(ReadChat & {pasted: string}) | null} */
    this.read = null;
    /** @type {Message[]} */
    this.messages = [];
  }

  /** @param {Message[]} messages @param {Extra[]} extras */
  show(messages, extras) {
    this.messages = messages.map((message) => ({ ...message, left_out: message.left_out ?? [] })); // tabs saved by an earlier version have none
    this.extras = extras;
    this.draw();
  }

  /** Show a pasted chat instead of this one, which can be restored. @param {Message[]} messages @param {Extra[]} extras @param {ReadChat & {pasted: string}} read */
  replace(messages, extras, read) {
    const isOther = JSON.stringify(messages) !== JSON.stringify(this.messages), isNext = this.read?.pasted === read.pasted;
    this.read = read;
    if (isOther && !isNext) this.replaced = { messages: this.messages, extras: this.extras, sentence: "What you pasted replaced the chat that was here." };
    this.show(messages, extras);
  }

  /** Restore the replaced chat; the current one, with its changes, can then be restored in turn. */
  bringBack() {
    const { messages, extras } = this.replaced ?? this;
    this.replaced = { messages: this.messages, extras: this.extras, sentence: "The previous chat is back. The one that it replaced is kept." };
    this.extras = extras;
    this.read = null;
    this.change(() => (this.messages = messages), 0);
    // The next Enter presses the button at this place and doesn't add a line to a message.
    /** @type {HTMLElement | null} */ (this.root.querySelector(".note button"))?.focus();
  }

  /** Show the tokens of each message, and an estimate for the tools. @param {Costs} costs */
  showCosts({ totals, message_tokens = [], extras: answered, not_counted = "", notes = [], is_jinja = false, asks_for = [] }) {
    const extras = (this.extras = withTokens(this.extras, answered));
    this.options.offer(is_jinja, [...asks_for]);
    const places = this.root.querySelectorAll(".message .cost");
    places.forEach((place, i) => {
      place.textContent = costOfMessage(message_tokens[i] ?? []);
      const nCalls = is_jinja ? 0 : nTokensOfCalls(this.messages[i]?.fields ?? "", extras);
      if (nCalls) place.append("; ", element("b", "", `its calls are not counted: about ${counted(nCalls, "token")} more`));
    });
    this.beside = not_counted;
    this.sum = sentenceOfSum(message_tokens.map(([n]) => n), totals.n_tokens);
    this.drawExtras(notes, is_jinja);
  }

  /** @param {readonly string[]} notes @param {boolean} isJinja */
  drawExtras(notes = [], isJinja = false) {
    const { extras, foot } = this, rows = extras.map((extra, index) => {
      const row = element("div", "extra"), remove = button("×", `Remove ${extra.label}`, () => this.change(() => this.extras.splice(index, 1), -1));
      const text = element("code", "", extra.text);
      text.title = extra.text;
      row.append(element("b", "", extra.label), text, element("span", "cost", `about ${counted(extra.n_tokens, "token")}`), remove);
      return row;
    });
    rows.push(...notes.map((sentence) => element("p", "", sentence)));
    if (this.sum) rows.unshift(element("p", "sum", this.sum));
    foot.replaceChildren(...rows, element("p", "about", isJinja ? ABOUT_JINJA : ABOUT));
  }

  /** A field for a chat in any notation; it is emptied when the chat was read. */
  makePaste() {
    const details = element("details", "paste-api fold"), area = element("textarea"), said = element("div");
    area.setAttribute("aria-label", "A chat to read");
    area.placeholder = '[{"role": "user", "content": "…"}], messages=[…], a request to OpenAI, Anthropic or Gemini, JSON Lines, or a curl command';
    area.spellcheck = false;
    let read = "";
    said.role = "status";
    area.addEventListener("input", async () => {
      const pasted = area.value.trim();
      if (pasted === read) return; // read only once, because the answer replaces the chat
      read = pasted;
      const refused = pasted && (await this.onPaste(pasted, 1));
      if (pasted !== read) return;
      area.ariaInvalid = String(Boolean(refused));
      said.replaceChildren(...(refused ? [note(refused, "error")] : []));
    });
    details.append(element("summary", "", "Paste a chat or an API request"), area, said);
    return details;
  }

  /** What was read, with a field to choose another conversation if several were pasted. @param {ReadChat & {pasted: string}} read */
  makeRead({ recognized, number, n_chats, pasted }) {
    const made = note(recognized);
    if (n_chats === 1) return made;
    const label = element("label", "named"), field = element("input");
    Object.assign(field, { type: "number", min: "1", max: String(n_chats), step: "1", value: String(number) });
    field.addEventListener("change", async () => {
      const chosen = Math.min(Math.max(Math.trunc(Number(field.value)) || 1, 1), n_chats);
      await this.onPaste(pasted, chosen);
      /** @type {HTMLElement | null} */ (this.root.querySelector(".note input"))?.focus();
    });
    label.append("Conversation", field, `of ${count(n_chats)}`);
    made.append(label);
    return made;
  }

  draw() {
    const cards = this.messages.map((message, index) => this.makeCard(message, index));
    const add = button("Add message", "Add a message at the end", () => this.add());
    add.className = "add";
    this.sum = "";
    this.drawExtras();
    const notes = this.read ? [this.makeRead(this.read)] : [];
    if (this.replaced) {
      const made = note(this.replaced.sentence);
      made.append(button("Bring it back", "Restore the previous chat", () => this.bringBack()));
      notes.push(made);
    }
    this.root.replaceChildren(this.makePaste(), ...notes, ...cards, add, this.options.root, this.foot);
  }

  /** @param {Message} message @param {number} index */
  makeCard(message, index) {
    const card = element("div", "message"), head = element("div", "head"), number = index + 1;
    const role = element("input", "role"), content = element("textarea");
    role.value = message.role;
    role.setAttribute("list", "roles");
    role.setAttribute("aria-label", `Role of message ${number}: choose or type a name`);
    role.maxLength = 200;
    role.addEventListener("input", () => this.edit(index, { role: role.value }));
    const source = sourceOf(content);
    openText(content, message.content);
    content.rows = 2;
    content.dir = role.dir = "auto";
    content.spellcheck = false;
    content.setAttribute("aria-label", `Content of message ${number}`);
    content.placeholder = "Content";
    listenForEdits(content, () => this.edit(index, { content: source.text }));
    const up = button("↑", `Move message ${number} up`, () => this.move(index, -1));
    const down = button("↓", `Move message ${number} down`, () => this.move(index, 1));
    const remove = button("×", `Remove message ${number}`, () => this.remove(index));
    up.disabled = index === 0;
    down.disabled = index === this.messages.length - 1;
    head.append(role, up, down, remove);
    card.append(head, content);
    if (message.fields) {
      const row = element("div", "fields"), without = button("×", `Remove the other fields of message ${number}`, () => this.change(() => (message.fields = ""), index));
      const code = element("code", "", message.fields);
      code.title = message.fields;
      row.append(code, without);
      card.append(row);
    }
    card.append(element("span", "cost"));
    return card;
  }

  /** @param {number} index @param {Partial<Message>} part */
  edit(index, part) {
    Object.assign(this.messages[index], part);
    this.onChange();
  }

  add() {
    const role = this.messages.at(-1)?.role === "user" ? "assistant" : "user";
    this.change(() => this.messages.push({ role, content: "", fields: "", left_out: [] }), this.messages.length);
  }

  /** @param {number} index */
  remove(index) {
    const { messages, extras } = this, { content, fields, left_out } = messages[index];
    if (content || fields || left_out.length) this.replaced = { messages: [...messages], extras: [...extras], sentence: `Message ${index + 1} was removed.` };
    this.change(() => messages.splice(index, 1), index - 1);
  }

  /** @param {number} index @param {1 | -1} by */
  move(index, by) {
    this.change(() => this.messages.splice(index + by, 0, ...this.messages.splice(index, 1)), index + by);
  }

  /** @param {() => void} act @param {number} focusIndex the message whose content then has the focus */
  change(act, focusIndex) {
    act();
    this.draw();
    const contents = /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll(".message textarea"));
    contents[Math.max(focusIndex, 0)]?.focus();
    this.onChange();
  }
}

/** @typedef {{add_generation_prompt: boolean, variables: string}} Options */

/** Options of a model's own template: whether the assistant answers next, and the template's variables. */
class ChatOptions {
  /** @param {() => void} onChange */
  constructor(onChange) {
    this.root = element("div", "options");
    const prompt = element("label", "named"), more = element("label", "named variables");
    this.prompt = element("input");
    this.prompt.type = "checkbox";
    this.prompt.checked = true;
    this.prompt.addEventListener("change", onChange);
    prompt.append(this.prompt, "The assistant answers next");
    prompt.title = "add_generation_prompt of apply_chat_template";
    this.more = element("input");
    this.more.type = "text";
    this.more.spellcheck = false;
    this.more.maxLength = 10_000;
    this.more.addEventListener("input", onChange);
    more.append("Variables", this.more);
    more.title = "A JSON object with further arguments for apply_chat_template";
    this.root.append(prompt, more);
    this.root.hidden = true;
  }

  /** @type {Options} */
  get values() {
    return { add_generation_prompt: this.prompt.checked, variables: this.more.value };
  }

  /** @param {Options} options */
  show({ add_generation_prompt, variables }) {
    this.prompt.checked = add_generation_prompt;
    this.more.value = variables;
  }

  /** @param {boolean} isJinja @param {string[]} names which variables the template asks for */
  offer(isJinja, names) {
    this.root.hidden = !isJinja;
    this.more.placeholder = names.length ? `{"${names[0]}": …}` : "{}";
    this.more.title = names.length ? `This template uses ${names.join(", ")}` : "This template uses no further variables";
  }
}

/** The menu of chat templates. It keeps its choice while that template is missing, since an opened tokenizer may come back. */
export class TemplateMenu {
  /** @param {HTMLSelectElement} select @param {() => void} onChange @param {AbortSignal} signal */
  constructor(select, onChange, signal) {
    this.select = select;
    this.name = "";
    /** @type {string[]} */
    this.names = [];
    const listener = () => {
      this.name = select.value;
      onChange();
    };
    select.addEventListener("change", listener, { signal });
  }

  /** @param {string[]} names */
  offer(names) {
    this.names = names;
    this.draw();
  }

  /** @param {string} name */
  choose(name) {
    this.name = name;
    this.draw();
  }

  draw() {
    const { name, names } = this;
    const listed = !name || names.includes(name) ? names : [...names, name];
    fillSelect(this.select, listed.map((each) => [each, `template of ${each}`]));
    if (name) this.select.value = name;
    else this.name = this.select.value;
  }
}
