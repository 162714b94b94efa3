// Merge forest: the text field, the trees and the player, kept in step with the page's data.

const MAX_LINK_CHARS = 8000;
const views = new WeakMap();

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".forest-page");
  let page = views.get(root);
  if (!page) views.set(root, (page = new ForestPage(root)));
  page.setStateValue = setStateValue;
  page.update(data);
}

class ForestPage {
  constructor(root) {
    this.root = root;
    this.field = root.querySelector(".text");
    this.sent = null; // the text that was asked for and has not come back
    this.drawn = null;
    this.view = new ForestView(root.querySelector(".forest"), root.querySelector(".about"));
    this.player = new StepPlayer(root.querySelector(".player"), (step) => this.setStateValue("step", step));
    this.field.addEventListener("input", () => this.ask());
    root.querySelector(".choice").addEventListener("click", (event) => {
      const height = event.target.dataset.height;
      if (height) this.setStateValue("height_by", height);
    });
    root.querySelector(".downloads").addEventListener("click", (event) => {
      const kind = event.target.dataset.picture;
      if (kind) downloadTrees(root.querySelector(".forest"), this.data.tree_css, kind, this.data.file_name);
    });
    root.querySelector(".share").addEventListener("click", (event) => this.share(event.target));
  }

  /** Put a link that restores this view into the address and on the clipboard. */
  async share(button) {
    const { tokenizer, height_by } = this.data;
    const query = new URLSearchParams({ tokenizer, text: this.field.value, step: this.player.frame, height: height_by });
    const link = `${location.origin}${location.pathname}?${query}`;
    if (link.length > MAX_LINK_CHARS) {
      return this.say(".problem", `This text is too long for a link: ${link.length.toLocaleString("en")} characters, and links over ${MAX_LINK_CHARS.toLocaleString("en")} break in mail and chat.`);
    }
    history.replaceState(history.state, "", link);
    const isCopied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    button.textContent = isCopied ? "Link copied" : "Link is in the address bar";
    setTimeout(() => (button.textContent = "Copy link"), 2500);
  }

  /** One text is on its way at a time; the newest wins. */
  ask() {
    if (this.sent !== null && performance.now() - this.sentAt < 3000) return;
    this.sent = this.field.value;
    this.sentAt = performance.now();
    this.setStateValue("text", this.sent);
  }

  update(data) {
    this.data = data;
    this.root.classList.toggle("plain", Boolean(data.is_plain));
    const signature = JSON.stringify([data.revision, data.trees.length]);
    if (!data.is_plain) this.updateText(data);
    if (signature === this.drawn && !data.is_plain) return;
    this.drawn = signature;
    this.view.show(data.trees, data.groups);
    if (data.is_plain) return;
    this.player.show(data.kinds, data.pretokens, data.step);
    for (const button of this.root.querySelectorAll("[data-height]")) {
      button.setAttribute("aria-checked", String(button.dataset.height === data.height_by));
    }
    this.say(".problem", data.problem);
    this.say(".limit", data.limit);
    const counts = this.root.querySelector(".counts");
    const number = (n) => element("b", "", n.toLocaleString("en"));
    counts.replaceChildren(number(data.n_tokens), data.n_tokens === 1 ? " token, " : " tokens, ", number(data.n_merges), data.n_merges === 1 ? " merge" : " merges");
    this.root.dataset.revision = data.revision;
  }

  updateText(data) {
    if (this.sent !== null) {
      if (data.text !== this.sent) return; // an answer to an older text; the newer one is on its way
      this.sent = null;
      if (this.field.value !== data.text) this.ask();
    } else if (this.field.value !== data.text) {
      this.field.value = data.text;
    }
  }

  say(selector, text) {
    const line = this.root.querySelector(selector);
    line.textContent = text ?? "";
    line.hidden = !text;
  }
}
