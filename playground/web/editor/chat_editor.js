// The chat editor: messages as cards with roles, the tools, and the options of a model's own chat template.

import { button, element, fillSelect, note } from "../shared/element.js";
import { listenForEdits, openText, sourceOf } from "../shared/source_text.js";
import { count, marked, unitOf } from "../shared/wording.js";

/** @typedef {import("./editor_actions.js").Message} Message */
/** @typedef {import("./editor_actions.js").Tool} Tool */
/** @typedef {import("../shared/wire_types.d.ts").Part} Part */
/** @typedef {import("../shared/wire_types.d.ts").ReadChat} ReadChat */
/** @typedef {Pick<import("./editor_actions.js").WholeAnswer, "parts" | "how" | "message_tokens" | "notes" | "is_jinja" | "asks_for">} Costs */
/** What a chat is made of besides the options of its template. @typedef {{messages: Message[], tools: Tool[], elsewhere: string[]}} Chat */

/** The tokens of a message in words: the sum of its parts, and the parts. @param {readonly Part[]} parts @param {readonly number[]} tokens the number of tokens in the template, and of messages counted together, as the server sends them */
export function costOfMessage(parts, [n = 0, _nTemplate = 0, nMessages = 0]) {
  if (!parts.length) return nMessages && !n ? "0 tokens: the template leaves this message out" : ""; // or they are counted with the next message
  const others = nMessages > 1 ? `, with the previous ${nMessages === 2 ? "message" : `${nMessages - 1} messages`}` : "";
  const total = parts.reduce((sum, part) => sum + part.n_tokens, 0), mark = parts.find((part) => part.mark)?.mark ?? "";
  const made = parts.map((part) => `${nameOf(part)} ${marked(part.n_tokens, part.mark)}`).join(" + ");
  return `${marked(total, mark)} ${unitOf(total, "token")}${parts.length > 1 ? `: ${made}` : ""}${others}`;
}

/** What a part is called beside its message. @param {Part} part */
function nameOf({ kind, label }) {
  if (kind === "frame") return "frame";
  return kind === "call" ? `call of ${label}` : kind === "image" ? label : "content";
}

/** Values saved by an earlier version, as they are now: types of parts without a size, a name in place of the role. @param {any} message @returns {Message} */
export function asMessage({ role, content, fields = "", media, left_out = [] }) {
  const read = JSON.parse(fields || "{}");
  const kinds = left_out.map((/** @type {string} */ kind) => ({ kind: /image/.test(kind) ? "image" : kind, width: 0, height: 0, detail: "" }));
  return { role: read.role && read.name === role ? read.role : role, content, fields, media: media ?? kinds };
}

/** The tools among the tools and calls that an earlier version saved. @param {any} kept @returns {Chat} */
export const asChat = ({ messages, tools, elsewhere, extras = [] }) => ({
  messages: messages.map(asMessage),
  tools: tools ?? extras.filter((/** @type {any} */ extra) => extra.is_tool).map((/** @type {any} */ { label, text }) => ({ name: label.replace(/^tool /, ""), text })),
  elsewhere: elsewhere ?? [],
});

export class ChatEditor {
  /** `onChange()` is called after every change of `messages`; `onPaste` reads a pasted chat and returns what is wrong with it; `number` chooses one of several. @param {HTMLElement} root @param {() => void} onChange @param {(pasted: string, number: number) => Promise<string | null>} onPaste */
  constructor(root, onChange, onPaste) {
    this.root = root;
    this.onChange = onChange;
    this.onPaste = onPaste;
    /** @type {Tool[]} */
    this.tools = [];
    /** What the service adds to the prompt. @type {string[]} */
    this.elsewhere = [];
    this.foot = element("div", "extras");
    /** The count that is shown. @type {Costs} */
    this.costs = {};
    this.options = new ChatOptions(() => this.onChange());
    /** The chat that another one has replaced, and the sentence beside its button. @type {(Chat & {sentence: string}) | null} */
    this.replaced = null;
    /** The pasted chat as it was read, until the chat changes to another. @type {(ReadChat & {pasted: string}) | null} */
    this.read = null;
    /** @type {Message[]} */
    this.messages = [];
  }

  /** @returns {Chat} */
  get chat() {
    const { messages, tools, elsewhere } = this;
    return { messages: [...messages], tools: [...tools], elsewhere: [...elsewhere] };
  }

  /** @param {Chat} chat */
  show({ messages, tools, elsewhere }) {
    Object.assign(this, { messages: [...messages], tools: [...tools], elsewhere: [...elsewhere] });
    this.draw();
  }

  /** Show a pasted chat instead of this one, which can be restored. @param {Chat} chat @param {ReadChat & {pasted: string}} read */
  replace(chat, read) {
    const isOther = JSON.stringify(chat) !== JSON.stringify(this.chat), isNext = this.read?.pasted === read.pasted;
    this.read = read;
    if (isOther && !isNext) this.replaced = { ...this.chat, sentence: "What you pasted replaced the chat that was here." };
    this.show(chat);
  }

  /** Restore the replaced chat; the current one, with its changes, can then be restored in turn. */
  bringBack() {
    const chat = this.replaced ?? this.chat;
    this.replaced = { ...this.chat, sentence: "The previous chat is back. The one that it replaced is kept." };
    this.read = null;
    this.change(() => Object.assign(this, { messages: chat.messages, tools: chat.tools, elsewhere: chat.elsewhere }), 0);
    // The next Enter presses the button at this place and doesn't add a line to a message.
    /** @type {HTMLElement | null} */ (this.root.querySelector(".note button"))?.focus();
  }

  /** Show the tokens of each message and tool, and how they are counted. @param {Costs} costs */
  showCosts(costs) {
    this.costs = costs;
    const { parts = [], message_tokens = [], is_jinja = false, asks_for = [] } = costs;
    this.options.offer(is_jinja, [...asks_for]);
    this.root.querySelectorAll(".message .cost").forEach((place, i) => {
      place.textContent = costOfMessage(parts.filter((part) => part.message === i), message_tokens[i] ?? []);
    });
    this.drawTools();
  }

  drawTools() {
    const { tools, foot, costs: { parts = [], notes = [], how = "" } } = this, rows = tools.map((tool, index) => {
      const row = element("div", "extra"), remove = button("×", `Remove tool ${tool.name}`, () => this.change(() => this.tools.splice(index, 1), -1));
      const text = element("code", "", tool.text), own = parts.find((part) => part.kind === "tool" && part.label === tool.name);
      text.title = tool.text;
      row.append(element("b", "", `tool ${tool.name}`), text, element("span", "cost", own ? `${marked(own.n_tokens, own.mark)} ${unitOf(own.n_tokens, "token")}` : ""), remove);
      return row;
    });
    foot.replaceChildren(...rows, ...notes.map((sentence) => element("p", "", sentence)), ...(how ? [element("p", "about", how)] : []));
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
  makeRead({ recognized, number, n_chats, pasted, problem }) {
    const made = note(problem ? `${recognized} ${problem}` : recognized, problem ? "error" : "");
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
    this.costs = {};
    this.drawTools();
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
    this.change(() => this.messages.push({ role, content: "", fields: "", media: [] }), this.messages.length);
  }

  /** @param {number} index */
  remove(index) {
    const { messages } = this, { content, fields, media } = messages[index];
    if (content || fields || media.length) this.replaced = { ...this.chat, sentence: `Message ${index + 1} was removed.` };
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

/** The menu of chat templates of a tokenizer that has several. */
export class TemplateMenu {
  /** @param {HTMLSelectElement} select @param {() => void} onChange @param {AbortSignal} signal */
  constructor(select, onChange, signal) {
    this.select = select;
    /** The chosen title, "" for the usual template. */
    this.name = "";
    const listener = () => {
      this.name = select.value;
      onChange();
    };
    select.addEventListener("change", listener, { signal });
  }

  /** @param {string[]} names */
  offer(names) {
    this.select.hidden = !names.length;
    fillSelect(this.select, names.map((each) => [each, each]));
    this.choose(this.name);
  }

  /** @param {string} name */
  choose(name) {
    this.name = name;
    if ([...this.select.options].some(({ value }) => value === name)) this.select.value = name;
  }
}
