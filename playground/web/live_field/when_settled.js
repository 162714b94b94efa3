// When settled: something is done once typing has stopped for a moment.

/** How long to wait after a key: whole texts are sent, so long ones less often. @param {number} nCharacters */
export const settleMs = (nCharacters) => (nCharacters < 50_000 ? 350 : nCharacters < 500_000 ? 900 : 2000);

/** Whether Streamlit would write the number as it is typed, so that sending it takes nothing from under one's hands: not "0.0" on the way to "0.05". @param {string} typed */
export const isSettledNumber = (typed) => /^(0|[1-9]\d{0,5})(\.\d{0,4}[1-9])?$/.test(typed) && typed.length <= 7;

/** @template T */
export class WhenSettled {
  /** @param {(what: T) => void} act */
  constructor(act) {
    this.act = act;
  }

  /** Something was typed: wait anew. @param {T} what @param {number} ms */
  touch(what, ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.act(what), ms);
  }

  cancel() {
    clearTimeout(this.timer);
  }
}
