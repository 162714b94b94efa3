import assert from "node:assert/strict";
import { test } from "node:test";
import { FileOpener, packFiles } from "./open_files.js";

const file = (/** @type {string} */ name) => new File([name], name);
const state = (/** @type {string[]} */ opened, isOver = true) => ({ is_over: isOver, opened, messages: [], refused: [] });

/** An opener whose server answers so, and what it was sent. @param {ReturnType<typeof state>[]} answers */
function openerOf(...answers) {
  /** @type {any[]} */
  const sent = [];
  const post = async (/** @type {string} */ action, /** @type {object | Blob} */ body) => {
    sent.push(body instanceof Blob ? await unpacked(body) : action);
    return /** @type {ReturnType<typeof state>} */ (answers.shift());
  };
  return { opener: new FileOpener({ post, wait: async () => {} }), sent };
}

/** @param {Blob} body */
async function unpacked(body) {
  const buffer = await body.arrayBuffer(), length = new DataView(buffer).getUint32(0, true);
  const { files, n_earlier, replaces } = JSON.parse(new TextDecoder().decode(buffer.slice(4, 4 + length)));
  return { names: files.map((/** @type {{name: string}} */ { name }) => name), n_earlier, replaces };
}

test("the body has the length of its header, the header and the files", async () => {
  const body = new Uint8Array(await packFiles([file("ab"), file("c")], { n_earlier: 0, replaces: "", pattern: "gpt2", model: "" }).arrayBuffer());
  const length = body[0], { files } = JSON.parse(new TextDecoder().decode(body.slice(4, 4 + length)));
  assert.deepEqual(files, [{ name: "ab", n_bytes: 2 }, { name: "c", n_bytes: 1 }]);
  assert.equal(new TextDecoder().decode(body.slice(4 + length)), "abc");
});

test("the server is asked until the files are read", async () => {
  const { opener, sent } = openerOf(state([], false), state([], false), state(["a"]));
  assert.deepEqual((await opener.open([file("a.model")], "gpt2")).opened, ["a"]);
  assert.deepEqual(sent.slice(1), ["opening", "opening"]);
});

test("a model on the server's machine is asked for by its name, and takes no files from before", async () => {
  const { opener, sent } = openerOf(state([]), state([], false), state(["own"]), state([]));
  await opener.open([file("vocab.bpe")], "gpt2");
  assert.deepEqual((await opener.openLocal("org/own")).opened, ["own"]);
  await opener.open([file("tokenizer_config.json")], "gpt2");
  assert.deepEqual(sent.slice(1), ["open_local", "opening", { names: ["tokenizer_config.json"], n_earlier: 0, replaces: "" }]);
});

test("refused files go with the next, and those of a tokenizer that is open with its config alone", async () => {
  const { opener, sent } = openerOf(state([]), state(["encoder"]), state(["encoder"]), state(["other"]));
  await opener.open([file("vocab.bpe")], "gpt2");
  await opener.open([file("encoder.json")], "gpt2");
  opener.rename("encoder", "mine");
  await opener.open([file("tokenizer_config (1).json")], "gpt2");
  await opener.open([file("other.model")], "gpt2");
  assert.deepEqual(sent, [
    { names: ["vocab.bpe"], n_earlier: 0, replaces: "" },
    { names: ["vocab.bpe", "encoder.json"], n_earlier: 1, replaces: "" },
    { names: ["vocab.bpe", "encoder.json", "tokenizer_config (1).json"], n_earlier: 2, replaces: "mine" },
    { names: ["other.model"], n_earlier: 0, replaces: "" },
  ]);
});
