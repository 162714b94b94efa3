// Compare: the text field, the figures and the rows, kept in step with the server.

const SETTLE_MS = 600;
const MAX_LINK_CHARS = 8000;
const pages = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".compare");
  let page = pages.get(root);
  if (!page) pages.set(root, (page = new ComparePage(root)));
  page.setTriggerValue = setTriggerValue;
  page.update(data);
}

class ComparePage {
  constructor(root) {
    this.root = root;
    this.field = root.querySelector(".text");
    this.rowsRoot = root.querySelector(".rows");
    this.source = new SourceText("");
    this.isAsking = false;
    this.setView("aligned");
    this.field.addEventListener("input", () => {
      this.source.adopt(this.field.value);
      this.ask();
    });
    root.querySelector(".choice").addEventListener("click", (event) => {
      if (event.target.dataset.view) this.setView(event.target.dataset.view);
    });
    root.querySelector(".share").addEventListener("click", (event) => this.share(event.target));
    this.rowsRoot.addEventListener("pointerover", (event) => this.point(this.view.columnAt(event.target)));
    this.rowsRoot.addEventListener("pointerleave", () => this.point(null));
    this.rowsRoot.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const column = by && this.view.step(by);
      if (!column) return;
      event.preventDefault();
      this.point(column);
    });
  }

  update(data) {
    this.root.classList.toggle("dark", isDark(this.root));
    if (this.data?.revision === data.revision && this.data.url === data.url) return;
    // A change of tokenizers does not take back what was typed since the page last heard of it.
    const isNewText = this.data?.text_revision !== data.text_revision || this.data.url !== data.url;
    this.data = data;
    if (isNewText) {
      this.source.set(data.text);
      this.field.value = this.source.view;
    }
    this.ask();
  }

  /** Put a link that restores this view into the address and on the clipboard. */
  async share(button) {
    const names = this.answer.rows.map((row) => row.tokenizer_name).join(",");
    const link = `${location.origin}${location.pathname}?${new URLSearchParams({ tokenizers: names, text: this.source.text })}`;
    if (link.length > MAX_LINK_CHARS) {
      return this.say(`This text is too long for a link: ${link.length.toLocaleString("en")} characters, and links over ${MAX_LINK_CHARS.toLocaleString("en")} break in mail and chat.`);
    }
    history.replaceState(history.state, "", link);
    const isCopied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    button.textContent = isCopied ? "Link copied" : "Link is in the address bar";
    setTimeout(() => (button.textContent = "Copy link"), 2500);
  }

  /** One request is in flight at a time; the newest text wins. */
  async ask() {
    this.isStale = true;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.isStale) {
      this.isStale = false;
      const text = this.source.text.toWellFormed();
      try {
        this.show(await fetchRows(this.data.url, text), text);
        this.say("");
      } catch (error) {
        this.say(error.message);
      }
    }
    this.isAsking = false;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.setTriggerValue("settled", Date.now()), SETTLE_MS);
  }

  show(answer, text) {
    this.answer = answer;
    this.text = text;
    this.drawFigures();
    this.drawLegend();
    this.view.show(text, answer.rows);
    this.point(null);
    this.root.dataset.shown = String(text.length);
  }

  setView(name) {
    this.rowsRoot.className = `rows ${name}`;
    this.rowsRoot.replaceChildren();
    this.view = name === "cards" ? new CardsView(this.rowsRoot) : new AlignedView(this.rowsRoot);
    for (const button of this.root.querySelectorAll("[data-view]")) {
      button.setAttribute("aria-checked", String(button.dataset.view === name));
    }
    if (this.answer) {
      this.drawLegend();
      this.view.show(this.text, this.answer.rows);
    }
  }

  drawFigures() {
    const { rows } = this.answer;
    const head = ["tokenizer", "tokens", `saved against ${rows[0]?.tokenizer_name ?? "the first"}`, "bytes per token", "characters per token", "tokens per word", "boundaries shared", "vocabulary"];
    const headRow = make("tr");
    headRow.append(...head.map((name) => make("th", "", name)));
    this.root.querySelector("thead").replaceChildren(headRow);
    const whole = (n) => n.toLocaleString("en");
    const fraction = (x) => x.toFixed(2);
    this.root.querySelector("tbody").replaceChildren(
      ...rows.map((row, r) => {
        const name = make("td", "", row.tokenizer_name), dot = make("span", "dot");
        dot.style.background = this.data.colors[r];
        name.prepend(dot);
        const cells = [
          r ? signed(row.tokens_saved) : "–",
          fraction(row.bytes_per_token),
          fraction(row.characters_per_token),
          fraction(row.tokens_per_word),
          `${Math.round(row.shared_boundaries * 100)} %`,
          whole(row.n_vocab),
        ];
        const line = make("tr");
        line.append(name, make("td", "count", whole(row.n_tokens)), ...cells.map((text) => make("td", "", text)));
        return line;
      }),
    );
  }

  drawLegend() {
    const { agreement, rows } = this.answer;
    const legend = this.root.querySelector(".legend");
    if (!agreement || rows.length < 2 || this.rowsRoot.classList.contains("cards")) return legend.replaceChildren();
    const kinds = [["all", agreement.in_all, "in all"], ["some", agreement.in_some, "in some"], ["one", agreement.in_one, "in one only"]];
    legend.replaceChildren(
      make("span", "", "Boundaries:"),
      ...kinds
        .filter(([kind]) => kind !== "some" || rows.length > 2)
        .map(([kind, n, name]) => {
          const item = make("span", "", `${n.toLocaleString("en")} ${name}`);
          item.prepend(make("i", kind));
          return item;
        }),
    );
  }

  point(column) {
    this.view.light(column);
    this.root.querySelector(".about").textContent = column ? this.describe(column) : "Point at a token: every row marks the tokens that cover it.";
  }

  describe({ from, to }) {
    return this.answer.rows
      .map((row) => {
        const names = [];
        for (let group = groupAt(row, from); group < row.positions.length && row.positions[group] < to; group++) {
          const [first, end] = tokensOf(row, group);
          const text = this.text.slice(row.positions[group], row.positions[group + 1] ?? this.text.length);
          names.push(`“${shorten(cellText(text), 30)}” ${Array.from(row.ids.subarray(first, Math.min(end, first + 8))).join(" ")}${end - first > 8 ? " …" : ""}`);
        }
        return `${row.tokenizer_name}: ${names.slice(0, 6).join(", ")}`;
      })
      .join("\n");
  }

  say(problem) {
    const line = this.root.querySelector(".problem");
    line.textContent = problem;
    line.hidden = !problem;
  }
}

const shorten = (text, limit) => (text.length > limit ? `${text.slice(0, limit)}…` : text);
const signed = (n) => (n > 0 ? `+${n.toLocaleString("en")}` : n.toLocaleString("en").replace("-", "−"));

/** Whether the page's background is dark, whatever the theme is called. */
function isDark(element) {
  const probe = document.createElement("span");
  probe.style.color = "var(--st-background-color)";
  element.append(probe);
  const [r, g, b] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
  probe.remove();
  return r + g + b < 384;
}
