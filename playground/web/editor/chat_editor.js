// Chat editor: messages as cards, with a role that may be one's own name.

const ROLES = ["system", "user", "assistant", "developer", "tool"];

export class ChatEditor {
  /** `onChange(messages)` runs after every change; messages are [{role, content}]. */
  constructor({ root, onChange }) {
    Object.assign(this, { root, onChange });
    this.messages = [];
  }

  show(messages) {
    this.messages = messages.map((message) => ({ ...message }));
    this.draw();
  }

  draw() {
    const cards = this.messages.map((message, index) => this.card(message, index));
    const add = button("Add message", "Add a message at the end", () => {
      const last = this.messages.at(-1)?.role;
      this.change(() => this.messages.push({ role: last === "user" ? "assistant" : "user", content: "" }), this.messages.length);
    });
    add.className = "add";
    this.root.replaceChildren(...cards, add);
  }

  card(message, index) {
    const card = document.createElement("div");
    card.className = "message";
    const role = document.createElement("input");
    role.value = message.role;
    role.className = "role";
    role.setAttribute("list", "roles");
    role.setAttribute("aria-label", `Role of message ${index + 1}: choose or type a name`);
    role.maxLength = 200;
    role.addEventListener("input", () => this.edit(index, { role: role.value }));
    const content = document.createElement("textarea");
    content.value = message.content;
    content.rows = 2;
    content.spellcheck = false;
    content.setAttribute("aria-label", `Content of message ${index + 1}`);
    content.placeholder = "Content";
    content.addEventListener("input", () => this.edit(index, { content: content.value }));
    const up = button("↑", `Move message ${index + 1} up`, () => this.move(index, -1));
    const down = button("↓", `Move message ${index + 1} down`, () => this.move(index, 1));
    const remove = button("×", `Remove message ${index + 1}`, () => this.change(() => this.messages.splice(index, 1), index - 1));
    up.disabled = index === 0;
    down.disabled = index === this.messages.length - 1;
    const head = document.createElement("div");
    head.className = "head";
    head.append(role, up, down, remove);
    card.append(head, content);
    return card;
  }

  edit(index, part) {
    Object.assign(this.messages[index], part);
    this.onChange(this.messages);
  }

  move(index, by) {
    this.change(() => this.messages.splice(index + by, 0, ...this.messages.splice(index, 1)), index + by);
  }

  change(act, focusIndex) {
    act();
    this.draw();
    this.root.querySelectorAll(".message textarea")[Math.max(focusIndex, 0)]?.focus();
    this.onChange(this.messages);
  }
}

export function button(text, label, onClick) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.title = label;
  if (text.length < 3) element.setAttribute("aria-label", label);
  element.addEventListener("click", onClick);
  return element;
}
