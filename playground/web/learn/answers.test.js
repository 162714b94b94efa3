import assert from "node:assert/strict";
import { test } from "node:test";
import { Answers } from "./answers.js";

/** Answers that say which values they are of; `held` resolves each request by hand. */
function asked() {
  /** @type {string[]} */
  const sent = [];
  /** @type {string[]} */
  const shown = [];
  /** @type {(() => void)[]} */
  const held = [];
  const answers = new Answers({
    url: () => "/session/x",
    askForSession: () => {},
    onAnswer: ({ values }) => shown.push(values.text),
    onProblem: (_wanted, sentence) => shown.push(`! ${sentence}`),
    send: (_url, _action, body) => {
      const { values } = /** @type {any} */ (body);
      sent.push(values.text);
      return new Promise((resolve, reject) => held.push(() => (values.text === "bad" ? reject(new Error("too long")) : resolve(/** @type {any} */ ({ text: values.text })))));
    },
  });
  const settle = async () => {
    while (held.length) {
      held.shift()?.();
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  return { answers, sent, shown, settle };
}

test("of several inputs typed while one is answered, only the newest is sent", async () => {
  const { answers, sent, shown, settle } = asked();
  for (const text of ["a", "ab", "abc"]) answers.ask({ slug: "x", values: { text } });
  await settle();
  assert.deepEqual([sent, shown], [["a", "abc"], ["a", "abc"]]);
  assert.ok(answers.known({ slug: "x", values: { text: "abc" } }));
  assert.ok(answers.known({ slug: "x", values: { text: "a" } }), "the step before needs no request");
  assert.equal(answers.known({ slug: "x", values: { text: "ab" } }), null);
});

test("an answer to an older input is not shown over a known one", async () => {
  const { answers, sent, shown, settle } = asked();
  const ask = (/** @type {string} */ text) => answers.ask({ slug: "x", values: { text } });
  ask("a");
  await settle();
  for (const texts of [["ab", "abc"], ["bad"]]) {
    texts.forEach(ask);
    answers.shows({ slug: "x", values: { text: "a" } });
    await settle();
  }
  assert.deepEqual([sent, shown], [["a", "ab", "bad"], ["a"]]);
  ask("b");
  await settle();
  assert.deepEqual(shown, ["a", "b"]);
});

test("an error is shown, and the next input is sent", async () => {
  const { answers, shown, settle } = asked();
  answers.ask({ slug: "x", values: { text: "bad" } });
  await settle();
  answers.ask({ slug: "x", values: { text: "good" } });
  await settle();
  assert.deepEqual(shown, ["! too long", "good"]);
});

test("unusable input is reported each time it is typed", async () => {
  /** @type {string[]} */
  const shown = [];
  const answers = new Answers({
    url: () => "/session/x",
    askForSession: () => {},
    onAnswer: () => shown.push("answer"),
    onProblem: (_wanted, sentence) => shown.push(sentence),
    send: async () => /** @type {any} */ ({ problem: "half a pattern" }),
  });
  const wanted = { slug: "x", values: { own: "(" } };
  answers.ask(wanted);
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(answers.known(wanted), null);
  answers.ask(wanted);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(shown, ["half a pattern", "half a pattern"]);
});

test("the next lesson is fetched ahead once, without being shown", async () => {
  const { answers, sent, shown, settle } = asked();
  const wanted = { slug: "next", values: { text: "n" } };
  const prepared = answers.prepare(wanted);
  await new Promise((resolve) => setTimeout(resolve));
  await settle();
  await prepared;
  await answers.prepare(wanted);
  assert.deepEqual([sent, shown], [["n"], []]);
});
