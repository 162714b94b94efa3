// Forest sync: the trees follow a text, and a server that was lost is sought. What draws them is not here.

import { NewestWins } from "../shared/newest_wins.js";
import { Reconnect, sentenceOf } from "../shared/reconnect.js";

/** The pretokens by number, those that are new in this epoch, and what is counted. @typedef {import("../shared/wire_types.d.ts").ForestAnswer} Answer */
/** @typedef {import("../shared/wire_types.d.ts").DrawnPretoken} Kind */
/** @typedef {import("../shared/wire_types.d.ts").ForestRequests["draw"]} Request */

/**
 * What is asked for, and of which session: a text, the height of the joints, where the player stands, and how often it
 * was moved before.
 * @typedef {{url: string, text: string, heightBy: "depth" | "order", step: number, nMoves: number}} Wanted
 */

/** Asks for one forest at a time; the newest wish wins, and is asked again until a server answers. */
export class ForestSync {
  /**
   * `onAnswer` gets an answer with the pretokens of its forest in order; `onProblem` a sentence, empty once all is well.
   * @param {{send: (body: Request) => Promise<Answer>, askForSession: () => void,
   *   onAnswer: (answer: Answer, kinds: Kind[], wanted: Wanted) => void, onProblem: (sentence: string) => void}} how
   */
  constructor({ send, askForSession, onAnswer, onProblem }) {
    this.send = send;
    this.onAnswer = onAnswer;
    this.onProblem = onProblem;
    /** @type {Wanted | null} what was wanted last */
    this.wanted = null;
    /** @type {Kind[]} pretokens by the number that the server gave them in this epoch */
    this.kinds = [];
    this.epoch = "";
    this.queue = new NewestWins((/** @type {Wanted} */ wanted) => this.ask(wanted));
    this.reconnect = new Reconnect({ askForSession, reopen: () => this.wanted && this.push(this.wanted) });
  }

  /** What waits for its turn. */
  get waiting() {
    return this.queue.next?.wanted;
  }

  /** @param {Wanted} wanted */
  push(wanted) {
    this.wanted = wanted;
    return this.queue.push(wanted);
  }

  /** The page is left: seek no server any more. */
  end() {
    this.reconnect.end();
  }

  /** @param {Wanted} wanted */
  async ask(wanted) {
    const { text, heightBy, step } = wanted;
    try {
      const answer = await this.send({ text, height_by: heightBy, step, epoch: this.epoch });
      this.reconnect.stop();
      if (answer.epoch !== this.epoch) this.kinds = [];
      this.epoch = answer.epoch;
      for (const [number, kind] of Object.entries(answer.new)) this.kinds[Number(number)] = kind;
      this.onAnswer(answer, answer.pretokens.map((number) => this.kinds[number]), wanted);
      this.onProblem("");
    } catch (error) {
      this.epoch = "";
      this.reconnect.seeks(error);
      this.onProblem(sentenceOf(error));
    }
  }
}
