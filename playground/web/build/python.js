// Runs Python in a web worker, with a limit of time. A worker that is stopped is replaced by a new one.

import { counted } from "../shared/wording.js";

/** A run may take this long, without the time to load Python. */
export const LIMIT_MS = 10_000;

/** The result of the harness; see `lessons/workbench/harness.py`.
 * @typedef {{message: string, line: number, where: string}} Failure
 * @typedef {{name: string, is_right: boolean, call?: string, got?: string, wanted?: string, error?: Failure}} TestResult
 * @typedef {{kind: "tokens", label: string, tokens: {text: string, lit: boolean}[]}} TokenRow
 * @typedef {{kind: "bars", label: string, bars: {tokens: string[], n: number}[]}} Bars
 * @typedef {{value?: string, shown?: string, error?: Failure}} CaseResult
 * @typedef {{printed: string, error: Failure | null, tests: TestResult[], cases: CaseResult[], is_out_of_memory: boolean, figure: (TokenRow | Bars)[]}} Result
 */

/** A run that gave no result; the message is a sentence. */
export class StoppedError extends Error {}

export class Python {
  /**
   * @param {(name: string) => string} address of a file beside the worker
   * @param {(state: "loading" | "running" | "") => void} onState
   */
  constructor(address, onState) {
    this.address = address;
    this.onState = onState;
    /** @type {{worker: Worker, isReady: Promise<void>, hasFiles: boolean} | null} */
    this.current = null;
    /** @type {((reason: string) => void) | null} ends the run */
    this.stopRun = null;
    /** The part of the run that has begun last, such as a test; "" for the code itself. */
    this.part = "";
  }

  /** Load Python, unless it is loaded. */
  start() {
    if (this.current) return this.current;
    const worker = new Worker(this.address("worker.js"), { type: "module" });
    const isReady = (async () => {
      const response = await fetch(this.address("modules.json"));
      if (!response.ok) throw new StoppedError(`Python could not be loaded: the server answered ${response.status}. Reload the page to try again.`);
      await this.send(worker, { modules: await response.json() });
    })();
    isReady.catch(() => this.drop());
    return (this.current = { worker, isReady, hasFiles: false });
  }

  /**
   * Run a step. Throws a StoppedError.
   * @param {object} asked
   * @param {boolean} needsFiles whether the step reads GPT-2's files
   * @returns {Promise<Result>}
   */
  async run(asked, needsFiles) {
    const stopping = /** @type {Promise<never>} */ (new Promise((_, reject) => {
      this.stopRun = (reason) => {
        this.drop();
        reject(new StoppedError(reason));
      };
    }));
    stopping.catch(() => {});
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const begun = async () => {
      this.onState("loading");
      const current = this.start();
      await current.isReady;
      if (needsFiles && !current.hasFiles) {
        await this.send(current.worker, { modules: await (await fetch(this.address("gpt2.json"))).json() });
        current.hasFiles = true;
      }
      this.onState("running");
      this.part = "";
      timer = setTimeout(() => this.stopRun?.(`Stopped after ${counted(LIMIT_MS / 1000, "second")}${this.part && ` in ${this.part}`}. Is there a loop that never ends? Your code is kept.`), LIMIT_MS);
      return this.send(current.worker, { call: JSON.stringify(asked) });
    };
    try {
      const { answer } = await Promise.race([begun(), stopping]);
      /** @type {Result} */
      const result = JSON.parse(answer);
      if (result.is_out_of_memory) this.drop(); // a worker's memory never shrinks
      return result;
    } finally {
      clearTimeout(timer); // also of a stopped run, whose worker never answers
      this.stopRun = null;
      this.onState("");
    }
  }

  /** The SHA-256 of a text: a page over http has none of its own. @param {string} text @returns {Promise<string>} */
  async digest(text) {
    const current = this.start();
    await current.isReady;
    return JSON.parse((await this.send(current.worker, { call: JSON.stringify({ digest: text }) })).answer);
  }

  /** Advice on what failed, or "". @param {object} failed see `_advised` in the harness @returns {Promise<string>} */
  async advise(failed) {
    if (!this.current) return "";
    const { answer } = await this.send(this.current.worker, { call: JSON.stringify({ advise: failed }) });
    return JSON.parse(answer);
  }

  /** End the run, if there is one. */
  stop() {
    this.stopRun?.("Stopped. Your code is kept.");
  }

  /** End the worker; the next run starts another. */
  drop() {
    this.current?.worker.terminate();
    this.current = null;
  }

  /** Send a message, and return the answer. @param {Worker} worker @param {object} message @returns {Promise<{answer: string}>} */
  send(worker, message) {
    const heard = new AbortController(), { signal } = heard;
    return new Promise((resolve, reject) => {
      const fail = (/** @type {string} */ sentence) => {
        heard.abort();
        this.drop();
        reject(new StoppedError(sentence));
      };
      worker.addEventListener("message", ({ data }) => {
        if ("problem" in data) return fail(`Python ended: ${data.problem} Your code is kept.`);
        if ("part" in data) return void (this.part = data.part);
        heard.abort();
        resolve(data);
      }, { signal });
      worker.addEventListener("error", ({ message: problem }) => fail(`Python could not be run: ${problem || "the worker did not load"}. Reload the page to try again.`), { signal });
      worker.postMessage(message, []);
    });
  }
}
