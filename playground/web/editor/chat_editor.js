// Chat editor: messages as cards, with a role that may be one's own name.

import { button, element } from "../shared/element.js";

/** @typedef {import("./editor_actions.js").Message} Message */

export class ChatEditor {
  /** `onChange()` runs after every change of `messages`. @param {HTMLElement} root @param {() => void} onChange */
  constructor(root, onChange) {
    this.root = root;
    this.onChange = onChange;
    /** @type {Message[]} */
    this.messages = [];
  }

  /** @param {Message[]} messages */
  show(messages) {
    this.messages = messages.map((message) => ({ ...message }));
    this.draw();
  }

  draw() {
    const cards = this.messages.map((message, index) => this.makeCard(message, index));
    const add = button("Add message", "Add a message at the end", () => this.add());
    add.className = "add";
    this.root.replaceChildren(...cards, add);
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
    content.value = message.content;
    content.rows = 2;
    content.dir = role.dir = "auto";
    content.spellcheck = false;
    content.setAttribute("aria-label", `Content of message ${number}`);
    content.placeholder = "Content";
    content.addEventListener("input", () => this.edit(index, { content: content.value }));
    const up = button("↑", `Move message ${number} up`, () => this.move(index, -1));
    const down = button("↓", `Move message ${number} down`, () => this.move(index, 1));
    const remove = button("×", `Remove message ${number}`, () => this.change(() => this.messages.splice(index, 1), index - 1));
    up.disabled = index === 0;
    down.disabled = index === this.messages.length - 1;
    head.append(role, up, down, remove);
    card.append(head, content);
    return card;
  }

  /** @param {number} index @param {Partial<Message>} part */
  edit(index, part) {
    Object.assign(this.messages[index], part);
    this.onChange();
  }

  add() {
    const role = this.messages.at(-1)?.role === "user" ? "assistant" : "user";
    this.change(() => this.messages.push({ role, content: "" }), this.messages.length);
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
