import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedTexts } from "./shared_texts.js";
import { readTextFile } from "./text_field.js";

class Part extends EventTarget {
  value = "";
  classList = { add() {}, remove() {} };
  nFocused = 0;
  focus() {
    this.nFocused += 1;
  }
}
const { HTMLElement, HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, Option, document } = globalThis;
class Select extends Part {
  dataset = {};
  /** @type {{label: string, value: string}[]} */
  options = [];
  /** @param {{label: string, value: string}[]} options */
  replaceChildren(...options) {
    this.options = options;
  }
}
Object.assign(globalThis, {
  document: new EventTarget(),
  HTMLElement: Part,
  HTMLInputElement: class extends Part {},
  HTMLSelectElement: Select,
  HTMLTextAreaElement: class extends Part {},
  /** @param {string} label @param {string} value */
  Option: function (label, value) {
    return { label, value };
  },
});
const { TextField } = await import("./text_field.js");
const { LiveField } = await import("./live_field.js");

test.after(() => Object.assign(globalThis, { HTMLElement, HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, Option, document }));

/** A field into which something was typed before its code loaded, and the texts that it has passed on; `stands` is the textarea of a previous mount. @param {string} typed @param {any} [stands] */
async function fieldWith(typed, stands) {
  const area = stands ?? Object.assign(new globalThis.HTMLTextAreaElement(), {
    isSelected: false,
    getRootNode: () => ({ activeElement: place.hasFocus ? area : null }),
    select: () => (area.isSelected = true),
  });
  const place = { hasFocus: false }, input = new globalThis.HTMLInputElement(), select = new Select(), other = new globalThis.HTMLElement();
  if (!stands) area.value = typed;
  const root = { querySelector: (/** @type {string} */ selector) => ({ ".text": area, ".file": input, ".examples": select })[selector] ?? other };
  const texts = /** @type {string[]} */ ([]), nothing = () => {};
  const field = new TextField(/** @type {any} */ (root), new AbortController().signal, {
    getLimit: () => 100, onText: (text) => texts.push(text), onTooLong: nothing, onProblem: nothing, onNotes: nothing,
  });
  assert.deepEqual(texts, [], "whoever makes the field is not ready");
  await Promise.resolve();
  return { field, texts, select, area, place };
}

test("text typed before the code has loaded is kept", async () => {
  const { field, texts } = await fieldWith("early");
  assert.equal(field.text, "early");
  assert.deepEqual(texts, ["early"]);
});

test("a field mounted again keeps its carriage returns and reports no change", async () => {
  const { field, area } = await fieldWith("");
  field.show("one\r\ntwo");
  area.value = "one\ntwo"; // as a textarea has it
  const again = await fieldWith("", area);
  assert.deepEqual([again.field.text, again.texts], ["one\r\ntwo", []]);
  area.value = "one\ntwo, typed meanwhile";
  const third = await fieldWith("", area);
  assert.deepEqual([third.field.text, third.texts], ["one\r\ntwo, typed meanwhile", ["one\r\ntwo, typed meanwhile"]]);
});

test("text typed into the empty field replaces the first text from the server", async () => {
  for (const [typed, hasFocus, isSelected] of /** @type {const} */ ([["", true, true], ["", false, false], ["mine", true, false]])) {
    const { field, area, place } = await fieldWith(typed);
    place.hasFocus = hasFocus;
    field.open(typed || "an example");
    assert.equal(area.value, typed || "an example");
    assert.equal(area.isSelected, isSelected, `${typed} ${hasFocus}`);
  }
});

test("lines have their own directions only in texts with right-to-left letters", async () => {
  const { field, area } = await fieldWith("");
  for (const [text, dir] of [["abc 안녕", "ltr"], ["abc\nשלום", "auto"], ["1\u200f2", "auto"]]) {
    field.show(text);
    assert.equal(area.dir, dir);
    area.value = "typed";
    area.dispatchEvent(new Event("input"));
    assert.equal(area.dir, "ltr");
    area.value = text;
    area.dispatchEvent(new Event("input"));
    assert.equal(area.dir, dir);
  }
});

test("an example replaces the text, shows its notice, and offers no other example back", async () => {
  const { field, texts, select } = await fieldWith("mine");
  field.offer(["one", "two"].map((text) => ({ title: text.toUpperCase(), text, notice: `See ${text}.` })));
  assert.deepEqual(select.options.map(({ label }) => label), ["Examples", "ONE", "TWO"]);
  const seen = () => field.example?.notice;
  assert.equal(seen(), undefined);
  for (const [value, text, before] of [["0", "one", "mine"], ["1", "two", undefined]]) {
    select.value = value ?? "";
    select.dispatchEvent(new Event("change"));
    assert.equal(field.text, text);
    assert.equal(seen(), `See ${text}.`);
    assert.equal(select.value, "", "the same one can be chosen again");
    assert.equal(field.undo?.text, before);
  }
  assert.deepEqual(texts, ["mine", "one", "two"]);
});

test("a replaced text can be restored, and then the text that was there meanwhile", async () => {
  const { field, select } = await fieldWith("mine");
  field.offer([{ title: "ONE", text: "one", notice: "See one." }]);
  select.value = "0";
  select.dispatchEvent(new Event("change"));
  /** @type {EventTarget[]} */
  const parts = [];
  const append = (/** @type {EventTarget} */ part) => parts.push(part);
  Object.assign(globalThis.document, { createElement: () => Object.assign(new EventTarget(), { append }) });
  const bringBack = () => {
    field.undoNote();
    parts.at(-1)?.dispatchEvent(new Event("click"));
  };
  field.show("typed since");
  assert.equal(select.nFocused, 0);
  for (const [text, lost] of [["mine", "typed since"], ["typed since", "mine"]]) {
    bringBack();
    assert.deepEqual([field.text, field.undo?.text], [text, lost]);
    assert.ok(select.nFocused > 0, "the focus stays near, for the button has gone");
  }
  field.show("one");
  bringBack();
  assert.deepEqual([field.text, field.undo], ["mine", null], "an example is chosen again");
});

test("undo removes what was typed, then the example, which is then no longer offered back", async () => {
  const { field, texts, area } = await fieldWith("mine\n");
  let isShown = true;
  Object.assign(area, { setSelectionRange() {}, blur() {}, focus() {}, checkVisibility: () => isShown });
  const press = (/** @type {object} */ keys) => area.dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), { ctrlKey: true, key: "z", ...keys }));
  const type = (/** @type {string} */ text, inputType = "insertText") => {
    area.value = text;
    area.dispatchEvent(Object.assign(new Event("input"), { inputType }));
  };
  field.replace("an\r\nexample", "The example replaced your text.");
  type("an\nexample, typed");
  type("an\nexample, typed in");
  for (const [keys, text] of /** @type {[object, string][]} */ ([
    [{}, "an\r\nexample"], [{}, "mine\n"], [{ key: "Z", shiftKey: true }, "an\r\nexample"], [{ key: "y" }, "an\r\nexample, typed in"],
  ])) {
    assert.equal(press(keys), false, "the browser does nothing beside");
    assert.deepEqual([field.text, area.value, texts.at(-1)], [text, text.replaceAll("\r\n", "\n"), text]);
  }
  assert.equal(field.undo, null);
  type("whatever the browser makes of it", "historyUndo"); // from a menu
  assert.deepEqual([field.text, area.value], ["an\r\nexample", "an\nexample"]);
  isShown = false;
  type("whatever the browser makes of it", "historyUndo"); // of another field
  assert.deepEqual([field.text, area.value], ["an\r\nexample", "an\nexample"]);
  for (const keys of [{ altKey: true }, { ctrlKey: false }, { isComposing: true }, { key: "a" }]) assert.equal(press(keys), true);
  press({ ctrlKey: false, metaKey: true });
  assert.equal(field.text, "mine\n");
});

test("a key in the closed list of examples opens it without choosing", async () => {
  const { select } = await fieldWith("mine");
  let nOpened = 0;
  Object.assign(select, { showPicker: () => (nOpened += 1) });
  const press = (/** @type {object} */ keys) => select.dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), keys));
  for (const key of ["ArrowDown", "ArrowUp", "End", "e", "É"]) assert.equal(press({ key }), false, key);
  assert.equal(nOpened, 5);
  for (const keys of [{ key: " " }, { key: "Enter" }, { key: "Tab" }, { key: "Escape" }, { key: "c", ctrlKey: true }]) assert.equal(press(keys), true, keys.key);
  assert.equal(nOpened, 5);
});

const file = (/** @type {BlobPart} */ content, name = "f.txt") => new File([content], name);

test("a file is read unchanged, with its line ends and its byte order mark", async () => {
  assert.equal(await readTextFile(file("\ufeffनेपाल\r\nfile\0"), 100), "\ufeffनेपाल\r\nfile\0");
  assert.equal(await readTextFile(file(""), 100), "");
});

test("a file that is not UTF-8 is refused, with the position of the invalid byte", async () => {
  const latin = file(Uint8Array.from("one\ncaf\xe9 au lait", (c) => c.charCodeAt(0)), "latin.txt");
  await assert.rejects(readTextFile(latin, 100), /^Error: latin\.txt is not UTF-8: byte ⟨E9⟩ at position 7 \(line 2\)\. Save it as UTF-8 and open it again\.$/);
  await assert.rejects(readTextFile(file(Uint8Array.of(0x61, 0xe9)), 100), /byte ⟨E9⟩ at position 1 /);
  const utf16 = file(Uint8Array.of(0xff, 0xfe, 0x61, 0));
  await assert.rejects(readTextFile(utf16, 100), /byte ⟨FF⟩ at position 0 \(line 1\); it looks like UTF-16\./);
});

test("a file over the limit is refused with both sizes, and one at the limit is accepted", async () => {
  assert.equal((await readTextFile(file("a".repeat(1000)), 1000)).length, 1000);
  await assert.rejects(readTextFile(file("a".repeat(1001), "large.txt"), 1000), /large\.txt has 1,001 bytes; this page takes up to 1,000/);
});

test("typing or pasting replaces the untouched example, and deleting in it does not", async () => {
  for (const [inputType, isReplaced] of /** @type {const} */ ([["insertText", true], ["insertFromPaste", true], ["deleteContentBackward", false]])) {
    const { field, area } = await fieldWith("");
    field.offer([{ title: "One", text: "example", notice: "" }]);
    field.open("example");
    area.dispatchEvent(Object.assign(new Event("beforeinput"), { inputType }));
    assert.equal(area.isSelected, isReplaced, inputType);
  }
});

test("typing into an own text doesn't select it", async () => {
  const { field, area } = await fieldWith("");
  field.offer([{ title: "One", text: "example", notice: "" }]);
  for (const show of [() => field.open("mine"), () => (field.open("example"), field.show("example"))]) {
    show();
    area.isSelected = false;
    area.dispatchEvent(Object.assign(new Event("beforeinput"), { inputType: "insertText" }));
    assert.equal(area.isSelected, false);
  }
});

test("a paste outside of any field replaces the text, and one in another field does not", async () => {
  const { field, texts } = await fieldWith("");
  field.open("mine");
  const paste = (/** @type {EventTarget} */ target) =>
    globalThis.document.dispatchEvent(Object.assign(new Event("paste", { cancelable: true }), { clipboardData: { getData: () => "pasted" }, composedPath: () => [target] }));
  paste(Object.assign(new globalThis.HTMLElement(), { isContentEditable: false, matches: () => true }));
  assert.deepEqual(texts, []);
  paste(new EventTarget());
  assert.deepEqual([field.text, texts], ["pasted", ["pasted"]]);
});

// ---- the live field

/**
 * A page on which `typed` was typed before its code had loaded, the texts that it was given, and its problems.
 * @param {SharedTexts} texts @param {import("./shared_texts.js").Page} name
 */
function pageOf(texts, name = "tokenize", typed = "") {
  const area = Object.assign(new globalThis.HTMLTextAreaElement(), { value: typed, getRootNode: () => ({}), select() {} });
  const input = new globalThis.HTMLInputElement(), select = new Select(), other = new Part();
  const root = { querySelector: (/** @type {string} */ selector) => ({ ".text": area, ".file": input, ".examples": select })[selector] ?? other };
  const given = /** @type {string[]} */ ([]), problems = /** @type {Record<string, string>} */ ({});
  const notes = { problem: (/** @type {string} */ reason, /** @type {string} */ sentence) => void (problems[reason] = sentence), draw() {} };
  const ending = new AbortController(), live = new LiveField(/** @type {any} */ (root), ending.signal, { page: name, notes, onText: (text) => given.push(text) }, texts);
  const update = (/** @type {object} */ changes = {}) => live.update({ url: "/session/1", version: 0, revision: 0, text_revision: 0, given: null, max_bytes: 20, examples: [{ title: "", text: "example", notice: "" }], ...changes });
  const type = (/** @type {string} */ text) => {
    live.field.show(text);
    live.field.push();
    ending.abort();
  };
  return { live, update, type, given, problems };
}

test("a page opens with the tab's text, else with the server's, else with an example", () => {
  const texts = new SharedTexts(undefined), first = pageOf(texts), second = pageOf(texts, "compare");
  first.update();
  second.update({ given: "of an old link" });
  assert.deepEqual([first.given, second.given], [["example"], ["of an old link"]]);
  first.type("mine");
  const again = pageOf(texts), other = pageOf(texts, "compare");
  again.update();
  other.update({ given: "of an old link" });
  assert.deepEqual([again.given, other.given], [["mine"], ["mine"]]);
});

test("another session or tokenizer is given the text again, and a run of the page without either is not", () => {
  const { update, given } = pageOf(new SharedTexts(undefined));
  update();
  update();
  update({ revision: 1 });
  update({ url: "/session/2" });
  assert.deepEqual(given, ["example", "example", "example"]);
});

test("a text that the server sets replaces the reader's own, which can be restored", () => {
  const { live, update, type, given } = pageOf(new SharedTexts(undefined));
  update();
  type("mine");
  const set = { text_revision: 1, given: "set" };
  update(set);
  update(set);
  assert.deepEqual([given, live.field.text, live.field.undo?.text], [["example", "mine", "set"], "set", "mine"]);
});

test("a text typed before the page's code had loaded stays, and an earlier one can be restored", () => {
  const texts = new SharedTexts(undefined), first = pageOf(texts, "merge_tree", "early");
  first.update();
  assert.deepEqual([first.live.text, first.live.field.undo], ["early", null]);
  const reloaded = pageOf(texts, "merge_tree", "other");
  reloaded.update();
  assert.deepEqual([reloaded.live.text, reloaded.live.field.undo?.text], ["other", "early"]);
  reloaded.type("another");
  assert.equal(reloaded.live.text, "another");
});

test("a text that is too long stays in the field and in the tab, and the page keeps the last one that was not", () => {
  const texts = new SharedTexts(undefined), { live, update, type, given, problems } = pageOf(texts), long = "x".repeat(21);
  update();
  type(long);
  update({ revision: 1 });
  assert.deepEqual([live.field.text, texts.textOf("tokenize"), given], [long, long, ["example", "example"]]);
  assert.match(problems.text, /^This text has 21 bytes; this page takes up to 20/);
  const reloaded = pageOf(texts);
  reloaded.update();
  assert.deepEqual([reloaded.live.field.text, reloaded.given], [long, [""]]);
  reloaded.type("short");
  assert.deepEqual([reloaded.given.at(-1), reloaded.problems.text], ["short", ""]);
});
