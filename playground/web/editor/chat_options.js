// What a model's own template is told besides the messages: whether an answer comes next, and its own variables.

import { element } from "../shared/element.js";

/** @typedef {{add_generation_prompt: boolean, variables: string}} Options */

export class ChatOptions {
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
    more.title = "A JSON object: what apply_chat_template gets besides the messages";
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
    this.more.title = names.length ? `This template asks for ${names.join(", ")}` : "This template asks for none";
  }
}
