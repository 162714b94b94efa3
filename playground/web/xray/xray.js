// X-ray: a row of parts for each turn of a log, the chosen turn with its cache, and the costliest parts.

import { sharedTexts } from "../shared/shared_texts.js";
import { button, element, find, note } from "../shared/element.js";
import { component, leave } from "../shared/mount.js";
import { TabMemory, tabStore } from "../shared/tab_memory.js";
import { onceFree, post, postJson, Reconnect, sentenceOf } from "../shared/wire.js";
import { count, counted, dollars, marked } from "../shared/wording.js";

/** Data from Python; see `ui/xray/view.py`. @typedef {import("../shared/wire_types.d.ts").XrayData} Data */
/** @typedef {import("../shared/wire_types.d.ts").XrayEvent} Said */
/** @typedef {import("../shared/wire_types.d.ts").XrayAnswer} Answer */
/** @typedef {import("../shared/wire_types.d.ts").Report} Report */
/** @typedef {import("../shared/wire_types.d.ts").Piece} Piece */
/** @typedef {import("../shared/wire_types.d.ts").ShownTurn} ShownTurn */

/** What a part is, in the order of the key. @type {Record<string, string>} */
const KINDS = {
  system: "system", tool: "tools", user: "user", assistant: "assistant", reasoning: "reasoning", call: "tool calls", result: "tool results",
  image: "images", other: "other messages", frame: "frame",
};
/** Narrower parts of a kind are drawn together: a part of the widest bar. */
const NARROW = 1 / 200;
/** The most parts of a turn in its table. */
const MAX_PARTS = 60;
/** The largest text that the tab keeps for a reload. */
const MAX_KEPT = 1_000_000;

/** A drawn part: pieces of a kind, with their tokens. @typedef {{kind: string, pieces: number[], n: number}} Segment */

/** The pieces of a turn in order. @param {ShownTurn} turn */
export const piecesOf = (turn) => turn.ranges.flatMap(([first, last]) => Array.from({ length: last - first }, (_, n) => first + n));

/** The segments of a turn: its pieces, narrow neighbours of a kind together. @param {ShownTurn} turn @param {readonly Piece[]} pieces @param {number} narrow tokens of a piece that is too narrow alone @returns {Segment[]} */
export function segmentsOf(turn, pieces, narrow) {
  /** @type {Segment[]} */
  const found = [];
  for (const number of piecesOf(turn)) {
    const { kind, n_tokens: n } = pieces[number], last = found.at(-1);
    if (last && last.n < narrow && n < narrow) {
      last.n += n;
      last.pieces.push(number);
      if (n > pieces[last.pieces[0]].n_tokens) last.kind = kind;
    } else found.push({ kind, pieces: [number], n });
  }
  return found;
}

/** A segment in words. @param {Segment} segment @param {readonly Piece[]} pieces */
export function nameOf({ kind, pieces: numbers, n }, pieces) {
  if (numbers.length > 1) return `${counted(numbers.length, "small part")}, mostly ${KINDS[kind]}: ${counted(n, "token")}`;
  const { label, mark } = pieces[numbers[0]];
  return `${titleOf(kind, label)}: ${marked(n, mark)} tokens`;
}

/** @param {string} kind @param {string} label */
const titleOf = (kind, label) => (kind === label || kind === "frame" || kind === "image" ? label : kind === "result" ? `result of ${label}` : kind === "call" ? `call of ${label}` : `${kind} ${label}`);

/** The sums of a turn by kind. @param {ShownTurn} turn @param {readonly Piece[]} pieces */
export function sumsOf(turn, pieces) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const number of piecesOf(turn)) sums[pieces[number].kind] = (sums[pieces[number].kind] ?? 0) + pieces[number].n_tokens;
  return sums;
}

/** The tokens that the service reported, in words; "" without. @param {ShownTurn} turn */
export function reportedOf({ usage, n_tokens }) {
  if (!usage) return "";
  const { n_input, n_cache_read: read, n_cache_write: written } = usage, parts = [];
  if (read !== null) parts.push(`${count(read)} from the cache`);
  if (written) parts.push(`${count(written)} written to it`);
  const more = n_input - n_tokens;
  const rest = more > 0.02 * n_input ? ` ${count(more)} of them are not in the log.` : "";
  return `The service reported ${counted(n_input, "input token")}${parts.length ? `, ${parts.join(", ")}` : ""}.${rest}`;
}

/** What the cache could keep of a turn, in words. @param {ShownTurn} turn */
export function cacheOf({ diff }) {
  if (!diff) return [];
  const kept = diff.n_cacheable === null ? "" : ` ${count(diff.n_cacheable)} of them can be read from a cache (${diff.rule}).`;
  if (!diff.place) return [`Begins with the whole turn before it: ${counted(diff.n_shared, "token")} shared.${kept}`];
  const lost = diff.lost_dollars === null ? "" : `, ${dollars(diff.lost_dollars)} more than from a cache`;
  return [`The prefix breaks at ${diff.place}: ${diff.cause}.`, `${counted(diff.n_shared, "token")} shared, ${count(diff.n_lost)} sent again${lost}.${diff.n_shared ? kept : ""}`];
}

/** What differs in two texts, and their common end. @param {string} old @param {string} now */
export function changed(old, now) {
  let n = 0;
  while (n < Math.min(old.length, now.length) && old.at(-1 - n) === now.at(-1 - n)) n += 1;
  return [old.slice(0, old.length - n), now.slice(0, now.length - n), old.slice(old.length - n)];
}

class Xray {
  /** @param {HTMLElement} root @param {AbortSignal} signal */
  constructor(root, signal) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    this.opened = "";
    /** @type {Report | null} */
    this.report = null;
    this.chosen = 0;
    this.setTriggerValue = (/** @type {Said} */ _name, /** @type {unknown} */ _value) => {};
    /** The text that was read last, if it is short, for a reload. @type {TabMemory<{text: string}>} */
    this.tab = new TabMemory(tabStore, "tessera.xray");
    this.reconnect = new Reconnect({ askForSession: () => this.setTriggerValue("lost", Date.now()), reopen: () => this.open() });
    this.paste = find(root, ".paste", HTMLTextAreaElement);
    this.ribbons = find(root, ".ribbons");
    const file = find(root, ".file", HTMLInputElement), source = find(root, ".source");
    const take = async (/** @type {File | undefined} */ chosen) => {
      if (!chosen) return;
      this.paste.value = "";
      await this.read(chosen, chosen.name);
    };
    find(root, ".examine").addEventListener("click", () => this.readPasted(), { signal });
    this.paste.addEventListener("paste", () => setTimeout(() => this.readPasted()), { signal });
    find(root, ".open-file").addEventListener("click", () => file.click(), { signal });
    file.addEventListener("change", () => take(file.files?.[0]).finally(() => (file.value = "")), { signal });
    for (const name of ["dragenter", "dragover"]) {
      root.addEventListener(name, (event) => {
        event.preventDefault();
        source.classList.add("dropping");
      }, { signal });
    }
    root.addEventListener("dragleave", () => source.classList.remove("dropping"), { signal });
    root.addEventListener("drop", (event) => {
      event.preventDefault();
      source.classList.remove("dropping");
      take(event.dataTransfer?.files[0]);
    }, { signal });
    this.ribbons.addEventListener("click", (event) => this.chooseAt(event), { signal });
    this.ribbons.addEventListener("pointermove", (event) => this.point(event), { signal });
    this.ribbons.addEventListener("keydown", (event) => this.walk(event), { signal });
  }

  /** @param {import("../shared/mount.js").Given<Data, Said>} given */
  update({ data, setTriggerValue }) {
    const key = `${data.url} ${data.revision}`, isNew = key !== this.opened;
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.opened = key;
    if (isNew) this.open();
  }

  destroy() {
    this.reconnect.end();
  }

  /** Show what the session has, or what this tab has read before. */
  async open() {
    const { text } = this.tab.read();
    await this.ask(async (url) => {
      /** @type {Answer} */
      const answer = await postJson(url, "open", {});
      if (answer.is_example && text) return (await post(url, "read", new Blob([text]))).json();
      return answer;
    });
  }

  async readPasted() {
    const text = this.paste.value;
    if (text.trim()) await this.read(new Blob([text.toWellFormed()]), "what you pasted");
  }

  /** @param {Blob} blob @param {string} name */
  async read(blob, name) {
    const limit = this.data?.max_bytes ?? Infinity;
    if (blob.size > limit) return this.say(`${name} has ${counted(blob.size, "byte")}; this page takes up to ${count(limit)}. Use the command xray for larger logs.`);
    const isShown = await this.ask(async (url) => (await post(url, "read", blob)).json());
    if (isShown) this.tab.write({ text: blob.size <= MAX_KEPT ? await blob.text() : "" });
  }

  /** @param {(url: string) => Promise<any>} request */
  async ask(request) {
    this.root.classList.add("waiting");
    try {
      const answer = await onceFree(() => request(this.data?.url ?? ""));
      this.reconnect.stop();
      this.say(answer.refused ?? "");
      if (answer.refused) return false;
      this.show(answer);
      return true;
    } catch (error) {
      this.reconnect.seeks(error);
      this.say(sentenceOf(error));
      return false;
    } finally {
      this.root.classList.remove("waiting");
    }
  }

  /** @param {string} problem */
  say(problem) {
    const notes = (this.report?.problems ?? []).map((sentence) => note(sentence));
    find(this.root, ".notes").replaceChildren(...(problem ? [note(problem, "error")] : notes));
  }

  /** @param {Answer} answer */
  show({ report, n_characters, is_example }) {
    this.report = report;
    const { turns, form } = report, broken = turns.filter(({ diff }) => diff?.place).length;
    find(this.root, ".read").textContent = `${is_example ? "An example: " : ""}${form}, ${counted(turns.length, "turn")}, ${counted(n_characters, "character")}${broken ? `; the prefix breaks in ${counted(broken, "turn")}` : ""}.`;
    this.say("");
    find(this.root, ".how").replaceChildren(...report.how.map((sentence) => element("p", "", sentence)));
    this.drawRibbons();
    this.drawCostly();
    const first = turns.findIndex(({ diff }) => diff?.place);
    this.choose(first === -1 ? turns.length - 1 : first);
  }

  drawRibbons() {
    const { turns, pieces } = /** @type {Report} */ (this.report), most = Math.max(1, ...turns.map(({ n_tokens }) => n_tokens));
    /** @type {Segment[][]} */
    this.segments = turns.map((turn) => segmentsOf(turn, pieces, most * NARROW));
    this.ribbons.replaceChildren(...turns.map((turn, number) => {
      const row = element("div", turn.diff?.place ? "ribbon broken" : "ribbon"), bars = element("div", "bars");
      row.role = "option";
      row.id = `turn-${number}`;
      row.dataset.turn = String(number);
      row.ariaLabel = `Turn ${number + 1}, ${turn.title}: ${marked(turn.n_tokens, turn.mark)} tokens${turn.diff?.place ? ", the prefix breaks" : ""}`;
      bars.style.width = `${(100 * turn.n_tokens) / most}%`;
      this.segments?.[number].forEach(({ kind, n }, place) => {
        const bar = element("span");
        bar.style.flex = `${n} 0 0`;
        bar.style.setProperty("--c", `var(--${kind})`);
        bar.dataset.segment = String(place);
        bars.append(bar);
      });
      row.append(element("span", "number", count(number + 1)), bars, element("span", "tokens", marked(turn.n_tokens, turn.mark)));
      return row;
    }));
    find(this.root, ".turns").hidden = !turns.length;
  }

  /** @param {Event} event */
  chooseAt(event) {
    const row = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".ribbon"));
    if (row) this.choose(Number(row.dataset.turn));
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const n = this.report?.turns.length ?? 0, to = { ArrowDown: this.chosen + 1, ArrowUp: this.chosen - 1, Home: 0, End: n - 1 }[event.key];
    if (to === undefined || to < 0 || to >= n) return;
    event.preventDefault();
    this.choose(to);
  }

  /** Scroll the list, and not the page, to a turn. @param {number} number */
  showRow(number) {
    const row = /** @type {HTMLElement | undefined} */ (this.ribbons.children[number]), { ribbons } = this;
    if (!row) return;
    const top = row.offsetTop - ribbons.offsetTop, end = top + row.offsetHeight;
    if (top < ribbons.scrollTop || end > ribbons.scrollTop + ribbons.clientHeight) ribbons.scrollTop = top - ribbons.clientHeight / 2;
  }

  /** @param {PointerEvent} event */
  point(event) {
    const bar = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-segment]"));
    const turn = Number(/** @type {HTMLElement | null} */ (bar?.closest(".ribbon"))?.dataset.turn);
    this.ribbons.querySelector(".lit")?.classList.remove("lit");
    bar?.classList.add("lit");
    const segment = bar ? this.segments?.[turn]?.[Number(bar.dataset.segment)] : undefined;
    find(this.root, ".pointed").textContent = segment && this.report ? `Turn ${turn + 1}: ${nameOf(segment, this.report.pieces)}` : "";
  }

  /** @param {number} number */
  choose(number) {
    this.chosen = number;
    const { turns, pieces } = /** @type {Report} */ (this.report), turn = turns[number];
    this.ribbons.querySelector('[aria-selected="true"]')?.removeAttribute("aria-selected");
    this.ribbons.children[number]?.setAttribute("aria-selected", "true");
    this.ribbons.setAttribute("aria-activedescendant", `turn-${number}`);
    this.showRow(number);
    find(this.root, ".turn").hidden = !turn;
    if (!turn) return;
    find(this.root, ".title").replaceChildren(turns.length > 1 ? `Turn ${count(number + 1)} ` : "The request ", element("span", "soft", turns.length > 1 ? turn.title : ""));
    const price = turn.dollars === null ? "" : `, ${dollars(turn.dollars)} as input`;
    const missing = turn.unknown.length ? ` Not in it: ${turn.unknown.join("; ")}.` : "";
    find(this.root, ".facts").textContent = `${marked(turn.n_tokens, turn.mark)} tokens for ${turn.model}${price}.${missing} ${reportedOf(turn)}`;
    this.drawCache(turn);
    const sums = sumsOf(turn, pieces);
    find(this.root, ".key").replaceChildren(...Object.keys(KINDS).filter((kind) => sums[kind]).map((kind) => {
      const group = element("div"), name = element("dt");
      name.append(swatch(kind), ` ${KINDS[kind]}`);
      group.append(name, element("dd", "", count(sums[kind])));
      return group;
    }));
    const order = piecesOf(turn).toSorted((a, b) => pieces[b].n_tokens - pieces[a].n_tokens), rows = order.slice(0, MAX_PARTS).map((each) => {
      const { n_tokens, mark } = pieces[each];
      return [this.partCell(each), marked(n_tokens, mark), `${((100 * n_tokens) / Math.max(turn.n_tokens, 1)).toFixed(1)} %`, this.opener(each)];
    });
    if (order.length > MAX_PARTS) rows.push([`and ${count(order.length - MAX_PARTS)} smaller parts`, "", "", ""]);
    fillTable(find(this.root, ".parts", HTMLTableElement), ["part", "tokens", "share", "open"], rows);
  }

  /** @param {ShownTurn} turn */
  drawCache(turn) {
    const box = find(this.root, ".cache"), { diff } = turn;
    /** @type {HTMLElement[]} */
    const lines = cacheOf(turn).map((sentence) => element("p", "", sentence));
    box.classList.toggle("broken", Boolean(diff?.place));
    if (diff?.place && (diff.old || diff.new)) {
      const shown = element("pre");
      const [old, now, rest] = changed(diff.old, diff.new);
      shown.append(element("span", "same", diff.before), element("del", "", old), element("ins", "", now), element("span", "same", rest));
      lines.push(shown);
    }
    box.replaceChildren(...lines);
  }

  drawCostly() {
    const { costliest, pieces } = /** @type {Report} */ (this.report), rows = costliest.map((one) => {
      const cell = this.partCell(one.piece);
      if (one.advice) cell.append(element("small", "", one.advice));
      return [cell, count(one.n_tokens_in_all), one.dollars === null ? "" : dollars(one.dollars), this.opener(one.piece)];
    });
    fillTable(find(this.root, ".list", HTMLTableElement), ["part", "tokens in all", "as input", "open"], rows);
    find(this.root, ".costly").hidden = !costliest.length || !pieces.length;
  }

  /** @param {number} number */
  partCell(number) {
    const { kind, label } = /** @type {Report} */ (this.report).pieces[number], cell = element("span");
    cell.append(swatch(kind), titleOf(kind, label));
    return cell;
  }

  /** A button that opens the text of a part in Tokenize; nothing for a part without a text. @param {number} number */
  opener(number) {
    const { tool, message, kind, label } = /** @type {Report} */ (this.report).pieces[number];
    if ((tool === null && message === null) || kind === "frame" || kind === "image") return "";
    return button("Tokens", `Open ${titleOf(kind, label)} in Tokenize`, () => this.openText(number));
  }

  /** @param {number} number */
  async openText(number) {
    try {
      const { text } = await postJson(this.data?.url ?? "", "text", { piece: number });
      sharedTexts.bring("tokenize", text);
      const { turn } = /** @type {Report} */ (this.report).pieces[number];
      this.setTriggerValue("elsewhere", this.report?.turns[turn].model ?? "");
      leave();
    } catch (error) {
      this.say(sentenceOf(error));
    }
  }
}

export default component(".xray", (root, signal) => new Xray(root, signal));

/** @param {string} kind */
function swatch(kind) {
  const made = element("i");
  made.style.setProperty("--c", `var(--${kind})`);
  return made;
}

/** @param {HTMLTableElement} table @param {string[]} names @param {(string | HTMLElement)[][]} rows */
function fillTable(table, names, rows) {
  table.replaceChildren();
  const head = table.createTHead().insertRow(), body = table.createTBody();
  names.forEach((name, place) => {
    const cell = element("th", place === 0 || place === names.length - 1 ? "" : "n", name);
    cell.setAttribute("scope", "col");
    head.append(cell);
  });
  for (const row of rows) {
    const made = body.insertRow();
    row.forEach((value, place) => {
      const cell = made.insertCell();
      cell.className = place === 0 || place === names.length - 1 ? "" : "n";
      cell.append(value);
    });
  }
}
