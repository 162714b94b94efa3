// Forest view: trees that wrap like text; hovering marks a subtree, arrow keys walk from node to node.

const MAX_LINE_WIDTH = 300; // in CSS pixels; what is wider may wrap on a small screen

export class ForestView {
  constructor(root, about) {
    Object.assign(this, { root, about, lit: null });
    root.addEventListener("pointerover", (event) => this.light(this.nodeAt(event.target)));
    root.addEventListener("pointerleave", () => this.light(null));
    root.addEventListener("keydown", (event) => this.walk(event));
  }

  /** `pretokens` are the trees of each pretoken, as SVG made and escaped by the server. */
  show(pretokens) {
    this.light(null);
    const canWalk = pretokens.some((svg) => svg.includes('class="node'));
    this.hint = canWalk ? "Point at a joint, or click the trees and use the arrow keys." : "An empty text has no tokens, so there is no tree. Type a word.";
    this.about.textContent = this.hint;
    this.about.hidden = !canWalk && pretokens.length > 0;
    // Pretokens before and after an edit stay as they are drawn: 2,000 characters are 15,000 elements.
    const old = [...this.root.children], limit = Math.min(old.length, pretokens.length);
    let nBefore = 0, nAfter = 0;
    while (nBefore < limit && old[nBefore].svg === pretokens[nBefore]) nBefore++;
    while (nAfter < limit - nBefore && old.at(-1 - nAfter).svg === pretokens.at(-1 - nAfter)) nAfter++;
    for (const pretoken of old.slice(nBefore, old.length - nAfter)) pretoken.remove();
    const template = document.createElement("template");
    const added = pretokens.slice(nBefore, pretokens.length - nAfter);
    template.innerHTML = added.map((svg) => `<span class="pretoken">${svg}</span>`).join("");
    [...template.content.children].forEach((pretoken, i) => {
      pretoken.svg = added[i];
      const sizes = [...pretoken.children].map((tree) => [Number(tree.getAttribute("width")), Number(tree.getAttribute("height"))]);
      const width = sizes.reduce((sum, [own]) => sum + own, 0), height = Math.max(...sizes.map(([, own]) => own));
      if (width > MAX_LINE_WIDTH) pretoken.style.contentVisibility = "visible"; // it wraps: its height is not known
      else pretoken.style.containIntrinsicSize = `calc(${width}px * var(--scale)) calc(${height}px * var(--scale))`; // out of view it need not be laid out
    });
    this.root.insertBefore(template.content, this.root.children[nBefore] ?? null);
  }

  /** Trees grow with the page's type, which is larger on a projector. */
  fitType() {
    const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.root.style.setProperty("--scale", scale);
  }

  nodeAt(target) {
    return target.closest?.(".node") ?? null;
  }

  /** The groups of a subtree: a node and those drawn before it, its children first. */
  subtree(node) {
    const groups = [];
    for (let n = Number(node.dataset.n), at = node; n > 0 && at; n--, at = at.previousElementSibling) groups.push(at);
    return groups;
  }

  light(node) {
    if (node === this.lit) return;
    if (this.lit) for (const group of this.subtree(this.lit)) group.classList.remove("lit", "top");
    this.lit = node;
    if (!node) {
      this.about.textContent = this.hint;
      return;
    }
    for (const group of this.subtree(node)) group.classList.add("lit");
    node.classList.add("top");
    this.about.textContent = this.describe(node);
  }

  describe(node) {
    const { text, rank, step } = node.dataset;
    const parts = this.children(node).map((child) => child.dataset.text).join(" + ");
    if (rank === undefined) return `“${text}”  nothing inside`;
    const name = `“${text}”  rank ${Number(rank).toLocaleString("en")}`;
    if (!parts) return `${name}  one byte`;
    if (node.classList.contains("whole")) return `${name}  taken whole: no merge makes it from ${parts}`;
    const first = Number(step) === 1 ? "the first merge of this token" : `merge ${step} of this token`;
    return `${name}  =  ${parts}  (${first})`;
  }

  // ---- walking

  walk(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowUp: "parent", ArrowDown: "child", ArrowLeft: "left", ArrowRight: "right", Home: "first", End: "last" };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const roots = [...this.root.querySelectorAll(".node.root")];
    const next = this.lit ? this[move](this.lit, roots) : roots[0];
    if (!next) return;
    this.light(next);
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  first = (_node, roots) => roots[0];
  last = (_node, roots) => roots.at(-1);

  parent(node) {
    let n = Number(node.dataset.n);
    for (let at = node.nextElementSibling; at?.matches(".node"); at = at.nextElementSibling) {
      n += 1;
      if (Number(at.dataset.n) >= n && this.subtree(at).includes(node)) return at;
    }
    return null;
  }

  /** The parts of a node, left to right. */
  children(node) {
    const children = [];
    let left = Number(node.dataset.n) - 1;
    for (let at = node.previousElementSibling; left > 0; ) {
      children.push(at);
      const n = Number(at.dataset.n);
      left -= n;
      for (let i = 0; i < n; i++) at = at.previousElementSibling;
    }
    return children;
  }

  child(node) {
    return this.children(node)[0];
  }

  left(node, roots) {
    return this.sibling(node, roots, -1);
  }

  right(node, roots) {
    return this.sibling(node, roots, 1);
  }

  sibling(node, roots, by) {
    const parent = this.parent(node);
    if (!parent) return roots[roots.indexOf(node) + by];
    const siblings = this.children(parent);
    return siblings[siblings.indexOf(node) + by] ?? this.sibling(parent, roots, by);
  }
}
